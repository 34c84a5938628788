// larder/cook_memory.h: a cook whose files stay in memory, and can be mounted in a store: so a tool opens a source as if it
// were cooked, without a folder to cook into. Cook half.

#ifndef LARDER_COOK_MEMORY_H
#define LARDER_COOK_MEMORY_H

#include "larder/cook.h"
#include "larder/document.h"
#include "larder/store.h"

/// What a cook to memory made. Nothing in it changes: any number of threads may read it at once.
typedef struct lrd_cooked lrd_cooked;

/// What became of one source.
typedef struct lrd_cooked_source
{
	lrd_string path; ///< relative to its source root
	lrd_source_state state;
	const char *message; ///< why it failed or was skipped; NULL otherwise
	const lrd_document_warning *warnings;
	uint32_t warning_count;
} lrd_cooked_source;

/// Cook as lrd_cook_run does, and keep the files instead of writing them: the same names and the same bytes. Sources are
/// read from the disk, and nothing is written there. `desc->output` must be NULL; everything is cooked, whatever
/// `force` says. A source that fails is reported and the others go on, so look at the report. NULL when the cook itself
/// could not run. `desc->allocator` outlives what is returned.
/// Errors: LRD_ERROR_MEMORY, LRD_ERROR_NOT_FOUND, LRD_ERROR_IO, LRD_ERROR_ARGUMENT. Any thread but a worker of
/// `desc->jobs`, which it waits for; any number of cooks may run at once.
LRD_API lrd_cooked *lrd_cook_to_memory(const lrd_cook_desc *desc, lrd_error *error);

LRD_API const lrd_cook_report *lrd_cooked_report(const lrd_cooked *cooked);

/// Every source, sorted by path, byte for byte.
LRD_API const lrd_cooked_source *lrd_cooked_sources(const lrd_cooked *cooked, uint32_t *count);

/// Every file, sorted by key, byte for byte.
LRD_API const lrd_memory_file *lrd_cooked_files(const lrd_cooked *cooked, uint32_t *count);

/// A mount of the files, to be given to lrd_store_mount once. It keeps the files as long as the mount, and payloads that
/// read through it, need them: `cooked` may be released meanwhile.
LRD_API lrd_mount_desc lrd_cooked_mount(lrd_cooked *cooked);

/// Give it back; the files are freed with the last mount. NULL is allowed. Any thread.
LRD_API void lrd_cooked_release(lrd_cooked *cooked);

#endif

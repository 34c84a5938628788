// larder/pack_write.h: writing bundles (.lpack), and taking them apart again. Reading one is in larder/pack.h. Cook half.

#ifndef LARDER_PACK_WRITE_H
#define LARDER_PACK_WRITE_H

#include "larder/jobs.h"
#include "larder/pack.h"

/// One payload to put into a bundle.
typedef struct lrd_pack_source
{
	lrd_string key;   ///< cooked path, with extension
	const char *path; ///< file to read it from; or NULL, and then:
	lrd_bytes bytes;
} lrd_pack_source;

typedef struct lrd_pack_write_desc
{
	const char *path; ///< the bundle; written beside and renamed over
	const lrd_pack_source *sources;
	uint32_t source_count;
	lrd_compression compression; ///< of what compression pays for; textures stay raw. Default LRD_STORED
	int level;                   ///< zstd level 1..22; 0: 9
	const lrd_pack *
		previous; ///< an older bundle, or NULL: payloads with an unchanged digest are copied from it as compressed there
	bool json_map;           ///< also write PATH.json, the same table for people and tools
	const lrd_jobs *jobs;    ///< NULL: everything on the calling thread
	lrd_allocator allocator; ///< zeroed: malloc
	void (*progress)(void *user, uint32_t done, uint32_t total); ///< or NULL; calling thread
	void *user;
} lrd_pack_write_desc;

typedef struct lrd_pack_write_report
{
	uint32_t entry_count;
	uint32_t payload_count; ///< distinct ones
	uint32_t compressed;    ///< payloads stored compressed
	uint32_t reused;        ///< payloads copied from `previous`
	uint64_t payload_bytes; ///< before compression, each distinct one once
	uint64_t file_bytes;
} lrd_pack_write_report;

/// Write a bundle. The same sources and settings give the same bytes, whatever their order, the jobs, or `previous` (made with the same settings).
/// On failure an older file of that name is as it was. `report` may be NULL.
/// Errors: LRD_ERROR_PATH (a key that is no asset path), LRD_ERROR_CONFLICT (two keys that differ only in case), LRD_ERROR_IO, LRD_ERROR_MEMORY.
LRD_API bool lrd_pack_write(const lrd_pack_write_desc *desc, lrd_pack_write_report *report, lrd_error *error);

/// Write every payload of a bundle under `folder`, which is made; keys are checked as asset paths first.
LRD_API bool lrd_pack_unpack(const lrd_pack *pack, const char *folder, lrd_error *error);

/// The bundle's table as JSON text: what PATH.json holds. With `payloads` also each payload, base64: the self-contained debugging form.
LRD_API bool lrd_pack_json(const lrd_pack *pack, bool payloads, lrd_buffer *out, lrd_error *error);

#endif

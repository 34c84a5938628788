// A cook to memory: the driver as it is, with a database in memory, and a list of buffers in the place of the output
// folder.

#include "base/error.h"
#include "base/path.h"
#include "cook/cooked.h"
#include "cook/driver.h"

#include <stdlib.h>

struct lrd_cooked
{
	atomic_uint references; ///< the caller's, and one a mount
	lrd_allocator allocator;
	lrd_arena *arena; ///< keys, and all text of the sources
	lrd_cook_report report;
	lrd_memory_file *files;
	size_t file_count;
	size_t file_capacity;
	lrd_cooked_source *sources;
	size_t source_count;
	size_t source_capacity;
	bool starved; ///< something could not be noted
};

uint32_t lrd_cooked_count(const lrd_cooked *cooked)
{
	return (uint32_t)cooked->file_count;
}

/// Give back the room that the buffer still has: it is kept for long.
static bool trim(lrd_buffer *bytes)
{
	if (bytes->capacity != bytes->size)
	{
		void *trimmed = lrd_realloc(bytes->allocator, bytes->data, bytes->capacity, bytes->size);
		if (trimmed == NULL)
		{
			return false;
		}
		bytes->data = trimmed;
		bytes->capacity = bytes->size;
	}
	return true;
}

bool lrd_cooked_add(lrd_cooked *cooked, lrd_string key, lrd_buffer *bytes, lrd_error *error)
{
	lrd_string kept = lrd_arena_string(cooked->arena, key);
	if (kept.data == NULL || !trim(bytes) ||
		!LRD_RESERVE(cooked->allocator, cooked->files, cooked->file_count, 1, cooked->file_capacity))
	{
		return lrd_fail_memory(error, "cooked file", bytes->size);
	}
	cooked->files[cooked->file_count++] = (lrd_memory_file){ kept, { bytes->data, bytes->size } };
	*bytes = (lrd_buffer){ .allocator = bytes->allocator };
	return true;
}

void lrd_cooked_truncate(lrd_cooked *cooked, uint32_t count)
{
	while (cooked->file_count > count)
	{
		const lrd_memory_file *file = &cooked->files[--cooked->file_count];
		lrd_free(cooked->allocator, (void *)(uintptr_t)file->bytes.data, file->bytes.size);
	}
}

static bool keep_warnings(lrd_cooked *cooked, lrd_cooked_source *source, const lrd_source_report *report)
{
	lrd_document_warning *kept = LRD_ARENA_ARRAY(cooked->arena, lrd_document_warning, report->warning_count + 1u);
	for (uint32_t i = 0; kept != NULL && i < report->warning_count; ++i)
	{
		kept[i] = (lrd_document_warning){
			.kind = lrd_arena_string(cooked->arena, report->warnings[i].kind),
			.message = lrd_arena_string(cooked->arena, report->warnings[i].message),
			.count = report->warnings[i].count,
		};
		if (kept[i].kind.data == NULL || kept[i].message.data == NULL)
		{
			return false;
		}
	}
	source->warnings = kept;
	source->warning_count = report->warning_count;
	return kept != NULL;
}

void lrd_cooked_note(lrd_cooked *cooked, const lrd_source_report *report)
{
	lrd_cooked_source source = { .state = report->state, .path = lrd_arena_string(cooked->arena, report->path) };
	bool good = source.path.data != NULL && keep_warnings(cooked, &source, report) &&
				LRD_RESERVE(cooked->allocator, cooked->sources, cooked->source_count, 1, cooked->source_capacity);
	if (good && report->message != NULL)
	{
		source.message = lrd_arena_string(cooked->arena, lrd_string_from(report->message)).data;
		good = source.message != NULL;
	}
	if (good)
	{
		cooked->sources[cooked->source_count++] = source;
	}
	cooked->starved = cooked->starved || !good;
}

static int compare_files(const void *a, const void *b)
{
	return lrd_string_compare(((const lrd_memory_file *)a)->key, ((const lrd_memory_file *)b)->key);
}

static int compare_sources(const void *a, const void *b)
{
	return lrd_string_compare(((const lrd_cooked_source *)a)->path, ((const lrd_cooked_source *)b)->path);
}

static bool cook(lrd_cooked *cooked, const lrd_cook_desc *desc, lrd_error *error)
{
	lrd_driver driver = { .desc = desc, .allocator = desc->allocator, .cooked = cooked };
	cooked->arena = lrd_arena_create(desc->allocator, 0);
	if (cooked->arena == NULL)
	{
		return lrd_fail_memory(error, "cook", 0);
	}
	if (!lrd_driver_run(&driver, error))
	{
		return false;
	}
	cooked->report = driver.report;
	if (cooked->file_count != 0)
	{
		qsort(cooked->files, cooked->file_count, sizeof *cooked->files, compare_files);
	}
	if (cooked->source_count != 0)
	{
		qsort(cooked->sources, cooked->source_count, sizeof *cooked->sources, compare_sources);
	}
	return !cooked->starved || lrd_fail_memory(error, "cook", 0);
}

lrd_cooked *lrd_cook_to_memory(const lrd_cook_desc *desc, lrd_error *error)
{
	if (desc->source_count == 0 || desc->output != NULL)
	{
		lrd_fail(error, LRD_ERROR_ARGUMENT, "a cook to memory needs at least one source and no output folder");
		return NULL;
	}
	lrd_cooked *cooked = lrd_alloc_zeroed(desc->allocator, 1, sizeof *cooked);
	if (cooked == NULL)
	{
		lrd_fail_memory(error, "cook", sizeof *cooked);
		return NULL;
	}
	cooked->allocator = desc->allocator;
	atomic_init(&cooked->references, 1);
	if (!cook(cooked, desc, error))
	{
		lrd_cooked_release(cooked);
		return NULL;
	}
	return cooked;
}

const lrd_cook_report *lrd_cooked_report(const lrd_cooked *cooked)
{
	return &cooked->report;
}

const lrd_cooked_source *lrd_cooked_sources(const lrd_cooked *cooked, uint32_t *count)
{
	*count = (uint32_t)cooked->source_count;
	return cooked->sources;
}

const lrd_memory_file *lrd_cooked_files(const lrd_cooked *cooked, uint32_t *count)
{
	*count = (uint32_t)cooked->file_count;
	return cooked->files;
}

static void release_mount(void *user)
{
	lrd_cooked_release(user);
}

lrd_mount_desc lrd_cooked_mount(lrd_cooked *cooked)
{
	static const lrd_memory_file none; // a mount of no file is one all the same
	atomic_fetch_add_explicit(&cooked->references, 1, memory_order_relaxed);
	return (lrd_mount_desc){
		.files = cooked->file_count != 0 ? cooked->files : &none,
		.file_count = (uint32_t)cooked->file_count,
		.release = release_mount,
		.user = cooked,
	};
}

void lrd_cooked_release(lrd_cooked *cooked)
{
	if (cooked == NULL || atomic_fetch_sub_explicit(&cooked->references, 1, memory_order_acq_rel) != 1)
	{
		return;
	}
	lrd_cooked_truncate(cooked, 0);
	lrd_free(cooked->allocator, cooked->files, cooked->file_capacity * sizeof *cooked->files);
	lrd_free(cooked->allocator, cooked->sources, cooked->source_capacity * sizeof *cooked->sources);
	lrd_arena_destroy(cooked->arena);
	lrd_free(cooked->allocator, cooked, sizeof *cooked);
}

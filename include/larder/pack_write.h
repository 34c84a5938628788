// larder/pack_write.h: writing bundles (.lpack), and taking them apart again. Reading one is in larder/pack.h. Cook
// half.

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
	/// An older bundle, or NULL: payloads with an unchanged digest are copied from it as compressed there.
	const lrd_pack *previous;
	bool json_map;           ///< also write PATH.json, the same table for people and tools; else a stale one is deleted
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
	uint32_t reused;        ///< payloads taken over from `previous` as they are there
	uint64_t payload_bytes; ///< before compression, each distinct one once
	uint64_t file_bytes;
} lrd_pack_write_report;

/// Write a bundle. The same sources and settings give the same bytes, whatever their order, the jobs, or `previous`
/// (made with the same settings and zstd). Sources are read one after another, with jobs a few at a time; the bundle is
/// never in memory whole. On failure an older file of that name is as it was. `report` may be NULL. Not from a worker
/// of `jobs`: it waits for them.
/// Errors: LRD_ERROR_PATH (a key that is no asset path), LRD_ERROR_CONFLICT (two keys that are the same but for case),
/// LRD_ERROR_NOT_FOUND, LRD_ERROR_IO, LRD_ERROR_CHANGED (a source changed meanwhile), LRD_ERROR_LIMIT (keys of more
/// than 4 GiB), LRD_ERROR_ARGUMENT, LRD_ERROR_MEMORY.
LRD_API bool lrd_pack_write(const lrd_pack_write_desc *desc, lrd_pack_write_report *report, lrd_error *error);

/// Write every payload of a bundle under `folder`, which is made; keys are checked as asset paths first, and each
/// payload against its digest. A file of the same name is replaced. On failure the files written so far stay, each
/// whole.
/// Errors: LRD_ERROR_FORMAT (a damaged payload), LRD_ERROR_PATH, LRD_ERROR_IO, LRD_ERROR_MEMORY. Memory comes from the
/// pack's allocator.
LRD_API bool lrd_pack_unpack(const lrd_pack *pack, const char *folder, lrd_error *error);

/// The bundle's table as JSON text, by key: what PATH.json holds. With `payloads` also each payload, base64 (RFC 4648,
/// section 4): the self-contained debugging form. Appended to `out`, whose allocator is used; on failure it is as it
/// was.
/// Errors: LRD_ERROR_MEMORY; with `payloads` also LRD_ERROR_FORMAT.
LRD_API bool lrd_pack_json(const lrd_pack *pack, bool payloads, lrd_buffer *out, lrd_error *error);

typedef struct lrd_pack_check_desc
{
	const char *map; ///< the bundle's PATH.json, to see whether it says the same; NULL, or no such file: not looked at
	/// Something is wrong. `key` is the entry's, or empty when it is the bundle; `message` lives during the call. NULL:
	/// nobody is told.
	void (*on_finding)(void *user, lrd_string key, const char *message);
	void *user;
} lrd_pack_check_desc;

typedef struct lrd_pack_check_report
{
	uint32_t entries;
	uint32_t payloads; ///< distinct ones
	uint32_t findings; ///< 0: sound
	uint64_t bytes;    ///< after decompression
} lrd_pack_check_report;

/// Check what opening a bundle leaves unread: that every payload decodes to its digest, that equal payloads are shared,
/// that the bytes between them are zero, that kinds and key hashes are those of the keys, and that the map agrees.
/// `desc` and `report` may be NULL. False only when the check itself could not run: LRD_ERROR_MEMORY, LRD_ERROR_IO.
/// Memory comes from the pack's allocator.
LRD_API bool lrd_pack_check(
	const lrd_pack *pack, const lrd_pack_check_desc *desc, lrd_pack_check_report *report, lrd_error *error);

#endif

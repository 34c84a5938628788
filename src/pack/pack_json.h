// pack/pack_json.h: a bundle's table as JSON, piece by piece. Cook half.

#ifndef PACK_PACK_JSON_H
#define PACK_PACK_JSON_H

#include "pack/reader.h"

/// Takes the next piece of the text; false stops it and is passed on, with the sink's own error.
typedef struct lrd_json_sink
{
	bool (*take)(void *user, const char *text, size_t size, lrd_error *error);
	void *user;
} lrd_json_sink;

/// `payloads_of`: the pack whose payloads to add, or NULL. Memory comes from `allocator`.
bool lrd_pack_table_json(const lrd_pack_table *table, const lrd_pack *payloads_of, lrd_allocator allocator,
	lrd_json_sink sink, lrd_error *error);

#endif

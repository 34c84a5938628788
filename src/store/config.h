// store/config.h: what a cooked folder's larder.json says of residency, over what the program says.

#ifndef STORE_CONFIG_H
#define STORE_CONFIG_H

#include "larder/store.h"

/// The "residency" object of a larder.json.
typedef struct lrd_residency
{
	bool has_keep_parked;
	bool has_watch;
	bool watch;
	uint64_t keep_parked; ///< bytes
} lrd_residency;

/// Read a larder.json's text. What is no "residency" is somebody else's and passed over; what in it is unknown or
/// can't be is told to the log, with line and column, and passed over. `name` is the file's, for messages.
/// Allocates nothing. Errors: LRD_ERROR_FORMAT, LRD_ERROR_LIMIT (not JSON; line and column are said).
bool lrd_residency_parse(
	lrd_string text, const char *name, const lrd_log *log, lrd_residency *residency, lrd_error *error);

/// Put what the larder.json in desc->root says into `desc`. Where that is something else than `desc` said, the log is told
/// (LRD_LOG_INFO). No folder, no file: nothing. A file that can't be read or understood is told to the log
/// (LRD_LOG_WARNING) and passed over.
/// Errors: LRD_ERROR_MEMORY.
bool lrd_config_apply(lrd_store_desc *desc, lrd_error *error);

#endif

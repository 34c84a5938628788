// Reads the input as a larder.json, in place, and again with cJSON: both must find the same.

#include "base/json.h"
#include "store/config.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
	if (!condition)
	{
		abort();
	}
}

static void write_log(void *user, lrd_log_level level, const char *scope, const char *message)
{
	uint32_t *warnings = user;
	require(level == LRD_LOG_WARNING && scope != NULL && message != NULL);
	++*warnings;
}

static void require_same(const lrd_residency *residency, const cJSON *root)
{
	const cJSON *object = cJSON_GetObjectItemCaseSensitive(root, "residency");
	const cJSON *keep = cJSON_IsObject(object) ? cJSON_GetObjectItemCaseSensitive(object, "keep_parked_mb") : NULL;
	const cJSON *watch = cJSON_IsObject(object) ? cJSON_GetObjectItemCaseSensitive(object, "watch") : NULL;
	require(residency->has_watch == (cJSON_IsBool(watch) != 0));
	require(!residency->has_watch || residency->watch == (cJSON_IsTrue(watch) != 0));
	// cJSON's numbers are doubles, which hold every whole number that is taken.
	require(!residency->has_keep_parked || (cJSON_IsNumber(keep) && keep->valuedouble >= 0 &&
											   (uint64_t)keep->valuedouble << 20 == residency->keep_parked));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	lrd_string text = { (const char *)data, size };
	uint32_t warnings = 0;
	const lrd_log log = { write_log, &warnings };
	lrd_residency residency;
	lrd_error error = { 0 };
	lrd_error other = { 0 };
	bool good = lrd_residency_parse(text, "larder.json", &log, &residency, &error);
	cJSON *root = lrd_json_parse(text, &other);
	require(good == (root != NULL));
	if (!good)
	{
		require(error.code == LRD_ERROR_FORMAT || error.code == LRD_ERROR_LIMIT);
		require(other.code == error.code);
		return 0;
	}
	require_same(&residency, root);
	cJSON_Delete(root);
	return 0;
}

// Taking bundles apart: payloads as files, the table as JSON, and reading damaged payloads.

#include "fixtures/pack_build.h"

#include "base/json.h"
#include "os/os.h"

typedef struct fixture
{
	scratch *scratch;
	pack_samples samples;
	pack_file file;
} fixture;

static int set_up(void **state)
{
	fixture *self = calloc(1, sizeof *self);
	void *scratch_state = NULL;
	if (self == NULL || scratch_open(&scratch_state) != 0)
	{
		return -1;
	}
	self->scratch = scratch_state;
	pack_samples_make(&self->samples);
	self->file = pack_make(self->scratch, &self->samples, (lrd_pack_write_desc){ .compression = LRD_ZSTD });
	*state = self;
	return 0;
}

static int tear_down(void **state)
{
	fixture *self = *state;
	void *scratch_state = self->scratch;
	scratch_close(&scratch_state);
	free(self->file.data);
	free(self);
	return 0;
}

static void every_payload_becomes_a_file(void **state)
{
	fixture *self = *state;
	lrd_pack *pack = pack_open_sound(&self->file);
	lrd_error error = { 0 };
	for (int round = 0; round < 2; round++) // the second time over the files of the first
	{
		if (!lrd_pack_unpack(pack, scratch_path(self->scratch, "out/deep"), &error))
		{
			fail_msg("%s", error.message);
		}
	}
	for (int i = 0; i < PACK_SAMPLE_COUNT; i++)
	{
		const lrd_pack_source *source = &self->samples.sources[i];
		char path[512];
		snprintf(path, sizeof path, "%s/%.*s", scratch_path(self->scratch, "out/deep"), LRD_STR_ARG(source->key));
		pack_file file = pack_load(path);
		assert_int_equal(file.size, source->bytes.size);
		assert_memory_equal(file.data, source->bytes.data, file.size);
		free(file.data);
	}
	lrd_pack_close(pack);
}

static void unpacked_files_pack_to_the_same_bundle(void **state)
{
	fixture *self = *state;
	lrd_pack *pack = pack_open_sound(&self->file);
	assert_true(lrd_pack_unpack(pack, scratch_path(self->scratch, "again"), NULL));
	char(*paths)[512] = calloc(PACK_SAMPLE_COUNT, sizeof *paths);
	assert_non_null(paths);
	pack_samples files = { 0 };
	lrd_pack_entry entry;
	for (uint32_t i = 0; lrd_pack_at(pack, i, &entry); i++)
	{
		snprintf(paths[i], sizeof *paths, "%s/again/%.*s", self->scratch->root, LRD_STR_ARG(entry.key));
		files.sources[i] = (lrd_pack_source){ .key = entry.key, .path = paths[i] };
	}
	pack_file again = pack_make(self->scratch, &files, (lrd_pack_write_desc){ .compression = LRD_ZSTD });
	assert_int_equal(again.size, self->file.size);
	assert_memory_equal(again.data, self->file.data, again.size);
	free(again.data);
	free(paths);
	lrd_pack_close(pack);
}

static void damaged_payload_is_not_written(void **state)
{
	fixture *self = *state;
	static const int samples[] = { PACK_NOISE, PACK_MODEL };
	for (int i = 0; i < 2; i++)
	{
		pack_file file = { cooked_copy(self->file.data, self->file.size), self->file.size };
		lrd_pack *pack = pack_open_sound(&file);
		lrd_string key = self->samples.sources[samples[i]].key;
		const lrd_pack_record *record = &pack_records(&file)[pack_index_of(pack, key)];
		file.data[record->offset + record->stored_size / 2] ^= 1;
		lrd_error error = { 0 };
		char folder[300];
		snprintf(folder, sizeof folder, "%s", scratch_path(self->scratch, i == 0 ? "raw" : "zstd"));
		assert_false(lrd_pack_unpack(pack, folder, &error));
		assert_int_equal(error.code, LRD_ERROR_FORMAT);
		assert_non_null(strstr(error.message, key.data));
		assert_non_null(strstr(error.message, "the payload is damaged"));
		char path[400];
		snprintf(path, sizeof path, "%s/%s", folder, key.data);
		lrd_file_info info;
		assert_false(lrd_file_stat(path, &info, NULL));
		lrd_pack_close(pack);
		free(file.data);
	}
}

// A folder among the unpacked ones is a link that leads out.
static void links_that_lead_out_are_not_followed(void **state)
{
	fixture *self = *state;
	scratch_folder(self->scratch, "linked");
	scratch_folder(self->scratch, "elsewhere");
	scratch_link(self->scratch, "linked/models", scratch_path(self->scratch, "elsewhere"));
	lrd_pack *pack = pack_open_sound(&self->file);
	lrd_error error = { 0 };
	assert_false(lrd_pack_unpack(pack, scratch_path(self->scratch, "linked"), &error));
	assert_int_equal(error.code, LRD_ERROR_PATH);
	assert_int_equal(scratch_count(scratch_path(self->scratch, "elsewhere")), 0);
	lrd_pack_close(pack);
}

static size_t decode_base64(const char *text, uint8_t *bytes)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t size = 0;
	uint32_t bits = 0;
	for (size_t i = 0; text[i] != '\0' && text[i] != '='; i++)
	{
		const char *digit = strchr(digits, text[i]);
		assert_non_null(digit);
		bits = bits << 6 | (uint32_t)(digit - digits);
		if (i % 4 != 0)
		{
			bytes[size++] = (uint8_t)(bits >> (6 - 2 * (i % 4)));
		}
	}
	assert_int_equal(strlen(text) % 4, 0);
	return size;
}

static double number_of(const cJSON *object, const char *name)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
	assert_true(cJSON_IsNumber(item));
	return item->valuedouble;
}

static const char *string_of(const cJSON *object, const char *name)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
	assert_true(cJSON_IsString(item));
	return item->valuestring;
}

static void json_says_everything_and_holds_the_payloads(void **state)
{
	fixture *self = *state;
	lrd_pack *pack = pack_open_sound(&self->file);
	lrd_buffer text = { 0 };
	lrd_error error = { 0 };
	assert_true(lrd_pack_json(pack, true, &text, &error));
	cJSON *root = lrd_json_parse((lrd_string){ (const char *)text.data, text.size }, &error);
	assert_non_null(root);
	assert_int_equal((int)number_of(root, "version"), 1);
	assert_int_equal((int)number_of(root, "entry_count"), PACK_SAMPLE_COUNT);
	const cJSON *entries = cJSON_GetObjectItemCaseSensitive(root, "entries");
	assert_int_equal(cJSON_GetArraySize(entries), PACK_SAMPLE_COUNT);
	const char *last = "";
	const cJSON *item = NULL;
	cJSON_ArrayForEach(item, entries)
	{
		const char *key = string_of(item, "key");
		assert_true(strcasecmp(last, key) < 0);
		last = key;
		lrd_pack_entry entry;
		assert_true(lrd_pack_find(pack, lrd_string_from(key), &entry));
		assert_string_equal(string_of(item, "kind"), lrd_kind_name(entry.kind));
		assert_string_equal(string_of(item, "compression"), entry.compression == LRD_ZSTD ? "zstd" : "none");
		assert_true(number_of(item, "size") == (double)entry.size);
		assert_true(number_of(item, "stored_size") == (double)entry.stored_size);
		assert_true(number_of(item, "offset") == (double)((const uint8_t *)entry.stored - self->file.data));
		assert_int_equal(strlen(string_of(item, "sha256")), 64);
		uint8_t *bytes = malloc(2 * (size_t)entry.size + 16);
		uint8_t *expected = malloc((size_t)entry.size + 1);
		assert_non_null(bytes);
		assert_non_null(expected);
		assert_int_equal(decode_base64(string_of(item, "payload"), bytes), entry.size);
		assert_true(lrd_pack_read(pack, &entry, expected, entry.size, NULL));
		assert_memory_equal(bytes, expected, (size_t)entry.size);
		free(bytes);
		free(expected);
	}
	cJSON_Delete(root);
	lrd_buffer_free(&text);
	lrd_pack_close(pack);
}

static void quotes_in_keys_are_escaped(void **state)
{
	fixture *self = *state;
	lrd_pack_source source = { .key = LRD_STR("a\"b\"c d.bin") };
	lrd_pack_write_desc desc = {
		.path = scratch_path(self->scratch, "quotes.lpack"), .sources = &source, .source_count = 1
	};
	assert_true(lrd_pack_write(&desc, NULL, NULL));
	lrd_pack *pack = lrd_pack_open(&(lrd_pack_desc){ .path = desc.path }, NULL);
	assert_non_null(pack);
	lrd_buffer text = { 0 };
	assert_true(lrd_pack_json(pack, false, &text, NULL));
	assert_true(lrd_buffer_append(&text, "", 1));
	assert_non_null(strstr((const char *)text.data, "\"a\\\"b\\\"c d.bin\""));
	lrd_buffer_free(&text);
	lrd_pack_close(pack);
}

static void json_of_a_damaged_payload_fails_and_leaves_the_buffer(void **state)
{
	fixture *self = *state;
	pack_file file = { cooked_copy(self->file.data, self->file.size), self->file.size };
	lrd_pack *pack = pack_open_sound(&file);
	const lrd_pack_record *record = &pack_records(&file)[pack_index_of(pack, self->samples.sources[PACK_MODEL].key)];
	file.data[record->offset + record->stored_size / 2] ^= 1;
	lrd_buffer text = { 0 };
	lrd_error error = { 0 };
	assert_false(lrd_pack_json(pack, true, &text, &error));
	assert_int_equal(error.code, LRD_ERROR_FORMAT);
	assert_int_equal(text.size, 0);
	assert_true(lrd_pack_json(pack, false, &text, &error));
	lrd_buffer_free(&text);
	lrd_pack_close(pack);
	free(file.data);
}

static void reading_checks_its_arguments(void **state)
{
	fixture *self = *state;
	lrd_pack *pack = pack_open_sound(&self->file);
	lrd_pack_entry entry;
	lrd_error error = { 0 };
	uint8_t bytes[10001];
	assert_true(lrd_pack_find(pack, self->samples.sources[PACK_BODY].key, &entry));
	assert_false(lrd_pack_read(pack, &entry, bytes, entry.size + 1, &error));
	assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
	assert_non_null(strstr(error.message, "models/fox/part.Body.lmesh"));
	assert_false(lrd_pack_read(pack, &entry, bytes, entry.size - 1, NULL));
	lrd_pack_entry foreign = entry;
	foreign.stored = bytes;
	assert_false(lrd_pack_read(pack, &foreign, bytes, foreign.size, &error));
	assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
	foreign = entry;
	foreign.compression = LRD_STORED; // more than is stored
	assert_false(lrd_pack_read(pack, &foreign, bytes, foreign.size, &error));
	assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
	lrd_pack_close(pack);
}

static void assert_read_fails(const fixture *self, const pack_file *file, int sample, const char *says)
{
	lrd_pack *pack = pack_open_sound(file);
	lrd_pack_entry entry;
	assert_true(lrd_pack_find(pack, self->samples.sources[sample].key, &entry));
	uint8_t *bytes = malloc((size_t)entry.size);
	assert_non_null(bytes);
	lrd_error error = { 0 };
	bool read = lrd_pack_read(pack, &entry, bytes, entry.size, &error);
	if (read || error.code != LRD_ERROR_FORMAT || strstr(error.message, says) == NULL ||
		strstr(error.message, "models/fox.lmodel") == NULL)
	{
		fail_msg("expected \"%s\", got \"%s\"", says, read ? "read" : error.message);
	}
	free(bytes);
	lrd_pack_close(pack);
}

// Some bits of a frame mean nothing; all others are noticed, by its checksum at the latest.
static void damage_to_a_frame_is_never_read_as_other_bytes(void **state)
{
	fixture *self = *state;
	pack_file file = { cooked_copy(self->file.data, self->file.size), self->file.size };
	lrd_pack *pack = pack_open_sound(&file);
	lrd_pack_entry entry;
	lrd_bytes expected = self->samples.sources[PACK_MODEL].bytes;
	assert_true(lrd_pack_find(pack, self->samples.sources[PACK_MODEL].key, &entry));
	uint8_t *stored = file.data + ((const uint8_t *)entry.stored - file.data);
	uint8_t *bytes = malloc((size_t)entry.size);
	assert_non_null(bytes);
	uint64_t noticed = 0;
	for (uint64_t bit = 0; bit < entry.stored_size * 8; bit++)
	{
		stored[bit / 8] ^= (uint8_t)(1u << (bit % 8));
		lrd_error error = { 0 };
		if (lrd_pack_read(pack, &entry, bytes, entry.size, &error))
		{
			assert_memory_equal(bytes, expected.data, expected.size);
		}
		else
		{
			assert_int_equal(error.code, LRD_ERROR_FORMAT);
			assert_non_null(strstr(error.message, "models/fox.lmodel: the payload is damaged"));
			noticed++;
		}
		stored[bit / 8] ^= (uint8_t)(1u << (bit % 8));
	}
	assert_true(noticed > entry.stored_size * 7);
	free(bytes);
	lrd_pack_close(pack);
	free(file.data);
}

static void frames_of_another_size_are_refused(void **state)
{
	fixture *self = *state;
	pack_file file = { cooked_copy(self->file.data, self->file.size), self->file.size };
	lrd_pack *pack = pack_open_sound(&file);
	lrd_pack_record *record = &pack_records(&file)[pack_index_of(pack, self->samples.sources[PACK_MODEL].key)];
	lrd_pack_close(pack);
	record->size++;
	pack_rehash(&file);
	assert_read_fails(self, &file, PACK_MODEL, "its zstd frame declares 5000 bytes, the table says 5001");
	record->size--;
	record->stored_size++;
	pack_rehash(&file);
	assert_read_fails(self, &file, PACK_MODEL, "are not one zstd frame");
	free(file.data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_payload_becomes_a_file),
		cmocka_unit_test(unpacked_files_pack_to_the_same_bundle),
		cmocka_unit_test(damaged_payload_is_not_written),
		cmocka_unit_test(links_that_lead_out_are_not_followed),
		cmocka_unit_test(json_says_everything_and_holds_the_payloads),
		cmocka_unit_test(quotes_in_keys_are_escaped),
		cmocka_unit_test(json_of_a_damaged_payload_fails_and_leaves_the_buffer),
		cmocka_unit_test(reading_checks_its_arguments),
		cmocka_unit_test(damage_to_a_frame_is_never_read_as_other_bytes),
		cmocka_unit_test(frames_of_another_size_are_refused),
	};
	return cmocka_run_group_tests_name("pack: taking apart", tests, set_up, tear_down);
}

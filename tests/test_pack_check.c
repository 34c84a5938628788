// Checking a bundle whole: a sound one gives no finding, and every fault that opening can't see gives one that says
// what it is.

#include "fixtures/pack_build.h"

#include "os/os.h"

typedef struct fixture
{
	scratch *scratch;
	pack_samples samples;
	pack_file file;
	char map[600];
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
	self->file =
		pack_make(self->scratch, &self->samples, (lrd_pack_write_desc){ .compression = LRD_ZSTD, .json_map = true });
	snprintf(self->map, sizeof self->map, "%s", scratch_path(self->scratch, "made.lpack.json"));
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

typedef struct findings
{
	uint32_t count;
	char key[64];
	char message[LRD_ERROR_MESSAGE_SIZE];
} findings;

static void note_finding(void *user, lrd_string key, const char *message)
{
	findings *noted = user;
	noted->count++;
	snprintf(noted->key, sizeof noted->key, "%.*s", LRD_STR_ARG(key));
	snprintf(noted->message, sizeof noted->message, "%s", message);
}

static findings check(const pack_file *file, const char *map)
{
	findings noted = { 0 };
	lrd_pack *pack = pack_open_sound(file);
	lrd_pack_check_report report;
	lrd_pack_check_desc desc = { .map = map, .on_finding = note_finding, .user = &noted };
	lrd_error error = { 0 };
	if (!lrd_pack_check(pack, &desc, &report, &error))
	{
		fail_msg("%s", error.message);
	}
	assert_int_equal(report.findings, noted.count);
	assert_int_equal(report.entries, lrd_pack_count(pack));
	lrd_pack_close(pack);
	return noted;
}

static void assert_one_finding(const pack_file *file, const char *map, lrd_string key, const char *says)
{
	findings noted = check(file, map);
	if (noted.count != 1 || strstr(noted.message, says) == NULL || !lrd_string_equal(lrd_string_from(noted.key), key))
	{
		fail_msg("expected \"%s\", got %u findings, the last of \"%s\": \"%s\"", says, noted.count, noted.key,
			noted.message);
	}
}

static void sound_bundle_has_no_findings(void **state)
{
	fixture *self = *state;
	lrd_pack *pack = pack_open_sound(&self->file);
	lrd_pack_check_report report;
	assert_true(lrd_pack_check(pack, &(lrd_pack_check_desc){ .map = self->map }, &report, NULL));
	assert_int_equal(report.entries, PACK_SAMPLE_COUNT);
	assert_int_equal(report.payloads, PACK_SAMPLE_COUNT - 2);
	assert_int_equal(report.findings, 0);
	assert_int_equal(report.bytes, 5000 + 10000 + 9000 + 3000 + 4096);
	assert_true(lrd_pack_check(pack, NULL, NULL, NULL));
	lrd_pack_close(pack);
}

static pack_file copy_of(const fixture *self)
{
	return (pack_file){ cooked_copy(self->file.data, self->file.size), self->file.size };
}

static lrd_pack_record *record_of(const fixture *self, const pack_file *file, int sample)
{
	lrd_pack *pack = pack_open_sound(&self->file);
	uint32_t i = pack_index_of(pack, self->samples.sources[sample].key);
	lrd_pack_close(pack);
	return &pack_records(file)[i];
}

static void damaged_payloads_are_found(void **state)
{
	fixture *self = *state;
	pack_file file = copy_of(self);
	const lrd_pack_record *noise = record_of(self, &file, PACK_NOISE);
	file.data[noise->offset + 1234] ^= 1;
	assert_one_finding(&file, NULL, LRD_STR("blobs/noise.bin"), "its SHA-256 is");
	free(file.data);
	file = copy_of(self);
	const lrd_pack_record *model = record_of(self, &file, PACK_MODEL);
	file.data[model->offset + model->stored_size / 2] ^= 1;
	assert_one_finding(&file, NULL, LRD_STR("models/fox.lmodel"), "the payload is damaged: zstd says");
	free(file.data);
	file = copy_of(self);
	file.data[record_of(self, &file, PACK_MODEL)->offset] ^= 1;
	assert_one_finding(&file, NULL, LRD_STR("models/fox.lmodel"), "are not one zstd frame");
	free(file.data);
}

static void wrong_digest_of_a_compressed_payload_is_found(void **state)
{
	fixture *self = *state;
	pack_file file = copy_of(self);
	record_of(self, &file, PACK_MODEL)->sha256[5] ^= 1;
	pack_rehash(&file);
	assert_one_finding(&file, NULL, LRD_STR("models/fox.lmodel"), "its SHA-256 is");
	free(file.data);
}

static void bytes_between_payloads_must_be_zero(void **state)
{
	fixture *self = *state;
	pack_file file = copy_of(self);
	const lrd_pack_record *noise = record_of(self, &file, PACK_NOISE);
	size_t at = (size_t)(noise->offset + noise->stored_size);
	file.data[at] = 7;
	assert_one_finding(&file, NULL, LRD_STR("blobs/noise.bin"), "after the payload, is 7; up to the next page");
	file.data[at] = 0;
	file.data[noise->offset + 4095] = 9;
	assert_one_finding(&file, NULL, LRD_STR("blobs/noise.bin"), "after the payload, is 9; up to the next page");
	free(file.data);
	file = copy_of(self);
	file.data[record_of(self, &file, PACK_EMPTY)->offset] = 1;
	assert_one_finding(&file, NULL, LRD_STR("blobs/empty.bin"), "after the payload, is 1; up to the next page");
	free(file.data);
}

static void wrong_kinds_are_found(void **state)
{
	fixture *self = *state;
	pack_file file = copy_of(self);
	record_of(self, &file, PACK_MODEL)->kind = LRD_MESH;
	pack_rehash(&file);
	assert_one_finding(&file, NULL, LRD_STR("models/fox.lmodel"), "kind is mesh, but the key's extension says model");
	free(file.data);
}

static void wrong_key_hashes_are_found(void **state)
{
	fixture *self = *state;
	pack_file file = copy_of(self);
	lrd_pack_record *last = &pack_records(&file)[PACK_SAMPLE_COUNT - 1];
	last->key_hash++;
	pack_rehash(&file);
	lrd_pack *pack = pack_open_sound(&file);
	lrd_pack_entry entry;
	assert_true(lrd_pack_at(pack, PACK_SAMPLE_COUNT - 1, &entry));
	assert_false(lrd_pack_find(pack, entry.key, &entry));
	assert_one_finding(&file, NULL, entry.key, "a look-up won't find it");
	lrd_pack_close(pack);
	free(file.data);
}

// Two sources of one size, whose payloads are made equal afterwards.
static void payloads_stored_twice_are_found(void **state)
{
	fixture *self = *state;
	uint8_t bytes[2][100] = { { 1 }, { 2 } };
	lrd_pack_source sources[2] = { { .key = LRD_STR("a.bin"), .bytes = { bytes[0], 100 } },
		{ .key = LRD_STR("b.bin"), .bytes = { bytes[1], 100 } } };
	lrd_pack_write_desc desc = {
		.path = scratch_path(self->scratch, "twice.lpack"), .sources = sources, .source_count = 2
	};
	assert_true(lrd_pack_write(&desc, NULL, NULL));
	pack_file file = pack_load(desc.path);
	lrd_pack_record *records = pack_records(&file);
	memcpy(file.data + records[1].offset, file.data + records[0].offset, 100);
	memcpy(records[1].sha256, records[0].sha256, 32);
	pack_rehash(&file);
	lrd_pack *pack = pack_open_sound(&file);
	lrd_pack_entry second;
	assert_true(lrd_pack_at(pack, 1, &second));
	assert_one_finding(&file, NULL, second.key, "but it is stored a second time");
	lrd_pack_close(pack);
	free(file.data);
}

static void map_that_says_something_else_is_found(void **state)
{
	fixture *self = *state;
	pack_file map = pack_load(self->map);
	const char *other = scratch_path(self->scratch, "other.json");
	for (size_t at = 0; at < map.size; at += 37)
	{
		map.data[at] ^= 1;
		assert_true(lrd_file_write(other, map.data, map.size, NULL));
		assert_one_finding(&self->file, other, (lrd_string){ 0 }, "says something else from line");
		map.data[at] ^= 1;
	}
	assert_true(lrd_file_write(other, map.data, map.size - 1, NULL));
	assert_one_finding(&self->file, other, (lrd_string){ 0 }, "says something else from line 16 on");
	assert_true(lrd_file_write(other, map.data, 0, NULL));
	assert_one_finding(&self->file, other, (lrd_string){ 0 }, "says something else from line 1 on");
	uint8_t *longer = calloc(1, map.size + 1);
	assert_non_null(longer);
	memcpy(longer, map.data, map.size);
	assert_true(lrd_file_write(other, longer, map.size + 1, NULL));
	assert_one_finding(&self->file, other, (lrd_string){ 0 }, "says something else from line");
	assert_true(lrd_file_write(other, map.data, map.size, NULL));
	assert_int_equal(check(&self->file, other).count, 0);
	free(longer);
	free(map.data);
}

static void map_that_is_not_there_is_no_finding(void **state)
{
	fixture *self = *state;
	assert_int_equal(check(&self->file, scratch_path(self->scratch, "none.json")).count, 0);
}

static void map_that_can_not_be_read_is_an_error(void **state)
{
	fixture *self = *state;
	lrd_pack *pack = pack_open_sound(&self->file);
	lrd_error error = { 0 };
	assert_false(lrd_pack_check(pack, &(lrd_pack_check_desc){ .map = self->scratch->root }, NULL, &error));
	assert_int_equal(error.code, LRD_ERROR_IO);
	lrd_pack_close(pack);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sound_bundle_has_no_findings),
		cmocka_unit_test(damaged_payloads_are_found),
		cmocka_unit_test(wrong_digest_of_a_compressed_payload_is_found),
		cmocka_unit_test(bytes_between_payloads_must_be_zero),
		cmocka_unit_test(wrong_kinds_are_found),
		cmocka_unit_test(wrong_key_hashes_are_found),
		cmocka_unit_test(payloads_stored_twice_are_found),
		cmocka_unit_test(map_that_says_something_else_is_found),
		cmocka_unit_test(map_that_is_not_there_is_no_finding),
		cmocka_unit_test(map_that_can_not_be_read_is_an_error),
	};
	return cmocka_run_group_tests_name("pack: checking", tests, set_up, tear_down);
}

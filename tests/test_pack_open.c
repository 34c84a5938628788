// Opening bundles: sound ones, and every way in which one can be unsound.

#include "fixtures/pack_build.h"

#include "base/path.h"

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

static void assert_refused(const pack_file *file, const char *says)
{
	lrd_error error = { 0 };
	lrd_pack *pack = pack_open_file(file, (lrd_allocator){ 0 }, &error);
	if (pack != NULL || strstr(error.message, says) == NULL)
	{
		fail_msg("expected \"%s\", got \"%s\"", says, pack != NULL ? "accepted" : error.message);
	}
	assert_int_equal(error.code, LRD_ERROR_FORMAT);
}

static void sound_bundle_opens_from_file_and_memory(void **state)
{
	fixture *self = *state;
	lrd_pack *pack = pack_open_sound(&self->file);
	assert_int_equal(lrd_pack_count(pack), PACK_SAMPLE_COUNT);
	lrd_pack_entry entry = { .size = 77 };
	assert_false(lrd_pack_at(pack, PACK_SAMPLE_COUNT, &entry));
	assert_int_equal(entry.size, 77);
	lrd_pack_close(pack);
	lrd_error error = { 0 };
	pack = lrd_pack_open(&(lrd_pack_desc){ .path = scratch_path(self->scratch, "made.lpack") }, &error);
	assert_non_null(pack);
	assert_int_equal(lrd_pack_count(pack), PACK_SAMPLE_COUNT);
	lrd_pack_close(pack);
	lrd_pack_close(NULL);
}

static void missing_file_is_not_found(void **state)
{
	fixture *self = *state;
	lrd_error error = { 0 };
	assert_null(lrd_pack_open(&(lrd_pack_desc){ .path = scratch_path(self->scratch, "none.lpack") }, &error));
	assert_int_equal(error.code, LRD_ERROR_NOT_FOUND);
	assert_non_null(strstr(error.message, "none.lpack"));
}

static void misaligned_memory_is_an_argument_error(void **state)
{
	fixture *self = *state;
	lrd_error error = { 0 };
	lrd_bytes bytes = { self->file.data + 8, self->file.size - 8 };
	assert_null(lrd_pack_open(&(lrd_pack_desc){ .memory = bytes }, &error));
	assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
}

static void error_may_be_null(void **state)
{
	(void)state;
	assert_null(lrd_pack_open(&(lrd_pack_desc){ .memory = { "nothing", 0 } }, NULL));
}

static void empty_bundle_opens_and_finds_nothing(void **state)
{
	fixture *self = *state;
	lrd_error error = { 0 };
	const char *path = scratch_path(self->scratch, "empty.lpack");
	assert_true(lrd_pack_write(&(lrd_pack_write_desc){ .path = path }, NULL, &error));
	pack_file file = pack_load(path);
	assert_int_equal(file.size, sizeof(lrd_pack_footer));
	lrd_pack *pack = pack_open_sound(&file);
	assert_int_equal(lrd_pack_count(pack), 0);
	lrd_pack_entry entry = { .size = 77 };
	assert_false(lrd_pack_at(pack, 0, &entry));
	assert_false(lrd_pack_find(pack, LRD_STR("models/fox.lmodel"), &entry));
	assert_false(lrd_pack_find(pack, (lrd_string){ 0 }, &entry));
	assert_int_equal(entry.size, 77);
	lrd_pack_close(pack);
	free(file.data);
}

static void every_truncation_is_refused(void **state)
{
	fixture *self = *state;
	lrd_error error = { 0 };
	const char *path = scratch_path(self->scratch, "small.lpack");
	lrd_pack_write_desc desc = { .path = path, .sources = self->samples.sources, .source_count = 1 };
	assert_true(lrd_pack_write(&desc, NULL, &error));
	pack_file file = pack_load(path);
	for (size_t size = 0; size < file.size; size++)
	{
		pack_file cut = { cooked_copy(file.data, size), size };
		lrd_pack *pack = pack_open_file(&cut, (lrd_allocator){ 0 }, &error);
		assert_null(pack);
		assert_int_equal(error.code, LRD_ERROR_FORMAT);
		free(cut.data);
	}
	free(file.data);
}

// A change to one field, with or without a new hash over the table.
static void assert_damage(
	const pack_file *file, size_t offset, size_t size, uint64_t value, bool rehash, const char *says)
{
	pack_file spoilt = { cooked_copy(file->data, file->size), file->size };
	memcpy(spoilt.data + offset, &value, size);
	if (rehash)
	{
		pack_rehash(&spoilt);
	}
	assert_refused(&spoilt, says);
	free(spoilt.data);
}

static void every_footer_field_is_checked(void **state)
{
	const pack_file *file = &((fixture *)*state)->file;
	const lrd_pack_footer *footer = pack_footer(file);
	size_t at = file->size - sizeof *footer;
	assert_damage(file, at, 1, 'l', false, "do not begin with \"LRDPACK1\"");
	assert_damage(file, at + 7, 1, '2', false, "do not begin with \"LRDPACK1\"");
	assert_damage(file, at + 8, 4, 0, false, "version is 0, this larder reads version 1");
	assert_damage(file, at + 8, 4, 2, false, "version is 2, this larder reads version 1; pack it again");
	assert_damage(file, at + 12, 4, footer->entry_count - 1, false, "keys_offset is");
	assert_damage(file, at + 12, 4, UINT32_MAX, false, "records_offset is");
	assert_damage(file, at + 16, 8, footer->records_offset + 16, false, "keys_offset is");
	assert_damage(file, at + 16, 8, footer->records_offset + 8, false, "records_offset is");
	assert_damage(file, at + 16, 8, UINT64_MAX - 15, false, "records_offset is");
	assert_damage(file, at + 24, 8, footer->keys_offset + 1, false, "keys_offset is");
	assert_damage(file, at + 24, 8, UINT64_MAX, false, "keys_offset is");
	assert_damage(file, at + 32, 8, footer->keys_size + 16, false, "keys_size is");
	assert_damage(file, at + 32, 8, footer->keys_size - 16, false, "keys_size is");
	assert_damage(file, at + 32, 8, UINT64_MAX, false, "keys_size is");
	assert_damage(file, at + 32, 8, footer->keys_size - 1, true, "key_size is");
	assert_damage(file, at + 40, 8, footer->table_hash ^ 1, false, "the table is damaged: its hash is");
}

static void any_changed_byte_of_records_and_keys_is_noticed(void **state)
{
	const pack_file *file = &((fixture *)*state)->file;
	const lrd_pack_footer *footer = pack_footer(file);
	size_t end = (size_t)(footer->keys_offset + footer->keys_size);
	for (size_t i = (size_t)footer->records_offset; i < end; i++)
	{
		assert_damage(file, i, 1, file->data[i] ^ 0x10u, false, "the table is damaged: its hash is");
	}
}

static size_t field(const pack_file *file, uint32_t record, size_t offset)
{
	return (size_t)pack_footer(file)->records_offset + record * sizeof(lrd_pack_record) + offset;
}

static uint32_t record_of(const fixture *self, int sample)
{
	lrd_pack *pack = pack_open_sound(&self->file);
	uint32_t i = pack_index_of(pack, self->samples.sources[sample].key);
	lrd_pack_close(pack);
	return i;
}

#define FIELD(name) offsetof(lrd_pack_record, name)

static void order_and_keys_of_records_are_checked(void **state)
{
	fixture *self = *state;
	const pack_file *file = &self->file;
	const lrd_pack_record *records = pack_records(file);
	assert_damage(file, field(file, 1, FIELD(key_hash)), 8, records[0].key_hash - 1, true, "record 1: out of order");
	assert_damage(file, field(file, 3, FIELD(key_hash)), 8, UINT64_MAX, true, "record 4: out of order");
	assert_damage(
		file, field(file, 2, FIELD(key_offset)), 4, records[2].key_offset + 1, true, "record 2: key_offset is");
	assert_damage(file, field(file, 2, FIELD(key_offset)), 4, UINT32_MAX, true, "record 2: key_offset is");
	assert_damage(file, field(file, 0, FIELD(key_size)), 4, 0, true, "record 0: key_offset is 0 and key_size is 0");
	assert_damage(file, field(file, 7, FIELD(key_size)), 4, records[7].key_size + 1, true, "record 7: key_offset is");
	assert_damage(file, field(file, 7, FIELD(key_size)), 4, records[7].key_size - 1, true, "keys_size is");
	assert_damage(file, field(file, 0, FIELD(key_size)), 4, UINT32_MAX, true, "record 0: key_offset is");
}

// Two neighbours with one hash, their keys nothing but `first` and nothing but `second`, each half of what both had.
static pack_file with_equal_hashes(const fixture *self, char first, char second)
{
	pack_file spoilt = { cooked_copy(self->file.data, self->file.size), self->file.size };
	lrd_pack_record *pair = pack_records(&spoilt);
	while ((pair[0].key_size + pair[1].key_size) % 2 != 0)
	{
		pair++;
	}
	assert_true(pair + 1 < pack_records(&spoilt) + PACK_SAMPLE_COUNT);
	uint32_t size = (pair[0].key_size + pair[1].key_size) / 2;
	pair[0].key_size = pair[1].key_size = size;
	pair[1].key_offset = pair[0].key_offset + size;
	pair[1].key_hash = pair[0].key_hash;
	char *keys = (char *)spoilt.data + pack_footer(&spoilt)->keys_offset;
	memset(keys + pair[0].key_offset, first, size);
	memset(keys + pair[1].key_offset, second, size);
	pack_rehash(&spoilt);
	return spoilt;
}

static void equal_hashes_are_ordered_by_key_and_a_key_stands_once(void **state)
{
	static const struct
	{
		char first, second;
		bool sound;
	} rows[] = { { 'b', 'c', true }, { 'B', 'c', true }, { 'b', 'C', true }, { 'c', 'b', false }, { 'c', 'B', false },
		{ 'b', 'b', false }, { 'b', 'B', false }, { 'B', 'b', false } };
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
	{
		pack_file spoilt = with_equal_hashes(*state, rows[i].first, rows[i].second);
		if (rows[i].sound)
		{
			lrd_pack_close(pack_open_sound(&spoilt));
		}
		else
		{
			assert_refused(&spoilt, "out of order");
		}
		free(spoilt.data);
	}
}

static void sizes_of_records_are_checked(void **state)
{
	fixture *self = *state;
	const pack_file *file = &self->file;
	const lrd_pack_record *records = pack_records(file);
	uint32_t fur = record_of(self, PACK_FUR);
	uint32_t noise = record_of(self, PACK_NOISE);
	uint32_t note = record_of(self, PACK_NOTE);
	assert_int_equal(records[note].compression, LRD_ZSTD);
	assert_damage(file, field(file, noise, FIELD(size)), 8, 2999, true, "uncompressed, both must be the same");
	assert_damage(file, field(file, noise, FIELD(stored_size)), 8, 3001, true, "uncompressed, both must be the same");
	assert_damage(file, field(file, noise, FIELD(compression)), 4, 2, true, "compression is 2; 0 (none) and 1 (zstd)");
	assert_damage(file, field(file, noise, FIELD(compression)), 4, 1, true, "less than size");
	assert_damage(file, field(file, fur, FIELD(compression)), 4, 1, true, "a texture must be stored uncompressed");
	assert_damage(file, field(file, note, FIELD(stored_size)), 8, 0, true, "stored_size must be at least 1");
	assert_damage(file, field(file, note, FIELD(stored_size)), 8, 4096, true, "less than size");
	uint64_t most = (records[note].stored_size + 1) << LRD_PACK_GROWTH_BITS;
	assert_damage(file, field(file, note, FIELD(size)), 8, most, true, "no less than size / 32768");
	assert_damage(file, field(file, note, FIELD(size)), 8, UINT64_MAX, true, "no less than size / 32768");
	assert_damage(file, field(file, note, FIELD(kind)), 4, 0, true, "kind is 0; 1 to 13 are known");
	assert_damage(file, field(file, note, FIELD(kind)), 4, LRD_KIND_COUNT, true, "kind is 14; 1 to 13 are known");
	assert_damage(file, field(file, note, FIELD(kind)), 4, LRD_TEXTURE, true, "a texture must be stored uncompressed");
}

static void places_of_payloads_are_checked(void **state)
{
	fixture *self = *state;
	const pack_file *file = &self->file;
	const lrd_pack_footer *footer = pack_footer(file);
	const lrd_pack_record *records = pack_records(file);
	uint32_t noise = record_of(self, PACK_NOISE);
	size_t at = field(file, noise, FIELD(offset));
	assert_damage(file, at, 8, records[noise].offset + 1, true, "a payload must start at");
	assert_damage(file, at, 8, records[noise].offset + 4096, true, "a payload must start at");
	assert_damage(file, at, 8, footer->records_offset, true, "a payload must start at");
	assert_damage(file, at, 8, UINT64_MAX - 4095, true, "a payload must start at");
	uint32_t last = PACK_SAMPLE_COUNT - 1;
	assert_damage(file, field(file, last, FIELD(offset)), 8, 16, true, "a payload must start at");
	// A range past the records: as long as the file itself.
	pack_file spoilt = { cooked_copy(file->data, file->size), file->size };
	pack_records(&spoilt)[noise].size = pack_records(&spoilt)[noise].stored_size = file->size;
	pack_rehash(&spoilt);
	assert_refused(&spoilt, "a payload must start at");
	pack_records(&spoilt)[noise].size = pack_records(&spoilt)[noise].stored_size = UINT64_MAX;
	pack_rehash(&spoilt);
	assert_refused(&spoilt, "a payload must start at");
	free(spoilt.data);
}

static void sharing_must_be_listed_and_true(void **state)
{
	fixture *self = *state;
	const pack_file *file = &self->file;
	const lrd_pack_record *records = pack_records(file);
	uint32_t body = record_of(self, PACK_BODY);
	uint32_t tail = record_of(self, PACK_TAIL);
	uint32_t late = body > tail ? body : tail;
	uint32_t early = body > tail ? tail : body;
	assert_int_equal(records[late].offset, records[early].offset);
	assert_damage(file, field(file, late, FIELD(size)), 8, records[late].size + 1, true, "range, size and digest");
	assert_damage(
		file, field(file, late, FIELD(stored_size)), 8, records[late].stored_size - 1, true, "range, size and");
	assert_damage(
		file, field(file, late, FIELD(sha256)), 1, records[late].sha256[0] ^ 1u, true, "range, size and digest");
	assert_damage(
		file, field(file, early, FIELD(sha256)) + 31, 1, records[early].sha256[31] ^ 1u, true, "range, size and");
	// The list: two shares, at the end of the payloads.
	size_t list = (size_t)pack_footer(file)->records_offset - 2 * sizeof(lrd_pack_share);
	lrd_pack_share shares[2];
	memcpy(shares, file->data + list, sizeof shares);
	assert_true(shares[0].record < shares[1].record);
	assert_damage(file, list, 4, shares[1].record, false, "it must come after the share before");
	assert_damage(file, list, 4, UINT32_MAX, false, "it must come after the share before");
	assert_damage(file, list + 4, 4, shares[0].record, false, "name an earlier record");
	assert_damage(file, list + 4, 4, UINT32_MAX, false, "name an earlier record");
	assert_damage(file, list + 8, 4, shares[0].record, false, "it must come after the share before");
	assert_damage(file, list + 12, 4, shares[0].owner, false, "range, size and digest");
}

// A record that begins inside another's payload.
static void overlapping_payloads_are_refused(void **state)
{
	fixture *self = *state;
	pack_samples *samples = &self->samples;
	lrd_error error = { 0 };
	const char *path = scratch_path(self->scratch, "raw.lpack");
	lrd_pack_write_desc desc = { .path = path, .sources = samples->sources, .source_count = PACK_SAMPLE_COUNT };
	assert_true(lrd_pack_write(&desc, NULL, &error));
	pack_file file = pack_load(path);
	lrd_pack_record *records = pack_records(&file);
	uint32_t last = PACK_SAMPLE_COUNT - 1;
	while (records[last].offset == 0)
	{
		last--;
	}
	for (uint64_t offset = 0; offset < records[last].offset; offset += LRD_PACK_PAGE)
	{
		pack_file spoilt = { cooked_copy(file.data, file.size), file.size };
		pack_records(&spoilt)[last].offset = offset;
		pack_rehash(&spoilt);
		lrd_error reason = { 0 };
		assert_null(pack_open_file(&spoilt, (lrd_allocator){ 0 }, &reason));
		assert_int_equal(reason.code, LRD_ERROR_FORMAT);
		free(spoilt.data);
	}
	free(file.data);
}

static void room_between_blocks_is_checked(void **state)
{
	fixture *self = *state;
	const pack_file *file = &self->file;
	const lrd_pack_footer *footer = pack_footer(file);
	size_t keys_end = (size_t)(footer->keys_offset + footer->keys_size);
	size_t footer_at = file->size - sizeof *footer;
	assert_true(keys_end < footer_at);
	for (size_t i = keys_end; i < footer_at; i++)
	{
		assert_damage(file, i, 1, 1, false, "between the keys and the next block");
	}
	// A page too many before the table.
	pack_file longer = { cooked_copy(file->data, file->size), file->size };
	longer.data = realloc(longer.data, file->size + LRD_PACK_PAGE);
	assert_non_null(longer.data);
	longer.size += LRD_PACK_PAGE;
	size_t table = (size_t)footer->records_offset;
	memmove(longer.data + table + LRD_PACK_PAGE, longer.data + table, file->size - table);
	pack_footer(&longer)->records_offset += LRD_PACK_PAGE;
	pack_footer(&longer)->keys_offset += LRD_PACK_PAGE;
	assert_refused(&longer, "payloads end at");
	free(longer.data);
}

// One key of the bundle becomes `key`, which has the same size.
static void assert_key_refused(const fixture *self, int sample, const char *key, const char *says)
{
	pack_file spoilt = { cooked_copy(self->file.data, self->file.size), self->file.size };
	const lrd_pack_record *record = &pack_records(&spoilt)[record_of(self, sample)];
	assert_int_equal(strlen(key), record->key_size);
	memcpy(spoilt.data + pack_footer(&spoilt)->keys_offset + record->key_offset, key, record->key_size);
	pack_rehash(&spoilt);
	assert_refused(&spoilt, says);
	free(spoilt.data);
}

static void keys_must_be_asset_paths(void **state)
{
	fixture *self = *state;
	assert_key_refused(self, PACK_MODEL, "/odels/fox.lmodel", "must not start with \"/\"");
	assert_key_refused(self, PACK_MODEL, "models/fox.lmode/", "empty component");
	assert_key_refused(self, PACK_MODEL, "models//ox.lmodel", "empty component");
	assert_key_refused(self, PACK_MODEL, "models/../.lmodel", "\".\" or \"..\"");
	assert_key_refused(self, PACK_MODEL, "../dels/fox.lmode", "\".\" or \"..\"");
	assert_key_refused(self, PACK_MODEL, "./odels/fox.lmode", "\".\" or \"..\"");
	assert_key_refused(self, PACK_MODEL, "models/fox.lmod/.", "\".\" or \"..\"");
	assert_key_refused(self, PACK_MODEL, "models/fox.lmo/..", "\".\" or \"..\"");
	assert_key_refused(self, PACK_MODEL, "models\\fox.lmodel", "separates folders with");
	assert_key_refused(self, PACK_MODEL, "c:dels/fox.lmodel", "\":\"");
	assert_key_refused(self, PACK_MODEL, "models/fox.lmode\x01", "control characters");
	assert_key_refused(self, PACK_MODEL, "models/fox.lmode\x7F", "control characters");
	assert_key_refused(self, PACK_MODEL, "models/fox.lmode\xFF", "UTF-8");
	assert_key_refused(self, PACK_MODEL,
		"\xC0\xAF"
		"dels/fox.lmodel",
		"UTF-8");
	assert_key_refused(self, PACK_NOTE, "texts/gr\xC3\xC3\xC3\x9F.txt", "UTF-8");
}

// The walk's quick look at keys and lrd_path_check must agree; bytes that break a rule are tried at every place of
// every key.
static void quick_look_at_keys_misses_nothing(void **state)
{
	fixture *self = *state;
	static const uint8_t bytes[] = { 0, 1, 0x1F, '/', '.', ':', '\\', 0x7F, 0x80, 0xC2, 0xFF, 'x', ' ', '~' };
	pack_file spoilt = { cooked_copy(self->file.data, self->file.size), self->file.size };
	const lrd_pack_footer *footer = pack_footer(&spoilt);
	char *keys = (char *)spoilt.data + footer->keys_offset;
	for (size_t i = 0; i < footer->keys_size * sizeof bytes; i++)
	{
		size_t at = i / sizeof bytes;
		char before = keys[at];
		keys[at] = (char)bytes[i % sizeof bytes];
		pack_rehash(&spoilt);
		bool expected = true;
		for (uint32_t k = 0; k < footer->entry_count; k++)
		{
			const lrd_pack_record *record = &pack_records(&spoilt)[k];
			expected = expected && lrd_path_check((lrd_string){ keys + record->key_offset, record->key_size }, NULL);
		}
		lrd_pack *pack = pack_open_file(&spoilt, (lrd_allocator){ 0 }, NULL);
		assert_true((pack != NULL) == expected);
		lrd_pack_close(pack);
		keys[at] = before;
	}
	free(spoilt.data);
}

static bool read_everything(const void *bytes, size_t size, lrd_error *error)
{
	pack_file file = { (uint8_t *)(uintptr_t)bytes, size };
	lrd_pack *pack = pack_open_file(&file, (lrd_allocator){ 0 }, error);
	bool sound = pack != NULL && lrd_pack_check(pack, NULL, NULL, error);
	lrd_pack_close(pack);
	return sound;
}

static void flipped_bits_do_no_harm(void **state)
{
	fixture *self = *state;
	assert_flips_are_harmless(read_everything, self->file.data, self->file.size, 2000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sound_bundle_opens_from_file_and_memory),
		cmocka_unit_test(missing_file_is_not_found),
		cmocka_unit_test(misaligned_memory_is_an_argument_error),
		cmocka_unit_test(error_may_be_null),
		cmocka_unit_test(empty_bundle_opens_and_finds_nothing),
		cmocka_unit_test(every_truncation_is_refused),
		cmocka_unit_test(every_footer_field_is_checked),
		cmocka_unit_test(any_changed_byte_of_records_and_keys_is_noticed),
		cmocka_unit_test(order_and_keys_of_records_are_checked),
		cmocka_unit_test(equal_hashes_are_ordered_by_key_and_a_key_stands_once),
		cmocka_unit_test(sizes_of_records_are_checked),
		cmocka_unit_test(places_of_payloads_are_checked),
		cmocka_unit_test(sharing_must_be_listed_and_true),
		cmocka_unit_test(overlapping_payloads_are_refused),
		cmocka_unit_test(room_between_blocks_is_checked),
		cmocka_unit_test(keys_must_be_asset_paths),
		cmocka_unit_test(quick_look_at_keys_misses_nothing),
		cmocka_unit_test(flipped_bits_do_no_harm),
	};
	return cmocka_run_group_tests_name("pack: opening", tests, set_up, tear_down);
}

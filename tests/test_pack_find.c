// Looking up: everything is found whatever its case, nothing else is, in large tables and in hostile ones, by many
// threads at once.

#include "fixtures/pack_build.h"

#include "base/path.h"
#include "os/os.h"

#define LARGE_COUNT 100000u
#define KEY_ROOM 48
#define THREADS 4

typedef struct fixture
{
	scratch *scratch;
	char (*keys)[KEY_ROOM];
	lrd_pack_source *sources;
	uint8_t payloads[16][64];
	lrd_pack *large;
} fixture;

// A hundred thousand keys with sixteen payloads, so that the file is small.
static int set_up(void **state)
{
	fixture *self = calloc(1, sizeof *self);
	void *scratch_state = NULL;
	if (self == NULL || scratch_open(&scratch_state) != 0)
	{
		return -1;
	}
	self->scratch = scratch_state;
	self->keys = calloc(LARGE_COUNT, sizeof *self->keys);
	self->sources = calloc(LARGE_COUNT, sizeof *self->sources);
	for (uint32_t i = 0; i < LARGE_COUNT; i++)
	{
		snprintf(self->keys[i], KEY_ROOM, "Region%u/Thing%u.%s", i % 313, i, i % 2 ? "LMESH" : "lmat");
		self->sources[i].key = lrd_string_from(self->keys[i]);
		self->payloads[i % 16][0] = (uint8_t)(i % 16);
		self->sources[i].bytes = (lrd_bytes){ self->payloads[i % 16], 1 + i % 16 };
	}
	lrd_error error = { 0 };
	lrd_pack_write_desc desc = { .path = scratch_path(self->scratch, "large.lpack"), .sources = self->sources };
	desc.source_count = LARGE_COUNT;
	lrd_pack_write_report report;
	if (!lrd_pack_write(&desc, &report, &error) || report.payload_count != 16 || report.entry_count != LARGE_COUNT)
	{
		fprintf(stderr, "%s\n", error.message);
		return -1;
	}
	self->large = lrd_pack_open(&(lrd_pack_desc){ .path = desc.path }, &error);
	*state = self;
	return self->large != NULL ? 0 : -1;
}

static int tear_down(void **state)
{
	fixture *self = *state;
	void *scratch_state = self->scratch;
	lrd_pack_close(self->large);
	scratch_close(&scratch_state);
	free(self->keys);
	free(self->sources);
	free(self);
	return 0;
}

static bool finds(const fixture *self, uint32_t i, const char *text)
{
	lrd_pack_entry entry;
	return lrd_pack_find(self->large, lrd_string_from(text), &entry) &&
		   lrd_string_equal(entry.key, self->sources[i].key) && entry.size == self->sources[i].bytes.size &&
		   entry.kind == (i % 2 ? LRD_MESH : LRD_MATERIAL) && *(const uint8_t *)entry.stored == i % 16;
}

static void every_key_is_found(void **state)
{
	fixture *self = *state;
	for (uint32_t i = 0; i < LARGE_COUNT; i++)
	{
		if (!finds(self, i, self->keys[i]))
		{
			fail_msg("%s", self->keys[i]);
		}
	}
}

static void every_key_is_found_in_any_case(void **state)
{
	fixture *self = *state;
	for (uint32_t i = 0; i < LARGE_COUNT; i++)
	{
		char lower[KEY_ROOM];
		char upper[KEY_ROOM];
		for (size_t k = 0; k < KEY_ROOM; k++)
		{
			char c = self->keys[i][k];
			lower[k] = c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
			upper[k] = c >= 'a' && c <= 'z' ? (char)(c - 32) : c;
		}
		if (!finds(self, i, lower) || !finds(self, i, upper))
		{
			fail_msg("%s", self->keys[i]);
		}
	}
}

static void absent_keys_are_not_found_and_leave_the_entry_alone(void **state)
{
	fixture *self = *state;
	lrd_pack_entry entry = { .size = 77 };
	for (uint32_t i = 0; i < LARGE_COUNT; i++)
	{
		char key[2 * KEY_ROOM];
		snprintf(key, sizeof key, "%s.", self->keys[i]);
		assert_false(lrd_pack_find(self->large, lrd_string_from(key), &entry));
		assert_false(lrd_pack_find(self->large, (lrd_string){ key, strlen(key) - 2 }, &entry));
	}
	assert_false(lrd_pack_find(self->large, (lrd_string){ 0 }, &entry));
	assert_false(lrd_pack_find(self->large, LRD_STR("nothing"), &entry));
	assert_int_equal(entry.size, 77);
}

static void entries_come_in_the_order_of_their_hashes(void **state)
{
	fixture *self = *state;
	lrd_pack_entry entry;
	uint64_t last = 0;
	for (uint32_t i = 0; i < LARGE_COUNT; i++)
	{
		assert_true(lrd_pack_at(self->large, i, &entry));
		uint64_t hash = lrd_fnv1a_64_folded(entry.key);
		assert_true(hash >= last);
		last = hash;
	}
}

// Case is ignored for ASCII letters alone.
static void letters_beyond_ascii_keep_their_case(void **state)
{
	fixture *self = *state;
	pack_samples *samples = calloc(1, sizeof *samples);
	assert_non_null(samples);
	pack_samples_make(samples);
	pack_file file = pack_make(self->scratch, samples, (lrd_pack_write_desc){ 0 });
	lrd_pack *pack = pack_open_sound(&file);
	lrd_pack_entry entry;
	assert_true(lrd_pack_find(pack, LRD_STR("texts/gr\xC3\xBC\xC3\x9F.txt"), &entry));
	assert_true(lrd_pack_find(pack, LRD_STR("TEXTS/GR\xC3\xBC\xC3\x9F.TXT"), &entry));
	assert_false(lrd_pack_find(pack, LRD_STR("texts/gr\xC3\x9C\xC3\x9F.txt"), &entry));
	lrd_pack_close(pack);
	free(file.data);
	free(samples);
}

static void an_asset_is_found_by_kind_and_stem(void **state)
{
	fixture *self = *state;
	lrd_pack_entry entry;
	assert_true(lrd_pack_find_asset(self->large, LRD_MESH, LRD_STR("region1/thing1"), &entry));
	assert_true(lrd_string_equal(entry.key, LRD_STR("Region1/Thing1.LMESH")));
	assert_false(lrd_pack_find_asset(self->large, LRD_MATERIAL, LRD_STR("region1/thing1"), &entry));
	assert_false(lrd_pack_find_asset(self->large, LRD_BLOB, LRD_STR("region1/thing1.lmesh"), &entry));
	assert_false(lrd_pack_find_asset(self->large, LRD_MESH, (lrd_string){ NULL, 0 }, &entry));
	char longest[LRD_PATH_MAX + 1];
	memset(longest, 'a', sizeof longest);
	assert_false(lrd_pack_find_asset(self->large, LRD_MESH, (lrd_string){ longest, sizeof longest }, &entry));
}

// A table of `count` records that all claim the hash of record `real`'s key, and share one payload of nothing.
static pack_file hostile_table(uint32_t count, uint32_t real, uint64_t bias)
{
	lrd_buffer out = { 0 };
	size_t keys_size = count * 8;
	lrd_pack_record *records = calloc(count, sizeof *records);
	char *keys = malloc(keys_size);
	assert_non_null(records);
	assert_non_null(keys);
	for (uint32_t i = 0; i < count; i++)
	{
		char key[16];
		snprintf(key, sizeof key, "k%07u", i);
		memcpy(keys + 8 * i, key, 8);
		records[i].key_offset = 8 * i;
		records[i].key_size = 8;
		records[i].kind = LRD_BLOB;
	}
	uint64_t hash = lrd_fnv1a_64_folded((lrd_string){ keys + 8 * real, 8 });
	for (uint32_t i = 0; i < count; i++)
	{
		records[i].key_hash = i < real ? hash - bias : i > real ? hash + bias : hash;
	}
	assert_non_null(lrd_buffer_extend(&out, LRD_PACK_PAGE));
	for (uint32_t i = 1; i < count; i++)
	{
		assert_true(lrd_buffer_append(&out, &(lrd_pack_share){ i, i / 2 }, sizeof(lrd_pack_share)));
	}
	assert_true(lrd_buffer_align(&out, LRD_PACK_BLOCK));
	lrd_pack_footer footer = { .version = LRD_PACK_VERSION, .entry_count = count, .records_offset = out.size };
	memcpy(footer.magic, LRD_PACK_MAGIC, LRD_PACK_MAGIC_SIZE);
	footer.keys_offset = footer.records_offset + count * sizeof *records;
	footer.keys_size = keys_size;
	assert_true(lrd_buffer_append(&out, records, count * sizeof *records));
	assert_true(lrd_buffer_append(&out, keys, keys_size));
	assert_true(lrd_buffer_align(&out, LRD_PACK_BLOCK));
	assert_true(lrd_buffer_append(&out, &footer, sizeof footer));
	pack_file file = { cooked_copy(out.data, out.size), out.size };
	pack_rehash(&file);
	lrd_buffer_free(&out);
	free(records);
	free(keys);
	return file;
}

static void colliding_hashes_are_told_apart_by_their_keys(void **state)
{
	(void)state;
	static const uint32_t reals[] = { 0, 1, 499, 998, 999 };
	for (size_t i = 0; i < sizeof reals / sizeof *reals; i++)
	{
		pack_file file = hostile_table(1000, reals[i], 0);
		lrd_pack *pack = pack_open_sound(&file);
		char key[16];
		snprintf(key, sizeof key, "K%07u", reals[i]);
		lrd_pack_entry entry;
		assert_true(lrd_pack_find(pack, lrd_string_from(key), &entry));
		assert_memory_equal(entry.key.data + 1, key + 1, 7);
		assert_false(lrd_pack_find(pack, LRD_STR("k0001000"), &entry));
		lrd_pack_close(pack);
		free(file.data);
	}
}

// Half a million look-ups in a table whose records lie as unevenly as can be: with a step a record they would take
// minutes.
static void crowded_hashes_cost_a_logarithm(void **state)
{
	(void)state;
	for (uint64_t bias = 0; bias < 2; bias++)
	{
		uint32_t count = 60000;
		uint32_t real = bias == 0 ? count - 1 : count / 2;
		pack_file file = hostile_table(count, real, bias);
		lrd_pack *pack = pack_open_sound(&file);
		char key[16];
		snprintf(key, sizeof key, "k%07u", real);
		lrd_pack_entry entry;
		uint64_t start = lrd_clock_ns();
		for (int i = 0; i < 500000; i++)
		{
			assert_true(lrd_pack_find(pack, lrd_string_from(key), &entry));
		}
		assert_true(lrd_clock_ns() - start < 20000000000u);
		lrd_pack_close(pack);
		free(file.data);
	}
}

typedef struct reader
{
	const fixture *fixture;
	uint32_t start;
	uint32_t found;
} reader;

static void read_many(void *user)
{
	reader *self = user;
	for (uint32_t i = 0; i < LARGE_COUNT; i += 3)
	{
		uint32_t k = (self->start + i) % LARGE_COUNT;
		lrd_pack_entry entry;
		uint8_t payload[64] = { 0xFF };
		bool found = lrd_pack_find(self->fixture->large, self->fixture->sources[k].key, &entry) &&
					 lrd_pack_read(self->fixture->large, &entry, payload, entry.size, NULL) && payload[0] == k % 16;
		self->found += found;
	}
}

static void threads_look_up_and_read_at_once(void **state)
{
	fixture *self = *state;
	lrd_thread *threads[THREADS];
	reader readers[THREADS];
	for (uint32_t i = 0; i < THREADS; i++)
	{
		readers[i] = (reader){ self, i * 1237, 0 };
		threads[i] = lrd_thread_start(read_many, &readers[i], 0, (lrd_allocator){ 0 }, NULL);
		assert_non_null(threads[i]);
	}
	for (uint32_t i = 0; i < THREADS; i++)
	{
		lrd_thread_join(threads[i]);
		assert_int_equal(readers[i].found, (LARGE_COUNT + 2) / 3);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_key_is_found),
		cmocka_unit_test(every_key_is_found_in_any_case),
		cmocka_unit_test(absent_keys_are_not_found_and_leave_the_entry_alone),
		cmocka_unit_test(entries_come_in_the_order_of_their_hashes),
		cmocka_unit_test(an_asset_is_found_by_kind_and_stem),
		cmocka_unit_test(letters_beyond_ascii_keep_their_case),
		cmocka_unit_test(colliding_hashes_are_told_apart_by_their_keys),
		cmocka_unit_test(crowded_hashes_cost_a_logarithm),
		cmocka_unit_test(threads_look_up_and_read_at_once),
	};
	return cmocka_run_group_tests_name("pack: looking up", tests, set_up, tear_down);
}

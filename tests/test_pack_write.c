// Writing bundles: what goes in comes out, each payload once, the same bytes whatever the order and the workers, and
// nothing on refusal.

#include "fixtures/pack_build.h"

#include "base/digest.h"
#include "os/os.h"

typedef struct fixture
{
	scratch *scratch;
	pack_samples samples;
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
	*state = self;
	return 0;
}

static int tear_down(void **state)
{
	fixture *self = *state;
	void *scratch_state = self->scratch;
	scratch_close(&scratch_state);
	free(self);
	return 0;
}

static void assert_same_files(const pack_file *a, const pack_file *b)
{
	assert_int_equal(a->size, b->size);
	assert_memory_equal(a->data, b->data, a->size);
}

// Every sample is found, and reads as its source's bytes.
static void assert_samples_in(const fixture *self, const lrd_pack *pack)
{
	assert_int_equal(lrd_pack_count(pack), PACK_SAMPLE_COUNT);
	for (int i = 0; i < PACK_SAMPLE_COUNT; i++)
	{
		const lrd_pack_source *source = &self->samples.sources[i];
		lrd_pack_entry entry;
		lrd_error error = { 0 };
		assert_true(lrd_pack_find(pack, source->key, &entry));
		assert_int_equal(entry.kind, lrd_kind_from_path(source->key));
		assert_int_equal(entry.size, source->bytes.size);
		uint8_t *read = malloc(source->bytes.size + 1);
		assert_non_null(read);
		assert_true(lrd_pack_read(pack, &entry, read, entry.size, &error));
		assert_memory_equal(read, source->bytes.data, source->bytes.size);
		uint8_t digest[32];
		assert_true(lrd_sha256(read, source->bytes.size, digest));
		assert_memory_equal(entry.sha256, digest, sizeof digest);
		free(read);
	}
}

static void what_goes_in_comes_out(void **state)
{
	fixture *self = *state;
	for (int compression = LRD_STORED; compression <= LRD_ZSTD; compression++)
	{
		pack_file file = pack_make(
			self->scratch, &self->samples, (lrd_pack_write_desc){ .compression = (lrd_compression)compression });
		lrd_pack *pack = pack_open_sound(&file);
		assert_samples_in(self, pack);
		lrd_pack_close(pack);
		free(file.data);
	}
}

static lrd_pack_entry entry_of(const fixture *self, const lrd_pack *pack, int sample)
{
	lrd_pack_entry entry = { 0 };
	assert_true(lrd_pack_find(pack, self->samples.sources[sample].key, &entry));
	return entry;
}

static void payloads_start_at_pages(void **state)
{
	fixture *self = *state;
	pack_file file = pack_make(self->scratch, &self->samples, (lrd_pack_write_desc){ .compression = LRD_ZSTD });
	lrd_pack *pack = pack_open_sound(&file);
	lrd_pack_entry entry;
	for (uint32_t i = 0; lrd_pack_at(pack, i, &entry); i++)
	{
		assert_int_equal(((const uint8_t *)entry.stored - file.data) % 4096, 0);
	}
	lrd_pack_close(pack);
	free(file.data);
}

static void nothing_is_compressed_unless_asked_for(void **state)
{
	fixture *self = *state;
	pack_file file = pack_make(self->scratch, &self->samples, (lrd_pack_write_desc){ 0 });
	lrd_pack *pack = pack_open_sound(&file);
	lrd_pack_entry entry;
	for (uint32_t i = 0; lrd_pack_at(pack, i, &entry); i++)
	{
		assert_int_equal(entry.compression, LRD_STORED);
	}
	lrd_pack_close(pack);
	free(file.data);
}

static void only_what_shrinks_enough_and_is_no_texture_is_compressed(void **state)
{
	fixture *self = *state;
	pack_file file = pack_make(self->scratch, &self->samples, (lrd_pack_write_desc){ .compression = LRD_ZSTD });
	lrd_pack *pack = pack_open_sound(&file);
	assert_int_equal(entry_of(self, pack, PACK_MODEL).compression, LRD_ZSTD);
	assert_int_equal(entry_of(self, pack, PACK_BODY).compression, LRD_ZSTD);
	assert_int_equal(entry_of(self, pack, PACK_NOTE).compression, LRD_ZSTD);
	assert_int_equal(entry_of(self, pack, PACK_NOISE).compression, LRD_STORED);
	assert_int_equal(entry_of(self, pack, PACK_EMPTY).compression, LRD_STORED);
	assert_int_equal(entry_of(self, pack, PACK_FUR).compression, LRD_STORED);
	lrd_pack_close(pack);
	free(file.data);
}

// Noise with so many zeros after it that zstd saves just less, or just enough.
static bool is_compressed(fixture *self, size_t noise, size_t zeros)
{
	uint8_t *bytes = calloc(noise + zeros, 1);
	assert_non_null(bytes);
	uint32_t random = 1;
	for (size_t i = 0; i < noise; i++)
	{
		bytes[i] = (uint8_t)pack_random(&random);
	}
	lrd_pack_source source = { .key = LRD_STR("a.bin"), .bytes = { bytes, noise + zeros } };
	lrd_pack_write_report report;
	lrd_pack_write_desc desc = { .path = scratch_path(self->scratch, "edge.lpack"), .compression = LRD_ZSTD };
	desc.sources = &source;
	desc.source_count = 1;
	lrd_error error = { 0 };
	assert_true(lrd_pack_write(&desc, &report, &error));
	free(bytes);
	return report.compressed == 1;
}

static void a_sixteenth_must_be_saved(void **state)
{
	fixture *self = *state;
	assert_false(is_compressed(self, 16000, 0));
	assert_false(is_compressed(self, 15200, 800));
	assert_true(is_compressed(self, 14900, 1100));
}

static void equal_payloads_are_stored_once(void **state)
{
	fixture *self = *state;
	lrd_pack_write_report report;
	lrd_error error = { 0 };
	lrd_pack_write_desc desc = { .path = scratch_path(self->scratch, "once.lpack"), .compression = LRD_ZSTD };
	desc.sources = self->samples.sources;
	desc.source_count = PACK_SAMPLE_COUNT;
	assert_true(lrd_pack_write(&desc, &report, &error));
	pack_file file = pack_load(desc.path);
	lrd_pack *pack = pack_open_sound(&file);
	assert_ptr_equal(entry_of(self, pack, PACK_BODY).stored, entry_of(self, pack, PACK_TAIL).stored);
	assert_ptr_equal(entry_of(self, pack, PACK_FUR).stored, entry_of(self, pack, PACK_COPY).stored);
	assert_int_equal(report.entry_count, PACK_SAMPLE_COUNT);
	assert_int_equal(report.payload_count, PACK_SAMPLE_COUNT - 2);
	assert_int_equal(report.compressed, 3);
	assert_int_equal(report.reused, 0);
	assert_int_equal(report.payload_bytes, 5000 + 10000 + 9000 + 3000 + 4096);
	assert_int_equal(report.file_bytes, file.size);
	lrd_pack_close(pack);
	free(file.data);
}

// Whichever of the two comes first in the table: the names are tried until both ways have been seen.
static void what_a_texture_shares_is_raw_whichever_comes_first(void **state)
{
	fixture *self = *state;
	bool seen[2] = { false, false };
	for (int i = 0; i < 20; i++)
	{
		char name[32];
		snprintf(name, sizeof name, "copy%d.bin", i);
		lrd_pack_source sources[2] = { self->samples.sources[PACK_FUR], self->samples.sources[PACK_COPY] };
		sources[1].key = lrd_string_from(name);
		lrd_pack_write_desc desc = { .path = scratch_path(self->scratch, "two.lpack"), .compression = LRD_ZSTD };
		desc.sources = sources;
		desc.source_count = 2;
		lrd_pack_write_report report;
		assert_true(lrd_pack_write(&desc, &report, NULL));
		assert_int_equal(report.payload_count, 1);
		assert_int_equal(report.compressed, 0);
		lrd_pack *pack = lrd_pack_open(&(lrd_pack_desc){ .path = desc.path }, NULL);
		assert_non_null(pack);
		lrd_pack_entry first;
		assert_true(lrd_pack_at(pack, 0, &first));
		seen[first.kind == LRD_TEXTURE] = true;
		lrd_pack_close(pack);
	}
	assert_true(seen[0] && seen[1]);
}

static void bytes_do_not_depend_on_the_order_of_sources(void **state)
{
	fixture *self = *state;
	lrd_pack_write_desc desc = { .compression = LRD_ZSTD };
	pack_file first = pack_make(self->scratch, &self->samples, desc);
	pack_samples *shuffled = malloc(sizeof *shuffled);
	assert_non_null(shuffled);
	*shuffled = self->samples;
	uint32_t random = 3;
	for (int round = 0; round < 20; round++)
	{
		for (uint32_t i = PACK_SAMPLE_COUNT - 1; i > 0; i--)
		{
			uint32_t k = pack_random(&random) % (i + 1);
			lrd_pack_source other = shuffled->sources[i];
			shuffled->sources[i] = shuffled->sources[k];
			shuffled->sources[k] = other;
		}
		pack_file again = pack_make(self->scratch, shuffled, desc);
		assert_same_files(&first, &again);
		free(again.data);
	}
	free(shuffled);
	free(first.data);
}

// Many payloads of all sizes, so that they finish in another order than they began.
static pack_file write_many(fixture *self, const lrd_jobs *jobs)
{
	enum
	{
		COUNT = 300
	};
	static char keys[COUNT][32];
	lrd_pack_source *sources = calloc(COUNT, sizeof *sources);
	assert_non_null(sources);
	for (uint32_t i = 0; i < COUNT; i++)
	{
		snprintf(keys[i], sizeof keys[i], "part.%u.lmesh", i);
		sources[i].key = lrd_string_from(keys[i]);
		sources[i].bytes = (lrd_bytes){ self->samples.bytes + i * 7, (i * 7919) % 30000 };
	}
	lrd_pack_write_desc desc = { .path = scratch_path(self->scratch, "many.lpack"), .compression = LRD_ZSTD };
	desc.sources = sources;
	desc.source_count = COUNT;
	desc.level = 3;
	desc.jobs = jobs;
	lrd_error error = { 0 };
	if (!lrd_pack_write(&desc, NULL, &error))
	{
		fail_msg("%s", error.message);
	}
	free(sources);
	return pack_load(desc.path);
}

static void bytes_do_not_depend_on_the_workers(void **state)
{
	fixture *self = *state;
	pack_file alone = write_many(self, NULL);
	for (uint32_t workers = 1; workers <= 4; workers++)
	{
		lrd_job_pool *pool = lrd_job_pool_create(&(lrd_job_pool_desc){ .worker_count = workers }, NULL);
		assert_non_null(pool);
		lrd_jobs jobs = lrd_job_pool_jobs(pool);
		pack_file together = write_many(self, &jobs);
		assert_same_files(&alone, &together);
		free(together.data);
		lrd_job_pool_destroy(pool);
	}
	free(alone.data);
}

static bool refuse(void *user, lrd_job *job)
{
	(void)job;
	++*(int *)user;
	return false;
}

static uint32_t three_workers(void *user)
{
	(void)user;
	return 3;
}

static void a_scheduler_that_refuses_only_costs_time(void **state)
{
	fixture *self = *state;
	int asked = 0;
	lrd_jobs jobs = { .submit = refuse, .worker_count = three_workers, .user = &asked };
	pack_file alone = write_many(self, NULL);
	pack_file refused = write_many(self, &jobs);
	assert_same_files(&alone, &refused);
	assert_true(asked >= 300);
	free(alone.data);
	free(refused.data);
}

static void sources_may_be_files(void **state)
{
	fixture *self = *state;
	pack_file from_memory = pack_make(self->scratch, &self->samples, (lrd_pack_write_desc){ .compression = LRD_ZSTD });
	pack_samples *files = malloc(sizeof *files);
	char(*paths)[512] = calloc(PACK_SAMPLE_COUNT, sizeof *paths);
	assert_non_null(files);
	assert_non_null(paths);
	*files = self->samples;
	for (int i = 0; i < PACK_SAMPLE_COUNT; i++)
	{
		char name[32];
		snprintf(name, sizeof name, "source%d", i);
		snprintf(paths[i], sizeof *paths, "%s", scratch_path(self->scratch, name));
		lrd_bytes bytes = files->sources[i].bytes;
		assert_true(lrd_file_write(paths[i], bytes.data, bytes.size, NULL));
		files->sources[i] = (lrd_pack_source){ .key = files->sources[i].key, .path = paths[i] };
	}
	pack_file from_files = pack_make(self->scratch, files, (lrd_pack_write_desc){ .compression = LRD_ZSTD });
	assert_same_files(&from_memory, &from_files);
	free(from_files.data);
	free(from_memory.data);
	free(files);
	free(paths);
}

static void assert_refused(fixture *self, lrd_pack_write_desc desc, lrd_error_code code, const char *says)
{
	lrd_error error = { 0 };
	desc.path = desc.path != NULL ? desc.path : scratch_path(self->scratch, "refused.lpack");
	int before = scratch_count(self->scratch->root);
	if (lrd_pack_write(&desc, NULL, &error) || error.code != code || strstr(error.message, says) == NULL)
	{
		fail_msg("expected \"%s\", got %s: \"%s\"", says, lrd_error_code_name(error.code), error.message);
	}
	assert_int_equal(scratch_count(self->scratch->root), before);
	assert_false(lrd_pack_write(&desc, NULL, NULL));
}

static void keys_that_are_no_asset_paths_are_refused(void **state)
{
	fixture *self = *state;
	lrd_pack_write_desc desc = { .source_count = 1 };
	desc.sources = &(lrd_pack_source){ .key = LRD_STR("../a.lmesh") };
	assert_refused(self, desc, LRD_ERROR_PATH, "\"../a.lmesh\"");
	desc.sources = &(lrd_pack_source){ .key = LRD_STR("/a.lmesh") };
	assert_refused(self, desc, LRD_ERROR_PATH, "\"/a.lmesh\"");
	desc.sources = &(lrd_pack_source){ 0 };
	assert_refused(self, desc, LRD_ERROR_PATH, "must not be empty");
}

static void keys_that_differ_in_case_alone_are_a_conflict(void **state)
{
	fixture *self = *state;
	lrd_pack_source sources[] = { { .key = LRD_STR("b.lmesh") }, { .key = LRD_STR("Fox.lmesh") },
		{ .key = LRD_STR("a.lmesh") }, { .key = LRD_STR("fox.LMESH") } };
	lrd_pack_write_desc desc = { .sources = sources, .source_count = 4 };
	assert_refused(self, desc, LRD_ERROR_CONFLICT, "\"Fox.lmesh\" and \"fox.LMESH\" are the same key");
}

static void wrong_settings_are_refused(void **state)
{
	fixture *self = *state;
	assert_refused(self, (lrd_pack_write_desc){ .level = 23 }, LRD_ERROR_ARGUMENT, "level 23");
	assert_refused(self, (lrd_pack_write_desc){ .level = -1 }, LRD_ERROR_ARGUMENT, "level -1");
	assert_refused(
		self, (lrd_pack_write_desc){ .compression = (lrd_compression)7 }, LRD_ERROR_ARGUMENT, "compression is 7");
	assert_refused(self, (lrd_pack_write_desc){ .source_count = 1 }, LRD_ERROR_ARGUMENT, "missing");
	lrd_pack_source nothing = { .key = LRD_STR("a.bin"), .bytes = { NULL, 5 } };
	lrd_pack_write_desc desc = { .sources = &nothing, .source_count = 1 };
	assert_refused(self, desc, LRD_ERROR_ARGUMENT, "a.bin: neither a file nor bytes");
	lrd_error error = { 0 };
	assert_false(lrd_pack_write(&(lrd_pack_write_desc){ 0 }, NULL, &error));
	assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
}

static void missing_source_names_its_key_and_keeps_the_old_bundle(void **state)
{
	fixture *self = *state;
	pack_file before = pack_make(self->scratch, &self->samples, (lrd_pack_write_desc){ .compression = LRD_ZSTD });
	lrd_pack_source sources[2] = { self->samples.sources[0],
		{ .key = LRD_STR("lost.lmesh"), .path = "/nowhere/at/all" } };
	lrd_pack_write_desc desc = { .path = scratch_path(self->scratch, "made.lpack"), .sources = sources };
	desc.source_count = 2;
	assert_refused(self, desc, LRD_ERROR_NOT_FOUND, "lost.lmesh: /nowhere/at/all");
	pack_file after = pack_load(desc.path);
	assert_same_files(&before, &after);
	free(before.data);
	free(after.data);
}

static void folder_in_the_bundles_place_is_refused(void **state)
{
	fixture *self = *state;
	scratch_folder(self->scratch, "taken.lpack");
	lrd_pack_write_desc desc = { .path = scratch_path(self->scratch, "taken.lpack"), .json_map = true };
	assert_refused(self, desc, LRD_ERROR_IO, "no file");
}

// After the first entry was written, the texture becomes what that entry was.
static void make_equal(void *user, uint32_t done, uint32_t total)
{
	fixture *self = user;
	(void)total;
	if (done == 1)
	{
		lrd_bytes bytes = self->samples.sources[PACK_MODEL].bytes;
		assert_true(lrd_file_write(scratch_path(self->scratch, "late.ktx2"), bytes.data, bytes.size, NULL));
	}
}

static void texture_that_becomes_a_compressed_payload_meanwhile_is_an_error(void **state)
{
	fixture *self = *state;
	char path[512];
	snprintf(path, sizeof path, "%s", scratch_path(self->scratch, "late.ktx2"));
	lrd_pack_source sources[2] = { self->samples.sources[PACK_MODEL], { .path = path } };
	char key[32];
	int number = 0;
	do // until the texture's record comes second
	{
		snprintf(key, sizeof key, "late%d.ktx2", number++);
		sources[1].key = lrd_string_from(key);
	} while (lrd_fnv1a_64_folded(sources[1].key) < lrd_fnv1a_64_folded(sources[0].key));
	assert_true(lrd_file_write(path, "early", 5, NULL));
	lrd_pack_write_desc desc = { .path = scratch_path(self->scratch, "late.lpack"), .compression = LRD_ZSTD };
	desc.sources = sources;
	desc.source_count = 2;
	desc.progress = make_equal;
	desc.user = self;
	lrd_error error = { 0 };
	assert_false(lrd_pack_write(&desc, NULL, &error));
	assert_int_equal(error.code, LRD_ERROR_CHANGED);
	assert_non_null(strstr(error.message, key));
}

typedef struct progress_seen
{
	uint32_t calls;
	uint32_t total;
	bool ascending;
} progress_seen;

static void see_progress(void *user, uint32_t done, uint32_t total)
{
	progress_seen *seen = user;
	seen->ascending &= done == ++seen->calls;
	seen->total = total;
}

static void progress_is_told_for_each_entry(void **state)
{
	fixture *self = *state;
	progress_seen seen = { .ascending = true };
	pack_file file =
		pack_make(self->scratch, &self->samples, (lrd_pack_write_desc){ .progress = see_progress, .user = &seen });
	assert_int_equal(seen.calls, PACK_SAMPLE_COUNT);
	assert_int_equal(seen.total, PACK_SAMPLE_COUNT);
	assert_true(seen.ascending);
	free(file.data);
}

static void map_is_the_bundles_json_and_a_stale_one_goes(void **state)
{
	fixture *self = *state;
	pack_file file = pack_make(self->scratch, &self->samples, (lrd_pack_write_desc){ .json_map = true });
	lrd_pack *pack = pack_open_sound(&file);
	lrd_buffer text = { 0 };
	assert_true(lrd_pack_json(pack, false, &text, NULL));
	pack_file map = pack_load(scratch_path(self->scratch, "made.lpack.json"));
	assert_int_equal(map.size, text.size);
	assert_memory_equal(map.data, text.data, text.size);
	lrd_buffer_free(&text);
	lrd_pack_close(pack);
	free(map.data);
	free(file.data);
	file = pack_make(self->scratch, &self->samples, (lrd_pack_write_desc){ .json_map = false });
	free(file.data);
	lrd_file_info info;
	assert_false(lrd_file_stat(scratch_path(self->scratch, "made.lpack.json"), &info, NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_goes_in_comes_out),
		cmocka_unit_test(payloads_start_at_pages),
		cmocka_unit_test(nothing_is_compressed_unless_asked_for),
		cmocka_unit_test(only_what_shrinks_enough_and_is_no_texture_is_compressed),
		cmocka_unit_test(a_sixteenth_must_be_saved),
		cmocka_unit_test(equal_payloads_are_stored_once),
		cmocka_unit_test(what_a_texture_shares_is_raw_whichever_comes_first),
		cmocka_unit_test(bytes_do_not_depend_on_the_order_of_sources),
		cmocka_unit_test(bytes_do_not_depend_on_the_workers),
		cmocka_unit_test(a_scheduler_that_refuses_only_costs_time),
		cmocka_unit_test(sources_may_be_files),
		cmocka_unit_test(keys_that_are_no_asset_paths_are_refused),
		cmocka_unit_test(keys_that_differ_in_case_alone_are_a_conflict),
		cmocka_unit_test(wrong_settings_are_refused),
		cmocka_unit_test(missing_source_names_its_key_and_keeps_the_old_bundle),
		cmocka_unit_test(folder_in_the_bundles_place_is_refused),
		cmocka_unit_test(texture_that_becomes_a_compressed_payload_meanwhile_is_an_error),
		cmocka_unit_test(progress_is_told_for_each_entry),
		cmocka_unit_test(map_is_the_bundles_json_and_a_stale_one_goes),
	};
	return cmocka_run_group_tests_name("pack: writing", tests, set_up, tear_down);
}

// The golden bundle: the format as it was agreed on, byte for byte, read and written again.

#include "fixtures/pack_build.h"

#include "larder/pack.h"

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

// zstd's bytes differ from version to version of zstd, so compressed payloads are taken over from the golden bundle
// itself: what is compared is all that larder decides. The first writing of a new golden bundle has nothing to take
// over from.
static void golden_bundle_is_written_byte_for_byte(void **state)
{
	fixture *self = *state;
	char path[1024];
	snprintf(path, sizeof path, "%s/tests/golden/golden.lpack", LRD_TEST_SOURCE_DIR);
	lrd_pack *golden = NULL;
	if (getenv("LARDER_WRITE_GOLDEN") == NULL)
	{
		lrd_error error = { 0 };
		golden = lrd_pack_open(&(lrd_pack_desc){ .path = path }, &error);
		if (golden == NULL)
		{
			fail_msg("%s", error.message);
		}
	}
	lrd_pack_write_desc desc = { .compression = LRD_ZSTD, .previous = golden };
	pack_file made = pack_make(self->scratch, &self->samples, desc);
	assert_golden("golden.lpack", &(lrd_buffer){ .data = made.data, .size = made.size });
	lrd_pack_close(golden);
	free(made.data);
}

static void golden_bundle_holds_the_samples(void **state)
{
	fixture *self = *state;
	char path[1024];
	snprintf(path, sizeof path, "%s/tests/golden/golden.lpack", LRD_TEST_SOURCE_DIR);
	lrd_pack *pack = lrd_pack_open(&(lrd_pack_desc){ .path = path }, NULL);
	assert_non_null(pack);
	for (int i = 0; i < PACK_SAMPLE_COUNT; i++)
	{
		lrd_bytes bytes = self->samples.sources[i].bytes;
		lrd_pack_entry entry;
		assert_true(lrd_pack_find(pack, self->samples.sources[i].key, &entry));
		assert_int_equal(entry.size, bytes.size);
		uint8_t read[10000];
		assert_true(lrd_pack_read(pack, &entry, read, entry.size, NULL));
		assert_memory_equal(read, bytes.data, bytes.size);
	}
	lrd_pack_check_report report;
	assert_true(lrd_pack_check(pack, NULL, &report, NULL));
	assert_int_equal(report.findings, 0);
	lrd_pack_close(pack);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(golden_bundle_is_written_byte_for_byte),
		cmocka_unit_test(golden_bundle_holds_the_samples),
	};
	return cmocka_run_group_tests_name("pack: golden", tests, set_up, tear_down);
}

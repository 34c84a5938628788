// Taking compression over from an older bundle: never other bytes than without it, whatever the older bundle holds.

#include "fixtures/pack_build.h"

typedef struct fixture
{
	scratch *scratch;
	pack_samples samples;
	pack_file fresh; // zstd, without an older bundle
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
	self->fresh = pack_make(self->scratch, &self->samples, (lrd_pack_write_desc){ .compression = LRD_ZSTD });
	*state = self;
	return 0;
}

static int tear_down(void **state)
{
	fixture *self = *state;
	void *scratch_state = self->scratch;
	scratch_close(&scratch_state);
	free(self->fresh.data);
	free(self);
	return 0;
}

// Writes the samples over `previous`; the bytes must be those of writing afresh. Returns how many payloads were taken
// over.
static uint32_t write_over(fixture *self, const pack_file *previous)
{
	lrd_pack *pack = pack_open_sound(previous);
	lrd_pack_write_report report;
	lrd_error error = { 0 };
	lrd_pack_write_desc desc = { .path = scratch_path(self->scratch, "over.lpack"), .compression = LRD_ZSTD };
	desc.sources = self->samples.sources;
	desc.source_count = PACK_SAMPLE_COUNT;
	desc.previous = pack;
	if (!lrd_pack_write(&desc, &report, &error))
	{
		fail_msg("%s", error.message);
	}
	lrd_pack_close(pack);
	pack_file over = pack_load(desc.path);
	assert_int_equal(over.size, self->fresh.size);
	assert_memory_equal(over.data, self->fresh.data, over.size);
	free(over.data);
	return report.reused;
}

static void unchanged_payloads_are_taken_over(void **state)
{
	fixture *self = *state;
	// Three compressed ones, and the noise, of which it is known that it does not shrink. The empty one and the texture
	// need no compressing.
	assert_int_equal(write_over(self, &self->fresh), 4);
}

static void a_bundle_may_be_written_over_itself(void **state)
{
	fixture *self = *state;
	const char *path = scratch_path(self->scratch, "made.lpack");
	lrd_pack *pack = lrd_pack_open(&(lrd_pack_desc){ .path = path }, NULL);
	assert_non_null(pack);
	lrd_pack_write_report report;
	lrd_pack_write_desc desc = { .path = path, .compression = LRD_ZSTD, .previous = pack };
	desc.sources = self->samples.sources;
	desc.source_count = PACK_SAMPLE_COUNT;
	assert_true(lrd_pack_write(&desc, &report, NULL));
	assert_int_equal(report.reused, 4);
	lrd_pack_close(pack);
	pack_file over = pack_load(path);
	assert_int_equal(over.size, self->fresh.size);
	assert_memory_equal(over.data, self->fresh.data, over.size);
	free(over.data);
}

// What is taken over is what stands there: bytes of another level show that nothing was compressed again.
static void taken_over_means_copied(void **state)
{
	fixture *self = *state;
	pack_file other =
		pack_make(self->scratch, &self->samples, (lrd_pack_write_desc){ .compression = LRD_ZSTD, .level = 1 });
	assert_true(other.size != self->fresh.size || memcmp(other.data, self->fresh.data, other.size) != 0);
	lrd_pack *pack = pack_open_sound(&other);
	lrd_pack_write_desc desc = {
		.path = scratch_path(self->scratch, "over.lpack"), .compression = LRD_ZSTD, .level = 19
	};
	desc.sources = self->samples.sources;
	desc.source_count = PACK_SAMPLE_COUNT;
	desc.previous = pack;
	assert_true(lrd_pack_write(&desc, NULL, NULL));
	lrd_pack_close(pack);
	pack_file over = pack_load(desc.path);
	assert_int_equal(over.size, other.size);
	assert_memory_equal(over.data, other.data, over.size);
	free(over.data);
	free(other.data);
}

static void a_bundle_made_without_compression_keeps_nothing_from_being_compressed(void **state)
{
	fixture *self = *state;
	pack_file raw = pack_make(self->scratch, &self->samples, (lrd_pack_write_desc){ .compression = LRD_STORED });
	assert_int_equal(write_over(self, &raw), 0);
	free(raw.data);
}

static void a_compressed_bundle_does_not_make_a_raw_one_compressed(void **state)
{
	fixture *self = *state;
	pack_file raw = pack_make(self->scratch, &self->samples, (lrd_pack_write_desc){ .compression = LRD_STORED });
	lrd_pack *pack = pack_open_sound(&self->fresh);
	pack_file over =
		pack_make(self->scratch, &self->samples, (lrd_pack_write_desc){ .compression = LRD_STORED, .previous = pack });
	lrd_pack_close(pack);
	assert_int_equal(over.size, raw.size);
	assert_memory_equal(over.data, raw.data, raw.size);
	free(over.data);
	free(raw.data);
}

// The copy was raw because a texture had its bytes; now the texture is gone, or was there only before.
static void what_a_texture_kept_raw_is_compressed_once_it_is_gone(void **state)
{
	fixture *self = *state;
	lrd_pack_source copy = self->samples.sources[PACK_COPY];
	lrd_error error = { 0 };
	lrd_pack_write_desc desc = { .path = scratch_path(self->scratch, "copy.lpack"), .compression = LRD_ZSTD };
	desc.sources = &copy;
	desc.source_count = 1;
	lrd_pack_write_report report;
	assert_true(lrd_pack_write(&desc, &report, &error));
	assert_int_equal(report.compressed, 1);
	pack_file alone = pack_load(desc.path);
	lrd_pack *pack = pack_open_sound(&self->fresh);
	desc.previous = pack;
	assert_true(lrd_pack_write(&desc, &report, &error));
	assert_int_equal(report.compressed, 1);
	assert_int_equal(report.reused, 0);
	lrd_pack_close(pack);
	pack_file over = pack_load(desc.path);
	assert_int_equal(over.size, alone.size);
	assert_memory_equal(over.data, alone.data, over.size);
	assert_int_equal(write_over(self, &alone), 0); // and back: compressed there, raw here
	free(over.data);
	free(alone.data);
}

static void damaged_payloads_are_compressed_anew(void **state)
{
	fixture *self = *state;
	pack_file damaged = { cooked_copy(self->fresh.data, self->fresh.size), self->fresh.size };
	lrd_pack *pack = pack_open_sound(&damaged);
	lrd_pack_entry entry;
	for (uint32_t i = 0; lrd_pack_at(pack, i, &entry); i++)
	{
		if (entry.stored_size != 0)
		{
			size_t at = (size_t)((const uint8_t *)entry.stored - damaged.data) + entry.stored_size / 2;
			damaged.data[at] = self->fresh.data[at] ^ 0x40; // not ^=: shared payloads come twice
		}
	}
	lrd_pack_close(pack);
	// The noise is taken from the source in any case: what is taken over is only that it does not shrink.
	assert_int_equal(write_over(self, &damaged), 1);
	free(damaged.data);
}

// A frame that decodes well, but to something else than its digest says.
static void payloads_that_lie_about_their_digest_are_compressed_anew(void **state)
{
	fixture *self = *state;
	pack_file lying = { cooked_copy(self->fresh.data, self->fresh.size), self->fresh.size };
	lrd_pack *pack = pack_open_sound(&lying);
	uint32_t model = pack_index_of(pack, self->samples.sources[PACK_MODEL].key);
	uint32_t note = pack_index_of(pack, self->samples.sources[PACK_NOTE].key);
	lrd_pack_close(pack);
	memcpy(pack_records(&lying)[note].sha256, pack_records(&lying)[model].sha256, 32);
	pack_records(&lying)[model].sha256[0] ^= 1;
	pack_rehash(&lying);
	assert_int_equal(write_over(self, &lying), 2); // body and noise
	free(lying.data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unchanged_payloads_are_taken_over),
		cmocka_unit_test(a_bundle_may_be_written_over_itself),
		cmocka_unit_test(taken_over_means_copied),
		cmocka_unit_test(a_bundle_made_without_compression_keeps_nothing_from_being_compressed),
		cmocka_unit_test(a_compressed_bundle_does_not_make_a_raw_one_compressed),
		cmocka_unit_test(what_a_texture_kept_raw_is_compressed_once_it_is_gone),
		cmocka_unit_test(damaged_payloads_are_compressed_anew),
		cmocka_unit_test(payloads_that_lie_about_their_digest_are_compressed_anew),
	};
	return cmocka_run_group_tests_name("pack: taking over", tests, set_up, tear_down);
}

// Which keys of channels with the same times go is decided by bytes.

#include "fixtures/motion_curves.h"

#include "failing_allocator.h"

#define KEYS 100u
#define TRACKS 6u

static float times[KEYS];

/// Tracks of three components over one block of times.
typedef struct fixture
{
	lrd_arena *arena;
	float values[TRACKS][KEYS * 9];
	lrd_motion_track tracks[TRACKS];
} fixture;

typedef float curve_of(uint32_t track, uint32_t key);

static void fill(fixture *it, curve_of *curve)
{
	curve_times(times, KEYS, 0.1f, 0.0f);
	for (uint32_t t = 0; t < TRACKS; t++)
	{
		for (uint32_t i = 0; i < KEYS * 3; i++)
		{
			it->values[t][i] = curve(t, i / 3);
		}
		it->tracks[t] = (lrd_motion_track){
			.keys = { times, it->values[t], KEYS, 3, LRD_PATH_TRANSLATION, LRD_INTERPOLATION_LINEAR }, .tolerance = 1e-5
		};
	}
	it->arena = lrd_arena_create((lrd_allocator){ 0 }, 0);
	assert_non_null(it->arena);
}

static void thin(fixture *it)
{
	lrd_error error = { 0 };
	if (!lrd_motion_thin_block(it->arena, it->tracks, TRACKS, &error))
	{
		fail_msg("%s", error.message);
	}
	for (uint32_t t = 0; t < TRACKS; t++)
	{
		const lrd_motion_track *track = &it->tracks[t];
		assert_true(curve_error(&track->keys, track->kept, track->kept_count, 3) <= track->tolerance * 1.0001);
	}
}

static float constant_but_one(uint32_t track, uint32_t key)
{
	return track != 0 ? (float)track : (float)(key * key);
}

static void constant_tracks_are_one_key_whatever_others_do(void **state)
{
	(void)state;
	static fixture it;
	fill(&it, constant_but_one);
	thin(&it);
	assert_int_equal(it.tracks[0].kept_count, KEYS);
	for (uint32_t t = 1; t < TRACKS; t++)
	{
		assert_int_equal(it.tracks[t].kept_count, 1);
		assert_int_equal(it.tracks[t].kept[0], 0);
	}
	lrd_arena_destroy(it.arena);
}

/// Each bends where no other does.
static float few_bends(uint32_t track, uint32_t key)
{
	uint32_t bend = 10 + track * 12;
	return key < bend ? 0.0f : (float)(key - bend);
}

static void tracks_with_few_keys_left_have_times_of_their_own(void **state)
{
	(void)state;
	static fixture it;
	fill(&it, few_bends);
	thin(&it);
	for (uint32_t t = 0; t < TRACKS; t++)
	{
		assert_int_equal(it.tracks[t].kept_count, 3);
		assert_int_equal(it.tracks[t].kept[1], 10 + t * 12);
	}
	lrd_arena_destroy(it.arena);
}

/// Ten keys of a hundred could go, others in each track: times of their own would cost more.
static float many_bends(uint32_t track, uint32_t key)
{
	bool straight = key >= track * 15 && key < track * 15 + 12;
	return straight ? 0.0f : (float)(key * key % 7) + 1.0f;
}

static void tracks_with_most_keys_left_keep_all_and_their_times(void **state)
{
	(void)state;
	static fixture it;
	fill(&it, many_bends);
	thin(&it);
	for (uint32_t t = 0; t < TRACKS; t++)
	{
		assert_null(it.tracks[t].kept);
		assert_int_equal(it.tracks[t].kept_count, KEYS);
	}
	lrd_arena_destroy(it.arena);
}

/// All stand still at the same times.
static float rest_together(uint32_t track, uint32_t key)
{
	return key >= 40 && key < 60 ? (float)track : (float)track + (float)(key * key % 7 + 1);
}

static void tracks_that_can_drop_the_same_keys_go_on_sharing_times(void **state)
{
	(void)state;
	static fixture it;
	fill(&it, rest_together);
	thin(&it);
	for (uint32_t t = 0; t < TRACKS; t++)
	{
		assert_int_equal(it.tracks[t].kept_count, 82);
		assert_ptr_equal(it.tracks[t].kept, it.tracks[0].kept);
	}
	lrd_arena_destroy(it.arena);
}

static void cubic_tracks_stay_whole_and_pay_for_the_times(void **state)
{
	(void)state;
	static fixture it;
	fill(&it, many_bends);
	it.tracks[0].keys.interpolation = LRD_INTERPOLATION_CUBIC;
	for (uint32_t i = 0; i < KEYS * 9; i++)
	{
		it.values[0][i] = curve_random();
	}
	thin(&it);
	for (uint32_t t = 0; t < TRACKS; t++)
	{
		assert_null(it.tracks[t].kept);
	}
	lrd_arena_destroy(it.arena);
}

static uint64_t floats_of(const fixture *it)
{
	uint64_t floats = 0;
	for (uint32_t t = 0; t < TRACKS; t++)
	{
		bool shared = false;
		for (uint32_t other = 0; other < t; other++)
		{
			shared |= it->tracks[other].kept == it->tracks[t].kept;
		}
		floats += (uint64_t)it->tracks[t].kept_count * (shared ? 3 : 4);
	}
	return floats;
}

static float anything(uint32_t track, uint32_t key)
{
	uint32_t dice = (key / 7 * 2654435761u ^ track * 40503u) >> 7;
	return dice % 3 == 0 ? 0.0f : dice % 3 == 1 ? (float)key : curve_random();
}

static void thinning_never_takes_more_bytes(void **state)
{
	(void)state;
	for (int round = 0; round < 50; round++)
	{
		static fixture it;
		fill(&it, anything);
		thin(&it);
		assert_true(floats_of(&it) <= KEYS * (TRACKS * 3 + 1));
		lrd_arena_destroy(it.arena);
	}
}

static void any_allocation_may_fail(void **state)
{
	(void)state;
	static fixture it;
	bool done = false;
	fill(&it, few_bends);
	lrd_arena_destroy(it.arena);
	for (long long succeed = 1; !done; succeed++)
	{
		failing_allocator memory;
		failing_allocator_init(&memory, succeed);
		lrd_arena *arena = lrd_arena_create(failing_allocator_get(&memory), 64);
		lrd_error error = { 0 };
		done = arena != NULL && lrd_motion_thin_block(arena, it.tracks, TRACKS, &error);
		assert_true(arena == NULL || error.code == (done ? LRD_OK : LRD_ERROR_MEMORY));
		assert_true(succeed < 1000);
		lrd_arena_destroy(arena);
		assert_int_equal(memory.bytes_out, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(constant_tracks_are_one_key_whatever_others_do),
		cmocka_unit_test(tracks_with_few_keys_left_have_times_of_their_own),
		cmocka_unit_test(tracks_with_most_keys_left_keep_all_and_their_times),
		cmocka_unit_test(tracks_that_can_drop_the_same_keys_go_on_sharing_times),
		cmocka_unit_test(cubic_tracks_stay_whole_and_pay_for_the_times),
		cmocka_unit_test(thinning_never_takes_more_bytes),
		cmocka_unit_test(any_allocation_may_fail),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

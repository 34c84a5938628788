// Sampling poses with a cursor and without: the same bytes whichever way time goes, whatever the cursor held, however
// channels share their times.

#include "fixtures/cooked_file.h"

#include "base/hash.h"
#include "base/maths.h"
#include "larder/write.h"

#define JOINTS 19u // no multiple of how many rotations are interpolated at once
#define CHANNELS (JOINTS * 3u)
#define MOST_KEYS 40u

static uint64_t random_state = 31;

/// -1 to 1.
static float random_float(void)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (float)(random_state >> 40) / 8388608.0f - 1.0f;
}

static uint32_t random_below(uint32_t count)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(random_state >> 33) % count;
}

typedef enum clip_times
{
	TIMES_OWN,
	TIMES_SHARED,
	TIMES_ON_A_GRID,
} clip_times;

/// A clip of joints that all move, opened from its file.
typedef struct clip_fixture
{
	lrd_buffer file;
	lrd_clip_view view;
} clip_fixture;

static uint32_t fill_times(float *times, clip_times kind)
{
	uint32_t count = kind == TIMES_OWN ? 1 + random_below(MOST_KEYS) : 25;
	float time = kind == TIMES_OWN ? 0.1f * fabsf(random_float()) : 0.0f;
	for (uint32_t k = 0; k < count; k++)
	{
		times[k] = kind == TIMES_ON_A_GRID ? (float)k * 2.0f / 24.0f : time;
		time += kind == TIMES_OWN ? 0.005f + 0.045f * fabsf(random_float()) : 0.05f + 0.01f * (float)(k % 3);
	}
	return count;
}

static void fill_values(lrd_clip_channel *channel, float *values)
{
	bool cubic = channel->interpolation == LRD_INTERPOLATION_CUBIC;
	uint32_t size = channel->components * (cubic ? 3 : 1), at = cubic ? 4 : 0;
	lrd_vec4 before = { 0, 0, 0, 1 };
	for (uint32_t k = 0; k < channel->key_count; k++)
	{
		for (uint32_t c = 0; c < size; c++)
		{
			values[k * size + c] = random_float();
		}
		if (channel->path == LRD_PATH_ROTATION)
		{
			lrd_vec4 q = lrd_quat_normalize((lrd_vec4){ random_float(), random_float(), random_float(), 0.3f });
			float sign = q.x * before.x + q.y * before.y + q.z * before.z + q.w * before.w < 0.0f ? -1.0f : 1.0f;
			before = (lrd_vec4){ q.x * sign, q.y * sign, q.z * sign, q.w * sign };
			memcpy(values + k * size + at, &before, sizeof before);
		}
	}
}

static clip_fixture make_fixture(clip_times kind, uint32_t interpolations)
{
	static lrd_clip_channel channels[CHANNELS];
	static float times[CHANNELS * MOST_KEYS], values[CHANNELS * MOST_KEYS * 12];
	uint32_t value_count = 0;
	for (uint32_t i = 0; i < CHANNELS; i++)
	{
		lrd_clip_channel *channel = &channels[i];
		*channel = (lrd_clip_channel){ .target_hash = lrd_fnv1a_32((lrd_string){ NULL, 0 }),
			.joint = (int32_t)(i / 3),
			.node = -1,
			.path = (uint16_t)(i % 3),
			.interpolation = (uint16_t)random_below(interpolations),
			.components = i % 3 == LRD_PATH_ROTATION ? 4 : 3,
			.times_offset = i * MOST_KEYS,
			.values_offset = value_count };
		channel->key_count = fill_times(times + channel->times_offset, kind);
		fill_values(channel, values + value_count);
		value_count += channel->key_count * channel->components * (channel->interpolation == 2 ? 3 : 1);
	}
	lrd_clip_view view = { .duration = 2.0f,
		.flags = kind == TIMES_ON_A_GRID ? LRD_CLIP_UNIFORM : 0,
		.joint_count = JOINTS,
		.channels = channels,
		.channel_count = CHANNELS,
		.times = times,
		.time_count = CHANNELS * MOST_KEYS,
		.values = values,
		.value_count = value_count };
	clip_fixture fixture = { .file = { 0 } };
	lrd_error error = { 0 };
	if (!lrd_clip_write(&view, &fixture.file, &error) ||
		!lrd_clip_open(fixture.file.data, fixture.file.size, &fixture.view, &error))
	{
		fail_msg("%s", error.message);
	}
	return fixture;
}

static void sample_pose(const clip_fixture *fixture, float time, uint32_t *cursor, lrd_transform joints[JOINTS])
{
	memset(joints, 0, JOINTS * sizeof *joints);
	lrd_clip_sample(&fixture->view, time, cursor, &(lrd_pose){ joints, JOINTS, 0 });
}

static void assert_cursor_agrees(const clip_fixture *fixture, float time, uint32_t *cursor)
{
	lrd_transform searched[JOINTS], followed[JOINTS];
	sample_pose(fixture, time, NULL, searched);
	sample_pose(fixture, time, cursor, followed);
	assert_memory_equal(searched, followed, sizeof searched);
}

static void cursor_played_forward_gives_what_searching_gives(void **state)
{
	(void)state;
	for (clip_times kind = TIMES_OWN; kind <= TIMES_ON_A_GRID; kind++)
	{
		clip_fixture fixture = make_fixture(kind, 3);
		uint32_t cursor[CHANNELS] = { 0 };
		for (int frame = 0; frame < 500; frame++)
		{
			assert_cursor_agrees(&fixture, (float)frame * 2.2f / 499.0f - 0.1f, cursor);
		}
		lrd_buffer_free(&fixture.file);
	}
}

static void cursor_gives_the_same_backwards_and_in_leaps(void **state)
{
	(void)state;
	for (clip_times kind = TIMES_OWN; kind <= TIMES_ON_A_GRID; kind++)
	{
		clip_fixture fixture = make_fixture(kind, 3);
		uint32_t cursor[CHANNELS] = { 0 };
		for (int frame = 400; frame >= 0; frame--)
		{
			assert_cursor_agrees(&fixture, (float)frame * 0.006f - 0.1f, cursor);
		}
		for (int leap = 0; leap < 2000; leap++)
		{
			assert_cursor_agrees(&fixture, 1.0f + 1.2f * random_float(), cursor);
		}
		lrd_buffer_free(&fixture.file);
	}
}

static void cursor_that_holds_anything_is_only_a_hint(void **state)
{
	(void)state;
	for (clip_times kind = TIMES_OWN; kind <= TIMES_ON_A_GRID; kind++)
	{
		clip_fixture fixture = make_fixture(kind, 3);
		for (int round = 0; round < 1000; round++)
		{
			uint32_t cursor[CHANNELS];
			for (uint32_t i = 0; i < CHANNELS; i++)
			{
				uint32_t far = random_below(0x7fffffffu);
				cursor[i] = round % 2 == 0 ? random_below(MOST_KEYS) : round % 3 == 0 ? 0xffffffffu - far % 3 : far;
			}
			assert_cursor_agrees(&fixture, 1.0f + 1.2f * random_float(), cursor);
		}
		lrd_buffer_free(&fixture.file);
	}
}

static void cursor_takes_times_that_are_no_moments(void **state)
{
	(void)state;
	static const float times[] = { NAN, INFINITY, 1.0f, -INFINITY, 0.5f, NAN, 1e30f, 0.0f };
	for (clip_times kind = TIMES_OWN; kind <= TIMES_ON_A_GRID; kind++)
	{
		clip_fixture fixture = make_fixture(kind, 3);
		uint32_t cursor[CHANNELS] = { 0 };
		for (size_t i = 0; i < sizeof times / sizeof *times; i++)
		{
			assert_cursor_agrees(&fixture, times[i], cursor);
		}
		lrd_buffer_free(&fixture.file);
	}
}

static void cursor_stands_at_the_key_before(void **state)
{
	(void)state;
	clip_fixture fixture = make_fixture(TIMES_OWN, 3);
	uint32_t cursor[CHANNELS] = { 0 };
	lrd_transform joints[JOINTS];
	for (float time = 0.0f; time < 2.0f; time += 0.013f)
	{
		sample_pose(&fixture, time, cursor, joints);
		for (uint32_t i = 0; i < CHANNELS; i++)
		{
			const lrd_clip_channel *channel = &fixture.view.channels[i];
			const float *times = fixture.view.times + channel->times_offset;
			uint32_t last = channel->key_count - 1;
			assert_true(cursor[i] == 0 || times[cursor[i]] <= time);
			assert_true(cursor[i] + 1 >= last || time < times[cursor[i] + 1]);
		}
	}
	lrd_buffer_free(&fixture.file);
}

static void poses_and_single_channels_give_the_same_bytes(void **state)
{
	(void)state;
	for (clip_times kind = TIMES_OWN; kind <= TIMES_ON_A_GRID; kind++)
	{
		clip_fixture fixture = make_fixture(kind, 3);
		for (int frame = 0; frame < 100; frame++)
		{
			float time = (float)frame * 0.022f - 0.1f;
			lrd_transform joints[JOINTS], alone[JOINTS];
			sample_pose(&fixture, time, NULL, joints);
			for (uint32_t i = 0; i < CHANNELS; i++)
			{
				lrd_transform *joint = &alone[i / 3];
				float *parts[] = { &joint->translation.x, &joint->rotation.x, &joint->scale.x };
				lrd_clip_sample_channel(&fixture.view, i, time, parts[i % 3]);
			}
			assert_memory_equal(joints, alone, sizeof joints);
		}
		lrd_buffer_free(&fixture.file);
	}
}

static void rotations_of_a_pose_are_of_unit_length(void **state)
{
	(void)state;
	for (clip_times kind = TIMES_OWN; kind <= TIMES_ON_A_GRID; kind++)
	{
		clip_fixture fixture = make_fixture(kind, 3);
		for (int frame = 0; frame < 200; frame++)
		{
			lrd_transform joints[JOINTS];
			sample_pose(&fixture, (float)frame * 0.011f, NULL, joints);
			for (uint32_t j = 0; j < JOINTS; j++)
			{
				lrd_vec4 q = joints[j].rotation;
				assert_float_equal(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w, 1.0f, 5e-7f);
			}
		}
		lrd_buffer_free(&fixture.file);
	}
}

static void keys_of_the_files_end_are_read_and_no_further(void **state)
{
	(void)state;
	// A file that ends with its last key: without strings, values are the last block.
	lrd_clip_channel channel = { .target_hash = lrd_fnv1a_32((lrd_string){ NULL, 0 }),
		.node = -1,
		.components = 3,
		.key_count = 4,
		.path = LRD_PATH_SCALE };
	const float times[] = { 0, 1, 2, 3 };
	const float values[] = { 0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 4, 5 };
	lrd_clip_view view = { .duration = 3,
		.joint_count = 1,
		.channels = &channel,
		.channel_count = 1,
		.times = times,
		.time_count = 4,
		.values = values,
		.value_count = 12 };
	lrd_buffer file = { 0 };
	assert_true(lrd_clip_write(&view, &file, NULL));
	void *bytes = cooked_copy(file.data, file.size);
	assert_true(lrd_clip_open(bytes, file.size, &view, NULL));
	assert_ptr_equal((const uint8_t *)(view.values + 12), (const uint8_t *)bytes + file.size);
	lrd_transform *joint = malloc(sizeof *joint); // of its own, so that writing past it is caught
	assert_non_null(joint);
	for (float time = 0.0f; time < 4.0f; time += 0.25f)
	{
		lrd_clip_sample(&view, time, NULL, &(lrd_pose){ joint, 1, 0 });
		assert_float_equal(joint->scale.x, fminf(time, 3.0f), 1e-6f);
	}
	assert_true(joint->scale.y == 4.0f && joint->scale.z == 5.0f);
	free(joint);
	free(bytes);
	lrd_buffer_free(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cursor_played_forward_gives_what_searching_gives),
		cmocka_unit_test(cursor_gives_the_same_backwards_and_in_leaps),
		cmocka_unit_test(cursor_that_holds_anything_is_only_a_hint),
		cmocka_unit_test(cursor_takes_times_that_are_no_moments),
		cmocka_unit_test(cursor_stands_at_the_key_before),
		cmocka_unit_test(poses_and_single_channels_give_the_same_bytes),
		cmocka_unit_test(rotations_of_a_pose_are_of_unit_length),
		cmocka_unit_test(keys_of_the_files_end_are_read_and_no_further),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

// tests/test_view_budget.c: `larder view --budget` as it is seen: the courtyard goes round in pictures that follow each other at once, none
// waiting for what is on its way. From one to the next no texture changes by more than a level, and whatever the budget, images never
// take more than it, but for tails and what is pinned. With LARDER_BUDGET_ROWS=FILE in the environment every frame is written
// there as well, as a row of numbers.

#include "cli/view/session.h"
#include "fixtures/view_kit.h"

#include <math.h>
#include <sys/wait.h>

#define WIDTH 160u
#define HEIGHT 90u
#define ROWS 720.0f ///< of the picture whose middle is drawn: textures are as fine as that one would have them
#define ROUND 240u  ///< pictures of a turntable
#define SLOTS 128u

typedef struct slot
{
	lrd_asset asset;
	lrd_gpu_object object;
	uint32_t revision;
	uint32_t level;
} slot;

/// What was seen of a run.
typedef struct watch
{
	const char *name;
	view_session *session;
	slot slots[SLOTS];
	uint32_t slot_count;
	uint32_t finer, coarser; ///< changes, by where they went
	uint64_t most;           ///< bytes of images that existed at once
	uint64_t most_demanded;
	uint32_t limited; ///< frames in which the budget was too little
	uint32_t frames;
	uint64_t budget;
	FILE *rows;
} watch;

static view_session *open_session(const char *path, uint64_t budget)
{
	view_session *self = calloc(1, sizeof *self);
	assert_non_null(self);
	self->options = (view_options){ .path = path,
		.model = "courtyard",
		.width = WIDTH,
		.height = HEIGHT,
		.budget = budget,
		.mode = VIEW_ALBEDO,      // the cheapest that shows textures
		.lod = LRD_MESH_MAX_LODS, // the coarsest: how fine textures are does not depend on it
		.exposure = 1.0f,
		.validate = view_kit_has_layer(),
		.quiet = true };
	assert_true(view_session_open(self, NULL));
	self->camera.vertical = 2.0f * atanf(tanf(self->camera.vertical * 0.5f) * ((float)HEIGHT / ROWS));
	return self;
}

static void close_session(view_session *self)
{
	assert_int_equal(lrd_vulkan_device_messages(self->device), 0);
	view_session_close(self);
	free(self);
}

static void wait_until_settled(view_session *self)
{
	self->calm = 0;
	while (!view_session_is_settled(self))
	{
		assert_true(view_session_update(self));
		usleep(200);
	}
}

/// Bytes of all textures' images on this device when all are whole.
static uint64_t full_bytes(const char *path)
{
	view_session *self = open_session(path, 0);
	wait_until_settled(self);
	uint64_t sum = 0;
	for (uint32_t i = 0; i < lrd_residents_texture_count(self->residents); ++i)
	{
		uint64_t bytes[LRD_TEXTURE_MAX_LEVELS];
		lrd_resident_texture texture;
		if (lrd_residents_get_texture(self->residents, i, &texture) &&
			lrd_residents_texture_levels(self->residents, i, bytes) != 0)
		{
			sum += bytes[texture.finest_level];
		}
	}
	close_session(self);
	assert_true(sum != 0);
	return sum;
}

static void look_at_slot(watch *self, uint32_t index)
{
	lrd_resident_texture texture;
	slot *before = &self->slots[index];
	if (!lrd_residents_get_texture(self->session->residents, index, &texture) || texture.object == 0)
	{
		*before = (slot){ 0 };
		return;
	}
	assert_false(texture.failed);
	bool is_same = before->object != 0 && before->asset.index == texture.asset.index &&
				   before->asset.generation == texture.asset.generation && before->revision == texture.revision;
	if (is_same && (texture.first_level > before->level + 1 || before->level > texture.first_level + 1))
	{
		fail_msg("%s, frame %u: slot %u went from level %u to %u", self->name, self->frames, index, before->level,
			texture.first_level);
	}
	self->finer += is_same && texture.first_level < before->level;
	self->coarser += is_same && texture.first_level > before->level;
	*before = (slot){ texture.asset, texture.object, texture.revision, texture.first_level };
}

/// A picture, and everything that has to be true of it.
static void run_frame(watch *self)
{
	view_session *session = self->session;
	lrd_stream_stats stream;
	lrd_residents_stats residents;
	assert_true(view_session_update(session));
	lrd_stream_get_stats(session->stream, &stream);
	lrd_residents_get_stats(session->residents, &residents);
	uint32_t count = lrd_residents_texture_count(session->residents);
	assert_true(count <= SLOTS);
	for (uint32_t i = 0; i < count; ++i)
	{
		look_at_slot(self, i);
	}
	if (residents.texture_bytes > stream.budget + stream.report.overflow)
	{
		fail_msg("%s, frame %u: images take %llu bytes of %llu, tails and pins need %llu", self->name, self->frames,
			(unsigned long long)residents.texture_bytes, (unsigned long long)stream.budget,
			(unsigned long long)stream.report.tail_bytes);
	}
	if (self->rows != NULL)
	{
		fprintf(self->rows, "%s %u %llu %llu %llu %llu %u %u %u %u\n", self->name, self->frames,
			(unsigned long long)stream.budget, (unsigned long long)stream.report.demanded_bytes,
			(unsigned long long)residents.texture_bytes, (unsigned long long)residents.retired_texture_bytes,
			stream.transitions, self->finer, self->coarser, stream.report.limited);
	}
	self->most = residents.texture_bytes > self->most ? residents.texture_bytes : self->most;
	self->most_demanded =
		stream.report.demanded_bytes > self->most_demanded ? stream.report.demanded_bytes : self->most_demanded;
	self->limited += stream.report.limited != 0;
	self->frames++;
	view_picture picture = view_session_picture(session);
	assert_true(view_renderer_draw(&session->renderer, &picture));
}

static void begin(watch *self, const char *path, const char *name, uint64_t budget)
{
	const char *rows = getenv("LARDER_BUDGET_ROWS");
	*self = (watch){ .name = name, .budget = budget, .session = open_session(path, budget) };
	self->rows = rows != NULL ? fopen(rows, "a") : NULL;
}

/// What it came to: something has gone both ways, at least where the budget is tight, and it comes to rest.
static void end(watch *self, bool is_tight)
{
	assert_true(view_renderer_wait(&self->session->renderer));
	wait_until_settled(self->session);
	print_message(
		"%-20s budget %8llu, demanded up to %9llu, held up to %8llu (%5.1f %%), %u finer, %u coarser, limited "
		"in %u of %u frames\n",
		self->name, (unsigned long long)self->budget, (unsigned long long)self->most_demanded,
		(unsigned long long)self->most, 100.0 * (double)self->most / (double)self->budget, self->finer, self->coarser,
		self->limited, self->frames);
	assert_true(self->finer != 0);
	assert_true(self->coarser != 0 || !is_tight);
	if (self->rows != NULL)
	{
		fclose(self->rows);
	}
	close_session(self->session);
}

/// At this many metres from the fountain, and this part of the way round it.
static void place_camera(view_session *session, float metres, float part)
{
	session->camera.is_flying = false;
	session->camera.target = (lrd_vec3){ 0, 1.5f, 0 };
	session->camera.yaw = 6.2831853f * part;
	session->camera.pitch = 0.2f;
	session->camera.distance = metres;
	view_camera_steer(&session->camera);
}

static void go_round(const char *path, const char *name, uint64_t full, uint32_t share, uint32_t rounds)

{
	watch self;
	const uint64_t budget = full / share;
	begin(&self, path, name, budget);
	for (uint32_t i = 0; i < ROUND * rounds; ++i)
	{
		place_camera(self.session, 6.0f, (float)i / (float)ROUND);
		run_frame(&self);
	}
	end(&self, budget < full / 2);
}

/// From beyond everything to right before the fountain, and back, twice, while it goes round.
static void fly(const char *path, const char *name, uint64_t full, uint32_t share)
{
	watch self;
	const uint64_t budget = full / share;
	begin(&self, path, name, budget);
	for (uint32_t i = 0; i < ROUND; ++i)
	{
		float way = (float)i / (float)ROUND;
		place_camera(self.session, 1.0f + 60.0f * (0.5f + 0.5f * cosf(12.566371f * way)), way);
		run_frame(&self);
	}
	end(&self, budget < full / 2);
}

static void a_turntable_on_a_quarter_of_the_textures_pops_by_one_level_and_keeps_within_the_budget(void **state)
{
	NEEDS_DRIVER();
	const char *path = view_kit_seal_courtyard(*state);
	go_round(path, "round-1/4", full_bytes(path), 4, 2);
}

static void so_do_other_budgets_and_cameras_that_come_near_and_go_far(void **state)
{
	NEEDS_DRIVER();
	const char *path = view_kit_seal_courtyard(*state);
	uint64_t full = full_bytes(path);
	fly(path, "flight-1/8", full, 8);
	if (getenv("LARDER_TEST_LONG") == NULL)
	{
		return;
	}
	go_round(path, "round-1/8", full, 8, 1);
	go_round(path, "round-1/2", full, 2, 1);
	fly(path, "flight-1/4", full, 4);
	fly(path, "flight-1/2", full, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			a_turntable_on_a_quarter_of_the_textures_pops_by_one_level_and_keeps_within_the_budget, scratch_open,
			scratch_close),
		cmocka_unit_test_setup_teardown(
			so_do_other_budgets_and_cameras_that_come_near_and_go_far, scratch_open, scratch_close),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

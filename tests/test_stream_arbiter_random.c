// The arbiter over thousands of frames of wishes at random, with a device whose images take their time: what must hold at every step.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixtures/stream_sim.h"

#define FRAMES 10000

static void want_at_random(sim *self)
{
	for (uint32_t i = 0; i < self->count; i++)
	{
		const lrd_arbiter_texture *t = &self->textures[i];
		bool is_seen = sim_random(self, 3) != 0;
		sim_want(self, i, is_seen ? sim_random(self, t->floor + 1u) : t->floor, (int32_t)sim_random(self, 4) - 1);
	}
}

static void want_a_little_else(sim *self)
{
	for (uint32_t n = 0; n < 4; n++)
	{
		uint32_t i = sim_random(self, self->count);
		sim_want(self, i, sim_random(self, self->textures[i].floor + 1u), (int32_t)sim_random(self, 3));
	}
}

// Sometimes all is new, sometimes a little moves, and mostly nothing does.
static void move(sim *self)
{
	uint32_t dice = sim_random(self, 400);
	if (dice == 0)
	{
		want_at_random(self);
	}
	else if (dice < 60)
	{
		want_a_little_else(self);
	}
	else if (dice < 62)
	{
		lrd_arbiter_texture *t = &self->textures[sim_random(self, self->count)];
		t->floor = (uint8_t)(t->level_count - 4 - sim_random(self, 3)); // pinned a little finer, or no more
	}
	else if (dice < 64)
	{
		uint32_t i = sim_random(self, self->count);
		if (!self->textures[i].in_transition && self->retired_count < SIM_RETIRED)
		{
			self->retired[self->retired_count] = self->textures[i].image_bytes[self->textures[i].resident];
			self->retired_due[self->retired_count++] = self->desc.frame + self->frames;
			sim_make_texture(self, i, 5 + sim_random(self, 7), 16, 4); // another texture takes its place
		}
	}
}

static void simulate(void (*check)(sim *self, uint64_t allowed), uint32_t step)
{
	static const uint32_t percents[] = { 100, 25, 50, 10, 400, 25 };
	for (uint32_t round = 0; round < 6; round++)
	{
		sim self;
		sim_open(&self, 150, round + 1);
		sim_fill(&self);
		self.desc.step = step;
		self.delay = round * 2;
		self.frames = round;
		uint64_t full = sim_full(&self);
		self.desc.budget = full / 100 * percents[round];
		uint64_t above = 0; // what there was when the budget was lowered
		for (uint32_t frame = 0; frame < FRAMES / 6 + 1; frame++)
		{
			move(&self);
			if (sim_random(&self, 300) == 0)
			{
				self.desc.budget = full / 100 * percents[sim_random(&self, 6)];
				above = sim_images(&self);
			}
			sim_step(&self);
			// What is above a budget that was lowered is shed; the images which do that are above it, too.
			uint64_t least = self.desc.budget / 20;
			uint64_t shedding = above + (least > self.report.room_bytes ? least : self.report.room_bytes);
			above = self.report.accounted_bytes <= self.desc.budget ? 0 : above;
			check(&self, above != 0 ? shedding : self.desc.budget);
		}
		sim_close(&self);
	}
}

static void is_sum_of_images(sim *self, uint64_t allowed)
{
	(void)allowed;
	assert_int_equal(self->report.accounted_bytes, sim_images(self));
	assert_int_equal(self->report.tail_bytes, sim_floors(self));
}

static void accounted_bytes_equal_the_sum_over_images_at_every_step(void **state)
{
	(void)state;
	simulate(is_sum_of_images, 0);
	simulate(is_sum_of_images, 1);
}

static void is_within(sim *self, uint64_t allowed)
{
	assert_true(sim_images(self) <= allowed);
}

static void images_are_never_above_the_budget_unless_tails_and_pins_are(void **state)
{
	(void)state;
	simulate(is_within, 0);
	simulate(is_within, 1);
}

// As a stream does when a device refuses memory: what there is was too much, for a while. Transitions fail, too.
static void refuse_sometimes(sim *self, uint64_t budget, uint32_t *refused)
{
	if (sim_random(self, 60) == 0)
	{
		uint64_t images = sim_images(self);
		uint64_t less = images - images / 16;
		self->desc.budget = less < self->desc.budget ? less : self->desc.budget;
		*refused = self->desc.frame;
	}
	else if (self->desc.frame - *refused > 30)
	{
		self->desc.budget = budget;
	}
	for (uint32_t i = 0; i < self->count; i++)
	{
		lrd_arbiter_texture *t = &self->textures[i];
		if (t->in_transition && self->more[i].due <= self->desc.frame + 1 && sim_random(self, 4) == 0)
		{
			t->in_transition = false;
			t->last_change = self->desc.frame + 1;
			t->wanted_since = self->desc.frame;
		}
	}
}

static void images_stay_within_what_there_was_before_a_device_refused_memory(void **state)
{
	(void)state;
	for (uint32_t round = 0; round < 12; round++)
	{
		sim self;
		sim_open(&self, 60 + round * 10, round + 1);
		sim_fill(&self);
		self.desc.step = round % 2;
		self.delay = round % 7;
		self.frames = round % 4;
		uint64_t budget = sim_full(&self) / 4;
		uint32_t refused = self.desc.frame, shed = 0;
		self.desc.budget = budget;
		self.desc.ceiling = budget;
		for (uint32_t frame = 0; frame < FRAMES / 6; frame++)
		{
			move(&self);
			refuse_sometimes(&self, budget, &refused);
			sim_step(&self);
			assert_true(sim_images(&self) <= budget);
			shed += self.desc.budget < budget && self.report.accounted_bytes <= self.desc.budget;
		}
		assert_true(shed > 10); // or it never got there
		sim_close(&self);
	}
}

// Any state, then nothing moves: from there on a texture that changed keeps still for the grace period.
static void hold_still(sim *self)
{
	uint32_t start = self->desc.frame;
	uint32_t *changes = calloc(self->count, sizeof *changes);
	uint32_t *last = calloc(self->count, sizeof *last);
	bool *sank = calloc(self->count, sizeof *sank);
	for (uint32_t frame = 0; frame < 300; frame++)
	{
		sim_step(self);
		for (uint32_t i = 0; i < self->changed; i++)
		{
			uint32_t texture = self->changes[i].texture;
			bool sinks = self->changes[i].to > self->changes[i].from;
			bool may_follow = self->desc.step != 0 && sinks == sank[texture]; // steps of one way
			if (changes[texture] != 0 && self->desc.frame - last[texture] < 30 && !may_follow)
			{
				fail_msg(
					"texture %u changed in frames %u and %u", texture, last[texture] - start, self->desc.frame - start);
			}
			changes[texture]++;
			last[texture] = self->desc.frame;
			sank[texture] = sinks;
		}
	}
	assert_int_equal(self->changed, 0);
	bool is_enough = self->report.demanded_bytes + self->report.room_bytes <= self->desc.budget;
	for (uint32_t i = 0; is_enough && i < self->count; i++)
	{
		assert_true(self->textures[i].resident <= self->textures[i].wanted);
	}
	free(sank);
	free(last);
	free(changes);
}

static void no_texture_changes_twice_within_the_grace_period_under_constant_demand(void **state)
{
	(void)state;
	for (uint32_t round = 0; round < 60; round++)
	{
		sim self;
		sim_open(&self, 60 + round, round);
		sim_fill(&self);
		self.desc.step = round % 3 == 2;
		self.delay = round % 5;
		self.frames = round % 4;
		uint64_t full = sim_full(&self);
		for (uint32_t phase = 0; phase < 4; phase++)
		{
			self.desc.budget = full / 100 * (5 + sim_random(&self, 140));
			want_at_random(&self);
			for (uint32_t frame = sim_random(&self, 60); frame > 0; frame--)
			{
				want_a_little_else(&self);
				sim_step(&self);
			}
			hold_still(&self);
		}
		sim_close(&self);
	}
}

static void with_enough_budget_every_demand_is_met_within_the_count_over_16_frames(void **state)
{
	(void)state;
	for (uint32_t round = 0; round < 40; round++)
	{
		sim self;
		sim_open(&self, 1 + round * 37 % 400, round);
		sim_fill(&self);
		self.desc.budget = sim_full(&self) * 2;
		self.frames = 3;
		for (uint32_t phase = 0; phase < 3; phase++)
		{
			want_at_random(&self);
			uint32_t unmet = 0;
			for (uint32_t i = 0; i < self.count; i++)
			{
				unmet += self.textures[i].wanted < self.textures[i].resident;
			}
			for (uint32_t frame = 0; frame < (unmet + 15) / 16; frame++)
			{
				sim_step(&self);
			}
			sim_step(&self); // the last images are done
			for (uint32_t i = 0; i < self.count; i++)
			{
				assert_true(self.textures[i].resident <= self.textures[i].wanted);
			}
		}
		sim_close(&self);
	}
}

// A ring of textures turns past: each comes near and goes away, level by level, and out of sight.
static void turn(sim *self, uint32_t frame, uint32_t turns)
{
	for (uint32_t i = 0; i < self->count; i++)
	{
		uint32_t angle = (frame * 4096 / turns + i * 4096 / self->count) % 4096;
		uint32_t away = angle < 2048 ? angle : 4096 - angle;
		uint32_t level = away / 512;
		uint32_t floor = self->textures[i].floor;
		sim_want(self, i, away > 1800 || level > floor ? floor : level, 0);
	}
}

static void turntable_with_a_quarter_of_the_textures_shows_no_pop_larger_than_a_level(void **state)
{
	(void)state;
	sim self;
	sim_open(&self, 200, 5);
	sim_fill(&self);
	self.desc.budget = sim_full(&self) / 4;
	self.desc.step = 1;
	self.delay = 3;
	uint32_t limited = 0;
	for (uint32_t frame = 0; frame < 3600; frame++)
	{
		turn(&self, frame, 720);
		sim_step(&self);
		limited += self.report.limited != 0;
		assert_true(sim_images(&self) <= self.desc.budget);
		for (uint32_t i = 0; i < self.count; i++)
		{
			const lrd_arbiter_texture *t = &self.textures[i];
			uint32_t before = self.more[i].finest_seen;
			uint32_t seen = t->resident > t->wanted ? t->resident : t->wanted; // finer than that nobody sees
			uint32_t seen_before = before > t->wanted ? before : t->wanted;
			assert_true(seen <= seen_before + 1 && seen_before <= seen + 1);
			self.more[i].finest_seen = t->resident;
		}
	}
	assert_true(limited > 1000); // or it was no pressure
	sim_close(&self);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(accounted_bytes_equal_the_sum_over_images_at_every_step),
		cmocka_unit_test(images_are_never_above_the_budget_unless_tails_and_pins_are),
		cmocka_unit_test(images_stay_within_what_there_was_before_a_device_refused_memory),
		cmocka_unit_test(no_texture_changes_twice_within_the_grace_period_under_constant_demand),
		cmocka_unit_test(with_enough_budget_every_demand_is_met_within_the_count_over_16_frames),
		cmocka_unit_test(turntable_with_a_quarter_of_the_textures_shows_no_pop_larger_than_a_level),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

// The arbiter's rules one by one, each with as few textures as show it.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixtures/stream_sim.h"

#define TAIL 4
#define LEVEL_OF_TAIL 7 // of the textures here: 1024 texels a side, eleven levels

/// Textures of 1 MiB and a third each, all at their tails, with a budget in MiB.
static void open_same(sim *self, uint32_t count, uint64_t budget_mib)
{
	sim_open(self, count, 1);
	for (uint32_t i = 0; i < count; i++)
	{
		sim_make_texture(self, i, 10, 16, TAIL);
	}
	self->desc.budget = budget_mib << 20;
	self->frames = 0;
}

static void run(sim *self, uint32_t frames)
{
	for (uint32_t i = 0; i < frames; i++)
	{
		sim_step(self);
	}
}

static void wish_that_fits_is_met_in_one_transition(void **state)
{
	(void)state;
	sim self;
	open_same(&self, 1, 8);
	sim_want(&self, 0, 0, 0);
	sim_step(&self);
	assert_int_equal(self.changed, 1);
	assert_int_equal(self.changes[0].from, LEVEL_OF_TAIL);
	assert_int_equal(self.changes[0].to, 0);
	run(&self, 1);
	assert_int_equal(self.report.full, 1);
	assert_int_equal(self.report.resident_bytes, self.more[0].bytes[0]);
	assert_int_equal(self.report.demanded_bytes, self.more[0].bytes[0]);
	sim_close(&self);
}

static void finest_suffix_that_fits_is_admitted_of_a_wish_that_does_not(void **state)
{
	(void)state;
	sim self;
	open_same(&self, 1, 1);
	sim_want(&self, 0, 0, 0);
	run(&self, 100);
	assert_int_equal(self.textures[0].resident, 1);
	assert_int_equal(self.report.limited, 1);
	assert_int_equal(self.report.missing_bytes, self.more[0].bytes[0] - self.more[0].bytes[1]);
	sim_close(&self);
}

static void tails_above_the_budget_are_overflow_and_stay(void **state)
{
	(void)state;
	sim self;
	open_same(&self, 3, 0);
	self.desc.budget = 100;
	sim_want(&self, 1, 0, 0);
	run(&self, 100);
	assert_int_equal(self.report.tail_bytes, 3 * self.more[0].bytes[LEVEL_OF_TAIL]);
	assert_int_equal(self.report.overflow, self.report.tail_bytes - 100);
	assert_int_equal(self.textures[1].resident, LEVEL_OF_TAIL);
	sim_close(&self);
}

static void higher_priority_is_met_first_and_takes_from_lower(void **state)
{
	(void)state;
	sim self;
	open_same(&self, 4, 4);
	for (uint32_t i = 0; i < 3; i++)
	{
		sim_want(&self, i, 0, 1);
	}
	run(&self, 100);
	uint64_t had = sim_images(&self) - self.more[3].bytes[LEVEL_OF_TAIL];
	sim_want(&self, 3, 0, 5);
	run(&self, 100);
	assert_int_equal(self.textures[3].resident, 0);
	assert_true(sim_images(&self) - self.more[3].bytes[0] < had);
	sim_close(&self);
}

static void what_lacks_most_levels_goes_first(void **state)
{
	(void)state;
	sim self;
	open_same(&self, 3, 64);
	self.desc.max_transitions = 1;
	sim_want(&self, 0, 3, 0);
	sim_want(&self, 1, 0, 0);
	sim_want(&self, 2, 2, 0);
	static const uint32_t order[] = { 1, 2, 0 };
	for (uint32_t i = 0; i < 3; i++)
	{
		sim_step(&self);
		assert_int_equal(self.changes[0].texture, order[i]);
	}
	sim_close(&self);
}

static void under_pressure_all_of_a_priority_lack_the_same_number_of_levels_but_for_one(void **state)
{
	(void)state;
	sim self;
	open_same(&self, 40, 20);
	for (uint32_t i = 0; i < 40; i++)
	{
		sim_want(&self, i, 0, 0);
	}
	run(&self, 300);
	uint32_t with[SIM_LEVELS] = { 0 };
	for (uint32_t i = 0; i < 40; i++)
	{
		with[self.textures[i].resident]++;
	}
	assert_int_equal(with[0] + with[1], 40);
	assert_true(with[0] > 3 && with[1] > 20);
	sim_close(&self);
}

static void no_more_than_so_many_change_in_a_call(void **state)
{
	(void)state;
	sim self;
	open_same(&self, 100, 400);
	for (uint32_t i = 0; i < 100; i++)
	{
		sim_want(&self, i, 0, 0);
	}
	sim_step(&self);
	assert_int_equal(self.changed, 16);
	self.desc.max_transitions = 5;
	sim_step(&self);
	assert_int_equal(self.changed, 5);
	self.desc.max_transitions = 1000;
	sim_step(&self);
	assert_int_equal(self.changed, LRD_ARBITER_MAX_TRANSITIONS);
	sim_close(&self);
}

static void what_nobody_wants_any_more_stays_while_there_is_room(void **state)
{
	(void)state;
	sim self;
	open_same(&self, 2, 16);
	sim_want(&self, 0, 0, 0);
	run(&self, 10);
	sim_want(&self, 0, LEVEL_OF_TAIL, 0);
	run(&self, 1000);
	assert_int_equal(self.textures[0].resident, 0);
	sim_close(&self);
}

static void oldest_wish_goes_first_when_others_need_room(void **state)
{
	(void)state;
	sim self;
	open_same(&self, 4, 5);
	for (uint32_t i = 0; i < 3; i++)
	{
		sim_want(&self, (i + 1) % 3, 0, 0); // 1, 2, 0
		run(&self, 40);
		sim_want(&self, (i + 1) % 3, LEVEL_OF_TAIL, 0);
	}
	run(&self, 60);
	sim_want(&self, 3, 0, 0);
	sim_step(&self);
	assert_int_equal(self.changes[0].texture, 1);
	assert_int_equal(self.changes[0].to, LEVEL_OF_TAIL);
	run(&self, 10);
	assert_int_equal(self.textures[3].resident, 0);
	assert_int_equal(self.textures[2].resident, 0);
	assert_int_equal(self.textures[0].resident, 0);
	sim_close(&self);
}

static void nothing_goes_before_the_grace_period_is_over(void **state)
{
	(void)state;
	sim self;
	open_same(&self, 4, 5);
	for (uint32_t i = 0; i < 3; i++)
	{
		sim_want(&self, i, 0, 0);
	}
	run(&self, 100);
	for (uint32_t i = 0; i < 3; i++)
	{
		sim_want(&self, i, LEVEL_OF_TAIL, 0);
	}
	sim_want(&self, 3, 0, 0);
	run(&self, 29);
	for (uint32_t i = 0; i < 3; i++)
	{
		assert_int_equal(self.textures[i].resident, 0);
	}
	assert_int_equal(self.textures[3].resident, 1); // meanwhile the finest that fits
	run(&self, 10);
	assert_int_equal(self.textures[0].resident, LEVEL_OF_TAIL);
	assert_int_equal(self.textures[3].resident, 0);
	sim_close(&self);
}

static void lowered_budget_is_kept_to_at_once(void **state)
{
	(void)state;
	sim self;
	open_same(&self, 10, 64);
	for (uint32_t i = 0; i < 10; i++)
	{
		sim_want(&self, i, 0, 0);
	}
	run(&self, 3);
	self.desc.budget = 4 << 20;
	run(&self, 20);
	assert_true(sim_images(&self) <= self.desc.budget);
	assert_int_equal(self.report.limited, 10);
	sim_close(&self);
}

static void shedding_does_not_exceed_what_there_was_when_a_device_refused_memory(void **state)
{
	(void)state;
	sim self;
	open_same(&self, 5, 64);
	for (uint32_t i = 0; i < 5; i++)
	{
		self.textures[i].resident = 0;
	}
	self.textures[0].resident = 1;
	self.textures[0].in_transition = true;
	self.more[0].due = self.desc.frame + 3;
	self.desc.step = 1;
	self.desc.ceiling = sim_images(&self);
	self.desc.budget = self.desc.ceiling / 16 * 15; // less than there will be when the transition is through
	for (uint32_t frame = 0; frame < 10; frame++)
	{
		run(&self, 1);
		assert_true(sim_images(&self) <= self.desc.ceiling);
	}
	assert_true(sim_images(&self) <= self.desc.budget);
	sim_close(&self);
}

static void pinned_level_is_there_whatever_the_budget(void **state)
{
	(void)state;
	sim self;
	open_same(&self, 3, 1);
	self.textures[1].floor = 0;
	run(&self, 50);
	assert_int_equal(self.textures[1].resident, 0);
	assert_true(self.report.overflow != 0);
	self.textures[1].floor = LEVEL_OF_TAIL; // no more
	run(&self, 50);
	assert_true(sim_images(&self) <= self.desc.budget);
	sim_close(&self);
}

static void pin_takes_room_from_what_is_only_wanted(void **state)
{
	(void)state;
	sim self;
	open_same(&self, 4, 5);
	for (uint32_t i = 0; i < 3; i++)
	{
		sim_want(&self, i, 0, 9);
	}
	run(&self, 10);
	self.textures[3].floor = 0;
	run(&self, 10);
	assert_int_equal(self.textures[3].resident, 0);
	assert_true(sim_images(&self) <= self.desc.budget);
	assert_int_equal(self.report.limited, 1);
	sim_close(&self);
}

static void with_a_step_levels_come_one_by_one(void **state)
{
	(void)state;
	sim self;
	open_same(&self, 1, 8);
	self.desc.step = 1;
	sim_want(&self, 0, 2, 0);
	for (uint32_t level = LEVEL_OF_TAIL; level > 2; level--)
	{
		sim_step(&self);
		assert_int_equal(self.changed, 1);
		assert_int_equal(self.changes[0].to, level - 1);
	}
	sim_step(&self);
	assert_int_equal(self.changed, 0);
	sim_close(&self);
}

static void bias_makes_every_wish_coarser_or_finer(void **state)
{
	(void)state;
	sim self;
	open_same(&self, 2, 16);
	self.desc.lod_bias = 2;
	sim_want(&self, 0, 1, 0);
	sim_step(&self);
	assert_int_equal(self.changes[0].to, 3);
	self.desc.lod_bias = -3;
	sim_want(&self, 1, 2, 0);
	run(&self, 100);
	assert_int_equal(self.textures[0].resident, 0);
	assert_int_equal(self.textures[1].resident, 0);
	sim_close(&self);
}

static void settings_beyond_their_range_count_as_its_ends(void **state)
{
	(void)state;
	sim self;
	open_same(&self, 1, 8);
	sim_want(&self, 0, 2, 0);
	self.desc.lod_bias = INT32_MAX;
	run(&self, 100);
	assert_int_equal(self.textures[0].resident, LEVEL_OF_TAIL);
	self.desc.lod_bias = INT32_MIN;
	run(&self, 100);
	assert_int_equal(self.textures[0].resident, 0);
	sim_close(&self);
	open_same(&self, 1, 8);
	sim_want(&self, 0, 0, 0);
	self.desc.step = UINT32_MAX;
	self.desc.headroom = UINT32_MAX;
	self.desc.max_transitions = UINT32_MAX;
	run(&self, 2);
	assert_int_equal(self.textures[0].resident, 0);
	// Down again, by as many levels.
	self.desc.budget = self.more[0].bytes[5] + 1;
	run(&self, 2);
	assert_true(self.textures[0].resident >= 5);
	sim_close(&self);
}

static void what_is_on_its_way_is_left_alone_and_counts_twice(void **state)
{
	(void)state;
	sim self;
	open_same(&self, 1, 8);
	self.textures[0].in_transition = true;
	self.textures[0].target = 3;
	self.more[0].due = UINT32_MAX;
	sim_want(&self, 0, 0, 0);
	run(&self, 100);
	assert_int_equal(self.more[0].changes, 0);
	assert_int_equal(self.report.accounted_bytes, self.more[0].bytes[3] + self.more[0].bytes[LEVEL_OF_TAIL]);
	assert_int_equal(self.report.resident_bytes, self.more[0].bytes[3]);
	sim_close(&self);
}

static void old_and_new_image_fit_together_or_the_new_one_waits(void **state)
{
	(void)state;
	sim self;
	open_same(&self, 1, 8);
	sim_want(&self, 0, 0, 0);
	self.retired[0] = 7 << 20; // somebody else's, which no frame uses in a while
	self.retired_due[0] = self.desc.frame + 20;
	self.retired_count = 1;
	run(&self, 19);
	assert_int_equal(self.more[0].changes, 0);
	run(&self, 1);
	assert_int_equal(self.more[0].changes, 1);
	sim_close(&self);
}

static void frames_may_wrap_around(void **state)
{
	(void)state;
	sim self;
	sim_open(&self, 4, 1);
	self.desc.frame = UINT32_MAX - 50;
	for (uint32_t i = 0; i < 4; i++)
	{
		sim_make_texture(&self, i, 10, 16, TAIL);
		self.textures[i].wanted_since = self.desc.frame;
		self.textures[i].last_change = self.desc.frame - 1;
	}
	self.desc.budget = 3 << 20;
	for (uint32_t turn = 0; turn < 8; turn++)
	{
		for (uint32_t i = 0; i < 4; i++)
		{
			sim_want(&self, i, turn % 4 == i ? 0 : LEVEL_OF_TAIL, 0);
		}
		run(&self, 40);
		assert_int_equal(self.textures[turn % 4].resident, 0);
		assert_true(sim_images(&self) <= self.desc.budget);
	}
	sim_close(&self);
}

static void same_report(const lrd_arbiter_report *a, const lrd_arbiter_report *b)
{
	assert_int_equal(a->resident_bytes, b->resident_bytes);
	assert_int_equal(a->demanded_bytes, b->demanded_bytes);
	assert_int_equal(a->room_bytes, b->room_bytes);
	assert_int_equal(a->missing_bytes, b->missing_bytes);
	assert_int_equal(a->limited, b->limited);
	assert_int_equal(a->full, b->full);
}

static void textures_that_share_their_sizes_fare_like_those_with_sizes_of_their_own(void **state)
{
	(void)state;
	enum
	{
		COUNT = 4000
	};
	sim own, shared;
	sim_open(&own, COUNT, 3);
	sim_fill(&own);
	sim_open(&shared, COUNT, 3);
	sim_fill(&shared);
	for (uint32_t i = 0; i < COUNT; i++)
	{
		uint32_t same = 0;
		while (shared.more[same].bytes[0] != shared.more[i].bytes[0])
		{
			same++;
		}
		shared.textures[i].image_bytes = shared.more[same].bytes;
	}
	own.desc.budget = shared.desc.budget = sim_full(&own) / 20;
	for (uint32_t frame = 0; frame < 200; frame++)
	{
		for (uint32_t i = 0; i < (frame == 0 ? COUNT : 40); i++)
		{
			uint32_t index = frame == 0 ? i : sim_random(&own, COUNT);
			uint32_t level = sim_random(&own, own.textures[index].floor + 1u);
			int32_t priority = (int32_t)sim_random(&own, 3);
			sim_want(&own, index, level, priority);
			sim_want(&shared, index, level, priority);
		}
		sim_step(&own);
		sim_step(&shared);
		assert_int_equal(own.changed, shared.changed);
		assert_memory_equal(own.changes, shared.changes, own.changed * sizeof *own.changes);
		same_report(&own.report, &shared.report);
	}
	assert_true(own.report.limited > COUNT / 8);
	sim_close(&own);
	sim_close(&shared);
}

static void no_textures_are_no_changes(void **state)
{
	(void)state;
	lrd_arbiter_report report;
	lrd_arbiter_change changes[16];
	const lrd_arbiter_desc desc = { .budget = 100, .other_bytes = 7 };
	assert_int_equal(lrd_arbiter_run(&desc, NULL, 0, changes, &report), 0);
	assert_int_equal(report.accounted_bytes, 7);
	assert_int_equal(report.resident_bytes, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wish_that_fits_is_met_in_one_transition),
		cmocka_unit_test(finest_suffix_that_fits_is_admitted_of_a_wish_that_does_not),
		cmocka_unit_test(tails_above_the_budget_are_overflow_and_stay),
		cmocka_unit_test(higher_priority_is_met_first_and_takes_from_lower),
		cmocka_unit_test(what_lacks_most_levels_goes_first),
		cmocka_unit_test(under_pressure_all_of_a_priority_lack_the_same_number_of_levels_but_for_one),
		cmocka_unit_test(no_more_than_so_many_change_in_a_call),
		cmocka_unit_test(what_nobody_wants_any_more_stays_while_there_is_room),
		cmocka_unit_test(oldest_wish_goes_first_when_others_need_room),
		cmocka_unit_test(nothing_goes_before_the_grace_period_is_over),
		cmocka_unit_test(lowered_budget_is_kept_to_at_once),
		cmocka_unit_test(shedding_does_not_exceed_what_there_was_when_a_device_refused_memory),
		cmocka_unit_test(pinned_level_is_there_whatever_the_budget),
		cmocka_unit_test(pin_takes_room_from_what_is_only_wanted),
		cmocka_unit_test(with_a_step_levels_come_one_by_one),
		cmocka_unit_test(bias_makes_every_wish_coarser_or_finer),
		cmocka_unit_test(settings_beyond_their_range_count_as_its_ends),
		cmocka_unit_test(what_is_on_its_way_is_left_alone_and_counts_twice),
		cmocka_unit_test(old_and_new_image_fit_together_or_the_new_one_waits),
		cmocka_unit_test(frames_may_wrap_around),
		cmocka_unit_test(textures_that_share_their_sizes_fare_like_those_with_sizes_of_their_own),
		cmocka_unit_test(no_textures_are_no_changes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

// The arbiter against every allocation that there is, on instances small enough to try them all: where it comes to rest, nobody could have been
// served better without somebody more urgent, or worse off, being served worse.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixtures/stream_sim.h"

#define INSTANCES 3000

static void make_instance(sim *self)
{
	for (uint32_t i = 0; i < self->count; i++)
	{
		sim_make_texture(self, i, 3 + sim_random(self, 3), 8, 1 + sim_random(self, 2));
		uint64_t bytes = 1 + sim_random(self, 20);
		for (uint32_t level = self->textures[i].level_count; level-- > 0; bytes += bytes * 2 + sim_random(self, 40))
		{
			self->more[i].bytes[level] = bytes; // sizes of all sorts, each more than three times the next
		}
		sim_want(self, i, sim_random(self, self->textures[i].floor + 1u), (int32_t)sim_random(self, 3));
	}
	self->desc.budget = sim_floors(self) + sim_random(self, (uint32_t)sim_full(self) + 1);
	self->desc.grace = 1;
	self->desc.headroom = 1;
}

static void come_to_rest(sim *self)
{
	uint32_t still = 0;
	for (uint32_t frame = 0; frame < 400 && still < 4; frame++)
	{
		sim_step(self);
		still = self->changed == 0 ? still + 1 : 0;
	}
	assert_int_equal(still, 4);
}

/// An instance at rest, and one class of it.
typedef struct trial
{
	const sim *sim;
	int32_t priority;
	uint64_t hold; ///< bytes that there are for all textures
	uint32_t best; ///< the fewest levels that the worst-served texture of the class lacks, of all allocations
} trial;

// Every level of every texture of the class; higher classes as they are, lower ones at their floors.
static void try_all(trial *self, uint32_t index, uint64_t bytes, uint32_t worst)
{
	if (bytes > self->hold)
	{
		return;
	}
	if (index == self->sim->count)
	{
		self->best = worst < self->best ? worst : self->best;
		return;
	}
	const lrd_arbiter_texture *t = &self->sim->textures[index];
	if (t->priority != self->priority)
	{
		uint32_t level = t->priority > self->priority ? t->resident : t->floor;
		try_all(self, index + 1, bytes + t->image_bytes[level], worst);
		return;
	}
	for (uint32_t level = t->wanted; level <= t->floor; level++)
	{
		uint32_t lacks = level - t->wanted;
		try_all(self, index + 1, bytes + t->image_bytes[level], lacks > worst ? lacks : worst);
	}
}

static uint32_t worst_served(const sim *self, int32_t priority)
{
	uint32_t worst = 0;
	for (uint32_t i = 0; i < self->count; i++)
	{
		const lrd_arbiter_texture *t = &self->textures[i];
		if (t->priority == priority && t->resident > t->wanted)
		{
			uint32_t lacks = t->resident - t->wanted;
			worst = lacks > worst ? lacks : worst;
		}
	}
	return worst;
}

// Room for the largest transition is there: only then can every allocation be reached.
static bool has_room(const sim *self)
{
	return self->report.room_bytes < self->desc.budget / 4;
}

static void worst_served_texture_of_each_priority_lacks_the_fewest_levels_possible(void **state)
{
	(void)state;
	uint32_t tried = 0;
	for (uint32_t n = 0; n < INSTANCES; n++)
	{
		sim self;
		sim_open(&self, 1 + n % 5, n);
		self.frames = 0;
		make_instance(&self);
		come_to_rest(&self);
		for (int32_t priority = 2; priority >= 0 && has_room(&self); priority--)
		{
			trial best = { &self, priority, self.desc.budget - self.report.room_bytes, UINT32_MAX };
			try_all(&best, 0, 0, 0);
			if (best.best != UINT32_MAX)
			{
				tried++;
				assert_int_equal(worst_served(&self, priority), best.best);
			}
		}
		sim_close(&self);
	}
	assert_true(tried > INSTANCES);
}

static void nothing_that_still_fits_is_left_undone(void **state)
{
	(void)state;
	for (uint32_t n = 0; n < INSTANCES; n++)
	{
		sim self;
		sim_open(&self, 1 + n % 5, n + INSTANCES);
		self.frames = 0;
		make_instance(&self);
		come_to_rest(&self);
		uint64_t spare = self.desc.budget / 1000;
		uint64_t kept = self.report.room_bytes > spare ? self.report.room_bytes : spare;
		for (uint32_t i = 0; i < self.count && has_room(&self); i++)
		{
			const lrd_arbiter_texture *t = &self.textures[i];
			uint64_t more = t->resident > t->wanted ? t->image_bytes[t->resident - 1] - t->image_bytes[t->resident] : 0;
			assert_true(t->resident <= t->wanted || sim_images(&self) + more > self.desc.budget - kept);
		}
		sim_close(&self);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(worst_served_texture_of_each_priority_lacks_the_fewest_levels_possible),
		cmocka_unit_test(nothing_that_still_fits_is_left_undone),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

// stream/arbiter_change.c: of those textures that were picked, which change now, and how far. There must be room twice: once all is
// through for what is then resident, and meanwhile for old and new images together.

#include "stream/arbiter.h"

static const lrd_arbiter_texture *texture_of(const lrd_arbiter *self, const lrd_arbiter_pick *pick)
{
	return &self->textures[pick->texture];
}

static bool has_rank(const lrd_arbiter_pick *pick, uint32_t rank)
{
	return (pick->key >> 32 & rank) != 0;
}

// --- How far ---

static uint32_t goal_of(const lrd_arbiter *self, const lrd_arbiter_texture *t)
{
	return lrd_arbiter_goal(&self->shares[lrd_arbiter_class(t)], t, lrd_arbiter_wish(self, t));
}

// What all may come to when this texture rises to a level.
static uint64_t limit_of(const lrd_arbiter *self, const lrd_arbiter_texture *t, uint32_t to)
{
	return to >= goal_of(self, t) ? self->hold : self->upgrade;
}

// What has to go before it can.
static uint64_t lacking_for(const lrd_arbiter *self, const lrd_arbiter_texture *t, uint32_t to, uint64_t planned)
{
	uint64_t after = planned + t->image_bytes[to] - lrd_arbiter_image(t, t->resident);
	uint64_t meanwhile = self->planned + t->image_bytes[to];
	uint64_t limit = limit_of(self, t, to);
	uint64_t lacks = after > limit ? after - limit : 0;
	uint64_t lacks_meanwhile = meanwhile > self->budget ? meanwhile - self->budget : 0;
	return lacks > lacks_meanwhile ? lacks : lacks_meanwhile;
}

static void count_needed(lrd_arbiter *self)
{
	uint64_t planned = self->planned;
	self->needed = planned > self->hold ? planned - self->hold : 0;
	for (uint32_t i = 0; i < self->rising.count && has_rank(&self->rising.list[i], LRD_ARBITER_RIGHT); i++)
	{
		const lrd_arbiter_pick *pick = &self->rising.list[i];
		const lrd_arbiter_texture *t = texture_of(self, pick);
		if (pick->to < t->resident)
		{
			uint64_t lacking = lacking_for(self, t, pick->to, planned);
			self->needed = lacking > self->needed ? lacking : self->needed;
			planned += t->image_bytes[pick->to] - lrd_arbiter_image(t, t->resident);
		}
	}
}

void lrd_arbiter_aim(lrd_arbiter *self)
{
	for (uint32_t i = 0; i < self->rising.count; i++)
	{
		lrd_arbiter_pick *pick = &self->rising.list[i];
		const lrd_arbiter_texture *t = texture_of(self, pick);
		lrd_arbiter_share *share = &self->shares[lrd_arbiter_class(t)];
		if (has_rank(pick, LRD_ARBITER_RIGHT) && share->bias != 0 &&
			pick->to == lrd_arbiter_wish(self, t) + share->bias)
		{
			uint64_t more = t->image_bytes[pick->to - 1] - t->image_bytes[pick->to];
			bool is_enough = more <= share->left;
			share->left -= is_enough ? more : 0;
			pick->to = (uint8_t)(pick->to - is_enough);
		}
		pick->to = (uint8_t)lrd_arbiter_stepped(self, t, pick->to);
	}
	count_needed(self);
}

void lrd_arbiter_trim(lrd_arbiter *self)
{
	for (uint32_t i = 0; i < self->rising.count && has_rank(&self->rising.list[i], LRD_ARBITER_RIGHT); i++)
	{
		lrd_arbiter_pick *pick = &self->rising.list[i];
		const lrd_arbiter_texture *t = texture_of(self, pick);
		while (pick->to < t->resident && lacking_for(self, t, pick->to, self->planned) > self->freeable)
		{
			pick->to++;
		}
	}
	count_needed(self);
}

// --- Changing ---

static void change(lrd_arbiter *self, uint32_t index, uint32_t to)
{
	const lrd_arbiter_texture *t = &self->textures[index];
	self->changes[self->changed++] = (lrd_arbiter_change){ index, t->resident, (uint8_t)to };
	self->planned = self->planned + t->image_bytes[to] - lrd_arbiter_image(t, t->resident);
	self->accounted += t->image_bytes[to];
}

static uint64_t free_bytes(const lrd_arbiter *self)
{
	uint64_t taken = self->accounted + self->kept;
	return taken < self->budget ? self->budget - taken : 0;
}

// Something will go by itself.
static bool is_waiting(const lrd_arbiter *self)
{
	return self->flying != 0 || self->changed != 0 || self->budget_other != 0;
}

// Above the budget there is no room for a smaller image beside the one that is to go: a little is taken all the same, and counted as
// long as old images are there, of which the new ones are a third at most.
static bool is_pressing(const lrd_arbiter *self, uint64_t bytes)
{
	uint64_t taken = self->sinking + self->budget_other / 3;
	bool is_little = taken == 0 || taken + bytes <= self->budget - self->upgrade;
	bool is_below = self->planned > self->ceiling || self->accounted + bytes <= self->ceiling;
	return self->is_exceeded && is_little && (is_below || !is_waiting(self));
}

// Demotions, until enough will be free or there are `most` changes.
static void sink(lrd_arbiter *self, uint32_t most)
{
	for (; self->sunk < self->falling.count && self->freed < self->needed && self->changed < most; self->sunk++)
	{
		const lrd_arbiter_pick *pick = &self->falling.list[self->sunk];
		const lrd_arbiter_texture *t = texture_of(self, pick);
		uint64_t bytes = t->image_bytes[pick->to];
		if (bytes <= free_bytes(self) || is_pressing(self, bytes))
		{
			self->sinking += bytes;
			self->freed += t->image_bytes[t->resident] - bytes;
			change(self, pick->texture, pick->to);
		}
	}
}

// What is always resident waits for room as long as waiting helps.
static void raise_floor(lrd_arbiter *self, const lrd_arbiter_pick *pick)
{
	const lrd_arbiter_texture *t = texture_of(self, pick);
	uint64_t bytes = t->image_bytes[t->floor];
	uint64_t after = self->planned + bytes - lrd_arbiter_image(t, t->resident);
	bool fits = after <= self->budget && bytes <= free_bytes(self);
	if (fits || self->floors > self->budget || (!is_waiting(self) && self->sunk == self->falling.count))
	{
		change(self, pick->texture, t->floor);
		return;
	}
	self->kept += bytes;
}

static bool is_room_for(const lrd_arbiter *self, const lrd_arbiter_texture *t, uint32_t to)
{
	return self->planned + t->image_bytes[to] - lrd_arbiter_image(t, t->resident) <= limit_of(self, t, to);
}

static void raise(lrd_arbiter *self, const lrd_arbiter_pick *pick)
{
	const lrd_arbiter_texture *t = texture_of(self, pick);
	uint32_t to = pick->to;
	to += to < goal_of(self, t) && to + 1 < t->resident && !is_room_for(self, t, to);
	if (to >= t->resident || !is_room_for(self, t, to))
	{
		return; // room is being made, and it is the turn of others meanwhile
	}
	if (t->image_bytes[to] > free_bytes(self))
	{
		self->kept += t->image_bytes[to]; // what is on its way makes room, which nobody less urgent is to take
		return;
	}
	change(self, pick->texture, to);
}

static void rise(lrd_arbiter *self)
{
	for (uint32_t i = 0; i < self->rising.count && self->changed < self->most; i++)
	{
		const lrd_arbiter_pick *pick = &self->rising.list[i];
		const lrd_arbiter_texture *t = texture_of(self, pick);
		if (has_rank(pick, LRD_ARBITER_FLOOR) &&
			(pick->to >= t->floor || !is_room_for(self, t, pick->to) || t->image_bytes[pick->to] > free_bytes(self)))
		{
			raise_floor(self, pick);
		}
		else if (has_rank(pick, LRD_ARBITER_RIGHT) || self->needed == 0)
		{
			raise(self, pick);
		}
	}
}

void lrd_arbiter_change_all(lrd_arbiter *self)
{
	// Demotions first, but where there is room for promotions as well half the changes are theirs.
	uint32_t others = self->rising.count < self->most / 2 ? self->rising.count : self->most / 2;
	sink(self, self->most - others);
	rise(self);
	self->kept = 0;
	sink(self, self->most);
}

// stream/arbiter.c: which textures change their finest level this frame. First all bytes are added up; where wishes exceed what there is, a second pass
// says what everybody is to have (arbiter_share.c); then the most urgent promotions are picked, and what may go to make room for
// them; and of those as many are done as the images that exist leave room for (arbiter_change.c).

#include "stream/arbiter.h"

#define BIAS_MOST 32

static uint32_t frames_since(const lrd_arbiter *self, uint32_t frame)
{
	return self->frame - frame;
}

static void add_up(lrd_arbiter *self)
{
	const lrd_arbiter_texture *end = self->textures + self->count;
	uint64_t floors = 0, demanded = 0, planned = 0, accounted = 0, room = 0;
	uint64_t sinking = 0;
	uint32_t full = 0, unsettled = 0, flying = 0;
	for (const lrd_arbiter_texture *t = self->textures; t < end; t++)
	{
		uint32_t wish = lrd_arbiter_wish(self, t);
		const uint64_t *bytes = t->image_bytes;
		uint64_t resident = lrd_arbiter_image(t, t->resident);
		// What it can be demoted to in one transition, from any level that it may have.
		uint32_t lower = self->step != 0 && t->resident + self->step < wish ? t->resident + self->step : wish;
		uint64_t below = t->floor != 0 ? bytes[lower != 0 ? lower : 1] : 0;
		floors += bytes[t->floor];
		demanded += bytes[wish];
		room = below > room ? below : room;
		full += t->resident <= wish;
		accounted += resident;
		if (t->in_transition)
		{
			accounted += bytes[t->target];
			planned += bytes[t->target];
			flying++;
			sinking += t->target > t->resident ? bytes[t->target] : 0;
			continue;
		}
		planned += resident;
		unsettled += t->resident != wish;
	}
	self->floors = floors;
	self->demanded = demanded;
	self->planned = planned;
	self->accounted = self->budget_other + accounted;
	self->room = room < self->budget / 4 ? room : self->budget / 4;
	self->full = full;
	self->unsettled = unsettled;
	self->flying = flying;
	self->sinking = sinking;
}

// --- The best few ---

// A heap whose first is the worst of those picked.
static void sift_down(lrd_arbiter_pick *picks, uint32_t count, uint32_t at)
{
	lrd_arbiter_pick pick = picks[at];
	for (uint32_t child = 2 * at + 1; child < count; child = 2 * at + 1)
	{
		child += child + 1 < count && picks[child + 1].key < picks[child].key;
		if (picks[child].key >= pick.key)
		{
			break;
		}
		picks[at] = picks[child];
		at = child;
	}
	picks[at] = pick;
}

static uint64_t key_of(uint32_t rank, uint32_t texture)
{
	return (uint64_t)rank << 32 | (UINT32_MAX - texture);
}

static void pick(lrd_arbiter_picks *picks, uint32_t rank, uint32_t texture, uint32_t to)
{
	const lrd_arbiter_pick new_pick = { key_of(rank, texture), texture, (uint8_t)to };
	if (new_pick.key <= picks->least)
	{
		return;
	}
	if (picks->count < picks->most)
	{
		picks->list[picks->count++] = new_pick;
		for (uint32_t at = picks->count / 2; picks->count == picks->most && at-- > 0;)
		{
			sift_down(picks->list, picks->count, at);
		}
	}
	else
	{
		picks->list[0] = new_pick;
		sift_down(picks->list, picks->count, 0);
	}
	picks->least = picks->count == picks->most ? picks->list[0].key : 0;
}

static void sort_best_first(lrd_arbiter_picks *picks)
{
	for (uint32_t i = 1; i < picks->count; i++)
	{
		lrd_arbiter_pick moved = picks->list[i];
		uint32_t at = i;
		for (; at > 0 && picks->list[at - 1].key < moved.key; at--)
		{
			picks->list[at] = picks->list[at - 1];
		}
		picks->list[at] = moved;
	}
}

// --- Who may change ---

// A texture changes again within the grace period only if its wish has changed since.
static bool may_rise(const lrd_arbiter *self, const lrd_arbiter_texture *t)
{
	return frames_since(self, t->last_change) >= self->grace || (int32_t)(t->wanted_since - t->last_change) > 0 ||
		   (self->step != 0 && !t->was_demoted);
}

static bool may_fall(const lrd_arbiter *self, const lrd_arbiter_texture *t, bool is_wanted)
{
	return self->is_urgent || (frames_since(self, t->last_change) >= self->grace &&
								  (is_wanted || frames_since(self, t->last_wanted) >= self->grace));
}

static void consider_rising(lrd_arbiter *self, uint32_t index, uint32_t wish, const lrd_arbiter_share *share)
{
	const lrd_arbiter_texture *t = &self->textures[index];
	uint32_t goal = lrd_arbiter_goal(share, t, wish);
	bool lacks_floor = t->resident > t->floor;
	uint32_t rank = lrd_arbiter_class(t) << 8 | (t->resident - wish);
	uint32_t right = LRD_ARBITER_RIGHT | (lacks_floor ? LRD_ARBITER_FLOOR : 0) | rank;
	if (!lacks_floor && !may_rise(self, t))
	{
		return;
	}
	if (t->resident > goal)
	{
		pick(&self->rising, right, index, goal);
		self->floor_lacking |= lacks_floor;
		return;
	}
	// What is left over is for those that it is enough for: for one level more than all have, then for any.
	uint64_t more = t->image_bytes[t->resident - 1] - t->image_bytes[t->resident];
	if (t->resident == wish + share->bias && more <= share->left)
	{
		pick(&self->rising, right, index, goal);
	}
	else if (share->bias != 0 && self->planned + more <= self->upgrade)
	{
		pick(&self->rising, rank, index, t->resident - 1u);
	}
}

static void pick_rising(lrd_arbiter *self)
{
	bool may_give = self->planned + self->least <= self->upgrade;
	for (uint32_t i = 0; i < self->count; i++)
	{
		// Most are settled, or less urgent than those picked: that is to take no guess of the processor's.
		const lrd_arbiter_texture *t = &self->textures[i];
		if (t->in_transition)
		{
			continue;
		}
		uint32_t wish = lrd_arbiter_wish(self, t);
		uint32_t class = lrd_arbiter_class(t);
		const lrd_arbiter_share *share = &self->shares[class];
		uint32_t goal = may_give || share->has_upgrades ? wish : lrd_arbiter_goal(share, t, wish);
		uint32_t rank = LRD_ARBITER_RIGHT | class << 8 | (t->resident - wish);
		bool is_urgent = (rank > self->rising.least >> 32) | (t->resident > t->floor);
		if ((t->resident > goal) & is_urgent)
		{
			consider_rising(self, i, wish, share);
		}
	}
	sort_best_first(&self->rising);
}

// Finer than wanted, or finer than it is to have when all are to have as much.
static void pick_falling(lrd_arbiter *self)
{
	for (uint32_t i = 0; i < self->count; i++)
	{
		const lrd_arbiter_texture *t = &self->textures[i];
		if (t->in_transition)
		{
			continue;
		}
		uint32_t wish = lrd_arbiter_wish(self, t);
		uint32_t class = lrd_arbiter_class(t);
		uint32_t keep = lrd_arbiter_keep(&self->shares[class], t, wish);
		bool is_wanted = t->resident >= wish;
		if (t->resident >= keep || !may_fall(self, t, is_wanted))
		{
			continue;
		}
		uint32_t age = frames_since(self, t->last_wanted);
		uint32_t rank = is_wanted ? (LRD_ARBITER_CLASSES - 1 - class) << 8 | (keep - t->resident)
								  : 1u << 31 | (age < INT32_MAX ? age : INT32_MAX);
		uint32_t to = lrd_arbiter_stepped(self, t, keep);
		self->freeable += t->image_bytes[t->resident] - t->image_bytes[to];
		pick(&self->falling, rank, i, to);
	}
	sort_best_first(&self->falling);
}

static void settle(lrd_arbiter *self)
{
	pick_rising(self);
	lrd_arbiter_aim(self);
	self->is_exceeded = self->planned > self->budget;
	self->is_urgent = self->is_exceeded || (self->needed != 0 && self->floor_lacking);
	if (self->needed != 0)
	{
		pick_falling(self);
		lrd_arbiter_trim(self);
	}
	lrd_arbiter_change_all(self);
}

static void write_report(const lrd_arbiter *self, lrd_arbiter_report *report)
{
	*report = (lrd_arbiter_report){
		.accounted_bytes = self->accounted,
		.resident_bytes = self->planned,
		.tail_bytes = self->floors,
		.demanded_bytes = self->demanded,
		.room_bytes = self->room,
		.limited = self->limited,
		.missing_bytes = self->missing,
		.full = self->full,
		.overflow = self->floors > self->budget ? self->floors - self->budget : 0,
	};
}

// Bytes that images may come to once all is settled: to be kept, and to be reached by upgrades beyond an equal share.
static void set_limits(lrd_arbiter *self, uint32_t headroom)
{
	uint64_t permille = headroom != 0 ? (headroom < 1000 ? headroom : 1000) : 50;
	uint64_t spare = self->budget / 1000 * permille;
	self->hold = self->budget - self->room;
	self->upgrade = self->budget - (spare > self->room ? spare : self->room);
}

uint32_t lrd_arbiter_run(const lrd_arbiter_desc *desc, const lrd_arbiter_texture *textures, uint32_t count,
	lrd_arbiter_change *changes, lrd_arbiter_report *report)
{
	uint32_t most = desc->max_transitions != 0 ? desc->max_transitions : 16;
	most = most < LRD_ARBITER_MAX_TRANSITIONS ? most : LRD_ARBITER_MAX_TRANSITIONS;
	int32_t bias = desc->lod_bias > -BIAS_MOST ? desc->lod_bias : -BIAS_MOST;
	bias = bias < BIAS_MOST ? bias : BIAS_MOST;
	lrd_arbiter self = {
		.textures = textures,
		.count = count,
		.frame = desc->frame,
		.grace = desc->grace != 0 ? desc->grace : 30,
		.step = desc->step < LRD_TEXTURE_MAX_LEVELS ? desc->step : 0, // no texture has as many levels
		.bias = bias,
		.budget = desc->budget,
		.budget_other = desc->other_bytes,
		.ceiling = desc->ceiling != 0 ? desc->ceiling : UINT64_MAX,
		.most = most,
		.least = UINT64_MAX / 2,
		.changes = changes,
		.rising.most = most,
		.falling.most = most,
	};
	add_up(&self);
	set_limits(&self, desc->headroom);
	if (self.demanded > self.hold)
	{
		lrd_arbiter_share_out(&self);
	}
	if (self.unsettled != 0 || self.planned > self.hold)
	{
		settle(&self);
	}
	write_report(&self, report);
	return self.changed;
}

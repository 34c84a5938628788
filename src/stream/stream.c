// stream/stream.c: the arbiter at work on residents: each frame it is told what every texture slot has and is wanted to have, and what it
// decides is asked of the residents. All that is remembered of a slot lies in two arrays by its number, so that a frame in which
// nothing comes or goes allocates nothing; the residents are asked only of slots of which something changed.

#include "stream/stream.h"

#include "base/error.h"
#include "larder/snapshot.h"
#include "os/os.h"

#define BUDGET_DEFAULT (768ull << 20)
#define GRACE_DEFAULT 30u
#define WARN_EVERY_NS 5000000000ull
#define FALLBACK_BYTES 4096u // more than the images have that stand in for missing ones
#define NO_PIN LRD_TEXTURE_MAX_LEVELS
#define GROUP 64u // slots, of lrd_residents_changed_textures

/// A texture slot.
typedef struct stream_row
{
	lrd_asset asset; ///< null: not taken, or not known yet
	uint32_t revision;
	uint32_t demanded; ///< frame of the demand that follows
	uint8_t level;
	int8_t priority;
	uint8_t pin;
	uint8_t tail;   ///< lrd_resident_texture.tail_level, as are
	uint8_t finest; ///< lrd_resident_texture.finest_level
	bool is_known;  ///< its levels' sizes are: the arbiter decides on it
	bool was_asked; ///< its residents were asked for `target`, and have not done it yet
	uint8_t target;
} stream_row;

struct lrd_stream
{
	lrd_residents *residents;
	lrd_stream_desc desc; ///< with defaults filled in
	lrd_allocator allocator;
	lrd_size_set sizes;
	stream_row *rows;              // by slot, as are
	lrd_arbiter_texture *textures; // these
	size_t row_capacity;
	size_t texture_capacity;
	uint32_t count;
	uint32_t known;
	bool is_behind;         ///< every slot has to be looked at: none was yet, or memory ran out
	uint32_t frame;         ///< demands are for the next
	uint64_t budget;        ///< in force
	uint32_t budget_low;    ///< frame in which the budget was last as low as is in force
	uint64_t out_of_memory; ///< lrd_residents_stats.out_of_memory, as last seen
	uint64_t warned;        ///< nanoseconds; 0: never
	lrd_stream_stats stats;
};

// What stands in the arrays for a slot that is none of the arbiter's.
static const uint64_t nothing_bytes[1] = { 0 };
static const lrd_arbiter_texture nothing = { .image_bytes = nothing_bytes, .level_count = 1 };

// --- Making ---

lrd_stream *lrd_stream_create(lrd_residents *residents, const lrd_stream_desc *desc, lrd_error *error)
{
	const lrd_stream_desc own = desc != NULL ? *desc : (lrd_stream_desc){ 0 };
	if (residents == NULL)
	{
		lrd_fail(error, LRD_ERROR_ARGUMENT, "a stream needs residents");
		return NULL;
	}
	if (lrd_residents_tail_levels(residents) == 0)
	{
		lrd_fail(
			error, LRD_ERROR_ARGUMENT, "a stream needs residents with tail_levels; without, they keep textures whole");
		return NULL;
	}
	lrd_allocator allocator = lrd_allocator_or_default(own.allocator);
	lrd_stream *stream = lrd_alloc_zeroed(allocator, 1, sizeof *stream);
	if (stream == NULL)
	{
		lrd_fail_memory(error, "a stream", sizeof *stream);
		return NULL;
	}
	stream->residents = residents;
	stream->allocator = allocator;
	stream->desc = own;
	stream->desc.grace = own.grace != 0 ? own.grace : GRACE_DEFAULT;
	stream->is_behind = true;
	lrd_stream_set_budget(stream, own.budget);
	stream->budget = stream->desc.budget;
	lrd_residents_set_texture_budget(residents, stream->budget);
	return stream;
}

void lrd_stream_destroy(lrd_stream *stream)
{
	if (stream == NULL)
	{
		return;
	}
	lrd_allocator allocator = stream->allocator;
	lrd_residents_set_texture_budget(stream->residents, 0);
	lrd_store_note_stream(lrd_residents_store(stream->residents), NULL);
	lrd_free(allocator, stream->rows, stream->row_capacity * sizeof *stream->rows);
	lrd_free(allocator, stream->textures, stream->texture_capacity * sizeof *stream->textures);
	lrd_size_set_free(&stream->sizes, allocator);
	lrd_free(allocator, stream, sizeof *stream);
}

void lrd_stream_set_budget(lrd_stream *stream, uint64_t budget)
{
	stream->desc.budget = budget != 0 ? budget : BUDGET_DEFAULT;
	stream->budget_low = stream->frame - stream->desc.grace; // it has not to prove itself
}

// --- Slots ---

static bool reserve(lrd_stream *stream, uint32_t count)
{
	if (count <= stream->count)
	{
		return true;
	}
	uint32_t more = count - stream->count;
	if (!LRD_RESERVE(stream->allocator, stream->rows, stream->count, more, stream->row_capacity) ||
		!LRD_RESERVE(stream->allocator, stream->textures, stream->count, more, stream->texture_capacity))
	{
		return false;
	}
	for (; stream->count < count; stream->count++)
	{
		stream->rows[stream->count] = (stream_row){ .pin = NO_PIN };
		stream->textures[stream->count] = nothing;
	}
	return true;
}

static void forget(lrd_stream *stream, uint32_t slot)
{
	stream->rows[slot] = (stream_row){ .pin = NO_PIN };
	stream->textures[slot] = nothing;
}

static bool same_asset(lrd_asset a, lrd_asset b)
{
	return a.index == b.index && a.generation == b.generation;
}

static void set_floor(lrd_stream *stream, uint32_t slot)
{
	const stream_row *row = &stream->rows[slot];
	uint32_t floor = row->pin < row->tail ? row->pin : row->tail;
	stream->textures[slot].floor = (uint8_t)(floor > row->finest ? floor : row->finest);
}

// The row of a slot, which begins anew when another texture has the slot. NULL: not taken, or memory ran out.
static stream_row *row_of(lrd_stream *stream, uint32_t slot)
{
	if (slot < stream->count && stream->rows[slot].is_known &&
		(lrd_residents_changed_textures(stream->residents, slot / GROUP, false) >> slot % GROUP & 1) == 0)
	{
		return &stream->rows[slot];
	}
	lrd_resident_texture texture;
	if (!lrd_residents_get_texture(stream->residents, slot, &texture) || !reserve(stream, slot + 1))
	{
		return NULL;
	}
	if (!same_asset(stream->rows[slot].asset, texture.asset))
	{
		forget(stream, slot);
		stream->rows[slot].asset = texture.asset;
	}
	return &stream->rows[slot];
}

// --- Demand ---

bool lrd_stream_demand(lrd_stream *stream, uint32_t slot, uint32_t level, int32_t priority)
{
	stream_row *row = row_of(stream, slot);
	if (row == NULL)
	{
		return false;
	}
	priority = priority > LRD_STREAM_PRIORITY_MIN ? priority : LRD_STREAM_PRIORITY_MIN;
	priority = priority < LRD_STREAM_PRIORITY_MAX ? priority : LRD_STREAM_PRIORITY_MAX;
	level = level < LRD_TEXTURE_MAX_LEVELS ? level : LRD_TEXTURE_MAX_LEVELS;
	bool is_first = row->demanded != stream->frame + 1;
	row->level = is_first || level < row->level ? (uint8_t)level : row->level;
	row->priority = is_first || priority > row->priority ? (int8_t)priority : row->priority;
	row->demanded = stream->frame + 1;
	return true;
}

bool lrd_stream_demand_all(lrd_stream *stream, uint32_t slot, int32_t priority)
{
	return lrd_stream_demand(stream, slot, 0, priority);
}

bool lrd_stream_pin(lrd_stream *stream, uint32_t slot, uint32_t level)
{
	stream_row *row = row_of(stream, slot);
	if (row != NULL)
	{
		row->pin = (uint8_t)(level < NO_PIN ? level : NO_PIN);
	}
	if (row != NULL && row->is_known)
	{
		set_floor(stream, slot);
	}
	return row != NULL;
}

// --- What there is ---

static void learn_sizes(lrd_stream *stream, uint32_t slot, const lrd_resident_texture *texture)
{
	stream_row *row = &stream->rows[slot];
	lrd_arbiter_texture *t = &stream->textures[slot];
	lrd_sizes sizes = { 0 };
	sizes.level_count = lrd_residents_texture_levels(stream->residents, slot, sizes.image_bytes);
	for (uint32_t level = texture->finest_level; level-- > 0;)
	{
		sizes.image_bytes[level] = sizes.image_bytes[level + 1]; // the device can't have it
	}
	const lrd_sizes *own = sizes.level_count != 0 ? lrd_size_set_add(&stream->sizes, stream->allocator, &sizes) : NULL;
	if (own == NULL)
	{
		stream->is_behind = stream->is_behind || sizes.level_count != 0;
		return;
	}
	*t = (lrd_arbiter_texture){
		.image_bytes = own->image_bytes,
		.level_count = (uint8_t)own->level_count,
		.last_wanted = stream->frame,
		.wanted_since = stream->frame,
		.last_change = stream->frame - 1,
		.wanted = LRD_TEXTURE_MAX_LEVELS,
	};
	row->revision = texture->revision;
	row->is_known = true;
	row->was_asked = false;
}

// A transition that is through, or came to nothing: then it is not tried again at once.
static void note_end(lrd_stream *stream, stream_row *row, lrd_arbiter_texture *t, uint32_t first_level)
{
	row->was_asked = false;
	if (first_level != row->target)
	{
		stream->stats.failures++;
		t->last_change = stream->frame;
		t->wanted_since = stream->frame - 1;
		return;
	}
	bool is_promotion = !t->was_demoted;
	stream->stats.promotions += is_promotion;
	stream->stats.demotions += !is_promotion;
	stream->stats.read_bytes += is_promotion ? t->image_bytes[first_level] - t->image_bytes[t->resident] : 0;
}

static void take_demand(const lrd_stream *stream, const stream_row *row, lrd_arbiter_texture *t)
{
	bool is_demanded = row->demanded == stream->frame;
	uint32_t wanted = is_demanded ? row->level : LRD_TEXTURE_MAX_LEVELS;
	wanted = wanted > row->finest ? wanted : row->finest;
	int8_t priority = is_demanded ? row->priority : LRD_STREAM_PRIORITY_MIN;
	if (wanted != t->wanted || priority != t->priority)
	{
		t->wanted = (uint8_t)wanted;
		t->priority = priority;
		t->wanted_since = stream->frame;
	}
	t->last_wanted = wanted <= t->resident ? stream->frame : t->last_wanted;
}

static void look_at(lrd_stream *stream, uint32_t slot)
{
	stream_row *row = &stream->rows[slot];
	lrd_arbiter_texture *t = &stream->textures[slot];
	lrd_resident_texture texture;
	if (!lrd_residents_get_texture(stream->residents, slot, &texture))
	{
		if (row->asset.generation != 0)
		{
			forget(stream, slot);
		}
		return;
	}
	if (!same_asset(row->asset, texture.asset))
	{
		forget(stream, slot);
		row->asset = texture.asset;
	}
	if (!row->is_known || row->revision != texture.revision)
	{
		row->is_known = false;
		*t = nothing;
		learn_sizes(stream, slot, &texture);
	}
	if (!row->is_known)
	{
		return;
	}
	t->in_transition = texture.wanted_level != texture.first_level;
	if (row->was_asked && !t->in_transition)
	{
		note_end(stream, row, t, texture.first_level);
	}
	t->resident = (uint8_t)texture.first_level;
	t->target = (uint8_t)texture.wanted_level;
	row->tail = (uint8_t)texture.tail_level;
	row->finest = (uint8_t)texture.finest_level;
	set_floor(stream, slot);
}

static void look_at_changes(lrd_stream *stream)
{
	uint32_t count = lrd_residents_texture_count(stream->residents);
	bool is_behind = stream->is_behind;
	stream->is_behind = !reserve(stream, count); // those that there is memory for
	for (uint32_t group = 0; group * GROUP < stream->count; group++)
	{
		uint64_t changed = lrd_residents_changed_textures(stream->residents, group, true);
		changed = is_behind ? UINT64_MAX : changed;
		for (uint32_t slot = group * GROUP; changed != 0 && slot < stream->count; slot++, changed >>= 1)
		{
			if ((changed & 1) != 0)
			{
				look_at(stream, slot);
			}
		}
	}
}

static void take_demands(lrd_stream *stream)
{
	stream->known = 0;
	stream->stats.transitions = 0;
	for (uint32_t slot = 0; slot < stream->count; slot++)
	{
		const stream_row *row = &stream->rows[slot];
		lrd_arbiter_texture *t = &stream->textures[slot];
		if (row->is_known)
		{
			take_demand(stream, row, t);
			stream->known++;
			stream->stats.transitions += t->in_transition;
		}
	}
}

// --- The budget ---

// What the device leaves us: at once when it is less, and when it is more only after it has been for a while.
static void weigh_budget(lrd_stream *stream, const lrd_residents_stats *residents)
{
	lrd_gpu_caps caps;
	lrd_residents_get_caps(stream->residents, &caps);
	uint64_t budget = stream->desc.budget;
	if (caps.memory_budget != 0)
	{
		bool is_endless = caps.memory_budget > UINT64_MAX - residents->texture_bytes;
		uint64_t all = is_endless ? UINT64_MAX : caps.memory_budget + residents->texture_bytes;
		uint64_t left = all > caps.memory_used ? all - caps.memory_used : 0;
		left -= left / 16; // sooner than the device refuses
		budget = left < budget ? left : budget;
	}
	if (residents->out_of_memory != stream->out_of_memory)
	{
		// It refused all the same: what there is now is too much.
		stream->out_of_memory = residents->out_of_memory;
		uint64_t less = residents->texture_bytes - residents->texture_bytes / 16;
		budget = less < budget ? less : budget;
	}
	if (budget <= stream->budget || stream->frame - stream->budget_low >= stream->desc.grace)
	{
		stream->budget = budget;
		stream->budget_low = stream->frame;
	}
}

// --- Changes ---

static void ask_for(lrd_stream *stream, const lrd_arbiter_change *change)
{
	stream_row *row = &stream->rows[change->texture];
	lrd_arbiter_texture *t = &stream->textures[change->texture];
	if (!lrd_residents_set_first_level(stream->residents, change->texture, change->to))
	{
		return; // asked again in the next frame, if it is still wanted
	}
	row->was_asked = true;
	row->target = change->to;
	t->was_demoted = change->to > change->from;
	t->last_change = stream->frame;
	stream->stats.transitions++;
}

static void warn(lrd_stream *stream)
{
	const lrd_arbiter_report *report = &stream->stats.report;
	uint64_t now = lrd_clock_ns();
	if ((report->limited == 0 && report->overflow == 0) ||
		(stream->warned != 0 && now - stream->warned < WARN_EVERY_NS))
	{
		return;
	}
	stream->warned = now;
	uint32_t example = 0;
	uint64_t most = 0;
	for (uint32_t slot = 0; slot < stream->count; slot++)
	{
		const lrd_arbiter_texture *t = &stream->textures[slot];
		uint64_t missing = t->wanted < t->resident && t->resident < t->level_count
							   ? t->image_bytes[t->wanted] - t->image_bytes[t->resident]
							   : 0;
		example = missing > most ? slot : example;
		most = missing > most ? missing : most;
	}
	lrd_store *store = lrd_residents_store(stream->residents);
	lrd_string stem = most != 0 ? lrd_asset_stem(store, stream->rows[example].asset) : (lrd_string){ 0 };
	const double mib = 1.0 / (1 << 20);
	lrd_log_write(&stream->desc.log, LRD_LOG_WARNING, "stream",
		"the budget of %.1f MiB keeps %u textures %.1f MiB short of what is wanted; always resident are %.1f "
		"MiB%s%.*s%s",
		(double)stream->budget * mib, report->limited, (double)report->missing_bytes * mib,
		(double)report->tail_bytes * mib, most != 0 ? "; the worst is \"" : "", LRD_STR_ARG(stem),
		most != 0 ? "\"" : "");
}

static void arbitrate(lrd_stream *stream, const lrd_residents_stats *residents)
{
	lrd_arbiter_change changes[LRD_ARBITER_MAX_TRANSITIONS];
	const lrd_arbiter_desc desc = {
		.budget = stream->budget > FALLBACK_BYTES ? stream->budget - FALLBACK_BYTES : 0,
		.other_bytes = residents->retired_texture_bytes,
		.ceiling = stream->desc.budget > FALLBACK_BYTES ? stream->desc.budget - FALLBACK_BYTES : 0,
		.frame = stream->frame,
		.grace = stream->desc.grace,
		.max_transitions = stream->desc.max_transitions,
		.step = stream->desc.step,
		.lod_bias = stream->desc.lod_bias,
		.headroom = stream->desc.headroom,
	};
	lrd_arbiter_report *report = &stream->stats.report;
	uint64_t begun = lrd_clock_ns();
	uint32_t count = lrd_arbiter_run(&desc, stream->textures, stream->count, changes, report);
	stream->stats.arbiter_ns = lrd_clock_ns() - begun;
	report->full -= stream->count - stream->known;

	// What the arbiter allows above a budget that was lowered, to shed what is too much, the residents are to allow, too.
	uint64_t accounted = report->accounted_bytes + FALLBACK_BYTES;
	lrd_residents_set_texture_budget(stream->residents, accounted > stream->budget ? accounted : stream->budget);
	for (uint32_t i = 0; i < count; i++)
	{
		ask_for(stream, &changes[i]);
	}
}

static void tell_store(const lrd_stream *stream)
{
	lrd_stream_stats stats;
	lrd_stream_get_stats(stream, &stats);
	const lrd_snapshot_stream figures = {
		.budget = stats.budget,
		.accounted_bytes = stats.report.accounted_bytes,
		.resident_bytes = stats.report.resident_bytes,
		.tail_bytes = stats.report.tail_bytes,
		.demanded_bytes = stats.report.demanded_bytes,
		.missing_bytes = stats.report.missing_bytes,
		.overflow = stats.report.overflow,
		.textures = stats.textures,
		.full = stats.report.full,
		.limited = stats.report.limited,
		.transitions = stats.transitions,
		.promotions = stats.promotions,
		.demotions = stats.demotions,
		.failures = stats.failures,
		.read_bytes = stats.read_bytes,
	};
	lrd_store_note_stream(lrd_residents_store(stream->residents), &figures);
}

void lrd_stream_update(lrd_stream *stream)
{
	lrd_residents_stats residents;
	lrd_residents_get_stats(stream->residents, &residents);
	stream->frame++;
	if (residents.lost)
	{
		return;
	}
	look_at_changes(stream);
	take_demands(stream);
	weigh_budget(stream, &residents);
	arbitrate(stream, &residents);
	tell_store(stream);
	warn(stream);
}

void lrd_stream_get_stats(const lrd_stream *stream, lrd_stream_stats *stats)
{
	*stats = stream->stats;
	stats->budget = stream->budget;
	stats->textures = stream->known;
}

// When nothing will change any more: everything is there as fine as it is wanted, or the device has no memory for what is not.

#include "cli/view/session.h"

#define CALM_UPDATES 34u // without news, after which there will be none: longer than the stream lets anything wait
#define TRIES_EACH 4u    // of whatever could be without memory, after which there is none for it
#define TRIES_MORE 16u
#define TRIES_MOST 4096u // though other things be on their way
#define TRIES_IN_ALL 4u  // times as many, though others found memory: they may be taking it from each other

/// How far a thing has come; what is worse is greater.
typedef enum stage
{
	STAGE_DONE, ///< there as it is wanted, or failed
	STAGE_COARSE,
	STAGE_MISSING, ///< loaded, and not on the GPU
	STAGE_LOADING,
} stage;

/// Things by stage.
typedef struct tally
{
	uint32_t meshes[STAGE_LOADING + 1];
	uint32_t textures[STAGE_LOADING + 1];
	uint32_t materials[STAGE_LOADING + 1];
} tally;

static bool is_done(const view_session *self, lrd_asset asset)
{
	lrd_state state = lrd_asset_state(self->content.store, asset);
	return state == LRD_READY || state == LRD_FAILED;
}

static stage texture_stage(const view_session *self, uint32_t slot)
{
	lrd_resident_texture texture;
	if (slot == LRD_GPU_NO_SLOT || !lrd_residents_get_texture(self->residents, slot, &texture) || texture.failed)
	{
		return STAGE_DONE;
	}
	if (!is_done(self, texture.asset))
	{
		return STAGE_LOADING;
	}
	return texture.object == 0                           ? STAGE_MISSING
		   : texture.first_level != texture.wanted_level ? STAGE_COARSE
														 : STAGE_DONE;
}

static stage mesh_stage(const view_session *self, const view_part *part)
{
	const lrd_resident_mesh *mesh = lrd_residents_get_mesh(self->residents, part->mesh);
	if (mesh == NULL || mesh->object != 0 || mesh->failed)
	{
		return STAGE_DONE;
	}
	return is_done(self, part->mesh_asset) ? STAGE_MISSING : STAGE_LOADING;
}

/// Once, however many parts use it.
static void count_material(const view_session *self, uint32_t index, tally *counts)
{
	const lrd_resident_material *material = lrd_residents_get_material(self->residents, index);
	if (material == NULL)
	{
		return;
	}
	if (!material->ready)
	{
		bool has_failed = lrd_asset_state(self->content.store, material->asset) == LRD_FAILED;
		bool is_loaded = is_done(self, material->asset); // and waits for its textures
		counts->materials[has_failed ? STAGE_DONE : is_loaded ? STAGE_MISSING : STAGE_LOADING]++;
		return;
	}
	for (uint32_t i = 0; i < LRD_SLOT_COUNT; ++i)
	{
		counts->textures[texture_stage(self, material->slots[i])]++;
	}
}

static tally count(const view_session *self)
{
	tally counts = { 0 };
	counts.textures[texture_stage(self, self->sky.slot)]++;
	counts.textures[texture_stage(self, self->texture_slot)]++;
	for (uint32_t i = 0; i < self->scene.part_count; ++i)
	{
		counts.meshes[mesh_stage(self, &self->scene.parts[i])]++;
	}
	for (uint32_t i = 0; i < lrd_residents_material_count(self->residents); ++i)
	{
		count_material(self, i, &counts);
	}
	return counts;
}

static view_lack lack_of(const tally *counts)
{
	return (view_lack){ .meshes = counts->meshes[STAGE_MISSING] + counts->meshes[STAGE_LOADING],
		.textures = counts->textures[STAGE_MISSING] + counts->textures[STAGE_LOADING],
		.materials = counts->materials[STAGE_MISSING] + counts->materials[STAGE_LOADING] };
}

static uint32_t at_stage(const tally *counts, stage at)
{
	return counts->meshes[at] + counts->textures[at] + counts->materials[at];
}

/// The device was asked for memory again and again since it last had any.
static bool is_out_of_memory(const view_session *self, const tally *counts, const lrd_residents_stats *stats)
{
	uint64_t tries = stats->out_of_memory - self->starved;
	uint64_t each = (uint64_t)TRIES_EACH * (stats->textures + stats->meshes) + TRIES_MORE;
	bool is_idle = stats->queued_bytes == 0 && stats->flying_bytes == 0;
	bool is_enough = tries >= each && (is_idle || tries >= each + TRIES_MOST);
	bool is_enough_in_all = stats->out_of_memory - self->expected >= TRIES_IN_ALL * each;
	return at_stage(counts, STAGE_LOADING) == 0 && (is_enough || is_enough_in_all);
}

/// Nothing that is on its way has moved for so long that it never will: a driver may refuse for good to take commands.
static bool is_stuck(view_session *self, const tally *counts, const lrd_residents_stats *stats)
{
	uint64_t moves = stats->uploads + stats->out_of_memory + stats->queued_bytes + stats->flying_bytes + self->changes;
	bool is_waiting = stats->queued_bytes != 0 || stats->flying_bytes != 0;
	if (!is_waiting || moves != self->moves || at_stage(counts, STAGE_LOADING) != 0)
	{
		self->moves = moves;
		self->moved = view_now();
	}
	return view_now() - self->moved > self->patience;
}

static void say_what_lacks(const view_session *self, const tally *counts, const char *why)
{
	uint32_t meshes = counts->meshes[STAGE_MISSING], textures = counts->textures[STAGE_MISSING];
	if (meshes + textures == 0)
	{
		fprintf(stderr, "%s: %s: textures are coarser than wanted\n", self->content.stem, why);
		return;
	}
	cli_error("view: %s: %s: %u mesh%s and %u texture%s missing", self->content.stem, why, meshes,
		meshes == 1 ? "" : "es", textures, textures == 1 ? " are" : "s are");
}

void view_session_watch(view_session *self, const lrd_residents_stats *stats)
{
	lrd_stream_stats stream;
	lrd_stream_get_stats(self->stream, &stream);
	tally counts = count(self);
	self->lack = lack_of(&counts);
	bool is_all_there = at_stage(&counts, STAGE_COARSE) == 0 && at_stage(&counts, STAGE_MISSING) == 0 &&
						at_stage(&counts, STAGE_LOADING) == 0;
	bool is_calm = stream.transitions == 0 && stats->queued_bytes == 0 && stats->flying_bytes == 0 && is_all_there;
	self->calm = is_calm ? self->calm + 1 : 0;
	if (stats->uploads != self->uploads)
	{
		self->uploads = stats->uploads;
		self->starved = stats->out_of_memory;
		self->is_starved = false;
	}
	bool stuck = is_stuck(self, &counts, stats);
	if (!self->is_starved && (stuck || is_out_of_memory(self, &counts, stats)))
	{
		self->is_starved = true;
		if (!self->was_starved) // once is enough: in a window it goes on
		{
			say_what_lacks(
				self, &counts, stuck ? "the device takes nothing any more" : "the device has no memory for all of it");
		}
		self->was_starved = true;
	}
}

void view_session_expect(view_session *self)
{
	lrd_residents_stats stats;
	lrd_residents_get_stats(self->residents, &stats);
	self->expected = self->starved = stats.out_of_memory;
	self->is_starved = false;
}

bool view_session_is_settled(const view_session *self)
{
	return self->calm > CALM_UPDATES || self->is_starved;
}

bool view_session_is_whole(const view_session *self)
{
	tally counts = count(self);
	return at_stage(&counts, STAGE_MISSING) == 0 && at_stage(&counts, STAGE_LOADING) == 0;
}

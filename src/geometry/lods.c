// geometry/lods.c: the chain of LODs. Each level is what meshoptimizer's simplifier makes of the one before: a trial. It
// is checked for what it did to attributes (lod_guard.c) and measured (lod_distance.c, lod_border.c). Where little is
// wrong that is repaired (lod_repair.c), else another trial keeps what this one missed.

#include "geometry/lod.h"

#include <float.h>
#include <meshoptimizer.h>

// A level must save a tenth of the one before.
#define LEAST_SAVED 0.1f

// How many times the error that was measured a level may have for what it would miss otherwise, by trials. Each keeps
// what the last one missed; where there is no end to that the chain ends.
static const float PATIENCE[] = { 1.2f, 1.2f, 1.2f, 1.2f, 1.5f, 1.5f, 2.0f, 3.0f };
#define MOST_TRIALS (sizeof PATIENCE / sizeof PATIENCE[0])

// How much more the simplifier may do around what must be kept than it did where nothing had to be.
#define MORE_REACH 1.5f

// One in FEW points that are gone may be missed for repairs to do, in so many rounds.
#define FEW 20u
#define MOST_REPAIRS 6u
// Indices that they may add to a small level; a large one may grow by an eighth.
#define MOST_ADDED 768u
// Where one in HANDFUL is left then, that is worth more patience rather than another trial.
#define HANDFUL 500u
#define MORE_PATIENCE 1.7f

// What a trial takes, about, and how much of that is kept from trial to trial.
#define SCRATCH_PER_INDEX 40
#define MOST_SCRATCH_KEPT ((size_t)8 << 20)

typedef struct chain
{
	const lrd_geometry *geometry;
	const lrd_geometry_lod_desc *desc;
	lrd_lod_mesh mesh;
	lrd_arena *arena;   // what lives as long as the chain
	lrd_arena *scratch; // what lives as long as a trial
	uint8_t *locked;    // points that the next trial must keep
	uint32_t locked_count;
	float reach; // what the simplifier may do, by its own measure, of the largest side
} chain;

// Indices of the next level. What must be kept saves nothing, and the rest should not have to make up for that.
static uint32_t target_of(const chain *self, uint32_t count)
{
	double free = 1.0 - (double)self->locked_count / (double)self->mesh.point_count;
	double saved = (1.0 - (double)self->desc->ratio) * free;
	return (uint32_t)((1.0 - saved) * (double)(count / 3)) * 3;
}

// What the first trial of a level needed for its triangles is about what the others may do to what is left to them.
static void narrow_reach(chain *self, float needed)
{
	if (self->locked_count == 0 && needed * MORE_REACH < self->reach)
	{
		self->reach = needed * MORE_REACH;
	}
}

#if MESHOPTIMIZER_VERSION >= 210

// Weighs normals in. Everything else is up to the guard.
static bool simplify(chain *self, uint32_t *indices, uint32_t *count, lrd_error *error)
{
	const lrd_lod_mesh *mesh = &self->mesh;
	const float weights[3] = { 0.1f, 0.1f, 0.1f };
	float needed = 0.0f;
	float *normals = LRD_ARENA_ARRAY(self->scratch, float, 3 * (size_t)mesh->point_count);
	if (normals == NULL)
	{
		return lrd_fail_memory(error, "normals of points", 3 * (size_t)mesh->point_count * sizeof *normals);
	}
	for (uint32_t point = 0; self->geometry->normals != NULL && point < mesh->point_count; point++)
	{
		lrd_store3(normals, point, lrd_load3(self->geometry->normals, mesh->vertices[point]));
	}
	*count = (uint32_t)meshopt_simplifyWithAttributes(indices, indices, *count, mesh->positions, mesh->point_count,
		3 * sizeof *mesh->positions, normals, 3 * sizeof *normals, weights, 3, self->locked, target_of(self, *count),
		self->reach, self->desc->lock_borders ? meshopt_SimplifyLockBorder : 0, &needed);
	narrow_reach(self, needed);
	return true;
}

#else

// This version has no locks for single vertices. But it keeps those that share their place with two others or more, for
// it can't tell what seams meet there: so each locked point is given two, which no triangle uses.
static bool simplify(chain *self, uint32_t *indices, uint32_t *count, lrd_error *error)
{
	const lrd_lod_mesh *mesh = &self->mesh;
	const float *positions = mesh->positions;
	float needed = 0.0f;
	size_t used = mesh->point_count;
	if (self->locked_count != 0)
	{
		size_t bytes = 3 * (used + 2 * (size_t)self->locked_count) * sizeof *positions;
		float *more = lrd_arena_alloc(self->scratch, bytes);
		if (more == NULL)
		{
			return lrd_fail_memory(error, "positions of points", bytes);
		}
		memcpy(more, positions, 3 * used * sizeof *positions);
		for (uint32_t i = 0; i < 2 * mesh->point_count; i++)
		{
			if (self->locked[i / 2] != 0)
			{
				lrd_store3(more, used++, lrd_load3(positions, i / 2));
			}
		}
		positions = more;
	}
	*count = (uint32_t)meshopt_simplify(indices, indices, *count, positions, used, 3 * sizeof *positions,
		target_of(self, *count), self->reach, self->desc->lock_borders ? meshopt_SimplifyLockBorder : 0, &needed);
	narrow_reach(self, needed);
	return true;
}

#endif

static bool saves_enough(const lrd_lod_trial *trial)
{
	return (float)trial->to_count <= (1.0f - LEAST_SAVED) * (float)trial->from_count;
}

// The finer level's triangles again, which were not kept beside the simplifier's own memory.
static bool begin_check(chain *self, const uint32_t *vertices, uint32_t count, lrd_lod_trial *trial, lrd_error *error)
{
	size_t bytes = count * sizeof(uint32_t);
	bool split = self->mesh.wedges != NULL;
	trial->from = lrd_arena_alloc(self->scratch, bytes);
	trial->from_vertices = split ? lrd_arena_alloc(self->scratch, bytes) : NULL;
	trial->to_room = trial->to_count + trial->to_count / 24 * 3 + MOST_ADDED;
	trial->to_room = trial->to_room < trial->from_count ? trial->to_room : trial->from_count;
	trial->turned = lrd_arena_alloc(self->scratch, trial->to_room / 3 * sizeof *trial->turned);
	if (trial->from == NULL || (split && trial->from_vertices == NULL) || trial->turned == NULL)
	{
		return lrd_fail_memory(error, "triangles of a LOD", bytes);
	}
	for (uint32_t t = 0; t < trial->to_room / 3; t++)
	{
		trial->turned[t] = -1.0f;
	}
	lrd_lod_mesh_number(&self->mesh, vertices, count, trial->from, trial->from_vertices);
	return true;
}

static bool try_level(chain *self, const uint32_t *vertices, uint32_t count, lrd_lod_trial *trial, lrd_error *error)
{
	lrd_arena_reset(self->scratch);
	*trial = (lrd_lod_trial){ .mesh = &self->mesh,
		.scratch = self->scratch,
		.to = lrd_arena_alloc(self->scratch, count * sizeof *trial->to),
		.now = { .mesh = &self->mesh },
		.before = { .mesh = &self->mesh },
		.limit = self->desc->error * self->mesh.side };
	if (trial->to == NULL)
	{
		return lrd_fail_memory(error, "triangles of a LOD", count * sizeof *trial->to);
	}
	trial->from_count = lrd_lod_mesh_number(&self->mesh, vertices, count, trial->to, NULL);
	trial->to_count = trial->from_count;
	return simplify(self, trial->to, &trial->to_count, error) &&
		   (!saves_enough(trial) || begin_check(self, vertices, count, trial, error));
}

static bool is_good(const lrd_lod_trial *trial)
{
	return trial->missed_count == 0 && trial->turned_count == 0;
}

static bool check(chain *self, lrd_lod_trial *trial, float patience, lrd_error *error)
{
	if (!lrd_lod_choose_vertices(trial, error) || !lrd_lod_follow(trial, self->desc->jobs, error))
	{
		return false;
	}
	lrd_lod_measure(trial);
	lrd_lod_judge(trial, patience);
	void (*const rest[])(lrd_lod_trial *) = { lrd_lod_measure_edges, lrd_lod_measure_folds, lrd_lod_measure_border };
	for (size_t i = 0; i < sizeof rest / sizeof rest[0] && is_good(trial); i++)
	{
		rest[i](trial);
	}
	return true;
}

// Check, and repair while that helps where little is to be repaired.
static bool check_and_repair(chain *self, lrd_lod_trial *trial, float patience, lrd_error *error)
{
	uint32_t done = 1;
	for (uint32_t round = 0; done != 0; round++)
	{
		if (!check(self, trial, patience, error))
		{
			return false;
		}
		uint32_t wanting = trial->missed_count + trial->turned_count;
		if (wanting == 0 || wanting > trial->gone_count / FEW)
		{
			return true;
		}
		done = 0;
		if (round < MOST_REPAIRS && !lrd_lod_repair(trial, &done, error))
		{
			return false;
		}
		if (done == 0 && wanting > trial->gone_count / HANDFUL + 1)
		{
			return true;
		}
	}
	return patience >= MORE_PATIENCE || check(self, trial, MORE_PATIENCE, error);
}

static float object_units(const chain *self, float error)
{
	double scaled = (double)error * 1.001 + (double)(self->mesh.side * LRD_LOD_ROUNDING);
	double units = ldexp(scaled, self->mesh.exponent);
	return units < (double)FLT_MAX ? (float)units : FLT_MAX;
}

static bool take_level(chain *self, const lrd_lod_trial *trial, lrd_geometry_lod *lod, lrd_error *error)
{
	size_t bytes = trial->to_count * sizeof *lod->indices;
	lod->indices = lrd_arena_alloc(self->geometry->arena, bytes);
	if (lod->indices == NULL)
	{
		return lrd_fail_memory(error, "triangles of a LOD", bytes);
	}
	for (uint32_t i = 0; i < trial->to_count; i++)
	{
		lod->indices[i] = trial->to_vertices != NULL ? trial->to_vertices[i] : self->mesh.vertices[trial->to[i]];
	}
	lod->index_count = trial->to_count;
	lod->error = object_units(self, trial->error);
	lrd_lod_pass_errors(trial);
	self->mesh.error = trial->error;
	lrd_lod_mesh_shrink(&self->mesh, trial->states, trial->to);
	return true;
}

static void lock(chain *self, uint32_t point)
{
	uint32_t twin = point;
	do
	{
		self->locked_count += !self->locked[twin];
		self->locked[twin] = 1;
		twin = self->mesh.twins[twin];
	} while (twin != point);
}

// The next trial keeps what this one missed; `around`: and what else went in the triangles around that.
static void lock_missed(chain *self, const lrd_lod_trial *trial, bool around)
{
	for (uint32_t point = 0; point < self->mesh.point_count; point++)
	{
		if (trial->missed[point] && !self->locked[point])
		{
			lock(self, point);
		}
	}
	for (uint32_t i = 0; around && i < trial->from_count; i++)
	{
		const uint32_t *corners = trial->from + (i - i % 3);
		bool near = (trial->missed[corners[0]] | trial->missed[corners[1]] | trial->missed[corners[2]]) != 0;
		if (near && !self->locked[trial->from[i]])
		{
			lock(self, trial->from[i]);
		}
	}
}

// Makes the level after `vertices`; `made` says whether there is one.
static bool make_level(
	chain *self, const uint32_t *vertices, uint32_t count, lrd_geometry_lod *lod, bool *made, lrd_error *error)
{
	memset(self->locked, 0, self->mesh.point_count);
	self->locked_count = 0;
	self->reach = self->desc->error;
	*made = false;
	for (uint32_t tries = 0; tries < MOST_TRIALS; tries++)
	{
		lrd_lod_trial trial;
		if (!try_level(self, vertices, count, &trial, error))
		{
			return false;
		}
		if (!saves_enough(&trial))
		{
			return true;
		}
		if (!check_and_repair(self, &trial, PATIENCE[tries], error))
		{
			return false;
		}
		if (is_good(&trial))
		{
			*made = saves_enough(&trial) && take_level(self, &trial, lod, error);
			return *made || !saves_enough(&trial);
		}
		lrd_lod_miss_turned(&trial);
		lock_missed(self, &trial, tries != 0);
	}
	return true;
}

static bool make_chain(chain *self, lrd_geometry_lods *lods, lrd_error *error)
{
	size_t bytes = self->mesh.point_count;
	self->locked = lrd_arena_alloc(self->arena, bytes);
	if (self->locked == NULL)
	{
		return lrd_fail_memory(error, "points that are kept", bytes);
	}
	const uint32_t *vertices = self->geometry->indices;
	uint32_t count = self->geometry->index_count;
	bool made = true;
	uint32_t most = self->desc->count < LRD_MESH_MAX_LODS ? self->desc->count : LRD_MESH_MAX_LODS;
	while (made && lods->count + 1 < most && count / 3 > LRD_LOD_LEAST_TRIANGLES)
	{
		lrd_geometry_lod *lod = &lods->lods[lods->count];
		if (!make_level(self, vertices, count, lod, &made, error))
		{
			return false;
		}
		if (made)
		{
			lods->count++;
			vertices = lod->indices;
			count = lod->index_count;
		}
	}
	return true;
}

// Trials of small levels all fit the arena's first block, which stays; those of large ones are given back each, for the
// simplifier needs as much again.
static lrd_arena *trial_arena(const lrd_geometry *geometry, lrd_error *error)
{
	size_t bytes = geometry->index_count * (size_t)SCRATCH_PER_INDEX;
	lrd_arena *arena = lrd_arena_create(lrd_arena_allocator(geometry->arena), bytes < MOST_SCRATCH_KEPT ? bytes : 0);
	if (arena == NULL)
	{
		lrd_fail_memory(error, "temporary memory", bytes < MOST_SCRATCH_KEPT ? bytes : 0);
	}
	return arena;
}

bool lrd_geometry_build_lods(
	const lrd_geometry *geometry, const lrd_geometry_lod_desc *desc, lrd_geometry_lods *lods, lrd_error *error)
{
	lrd_geometry_lods result = { .count = 0 };
	if (desc->count < 2 || geometry->index_count / 3 <= LRD_LOD_LEAST_TRIANGLES)
	{
		*lods = result;
		return true;
	}
	chain self = { .geometry = geometry, .desc = desc };
	self.arena = lrd_geometry_scratch(geometry, error);
	self.scratch = self.arena == NULL ? NULL : trial_arena(geometry, error);
	bool empty = false;
	bool done = self.scratch != NULL &&
				lrd_lod_mesh_make(&self.mesh, geometry, desc->lock_borders, desc->jobs, self.arena, &empty, error) &&
				(empty || make_chain(&self, &result, error));
	result.crowd = self.mesh.crowd;
	lrd_arena_destroy(self.scratch);
	lrd_arena_destroy(self.arena);
	*lods = done ? result : *lods;
	return done;
}

// geometry/lod_follow.c: which points a trial has removed, and where on the new surface each of them came to lie.

#include "geometry/lod.h"
#include "os/parallel.h"

// Points that one piece of parallel work looks at.
#define PIECE_POINTS 4096u
// Guesses that have not spread by then count as lost.
#define MOST_PASSES 64u

static bool allocate(lrd_lod_trial *trial, lrd_error *error)
{
	size_t count = trial->mesh->point_count;
	trial->states = lrd_arena_alloc(trial->scratch, count);
	trial->fresh = lrd_arena_alloc(trial->scratch, count);
	trial->gone = lrd_arena_alloc(trial->scratch, count * sizeof *trial->gone);
	trial->hosts = lrd_arena_alloc(trial->scratch, count * sizeof *trial->hosts);
	trial->images = lrd_arena_alloc(trial->scratch, count * sizeof *trial->images);
	trial->needs = LRD_ARENA_ARRAY(trial->scratch, float, count);
	trial->missed = lrd_arena_alloc(trial->scratch, count);
	if (trial->states == NULL || trial->fresh == NULL || trial->gone == NULL || trial->hosts == NULL ||
		trial->images == NULL || trial->needs == NULL || trial->missed == NULL)
	{
		return lrd_fail_memory(error, "images of points", count * sizeof *trial->images);
	}
	return true;
}

static void find_gone(lrd_lod_trial *trial)
{
	memset(trial->states, LRD_LOD_LOST, trial->mesh->point_count);
	for (uint32_t i = 0; i < trial->to_count; i++)
	{
		trial->states[trial->to[i]] = LRD_LOD_KEPT;
	}
	for (uint32_t point = 0; point < trial->mesh->point_count; point++)
	{
		// Stored first and counted afterwards: nobody could guess the branch.
		trial->gone[trial->gone_count] = point;
		trial->gone_count += trial->states[point] != LRD_LOD_KEPT;
	}
}

// Where the triangle of a gone point stands on an edge that is there now, the third corner of the triangle that stands
// on that edge took its place.
static bool trace(lrd_lod_trial *trial, uint32_t point, uint32_t next, uint32_t prev)
{
	uint32_t wing = lrd_lod_find_wing(&trial->now, next, prev);
	if (wing != LRD_NO_VERTEX)
	{
		trial->hosts[point] = trial->now.fans.wings[wing].prev;
		trial->images[point].corners[0] = next;
		trial->images[point].corners[1] = wing;
	}
	return wing != LRD_NO_VERTEX;
}

static uint32_t piece_end(const lrd_lod_trial *trial, uint32_t piece)
{
	uint32_t rest = trial->gone_count - piece * PIECE_POINTS;
	return rest < PIECE_POINTS ? trial->gone_count : (piece + 1) * PIECE_POINTS;
}

static void trace_piece(void *user, uint32_t piece)
{
	lrd_lod_trial *trial = user;
	const lrd_lod_fans *fans = &trial->before.fans;
	for (uint32_t g = piece * PIECE_POINTS; g < piece_end(trial, piece); g++)
	{
		uint32_t point = trial->gone[g];
		uint32_t standing = LRD_NO_VERTEX;
		for (uint32_t wing = fans->starts[point]; wing < fans->starts[point + 1]; wing++)
		{
			uint8_t states = trial->states[fans->wings[wing].next] | trial->states[fans->wings[wing].prev];
			standing = states == LRD_LOD_KEPT ? wing : standing;
		}
		trial->hosts[point] = LRD_NO_VERTEX;
		if (standing != LRD_NO_VERTEX)
		{
			trace(trial, point, fans->wings[standing].next, fans->wings[standing].prev);
		}
	}
}

// What a corner became, as far as is known.
static uint32_t became(const lrd_lod_trial *trial, uint32_t point)
{
	uint8_t state = trial->states[point];
	return state == LRD_LOD_KEPT ? point : state == LRD_LOD_LOST ? LRD_NO_VERTEX : trial->hosts[point];
}

static void guess(lrd_lod_trial *trial, uint32_t point)
{
	const lrd_lod_fans *fans = &trial->before.fans;
	for (uint32_t wing = fans->starts[point]; wing < fans->starts[point + 1]; wing++)
	{
		uint32_t next = became(trial, fans->wings[wing].next);
		uint32_t prev = became(trial, fans->wings[wing].prev);
		if (next != LRD_NO_VERTEX && prev != LRD_NO_VERTEX && next != prev && trace(trial, point, next, prev))
		{
			trial->states[point] = LRD_LOD_TRACED;
			return;
		}
		if (next != LRD_NO_VERTEX || prev != LRD_NO_VERTEX)
		{
			trial->hosts[point] = next != LRD_NO_VERTEX ? next : prev;
			trial->states[point] = LRD_LOD_GUESSED;
		}
	}
}

// What has no triangle with both other corners kept begins by what those became, as far as that spreads. `lost`: those
// points.
static void guess_rest(lrd_lod_trial *trial, uint32_t *lost, uint32_t lost_count)
{
	uint32_t before = LRD_NO_VERTEX;
	for (uint32_t pass = 0; lost_count < before && pass < MOST_PASSES; pass++)
	{
		before = lost_count;
		lost_count = 0;
		for (uint32_t i = 0; i < before; i++)
		{
			uint32_t point = lost[i];
			guess(trial, point);
			lost[lost_count] = point;
			lost_count += trial->states[point] == LRD_LOD_LOST;
		}
	}
}

static bool find_hosts(lrd_lod_trial *trial, const lrd_jobs *jobs, lrd_error *error)
{
	uint32_t *lost = lrd_arena_alloc(trial->scratch, trial->gone_count * sizeof *lost);
	if (lost == NULL)
	{
		return lrd_fail_memory(error, "points without a host", trial->gone_count * sizeof *lost);
	}
	uint32_t pieces = (trial->gone_count + PIECE_POINTS - 1) / PIECE_POINTS;
	lrd_parallel(jobs, lrd_arena_allocator(trial->scratch), pieces, trace_piece, trial);
	uint32_t lost_count = 0;
	for (uint32_t g = 0; g < trial->gone_count; g++)
	{
		uint32_t point = trial->gone[g];
		bool traced = trial->hosts[point] != LRD_NO_VERTEX;
		trial->states[point] = traced ? LRD_LOD_TRACED : LRD_LOD_LOST;
		lost[lost_count] = point;
		lost_count += !traced;
	}
	guess_rest(trial, lost, lost_count);
	return true;
}

static bool near_seam(const lrd_lod_trial *trial, const lrd_lod_nearest *nearest)
{
	const uint32_t *twins = trial->mesh->twins;
	const lrd_lod_wing *wing = &trial->now.fans.wings[nearest->wing];
	return trial->mesh->has_twins && (twins[nearest->host] != nearest->host || twins[wing->next] != wing->next ||
										 twins[wing->prev] != wing->prev);
}

// Whether what is nearest faces the way that one of the point's normals does.
static bool is_own_side(const lrd_lod_trial *trial, uint32_t point, const lrd_lod_nearest *nearest)
{
	const lrd_lod_mesh *mesh = trial->mesh;
	const float *normals = mesh->geometry->normals;
	if (normals == NULL)
	{
		return true;
	}
	const lrd_lod_wing *wing = &trial->now.fans.wings[nearest->wing];
	lrd_vec3 a = lrd_load3(mesh->positions, nearest->host);
	lrd_vec3 normal = lrd_vec3_cross(lrd_vec3_sub(lrd_load3(mesh->positions, wing->next), a),
		lrd_vec3_sub(lrd_load3(mesh->positions, wing->prev), a));
	uint32_t vertex = mesh->vertices[point];
	do
	{
		if (lrd_vec3_dot(normal, lrd_load3(normals, vertex)) >= 0.0f)
		{
			return true;
		}
		vertex = mesh->wedges != NULL ? mesh->wedges[vertex] : mesh->vertices[point];
	} while (vertex != mesh->vertices[point]);
	return false;
}

lrd_lod_nearest lrd_lod_walk_own_side(const lrd_lod_trial *trial, uint32_t point)
{
	const float *position = trial->mesh->positions + 3 * (size_t)point;
	lrd_lod_nearest nearest = { .host = trial->hosts[point], .wing = LRD_NO_VERTEX };
	if (trial->states[point] == LRD_LOD_TRACED)
	{
		nearest.host = trial->images[point].corners[0];
		nearest.wing = trial->images[point].corners[1];
	}
	lrd_lod_walk(&trial->now, position, false, &nearest);
	if (!is_own_side(trial, point, &nearest))
	{
		lrd_lod_nearest other = { .host = trial->hosts[point] };
		lrd_lod_descend(&trial->now, position, false, &other);
		nearest = is_own_side(trial, point, &other) || other.squared < nearest.squared ? other : nearest;
	}
	return nearest;
}

static void image_piece(void *user, uint32_t piece)
{
	lrd_lod_trial *trial = user;
	for (uint32_t g = piece * PIECE_POINTS; g < piece_end(trial, piece); g++)
	{
		uint32_t point = trial->gone[g];
		if (trial->states[point] != LRD_LOD_GUESSED && trial->states[point] != LRD_LOD_TRACED)
		{
			continue;
		}
		const float *position = trial->mesh->positions + 3 * (size_t)point;
		lrd_lod_nearest nearest = lrd_lod_walk_own_side(trial, point);
		trial->hosts[point] = nearest.host;
		trial->needs[point] = lrd_lod_need(trial, point, &nearest);
		if (near_seam(trial, &nearest))
		{
			lrd_lod_walk(&trial->now, position, true, &nearest);
		}
		trial->images[point] = lrd_lod_image_of(&trial->now, &nearest);
		trial->states[point] = LRD_LOD_FOUND;
		trial->fresh[point] = 1;
	}
}

// What is nearest to one of the points at a place is so to all of them.
static void share_images(lrd_lod_trial *trial)
{
	const uint32_t *twins = trial->mesh->twins;
	for (uint32_t g = 0; g < trial->gone_count; g++)
	{
		uint32_t point = trial->gone[g];
		uint32_t twin = twins[point];
		if (twin != point && trial->states[point] >= LRD_LOD_FOUND && trial->states[twin] >= LRD_LOD_FOUND &&
			trial->images[twin].distance < trial->images[point].distance)
		{
			trial->images[point] = trial->images[twin];
		}
	}
}

// Of lost points: the triangles around them, twice their area.
static void sum_lost_areas(lrd_lod_trial *trial)
{
	for (uint32_t g = 0; g < trial->gone_count; g++)
	{
		uint32_t point = trial->gone[g];
		trial->needs[point] = trial->states[point] == LRD_LOD_LOST ? 0.0f : trial->needs[point];
	}
	const float *positions = trial->mesh->positions;
	for (uint32_t i = 0; i < trial->from_count; i += 3)
	{
		const uint32_t *corners = trial->from + i;
		for (uint32_t c = 0; c < 3; c++)
		{
			if (trial->states[corners[c]] == LRD_LOD_LOST)
			{
				lrd_vec3 a = lrd_load3(positions, corners[0]);
				lrd_vec3 b = lrd_vec3_sub(lrd_load3(positions, corners[1]), a);
				trial->needs[corners[c]] +=
					lrd_vec3_length(lrd_vec3_cross(b, lrd_vec3_sub(lrd_load3(positions, corners[2]), a)));
			}
		}
	}
}

// Pieces of a surface that went altogether: what is nearest to them may be anywhere. A level may do without a piece
// that is no wider than twice its error.
static bool find_lost(lrd_lod_trial *trial, lrd_error *error)
{
	lrd_lod_tree *tree = NULL;
	for (uint32_t g = 0; g < trial->gone_count; g++)
	{
		uint32_t point = trial->gone[g];
		if (trial->states[point] != LRD_LOD_LOST)
		{
			continue;
		}
		if (tree == NULL)
		{
			tree = lrd_lod_tree_make(trial, error);
			sum_lost_areas(trial);
		}
		if (tree == NULL)
		{
			return false;
		}
		const float *position = trial->mesh->positions + 3 * (size_t)point;
		lrd_lod_nearest nearest;
		if (lrd_lod_tree_find(tree, trial, position, trial->limit, &nearest))
		{
			trial->images[point] = lrd_lod_image_of(&trial->now, &nearest);
			trial->needs[point] = sqrtf(trial->needs[point] * (float)(0.5 / LRD_PI));
			trial->hosts[point] = LRD_NO_VERTEX;
			trial->states[point] = LRD_LOD_EXACT;
			trial->fresh[point] = 1;
		}
	}
	return true;
}

static bool begin(lrd_lod_trial *trial, const lrd_jobs *jobs, lrd_error *error)
{
	uint32_t points = trial->mesh->point_count;
	if (!allocate(trial, error) || !lrd_lod_begin_before(trial, error) ||
		!lrd_lod_fans_make(&trial->now.fans, trial->to_room, points, true, trial->scratch, error))
	{
		return false;
	}
	lrd_lod_fans_fill(&trial->now.fans, trial->to, trial->to_count, points);
	memset(trial->fresh, 1, points);
	find_gone(trial);
	return find_hosts(trial, jobs, error);
}

bool lrd_lod_follow(lrd_lod_trial *trial, const lrd_jobs *jobs, lrd_error *error)
{
	if (trial->images == NULL && !begin(trial, jobs, error))
	{
		return false;
	}
	uint32_t pieces = (trial->gone_count + PIECE_POINTS - 1) / PIECE_POINTS;
	lrd_parallel(jobs, lrd_arena_allocator(trial->scratch), pieces, image_piece, trial);
	if (trial->mesh->has_twins)
	{
		share_images(trial);
	}
	return find_lost(trial, error);
}

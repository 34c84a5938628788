// geometry/lod_distance.c: how far a trial of a level lies from the finest surface.
//
// Points that are gone lie as far from the new surface as their images; what lies between them, see lod_edges.c. What
// lies on no edge lies between some. The new surface lies no farther from the old one than the other way about, since
// images cover it; but see lod_border.c and lod_folds.c. Errors add up from level to level point by point.

#include "geometry/lod.h"

// Images that are this near to the largest distance are looked at again.
#define WORTH_SETTLING 0.85f

// One point in so many may move farther than the rest before the level's error is theirs; where the farthest moved more
// than OUTLIER times as far as the rest, the level does better to keep it.
#define FEW 200u
#define OUTLIER 2.0f
#define SPREAD_STEPS 4096u

static float moved_by(const lrd_lod_trial *trial, uint32_t point)
{
	float distance = trial->states[point] >= LRD_LOD_FOUND ? trial->images[point].distance : 0.0f;
	return trial->mesh->errors[point] + distance;
}

static void need_at_least(lrd_lod_trial *trial, uint32_t point, float moved)
{
	if (trial->states[point] != LRD_LOD_KEPT && moved > trial->needs[point])
	{
		trial->needs[point] = moved;
	}
}

// What all but a few of the points moved by or less, and what any did. Positive floats are in the order of their bits.
static void find_spread(const lrd_lod_trial *trial, float *most, float *all)
{
	uint32_t counts[SPREAD_STEPS] = { 0 };
	*all = 0.0f;
	for (uint32_t g = 0; g < trial->gone_count; g++)
	{
		float moved = moved_by(trial, trial->gone[g]);
		uint32_t bits = 0;
		memcpy(&bits, &moved, sizeof bits);
		counts[bits / (UINT32_C(0x80000000) / SPREAD_STEPS)]++;
		*all = moved > *all ? moved : *all;
	}
	uint32_t few = trial->gone_count / FEW;
	uint32_t step = SPREAD_STEPS - 1;
	for (uint32_t above = counts[step]; above <= few && step > 0; above += counts[step])
	{
		step--;
	}
	uint32_t bits = (step + 1) * (UINT32_C(0x80000000) / SPREAD_STEPS) - 1;
	memcpy(most, &bits, sizeof bits);
	*most = *most < *all ? *most : *all;
}

// As a search finds it rather than a walk.
void lrd_lod_settle(lrd_lod_trial *trial, uint32_t point)
{
	const float *position = trial->mesh->positions + 3 * (size_t)point;
	if (trial->states[point] != LRD_LOD_FOUND)
	{
		return;
	}
	trial->states[point] = LRD_LOD_EXACT;
	lrd_lod_nearest nearest = lrd_lod_walk_own_side(trial, point);
	lrd_lod_search(&trial->now, position, false, &nearest);
	trial->needs[point] = lrd_lod_need(trial, point, &nearest);
	if (trial->mesh->has_twins)
	{
		lrd_lod_nearest across = { .host = trial->images[point].corners[0] };
		lrd_lod_walk(&trial->now, position, true, &across);
		lrd_lod_search(&trial->now, position, true, &across);
		nearest = across.squared < nearest.squared ? across : nearest;
	}
	trial->images[point] = lrd_lod_image_of(&trial->now, &nearest);
	need_at_least(trial, point, moved_by(trial, point));
}

// What all but a few moved by, when those that moved about as far or farther are known exactly.
static void settle_largest(lrd_lod_trial *trial, float *most, float *all)
{
	float before = INFINITY;
	find_spread(trial, most, all);
	while (*most < before * WORTH_SETTLING)
	{
		before = *most;
		for (uint32_t g = 0; g < trial->gone_count; g++)
		{
			if (moved_by(trial, trial->gone[g]) > WORTH_SETTLING * before)
			{
				lrd_lod_settle(trial, trial->gone[g]);
			}
		}
		find_spread(trial, most, all);
	}
}

void lrd_lod_measure(lrd_lod_trial *trial)
{
	float most = 0.0f;
	float all = 0.0f;
	settle_largest(trial, &most, &all);
	float error = all < OUTLIER * most ? all : OUTLIER * most;
	error = error < trial->limit ? error : trial->limit;
	error = error > trial->mesh->error ? error : trial->mesh->error;
	float rounding = LRD_LOD_ROUNDING * trial->mesh->side;
	trial->error = error > rounding ? error : rounding;
	for (uint32_t g = 0; g < trial->gone_count; g++)
	{
		need_at_least(trial, trial->gone[g], moved_by(trial, trial->gone[g]));
	}
}

void lrd_lod_pass_errors(const lrd_lod_trial *trial)
{
	float *errors = trial->mesh->errors;
	for (uint32_t g = 0; g < trial->gone_count; g++)
	{
		uint32_t point = trial->gone[g];
		const uint32_t *corners = trial->images[point].corners;
		float moved = errors[point] + trial->images[point].distance;
		for (uint32_t c = 0; c < 3; c++)
		{
			errors[corners[c]] = moved > errors[corners[c]] ? moved : errors[corners[c]];
		}
	}
}

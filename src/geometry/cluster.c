// geometry/cluster.c: a geometry's triangles cut into clusters, at the median along the longest axis again and again.

#include "geometry/clusters.h"
#include "geometry/vertices.h"

// A triangle as the cuts see it.
typedef struct sorted_triangle
{
	float centroid[3];
	uint32_t triangle;
} sorted_triangle;

typedef struct clustering
{
	const lrd_geometry *geometry;
	uint32_t target_triangles;
	uint32_t min_triangles;
	float max_extent;
	sorted_triangle *sorted; // clusters are runs of these
	uint32_t *cluster_of;    // a triangle
	uint32_t cluster_count;
} clustering;

typedef struct box3
{
	float low[3];
	float high[3];
} box3;

static const box3 NO_BOX = { { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };

static void box_add(box3 *box, const float point[3])
{
	for (int axis = 0; axis < 3; axis++)
	{
		box->low[axis] = point[axis] < box->low[axis] ? point[axis] : box->low[axis]; // passes NaN over
		box->high[axis] = point[axis] > box->high[axis] ? point[axis] : box->high[axis];
	}
}

static double box_side(const box3 *box, int axis)
{
	return (double)box->high[axis] - (double)box->low[axis];
}

static int longest_axis(const box3 *box)
{
	int longest = 0;
	for (int axis = 1; axis < 3; axis++)
	{
		longest = box_side(box, axis) > box_side(box, longest) ? axis : longest;
	}
	return longest;
}

// Zeros where a corner is not a number: such triangles have to go somewhere.
static void centroid_of(const lrd_geometry *geometry, uint32_t triangle, float centroid[3])
{
	const uint32_t *corners = geometry->indices + 3 * (size_t)triangle;
	const float *a = geometry->positions + 3 * (size_t)corners[0];
	const float *b = geometry->positions + 3 * (size_t)corners[1];
	const float *c = geometry->positions + 3 * (size_t)corners[2];
	for (int axis = 0; axis < 3; axis++)
	{
		float middle = (float)(((double)a[axis] + (double)b[axis] + (double)c[axis]) * (1.0 / 3.0));
		centroid[axis] = isfinite(middle) ? middle : 0.0f;
	}
}

static box3 box_of_centroids(const clustering *self, uint32_t first, uint32_t count)
{
	box3 box = NO_BOX;
	for (uint32_t i = first; i < first + count; i++)
	{
		box_add(&box, self->sorted[i].centroid);
	}
	return box;
}

static box3 box_of_triangles(const clustering *self, uint32_t first, uint32_t count)
{
	box3 box = NO_BOX;
	for (uint32_t i = first; i < first + count; i++)
	{
		const uint32_t *corners = self->geometry->indices + 3 * (size_t)self->sorted[i].triangle;
		for (int corner = 0; corner < 3; corner++)
		{
			box_add(&box, self->geometry->positions + 3 * (size_t)corners[corner]);
		}
	}
	return box;
}

static bool is_too_wide(const clustering *self, const box3 *centroids, uint32_t first, uint32_t count)
{
	double limit = (double)self->max_extent;
	if (!(limit > 0.0))
	{
		return false;
	}
	// The triangles' box is no smaller than that of their centroids, and costs more to find.
	if (box_side(centroids, longest_axis(centroids)) > limit)
	{
		return true;
	}
	box3 box = box_of_triangles(self, first, count);
	return box_side(&box, longest_axis(&box)) > limit;
}

// Selection by histograms: what can lie at the wanted place is narrowed to one bucket of so many again and again. It
// takes few passes whatever the centroids are: each makes the range of values so many times smaller.
#define BUCKETS 1024

// The value that a cut orders by: the centroid along an axis, or the number for triangles that are alike in that.
#define BY_NUMBER 3

typedef struct selection
{
	int axis; // or BY_NUMBER
	double low;
	double scale; // value to bucket
} selection;

static double selected_value(const selection *self, const sorted_triangle *one)
{
	return self->axis == BY_NUMBER ? (double)one->triangle : (double)one->centroid[self->axis];
}

static uint32_t bucket_of(const selection *self, const sorted_triangle *one)
{
	double steps = (selected_value(self, one) - self->low) * self->scale;
	return steps < (double)(BUCKETS - 1) ? (uint32_t)steps : BUCKETS - 1;
}

// Buckets from one value to another; false where they are the same.
static bool select_between(selection *self, double low, double high)
{
	self->low = low;
	self->scale = high > low ? (double)BUCKETS / (high - low) : 0.0;
	return high > low;
}

static bool select_range(selection *self, const sorted_triangle *sorted, uint32_t count)
{
	double low = selected_value(self, &sorted[0]);
	double high = low;
	for (uint32_t i = 1; i < count; i++)
	{
		double value = selected_value(self, &sorted[i]);
		low = value < low ? value : low;
		high = value > high ? value : high;
	}
	return select_between(self, low, high);
}

// Which bucket holds the triangle at place `wanted`.
static uint32_t find_bucket(const selection *self, const sorted_triangle *sorted, uint32_t count, uint32_t wanted)
{
	uint32_t counts[BUCKETS] = { 0 };
	for (uint32_t i = 0; i < count; i++)
	{
		counts[bucket_of(self, &sorted[i])]++;
	}
	uint32_t bucket = 0;
	for (uint32_t before = 0; before + counts[bucket] <= wanted; bucket++)
	{
		before += counts[bucket];
	}
	return bucket;
}

// Triangles whose bucket is below `limit` to the front; how many there are. What each turns out to be no processor can
// guess, so nothing branches on it: all change places, and only how far the front reaches depends (Lomuto's partition).
static uint32_t part_below(const selection *self, sorted_triangle *sorted, uint32_t count, uint32_t limit)
{
	uint32_t front = 0;
	for (uint32_t i = 0; i < count; i++)
	{
		sorted_triangle one = sorted[i];
		sorted[i] = sorted[front];
		sorted[front] = one;
		front += bucket_of(self, &one) < limit;
	}
	return front;
}

// Afterwards the `wanted` triangles that come first along the axis, the lower number first of two at one place, stand
// before all others. `low` and `high` are the ends of the axis.
static void part_at(sorted_triangle *sorted, uint32_t count, uint32_t wanted, int axis, double low, double high)
{
	uint32_t first = 0;
	uint32_t last = count;
	selection by = { .axis = axis };
	bool differ = select_between(&by, low, high);
	while (last - first > 1)
	{
		if (!differ)
		{
			by.axis = BY_NUMBER; // numbers differ, so this happens once
			differ = select_range(&by, sorted + first, last - first);
		}
		uint32_t bucket = find_bucket(&by, sorted + first, last - first, wanted - first);
		first += part_below(&by, sorted + first, last - first, bucket);
		last = first + part_below(&by, sorted + first, last - first, bucket + 1);
		differ = last - first > 1 && select_range(&by, sorted + first, last - first);
	}
}

static void close_cluster(clustering *self, uint32_t first, uint32_t count)
{
	for (uint32_t i = first; i < first + count; i++)
	{
		self->cluster_of[self->sorted[i].triangle] = self->cluster_count;
	}
	self->cluster_count++;
}

// Halves each time, so no deeper than a number of triangles has bits.
static void cut(clustering *self, uint32_t first, uint32_t count)
{
	uint32_t half = count / 2;
	if (half < self->min_triangles)
	{
		close_cluster(self, first, count);
		return;
	}
	box3 box = box_of_centroids(self, first, count);
	if (count <= self->target_triangles && !is_too_wide(self, &box, first, count))
	{
		close_cluster(self, first, count);
		return;
	}
	int axis = longest_axis(&box);
	part_at(self->sorted + first, count, half, axis, (double)box.low[axis], (double)box.high[axis]);
	cut(self, first, half);
	cut(self, first + half, count - half);
}

// By counting, so that triangles stay in ascending order within each.
static bool list_clusters(const clustering *self, uint32_t triangle_count, lrd_arena *arena,
	lrd_geometry_clusters *clusters, lrd_error *error)
{
	lrd_geometry_clusters result = { .count = self->cluster_count };
	result.offsets = LRD_ARENA_ARRAY(arena, uint32_t, (size_t)result.count + 2);
	result.triangles = lrd_arena_alloc(arena, triangle_count * sizeof *result.triangles);
	if (result.offsets == NULL || result.triangles == NULL)
	{
		return lrd_fail_memory(error, "clusters", triangle_count * sizeof *result.triangles);
	}
	uint32_t *next = result.offsets + 1; // one place ahead: when all are placed, each has become the start of the next
	for (uint32_t t = 0; t < triangle_count; t++)
	{
		next[self->cluster_of[t] + 1]++;
	}
	for (uint32_t c = 1; c < result.count; c++)
	{
		next[c] += next[c - 1];
	}
	for (uint32_t t = 0; t < triangle_count; t++)
	{
		result.triangles[next[self->cluster_of[t]]++] = t;
	}
	*clusters = result;
	return true;
}

static bool cluster_all(clustering *self, uint32_t triangle_count, lrd_arena *scratch, lrd_error *error)
{
	size_t bytes = triangle_count * sizeof *self->sorted;
	self->sorted = lrd_arena_alloc(scratch, bytes);
	self->cluster_of = lrd_arena_alloc(scratch, triangle_count * sizeof *self->cluster_of);
	if (self->sorted == NULL || self->cluster_of == NULL)
	{
		return lrd_fail_memory(error, "the centroids of triangles", bytes);
	}
	for (uint32_t t = 0; t < triangle_count; t++)
	{
		self->sorted[t].triangle = t;
		centroid_of(self->geometry, t, self->sorted[t].centroid);
	}
	if (triangle_count != 0)
	{
		cut(self, 0, triangle_count);
	}
	return true;
}

bool lrd_geometry_cluster(const lrd_geometry *geometry, const lrd_geometry_cluster_desc *desc, lrd_arena *arena,
	lrd_geometry_clusters *clusters, lrd_error *error)
{
	lrd_arena *scratch = lrd_geometry_scratch(geometry, error);
	if (scratch == NULL)
	{
		return false;
	}
	uint32_t triangle_count = geometry->index_count / 3;
	clustering self = { .geometry = geometry,
		.target_triangles = desc->target_triangles != 0 ? desc->target_triangles : UINT32_MAX,
		.min_triangles = desc->min_triangles != 0 ? desc->min_triangles : 1,
		.max_extent = desc->max_extent };
	bool done = cluster_all(&self, triangle_count, scratch, error) &&
				list_clusters(&self, triangle_count, arena, clusters, error);
	lrd_arena_destroy(scratch);
	return done;
}

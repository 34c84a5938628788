// geometry/tangents_split.c: where corners of one vertex have different tangents, the first one's stays and the others
// get vertices of their own.

#include "geometry/tangents.h"

// The new vertex of the ring at work that a corner of `vertex` with this tangent can use; NULL when none is remembered.
static uint32_t find_recent(const lrd_tangent_desk *desk, uint32_t vertex, const lrd_vec4 *tangent)
{
	uint32_t count = desk->recent_count < LRD_RECENT_EXTRAS ? desk->recent_count : LRD_RECENT_EXTRAS;
	for (uint32_t i = 0; i < count; i++)
	{
		if (desk->recent[i].source == vertex && memcmp(desk->recent[i].tangent, tangent, sizeof *tangent) == 0)
		{
			return desk->recent[i].extra;
		}
	}
	return LRD_NONE;
}

static uint32_t make_extra(lrd_tangent_desk *desk, uint32_t vertex, const lrd_vec4 *tangent)
{
	lrd_tangents *self = desk->self;
	uint32_t extra = desk->bucket->extra++;
	uint32_t place = desk->recent_count++ % LRD_RECENT_EXTRAS;
	desk->recent[place].source = vertex;
	desk->recent[place].extra = extra;
	memcpy(desk->recent[place].tangent, tangent, sizeof *tangent);
	if (self->round == LRD_ROUND_SPLIT)
	{
		self->extra_sources[extra] = vertex;
		memcpy(self->extra_tangents + 4 * (size_t)extra, tangent, sizeof *tangent);
	}
	return extra;
}

void lrd_tangents_give(lrd_tangent_desk *desk, uint32_t vertex, uint32_t corner, lrd_vec4 tangent)
{
	lrd_tangents *self = desk->self;
	float *of_vertex = self->tangents + 4 * (size_t)vertex;
	if (of_vertex[3] == 0.0f)
	{
		memcpy(of_vertex, &tangent, sizeof tangent);
		return;
	}
	if (memcmp(of_vertex, &tangent, sizeof tangent) == 0)
	{
		return;
	}
	uint32_t extra = find_recent(desk, vertex, &tangent);
	extra = extra != LRD_NONE ? extra : make_extra(desk, vertex, &tangent);
	uint32_t moved = desk->bucket->moved++;
	if (self->round == LRD_ROUND_SPLIT)
	{
		self->moved[moved] = (lrd_moved_corner){ corner, extra };
	}
}

static bool allocate_extras(lrd_tangents *self, lrd_error *error)
{
	size_t source_bytes = self->extra_count * sizeof *self->extra_sources;
	size_t tangent_bytes = (size_t)self->extra_count * 4 * sizeof *self->extra_tangents;
	size_t moved_bytes = self->moved_count * sizeof *self->moved;
	self->extra_sources = lrd_alloc(self->allocator, source_bytes);
	self->extra_tangents = lrd_alloc(self->allocator, tangent_bytes);
	self->moved = lrd_alloc(self->allocator, moved_bytes);
	return (self->extra_sources != NULL && self->extra_tangents != NULL && self->moved != NULL) ||
		   lrd_fail_memory(error, "split vertices", source_bytes + tangent_bytes + moved_bytes);
}

// A copy of `data` with the new vertices at its end; NULL when memory runs out.
static void *grow_array(const lrd_tangents *self, const void *data, size_t stride)
{
	size_t vertex_count = self->geometry->vertex_count;
	uint8_t *grown = lrd_arena_alloc(self->geometry->arena, (vertex_count + self->extra_count) * stride);
	if (grown == NULL)
	{
		return NULL;
	}
	memcpy(grown, data, vertex_count * stride);
	uint8_t *extra = grown + vertex_count * stride;
	for (size_t i = 0; i < self->extra_count; i++)
	{
		memcpy(extra + i * stride, (const uint8_t *)data + self->extra_sources[i] * stride, stride);
	}
	return grown;
}

static bool grow_arrays(const lrd_tangents *self, lrd_geometry *grown)
{
	grown->morphs = LRD_ARENA_ARRAY(grown->arena, lrd_geometry_morph, grown->morph_count);
	if (grown->morphs == NULL)
	{
		return false;
	}
	grown->tangents = NULL;
	for (size_t array = 0; array < lrd_geometry_array_count(grown); array++)
	{
		size_t stride = 0;
		const void *data = lrd_geometry_array_get(self->geometry, array, &stride);
		if (data == NULL || array == LRD_ARRAY_TANGENTS)
		{
			continue;
		}
		void *larger = grow_array(self, data, stride);
		if (larger == NULL)
		{
			return false;
		}
		lrd_geometry_array_set(grown, array, larger);
	}
	grown->tangents = self->geometry->vertex_count + (size_t)self->extra_count <= self->tangent_room
						  ? self->tangents
						  : grow_array(self, self->tangents, 4 * sizeof(float));
	return grown->tangents != NULL;
}

bool lrd_tangents_count_extras(lrd_tangents *self, lrd_error *error)
{
	uint64_t extra_count = 0;
	uint64_t moved_count = 0;
	for (uint32_t bucket = 0; bucket < self->bucket_count; bucket++)
	{
		uint32_t extra_here = self->buckets[bucket].extra;
		uint32_t moved_here = self->buckets[bucket].moved;
		self->buckets[bucket].extra = (uint32_t)extra_count;
		self->buckets[bucket].moved = (uint32_t)moved_count;
		extra_count += extra_here;
		moved_count += moved_here;
	}
	self->extra_count = (uint32_t)extra_count;
	self->moved_count = (uint32_t)moved_count;
	return self->geometry->vertex_count + extra_count <= UINT32_MAX ||
		   lrd_fail(
			   error, LRD_ERROR_LIMIT, "tangents would split %u vertices into too many", self->geometry->vertex_count);
}

bool lrd_tangents_fill_extras(lrd_tangents *self, lrd_error *error)
{
	self->round = LRD_ROUND_SPLIT;
	return allocate_extras(self, error) && lrd_tangents_run_round(self, error) &&
		   lrd_tangents_finish_large(self, error);
}

bool lrd_tangents_split_vertices(lrd_tangents *self, lrd_error *error)
{
	lrd_geometry *geometry = self->geometry;
	if (self->extra_count == 0)
	{
		geometry->tangents = self->tangents;
		return true;
	}
	lrd_geometry grown = *geometry;
	if (!grow_arrays(self, &grown))
	{
		return lrd_fail_memory(error, "split vertices", (geometry->vertex_count + (size_t)self->extra_count) * 48);
	}
	float *extra_tangents = grown.tangents + 4 * (size_t)geometry->vertex_count;
	memcpy(extra_tangents, self->extra_tangents, 4 * sizeof(float) * (size_t)self->extra_count);
	for (size_t i = 0; i < self->moved_count; i++)
	{
		geometry->indices[self->moved[i].corner] = geometry->vertex_count + self->moved[i].extra;
	}
	grown.vertex_count = geometry->vertex_count + self->extra_count;
	*geometry = grown;
	return true;
}

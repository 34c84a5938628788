// import/gltf/indices.c: triangle lists from indices or from none, from strips and fans. Section 3.7.2.1.
// A list is made once for each accessor and topology, and shared by the primitives that use it.

#include "import/gltf/gltf.h"

// Indices as a source of triangles; NULL: 0, 1, 2, …
typedef struct index_source
{
	const uint32_t *indices;
	uint32_t count;
	uint32_t restart; // the value that ends a strip or fan; none when it is above every index
} index_source;

static uint32_t at(const index_source *source, uint32_t i)
{
	return source->indices != NULL ? source->indices[i] : i;
}

static uint32_t *put(uint32_t *to, uint32_t a, uint32_t b, uint32_t c)
{
	if (a == b || b == c || a == c) // what stitches strips together draws nothing
	{
		return to;
	}
	to[0] = a;
	to[1] = b;
	to[2] = c;
	return to + 3;
}

// Triangle i of a strip is (i, i + 1 + i % 2, i + 2 - i % 2), of a fan (i + 1, i + 2, 0): section 3.7.2.1.
static uint32_t *put_run(const index_source *source, uint32_t start, uint32_t end, bool fan, uint32_t *to)
{
	for (uint32_t i = 0; i + 2 < end - start; i++)
	{
		uint32_t first = start + i;
		to = fan ? put(to, at(source, first + 1), at(source, first + 2), at(source, start))
				 : put(to, at(source, first), at(source, first + 1 + i % 2), at(source, first + 2 - i % 2));
	}
	return to;
}

// `to` has room for three indices for each but two of the source's.
static uint32_t put_runs(const index_source *source, bool fan, uint32_t *to, uint32_t *restarts)
{
	uint32_t *begin = to;
	uint32_t start = 0;
	for (uint32_t i = 0; i < source->count; i++)
	{
		if (at(source, i) == source->restart)
		{
			to = put_run(source, start, i, fan, to);
			start = i + 1;
			(*restarts)++;
		}
	}
	to = put_run(source, start, source->count, fan, to);
	return (uint32_t)(to - begin);
}

static uint32_t highest_of(const uint32_t *indices, uint32_t count)
{
	uint32_t highest = 0;
	for (uint32_t i = 0; i < count; i++)
	{
		highest = indices[i] > highest ? indices[i] : highest;
	}
	return highest;
}

static bool make_runs(
	lrd_gltf_primitive *primitive, const index_source *source, bool fan, lrd_gltf_triangles *triangles)
{
	lrd_gltf *gltf = primitive->gltf;
	uint32_t most = source->count > 2 ? source->count - 2 : 0;
	if (!lrd_gltf_charge(gltf, most, 3 * sizeof(uint32_t), primitive->label))
	{
		return false;
	}
	uint32_t *list = LRD_IMPORT_ROOM(gltf->import, uint32_t, (size_t)most * 3, "indices");
	if (list == NULL)
	{
		return false;
	}
	triangles->indices = list;
	triangles->count = put_runs(source, fan, list, &triangles->restarts);
	triangles->highest = highest_of(list, triangles->count);
	return true;
}

static bool decode(lrd_gltf_primitive *primitive, lrd_gltf_accessor *accessor, uint32_t **indices, bool scratch)
{
	lrd_gltf *gltf = primitive->gltf;
	if (!lrd_gltf_charge(gltf, accessor->count, sizeof(uint32_t), primitive->label))
	{
		return false;
	}
	*indices = scratch ? LRD_IMPORT_SCRATCH(gltf->import, uint32_t, accessor->count, "indices")
					   : LRD_IMPORT_ROOM(gltf->import, uint32_t, accessor->count, "indices");
	return *indices != NULL && lrd_gltf_decode_u32(gltf, primitive->label, accessor, *indices);
}

static bool make_indexed(lrd_gltf_primitive *primitive, lrd_gltf_accessor *accessor, lrd_gltf_topology topology)
{
	lrd_gltf_triangles *triangles = &accessor->triangles[topology];
	uint32_t *indices = NULL;
	bool list = topology == LRD_GLTF_TRIANGLES;
	if (!decode(primitive, accessor, &indices, !list))
	{
		return false;
	}
	if (list)
	{
		triangles->trimmed = accessor->count % 3;
		triangles->count = accessor->count - triangles->trimmed;
		triangles->indices = indices;
		triangles->highest = highest_of(indices, triangles->count);
	}
	else
	{
		uint32_t bits = accessor->component_size * 8;
		index_source source = { indices, accessor->count, UINT32_MAX >> (32 - bits) };
		if (!make_runs(primitive, &source, topology == LRD_GLTF_FAN, triangles))
		{
			return false;
		}
	}
	triangles->ready = true;
	return true;
}

// The list for fewer vertices is the beginning of that for more: one serves all, grown by doubling.
static bool make_sequence(lrd_gltf_primitive *primitive, uint32_t vertices, lrd_gltf_topology topology)
{
	lrd_gltf *gltf = primitive->gltf;
	uint32_t have = gltf->sequence_vertices[topology];
	if (vertices <= have)
	{
		return true;
	}
	uint32_t count = have > vertices / 2 ? have * 2 : vertices;
	lrd_gltf_triangles *triangles = &gltf->sequences[topology];
	index_source source = { NULL, count, UINT32_MAX };
	if (topology != LRD_GLTF_TRIANGLES)
	{
		if (!make_runs(primitive, &source, topology == LRD_GLTF_FAN, triangles))
		{
			return false;
		}
	}
	else
	{
		if (!lrd_gltf_charge(gltf, count, sizeof(uint32_t), primitive->label))
		{
			return false;
		}
		uint32_t *list = LRD_IMPORT_ROOM(gltf->import, uint32_t, count, "indices");
		if (list == NULL)
		{
			return false;
		}
		for (uint32_t i = 0; i < count; i++)
		{
			list[i] = i;
		}
		triangles->indices = list;
	}
	gltf->sequence_vertices[topology] = count;
	return true;
}

static bool read_sequence(lrd_gltf_primitive *primitive, lrd_gltf_topology topology)
{
	uint32_t vertices = primitive->out->vertex_count;
	if (!make_sequence(primitive, vertices, topology))
	{
		return false;
	}
	uint32_t triangles = topology == LRD_GLTF_TRIANGLES ? vertices / 3 : vertices > 2 ? vertices - 2 : 0;
	primitive->out->indices = primitive->gltf->sequences[topology].indices;
	primitive->out->index_count = triangles * 3;
	uint32_t left = topology == LRD_GLTF_TRIANGLES ? vertices % 3 : 0;
	return left == 0 || lrd_import_warn(primitive->gltf->import, "indices-trimmed", left,
							"%s: vertices left over after the last whole triangle are unused", primitive->label);
}

static bool warn_repairs(lrd_gltf_primitive *primitive, const lrd_gltf_triangles *triangles)
{
	lrd_import *import = primitive->gltf->import;
	return (triangles->trimmed == 0 ||
			   lrd_import_warn(import, "indices-trimmed", triangles->trimmed,
				   "%s: indices left over after the last whole triangle were dropped", primitive->label)) &&
		   (triangles->restarts == 0 ||
			   lrd_import_warn(import, "primitive-restart", triangles->restarts,
				   "%s: primitive restart values, which glTF does not allow, start a new strip", primitive->label));
}

static bool check_highest(lrd_gltf_primitive *primitive, const lrd_gltf_triangles *triangles)
{
	uint32_t vertices = primitive->out->vertex_count;
	if (triangles->count == 0 || triangles->highest < vertices)
	{
		return true;
	}
	uint32_t i = 0;
	while (triangles->indices[i] < vertices)
	{
		i++;
	}
	return lrd_fail(primitive->gltf->error, LRD_ERROR_FORMAT,
		"%s: index %u is out of range (the primitive has %u vertices)", primitive->label, triangles->indices[i],
		vertices);
}

static bool check_accessor(lrd_gltf_primitive *primitive, const lrd_gltf_accessor *accessor, lrd_gltf_topology topology)
{
	lrd_gltf *gltf = primitive->gltf;
	bool integer = accessor->component == LRD_GLTF_U8 || accessor->component == LRD_GLTF_U16 ||
				   accessor->component == LRD_GLTF_U32;
	if (accessor->type != LRD_GLTF_SCALAR || !integer)
	{
		return lrd_fail(gltf->error, LRD_ERROR_FORMAT, "%s: indices can't be %s of %s", primitive->label,
			lrd_gltf_type_name(accessor->type), lrd_gltf_component_name(accessor->component));
	}
	uint32_t most = topology == LRD_GLTF_TRIANGLES ? 3 * LRD_IMPORT_MAX_VERTICES : LRD_IMPORT_MAX_VERTICES;
	return accessor->count <= most || lrd_fail(gltf->error, LRD_ERROR_LIMIT, "%s: %u indices (at most %u)",
										  primitive->label, accessor->count, most);
}

bool lrd_gltf_read_indices(lrd_gltf_primitive *primitive, lrd_gltf_topology topology)
{
	lrd_gltf *gltf = primitive->gltf;
	uint32_t index = LRD_NO_INDEX;
	if (!lrd_gltf_get_index(gltf, &primitive->at, "indices", LRD_GLTF_ACCESSORS, &index))
	{
		return false;
	}
	lrd_gltf_accessor *accessor = lrd_gltf_draco_indices(primitive->draco);
	if (accessor != NULL)
	{
		topology = LRD_GLTF_TRIANGLES; // whatever the primitive's mode: strips come out of a Draco mesh as triangles
	}
	else if (index == LRD_NO_INDEX)
	{
		return read_sequence(primitive, topology);
	}
	else
	{
		accessor = &gltf->accessors[index];
	}
	if (!check_accessor(primitive, accessor, topology))
	{
		return false;
	}
	if (accessor->triangles == NULL)
	{
		accessor->triangles = LRD_IMPORT_SCRATCH(gltf->import, lrd_gltf_triangles, LRD_GLTF_TOPOLOGY_COUNT, "indices");
	}
	if (accessor->triangles == NULL ||
		(!accessor->triangles[topology].ready && !make_indexed(primitive, accessor, topology)))
	{
		return false;
	}
	const lrd_gltf_triangles *triangles = &accessor->triangles[topology];
	primitive->out->indices = triangles->indices;
	primitive->out->index_count = triangles->count;
	return warn_repairs(primitive, triangles) && check_highest(primitive, triangles);
}

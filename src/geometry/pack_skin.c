// geometry/pack_skin.c: joints and weights, as bytes where every joint fits one and nobody wants more.

#include "geometry/pack.h"

#define INFLUENCES 4

static float usable_weight(float weight)
{
	return weight > 0.0f && isfinite(weight) ? weight : 0.0f; // neither negative nor NaN
}

static bool joints_need_16_bits(const lrd_geometry *geometry)
{
	bool wide = false;
	for (size_t i = 0; i < (size_t)INFLUENCES * geometry->vertex_count; i++)
	{
		wide = wide || (geometry->joints[i] > UINT8_MAX && usable_weight(geometry->weights[i]) > 0.0f);
	}
	return wide;
}

// One vertex's influences, the strongest first.
typedef struct influences
{
	uint16_t joints[INFLUENCES];
	double weights[INFLUENCES];
	uint32_t quantised[INFLUENCES];
} influences;

static influences sorted_influences(const lrd_geometry *geometry, size_t vertex)
{
	influences sorted = { 0 };
	for (int i = 0; i < INFLUENCES; i++)
	{
		uint16_t joint = geometry->joints[INFLUENCES * vertex + (size_t)i];
		double weight = (double)usable_weight(geometry->weights[INFLUENCES * vertex + (size_t)i]);
		int at = i;
		for (; at > 0 && sorted.weights[at - 1] < weight; at--)
		{
			sorted.weights[at] = sorted.weights[at - 1];
			sorted.joints[at] = sorted.joints[at - 1];
		}
		sorted.weights[at] = weight;
		sorted.joints[at] = joint;
	}
	return sorted;
}

// Largest remainders: all are rounded down, then those that lost most get one back each, until the sum is `total`. The
// order of strength holds: of two with the same whole part the stronger lost more.
static void quantise(influences *self, uint32_t total)
{
	double sum = 0.0;
	for (int i = 0; i < INFLUENCES; i++)
	{
		sum += self->weights[i];
	}
	if (!(sum > 0.0))
	{
		self->weights[0] = sum = 1.0; // no influence at all: the first joint holds the vertex
	}
	double remainders[INFLUENCES];
	uint32_t left = total;
	for (int i = 0; i < INFLUENCES; i++)
	{
		double exact = self->weights[i] / sum * (double)total;
		uint32_t whole = exact < (double)total ? (uint32_t)exact : total;
		self->quantised[i] = whole < left ? whole : left;
		remainders[i] = exact - (double)self->quantised[i];
		left -= self->quantised[i];
	}
	for (; left > 0; left--)
	{
		int most = 0;
		for (int i = 1; i < INFLUENCES; i++)
		{
			most = remainders[i] > remainders[most] ? i : most;
		}
		self->quantised[most]++;
		remainders[most] -= 1.0;
	}
	for (int i = 0; i < INFLUENCES; i++)
	{
		self->joints[i] = self->quantised[i] != 0 ? self->joints[i] : 0;
	}
}

static void write_wide(uint8_t *to, const influences *from)
{
	for (size_t i = 0; i < INFLUENCES; i++)
	{
		uint16_t weight = (uint16_t)from->quantised[i];
		memcpy(to + 2 * i, &from->joints[i], 2);
		memcpy(to + 8 + 2 * i, &weight, 2);
	}
}

static void write_narrow(uint8_t *to, const influences *from)
{
	for (size_t i = 0; i < INFLUENCES; i++)
	{
		to[i] = (uint8_t)from->joints[i];
		to[4 + i] = (uint8_t)from->quantised[i];
	}
}

bool lrd_pack_skin(const lrd_geometry *geometry, bool wide_weights, lrd_geometry_streams *streams, lrd_error *error)
{
	if (geometry->weights == NULL)
	{
		return lrd_fail(error, LRD_ERROR_ARGUMENT, "the geometry has joints but no weights");
	}
	bool wide = wide_weights || joints_need_16_bits(geometry);
	uint32_t stride = wide ? 16 : 8;
	size_t bytes = (size_t)stride * geometry->vertex_count;
	uint8_t *data = lrd_arena_alloc(geometry->arena, bytes);
	if (data == NULL)
	{
		return lrd_fail_memory(error, "the skin stream", bytes);
	}
	for (size_t v = 0; v < geometry->vertex_count; v++)
	{
		influences one = sorted_influences(geometry, v);
		quantise(&one, wide ? UINT16_MAX : UINT8_MAX);
		if (wide)
		{
			write_wide(data + stride * v, &one);
		}
		else
		{
			write_narrow(data + stride * v, &one);
		}
	}
	streams->wide_weights = wide;
	streams->streams[LRD_STREAM_SKIN] = (lrd_mesh_stream){ data, stride };
	streams->attributes[streams->attribute_count++] = (lrd_vertex_attribute){ LRD_VERTEX_JOINTS,
		wide ? LRD_FORMAT_UINT16X4 : LRD_FORMAT_UINT8X4, LRD_STREAM_SKIN, 0 };
	streams->attributes[streams->attribute_count++] = (lrd_vertex_attribute){ LRD_VERTEX_WEIGHTS,
		wide ? LRD_FORMAT_UNORM16X4_WEIGHTS : LRD_FORMAT_UNORM8X4, LRD_STREAM_SKIN, wide ? 8 : 4 };
	return true;
}

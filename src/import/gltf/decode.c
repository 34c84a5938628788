// import/gltf/decode.c: from an accessor's bytes to floats or integers, sparse elements in place. Section 3.6.2.
// Sizes were checked when the accessor was read: nothing here looks at one again.

#include "base/maths.h"
#include "import/gltf/gltf.h"

#define MAX_COMPONENTS 16

// Where each component of an element lies, bytes from the element's start.
typedef struct element_layout
{
	uint32_t offsets[MAX_COMPONENTS];
	uint32_t components;
	bool tight; // no gaps
} element_layout;

static element_layout layout_of(const lrd_gltf_accessor *accessor)
{
	uint32_t rows = accessor->type == LRD_GLTF_MAT2   ? 2
					: accessor->type == LRD_GLTF_MAT3 ? 3
					: accessor->type == LRD_GLTF_MAT4 ? 4
													  : accessor->components;
	uint32_t columns = accessor->components / rows;
	uint32_t column = (uint32_t)(accessor->packed / columns);
	element_layout layout = { .components = accessor->components,
		.tight = accessor->element_size == accessor->components * accessor->component_size };
	for (uint32_t c = 0; c < layout.components; c++)
	{
		layout.offsets[c] = c / rows * column + c % rows * accessor->component_size;
	}
	return layout;
}

#define DECODE_LOOP(type, expression)                                                                                  \
	for (uint32_t i = 0; i < count; i++, from += stride)                                                               \
	{                                                                                                                  \
		for (uint32_t c = 0; c < layout->components; c++)                                                              \
		{                                                                                                              \
			type v;                                                                                                    \
			memcpy(&v, from + layout->offsets[c], sizeof v);                                                           \
			*to++ = (expression);                                                                                      \
		}                                                                                                              \
	}                                                                                                                  \
	break

static float clamp_low(float value)
{
	return value < -1.0f ? -1.0f : value;
}

// Floats without gaps are copied: all at once, or an element at a time with a size the compiler knows.
static void copy_floats(const uint8_t *from, size_t stride, uint32_t count, uint32_t components, float *to)
{
	size_t size = components * sizeof(float);
	if (stride == size)
	{
		memcpy(to, from, size * count);
		return;
	}
	for (uint32_t i = 0; i < count; i++, from += stride, to += components)
	{
		switch (components)
		{
		case 2: memcpy(to, from, 2 * sizeof(float)); break;
		case 3: memcpy(to, from, 3 * sizeof(float)); break;
		case 4: memcpy(to, from, 4 * sizeof(float)); break;
		default: memcpy(to, from, size); break;
		}
	}
}

// Section 3.6.2.2 and the formulas of section 3.11 ("Animations") for normalized integers.
static void decode_floats(const lrd_gltf_accessor *accessor, const element_layout *layout, const uint8_t *from,
	size_t stride, uint32_t count, float *to)
{
	bool normalized = accessor->normalized;
	switch (accessor->component)
	{
	case LRD_GLTF_F32:
		if (layout->tight)
		{
			copy_floats(from, stride, count, layout->components, to);
			break;
		}
		DECODE_LOOP(float, v);
	case LRD_GLTF_I8:
		if (normalized)
		{
			DECODE_LOOP(int8_t, clamp_low((float)v / 127.0f));
		}
		DECODE_LOOP(int8_t, (float)v);
	case LRD_GLTF_U8:
		if (normalized)
		{
			DECODE_LOOP(uint8_t, (float)v / 255.0f);
		}
		DECODE_LOOP(uint8_t, (float)v);
	case LRD_GLTF_I16:
		if (normalized)
		{
			DECODE_LOOP(int16_t, clamp_low((float)v / 32767.0f));
		}
		DECODE_LOOP(int16_t, (float)v);
	case LRD_GLTF_U16:
		if (normalized)
		{
			DECODE_LOOP(uint16_t, (float)v / 65535.0f);
		}
		DECODE_LOOP(uint16_t, (float)v);
	case LRD_GLTF_U32: DECODE_LOOP(uint32_t, (float)v);
	case LRD_GLTF_NONE: break;
	}
}

static void decode_u32(const lrd_gltf_accessor *accessor, const element_layout *layout, const uint8_t *from,
	size_t stride, uint32_t count, uint32_t *to)
{
	switch (accessor->component)
	{
	case LRD_GLTF_U8: DECODE_LOOP(uint8_t, v);
	case LRD_GLTF_U16: DECODE_LOOP(uint16_t, v);
	case LRD_GLTF_U32:
		if (layout->tight && stride == layout->components * sizeof(uint32_t))
		{
			memcpy(to, from, stride * count);
			break;
		}
		DECODE_LOOP(uint32_t, v);
	default: break;
	}
}

static uint32_t sparse_index(const lrd_gltf_accessor *accessor, uint32_t i)
{
	uint32_t index = 0;
	memcpy(&index, accessor->sparse_indices + (size_t)i * accessor->sparse_size, accessor->sparse_size);
	return index;
}

// Data may be missing where a compression's placeholder was all the file had, types may be unknown to glTF.
static bool check_readable(lrd_gltf *gltf, const char *label, const lrd_gltf_accessor *accessor)
{
	uint32_t index = accessor->index;
	if (accessor->component == LRD_GLTF_NONE || accessor->type == LRD_GLTF_NO_TYPE)
	{
		return lrd_fail(gltf->error, LRD_ERROR_FORMAT, "%s: accessor %u is of %s", label, index,
			accessor->type == LRD_GLTF_NO_TYPE ? lrd_gltf_type_name(accessor->type)
											   : lrd_gltf_component_name(accessor->component));
	}
	bool missing =
		(accessor->view != LRD_NO_INDEX && accessor->data == NULL) ||
		(accessor->sparse_count != 0 && (accessor->sparse_indices == NULL || accessor->sparse_values == NULL));
	if (missing)
	{
		uint32_t view =
			accessor->view != LRD_NO_INDEX && accessor->data == NULL ? accessor->view : accessor->sparse_view;
		uint32_t buffer = gltf->views[view].buffer;
		return lrd_fail(gltf->error, LRD_ERROR_FORMAT, "%s: accessor %u lies in buffer %u, which has no data: %s",
			label, index, buffer,
			gltf->buffers[buffer].fallback ? "it is a fallback, and buffer views in it must be compressed"
										   : "neither a URI nor a BIN chunk");
	}
	return true;
}

bool lrd_gltf_decode_floats(lrd_gltf *gltf, const char *label, lrd_gltf_accessor *accessor, float *floats)
{
	if (!check_readable(gltf, label, accessor))
	{
		return false;
	}
	accessor->read = true;
	element_layout layout = layout_of(accessor);
	if (accessor->data != NULL)
	{
		decode_floats(accessor, &layout, accessor->data, accessor->stride, accessor->count, floats);
	}
	else
	{
		memset(floats, 0, (size_t)accessor->count * accessor->components * sizeof(float));
	}
	for (uint32_t i = 0; i < accessor->sparse_count; i++)
	{
		float *to = floats + (size_t)sparse_index(accessor, i) * accessor->components;
		decode_floats(accessor, &layout, accessor->sparse_values + i * accessor->packed, accessor->packed, 1, to);
	}
	return true;
}

bool lrd_gltf_decode_u32(lrd_gltf *gltf, const char *label, lrd_gltf_accessor *accessor, uint32_t *values)
{
	if (!check_readable(gltf, label, accessor))
	{
		return false;
	}
	accessor->read = true;
	element_layout layout = layout_of(accessor);
	if (accessor->data != NULL)
	{
		decode_u32(accessor, &layout, accessor->data, accessor->stride, accessor->count, values);
	}
	else
	{
		memset(values, 0, (size_t)accessor->count * accessor->components * sizeof(uint32_t));
	}
	for (uint32_t i = 0; i < accessor->sparse_count; i++)
	{
		uint32_t *to = values + (size_t)sparse_index(accessor, i) * accessor->components;
		decode_u32(accessor, &layout, accessor->sparse_values + i * accessor->packed, accessor->packed, 1, to);
	}
	return true;
}

static uint32_t first_not_finite(const float *floats, size_t count, uint32_t components)
{
	if (lrd_all_finite(floats, count))
	{
		return LRD_NO_INDEX;
	}
	size_t i = 0;
	while (isfinite(floats[i]))
	{
		i++;
	}
	return (uint32_t)(i / components);
}

bool lrd_gltf_floats(lrd_gltf *gltf, const char *label, lrd_gltf_accessor *accessor, const float **floats)
{
	if (accessor->floats != NULL)
	{
		*floats = accessor->floats;
		return true;
	}
	size_t count = (size_t)accessor->count * accessor->components;
	if (!lrd_gltf_charge(gltf, count, sizeof(float), label))
	{
		return false;
	}
	float *decoded = LRD_IMPORT_ROOM(gltf->import, float, count, "an accessor");
	if (decoded == NULL || !lrd_gltf_decode_floats(gltf, label, accessor, decoded) ||
		(!accessor->lossy && !lrd_gltf_check_bounds(gltf, accessor, decoded)))
	{
		return false;
	}
	accessor->floats = decoded;
	accessor->first_bad = first_not_finite(decoded, count, accessor->components);
	*floats = decoded;
	return true;
}

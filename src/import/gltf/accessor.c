// import/gltf/accessor.c: what accessors say, checked against what their views hold. Sections 3.6.2 and 5.1 to 5.4.
// Past this file every element of an accessor can be read without looking at a size again.

#include "import/gltf/gltf.h"

#include "base/path.h"

static uint32_t component_bytes(lrd_gltf_component component)
{
	switch (component)
	{
	case LRD_GLTF_I8:
	case LRD_GLTF_U8: return 1;
	case LRD_GLTF_I16:
	case LRD_GLTF_U16: return 2;
	case LRD_GLTF_U32:
	case LRD_GLTF_F32: return 4;
	case LRD_GLTF_NONE: break;
	}
	return 0;
}

// The numbers are OpenGL's.
static lrd_gltf_component component_of(size_t number)
{
	switch (number)
	{
	case 5120: return LRD_GLTF_I8;
	case 5121: return LRD_GLTF_U8;
	case 5122: return LRD_GLTF_I16;
	case 5123: return LRD_GLTF_U16;
	case 5125: return LRD_GLTF_U32;
	case 5126: return LRD_GLTF_F32;
	default: return LRD_GLTF_NONE;
	}
}

static const struct
{
	const char *name;
	uint32_t columns;
	uint32_t rows;
} type_infos[] = {
	[LRD_GLTF_NO_TYPE] = { "an unknown type", 0, 0 },
	[LRD_GLTF_SCALAR] = { "SCALAR", 1, 1 },
	[LRD_GLTF_VEC2] = { "VEC2", 1, 2 },
	[LRD_GLTF_VEC3] = { "VEC3", 1, 3 },
	[LRD_GLTF_VEC4] = { "VEC4", 1, 4 },
	[LRD_GLTF_MAT2] = { "MAT2", 2, 2 },
	[LRD_GLTF_MAT3] = { "MAT3", 3, 3 },
	[LRD_GLTF_MAT4] = { "MAT4", 4, 4 },
};

static lrd_gltf_type type_of(lrd_string name)
{
	for (int type = LRD_GLTF_SCALAR; type <= LRD_GLTF_MAT4; type++)
	{
		if (lrd_string_equal(name, lrd_string_from(type_infos[type].name)))
		{
			return (lrd_gltf_type)type;
		}
	}
	return LRD_GLTF_NO_TYPE;
}

const char *lrd_gltf_type_name(lrd_gltf_type type)
{
	return type_infos[type].name;
}

const char *lrd_gltf_component_name(lrd_gltf_component component)
{
	static const char *const names[] = { "an unknown component type", "i8", "u8", "i16", "u16", "u32", "f32" };
	return names[component];
}

// Where an array of elements lies in a view; `element` and `stride` in bytes.
typedef struct accessor_range
{
	uint32_t view;
	size_t offset;
	size_t stride;
	size_t element;
	size_t count;
	uint32_t alignment; // the component's size
} accessor_range;

static bool check_range(lrd_gltf *gltf, const lrd_json *at, const accessor_range *range, const uint8_t **data)
{
	const lrd_gltf_view *view = &gltf->views[range->view];
	lrd_error *error = gltf->error;
	if (range->stride < range->element)
	{
		return lrd_fail(error, LRD_ERROR_FORMAT,
			"%s: the byteStride of buffer view %u is %zu, less than an element's %zu bytes", lrd_json_place(at).text,
			range->view, range->stride, range->element);
	}
	// Section 3.6.2.4: both the offset in the view and that in the buffer.
	if (range->offset % range->alignment != 0 || (view->offset + range->offset) % range->alignment != 0 ||
		range->stride % range->alignment != 0)
	{
		return lrd_fail(error, LRD_ERROR_FORMAT,
			"%s: its data at byte %zu of buffer view %u (byte %zu of the buffer) are not aligned to its components of "
			"%u",
			lrd_json_place(at).text, range->offset, range->view, view->offset + range->offset, range->alignment);
	}
	size_t end = 0;
	if (!lrd_mul_size(range->stride, range->count - 1, &end) || !lrd_add_size(end, range->element, &end) ||
		!lrd_add_size(end, range->offset, &end) || end > view->length)
	{
		return lrd_fail(error, LRD_ERROR_FORMAT,
			"%s: %zu elements of %zu bytes from byte %zu do not fit buffer view %u, which has %zu bytes",
			lrd_json_place(at).text, range->count, range->element, range->offset, range->view, view->length);
	}
	*data = view->data != NULL ? view->data + range->offset : NULL;
	return true;
}

// Type and component type. What glTF doesn't know is an error only where something uses it.
static bool read_layout(lrd_gltf *gltf, const lrd_json *at, lrd_gltf_accessor *accessor)
{
	size_t component = 0, count = 0;
	lrd_string type = { NULL, 0 };
	if (!lrd_json_get_size(at, "componentType", &component, gltf->error) ||
		!lrd_json_get_size(at, "count", &count, gltf->error) || !lrd_json_get_text(at, "type", &type, gltf->error) ||
		!lrd_json_get_bool(at, "normalized", &accessor->normalized, gltf->error))
	{
		return false;
	}
	if (component == 0 || type.data == NULL || count == 0)
	{
		return lrd_fail(gltf->error, LRD_ERROR_FORMAT, "%s: %s is missing%s", lrd_json_place(at).text,
			component == 0      ? "componentType"
			: type.data == NULL ? "type"
								: "count",
			count == 0 ? " or 0" : "");
	}
	if (count > UINT32_MAX)
	{
		return lrd_fail(
			gltf->error, LRD_ERROR_LIMIT, "%s: %zu elements (at most %u)", lrd_json_place(at).text, count, UINT32_MAX);
	}
	accessor->count = (uint32_t)count;
	accessor->component = component_of(component);
	accessor->type = type_of(type);
	accessor->component_size = component_bytes(accessor->component);
	uint32_t rows = type_infos[accessor->type].rows, columns = type_infos[accessor->type].columns;
	accessor->components = rows * columns;
	// Section 3.6.2.4: columns of a matrix start at multiples of 4 bytes.
	uint32_t column = rows * accessor->component_size;
	uint32_t padded = columns > 1 ? (uint32_t)lrd_align_up(column, 4) : column;
	accessor->element_size = columns != 0 ? (columns - 1) * padded + column : 0;
	accessor->packed = (size_t)columns * padded;
	accessor->stride = accessor->packed;
	return true;
}

static bool is_known(const lrd_gltf_accessor *accessor)
{
	return accessor->component != LRD_GLTF_NONE && accessor->type != LRD_GLTF_NO_TYPE;
}

static uint32_t sparse_index(const lrd_gltf_accessor *accessor, uint32_t i)
{
	const uint8_t *at = accessor->sparse_indices + (size_t)i * accessor->sparse_size;
	uint32_t value = 0;
	memcpy(&value, at, accessor->sparse_size); // little-endian, as the target is
	return value;
}

// Section 3.6.2.3: strictly increasing, below count.
static bool check_sparse(lrd_gltf *gltf, const lrd_json *at, const lrd_gltf_accessor *accessor)
{
	if (accessor->sparse_indices == NULL)
	{
		return true;
	}
	if (!lrd_gltf_charge(gltf, accessor->sparse_count, accessor->sparse_size, lrd_json_place(at).text))
	{
		return false;
	}
	uint32_t last = 0;
	for (uint32_t i = 0; i < accessor->sparse_count; i++)
	{
		uint32_t index = sparse_index(accessor, i);
		if (index >= accessor->count)
		{
			return lrd_fail(gltf->error, LRD_ERROR_FORMAT,
				"%s: sparse index %u is %u, out of range (there are %u elements)", lrd_json_place(at).text, i, index,
				accessor->count);
		}
		if (i != 0 && index <= last)
		{
			return lrd_fail(gltf->error, LRD_ERROR_FORMAT, "%s: sparse index %u is %u, not above the %u before it",
				lrd_json_place(at).text, i, index, last);
		}
		last = index;
	}
	return true;
}

static bool read_sparse_part(
	lrd_gltf *gltf, const lrd_json *sparse, const char *key, accessor_range *range, const uint8_t **data)
{
	lrd_json at = lrd_json_member(sparse, key);
	range->view = LRD_NO_INDEX;
	if (!lrd_json_is_object(&at, gltf->error) ||
		!lrd_gltf_get_index(gltf, &at, "bufferView", LRD_GLTF_VIEWS, &range->view) ||
		!lrd_json_get_size(&at, "byteOffset", &range->offset, gltf->error))
	{
		return false;
	}
	if (range->view == LRD_NO_INDEX)
	{
		lrd_json missing = lrd_json_member(&at, "bufferView");
		return lrd_json_missing(&missing, gltf->error);
	}
	return check_range(gltf, &at, range, data);
}

static bool read_sparse(lrd_gltf *gltf, const lrd_json *at, lrd_gltf_accessor *accessor)
{
	lrd_json sparse = lrd_json_member(at, "sparse");
	if (sparse.value == NULL)
	{
		return true;
	}
	size_t count = 0, component = 0;
	lrd_json indices = lrd_json_member(&sparse, "indices");
	if (!lrd_json_is_object(&sparse, gltf->error) || !lrd_json_get_size(&sparse, "count", &count, gltf->error) ||
		!lrd_json_is_object(&indices, gltf->error) ||
		!lrd_json_get_size(&indices, "componentType", &component, gltf->error))
	{
		return false;
	}
	lrd_gltf_component kind = component_of(component);
	if (kind != LRD_GLTF_U8 && kind != LRD_GLTF_U16 && kind != LRD_GLTF_U32)
	{
		return lrd_fail(gltf->error, LRD_ERROR_FORMAT, "%s: componentType is %zu, expected 5121, 5123 or 5125",
			lrd_json_place(&indices).text, component);
	}
	if (count == 0 || count > accessor->count)
	{
		return lrd_fail(gltf->error, LRD_ERROR_FORMAT, "%s: count is %zu, expected 1 to the accessor's %u",
			lrd_json_place(&sparse).text, count, accessor->count);
	}
	accessor->sparse_count = (uint32_t)count;
	accessor->sparse_size = component_bytes(kind);
	accessor_range index_range = { .stride = accessor->sparse_size,
		.element = accessor->sparse_size,
		.count = count,
		.alignment = accessor->sparse_size };
	accessor_range value_range = { .stride = accessor->packed, // whatever the view's stride
		.element = accessor->element_size,
		.count = count,
		.alignment = accessor->component_size };
	if (!read_sparse_part(gltf, &sparse, "indices", &index_range, &accessor->sparse_indices) ||
		!read_sparse_part(gltf, &sparse, "values", &value_range, &accessor->sparse_values))
	{
		return false;
	}
	accessor->sparse_view = index_range.view;
	accessor->lossy = accessor->lossy || gltf->views[value_range.view].lossy;
	return check_sparse(gltf, &sparse, accessor);
}

static bool read_accessor(lrd_gltf *gltf, const lrd_json *at, lrd_gltf_accessor *accessor)
{
	accessor->json = at->value;
	accessor->index = at->index;
	accessor->has_min = cJSON_GetObjectItemCaseSensitive(at->value, "min") != NULL;
	accessor->has_max = cJSON_GetObjectItemCaseSensitive(at->value, "max") != NULL;
	accessor->view = LRD_NO_INDEX;
	accessor->sparse_view = LRD_NO_INDEX;
	accessor->first_bad = LRD_NO_INDEX;
	size_t offset = 0;
	if (!read_layout(gltf, at, accessor) ||
		!lrd_gltf_get_index(gltf, at, "bufferView", LRD_GLTF_VIEWS, &accessor->view) ||
		!lrd_json_get_size(at, "byteOffset", &offset, gltf->error))
	{
		return false;
	}
	if (!is_known(accessor))
	{
		return true;
	}
	if (accessor->view != LRD_NO_INDEX)
	{
		size_t stride = gltf->views[accessor->view].stride;
		accessor->stride = stride != 0 ? stride : accessor->packed;
		accessor_range range = { .view = accessor->view,
			.offset = offset,
			.stride = accessor->stride,
			.element = accessor->element_size,
			.count = accessor->count,
			.alignment = accessor->component_size };
		if (!check_range(gltf, at, &range, &accessor->data))
		{
			return false;
		}
		accessor->lossy = gltf->views[accessor->view].lossy;
	}
	return read_sparse(gltf, at, accessor);
}

bool lrd_gltf_read_accessors(lrd_gltf *gltf)
{
	const lrd_gltf_list *list = &gltf->lists[LRD_GLTF_ACCESSORS];
	gltf->accessors = LRD_IMPORT_SCRATCH(gltf->import, lrd_gltf_accessor, list->count, "accessors");
	if (gltf->accessors == NULL)
	{
		return false;
	}
	for (lrd_json at = lrd_json_first(&list->array); at.value != NULL; at = lrd_json_next(&at))
	{
		if (!read_accessor(gltf, &at, &gltf->accessors[at.index]))
		{
			return false;
		}
	}
	return true;
}

// Worth a look: declared bounds, data to compare them with, and budget left.
static bool is_checkable(const lrd_gltf *gltf, const lrd_gltf_accessor *accessor)
{
	bool bounded = accessor->has_min || accessor->has_max;
	bool fits = accessor->count <= gltf->budget / (accessor->components * sizeof(float) + 1);
	return !accessor->read && !accessor->lossy && bounded && fits && accessor->data != NULL &&
		   accessor->component == LRD_GLTF_F32;
}

// An unused accessor is of no consequence, but a wrong one points at a broken exporter. Checked while the budget lasts.
bool lrd_gltf_check_unused(lrd_gltf *gltf)
{
	for (uint32_t i = 0; i < gltf->lists[LRD_GLTF_ACCESSORS].count; i++)
	{
		lrd_gltf_accessor *accessor = &gltf->accessors[i];
		if (!is_checkable(gltf, accessor))
		{
			continue;
		}
		size_t size = (size_t)accessor->count * accessor->components * sizeof(float);
		gltf->budget -= size;
		float *values = lrd_alloc(gltf->import->allocator, size);
		if (values == NULL)
		{
			return lrd_fail_memory(gltf->error, "an unused accessor", size);
		}
		bool ok = lrd_gltf_decode_floats(gltf, "an unused accessor", accessor, values) &&
				  lrd_gltf_check_bounds(gltf, accessor, values);
		lrd_free(gltf->import->allocator, values, size);
		if (!ok)
		{
			return false;
		}
	}
	return true;
}

// import/gltf/draco_mesh.c: KHR_draco_mesh_compression: a primitive whose attributes and indices are one Draco mesh.
//
// What comes out of the mesh takes the place of what the accessors point at: each accessor that the extension names is
// copied, and the copy has the decoded numbers as its data. What reads accessors need not know. A file that merely uses
// the extension, with the same geometry beside it as plain accessors, is read from those: they are exact, and there
// whether or not larder is built with libdraco.

#include "import/gltf/draco.h"
#include "import/gltf/gltf.h"

#define NAME "KHR_draco_mesh_compression"
#define MODE_STRIP 5

// One attribute of a primitive that is in its Draco mesh.
typedef struct draco_part
{
	const char *semantic;
	uint32_t id;       // in the mesh
	uint32_t accessor; // as declared
	lrd_gltf_accessor *decoded;
} draco_part;

struct lrd_gltf_draco
{
	uint32_t view;
	uint32_t list; // the accessor of the indices, or LRD_NO_INDEX
	lrd_gltf_accessor *indices;
	draco_part *parts;
	uint32_t count;
};

static bool has_data(const lrd_gltf *gltf, uint32_t accessor)
{
	return accessor == LRD_NO_INDEX || gltf->accessors[accessor].view != LRD_NO_INDEX;
}

// What the extension says, next to what the primitive says of the same.
static bool read_parts(lrd_gltf_primitive *primitive, const lrd_json *at, lrd_gltf_draco *draco)
{
	lrd_gltf *gltf = primitive->gltf;
	lrd_json attributes = lrd_json_member(at, "attributes");
	draco->list = LRD_NO_INDEX;
	if (!lrd_gltf_get_index(gltf, &primitive->at, "indices", LRD_GLTF_ACCESSORS, &draco->list) ||
		!lrd_json_is_object(&attributes, gltf->error))
	{
		return false;
	}
	draco->parts = LRD_IMPORT_SCRATCH(gltf->import, draco_part, lrd_json_length(&attributes), "a Draco mesh");
	if (draco->parts == NULL)
	{
		return false;
	}
	for (lrd_json item = lrd_json_first(&attributes); item.value != NULL; item = lrd_json_next(&item))
	{
		draco_part part = { .semantic = item.key, .accessor = LRD_NO_INDEX };
		size_t id = 0;
		if (!lrd_json_size(&item, &id, gltf->error) ||
			!lrd_gltf_get_index(gltf, &primitive->attributes, item.key, LRD_GLTF_ACCESSORS, &part.accessor))
		{
			return false;
		}
		part.id = id < LRD_NO_INDEX ? (uint32_t)id : LRD_NO_INDEX;
		if (part.accessor != LRD_NO_INDEX)
		{
			draco->parts[draco->count++] = part;
		}
		else if (!lrd_import_warn(gltf->import, "attribute", 1,
					 "%s: %.64s of its Draco mesh is no attribute of it; left out", primitive->label, item.key))
		{
			return false;
		}
	}
	return true;
}

static bool is_needed(const lrd_gltf *gltf, const lrd_gltf_draco *draco)
{
	bool whole = has_data(gltf, draco->list);
	for (uint32_t i = 0; i < draco->count; i++)
	{
		whole = whole && has_data(gltf, draco->parts[i].accessor);
	}
	return !whole || lrd_gltf_required(gltf, NAME);
}

#ifdef LRD_HAVE_DRACO

static bool fail_result(lrd_gltf_primitive *primitive, const lrd_draco_limits *limits, const lrd_draco_result *result)
{
	lrd_error *error = primitive->gltf->error;
	const char *label = primitive->label;
	unsigned long long found = result->found;
	switch (result->problem)
	{
	case LRD_DRACO_OTHER:
		return lrd_fail(error, LRD_ERROR_UNSUPPORTED,
			"%s: its Draco mesh is %s, expected a triangle mesh of bitstream 2.2", label, result->text);
	case LRD_DRACO_FACES:
		return lrd_fail(error, LRD_ERROR_FORMAT,
			"%s: its Draco mesh has %llu triangles, expected at most %llu, by its index list and its size", label,
			found, (unsigned long long)limits->faces);
	case LRD_DRACO_POINTS:
		return lrd_fail(error, LRD_ERROR_FORMAT, "%s: its Draco mesh has %llu vertices, its accessors have %u", label,
			found, limits->points);
	case LRD_DRACO_TOO_LARGE:
		return lrd_fail(error, LRD_ERROR_LIMIT,
			"%s: its Draco mesh would take %llu bytes to decode: more than the file can back", label, found);
	case LRD_DRACO_ORIENTATIONS:
		return lrd_fail(error, LRD_ERROR_FORMAT,
			"%s: its Draco mesh has %llu orientations of texture coordinates, more than values", label, found);
	case LRD_DRACO_MEMORY: return lrd_fail_memory(error, "a Draco mesh", 0);
	case LRD_DRACO_FINE:
	case LRD_DRACO_DAMAGED: break;
	}
	return lrd_fail(error, LRD_ERROR_FORMAT, "%s: its Draco mesh can't be decoded: %s", label, result->text);
}

// How many triangles the index list has room for, and the stream bits for.
static uint64_t most_faces(const lrd_gltf *gltf, const lrd_gltf_draco *draco, size_t mode)
{
	uint64_t most = LRD_GLTF_DRACO_FACES + (uint64_t)gltf->views[draco->view].length * LRD_GLTF_DRACO_FACES_PER_BYTE;
	most = most < UINT32_MAX / 3 ? most : UINT32_MAX / 3;
	if (draco->list != LRD_NO_INDEX)
	{
		uint32_t count = gltf->accessors[draco->list].count;
		uint32_t listed = mode == MODE_STRIP ? count : count / 3;
		most = most < listed ? most : listed;
	}
	return most;
}

static lrd_gltf_accessor *copy_of(lrd_gltf *gltf, lrd_gltf_accessor *declared)
{
	lrd_gltf_accessor *copy = LRD_IMPORT_SCRATCH(gltf->import, lrd_gltf_accessor, 1, "a Draco mesh");
	if (copy != NULL)
	{
		declared->read = true;
		*copy = *declared;
		copy->view = LRD_NO_INDEX;
		copy->stride = copy->packed;
		copy->lossy = true;
		copy->floats = NULL;
		copy->colors = NULL;
		copy->first_bad = LRD_NO_INDEX;
		copy->influences = NULL;
		copy->triangles = NULL;
		copy->signs_checked = false;
	}
	return copy;
}

static bool read_indices(lrd_gltf_primitive *primitive, const lrd_draco *mesh, size_t mode, lrd_gltf_draco *draco)
{
	lrd_gltf *gltf = primitive->gltf;
	uint32_t count = 3 * lrd_draco_faces(mesh);
	if (!lrd_gltf_charge(gltf, count, sizeof(uint32_t), primitive->label))
	{
		return false;
	}
	uint32_t *list = LRD_IMPORT_SCRATCH(gltf->import, uint32_t, count, "a Draco mesh");
	lrd_gltf_accessor *accessor = LRD_IMPORT_SCRATCH(gltf->import, lrd_gltf_accessor, 1, "a Draco mesh");
	if (list == NULL || accessor == NULL)
	{
		return false;
	}
	lrd_draco_read_indices(mesh, list);
	*accessor = (lrd_gltf_accessor){ .index = draco->list,
		.view = LRD_NO_INDEX,
		.data = (const uint8_t *)list,
		.stride = sizeof *list,
		.packed = sizeof *list,
		.count = count,
		.component = LRD_GLTF_U32,
		.type = LRD_GLTF_SCALAR,
		.components = 1,
		.component_size = sizeof *list,
		.element_size = sizeof *list,
		.lossy = true,
		.first_bad = LRD_NO_INDEX };
	draco->indices = accessor;
	uint32_t declared = draco->list != LRD_NO_INDEX ? gltf->accessors[draco->list].count : count;
	return declared == count || mode == MODE_STRIP ||
		   lrd_import_warn(gltf->import, "draco-count", 1,
			   "%s: its Draco mesh has %u indices, its accessor %u; the mesh counts", primitive->label, count,
			   declared);
}

static lrd_draco_component component_of(lrd_gltf_component component)
{
	switch (component)
	{
	case LRD_GLTF_I8: return LRD_DRACO_I8;
	case LRD_GLTF_U8: return LRD_DRACO_U8;
	case LRD_GLTF_I16: return LRD_DRACO_I16;
	case LRD_GLTF_U16: return LRD_DRACO_U16;
	case LRD_GLTF_U32: return LRD_DRACO_U32;
	case LRD_GLTF_F32:
	case LRD_GLTF_NONE: break;
	}
	return LRD_DRACO_F32;
}

static bool read_attribute(lrd_gltf_primitive *primitive, const lrd_draco *mesh, draco_part *part)
{
	lrd_gltf *gltf = primitive->gltf;
	lrd_gltf_accessor *declared = &gltf->accessors[part->accessor];
	if (declared->component == LRD_GLTF_NONE || declared->type == LRD_GLTF_NO_TYPE || declared->type >= LRD_GLTF_MAT2)
	{
		return lrd_fail(gltf->error, LRD_ERROR_FORMAT, "%s: %s can't be %s of %s", primitive->label, part->semantic,
			lrd_gltf_type_name(declared->type), lrd_gltf_component_name(declared->component));
	}
	if (!lrd_gltf_charge(gltf, declared->count, declared->element_size, primitive->label))
	{
		return false;
	}
	size_t size = (size_t)declared->count * declared->element_size;
	uint8_t *values = LRD_IMPORT_SCRATCH(gltf->import, uint8_t, size, "a Draco mesh");
	part->decoded = copy_of(gltf, declared);
	if (values == NULL || part->decoded == NULL)
	{
		return false;
	}
	part->decoded->data = values;
	return lrd_draco_read_attribute(mesh, part->id, declared->components, component_of(declared->component), values) ||
		   lrd_fail(gltf->error, LRD_ERROR_FORMAT, "%s: its Draco mesh has no attribute %u for %s that is %s of %s",
			   primitive->label, part->id, part->semantic, lrd_gltf_type_name(declared->type),
			   lrd_gltf_component_name(declared->component));
}

static bool read_mesh(lrd_gltf_primitive *primitive, const lrd_draco *mesh, size_t mode, lrd_gltf_draco *draco)
{
	if (!lrd_gltf_charge(primitive->gltf, lrd_draco_cost(mesh), 1, primitive->label) ||
		!read_indices(primitive, mesh, mode, draco))
	{
		return false;
	}
	for (uint32_t i = 0; i < draco->count; i++)
	{
		if (!read_attribute(primitive, mesh, &draco->parts[i]))
		{
			return false;
		}
	}
	return true;
}

// Points are as many as the accessors say; they must agree.
static bool count_points(lrd_gltf_primitive *primitive, const lrd_gltf_draco *draco, uint32_t *points)
{
	const lrd_gltf_accessor *accessors = primitive->gltf->accessors;
	*points = draco->count != 0 ? accessors[draco->parts[0].accessor].count : 0;
	for (uint32_t i = 1; i < draco->count; i++)
	{
		uint32_t count = accessors[draco->parts[i].accessor].count;
		if (count != *points)
		{
			return lrd_fail(primitive->gltf->error, LRD_ERROR_FORMAT, "%s: %s has %u elements, %s has %u",
				primitive->label, draco->parts[i].semantic, count, draco->parts[0].semantic, *points);
		}
	}
	return true;
}

static bool decode(lrd_gltf_primitive *primitive, const lrd_json *at, size_t mode, lrd_gltf_draco *draco)
{
	lrd_gltf *gltf = primitive->gltf;
	const lrd_gltf_view *view = &gltf->views[draco->view];
	if (view->data == NULL)
	{
		return lrd_fail(gltf->error, LRD_ERROR_FORMAT,
			"%s/bufferView: buffer view %u lies in buffer %u, which has no data", lrd_json_place(at).text, draco->view,
			view->buffer);
	}
	lrd_draco_limits limits = { .faces = most_faces(gltf, draco, mode), .bytes = gltf->budget };
	if (!count_points(primitive, draco, &limits.points))
	{
		return false;
	}
	lrd_draco_result result;
	lrd_draco *mesh = lrd_draco_open(view->data, view->length, &limits, &result);
	bool ok = mesh != NULL ? read_mesh(primitive, mesh, mode, draco) : fail_result(primitive, &limits, &result);
	lrd_draco_close(mesh);
	return ok;
}

#else

static bool fail_unread(lrd_gltf_primitive *primitive, const lrd_gltf_draco *draco)
{
	lrd_gltf *gltf = primitive->gltf;
	uint32_t i = 0;
	while (i < draco->count && has_data(gltf, draco->parts[i].accessor))
	{
		i++;
	}
	return lrd_fail(gltf->error, LRD_ERROR_UNSUPPORTED,
		"%s: %s is only there as " NAME ", which this larder was built without (LARDER_DRACO)", primitive->label,
		i < draco->count ? draco->parts[i].semantic : "its index list");
}

static bool decode(lrd_gltf_primitive *primitive, const lrd_json *at, size_t mode, lrd_gltf_draco *draco)
{
	(void)at;
	(void)mode;
	return fail_unread(primitive, draco);
}

#endif

static bool is_same(const lrd_gltf_draco *a, const lrd_gltf_draco *b)
{
	bool same = a->list == b->list && a->count == b->count;
	for (uint32_t i = 0; same && i < a->count; i++)
	{
		const draco_part *x = &a->parts[i], *y = &b->parts[i];
		same = x->id == y->id && x->accessor == y->accessor && strcmp(x->semantic, y->semantic) == 0;
	}
	return same;
}

// Primitives that share a mesh decode it once: the last of a view is remembered.
static bool find_or_decode(lrd_gltf_primitive *primitive, const lrd_json *at, size_t mode, lrd_gltf_draco *draco)
{
	lrd_gltf *gltf = primitive->gltf;
	draco->view = LRD_NO_INDEX;
	if (!lrd_gltf_get_index(gltf, at, "bufferView", LRD_GLTF_VIEWS, &draco->view))
	{
		return false;
	}
	if (draco->view == LRD_NO_INDEX)
	{
		lrd_json missing = lrd_json_member(at, "bufferView");
		return lrd_json_missing(&missing, gltf->error);
	}
	lrd_gltf_view *view = &gltf->views[draco->view];
	if (view->draco != NULL && is_same(view->draco, draco))
	{
		primitive->draco = view->draco;
		return true;
	}
	if (!decode(primitive, at, mode, draco))
	{
		return false;
	}
	view->draco = draco;
	primitive->draco = draco;
	return true;
}

bool lrd_gltf_open_draco(lrd_gltf_primitive *primitive, size_t mode)
{
	lrd_gltf *gltf = primitive->gltf;
	lrd_gltf_extension extension;
	if (!lrd_gltf_get_extension(gltf, &primitive->at, NAME, &extension))
	{
		return false;
	}
	if (extension.at.value == NULL)
	{
		return true;
	}
	lrd_gltf_draco *draco = LRD_IMPORT_SCRATCH(gltf->import, lrd_gltf_draco, 1, "a Draco mesh");
	if (draco == NULL || !read_parts(primitive, &extension.at, draco))
	{
		return false;
	}
	return !is_needed(gltf, draco) || find_or_decode(primitive, &extension.at, mode, draco);
}

lrd_gltf_accessor *lrd_gltf_draco_attribute(const lrd_gltf_draco *draco, const char *semantic)
{
	for (uint32_t i = 0; draco != NULL && i < draco->count; i++)
	{
		if (strcmp(draco->parts[i].semantic, semantic) == 0)
		{
			return draco->parts[i].decoded;
		}
	}
	return NULL;
}

lrd_gltf_accessor *lrd_gltf_draco_indices(const lrd_gltf_draco *draco)
{
	return draco != NULL ? draco->indices : NULL;
}

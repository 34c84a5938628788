// import/gltf/mesh.c: meshes: their primitives, morph target names and default weights. Section 3.7.2 and 5.24.

#include "import/gltf/gltf.h"

#include <stdio.h>

// A mesh being read.
typedef struct mesh_reader
{
	lrd_gltf *gltf;
	const lrd_json *at;
	lrd_json primitives;
	lrd_document_mesh *out;
	lrd_gltf_label label;
	lrd_string *names;
} mesh_reader;

// Every primitive should have as many targets; the mesh has as many as the one with the most.
static bool count_morphs(mesh_reader *reader)
{
	lrd_gltf *gltf = reader->gltf;
	uint32_t least = UINT32_MAX, most = 0;
	for (lrd_json item = lrd_json_first(&reader->primitives); item.value != NULL; item = lrd_json_next(&item))
	{
		lrd_json targets = lrd_json_member(&item, "targets");
		if (!lrd_json_is_object(&item, gltf->error) ||
			(targets.value != NULL && !lrd_json_is_array(&targets, gltf->error)))
		{
			return false;
		}
		uint32_t count = lrd_json_length(&targets);
		least = count < least ? count : least;
		most = count > most ? count : most;
	}
	if (most > LRD_IMPORT_MAX_MORPHS)
	{
		return lrd_fail(gltf->error, LRD_ERROR_LIMIT, "%s: %u morph targets (at most %u)", reader->label.text, most,
			LRD_IMPORT_MAX_MORPHS);
	}
	reader->out->morph_count = most;
	return most == 0 || least == most ||
		   lrd_import_warn(gltf->import, "morph-count", 1,
			   "%s: its primitives have from %u to %u morph targets; those that lack some don't change with them",
			   reader->label.text, least, most);
}

// Not in the specification's text but in its note (section 3.7.2.2), and in every exporter: mesh.extras.targetNames.
static bool read_morph_names(mesh_reader *reader)
{
	lrd_gltf *gltf = reader->gltf;
	lrd_json extras = lrd_json_member(reader->at, "extras");
	lrd_json names = lrd_json_member(&extras, "targetNames");
	reader->names = LRD_IMPORT_NEW(gltf->import, lrd_string, reader->out->morph_count, "morph names");
	if (reader->names == NULL)
	{
		return false;
	}
	reader->out->morph_names = reader->names;
	for (lrd_json item = lrd_json_first(&names); item.value != NULL && item.index < reader->out->morph_count;
		 item = lrd_json_next(&item))
	{
		if (!cJSON_IsString(item.value)) // extras may hold anything
		{
			continue;
		}
		lrd_string name = lrd_string_from(item.value->valuestring);
		name.size = name.size < LRD_IMPORT_MAX_NAME ? name.size : 0;
		if (!lrd_import_text(gltf->import, name, &reader->names[item.index]))
		{
			return false;
		}
	}
	return true;
}

static bool read_default_weights(mesh_reader *reader)
{
	lrd_gltf *gltf = reader->gltf;
	uint32_t count = reader->out->morph_count;
	float *weights = LRD_IMPORT_NEW(gltf->import, float, count, "morph weights");
	lrd_json list = lrd_json_member(reader->at, "weights");
	if (weights == NULL || (list.value != NULL && !lrd_json_is_array(&list, gltf->error)))
	{
		return false;
	}
	reader->out->weights = weights;
	for (lrd_json item = lrd_json_first(&list); item.value != NULL && item.index < count; item = lrd_json_next(&item))
	{
		if (!lrd_json_float(&item, &weights[item.index], gltf->error))
		{
			return false;
		}
	}
	return list.value == NULL || lrd_json_length(&list) == count ||
		   lrd_import_warn(gltf->import, "morph-weights", 1, "%s: %u weights for %u morph targets; missing ones are 0",
			   reader->label.text, lrd_json_length(&list), count);
}

static bool read_primitives(mesh_reader *reader, lrd_gltf_mesh *mesh)
{
	lrd_gltf *gltf = reader->gltf;
	uint32_t count = lrd_json_length(&reader->primitives);
	if (count == 0 &&
		!lrd_import_warn(gltf->import, "primitive-empty", 1, "%s: it has no primitives", reader->label.text))
	{
		return false;
	}
	lrd_document_primitive *primitives = LRD_IMPORT_NEW(gltf->import, lrd_document_primitive, count, "primitives");
	if (primitives == NULL)
	{
		return false;
	}
	uint32_t used = 0;
	for (lrd_json item = lrd_json_first(&reader->primitives); item.value != NULL; item = lrd_json_next(&item))
	{
		lrd_gltf_primitive primitive = { .gltf = gltf,
			.at = item,
			.out = &primitives[used],
			.mesh = mesh,
			.index = item.index,
			.morph_count = reader->out->morph_count,
			.morph_names = reader->names };
		(void)snprintf(primitive.label, sizeof primitive.label, "%s, primitive %u", reader->label.text, item.index);
		bool kept = false;
		if (!lrd_gltf_read_primitive(&primitive, &kept))
		{
			return false;
		}
		used += kept;
	}
	reader->out->primitives = primitives;
	reader->out->primitive_count = used;
	return true;
}

static bool read_mesh(lrd_gltf *gltf, const lrd_json *at, lrd_document_mesh *out, lrd_gltf_mesh *mesh)
{
	mesh_reader reader = { .gltf = gltf, .at = at, .primitives = lrd_json_member(at, "primitives"), .out = out };
	if (!lrd_gltf_get_name(gltf, at, &out->name) || !lrd_json_is_array(&reader.primitives, gltf->error))
	{
		return false;
	}
	reader.label = lrd_gltf_name("mesh", at->index, out->name);
	return count_morphs(&reader) && read_morph_names(&reader) && read_default_weights(&reader) &&
		   read_primitives(&reader, mesh);
}

bool lrd_gltf_read_meshes(lrd_gltf *gltf)
{
	const lrd_gltf_list *list = &gltf->lists[LRD_GLTF_MESHES];
	lrd_document_mesh *meshes = LRD_IMPORT_NEW(gltf->import, lrd_document_mesh, list->count, "meshes");
	gltf->meshes = LRD_IMPORT_SCRATCH(gltf->import, lrd_gltf_mesh, list->count, "meshes");
	if (meshes == NULL || gltf->meshes == NULL)
	{
		return false;
	}
	for (lrd_json at = lrd_json_first(&list->array); at.value != NULL; at = lrd_json_next(&at))
	{
		if (!read_mesh(gltf, &at, &meshes[at.index], &gltf->meshes[at.index]))
		{
			return false;
		}
	}
	gltf->document->meshes = meshes;
	gltf->document->mesh_count = list->count;
	return true;
}

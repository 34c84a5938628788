// tests/cook_model.h: a model cooked in memory from what gltf_build.h made, and its cooked files opened with the public readers.

#ifndef COOK_MODEL_H
#define COOK_MODEL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cook/recipe.h"
#include "fixtures/gltf_build.h"
#include "larder/clip.h"
#include "larder/mesh.h"
#include "larder/model.h"
#include "larder/skeleton.h"
#include "larder/texture.h"

#include <math.h>

/// Every cooked file of one model whose stem is "m".
typedef struct cooked
{
	lrd_document *document;
	lrd_recipe *recipe;
	const lrd_recipe_output *outputs;
	uint32_t output_count;
	lrd_buffer *files; ///< one an output; empty where there was nothing to write
	const lrd_document_warning *warnings;
	uint32_t warning_count;
	lrd_model_view model;
} cooked;

static inline void cooked_open_file(const lrd_recipe_output *output, const lrd_buffer *file)
{
	lrd_error error = { 0 };
	lrd_mesh_view mesh;
	lrd_material_view material;
	lrd_model_view model;
	lrd_skeleton_view skeleton;
	lrd_clip_view clip;
	lrd_texture_view texture;
	bool good = false;
	switch (output->kind)
	{
	case LRD_MESH: good = lrd_mesh_open(file->data, file->size, &mesh, &error); break;
	case LRD_MATERIAL: good = lrd_material_open(file->data, file->size, &material, &error); break;
	case LRD_MODEL: good = lrd_model_open(file->data, file->size, &model, &error); break;
	case LRD_SKELETON: good = lrd_skeleton_open(file->data, file->size, &skeleton, &error); break;
	case LRD_CLIP: good = lrd_clip_open(file->data, file->size, &clip, &error); break;
	case LRD_TEXTURE: good = lrd_texture_open(file->data, file->size, &texture, &error); break;
	default: break;
	}
	if (!good)
	{
		fail_msg("%.*s: %s", LRD_STR_ARG(output->path), error.message);
	}
}

/// Cook a document, which the result takes over, as `desc` says; its stem is "m". Whatever fails, fails the test.
static inline void cook_with(cooked *self, lrd_document *document, const lrd_recipe_desc *wishes)
{
	static const lrd_settings defaults;
	lrd_error error = { 0 };
	lrd_recipe_desc desc = *wishes;
	desc.root = desc.root != NULL ? desc.root : "no-such-folder";
	desc.source = LRD_STR("m.glb");
	desc.stem = LRD_STR("m");
	desc.settings = desc.settings != NULL ? desc.settings : &defaults;
	*self = (cooked){ .document = document };
	self->recipe = lrd_recipe_model(&desc, document, &error);
	if (self->recipe == NULL)
	{
		fail_msg("%s", error.message);
	}
	self->outputs = lrd_recipe_outputs(self->recipe, &self->output_count);
	self->files = calloc(self->output_count, sizeof *self->files);
	assert_non_null(self->files);
	for (uint32_t stage = 0; stage < 2; ++stage)
	{
		for (uint32_t i = 0; i < self->output_count; ++i)
		{
			if (self->outputs[i].stage != stage)
			{
				continue;
			}
			if (!lrd_recipe_make(self->recipe, i, &self->files[i], &error))
			{
				fail_msg("%s", error.message);
			}
			if (self->files[i].size != 0)
			{
				cooked_open_file(&self->outputs[i], &self->files[i]);
			}
		}
	}
	assert_true(lrd_recipe_warnings(self->recipe, &self->warnings, &self->warning_count, &error));
	const lrd_buffer *last = &self->files[self->output_count - 1];
	assert_true(lrd_model_open(last->data, last->size, &self->model, &error));
}

static inline void cook_document_for(
	cooked *self, lrd_document *document, const lrd_settings *settings, const char *root, lrd_target target)
{
	cook_with(self, document, &(lrd_recipe_desc){ .settings = settings, .root = root, .target = target });
}

/// For the target whose textures are texels, so that tests see them.
static inline void cook_document(cooked *self, lrd_document *document, const lrd_settings *settings, const char *root)
{
	cook_document_for(self, document, settings, root, LRD_TARGET_RAW);
}

static inline lrd_document *import_build(gltf_build *build, const char *root)
{
	lrd_error error = { 0 };
	lrd_import_desc desc = {
		.root = root != NULL ? root : "no-such-folder",
		.path = "m.glb",
		.memory = gltf_finish(build, GLTF_FORM_BINARY),
	};
	lrd_document *document = lrd_import_file(&desc, &error);
	if (document == NULL)
	{
		fail_msg("%s", error.message);
	}
	return document;
}

/// Import and cook. Frees the build.
static inline void cook_build(cooked *self, gltf_build *build)
{
	cook_document(self, import_build(build, NULL), NULL, NULL);
	gltf_end(build);
}

/// Likewise, with settings for models.
static inline void cook_as(cooked *self, gltf_build *build, const lrd_model_settings *model)
{
	lrd_settings settings = { .model = *model };
	cook_document(self, import_build(build, NULL), &settings, NULL);
	gltf_end(build);
}

/// Likewise, a part for each node's mesh.
static inline void cook_separate(cooked *self, gltf_build *build)
{
	cook_as(self, build, &(lrd_model_settings){ .placement = LRD_PLACEMENT_SEPARATE });
}

static inline void cooked_free(cooked *self)
{
	for (uint32_t i = 0; i < self->output_count; ++i)
	{
		lrd_buffer_free(&self->files[i]);
	}
	free(self->files);
	lrd_recipe_destroy(self->recipe);
	lrd_document_free(self->document);
}

/// The cooked files that were written, without "m/", in the order of the outputs: "part.Body.lmesh material.Skin.lmat m.lmodel".
static inline void check_files(const cooked *self, const char *expected)
{
	char list[8192] = "";
	size_t used = 0;
	for (uint32_t i = 0; i < self->output_count; ++i)
	{
		lrd_string path = self->outputs[i].path;
		size_t skip = path.size > 2 && memcmp(path.data, "m/", 2) == 0 ? 2 : 0;
		if (self->files[i].size != 0)
		{
			used += (size_t)snprintf(list + used, sizeof list - used, "%s%.*s", used != 0 ? " " : "",
				(int)(path.size - skip), path.data + skip);
			assert_true(used < sizeof list);
		}
	}
	assert_string_equal(list, expected);
}

/// One file by its path without "m/".
static inline const lrd_buffer *cooked_file(const cooked *self, const char *name)
{
	char path[512];
	snprintf(path, sizeof path, "m/%s", name);
	for (uint32_t i = 0; i < self->output_count; ++i)
	{
		if (lrd_string_equal(self->outputs[i].path, lrd_string_from(path)) && self->files[i].size != 0)
		{
			return &self->files[i];
		}
	}
	fail_msg("there is no %s", name);
	return NULL;
}

/// What became of a mesh, by its path without "m/".
static inline const lrd_mesh_report *cooked_report(const cooked *self, const char *name)
{
	const lrd_buffer *file = cooked_file(self, name);
	const lrd_mesh_report *report = lrd_recipe_mesh(self->recipe, (uint32_t)(file - self->files));
	assert_non_null(report);
	return report;
}

/// What became of a skeleton or a clip, likewise.
static inline const lrd_skeleton_report *cooked_skeleton_report(const cooked *self, const char *name)
{
	uint32_t output = (uint32_t)(cooked_file(self, name) - self->files);
	assert_null(lrd_recipe_clip(self->recipe, output));
	assert_non_null(lrd_recipe_skeleton(self->recipe, output));
	return lrd_recipe_skeleton(self->recipe, output);
}

static inline const lrd_clip_report *cooked_clip_report(const cooked *self, const char *name)
{
	uint32_t output = (uint32_t)(cooked_file(self, name) - self->files);
	assert_null(lrd_recipe_skeleton(self->recipe, output));
	assert_non_null(lrd_recipe_clip(self->recipe, output));
	return lrd_recipe_clip(self->recipe, output);
}

#define COOKED_READER(kind, view_type)                                                                                 \
	static inline view_type cooked_##kind(const cooked *self, const char *name)                                        \
	{                                                                                                                  \
		view_type view;                                                                                                \
		const lrd_buffer *file = cooked_file(self, name);                                                              \
		assert_true(lrd_##kind##_open(file->data, file->size, &view, NULL));                                           \
		return view;                                                                                                   \
	}

COOKED_READER(mesh, lrd_mesh_view)
COOKED_READER(material, lrd_material_view)
COOKED_READER(skeleton, lrd_skeleton_view)
COOKED_READER(clip, lrd_clip_view)
COOKED_READER(texture, lrd_texture_view)

/// The first warning of a kind, which must be there; its message holds `text`.
static inline const lrd_document_warning *check_cook_warning(const cooked *self, const char *kind, const char *text)
{
	for (uint32_t i = 0; i < self->warning_count; ++i)
	{
		if (!lrd_string_equal(self->warnings[i].kind, lrd_string_from(kind)))
		{
			continue;
		}
		char message[1024];
		snprintf(message, sizeof message, "%.*s", LRD_STR_ARG(self->warnings[i].message));
		if (strstr(message, text) == NULL)
		{
			fail_msg("found \"%s\", expected it to say \"%s\"", message, text);
		}
		return &self->warnings[i];
	}
	fail_msg("no warning of kind \"%s\"", kind);
	return NULL;
}

static inline uint32_t count_warnings(const cooked *self, const char *kind)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < self->warning_count; ++i)
	{
		count += lrd_string_equal(self->warnings[i].kind, lrd_string_from(kind));
	}
	return count;
}

static inline void check_no_cook_warnings(const cooked *self)
{
	if (self->warning_count != 0)
	{
		fail_msg("unexpected warning: %.*s", LRD_STR_ARG(self->warnings[0].message));
	}
}

static inline void check_string(lrd_string found, const char *expected)
{
	if (!lrd_string_equal(found, lrd_string_from(expected)))
	{
		fail_msg("found \"%.*s\", expected \"%s\"", LRD_STR_ARG(found), expected);
	}
}

static inline void check_text(const cooked *self, lrd_text found, const char *expected)
{
	check_string(lrd_model_text(&self->model, found), expected);
}

static inline const lrd_model_part *cooked_part(const cooked *self, const char *name)
{
	uint32_t part = lrd_model_find_part(&self->model, lrd_string_from(name));
	if (part == LRD_NO_INDEX)
	{
		fail_msg("the model has no part \"%s\"", name);
	}
	return &self->model.parts[part];
}

static inline uint32_t cooked_node(const cooked *self, const char *name)
{
	uint32_t node = lrd_model_find_node(&self->model, lrd_string_from(name));
	if (node == LRD_NO_INDEX)
	{
		fail_msg("the model has no node \"%s\"", name);
	}
	return node;
}

// Vertices, where the mesh's own table says they are.

static inline const void *vertex_data(const lrd_mesh_view *mesh, lrd_vertex_semantic semantic, uint32_t vertex)
{
	const lrd_vertex_attribute *attribute = lrd_mesh_attribute(mesh, semantic);
	assert_non_null(attribute);
	const lrd_mesh_stream *stream = &mesh->streams[attribute->stream];
	return (const char *)stream->data + (size_t)vertex * stream->stride + attribute->offset;
}

static inline lrd_vec3 vertex_position(const lrd_mesh_view *mesh, uint32_t vertex)
{
	lrd_vec3 position;
	const void *data = vertex_data(mesh, LRD_VERTEX_POSITION, vertex);
	if (lrd_mesh_attribute(mesh, LRD_VERTEX_POSITION)->format == LRD_FORMAT_UNORM16X4)
	{
		uint16_t cell[3];
		memcpy(cell, data, sizeof cell);
		const float *scale = mesh->position_scale;
		const float *offset = mesh->position_offset;
		return (lrd_vec3){ (float)cell[0] * (scale[0] / 65535.0f) + offset[0],
			(float)cell[1] * (scale[1] / 65535.0f) + offset[1], (float)cell[2] * (scale[2] / 65535.0f) + offset[2] };
	}
	memcpy(&position, data, sizeof position);
	return position;
}

static inline lrd_vec3 vertex_normal(const lrd_mesh_view *mesh, uint32_t vertex)
{
	int16_t oct[2];
	memcpy(oct, vertex_data(mesh, LRD_VERTEX_NORMAL, vertex), sizeof oct);
	return lrd_oct_decode(oct);
}

static inline lrd_vec4 vertex_tangent(const lrd_mesh_view *mesh, uint32_t vertex)
{
	int16_t oct[2];
	memcpy(oct, vertex_data(mesh, LRD_VERTEX_TANGENT, vertex), sizeof oct);
	return lrd_oct_tangent_decode(oct);
}

/// The vertex nearest to a point.
static inline uint32_t vertex_at(const lrd_mesh_view *mesh, float x, float y, float z)
{
	uint32_t best = 0;
	float least = INFINITY;
	for (uint32_t v = 0; v < mesh->vertex_count; ++v)
	{
		lrd_vec3 p = vertex_position(mesh, v);
		float distance = (p.x - x) * (p.x - x) + (p.y - y) * (p.y - y) + (p.z - z) * (p.z - z);
		best = distance < least ? v : best;
		least = distance < least ? distance : least;
	}
	return best;
}

static inline void check_near(const float *found, const float *expected, size_t count)
{
	for (size_t i = 0; i < count; ++i)
	{
		if (!(fabsf(found[i] - expected[i]) <= 1e-4f))
		{
			fail_msg("number %zu: found %g, expected %g", i, (double)found[i], (double)expected[i]);
		}
	}
}

static inline void check_vec3(lrd_vec3 found, float x, float y, float z)
{
	check_near(&found.x, (const float[]){ x, y, z }, 3);
}

static inline void check_bounds(const lrd_bounds *bounds, float x0, float y0, float z0, float x1, float y1, float z1)
{
	check_vec3(bounds->min, x0, y0, z0);
	check_vec3(bounds->max, x1, y1, z1);
}

// Sources.

#define BUILD(build)                                                                                                   \
	gltf_build build;                                                                                                  \
	gltf_begin(&build)

/// A mesh of one triangle: (0,0,0) (1,0,0) (1,1,0). `material` < 0: none. `name` may be NULL.
static inline int add_mesh(gltf_build *build, const char *name, int material)
{
	char text[64] = "";
	int positions = gltf_corners(build, 3);
	if (material >= 0)
	{
		snprintf(text, sizeof text, ",\"material\":%d", material);
	}
	if (name == NULL)
	{
		return gltf_add(build, "meshes", "{\"primitives\":[{\"attributes\":{\"POSITION\":%d}%s}]}", positions, text);
	}
	return gltf_add(build, "meshes", "{\"name\":\"%s\",\"primitives\":[{\"attributes\":{\"POSITION\":%d}%s}]}", name,
		positions, text);
}

/// A mesh of one triangle for each of two materials.
static inline int add_mesh_of_two(gltf_build *build, const char *name, int first, int second)
{
	int positions = gltf_corners(build, 3);
	return gltf_add(build, "meshes",
		"{\"name\":\"%s\",\"primitives\":[{\"attributes\":{\"POSITION\":%d},\"material\":%d},{\"attributes\":{"
		"\"POSITION\":%d},\"material\":%d}]}",
		name, positions, first, positions, second);
}

static inline int add_material(gltf_build *build, const char *name)
{
	return gltf_add(build, "materials", "{\"name\":\"%s\"}", name);
}

/// A clip "Move" that moves a node by one linear translation.
static inline void add_translation_clip(gltf_build *build, const char *name, int node)
{
	static const float times[] = { 0, 1 };
	static const float values[] = { 0, 0, 0, 0, 2, 0 };
	int input = gltf_floats(build, times, 2, "SCALAR");
	int output = gltf_floats(build, values, 2, "VEC3");
	gltf_add(build, "animations",
		"{\"name\":\"%s\",\"samplers\":[{\"input\":%d,\"output\":%d}],\"channels\":[{\"sampler\":0,\"target\":{"
		"\"node\":%d,\"path\":\"translation\"}}]}",
		name, input, output, node);
}

/// An image of 32-bit texels, as an embedded TGA. `name` may be NULL.
static inline int add_image(gltf_build *build, const char *name, uint16_t width, uint16_t height, const uint8_t *bgra)
{
	size_t size = 18 + (size_t)width * height * 4;
	uint8_t *file = calloc(1, size);
	assert_non_null(file);
	file[2] = 2; // true colour
	memcpy(file + 12, &width, 2);
	memcpy(file + 14, &height, 2);
	file[16] = 32;
	file[17] = 0x28; // rows from the top, eight bits of alpha
	memcpy(file + 18, bgra, size - 18);
	int view = gltf_view(build, file, size, 0);
	free(file);
	if (name == NULL)
	{
		return gltf_add(build, "images", "{\"bufferView\":%d}", view);
	}
	return gltf_add(build, "images", "{\"name\":\"%s\",\"bufferView\":%d}", name, view);
}

#endif

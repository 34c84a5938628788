// fuzz/fuzz_import.h: import bytes, and hold what comes out to what larder/document.h says: every index in range, every
// array as long as it says. Also a mutator that puts other numbers into JSON: bytes changed at random seldom leave it
// JSON.

#ifndef FUZZ_IMPORT_H
#define FUZZ_IMPORT_H

#include "larder/document.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

#define FUZZ_CHECK(condition)                                                                                          \
	do                                                                                                                 \
	{                                                                                                                  \
		if (!(condition))                                                                                              \
		{                                                                                                              \
			abort();                                                                                                   \
		}                                                                                                              \
	} while (0)

static float fuzz_sum; // so that no read is optimised away

static inline void fuzz_touch(const float *values, size_t count)
{
	for (size_t i = 0; values != NULL && i < count; i++)
	{
		fuzz_sum += values[i];
	}
}

static inline void fuzz_touch_finite(const float *values, size_t count)
{
	for (size_t i = 0; values != NULL && i < count; i++)
	{
		FUZZ_CHECK(isfinite(values[i]));
	}
}

static inline void fuzz_index(uint32_t index, uint32_t count)
{
	FUZZ_CHECK(index == LRD_NO_INDEX || index < count);
}

static inline void fuzz_primitive(
	const lrd_document *document, const lrd_document_mesh *mesh, const lrd_document_primitive *p)
{
	size_t n = p->vertex_count;
	fuzz_index(p->material, document->material_count);
	FUZZ_CHECK(n != 0 && p->index_count != 0 && p->index_count % 3 == 0 && p->positions != NULL);
	for (uint32_t i = 0; i < p->index_count; i++)
	{
		FUZZ_CHECK(p->indices[i] < n);
	}
	fuzz_touch_finite(p->positions, n * 3);
	fuzz_touch_finite(p->normals, n * 3);
	fuzz_touch_finite(p->tangents, n * 4);
	fuzz_touch_finite(p->uv[0], n * 2);
	fuzz_touch_finite(p->uv[1], n * 2);
	fuzz_touch_finite(p->colors, n * 4);
	FUZZ_CHECK((p->joints == NULL) == (p->weights == NULL));
	for (size_t v = 0; p->weights != NULL && v < n; v++)
	{
		const float *w = p->weights + v * 4;
		FUZZ_CHECK(fabsf(w[0] + w[1] + w[2] + w[3] - 1.0f) < 1e-4f);
		fuzz_sum += (float)p->joints[v * 4 + 3];
	}
	for (uint32_t m = 0; m < mesh->morph_count; m++)
	{
		fuzz_touch_finite(p->morphs[m].positions, n * 3);
		fuzz_touch_finite(p->morphs[m].normals, n * 3);
		fuzz_touch_finite(p->morphs[m].tangents, n * 3);
	}
	for (uint32_t v = 0; p->variant_materials != NULL && v < document->variant_count; v++)
	{
		fuzz_index(p->variant_materials[v], document->material_count);
	}
}

static inline void fuzz_meshes(const lrd_document *document)
{
	for (uint32_t m = 0; m < document->mesh_count; m++)
	{
		const lrd_document_mesh *mesh = &document->meshes[m];
		fuzz_touch_finite(mesh->weights, mesh->morph_count);
		for (uint32_t p = 0; p < mesh->primitive_count; p++)
		{
			fuzz_primitive(document, mesh, &mesh->primitives[p]);
		}
	}
	for (uint32_t i = 0; i < document->material_count; i++)
	{
		for (int slot = 0; slot < LRD_SLOT_COUNT; slot++)
		{
			fuzz_index(document->materials[i].slots[slot].texture, document->texture_count);
			FUZZ_CHECK(document->materials[i].slots[slot].uv_set < 2);
		}
	}
	for (uint32_t i = 0; i < document->texture_count; i++)
	{
		fuzz_index(document->textures[i].image, document->image_count);
	}
}

static inline void fuzz_skin(const lrd_document *document, const lrd_document_node *node)
{
	const lrd_document_mesh *mesh = &document->meshes[node->mesh];
	for (uint32_t p = 0; p < mesh->primitive_count; p++)
	{
		const lrd_document_primitive *primitive = &mesh->primitives[p];
		for (size_t j = 0; primitive->joints != NULL && j < (size_t)primitive->vertex_count * 4; j++)
		{
			FUZZ_CHECK(primitive->joints[j] < document->skins[node->skin].joint_count);
		}
	}
}

static inline void fuzz_nodes(const lrd_document *document)
{
	for (uint32_t i = 0; i < document->node_count; i++)
	{
		const lrd_document_node *node = &document->nodes[i];
		fuzz_index(node->parent, document->node_count);
		fuzz_index(node->mesh, document->mesh_count);
		fuzz_index(node->skin, document->skin_count);
		fuzz_index(node->light, document->light_count);
		fuzz_index(node->camera, document->camera_count);
		fuzz_touch(node->matrix.m, 16);
		fuzz_touch_finite(&node->local.translation.x, 3);
		for (uint32_t c = 0; c < node->child_count; c++)
		{
			FUZZ_CHECK(document->nodes[node->children[c]].parent == i);
		}
		if (node->weights != NULL)
		{
			fuzz_touch_finite(node->weights, document->meshes[node->mesh].morph_count);
		}
		for (uint32_t k = 0; k < node->instance_count; k++)
		{
			fuzz_touch_finite(&node->instances[k].translation.x, 3);
		}
		if (node->skin != LRD_NO_INDEX)
		{
			fuzz_skin(document, node);
		}
	}
	for (uint32_t i = 0; i < document->skin_count; i++)
	{
		fuzz_touch_finite(document->skins[i].inverse_binds->m, (size_t)document->skins[i].joint_count * 16);
		fuzz_index(document->skins[i].skeleton_root, document->node_count);
	}
	for (uint32_t s = 0; s < document->scene_count; s++)
	{
		for (uint32_t r = 0; r < document->scenes[s].root_count; r++)
		{
			FUZZ_CHECK(document->nodes[document->scenes[s].roots[r]].parent == LRD_NO_INDEX);
		}
	}
	fuzz_index(document->default_scene, document->scene_count);
}

static inline void fuzz_animations(const lrd_document *document)
{
	for (uint32_t a = 0; a < document->animation_count; a++)
	{
		for (uint32_t c = 0; c < document->animations[a].channel_count; c++)
		{
			const lrd_document_channel *channel = &document->animations[a].channels[c];
			bool cubic = channel->interpolation == LRD_INTERPOLATION_CUBIC;
			FUZZ_CHECK(channel->node < document->node_count && channel->key_count != 0 && channel->components != 0);
			fuzz_touch_finite(channel->times, channel->key_count);
			fuzz_touch_finite(channel->values, (size_t)channel->key_count * channel->components * (cubic ? 3 : 1));
			for (uint32_t k = 1; k < channel->key_count; k++)
			{
				FUZZ_CHECK(channel->times[k] > channel->times[k - 1]);
			}
		}
	}
}

static inline bool fuzz_is_number(uint8_t c)
{
	return (c >= '0' && c <= '9') || c == '-' || c == '.' || c == 'e';
}

// The n-th run of number characters, counted around; false where there is none.
static inline bool fuzz_find_number(const uint8_t *data, size_t size, unsigned n, size_t *start, size_t *end)
{
	for (unsigned pass = 0; pass < 2; pass++)
	{
		unsigned count = 0;
		for (size_t i = 0; i < size; i++)
		{
			bool begins = data[i] >= '0' && data[i] <= '9' && i > 0 &&
						  (data[i - 1] == ':' || data[i - 1] == ',' || data[i - 1] == '[');
			if (!begins || (pass == 1 && count++ != n))
			{
				count += pass == 0 && begins;
				continue;
			}
			*start = i;
			for (*end = i; *end < size && fuzz_is_number(data[*end]); (*end)++)
			{
			}
			return true;
		}
		if (count == 0)
		{
			return false;
		}
		n %= count;
	}
	return false;
}

// Puts another number, from elsewhere in the text or from a list of awkward ones, where one is.
static inline size_t fuzz_change_number(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
	static const char *const awkward[] = { "0", "1", "2", "3", "4", "5", "6", "-1", "0.5", "7", "16", "255", "256",
		"65535", "65536", "4294967295", "4294967296", "1e9", "1e38", "1e39", "5120", "5121", "5122", "5123", "5125",
		"5126" };
	const uint8_t *nul = memchr(data, 0, size);
	size_t text = nul != NULL ? (size_t)(nul - data) : size;
	size_t start = 0, end = 0, from = 0, from_end = 0;
	char number[32];
	if (!fuzz_find_number(data, text, seed >> 8, &start, &end) ||
		!fuzz_find_number(data, text, seed >> 3, &from, &from_end))
	{
		return LLVMFuzzerMutate(data, size, max_size);
	}
	size_t length = from_end - from;
	const void *chosen = data + from;
	if ((seed & 2) != 0 || length > sizeof number)
	{
		chosen = awkward[(seed >> 5) % (sizeof awkward / sizeof awkward[0])];
		length = strlen(chosen);
	}
	memcpy(number, chosen, length);
	if (size - (end - start) + length > max_size)
	{
		return LLVMFuzzerMutate(data, size, max_size);
	}
	memmove(data + start + length, data + end, size - end);
	memcpy(data + start, number, length);
	return size - (end - start) + length;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
	return (seed & 1) != 0 ? LLVMFuzzerMutate(data, size, max_size) : fuzz_change_number(data, size, max_size, seed);
}

static inline void fuzz_import(const char *path, const uint8_t *data, size_t size)
{
	lrd_error error = { .code = LRD_OK };
	lrd_import_desc desc = { .root = "no-such-folder", .path = path, .memory = { data, size } };
	desc.memory.data = size != 0 ? (const void *)data : (const void *)"";
	lrd_document *document = lrd_import_file(&desc, &error);
	FUZZ_CHECK((document == NULL) == (error.code != LRD_OK));
	if (document != NULL)
	{
		fuzz_meshes(document);
		fuzz_nodes(document);
		fuzz_animations(document);
		lrd_document_free(document);
	}
}

#endif

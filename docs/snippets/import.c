// The code of docs/guide-import.md, as a program: snippet_import ROOT, the folder of courtyard.gltf.

#include <larder/document.h>

#include <stdio.h>
#include <stdlib.h>

static lrd_document *import(const char *root, const char *path)
{
	lrd_error error;
	lrd_document *document = lrd_import_file(&(lrd_import_desc){ .root = root, .path = path }, &error);
	if (document == NULL)
	{
		fprintf(stderr, "%s\n", error.message);
		return NULL;
	}
	for (uint32_t i = 0; i < document->warning_count; ++i)
	{
		const lrd_document_warning *warning = &document->warnings[i];
		fprintf(stderr, "%s: %.*s (%u)\n", path, LRD_STR_ARG(warning->message), warning->count);
	}
	return document;
}

/// A node and all below it, with the triangles that they draw.
static uint64_t print_tree(const lrd_document *document, uint32_t index, int depth)
{
	const lrd_document_node *node = &document->nodes[index];
	uint64_t triangles = 0;
	if (node->mesh != LRD_NO_INDEX)
	{
		const lrd_document_mesh *mesh = &document->meshes[node->mesh];
		for (uint32_t p = 0; p < mesh->primitive_count; ++p)
		{
			triangles += mesh->primitives[p].index_count / 3; // always a triangle list
		}
	}
	printf("%*s%.*s\n", depth * 2, "", LRD_STR_ARG(node->name));
	for (uint32_t c = 0; c < node->child_count; ++c)
	{
		triangles += print_tree(document, node->children[c], depth + 1);
	}
	return triangles;
}

static uint64_t print_scene(const lrd_document *document)
{
	uint64_t triangles = 0;
	if (document->scene_count == 0)
	{
		return 0; // then every node without a parent is a root
	}
	const lrd_document_scene *scene =
		&document->scenes[document->default_scene == LRD_NO_INDEX ? 0 : document->default_scene];
	for (uint32_t r = 0; r < scene->root_count; ++r)
	{
		triangles += print_tree(document, scene->roots[r], 0);
	}
	return triangles;
}

/// The images that a material draws with.
static uint32_t print_images(const lrd_document *document, const lrd_document_material *material)
{
	uint32_t images = 0;
	for (lrd_material_slot slot = 0; slot < LRD_SLOT_COUNT; ++slot)
	{
		uint32_t texture = material->slots[slot].texture;
		uint32_t image = texture == LRD_NO_INDEX ? LRD_NO_INDEX : document->textures[texture].image;
		if (image != LRD_NO_INDEX)
		{
			const lrd_document_image *source = &document->images[image];
			printf("%s: %.*s%s\n", lrd_material_slot_name(slot), LRD_STR_ARG(source->path),
				source->path.size == 0 ? "(embedded)" : "");
			images++;
		}
	}
	return images;
}

/// The lowest point of a primitive, in its mesh's space.
static float lowest(const lrd_document_primitive *primitive)
{
	float y = primitive->positions[1];
	for (uint32_t v = 0; v < primitive->vertex_count; ++v)
	{
		float here = primitive->positions[v * 3 + 1];
		y = here < y ? here : y;
	}
	return y;
}

int main(int argc, char **argv)
{
	lrd_document *document = argc == 2 ? import(argv[1], "courtyard.gltf") : NULL;
	if (document == NULL)
	{
		return EXIT_FAILURE;
	}
	uint64_t triangles = print_scene(document);
	uint32_t images = 0;
	for (uint32_t m = 0; m < document->material_count; ++m)
	{
		images += print_images(document, &document->materials[m]);
	}
	for (uint32_t d = 0; d < document->dependency_count; ++d)
	{
		printf("reads %.*s\n", LRD_STR_ARG(document->dependencies[d].path));
	}
	bool good = triangles > 100000 && images > 20 && document->dependency_count > 10 &&
				lowest(&document->meshes[0].primitives[0]) < 1.0f;
	printf("%llu triangles, %u uses of images\n", (unsigned long long)triangles, images);
	lrd_document_free(document);
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

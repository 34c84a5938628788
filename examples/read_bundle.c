// Open a bundle and print the parts of a model: read_bundle game.lpack models/fox. Everything is read in place, through larder's public headers.

#include <larder/larder.h>

#include <stdio.h>
#include <stdlib.h>

/// A payload of the bundle: in place where it is stored raw, inflated into *owned where it is not. NULL on failure.
static const void *load(const lrd_pack *pack, lrd_string stem, lrd_kind kind, size_t *size, void **owned)
{
	lrd_pack_entry entry;
	lrd_error error;
	if (!lrd_pack_find_asset(pack, kind, stem, &entry))
	{
		fprintf(stderr, "%.*s is not in the bundle\n", LRD_STR_ARG(stem));
		return NULL;
	}
	*size = (size_t)entry.size;
	*owned = entry.compression == LRD_STORED ? NULL : malloc(*size);
	if (entry.compression != LRD_STORED && (*owned == NULL || !lrd_pack_read(pack, &entry, *owned, *size, &error)))
	{
		fprintf(stderr, "%s\n", *owned == NULL ? "out of memory" : error.message);
		free(*owned);
		return NULL;
	}
	return *owned != NULL ? *owned : entry.stored;
}

/// A part, and how many times in a row the model places its mesh.
static bool print_part(const lrd_pack *pack, const lrd_model_view *model, const lrd_model_part *part, uint32_t count)
{
	lrd_string name = lrd_model_text(model, part->name);
	lrd_mesh_view mesh;
	lrd_error error;
	size_t size = 0;
	void *owned = NULL;
	const void *bytes = load(pack, lrd_model_text(model, part->mesh), LRD_MESH, &size, &owned);
	if (bytes == NULL || !lrd_mesh_open(bytes, size, &mesh, &error))
	{
		fprintf(stderr, "%.*s: %s\n", LRD_STR_ARG(name), bytes == NULL ? "no mesh" : error.message);
		free(owned);
		return false;
	}
	printf("%4u x %-22.*s %7u vertices %7u triangles %5u meshlets  %.*s\n", count, LRD_STR_ARG(name), mesh.vertex_count,
		mesh.lods[0].triangle_count, mesh.lods[0].meshlet_count, LRD_STR_ARG(mesh.material));
	free(owned);
	return true;
}

int main(int argc, char **argv)
{
	lrd_error error = { 0 };
	lrd_pack *pack = argc == 3 ? lrd_pack_open(&(lrd_pack_desc){ .path = argv[1] }, &error) : NULL;
	lrd_model_view model;
	size_t size = 0;
	void *owned = NULL;
	const void *bytes = pack == NULL ? NULL : load(pack, lrd_string_from(argv[2]), LRD_MODEL, &size, &owned);
	bool good = bytes != NULL && lrd_model_open(bytes, size, &model, &error);
	for (uint32_t i = 0, next = 0; good && i < model.part_count; i = next)
	{
		lrd_string mesh = lrd_model_text(&model, model.parts[i].mesh);
		while (next < model.part_count && lrd_string_equal(lrd_model_text(&model, model.parts[next].mesh), mesh))
		{
			next++;
		}
		good = print_part(pack, &model, &model.parts[i], next - i);
	}
	if (argc != 3 || error.message[0] != 0)
	{
		fprintf(stderr, "%s\n", argc == 3 ? error.message : "usage: read_bundle BUNDLE MODEL");
	}
	free(owned);
	lrd_pack_close(pack);
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

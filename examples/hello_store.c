// Find a model, ask for it, go on with frames until it is there, and use it: hello_store game.lpack models/fox.

#include <larder/larder.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/// What stands here for a frame of a game.
static void frame(lrd_store *store)
{
	lrd_store_update(store);
	nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
}

/// A material holds its textures, so they are there as long as it is.
static void print_material(lrd_store *store, const lrd_material *material)
{
	printf("  %-16.*s", LRD_STR_ARG(material->view.name));
	for (uint32_t slot = 0; slot < LRD_SLOT_COUNT; ++slot)
	{
		const lrd_texture *texture = lrd_texture_get(store, material->textures[slot]);
		if (texture != NULL) // an empty slot has the null asset
		{
			printf(" %s %ux%u", lrd_material_slot_name(slot), texture->view.width, texture->view.height);
		}
	}
	printf("\n");
}

/// What a renderer would be given. The model holds all that it names but clips.
static void print_model(lrd_store *store, const lrd_model *model)
{
	uint64_t triangles = 0;
	for (uint32_t i = 0; i < model->view.part_count; ++i)
	{
		const lrd_mesh *mesh = lrd_mesh_get(store, model->meshes[i]);
		triangles += mesh == NULL ? 0 : mesh->view.lods[0].triangle_count; // NULL: it could not be loaded
	}
	printf("%u parts, %llu triangles, %u materials, %u clips\n", model->view.part_count, (unsigned long long)triangles,
		model->view.material_count, model->view.clip_count);
	for (uint32_t i = 0; i < model->view.material_count; ++i)
	{
		const lrd_material *material = lrd_material_get(store, model->materials[i]);
		if (material != NULL)
		{
			print_material(store, material);
		}
	}
}

static bool use_model(lrd_store *store, const char *stem, lrd_error *error)
{
	lrd_asset asset = lrd_asset_find(store, LRD_MODEL, stem, error);
	if (!lrd_retain(store, asset)) // starts the load, and does not wait for it
	{
		return false;
	}
	while (lrd_asset_state(store, asset) == LRD_QUEUED || lrd_asset_state(store, asset) == LRD_LOADING)
	{
		frame(store);
	}
	const lrd_model *model = lrd_model_get(store, asset);
	if (model != NULL)
	{
		print_model(store, model);
	}
	bool whole = !lrd_asset_error(store, asset, error); // of the model, or of anything that it names
	lrd_release(store, asset);
	return whole;
}

int main(int argc, char **argv)
{
	if (argc != 3)
	{
		fprintf(stderr, "usage: hello_store BUNDLE MODEL\n");
		return EXIT_FAILURE;
	}
	lrd_error error = { 0 };
	lrd_store *store = lrd_store_open(&(lrd_store_desc){ .pack = argv[1] }, &error);
	bool good = store != NULL && use_model(store, argv[2], &error);
	if (!good)
	{
		fprintf(stderr, "%s\n", error.message);
	}
	uint32_t leaks = store == NULL ? 0 : lrd_store_close(store);
	return good && leaks == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

// The code of docs/guide-renderer.md, as a program: a model's parts on a null device. snippet_renderer BUNDLE MODEL

#include <larder/larder.h>

#include <stdio.h>
#include <string.h>

#define PARTS 256
#define TABLE_BYTES 4096

/// What this renderer keeps of a part of a model.
typedef struct part
{
	lrd_mesh_handle mesh;
	uint32_t material;
	uint32_t written; // the revision of the material that its constants hold
} part;

typedef struct renderer
{
	lrd_store *store;
	lrd_residents *residents;
	part parts[PARTS];
	uint32_t part_count;
	uint32_t changes;
	uint64_t frame;
} renderer;

static bool open_residents(renderer *self, const lrd_gpu *gpu)
{
	lrd_error error;
	lrd_residents_desc desc = {
		.geometry = 512u << 20, // bytes of meshes, and no more
		.frames = 3,            // in flight
		.create_us = 500,       // what a frame may spend on making GPU objects
	};
	self->residents = lrd_residents_create(self->store, gpu, &desc, &error);
	if (self->residents == NULL)
	{
		fprintf(stderr, "%s\n", error.message);
	}
	return self->residents != NULL;
}

static bool add_part(renderer *self, lrd_asset mesh, lrd_asset material)
{
	lrd_error error;
	part made = { .mesh = lrd_residents_retain_mesh(self->residents, mesh, &error),
		.material = lrd_residents_retain_material(self->residents, material, &error) };
	if (made.mesh.generation == 0 || made.material == LRD_GPU_NO_SLOT)
	{
		lrd_residents_release_mesh(self->residents, made.mesh); // releasing what was not had is harmless
		lrd_residents_release_material(self->residents, made.material);
		fprintf(stderr, "%s\n", error.message);
		return false;
	}
	self->parts[self->part_count++] = made;
	return true;
}

static void write_constants(const lrd_resident_material *material)
{
	printf("base colour %.2f %.2f %.2f, slot %u\n", (double)material->params->base_color[0],
		(double)material->params->base_color[1], (double)material->params->base_color[2],
		material->slots[LRD_SLOT_BASE_COLOR]);
}

static void draw(const lrd_resident_mesh *mesh, uint32_t lod)
{
	printf("%u indices from %u, %u bytes each\n", mesh->lods[lod].index_count, mesh->lods[lod].first_index,
		mesh->index_size);
}

static void draw_part(renderer *self, part *drawn)
{
	const lrd_resident_material *material = lrd_residents_get_material(self->residents, drawn->material);
	const lrd_resident_mesh *mesh = lrd_residents_get_mesh(self->residents, drawn->mesh);
	if (material->revision != drawn->written)
	{
		write_constants(material);
		drawn->written = material->revision;
	}
	if (mesh->object != 0) // else it is not there yet
	{
		draw(mesh, 0);
	}
}

static void update(renderer *self, uint64_t finished)
{
	lrd_store_update(self->store);
	lrd_residents_update(self->residents, ++self->frame, finished);
	for (uint32_t i = 0; i < self->part_count; ++i)
	{
		draw_part(self, &self->parts[i]);
	}
}

static void on_change(void *user, const lrd_user_desc *desc)
{
	renderer *self = user;
	if (desc->what == LRD_CHANGE_EVERYTHING)
	{
		printf("look at every part\n");
	}
	self->changes++; // desc->user is the part
}

static void follow(renderer *self, uint32_t number)
{
	lrd_residents_on_change(self->residents, on_change, self);
	lrd_user_desc user = { LRD_CHANGE_MESH, self->parts[number].mesh.index, number };
	lrd_residents_add_user(self->residents, &user);
}

static bool fill_table(void *user, void *destination)
{
	(void)user;
	memset(destination, 0, TABLE_BYTES);
	return true;
}

static lrd_mesh_handle make_table(renderer *self)
{
	lrd_error error;
	lrd_geometry_desc desc = {
		.key = 0x7461626c65, // whoever asks for it shares it
		.layout = { .vertex_count = 128, .index_size = 2, .lod_count = 1 },
		.size = TABLE_BYTES,
		.dynamic = true,
		.fill = fill_table,
	};
	return lrd_residents_retain_geometry(self->residents, &desc, &error);
}

static bool move_table(renderer *self, lrd_mesh_handle table, const float *heights, uint32_t count)
{
	lrd_resident_lod lod = { .index_count = 6 * count };
	return lrd_residents_write_geometry(self->residents, table, 0, heights, count * sizeof *heights, &lod, 1);
}

static uint32_t pending(const renderer *self)
{
	lrd_residents_stats stats;
	lrd_residents_get_stats(self->residents, &stats);
	return stats.pending;
}

static bool run(renderer *self, const char *stem)
{
	lrd_error error = { 0 };
	lrd_asset asset = lrd_asset_find(self->store, LRD_MODEL, stem, NULL);
	if (!lrd_retain_now(self->store, asset, &error))
	{
		fprintf(stderr, "%s\n", error.message);
		return false;
	}
	const lrd_model *model = lrd_model_get(self->store, asset);
	for (uint32_t i = 0; i < model->view.part_count && i < PARTS; ++i)
	{
		if (!add_part(self, model->meshes[i], model->materials[model->view.parts[i].slot]))
		{
			return false;
		}
		follow(self, i);
	}
	lrd_mesh_handle table = make_table(self);
	while (pending(self) != 0)
	{
		update(self, self->frame);
	}
	const float heights[4] = { 0.0f, 1.0f, 2.0f, 3.0f };
	bool moved = move_table(self, table, heights, 4);
	update(self, self->frame);
	printf("%u changes\n", self->changes);
	lrd_release(self->store, asset);
	return moved && self->changes != 0;
}

int main(int argc, char **argv)
{
	lrd_error error = { 0 };
	renderer self = { 0 };
	self.store = argc == 3 ? lrd_store_open(&(lrd_store_desc){ .pack = argv[1] }, &error) : NULL;
	lrd_gpu_null *device = lrd_gpu_null_create(NULL, &error);
	if (self.store == NULL || device == NULL)
	{
		fprintf(stderr, "%s\n", argc == 3 ? error.message : "snippet_renderer BUNDLE MODEL");
		return 1;
	}
	const lrd_gpu gpu = lrd_gpu_null_interface(device);
	bool done = open_residents(&self, &gpu) && run(&self, argv[2]);
	lrd_residents_destroy(self.residents);
	lrd_gpu_null_destroy(device);
	lrd_store_close(self.store);
	return done ? 0 : 1;
}

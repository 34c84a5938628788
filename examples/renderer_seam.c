// What an engine writes so that larder brings assets to its own renderer: the functions of lrd_gpu, here over a "GPU" in plain memory
// that does its copies when a frame ends. Then a model goes through it: renderer_seam game.lpack models/fox.
// What the functions promise is in larder/gpu.h; a device over Vulkan is in larder/gpu_vulkan.h.

#include <larder/larder.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define OBJECTS 1024u
#define SLOTS 1024u
#define COPIES 1024u
#define STAGING ((uint64_t)32 << 20)

typedef struct engine_object
{
	bool used;
	bool is_mesh;
	lrd_gpu_texture_desc texture;
	uint8_t *levels[LRD_TEXTURE_MAX_LEVELS]; // [0] the whole of a mesh
	uint64_t came[LRD_TEXTURE_MAX_LEVELS];   // bytes of a level, band after band
	uint64_t size;                           // of a mesh
} engine_object;

typedef struct engine_copy
{
	engine_object *object;
	uint32_t level;
	uint64_t destination, offset, size;
} engine_copy;

typedef struct engine
{
	engine_object objects[OBJECTS];
	lrd_gpu_object slots[SLOTS]; // what shaders index
	uint8_t *staging;            // a ring: bytes ever given out, and ever given back
	uint64_t head, tail;
	engine_copy copies[COPIES]; // recorded
	uint32_t copy_count;
	uint32_t submitted_copies; // of those, handed over
	uint64_t submitted_head;
	uint64_t submitted, completed; // values
} engine;

// --- The functions of lrd_gpu ---

static void get_caps(void *user, lrd_gpu_caps *caps)
{
	(void)user;
	*caps = (lrd_gpu_caps){ .max_texture_size = 8192,
		.max_cube_size = 4096,
		.max_depth = 512,
		.max_layers = 512,
		.texture_slots = SLOTS,
		.staging_size = STAGING };
}

static bool has_format(void *user, uint32_t format)
{
	(void)user;
	return format < LRD_TEXTURE_ASTC_4X4_UNORM; // what is false here is decoded by larder
}

static engine_object *object_of(engine *self, lrd_gpu_object number)
{
	return &self->objects[number - 1];
}

static lrd_gpu_object make_object(engine *self, engine_object object, lrd_error *error)
{
	for (uint32_t i = 0; i < OBJECTS; ++i)
	{
		if (!self->objects[i].used)
		{
			object.used = true;
			self->objects[i] = object;
			return i + 1;
		}
	}
	if (error != NULL)
	{
		*error = (lrd_error){ LRD_ERROR_MEMORY, "no place for another object" }; // larder asks again later
	}
	return 0;
}

static lrd_gpu_object create_texture(void *user, const lrd_gpu_texture_desc *desc, lrd_error *error)
{
	return make_object(user, (engine_object){ .texture = *desc }, error);
}

static lrd_gpu_object create_mesh(void *user, const lrd_gpu_mesh_desc *desc, lrd_error *error)
{
	return make_object(user, (engine_object){ .is_mesh = true, .size = desc->size }, error);
}

// No frame uses it any more: larder has seen to that.
static void destroy_object(void *user, lrd_gpu_object number)
{
	engine_object *object = object_of(user, number);
	for (uint32_t i = 0; i < LRD_TEXTURE_MAX_LEVELS; ++i)
	{
		free(object->levels[i]);
	}
	*object = (engine_object){ 0 };
}

// A real engine writes a descriptor here, into the copy of its table that the next frame uses.
static void bind_texture(void *user, uint32_t slot, lrd_gpu_object texture)
{
	((engine *)user)->slots[slot] = texture;
}

static bool stage(void *user, uint64_t size, lrd_gpu_staging *staging)
{
	engine *self = user;
	uint64_t start = (self->head + 15) / 16 * 16;
	if (self->head == self->tail || start % STAGING + size > STAGING) // no run goes around the end
	{
		start = (start + STAGING - 1) / STAGING * STAGING;
		self->tail = self->head == self->tail ? start : self->tail;
	}
	if (start + size - self->tail > STAGING)
	{
		return false; // larder asks again in a later frame
	}
	self->head = start + size;
	*staging = (lrd_gpu_staging){ self->staging + start % STAGING, start % STAGING };
	return true;
}

static void record(engine *self, engine_copy copy)
{
	if (self->copy_count == COPIES)
	{
		fprintf(stderr, "more copies in flight than this example has room for\n");
		exit(1);
	}
	self->copies[self->copy_count++] = copy;
}

static void copy_texture(void *user, const lrd_gpu_texture_copy *copy)
{
	// Levels that are large come in bands, one behind another; a real engine gives slice and row to its API.
	engine_object *object = object_of(user, copy->texture);
	uint64_t at = copy->slice + copy->row != 0 ? object->came[copy->level] : 0;
	object->came[copy->level] = at + copy->size;
	record(user, (engine_copy){ object, copy->level, at, copy->offset, copy->size });
}

static void copy_mesh(void *user, const lrd_gpu_mesh_copy *copy)
{
	record(user, (engine_copy){ object_of(user, copy->mesh), 0, copy->destination, copy->offset, copy->size });
}

static uint64_t submit(void *user)
{
	engine *self = user;
	self->submitted_copies = self->copy_count;
	self->submitted_head = self->head;
	return ++self->submitted;
}

static uint64_t completed(void *user)
{
	return ((engine *)user)->completed;
}

static lrd_gpu engine_interface(engine *self)
{
	return (lrd_gpu){ self, get_caps, has_format, create_texture, create_mesh, destroy_object, destroy_object,
		bind_texture, stage, copy_texture, copy_mesh, submit, completed };
}

// --- The "GPU": what was handed over is done when the frame ends ---

static void end_frame(engine *self)
{
	for (uint32_t i = 0; i < self->submitted_copies; ++i)
	{
		const engine_copy *copy = &self->copies[i];
		uint8_t **level = &copy->object->levels[copy->level];
		uint64_t size = copy->object->is_mesh ? copy->object->size : copy->destination + copy->size;
		*level = realloc(*level, (size_t)size);
		if (*level == NULL)
		{
			fprintf(stderr, "out of memory\n");
			exit(1);
		}
		memcpy(*level + copy->destination, self->staging + copy->offset, (size_t)copy->size);
	}
	self->copy_count -= self->submitted_copies;
	memmove(self->copies, self->copies + self->submitted_copies, self->copy_count * sizeof *self->copies);
	self->submitted_copies = 0;
	self->tail = self->submitted_head > self->tail ? self->submitted_head : self->tail;
	self->completed = self->submitted;
}

// --- A model through it ---

static bool retain_parts(lrd_store *store, lrd_residents *residents, lrd_asset asset, lrd_error *error)
{
	if (!lrd_retain_now(store, asset, error))
	{
		return false;
	}
	const lrd_model *model = lrd_model_get(store, asset);
	for (uint32_t i = 0; i < model->view.part_count; ++i)
	{
		if (lrd_residents_retain_mesh(residents, model->meshes[i], error).generation == 0)
		{
			return false;
		}
	}
	for (uint32_t i = 0; i < model->view.material_count; ++i)
	{
		if (lrd_residents_retain_material(residents, model->materials[i], error) == LRD_GPU_NO_SLOT)
		{
			return false;
		}
	}
	return true;
}

static void draw_frames(lrd_store *store, lrd_residents *residents, engine *self)
{
	lrd_residents_stats stats;
	uint64_t frame = 0;
	do
	{
		lrd_store_update(store);
		++frame;
		lrd_residents_update(residents, frame, frame - 1); // this engine waits for each frame
		end_frame(self);
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
		lrd_residents_get_stats(residents, &stats);
	} while (stats.pending != 0);
	printf("%u textures, %u meshes, %u materials: %.2f MB on the GPU, %llu uploads\n", stats.textures, stats.meshes,
		stats.materials, (double)(stats.texture_bytes + stats.mesh_bytes) / 1e6, (unsigned long long)stats.uploads);
}

int main(int argc, char **argv)
{
	lrd_error error = { 0 };
	lrd_store *store = argc == 3 ? lrd_store_open(&(lrd_store_desc){ .pack = argv[1] }, &error) : NULL;
	engine *self = calloc(1, sizeof *self);
	uint8_t *staging = malloc(STAGING);
	if (store == NULL || self == NULL || staging == NULL)
	{
		fprintf(stderr, "%s\n", argc == 3 ? error.message : "renderer_seam BUNDLE MODEL");
		return 1;
	}
	self->staging = staging;
	const lrd_gpu gpu = engine_interface(self);
	lrd_residents *residents = lrd_residents_create(store, &gpu, NULL, &error);
	lrd_asset asset = lrd_asset_find(store, LRD_MODEL, argv[2], NULL);
	bool done = residents != NULL && retain_parts(store, residents, asset, &error);
	if (done)
	{
		draw_frames(store, residents, self);
		lrd_release(store, asset);
	}
	else
	{
		fprintf(stderr, "%s\n", error.message);
	}
	lrd_residents_destroy(residents);
	lrd_store_close(store);
	free(staging);
	free(self);
	return done ? 0 : 1;
}

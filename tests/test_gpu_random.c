// Thousands of frames of everything at random: retains and releases, reloads, mounts that come and go, levels that stream, dynamic
// geometry, a device that is slow, small and refuses, jobs that come late. At every step what is accounted for is what there is,
// and nothing was done that a GPU would not survive; in the end everything is as it should be.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixtures/gpu_kit.h"

#define FRAMES 20000u
#define TEXTURES 6u
#define MESHES 3u
#define MATERIALS 3u
#define KEYS 4u
#define GEOMETRY_SIZE 300u
#define WINDOW 9000u
#define LARGEST 18500u // the mesh "full": larger than the window, it goes alone
#define CEILING 24000u

static const char *const texture_stems[TEXTURES] = { "stone", "moss", "sky", "array", "albedo", "bad" };
static const char *const texture_keys[] = { "stone.ktx2", "moss.ktx2", "sky.ktx2", "array.ktx2", "volume.ktx2" };
static const char *const mesh_stems[MESHES] = { "grid", "full", "read" };
static const char *const mesh_keys[MESHES] = { "grid.lmesh", "full.lmesh", "read.lmesh" };
static const char *const material_stems[MATERIALS] = { "red", "blue", "worn" };

typedef struct world
{
	gpu_kit kit;
	uint64_t random;
	uint32_t slots[TEXTURES];
	uint32_t texture_references[TEXTURES];
	lrd_mesh_handle meshes[MESHES];
	uint32_t mesh_references[MESHES];
	uint32_t materials[MATERIALS];
	uint32_t material_references[MATERIALS];
	lrd_mesh_handle geometry[KEYS];
	uint32_t geometry_references[KEYS];
	uint8_t content[KEYS][GEOMETRY_SIZE * 2];
	uint64_t completed;
	bool mounted;
} world;

// Marsaglia, "Xorshift RNGs", Journal of Statistical Software 8(14), 2003.
static uint32_t roll(world *self, uint32_t below)
{
	self->random ^= self->random << 13;
	self->random ^= self->random >> 7;
	self->random ^= self->random << 17;
	return (uint32_t)(self->random >> 32) % below;
}

static bool fill(void *user, void *destination)
{
	memcpy(destination, user, GEOMETRY_SIZE);
	return true;
}

static void change_texture(world *self)
{
	uint32_t i = roll(self, TEXTURES);
	lrd_residents *residents = self->kit.residents;
	if (self->texture_references[i] != 0 && roll(self, 2) != 0)
	{
		self->texture_references[i]--;
		lrd_residents_release_texture(residents, self->slots[i]);
	}
	else
	{
		uint32_t slot = gpu_kit_retain_texture(&self->kit, texture_stems[i], LRD_ROLE_COLOR);
		assert_true(self->texture_references[i] == 0 || slot == self->slots[i]);
		self->slots[i] = slot;
		self->texture_references[i]++;
	}
}

static void change_mesh(world *self)
{
	uint32_t i = roll(self, MESHES);
	if (self->mesh_references[i] != 0 && roll(self, 2) != 0)
	{
		self->mesh_references[i]--;
		lrd_residents_release_mesh(self->kit.residents, self->meshes[i]);
	}
	else
	{
		self->meshes[i] = gpu_kit_retain_mesh(&self->kit, mesh_stems[i]);
		self->mesh_references[i]++;
	}
}

static void change_material(world *self)
{
	uint32_t i = roll(self, MATERIALS);
	if (self->material_references[i] != 0 && roll(self, 2) != 0)
	{
		self->material_references[i]--;
		lrd_residents_release_material(self->kit.residents, self->materials[i]);
	}
	else
	{
		lrd_asset asset = kit_find(&self->kit.store, LRD_MATERIAL, material_stems[i]);
		self->materials[i] = lrd_residents_retain_material(self->kit.residents, asset, NULL);
		assert_int_not_equal(self->materials[i], LRD_GPU_NO_SLOT);
		self->material_references[i]++;
	}
}

static void change_geometry(world *self)
{
	uint32_t i = roll(self, KEYS);
	if (self->geometry_references[i] != 0 && roll(self, 2) != 0)
	{
		self->geometry_references[i]--;
		lrd_residents_release_mesh(self->kit.residents, self->geometry[i]);
		return;
	}
	bool dynamic = i % 2 == 0;
	const lrd_geometry_desc desc = { .key = i + 1,
		.layout = { .lod_count = 1 },
		.size = GEOMETRY_SIZE,
		.dynamic = dynamic,
		.fill = fill,
		.user = self->content[i] };
	if (self->geometry_references[i] == 0)
	{
		memset(self->content[i], (int)roll(self, 256), sizeof self->content[i]);
	}
	lrd_mesh_handle mesh = lrd_residents_retain_geometry(self->kit.residents, &desc, NULL);
	if (mesh.generation != 0) // else the ceiling is reached
	{
		self->geometry[i] = mesh;
		self->geometry_references[i]++;
	}
}

static void write_geometry(world *self)
{
	uint32_t i = roll(self, KEYS / 2) * 2;
	uint8_t data[64];
	uint32_t size = 1 + roll(self, sizeof data);
	uint32_t offset = roll(self, roll(self, 8) == 0 ? GEOMETRY_SIZE + 200 : GEOMETRY_SIZE - 64);
	if (self->geometry_references[i] != 0)
	{
		memset(data, (int)roll(self, 256), sizeof data);
		(void)lrd_residents_write_geometry(self->kit.residents, self->geometry[i], offset, data, size, NULL, 0);
	}
}

static void change_files(world *self)
{
	switch (roll(self, 12))
	{
	case 0: lrd_store_unload_all(self->kit.store.store); break;
	case 1:
		if (self->mounted)
		{
			assert_true(lrd_store_unmount(self->kit.store.store, self->kit.mount));
			self->mounted = false;
		}
		break;
	case 2:
		if (!self->mounted)
		{
			lrd_mount_desc mount = kit_mount_desc(&self->kit.files);
			mount.release = NULL;
			assert_true(lrd_store_mount(self->kit.store.store, &mount, &self->kit.mount, NULL));
			self->mounted = true;
		}
		break;
	case 3: gpu_kit_put(&self->kit, LRD_MESH, mesh_stems[roll(self, MESHES)], mesh_keys[roll(self, MESHES)]); break;
	default:
		gpu_kit_put(&self->kit, LRD_TEXTURE, texture_stems[roll(self, TEXTURES)], texture_keys[roll(self, 5)]);
		break;
	}
}

static void act(world *self)
{
	uint32_t slot = roll(self, 16);
	switch (roll(self, 10))
	{
	case 0:
	case 1: change_texture(self); break;
	case 2: change_mesh(self); break;
	case 3: change_material(self); break;
	case 4: change_geometry(self); break;
	case 5:
	case 6: write_geometry(self); break;
	case 7: change_files(self); break;
	case 8: (void)lrd_residents_set_first_level(self->kit.residents, slot, roll(self, 7)); break;
	default:
		if (roll(self, 8) == 0)
		{
			lrd_residents_set_texture_budget(self->kit.residents, roll(self, 2) * 12000u);
			lrd_gpu_null_fail(self->kit.device, roll(self, 3), roll(self, 2), LRD_ERROR_MEMORY);
		}
		break;
	}
}

static void frame(world *self)
{
	for (uint32_t i = roll(self, 5); i > 0; i--)
	{
		act(self);
	}
	self->kit.store.jobs.refuse = roll(self, 20) == 0;
	uint64_t next = self->kit.frame + 1;
	uint64_t most = next - 1, lag = roll(self, 4);
	uint64_t completed = most > lag ? most - lag : 0;
	self->completed = completed > self->completed ? completed : self->completed;
	gpu_kit_update(&self->kit, self->completed);
	self->kit.store.jobs.refuse = false;
	for (uint32_t i = roll(self, 6); i > 0 && kit_run_one(&self->kit.store.jobs); i--)
	{
	}
}

static void check_step(const world *self)
{
	gpu_kit_check(&self->kit);
	lrd_residents_stats stats = gpu_kit_stats(&self->kit);
	assert_false(stats.lost);
	assert_true(stats.queued_bytes + stats.flying_bytes <= LARGEST + GEOMETRY_SIZE * 2 * KEYS);
	for (uint32_t i = 0; i < TEXTURES; i++)
	{
		lrd_resident_texture texture;
		bool taken = self->texture_references[i] != 0 &&
					 lrd_residents_get_texture(self->kit.residents, self->slots[i], &texture);
		assert_true(taken || self->texture_references[i] == 0);
		if (taken && texture.bound)
		{
			assert_int_not_equal(lrd_gpu_null_bound(self->kit.device, self->slots[i]), 0);
			assert_true(texture.object == 0 || texture.object == lrd_gpu_null_bound(self->kit.device, self->slots[i]));
		}
	}
}

static void settle(world *self)
{
	lrd_gpu_null_fail(self->kit.device, 0, 0, LRD_OK);
	lrd_residents_set_texture_budget(self->kit.residents, 0);
	for (uint32_t i = 0; i < TEXTURES; i++)
	{
		gpu_kit_put(&self->kit, LRD_TEXTURE, texture_stems[i], texture_keys[i % 5]);
	}
	gpu_kit_frames(&self->kit, 100);
	for (uint32_t i = 0; i < TEXTURES; i++)
	{
		if (self->texture_references[i] != 0)
		{
			uint32_t first = gpu_kit_texture(&self->kit, self->slots[i]).first_level;
			gpu_kit_check_texture(&self->kit, self->slots[i], texture_keys[i % 5], first);
		}
	}
	lrd_residents_stats stats = gpu_kit_stats(&self->kit);
	assert_int_equal(stats.queued_bytes + stats.flying_bytes + stats.retired, 0);
}

static void simulate(uint64_t seed, const lrd_gpu_null_desc *device, uint32_t tail_levels)
{
	world self = { .random = seed * 0x9e3779b97f4a7c15u | 1, .mounted = true };
	gpu_kit_open_device(&self.kit, device);
	lrd_residents_desc desc = gpu_kit_desc(&self.kit);
	desc.upload_window = WINDOW;
	desc.geometry = CEILING;
	desc.tail_levels = tail_levels;
	gpu_kit_open_residents(&self.kit, &desc);
	for (uint32_t i = 0; i < FRAMES; i++)
	{
		frame(&self);
		check_step(&self);
	}
	settle(&self);
	uint32_t references = 0;
	for (uint32_t i = 0; i < TEXTURES; i++)
	{
		references += self.texture_references[i];
	}
	for (uint32_t i = 0; i < MESHES; i++)
	{
		references += self.mesh_references[i] + self.material_references[i];
	}
	for (uint32_t i = 0; i < KEYS; i++)
	{
		references += self.geometry_references[i];
	}
	lrd_residents_stats stats = gpu_kit_stats(&self.kit);
	print_message("%llu uploads, %llu objects, %u refused, %llu times out of memory\n",
		(unsigned long long)stats.uploads, (unsigned long long)gpu_kit_device(&self.kit).creates, stats.refused,
		(unsigned long long)stats.out_of_memory);
	assert_true(stats.uploads > FRAMES / 20); // something happened
	gpu_kit_close(&self.kit, references);
}

static void whatever_happens_accounted_bytes_are_those_of_the_objects_there_are(void **state)
{
	(void)state;
	simulate(1, &(lrd_gpu_null_desc){ 0 }, 0);
	simulate(2, &(lrd_gpu_null_desc){ .delay = 3 }, 3);
}

static void whatever_happens_on_a_small_device_accounted_bytes_are_those_of_the_objects_there_are(void **state)
{
	(void)state;
	simulate(3, &(lrd_gpu_null_desc){ .delay = 1, .memory = 40000, .staging_size = 6000 }, 2);
	simulate(4, &(lrd_gpu_null_desc){ .delay = 2, .memory = 40000, .staging_size = 16384, .max_texture_size = 32 }, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whatever_happens_accounted_bytes_are_those_of_the_objects_there_are),
		cmocka_unit_test(whatever_happens_on_a_small_device_accounted_bytes_are_those_of_the_objects_there_are),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

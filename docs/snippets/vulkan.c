// The code of docs/guide-vulkan.md, as a program: a bundle's textures on a Vulkan device. Without a driver it says what to install.
// snippet_vulkan BUNDLE

#include <larder/gpu_vulkan.h>
#include <larder/residents.h>
#include <larder/store.h>

#include <stdio.h>

#define FRAMES 3

/// What of an engine on Vulkan larder wants to know.
typedef struct engine
{
	VkInstance instance;
	VkPhysicalDevice physical_device;
	VkDevice device;
	VkQueue queue;
	VkQueue copy_queue;
	uint32_t queue_family;
	uint32_t copy_family;
	uint64_t frame;    // that is recorded next
	uint64_t finished; // the newest that the GPU is through with
} engine;

static lrd_vulkan_device *make_device(void)
{
	lrd_error error;
	lrd_vulkan_device_desc desc = {
		.application = "a tool",
		.validation = false, // true while developing: what the validation layer says goes to the log
	};
	lrd_vulkan_device *device = lrd_vulkan_device_create(&desc, &error);
	if (device == NULL)
	{
		fprintf(stderr, "%s\n", error.message); // without a driver: what to install
	}
	return device;
}

static lrd_gpu_vulkan *open_gpu(const engine *self)
{
	lrd_error error;
	lrd_vulkan_context context = {
		.instance = self->instance,
		.physical_device = self->physical_device,
		.device = self->device,
		.graphics_queue = self->queue,
		.graphics_family = self->queue_family,
		.transfer_queue = self->copy_queue, // NULL: the graphics queue copies
		.transfer_family = self->copy_family,
		.texture_compression_bc = true, // what the device was made with
		.sampler_anisotropy = true,
	};
	lrd_gpu_vulkan_desc desc = { .context = &context, .frames = FRAMES };
	lrd_gpu_vulkan *gpu = lrd_gpu_vulkan_create(&desc, &error);
	if (gpu == NULL)
	{
		fprintf(stderr, "%s\n", error.message);
	}
	return gpu;
}

static lrd_residents *open_residents(lrd_gpu_vulkan *gpu, lrd_store *store)
{
	lrd_error error;
	lrd_gpu table = lrd_gpu_vulkan_interface(gpu);
	lrd_residents *residents = lrd_residents_create(store, &table, &(lrd_residents_desc){ .frames = FRAMES }, &error);
	if (residents == NULL)
	{
		fprintf(stderr, "%s\n", error.message);
	}
	return residents;
}

/// What a material's set of descriptors has at one of its textures, where the device has no table.
typedef struct bound_texture
{
	uint64_t revision;
	VkDescriptorImageInfo info;
} bound_texture;

/// True: it is another one now, and the frame that is recorded next needs a set that says so.
static bool look_at_slot(const lrd_gpu_vulkan *gpu, uint32_t slot, bound_texture *bound)
{
	VkDescriptorImageInfo info = { .imageLayout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL };
	uint64_t revision = lrd_gpu_vulkan_slot(gpu, slot, &info.imageView, &info.sampler);
	if (revision == 0 || revision == bound->revision)
	{
		return false; // nothing to sample yet, or nothing new
	}
	*bound = (bound_texture){ revision, info };
	return true;
}

static void record_frame(engine *self, VkDescriptorSet textures, bool changed)
{
	(void)textures, (void)changed;
	++self->frame; // this one draws nothing: it is through as soon as it is submitted
	self->finished = self->frame - 1;
}

static void run_frame(
	engine *self, lrd_store *store, lrd_residents *residents, lrd_gpu_vulkan *gpu, uint32_t slot, bound_texture *bound)
{
	lrd_store_update(store);
	lrd_residents_update(residents, self->frame, self->finished);
	VkDescriptorSet textures = lrd_gpu_vulkan_table(gpu, self->frame); // NULL: there is no table on this device
	bool changed = textures == VK_NULL_HANDLE && look_at_slot(gpu, slot, bound);
	record_frame(self, textures, changed);
}

static bool run(engine *self, lrd_store *store, lrd_gpu_vulkan *gpu)
{
	lrd_residents *residents = open_residents(gpu, store);
	if (residents == NULL)
	{
		return false;
	}
	lrd_error error;
	lrd_asset asset = lrd_asset_find(store, LRD_TEXTURE, "courtyard/image.WallAlbedo", &error);
	uint32_t slot = lrd_residents_retain_texture(residents, asset, LRD_ROLE_COLOR, &error);
	lrd_resident_texture texture = { 0 };
	bound_texture bound = { 0 };
	while (slot != LRD_GPU_NO_SLOT && texture.object == 0 && !texture.failed)
	{
		run_frame(self, store, residents, gpu, slot, &bound);
		lrd_residents_get_texture(residents, slot, &texture);
	}
	printf("%u by %u texels, %u levels\n", texture.width, texture.height, texture.level_count);
	lrd_residents_release_texture(residents, slot);
	lrd_residents_destroy(residents); // the device is idle
	return texture.object != 0;
}

int main(int argc, char **argv)
{
	lrd_error error;
	lrd_vulkan_device *device = argc == 2 ? make_device() : NULL;
	if (device == NULL)
	{
		return argc == 2 ? 0 : 1; // a machine without Vulkan is none of this program's faults
	}
	const lrd_vulkan_context *context = lrd_vulkan_device_context(device);
	engine self = { context->instance, context->physical_device, context->device, context->graphics_queue,
		context->transfer_queue, context->graphics_family, context->transfer_family, 1, 0 };
	lrd_gpu_vulkan *gpu = open_gpu(&self);
	lrd_store *store = lrd_store_open(&(lrd_store_desc){ .pack = argv[1] }, &error);
	bool done = gpu != NULL && store != NULL && run(&self, store, gpu);
	lrd_store_close(store);
	lrd_gpu_vulkan_destroy(gpu);
	lrd_vulkan_device_destroy(device);
	return done ? 0 : 1;
}

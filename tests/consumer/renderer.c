// A renderer: a Vulkan device with larder's side of it, where there is one. Prints its name, or what is missing.

#include <larder/gpu_vulkan.h>

#include <stdio.h>

int main(void)
{
	lrd_error error = { 0 };
	lrd_vulkan_device *device = lrd_vulkan_device_create(NULL, &error);
	lrd_gpu_vulkan *gpu = NULL;
	if (device != NULL)
	{
		lrd_gpu_vulkan_desc desc = { .context = lrd_vulkan_device_context(device) };
		gpu = lrd_gpu_vulkan_create(&desc, &error);
	}
	if (gpu == NULL)
	{
		printf("none: %s\n", error.message);
		lrd_vulkan_device_destroy(device);
		return error.code == LRD_ERROR_NOT_FOUND ? 0 : 1;
	}
	lrd_gpu table = lrd_gpu_vulkan_interface(gpu);
	lrd_gpu_caps caps;
	table.get_caps(table.user, &caps);
	printf("device: %s, textures up to %u\n", lrd_vulkan_device_name(device), caps.max_texture_size);
	lrd_gpu_vulkan_destroy(gpu);
	lrd_vulkan_device_destroy(device);
	return 0;
}

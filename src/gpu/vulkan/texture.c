// gpu/vulkan/texture.c: images: which formats the device samples, how large they may be, and their making.

#include "gpu/vulkan/gpu.h"

#include "base/error.h"
#include "format/texture.h"

#define STAGING_ALIGNMENT 16

/// The device was made with what this format needs.
static bool is_enabled(const lrd_gpu_vulkan *gpu, const lrd_texture_format_row *format)
{
	if (format->block_width == 1 && format->block_height == 1)
	{
		return true;
	}
	if (format->format >= VK_FORMAT_BC1_RGB_UNORM_BLOCK && format->format <= VK_FORMAT_BC7_SRGB_BLOCK)
	{
		return gpu->context.texture_compression_bc;
	}
	if (format->format >= VK_FORMAT_ASTC_4x4_UNORM_BLOCK && format->format <= VK_FORMAT_ASTC_12x12_SRGB_BLOCK)
	{
		return gpu->context.texture_compression_astc;
	}
	if (format->format >= VK_FORMAT_ASTC_4x4_SFLOAT_BLOCK && format->format <= VK_FORMAT_ASTC_12x12_SFLOAT_BLOCK)
	{
		return gpu->context.texture_compression_hdr;
	}
	return false;
}

bool lrd_vk_has_format(lrd_gpu_vulkan *gpu, uint32_t number)
{
	const lrd_texture_format_row *format = lrd_texture_format_find(number);
	// Copies begin at a multiple of a texel, which one of three numbers need not find in staging memory.
	if (format == NULL || STAGING_ALIGNMENT % format->block_bytes != 0 || lrd_texture_format_is_depth(format) ||
		!is_enabled(gpu, format))
	{
		return false;
	}
	bool filtered = format->numeric != LRD_NUMERIC_UINT && format->numeric != LRD_NUMERIC_SINT;
	VkFormatFeatureFlags needed = VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT | VK_FORMAT_FEATURE_TRANSFER_DST_BIT |
								  (filtered ? VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT : 0u);
	VkFormatProperties properties;
	gpu->vk.GetPhysicalDeviceFormatProperties(gpu->context.physical_device, (VkFormat)number, &properties);
	return (properties.optimalTilingFeatures & needed) == needed;
}

static VkImageCreateInfo image_info(const lrd_gpu_vulkan *gpu, const lrd_gpu_texture_desc *desc)
{
	return (VkImageCreateInfo){
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.flags = desc->face_count == 6 ? VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT : 0u,
		.imageType = desc->depth > 1 ? VK_IMAGE_TYPE_3D : VK_IMAGE_TYPE_2D,
		.format = (VkFormat)desc->format,
		.extent = { desc->width, desc->height, desc->depth },
		.mipLevels = desc->level_count,
		.arrayLayers = desc->layer_count * desc->face_count,
		.samples = VK_SAMPLE_COUNT_1_BIT,
		.tiling = VK_IMAGE_TILING_OPTIMAL,
		.usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT | gpu->texture_usage,
		.sharingMode = VK_SHARING_MODE_EXCLUSIVE,
		.initialLayout = VK_IMAGE_LAYOUT_UNDEFINED,
	};
}

static uint32_t most_levels(const lrd_gpu_texture_desc *desc)
{
	uint32_t largest = desc->width > desc->height ? desc->width : desc->height;
	largest = largest > desc->depth ? largest : desc->depth;
	uint32_t levels = 0;
	for (; largest > 0; largest /= 2)
	{
		++levels;
	}
	return levels;
}

static bool check_desc(const lrd_gpu_texture_desc *desc, lrd_error *error)
{
	bool sound =
		desc->width > 0 && desc->height > 0 && desc->depth > 0 && desc->layer_count > 0 &&
		(desc->face_count == 1 || (desc->face_count == 6 && desc->width == desc->height && desc->depth == 1)) &&
		desc->layer_count <= UINT32_MAX / desc->face_count && (desc->depth == 1 || desc->layer_count == 1) &&
		desc->level_count > 0 && desc->level_count <= most_levels(desc);
	return sound || lrd_fail(error, LRD_ERROR_ARGUMENT,
						"no texture is of %u by %u by %u texels, %u layers, %u faces and %u levels", desc->width,
						desc->height, desc->depth, desc->layer_count, desc->face_count, desc->level_count);
}

static VkImageViewType view_type(const lrd_gpu_texture_desc *desc)
{
	bool array = desc->array || desc->layer_count > 1;
	if (desc->depth > 1)
	{
		return VK_IMAGE_VIEW_TYPE_3D;
	}
	if (desc->face_count == 6)
	{
		return array ? VK_IMAGE_VIEW_TYPE_CUBE_ARRAY : VK_IMAGE_VIEW_TYPE_CUBE;
	}
	return array ? VK_IMAGE_VIEW_TYPE_2D_ARRAY : VK_IMAGE_VIEW_TYPE_2D;
}

/// The texels of all levels, without what the driver adds.
static uint64_t bytes_of(const lrd_gpu_texture_desc *desc)
{
	const lrd_texture_format_row *format = lrd_texture_format_find(desc->format);
	const lrd_vk_texture texture = {
		.width = desc->width,
		.height = desc->height,
		.depth = desc->depth,
		.layers = desc->layer_count * desc->face_count,
		.block_width = format->block_width,
		.block_height = format->block_height,
		.block_bytes = format->block_bytes,
	};
	uint64_t bytes = 0;
	for (uint32_t level = 0; level < desc->level_count; ++level)
	{
		bytes += lrd_vk_level_size(&texture, level);
	}
	return bytes;
}

/// That the device makes such images.
static bool check_limits(
	lrd_gpu_vulkan *gpu, const lrd_gpu_texture_desc *desc, const VkImageCreateInfo *info, lrd_error *error)
{
	if (view_type(desc) == VK_IMAGE_VIEW_TYPE_CUBE_ARRAY && !gpu->context.image_cube_array)
	{
		return lrd_fail(error, LRD_ERROR_UNSUPPORTED, "the device has no arrays of cubes");
	}
	if (!lrd_vk_has_format(gpu, (uint32_t)info->format))
	{
		return lrd_fail(error, LRD_ERROR_UNSUPPORTED, "the device can't sample %s",
			lrd_texture_format_name((uint32_t)info->format));
	}
	VkImageFormatProperties limits;
	VkResult result = gpu->vk.GetPhysicalDeviceImageFormatProperties(
		gpu->context.physical_device, info->format, info->imageType, info->tiling, info->usage, info->flags, &limits);
	if (result != VK_SUCCESS)
	{
		return lrd_vk_gpu_fail(gpu, error, result, "have such an image");
	}
	const VkExtent3D *most = &limits.maxExtent;
	if (info->extent.width > most->width || info->extent.height > most->height || info->extent.depth > most->depth ||
		info->mipLevels > limits.maxMipLevels || info->arrayLayers > limits.maxArrayLayers)
	{
		return lrd_fail(error, LRD_ERROR_LIMIT,
			"a texture of %u by %u by %u texels and %u layers; the device has at most %u by %u by %u and %u",
			info->extent.width, info->extent.height, info->extent.depth, info->arrayLayers, most->width, most->height,
			most->depth, limits.maxArrayLayers);
	}
	uint64_t bytes = bytes_of(desc);
	return bytes <= limits.maxResourceSize ||
		   lrd_fail(error, LRD_ERROR_LIMIT, "an image of %llu bytes; the device has none of more than %llu",
			   (unsigned long long)bytes, (unsigned long long)limits.maxResourceSize);
}

static bool make_view(lrd_gpu_vulkan *gpu, const lrd_gpu_texture_desc *desc, const VkImageCreateInfo *image,
	lrd_vk_texture *texture, lrd_error *error)
{
	// Storage and attachments are views of the engine's own; this one samples, whatever else the image is for.
	VkImageViewUsageCreateInfo usage = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_USAGE_CREATE_INFO,
		.usage = VK_IMAGE_USAGE_SAMPLED_BIT,
	};
	VkImageViewCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
		.pNext = &usage,
		.image = texture->image,
		.viewType = view_type(desc),
		.format = image->format,
		.subresourceRange = { VK_IMAGE_ASPECT_COLOR_BIT, 0, image->mipLevels, 0, image->arrayLayers },
	};
	VkResult result = gpu->vk.CreateImageView(gpu->context.device, &info, NULL, &texture->view);
	return result == VK_SUCCESS || lrd_vk_gpu_fail(gpu, error, result, "make a view of an image");
}

static bool make_image(lrd_gpu_vulkan *gpu, const lrd_gpu_texture_desc *desc, lrd_vk_texture *texture, lrd_error *error)
{
	VkImageCreateInfo info = image_info(gpu, desc);
	if (!check_limits(gpu, desc, &info, error))
	{
		return false;
	}
	VkResult result = gpu->vk.CreateImage(gpu->context.device, &info, NULL, &texture->image);
	if (result != VK_SUCCESS)
	{
		return lrd_vk_gpu_fail(gpu, error, result, "make an image");
	}
	if (!lrd_vk_memory_image(gpu, texture->image, &texture->object.place, error))
	{
		gpu->vk.DestroyImage(gpu->context.device, texture->image, NULL);
		return false;
	}
	if (!make_view(gpu, desc, &info, texture, error))
	{
		gpu->vk.DestroyImage(gpu->context.device, texture->image, NULL);
		lrd_vk_memory_give(gpu, &texture->object.place);
		return false;
	}
	lrd_vk_set_name(gpu, VK_OBJECT_TYPE_IMAGE, (uint64_t)(uintptr_t)texture->image, desc->name);
	return true;
}

lrd_gpu_object lrd_vk_create_texture(lrd_gpu_vulkan *gpu, const lrd_gpu_texture_desc *desc, lrd_error *error)
{
	if (gpu->lost)
	{
		lrd_vk_gpu_fail(gpu, error, VK_ERROR_DEVICE_LOST, "make a texture");
		return 0;
	}
	lrd_gpu_object number = 0;
	lrd_vk_texture *texture = NULL;
	if (!check_desc(desc, error) ||
		(texture = lrd_vk_table_add(gpu, &gpu->textures, sizeof *texture, &number, error)) == NULL)
	{
		return 0;
	}
	if (!make_image(gpu, desc, texture, error))
	{
		lrd_vk_table_remove(&gpu->textures, sizeof *texture, (uint32_t)number);
		return 0;
	}
	const lrd_texture_format_row *format = lrd_texture_format_find(desc->format);
	texture->width = desc->width;
	texture->height = desc->height;
	texture->depth = desc->depth;
	texture->layers = desc->layer_count * desc->face_count;
	texture->level_count = desc->level_count;
	texture->sampler = (uint8_t)lrd_gpu_vulkan_sampler_index(desc->sampling);
	texture->block_width = format->block_width;
	texture->block_height = format->block_height;
	texture->block_bytes = format->block_bytes;
	return number;
}

uint64_t lrd_vk_level_size(const lrd_vk_texture *texture, uint32_t level)
{
	uint64_t width = lrd_texture_extent(texture->width, level);
	uint64_t height = lrd_texture_extent(texture->height, level);
	uint64_t depth = lrd_texture_extent(texture->depth, level);
	uint64_t columns = (width + texture->block_width - 1) / texture->block_width;
	uint64_t rows = (height + texture->block_height - 1) / texture->block_height;
	return columns * rows * depth * texture->layers * texture->block_bytes;
}

bool lrd_vk_texture_is_whole(const lrd_gpu_vulkan *gpu, const lrd_vk_texture *texture)
{
	uint32_t all = texture->level_count >= 32 ? UINT32_MAX : (1u << texture->level_count) - 1;
	return texture->levels == all && texture->object.filled <= gpu->copies.completed;
}

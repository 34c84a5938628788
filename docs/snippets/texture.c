// The run-time code of docs/guide-textures.md, as a program. Run where the courtyard is cooked, and examples/sky.exr as sky.ktx2
// and, under Zstandard, sky_zstd.ktx2.

#include <larder/larder.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// A whole file. malloc's memory is aligned to 16, as the readers want it.
static void *read_file(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	void *bytes = NULL;
	if (file != NULL && fseek(file, 0, SEEK_END) == 0)
	{
		long end = ftell(file);
		*size = end < 0 ? 0 : (size_t)end;
		rewind(file);
		bytes = malloc(*size);
		if (bytes != NULL && fread(bytes, 1, *size, file) != *size)
		{
			free(bytes);
			bytes = NULL;
		}
	}
	if (file != NULL)
	{
		fclose(file);
	}
	return bytes;
}

static void *open_texture(const char *path, lrd_texture_view *texture)
{
	lrd_error error = { 0 };
	size_t size = 0;
	void *bytes = read_file(path, &size);
	if (bytes == NULL || !lrd_texture_open(bytes, size, texture, &error))
	{
		fprintf(stderr, "%s: %s\n", path, bytes == NULL ? "can't be read" : error.message);
		free(bytes);
		return NULL;
	}
	return bytes; // to be freed after the view's last use
}

/// As VkBufferImageCopy has it: one level, all its layers and faces.
typedef struct copy_region
{
	uint64_t buffer_offset;
	uint32_t mip_level, layer_count;
	uint32_t width, height, depth;
} copy_region;

/// Where levels go in staging memory: each at a multiple of 16, which suits every format. Returns the bytes of all.
static uint64_t plan_copies(const lrd_texture_view *texture, copy_region *regions)
{
	uint64_t offset = 0;
	uint32_t layers = texture->layer_count == 0 ? 1 : texture->layer_count;
	for (uint32_t level = 0; level < texture->level_count; ++level)
	{
		regions[level] = (copy_region){
			.buffer_offset = offset,
			.mip_level = level,
			.layer_count = layers * texture->face_count,
			.width = lrd_texture_extent(texture->width, level),
			.height = lrd_texture_extent(texture->height, level),
			.depth = lrd_texture_extent(texture->depth, level),
		};
		offset += (texture->levels[level].decoded_size + 15) & ~(uint64_t)15;
	}
	return offset;
}

/// A copy of what is stored plainly; what is under Zstandard is decompressed on the way.
static bool stage(const lrd_texture_view *texture, const copy_region *regions, uint8_t *staging, lrd_error *error)
{
	for (uint32_t level = 0; level < texture->level_count; ++level)
	{
		if (!lrd_texture_decompress(texture, level, (lrd_allocator){ 0 }, staging + regions[level].buffer_offset,
				(size_t)texture->levels[level].decoded_size, error))
		{
			return false;
		}
	}
	return true;
}

/// How to sample a texture that no material names.
static lrd_texture_sampling sampling_of(const lrd_texture_view *texture)
{
	lrd_texture_sampling sampling = { LRD_WRAP_REPEAT, LRD_WRAP_REPEAT, LRD_FILTER_LINEAR };
	lrd_texture_sampler(texture, &sampling); // left as it is where the settings named no sampler
	return sampling;
}

/// As VkComponentMapping: what red, green, blue and alpha are taken from.
static void component_mapping(const lrd_texture_view *texture, uint32_t mapping[4])
{
	static const char letters[] = "01rgba"; // VK_COMPONENT_SWIZZLE_ZERO is 1, _ONE 2, _R 3 and so on
	char swizzle[5];
	lrd_texture_swizzle(texture, swizzle);
	for (uint32_t i = 0; i < 4; ++i)
	{
		mapping[i] = (uint32_t)(strchr(letters, swizzle[i]) - letters) + 1;
	}
}

/// A word of "type=normal from=slot normal=rg": the key larder.type. Empty when there is none.
static lrd_string word_of(const lrd_texture_view *texture, const char *name)
{
	lrd_bytes value = { NULL, 0 };
	size_t name_size = strlen(name);
	lrd_texture_find_key(texture, LRD_STR("larder.type"), &value);
	const char *at = value.data;
	for (size_t left = value.size; left > name_size;)
	{
		const char *space = memchr(at, ' ', left);
		size_t size = space != NULL ? (size_t)(space - at) : left;
		if (size > name_size && memcmp(at, name, name_size) == 0 && at[name_size] == '=')
		{
			return (lrd_string){ at + name_size + 1, size - name_size - 1 };
		}
		left -= space != NULL ? size + 1 : size;
		at += size + 1;
	}
	return (lrd_string){ NULL, 0 };
}

/// A level's first image as four floats a texel. NULL on failure; to be freed.
static float *decode_floats(const lrd_texture_view *texture, uint32_t level, uint32_t face, lrd_error *error)
{
	size_t size = (size_t)lrd_texture_decoded_size(texture, level);
	float *texels = lrd_texture_decodes_to(texture->format) == LRD_TEXELS_F32 ? malloc(size) : NULL;
	lrd_texture_decode_desc desc = { .level = level, .face = face };
	if (texels != NULL && !lrd_texture_decode(texture, &desc, texels, size, error))
	{
		free(texels);
		return NULL;
	}
	return texels;
}

/// Light that a surface with this normal receives. Divided by pi: what a white matt one reflects.
static void irradiance(const float harmonics[27], const float n[3], float rgb[3])
{
	const float pi = 3.141593f;
	float x = n[0], y = n[1], z = n[2];
	for (int i = 0; i < 3; ++i)
	{
		const float *c = harmonics + i; // every third is this channel's
		float constant = 0.282095f * c[0];
		float linear = 0.488603f * (c[3] * y + c[6] * z + c[9] * x);
		float mixed = 1.092548f * (c[12] * x * y + c[15] * y * z + c[21] * x * z);
		float squares = 0.315392f * c[18] * (3 * z * z - 1) + 0.546274f * c[24] * (x * x - y * y);
		rgb[i] = pi * constant + 2 * pi / 3 * linear + pi / 4 * (mixed + squares);
	}
}

// From here on: that all of it holds.

static bool check_wall(void)
{
	lrd_texture_view texture;
	copy_region regions[LRD_TEXTURE_MAX_LEVELS];
	void *bytes = open_texture("cooked/courtyard/image.WallAlbedo.ktx2", &texture);
	bool good = bytes != NULL && texture.format == LRD_TEXTURE_BC7_SRGB && texture.level_count == 11;
	uint64_t size = good ? plan_copies(&texture, regions) : 0;
	uint8_t *staging = malloc((size_t)size);
	lrd_error error = { 0 };
	good = good && staging != NULL && stage(&texture, regions, staging, &error) && regions[10].layer_count == 1;
	good =
		good && memcmp(staging + regions[1].buffer_offset, texture.levels[1].data, (size_t)texture.levels[1].size) == 0;
	good = good && sampling_of(&texture).wrap_u == LRD_WRAP_REPEAT;
	good = good && lrd_string_equal(word_of(&texture, "type"), LRD_STR("albedo"));
	good =
		good && lrd_string_equal(word_of(&texture, "from"), LRD_STR("slot")) && word_of(&texture, "normal").size == 0;
	free(staging);
	free(bytes);
	return good;
}

static bool check_normals(void)
{
	lrd_texture_view texture;
	uint32_t mapping[4];
	lrd_error error = { 0 };
	void *bytes = open_texture("cooked/courtyard/image.WallNormal.ktx2", &texture);
	bool good = bytes != NULL && lrd_string_equal(word_of(&texture, "normal"), LRD_STR("rg"));
	float *texels = good ? decode_floats(&texture, 2, 0, &error) : NULL;
	good = good && texels != NULL && texels[2] == 0.0f && texels[3] == 1.0f;
	if (good)
	{
		component_mapping(&texture, mapping);
		good = mapping[0] == 3 && mapping[1] == 4 && mapping[2] == 5 && mapping[3] == 6;
	}
	free(texels);
	free(bytes);
	return good;
}

/// The direction of a face's texel, and how much of the sphere it covers.
static double direction_of(uint32_t face, double s, double t, double side, double d[3])
{
	double u = 2 * s - 1, v = 2 * t - 1;
	const double directions[6][3] = { { 1, -v, -u }, { -1, -v, u }, { u, 1, v }, { u, -1, -v }, { u, -v, 1 },
		{ -u, -v, -1 } };
	double length = sqrt(1 + u * u + v * v);
	for (int i = 0; i < 3; ++i)
	{
		d[i] = directions[face][i] / length;
	}
	return 4 / (side * side * length * length * length);
}

/// Irradiance the long way: over every texel of the cubemap.
static bool sum_light(const lrd_texture_view *texture, const float n[3], double rgb[3])
{
	lrd_error error = { 0 };
	for (uint32_t face = 0; face < 6; ++face)
	{
		float *texels = decode_floats(texture, 0, face, &error);
		for (uint32_t i = 0; texels != NULL && i < texture->width * texture->width; ++i)
		{
			double d[3];
			double area = direction_of(face, (i % texture->width + 0.5) / texture->width,
				(i / texture->width + 0.5) / texture->width, texture->width, d);
			double cosine = d[0] * (double)n[0] + d[1] * (double)n[1] + d[2] * (double)n[2];
			for (size_t channel = 0; cosine > 0 && channel < 3; ++channel)
			{
				rgb[channel] += (double)texels[4 * i + channel] * cosine * area;
			}
		}
		if (texels == NULL)
		{
			return false;
		}
		free(texels);
	}
	return true;
}

static bool check_sky(void)
{
	static const float normals[][3] = { { 0, 1, 0 }, { 0.6f, 0, 0.8f }, { 0, 0, -1 }, { -0.6f, 0.8f, 0 } };
	lrd_texture_view texture;
	float harmonics[27];
	void *bytes = open_texture("sky.ktx2", &texture);
	bool good = bytes != NULL && texture.face_count == 6 && lrd_texture_harmonics(&texture, harmonics);
	for (size_t i = 0; good && i < sizeof normals / sizeof *normals; ++i)
	{
		float quick[3];
		double slow[3] = { 0 };
		irradiance(harmonics, normals[i], quick);
		good = sum_light(&texture, normals[i], slow);
		for (int channel = 0; good && channel < 3; ++channel)
		{
			// Nine coefficients hold a sun to within some hundredths of what it gives in all.
			good = fabs((double)quick[channel] - slow[channel]) < 0.3;
		}
		printf("irradiance %.3f %.3f %.3f, summed %.3f %.3f %.3f\n", (double)quick[0], (double)quick[1],
			(double)quick[2], slow[0], slow[1], slow[2]);
	}
	free(bytes);
	return good;
}

static bool check_zstd(void)
{
	lrd_texture_view plain;
	lrd_texture_view packed;
	lrd_error error = { 0 };
	copy_region regions[LRD_TEXTURE_MAX_LEVELS];
	void *plain_bytes = open_texture("sky.ktx2", &plain);
	void *packed_bytes = open_texture("sky_zstd.ktx2", &packed);
	bool good = plain_bytes != NULL && packed_bytes != NULL && packed.supercompression == LRD_SUPERCOMPRESSION_ZSTD;
	uint64_t size = good ? plan_copies(&packed, regions) : 0;
	uint8_t *staging = malloc((size_t)size);
	good = good && staging != NULL && stage(&packed, regions, staging, &error);
	for (uint32_t level = 0; good && level < packed.level_count; ++level)
	{
		good = regions[level].layer_count == 6 && plain.levels[level].size == packed.levels[level].decoded_size &&
			   memcmp(staging + regions[level].buffer_offset, plain.levels[level].data, plain.levels[level].size) == 0;
	}
	free(staging);
	free(plain_bytes);
	free(packed_bytes);
	return good;
}

int main(void)
{
	static const struct
	{
		const char *name;
		bool (*check)(void);
	} checks[] = { { "colours", check_wall }, { "normals", check_normals }, { "light", check_sky },
		{ "zstd", check_zstd } };
	bool good = true;
	for (size_t i = 0; i < sizeof checks / sizeof *checks; ++i)
	{
		bool holds = checks[i].check();
		printf("%s: %s\n", checks[i].name, holds ? "as the guide says" : "NOT as the guide says");
		good = good && holds;
	}
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

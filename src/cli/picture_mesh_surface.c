// Materials on meshes: base colour and normal map, read from the cooked tree, sampled as a renderer would.

#include "cli/cli.h"
#include "cli/picture_mesh_draw.h"

#include <stdlib.h>
#include <string.h>

#define SIDE_MAX 1024u // texels; larger levels show nothing more in a picture of this size

static void close_texture(cli_surface_texture *self)
{
	for (uint32_t i = 0; i < CLI_SURFACE_LEVELS; ++i)
	{
		free(self->levels[i]);
	}
	lrd_picture_close(self->picture);
	free((void *)(uintptr_t)self->bytes.data);
	*self = (cli_surface_texture){ 0 };
}

void cli_surface_close(cli_surface *self)
{
	close_texture(&self->base);
	close_texture(&self->normal);
	*self = (cli_surface){ 0 };
}

static void open_texture(
	cli_surface_texture *self, const cli_scene *scene, const lrd_material_view *material, lrd_material_slot slot)
{
	lrd_string stem = lrd_material_texture_stem(material, slot);
	lrd_error error = { .message = "not found" };
	self->slot = material->textures[slot];
	self->bytes = cli_scene_read(scene, stem, ".ktx2");
	if (self->bytes.data != NULL)
	{
		self->picture = lrd_picture_open(&(lrd_picture_desc){ .bytes = self->bytes }, &error);
	}
	if (self->picture == NULL)
	{
		if (stem.size != 0)
		{
			cli_error("info: %.*s.ktx2: %s; it is left out", LRD_STR_ARG(stem), error.message);
		}
		return;
	}
	self->info = lrd_picture_get_info(self->picture);
	while (self->first_level + 1 < self->info->levels &&
		   (lrd_texture_extent(self->info->width, self->first_level) > SIDE_MAX ||
			   lrd_texture_extent(self->info->height, self->first_level) > SIDE_MAX))
	{
		self->first_level++;
	}
}

/// A level's texels, or NULL.
static const uint8_t *level_of(cli_surface_texture *self, uint32_t level)
{
	if (self->levels[level] == NULL)
	{
		lrd_pixels pixels;
		lrd_error error;
		lrd_picture_decode_desc desc = {
			.level = self->first_level + level,
			.apply_swizzle = true,
			.rebuild_normals = true,
		};
		if (!lrd_picture_decode(self->picture, &desc, &pixels, &error))
		{
			return NULL;
		}
		self->levels[level] = malloc((size_t)pixels.width * pixels.height * 4);
		if (self->levels[level] != NULL)
		{
			lrd_pixels_show(&pixels, self->levels[level]);
		}
		lrd_pixels_free(&pixels);
	}
	return self->levels[level];
}

/// One that gives nothing is closed, so that it is asked once.
static void try_texture(cli_surface_texture *self, lrd_string material)
{
	if (self->picture != NULL && level_of(self, 0) == NULL)
	{
		cli_error("info: %.*s.lmat: a texture can't be decoded; it is left out", LRD_STR_ARG(material));
		close_texture(self);
	}
}

void cli_surface_open(cli_surface *self, const cli_scene *scene, lrd_string stem)
{
	if (self->base_color[3] != 0.0f && lrd_string_equal(stem, self->stem))
	{
		return;
	}
	cli_surface_close(self);
	lrd_material_params params = lrd_material_default_params();
	lrd_material_view material;
	lrd_error error;
	lrd_bytes bytes = cli_scene_read(scene, stem, ".lmat");
	self->stem = stem;
	for (int i = 0; i < 256; ++i)
	{
		float c = (float)i / 255.0f;
		self->linear[i] = c <= 0.04045f ? c / 12.92f : powf((c + 0.055f) / 1.055f, 2.4f);
	}
	if (bytes.data != NULL && lrd_material_open(bytes.data, bytes.size, &material, &error))
	{
		params = *material.params;
		self->alpha_mode = (lrd_alpha_mode)material.alpha_mode;
		self->alpha_cutoff = material.alpha_cutoff;
		self->is_unlit = (material.flags & LRD_MATERIAL_UNLIT) != 0;
		self->is_double_sided = (material.flags & LRD_MATERIAL_DOUBLE_SIDED) != 0;
		open_texture(&self->base, scene, &material, LRD_SLOT_BASE_COLOR);
		open_texture(&self->normal, scene, &material, LRD_SLOT_NORMAL);
		try_texture(&self->base, stem);
		try_texture(&self->normal, stem);
	}
	memcpy(self->base_color, params.base_color, sizeof self->base_color);
	self->normal_scale = params.normal_scale;
	free((void *)(uintptr_t)bytes.data);
}

/// KHR_texture_transform: scaled, turned counter-clockwise with v pointing down, moved.
static void transform_uv(const lrd_material_texture *slot, const cli_vertex *vertex, float uv[2])
{
	const float *from = vertex->uv[slot->uv_set];
	float u = from[0] * slot->uv_scale[0], v = from[1] * slot->uv_scale[1];
	float c = cosf(slot->uv_rotation), s = sinf(slot->uv_rotation);
	uv[0] = c * u + s * v + slot->uv_offset[0];
	uv[1] = c * v - s * u + slot->uv_offset[1];
}

/// The level whose texels are about as large as the samples.
static uint32_t choose_level(const cli_surface_texture *self, const cli_corner corners[3], int at_uv)
{
	const float *a = corners[0].values + at_uv, *b = corners[1].values + at_uv, *c = corners[2].values + at_uv;
	float samples = (corners[1].x - corners[0].x) * (corners[2].y - corners[0].y) -
					(corners[2].x - corners[0].x) * (corners[1].y - corners[0].y);
	float texels = ((b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1])) *
				   (float)lrd_texture_extent(self->info->width, self->first_level) *
				   (float)lrd_texture_extent(self->info->height, self->first_level);
	float ratio = fabsf(texels) / fmaxf(fabsf(samples), 1.0f);
	uint32_t last = self->info->levels - 1 - self->first_level;
	uint32_t level = 0;
	for (; level < last && level + 1 < CLI_SURFACE_LEVELS && ratio > 2.0f; ++level)
	{
		ratio *= 0.25f;
	}
	return level;
}

void cli_surface_prepare(cli_drawing *drawing, const cli_vertex *const vertices[3], cli_corner corners[3])
{
	cli_surface *surface = &drawing->surface;
	for (int i = 0; i < 3; ++i)
	{
		transform_uv(&surface->base.slot, vertices[i], corners[i].values + CLI_AT_UV);
		transform_uv(&surface->normal.slot, vertices[i], corners[i].values + CLI_AT_NORMAL_UV);
		memcpy(corners[i].values + CLI_AT_COLOR, vertices[i]->color, 3 * sizeof(float));
	}
	if (surface->base.picture != NULL)
	{
		surface->base.level = choose_level(&surface->base, corners, CLI_AT_UV);
	}
	if (surface->normal.picture != NULL)
	{
		surface->normal.level = choose_level(&surface->normal, corners, CLI_AT_NORMAL_UV);
	}
}

static uint32_t wrap(int64_t texel, uint32_t side, uint8_t mode)
{
	if (mode == LRD_WRAP_CLAMP)
	{
		return texel < 0 ? 0 : texel >= side ? side - 1 : (uint32_t)texel;
	}
	int64_t period = mode == LRD_WRAP_MIRROR ? 2 * (int64_t)side : side;
	int64_t at = texel % period;
	at += at < 0 ? period : 0;
	return (uint32_t)(at < side ? at : period - 1 - at);
}

/// Four texels, mixed as codes: what differs from mixing light is below what a picture of this sort shows.
static bool sample(cli_surface_texture *self, const float uv[2], float texel[4])
{
	const uint8_t *texels = self->picture != NULL ? level_of(self, self->level) : NULL;
	if (texels == NULL || !(fabsf(uv[0]) < 1e6f) || !(fabsf(uv[1]) < 1e6f))
	{
		return false;
	}
	uint32_t width = lrd_texture_extent(self->info->width, self->first_level + self->level);
	uint32_t height = lrd_texture_extent(self->info->height, self->first_level + self->level);
	double x = (double)uv[0] * width - 0.5, y = (double)uv[1] * height - 0.5;
	bool is_point = self->slot.filter == LRD_FILTER_POINT;
	double left = floor(is_point ? x + 0.5 : x), top = floor(is_point ? y + 0.5 : y);
	float across = is_point ? 0.0f : (float)(x - left), down = is_point ? 0.0f : (float)(y - top);
	memset(texel, 0, 4 * sizeof *texel);
	for (int i = 0; i < 4; ++i)
	{
		uint32_t column = wrap((int64_t)left + (i & 1), width, self->slot.wrap_u);
		uint32_t row = wrap((int64_t)top + (i >> 1), height, self->slot.wrap_v);
		float weight = ((i & 1) != 0 ? across : 1.0f - across) * ((i >> 1) != 0 ? down : 1.0f - down);
		const uint8_t *from = texels + ((size_t)row * width + column) * 4;
		for (int c = 0; c < 4; ++c)
		{
			texel[c] += weight * (float)from[c];
		}
	}
	return true;
}

/// The vertex's normal, bent by the normal map in the frame that the cook gave the vertex.
static void bend(cli_drawing *drawing, const cli_fragment *at, float normal[3])
{
	cli_surface *surface = &drawing->surface;
	float texel[4];
	if (!sample(&surface->normal, at->values + CLI_AT_NORMAL_UV, texel))
	{
		return;
	}
	const float *t = at->values + CLI_AT_TANGENT;
	float sign = (t[3] < 0.0f) != drawing->part->is_mirrored ? -1.0f : 1.0f;
	float x = (texel[0] / 127.5f - 1.0f) * surface->normal_scale;
	float y = (texel[1] / 127.5f - 1.0f) * surface->normal_scale;
	float z = texel[2] / 127.5f - 1.0f;
	float n[3] = { normal[0], normal[1], normal[2] };
	for (int i = 0; i < 3; ++i)
	{
		int j = (i + 1) % 3, k = (i + 2) % 3;
		float bitangent = (n[j] * t[k] - n[k] * t[j]) * sign;
		normal[i] = x * t[i] + y * bitangent + z * n[i];
	}
	cli_normalize(normal);
}

/// What is half transparent is drawn on some of each pixel's samples.
static bool is_cut(const cli_surface *self, const cli_fragment *at, float alpha)
{
	static const float least[2][2] = { { 0.125f, 0.625f }, { 0.875f, 0.375f } };
	return (self->alpha_mode == LRD_ALPHA_MASK && alpha < self->alpha_cutoff) ||
		   (self->alpha_mode == LRD_ALPHA_BLEND && alpha < least[at->y & 1][at->x & 1]);
}

bool cli_shade_surface(cli_drawing *drawing, const cli_fragment *at, cli_color *color)
{
	cli_surface *self = &drawing->surface;
	float texel[4];
	float albedo[3], rgb[3], normal[3];
	bool has_texture = sample(&self->base, at->values + CLI_AT_UV, texel);
	if (is_cut(self, at, has_texture ? texel[3] / 255.0f * self->base_color[3] : self->base_color[3]))
	{
		return false;
	}
	for (int i = 0; i < 3; ++i)
	{
		float light = has_texture ? self->linear[(uint8_t)(texel[i] + 0.5f)] : 1.0f;
		albedo[i] = rgb[i] = light * self->base_color[i] * at->values[CLI_AT_COLOR + i];
	}
	if (!self->is_unlit)
	{
		memcpy(normal, at->values + CLI_AT_NORMAL, sizeof normal);
		cli_normalize(normal);
		bend(drawing, at, normal);
		for (int i = 0; i < 3 && at->is_back; ++i)
		{
			normal[i] = -normal[i];
		}
		cli_light(drawing, normal, albedo, rgb);
	}
	*color = cli_encode_color(rgb);
	return true;
}

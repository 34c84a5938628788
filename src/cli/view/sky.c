// The light all around: a cubemap that the cook filtered, of a file, of what is mounted, or of a studio that is painted here.

#include "cli/view/render.h"
#include "larder/picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STUDIO_WIDTH 256
#define STUDIO_FACE 64
#define SKY_STEM "larder-view/sky"

/// How much of a lamp is in a direction: 1 within its angle, soft at the rim.
static float lamp(lrd_vec3 d, lrd_vec3 at, float cosine, float soft)
{
	float t = (view_dot(d, view_normalize(at)) - cosine) / soft;
	t = fminf(fmaxf(t, 0.0f), 1.0f);
	return t * t * (3.0f - 2.0f * t);
}

/// Grey walls, brighter above, a floor, a large warm lamp to the upper left of whoever looks at the front, a cool one behind, and
/// one above.
static void paint(lrd_vec3 d, float rgba[4])
{
	float up = d.y;
	float wall = up > 0.0f ? 0.42f + 0.38f * up : 0.42f + 0.26f * up;
	float key = 7.0f * lamp(d, (lrd_vec3){ -0.75f, 0.75f, 0.65f }, 0.93f, 0.05f);
	float fill = 1.5f * lamp(d, (lrd_vec3){ 0.95f, 0.25f, 0.45f }, 0.86f, 0.12f);
	float rim = 3.5f * lamp(d, (lrd_vec3){ 0.5f, 0.45f, -0.9f }, 0.93f, 0.05f);
	float top = 2.2f * lamp(d, (lrd_vec3){ 0.0f, 1.0f, 0.0f }, 0.85f, 0.14f);
	rgba[0] = wall * 0.99f + key * 1.0f + fill * 0.92f + rim * 0.9f + top;
	rgba[1] = wall + key * 0.96f + fill * 0.97f + rim * 0.96f + top;
	rgba[2] = wall * 1.02f + key * 0.88f + fill * 1.0f + rim * 1.04f + top;
	rgba[3] = 1.0f;
}

/// A panorama; its middle is ahead, which is -Z in glTF's space (docs/guide-textures.md, "Light").
static bool paint_studio(lrd_buffer *out, lrd_error *error)
{
	const uint32_t width = STUDIO_WIDTH, height = STUDIO_WIDTH / 2;
	float *texels = malloc((size_t)width * height * 4 * sizeof *texels);
	if (texels == NULL)
	{
		*error = (lrd_error){ LRD_ERROR_MEMORY, "out of memory" };
		return false;
	}
	const float pi = 3.14159265f;
	for (uint32_t y = 0; y < height; ++y)
	{
		float polar = ((float)y + 0.5f) / (float)height * pi;
		for (uint32_t x = 0; x < width; ++x)
		{
			float around = (((float)x + 0.5f) / (float)width - 0.5f) * 2.0f * pi;
			lrd_vec3 d = { sinf(polar) * sinf(around), cosf(polar), -sinf(polar) * cosf(around) };
			paint(d, texels + 4 * ((size_t)y * width + x));
		}
	}
	lrd_pixels pixels = { .width = width,
		.height = height,
		.type = LRD_PIXELS_F32,
		.range = LRD_PIXELS_OPEN,
		.channels = LRD_CHANNELS_RGBA,
		.data = texels,
		.size = (size_t)width * height * 4 * sizeof *texels };
	bool good = lrd_pixels_write_exr(&pixels, out, error);
	free(texels);
	return good;
}

static bool cook_sky(
	lrd_bytes image, const char *name, uint32_t face, const view_options *options, lrd_buffer *out, lrd_error *error)
{
	const lrd_texture_settings settings = { .type = LRD_TEXTURE_TYPE_CUBEMAP, .face_size = face };
	return view_cook_image(image, name, &settings, options, out, error);
}

bool view_sky_paint(lrd_buffer *studio, const view_options *options)
{
	lrd_error error = { 0 };
	lrd_buffer image = { 0 };
	bool good = paint_studio(&image, &error) &&
				cook_sky((lrd_bytes){ image.data, image.size }, "studio.exr", STUDIO_FACE, options, studio, &error);
	lrd_buffer_free(&image);
	if (!good)
	{
		cli_error("view: the studio: %s", error.message);
	}
	return good;
}

/// A file's cubemap.
static bool cook_file(lrd_buffer *out, const view_options *options, lrd_error *error)
{
	lrd_bytes bytes = cli_read_whole(options->sky, error);
	bool good = bytes.data != NULL && cook_sky(bytes, options->sky, 0, options, out, error);
	free((void *)(uintptr_t)bytes.data);
	return good;
}

static bool find_asset(
	view_sky *self, view_content *content, const view_options *options, lrd_bytes studio, lrd_error *error)
{
	FILE *there = options->sky != NULL ? fopen(options->sky, "rb") : NULL;
	if (there != NULL)
	{
		fclose(there);
	}
	if (options->sky != NULL && there == NULL)
	{
		if (!content->has_sky)
		{
			*error = (lrd_error){ LRD_ERROR_NOT_FOUND, { 0 } };
			snprintf(error->message, sizeof error->message,
				"--sky takes an image file or the name of a cubemap in %s, and there is neither", content->path);
			return false;
		}
		self->asset = lrd_asset_find(content->store, LRD_TEXTURE, options->sky, error);
		return lrd_asset_is_valid(content->store, self->asset);
	}
	lrd_buffer file = { 0 };
	bool good = options->sky == NULL || cook_file(&file, options, error);
	if (good)
	{
		self->asset = lrd_asset_find(content->store, LRD_TEXTURE, SKY_STEM, error);
		lrd_bytes bytes = options->sky == NULL ? studio : (lrd_bytes){ file.data, file.size };
		good =
			lrd_asset_is_valid(content->store, self->asset) && lrd_asset_put(content->store, self->asset, bytes, error);
	}
	lrd_buffer_free(&file);
	return good;
}

bool view_sky_open(
	view_sky *self, view_content *content, lrd_residents *residents, const view_options *options, lrd_bytes studio)
{
	*self = (view_sky){ .slot = LRD_GPU_NO_SLOT };
	lrd_error error = { 0 };
	const char *name = options->sky != NULL ? options->sky : "the studio";
	if (!find_asset(self, content, options, studio, &error) || !lrd_retain_now(content->store, self->asset, &error))
	{
		// The store names the asset itself.
		const char *sky = error.code != LRD_OK && strncmp(error.message, "texture \"", 9) == 0 ? NULL : name;
		cli_error("view: %s%s%s", sky != NULL ? sky : "", sky != NULL ? ": " : "", error.message);
		self->asset = (lrd_asset){ 0 };
		return false;
	}
	const lrd_texture_view *texture = &lrd_texture_get(content->store, self->asset)->view;
	if (texture->face_count != 6 || texture->layer_count != 0)
	{
		cli_error("view: %s: a sky is a cubemap", name);
		return false;
	}
	if (!lrd_texture_harmonics(texture, self->harmonics))
	{
		cli_error("view: %s: the cubemap has no spherical harmonics, which a cook gives it", name);
		return false;
	}
	self->last_level = floorf(log2f((float)texture->width));
	self->background_level = options->sky == NULL ? 0.6f * self->last_level : 0.0f;
	self->slot = lrd_residents_retain_texture(residents, self->asset, LRD_ROLE_CUBE, &error);
	if (self->slot == LRD_GPU_NO_SLOT)
	{
		cli_error("view: %s: %s", name, error.message);
	}
	return self->slot != LRD_GPU_NO_SLOT;
}

bool view_sky_show(view_sky *self, view_content *content, lrd_residents *residents)
{
	lrd_error error = { 0 };
	view_sky_close(self, content, residents);
	*self = (view_sky){ .asset = content->asset, .slot = LRD_GPU_NO_SLOT };
	if (!lrd_retain(content->store, self->asset))
	{
		self->asset = (lrd_asset){ 0 };
		cli_error("view: out of memory");
		return false;
	}
	self->slot = lrd_residents_retain_texture(residents, self->asset, LRD_ROLE_CUBE, &error);
	if (self->slot == LRD_GPU_NO_SLOT)
	{
		cli_error("view: %s", error.message);
	}
	return self->slot != LRD_GPU_NO_SLOT;
}

void view_sky_close(view_sky *self, view_content *content, lrd_residents *residents)
{
	if (residents != NULL && self->asset.generation != 0 && self->slot != LRD_GPU_NO_SLOT)
	{
		lrd_residents_release_texture(residents, self->slot);
	}
	if (self->asset.generation != 0)
	{
		lrd_release(content->store, self->asset);
	}
	*self = (view_sky){ .slot = LRD_GPU_NO_SLOT };
}

// larder compare: how far two image files are apart.

#include "cli/picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define AMPLIFY 8.0f

typedef struct comparing
{
	cli_picture files[2];
	lrd_picture_decode_desc places[2];
	lrd_pixels pixels[2];
	bool normals;
	lrd_pixels_meaning meaning;
	float amplify;
	float flip; // pixels per degree; 0: not asked for
	lrd_pixels_flip_result flipped;
} comparing;

/// --set amplify=N,flip=PIXELS_PER_DEGREE
static bool take_settings(const cli_arguments *arguments, comparing *self)
{
	static const struct
	{
		const char *key;
		double least, most;
	} settings[] = { { "amplify=", 0x1p-20, 1e6 }, { "flip=", 1.0, 400.0 } };
	float *const values[] = { &self->amplify, &self->flip };
	self->amplify = AMPLIFY;
	const char *text = arguments->values[CLI_SET];
	for (size_t i = 0; text != NULL; i = 0)
	{
		while (i < 2 && strncmp(text, settings[i].key, strlen(settings[i].key)) != 0)
		{
			++i;
		}
		const char *number = i < 2 ? text + strlen(settings[i].key) : text;
		char *end = NULL;
		double value = i < 2 ? strtod(number, &end) : 0;
		if (end == NULL || end == number || (*end != 0 && *end != ',') || !(value >= settings[i].least) ||
			value > settings[i].most)
		{
			cli_error("compare: --set takes amplify=N with a number above 0, and flip=PIXELS_PER_DEGREE from 1 to 400, "
					  "not %s",
				text);
			return false;
		}
		*values[i] = (float)value;
		text = *end == ',' ? end + 1 : NULL;
	}
	return true;
}

/// A file that has but one level is taken as it is beside a level of the other; of layers, faces, slices likewise.
static bool place_files(comparing *self, const lrd_picture_decode_desc *asked)
{
	bool used[4] = { asked->level == 0, asked->layer == 0, asked->face == 0, asked->slice == 0 };
	for (size_t i = 0; i < 2; ++i)
	{
		const lrd_picture_info *info = self->files[i].info;
		lrd_picture_decode_desc *place = &self->places[i];
		*place = *asked;
		place->apply_swizzle = true;
		place->rebuild_normals = self->normals;
		place->level = info->levels > 1 ? asked->level : 0;
		place->layer = info->layers > 1 ? asked->layer : 0;
		place->face = info->faces > 1 ? asked->face : 0;
		place->slice = info->depth > 1 ? asked->slice : 0;
		used[0] |= info->levels > 1;
		used[1] |= info->layers > 1;
		used[2] |= info->faces > 1;
		used[3] |= info->depth > 1;
	}
	static const char *const words[] = { "level", "layer", "face", "slice" };
	for (size_t i = 0; i < 4; ++i)
	{
		if (!used[i])
		{
			cli_error("compare: --%s: neither file has more than one", words[i]);
			return false;
		}
	}
	return true;
}

static bool decode_files(comparing *self)
{
	for (size_t i = 0; i < 2; ++i)
	{
		lrd_error error = { 0 };
		if (!lrd_picture_decode(self->files[i].picture, &self->places[i], &self->pixels[i], &error))
		{
			cli_error("compare: %s: %s", self->files[i].path, error.message);
			return false;
		}
	}
	const lrd_pixels *a = &self->pixels[0];
	const lrd_pixels *b = &self->pixels[1];
	if (a->width != b->width || a->height != b->height)
	{
		cli_error("compare: pictures of different sizes: %s is %u x %u, %s is %u x %u (--level takes a level of a file "
				  "that has several)",
			self->files[0].path, a->width, a->height, self->files[1].path, b->width, b->height);
		return false;
	}
	return true;
}

static const char *const channel_names[4] = { "red", "green", "blue", "alpha" };

static bool is_compared(const lrd_pixels_comparison *result, uint32_t channel)
{
	return (result->channels >> channel & 1) != 0;
}

static void put_decibels(const char *name, double psnr)
{
	if (isfinite(psnr))
	{
		printf("%s %.2f dB", name, psnr);
	}
	else
	{
		printf("%s equal", name);
	}
}

static const char *explain(const comparing *self, const lrd_pixels_comparison *result)
{
	switch (result->as)
	{
	case LRD_COMPARED_LIGHT:
		return self->meaning == LRD_MEANING_DATA              ? "numbers"
			   : self->pixels[0].srgb || self->pixels[1].srgb ? "linear light: sRGB-encoded colours were decoded"
															  : "linear light";
	case LRD_COMPARED_NORMALS: return "normals, and their stored codes";
	default:
		return self->pixels[0].srgb != self->pixels[1].srgb
				   ? "stored codes, though one file says sRGB and the other linear"
				   : "stored codes";
	}
}

static void print_text(const comparing *self, const lrd_pixels_comparison *result)
{
	for (size_t i = 0; i < 2; ++i)
	{
		cli_put_text(stdout, lrd_string_from(self->files[i].path));
		fputs(": ", stdout);
		cli_put_picture(stdout, self->files[i].info, &self->places[i]);
		fputc('\n', stdout);
	}
	printf("compared as %s", explain(self, result));
	printf(result->as == LRD_COMPARED_LIGHT ? ", of which the brightest is %.6g\nPSNR: " : "\nPSNR: ", result->peak);
	const char *separator = "";
	if ((result->channels & LRD_CHANNELS_RGB) == LRD_CHANNELS_RGB)
	{
		put_decibels("RGB", result->psnr_rgb);
		separator = ", ";
	}
	for (uint32_t c = 0; c < 4; ++c)
	{
		if (is_compared(result, c))
		{
			fputs(separator, stdout);
			put_decibels(channel_names[c], result->psnr[c]);
			separator = ", ";
		}
	}
	if (result->psnr_reinhard > 0)
	{
		printf("\nPSNR of x / (1 + x): ");
		put_decibels("RGB", result->psnr_reinhard);
		printf(", of log2(1 + x): ");
		put_decibels("RGB", result->psnr_log2);
		printf(", RMSLE %.6g", result->rmsle);
	}
	printf("\nSSIM: luma %.6f, RGB %.6f\n", result->ssim_luma, result->ssim_rgb);
	printf(result->as == LRD_COMPARED_LIGHT ? "max error: %.6g\n" : "max error: %.6f, %.1f of 255\n", result->max,
		result->max * 255.0);
	if (result->as == LRD_COMPARED_NORMALS)
	{
		printf("angle: %.4f degrees, %.3f at most\n", result->angle_mean, result->angle_max);
	}
	if (self->flip > 0)
	{
		printf("FLIP at %g pixels per degree: mean %.6f, 99 of 100 pixels at most %.3f, all at most %.3f\n",
			(double)self->flip, self->flipped.mean, self->flipped.most, self->flipped.greatest);
	}
}

static bool print_json(const comparing *self, const lrd_pixels_comparison *result)
{
	static const char *const sides[] = { "reference", "image" };
	cJSON *json = cJSON_CreateObject();
	for (size_t i = 0; i < 2; ++i)
	{
		cJSON *side = cJSON_AddObjectToObject(json, sides[i]);
		cli_json_string(side, "file", lrd_string_from(self->files[i].path));
		cli_json_picture(side, self->files[i].info, &self->places[i]);
	}
	cli_json_string(json, "compared_as", lrd_string_from(lrd_compared_as_name(result->as)));
	cJSON_AddBoolToObject(json, "equal", result->max == 0);
	cli_json_float(json, "peak", (float)result->peak);
	cJSON *psnr = cJSON_AddObjectToObject(json, "psnr"); // null: equal
	cJSON *errors = cJSON_AddObjectToObject(json, "max_error");
	if ((result->channels & LRD_CHANNELS_RGB) != 0)
	{
		cli_json_float(psnr, "rgb", (float)result->psnr_rgb);
	}
	for (uint32_t c = 0; c < 4; ++c)
	{
		if (is_compared(result, c))
		{
			cli_json_float(psnr, channel_names[c], (float)result->psnr[c]);
			cli_json_float(errors, channel_names[c], (float)result->max_error[c]);
		}
	}
	cJSON *ssim = cJSON_AddObjectToObject(json, "ssim");
	cli_json_float(ssim, "luma", (float)result->ssim_luma);
	cli_json_float(ssim, "rgb", (float)result->ssim_rgb);
	if (result->as == LRD_COMPARED_NORMALS)
	{
		cli_json_float(json, "mean_degrees", (float)result->angle_mean);
		cli_json_float(json, "max_degrees", (float)result->angle_max);
	}
	if (result->psnr_reinhard > 0)
	{
		cli_json_float(psnr, "reinhard", (float)result->psnr_reinhard);
		cli_json_float(psnr, "log2", (float)result->psnr_log2);
		cli_json_float(json, "rmsle", (float)result->rmsle);
	}
	if (self->flip > 0)
	{
		cJSON *flip = cJSON_AddObjectToObject(json, "flip");
		cli_json_float(flip, "pixels_per_degree", self->flip);
		cli_json_float(flip, "mean", (float)self->flipped.mean);
		cli_json_float(flip, "most", (float)self->flipped.most);
		cli_json_float(flip, "greatest", (float)self->flipped.greatest);
	}
	return cli_json_print(json);
}

/// And measure it, where FLIP is asked for, whose picture it is then.
static bool save_difference(comparing *self, const lrd_pixels_compare_desc *desc, const char *path)
{
	lrd_pixels picture = { 0 };
	lrd_error error = { 0 };
	lrd_pixels_flip_desc flip = {
		.reference = desc->reference, .pixels = desc->pixels, .pixels_per_degree = self->flip
	};
	bool is_drawn = path != NULL;
	bool good = self->flip > 0 ? lrd_pixels_flip(&flip, &self->flipped, is_drawn ? &picture : NULL, &error)
							   : !is_drawn || lrd_pixels_difference(desc, &picture, &error);
	if (!good)
	{
		cli_error("compare: %s", error.message);
		return false;
	}
	good = !is_drawn || cli_save_pixels("compare", path, &picture);
	lrd_pixels_free(&picture);
	return good;
}

static bool measure(const cli_arguments *arguments, comparing *self)
{
	lrd_pixels_compare_desc desc = {
		.reference = &self->pixels[0],
		.pixels = &self->pixels[1],
		.normals = self->normals,
		.meaning = self->meaning,
		.amplify = self->amplify,
	};
	lrd_pixels_comparison result;
	lrd_error error = { 0 };
	if (!lrd_pixels_compare(&desc, &result, &error))
	{
		cli_error("compare: %s", error.message);
		return false;
	}
	if (!save_difference(self, &desc, arguments->values[CLI_OUTPUT]))
	{
		return false;
	}
	if (arguments->values[CLI_JSON] != NULL)
	{
		return print_json(self, &result);
	}
	print_text(self, &result);
	return true;
}

/// By --type, else by what a cooked file of the two says.
static bool holds_normals(const comparing *self, bool is_given, lrd_texture_type type)
{
	return is_given
			   ? type == LRD_TEXTURE_TYPE_NORMAL
			   : self->files[0].info->normals != LRD_NORMALS_NONE || self->files[1].info->normals != LRD_NORMALS_NONE;
}

static bool is_data(lrd_texture_type type)
{
	return type == LRD_TEXTURE_TYPE_NORMAL || type == LRD_TEXTURE_TYPE_METALLIC_ROUGHNESS ||
		   type == LRD_TEXTURE_TYPE_OCCLUSION || type == LRD_TEXTURE_TYPE_MASK || type == LRD_TEXTURE_TYPE_HEIGHT ||
		   type == LRD_TEXTURE_TYPE_LUT;
}

/// An image that says by its own word that its codes are linear, which cooking it as colour heeds.
static bool is_linear_source(const lrd_picture_info *info)
{
	return info->container != LRD_PICTURE_KTX2 && info->container != LRD_PICTURE_DDS &&
		   info->range == LRD_PIXELS_UNIT && !info->srgb;
}

/// Likewise.
static lrd_pixels_meaning meaning_of(const comparing *self, bool is_given, lrd_texture_type type)
{
	const lrd_picture_info *a = self->files[0].info;
	const lrd_picture_info *b = self->files[1].info;
	for (int i = LRD_TEXTURE_TYPE_AUTO + 1; !is_given && i < LRD_TEXTURE_TYPE_COUNT; ++i)
	{
		lrd_string name = lrd_string_from(lrd_texture_type_name((lrd_texture_type)i));
		if (lrd_string_equal(a->holds, name) || lrd_string_equal(b->holds, name))
		{
			type = (lrd_texture_type)i;
			break;
		}
	}
	if (type != LRD_TEXTURE_TYPE_AUTO && is_data(type))
	{
		return LRD_MEANING_DATA;
	}
	return is_linear_source(a) || is_linear_source(b) ? LRD_MEANING_COLORS : LRD_MEANING_UNKNOWN;
}

cli_exit cli_compare(const cli_arguments *arguments)
{
	comparing self = { 0 };
	lrd_picture_decode_desc place = { 0 };
	lrd_texture_type type = LRD_TEXTURE_TYPE_AUTO;
	bool is_given;
	const char *output = arguments->values[CLI_OUTPUT];
	if (output != NULL && !cli_saves_to(output))
	{
		cli_error("compare: --output takes a path that ends in .png or .exr, not %s", output);
		return CLI_BAD_COMMAND_LINE;
	}
	if (!cli_take_place(arguments, "compare", &place) || !cli_take_type(arguments, "compare", &is_given, &type) ||
		!take_settings(arguments, &self))
	{
		return CLI_BAD_COMMAND_LINE;
	}
	bool good = cli_picture_open(&self.files[0], "compare", arguments->operands[0]) &&
				cli_picture_open(&self.files[1], "compare", arguments->operands[1]);
	if (good)
	{
		self.normals = holds_normals(&self, is_given, type);
		self.meaning = meaning_of(&self, is_given, type);
		good = place_files(&self, &place) && decode_files(&self) && measure(arguments, &self);
	}
	for (size_t i = 0; i < 2; ++i)
	{
		lrd_pixels_free(&self.pixels[i]);
		cli_picture_close(&self.files[i]);
	}
	return good ? CLI_OK : CLI_FAILED;
}

// larder extract: one image of an image file as PNG or EXR.

#include "cli/picture.h"

static void report(const cli_arguments *arguments, const lrd_picture_info *info, const lrd_picture_decode_desc *place)
{
	const char *output = arguments->values[CLI_OUTPUT];
	if (arguments->values[CLI_QUIET] != NULL)
	{
		return;
	}
	cli_put_text(stdout, lrd_string_from(output));
	fputs(": ", stdout);
	cli_put_picture(stdout, info, place);
	fputc('\n', stdout);
}

static bool report_json(const cli_arguments *arguments, const lrd_picture_info *info,
	const lrd_picture_decode_desc *place, const lrd_pixels *pixels)
{
	static const char *const types[] = { "unorm8", "unorm16", "f32" };
	cJSON *json = cJSON_CreateObject();
	cli_json_string(json, "file", lrd_string_from(arguments->values[CLI_OUTPUT]));
	cli_json_picture(json, info, place);
	cli_json_string(json, "pixels", lrd_string_from(types[pixels->type]));
	cJSON_AddBoolToObject(json, "srgb", pixels->srgb);
	cli_json_number(json, "clamped", (double)pixels->clamped);
	return cli_json_print(json);
}

static bool extract(const cli_arguments *arguments, const cli_picture *file, const lrd_picture_decode_desc *place)
{
	const char *output = arguments->values[CLI_OUTPUT];
	lrd_pixels pixels;
	lrd_error error = { 0 };
	if (!lrd_picture_decode(file->picture, place, &pixels, &error))
	{
		cli_error("extract: %s: %s", file->path, error.message);
		return false;
	}
	if (cli_saves_to_png(output) && pixels.type == LRD_PIXELS_F32 && arguments->values[CLI_QUIET] == NULL)
	{
		cli_error("extract: %s: %s; an .exr would keep the numbers", output,
			pixels.range == LRD_PIXELS_SIGNED ? "numbers from -1 to 1 became 0 to 255" : "light was tone mapped");
	}
	bool good = cli_save_pixels("extract", output, &pixels);
	if (good && arguments->values[CLI_JSON] != NULL)
	{
		good = report_json(arguments, file->info, place, &pixels);
	}
	else if (good)
	{
		report(arguments, file->info, place);
	}
	lrd_pixels_free(&pixels);
	return good;
}

cli_exit cli_extract(const cli_arguments *arguments)
{
	lrd_picture_decode_desc place = { .apply_swizzle = true };
	lrd_texture_type type = LRD_TEXTURE_TYPE_AUTO;
	bool is_given;
	const char *output = arguments->values[CLI_OUTPUT];
	if (output == NULL)
	{
		cli_error("extract: --output is missing: the .png or .exr file to write");
		return CLI_BAD_COMMAND_LINE;
	}
	if (!cli_saves_to(output))
	{
		cli_error("extract: --output takes a path that ends in .png or .exr, not %s", output);
		return CLI_BAD_COMMAND_LINE;
	}
	if (!cli_take_place(arguments, "extract", &place) || !cli_take_type(arguments, "extract", &is_given, &type))
	{
		return CLI_BAD_COMMAND_LINE;
	}
	place.rebuild_normals = type == LRD_TEXTURE_TYPE_NORMAL;
	cli_picture file;
	bool good = cli_picture_open(&file, "extract", arguments->operands[0]) && extract(arguments, &file, &place);
	cli_picture_close(&file);
	return good ? CLI_OK : CLI_FAILED;
}

// What compare, extract and info share: opening image files, naming one image in them, saving pixels.

#include "cli/picture.h"

#include "larder/cook.h"
#include "larder/texture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool cli_picture_open(cli_picture *self, const char *command, const char *path)
{
	lrd_error error = { 0 };
	*self = (cli_picture){ .path = path, .bytes = cli_read_whole(path, &error) };
	if (self->bytes.data != NULL)
	{
		self->picture = lrd_picture_open(&(lrd_picture_desc){ .bytes = self->bytes }, &error);
	}
	if (self->picture == NULL)
	{
		cli_error("%s: %s: %s", command, path, error.message);
		return false;
	}
	self->info = lrd_picture_get_info(self->picture);
	return true;
}

void cli_picture_close(cli_picture *self)
{
	lrd_picture_close(self->picture);
	free((void *)(uintptr_t)self->bytes.data);
	*self = (cli_picture){ 0 };
}

static bool take_number(const cli_arguments *arguments, const char *command, cli_option_id option, uint32_t *number)
{
	const char *text = arguments->values[option];
	if (text == NULL)
	{
		return true;
	}
	char *end;
	errno = 0;
	unsigned long value = strtoul(text, &end, 10);
	if (*text < '0' || *text > '9' || *end != 0 || errno != 0 || value >= UINT32_MAX)
	{
		cli_error("%s: --%s takes a number from 0, not %s", command, cli_options[option].name, text);
		return false;
	}
	*number = (uint32_t)value;
	return true;
}

bool cli_take_place(const cli_arguments *arguments, const char *command, lrd_picture_decode_desc *place)
{
	return take_number(arguments, command, CLI_LEVEL, &place->level) &&
		   take_number(arguments, command, CLI_LAYER, &place->layer) &&
		   take_number(arguments, command, CLI_FACE, &place->face) &&
		   take_number(arguments, command, CLI_SLICE, &place->slice);
}

bool cli_take_type(const cli_arguments *arguments, const char *command, bool *is_given, lrd_texture_type *type)
{
	const char *name = arguments->values[CLI_TYPE];
	*is_given = name != NULL;
	for (int i = 0; name != NULL && i < LRD_TEXTURE_TYPE_COUNT; ++i)
	{
		if (strcmp(name, lrd_texture_type_name((lrd_texture_type)i)) == 0)
		{
			*type = (lrd_texture_type)i;
			return true;
		}
	}
	if (name != NULL)
	{
		cli_error("%s: no such --type: %s (see larder help %s)", command, name, command);
	}
	return name == NULL;
}

void cli_put_picture(FILE *file, const lrd_picture_info *info, const lrd_picture_decode_desc *place)
{
	fprintf(file, "%s %s", lrd_picture_container_name(info->container), info->format);
	const struct
	{
		const char *name;
		uint32_t index, count;
	} rows[] = {
		{ "level", place->level, info->levels },
		{ "layer", place->layer, info->layers },
		{ "face", place->face, info->faces },
		{ "slice", place->slice, info->depth },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
	{
		if (rows[i].count > 1)
		{
			fprintf(file, ", %s %u", rows[i].name, rows[i].index);
		}
	}
	fprintf(file, ", %u x %u", lrd_texture_extent(info->width, place->level),
		lrd_texture_extent(info->height, place->level));
}

void cli_json_picture(cJSON *json, const lrd_picture_info *info, const lrd_picture_decode_desc *place)
{
	cli_json_string(json, "container", lrd_string_from(lrd_picture_container_name(info->container)));
	cli_json_string(json, "format", lrd_string_from(info->format));
	cli_json_number(json, "level", place->level);
	cli_json_number(json, "layer", place->layer);
	cli_json_number(json, "face", place->face);
	cli_json_number(json, "slice", place->slice);
	cli_json_number(json, "width", lrd_texture_extent(info->width, place->level));
	cli_json_number(json, "height", lrd_texture_extent(info->height, place->level));
}

static bool ends_with(const char *path, const char *suffix)
{
	size_t size = strlen(path);
	size_t suffix_size = strlen(suffix);
	if (size < suffix_size)
	{
		return false;
	}
	for (size_t i = 0; i < suffix_size; ++i)
	{
		char c = path[size - suffix_size + i];
		if ((c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c) != suffix[i])
		{
			return false;
		}
	}
	return true;
}

bool cli_saves_to_png(const char *path)
{
	return ends_with(path, ".png");
}

bool cli_saves_to(const char *path)
{
	return cli_saves_to_png(path) || ends_with(path, ".exr");
}

bool cli_save_pixels(const char *command, const char *path, const lrd_pixels *pixels)
{
	lrd_buffer out = { 0 };
	lrd_error error = { 0 };
	bool good = (cli_saves_to_png(path) ? lrd_pixels_write_png(pixels, &out, &error)
										: lrd_pixels_write_exr(pixels, &out, &error)) &&
				lrd_file_save(path, out.data, out.size, &error);
	if (!good)
	{
		bool is_named = strncmp(error.message, path, strlen(path)) == 0;
		cli_error("%s: %s%s%s", command, is_named ? "" : path, is_named ? "" : ": ", error.message);
	}
	lrd_buffer_free(&out);
	return good;
}

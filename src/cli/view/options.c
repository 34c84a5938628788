// What the command line of `larder view` says.

#include "cli/view/view.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define RADIANS 0.017453293f
#define LARGEST_SIDE 8192

static const char *const mode_names[VIEW_MODE_COUNT] = {
	[VIEW_SHADED] = "shaded",
	[VIEW_ALBEDO] = "albedo",
	[VIEW_NORMAL] = "normal",
	[VIEW_GEOMETRY] = "geometry",
	[VIEW_TANGENT] = "tangent",
	[VIEW_UV] = "uv",
	[VIEW_COLORS] = "colors",
	[VIEW_ROUGHNESS] = "roughness",
	[VIEW_METALLIC] = "metallic",
	[VIEW_OCCLUSION] = "occlusion",
	[VIEW_EMISSIVE] = "emissive",
	[VIEW_ALPHA] = "alpha",
	[VIEW_FACING] = "facing",
	[VIEW_PARTS] = "parts",
	[VIEW_MESHLETS] = "meshlets",
	[VIEW_LOD] = "lod",
	[VIEW_MIP] = "mip",
	[VIEW_WANTED] = "wanted",
	[VIEW_OVERDRAW] = "overdraw",
};

const char *view_mode_name(view_mode mode)
{
	return mode < VIEW_MODE_COUNT ? mode_names[mode] : "";
}

/// Whole numbers only, so that no locale's decimal comma has a say.
static bool read_count(const char *option, const char *text, uint32_t least, uint32_t most, uint32_t *count)
{
	char *end = NULL;
	errno = 0;
	unsigned long number = strtoul(text, &end, 10);
	if (*text < '0' || *text > '9' || *end != 0 || errno != 0 || number < least || number > most)
	{
		cli_error("view: --%s takes a number from %u to %u, not %s", option, least, most, text);
		return false;
	}
	*count = (uint32_t)number;
	return true;
}

/// A decimal number with a point, whatever the locale; NULL: there is none. At most 9 digits count.
static const char *read_number(const char *text, float *number)
{
	double value = 0.0, unit = 1.0;
	bool is_negative = *text == '-';
	uint32_t digits = 0;
	text += *text == '-' || *text == '+';
	for (bool is_fraction = false; (*text >= '0' && *text <= '9') || (*text == '.' && !is_fraction); ++text)
	{
		if (*text == '.')
		{
			is_fraction = true;
			continue;
		}
		value = value * 10.0 + (*text - '0');
		unit *= is_fraction ? 10.0 : 1.0;
		digits++;
	}
	*number = (float)((is_negative ? -value : value) / unit);
	return digits != 0 && digits < 16 ? text : NULL;
}

/// Numbers with commas between, up to `most`; how many, 0 when it is something else.
static uint32_t read_numbers(const char *text, float *numbers, uint32_t most)
{
	for (uint32_t i = 0; i < most; ++i)
	{
		text = read_number(text, &numbers[i]);
		if (text == NULL)
		{
			return 0;
		}
		if (*text == 0)
		{
			return i + 1;
		}
		if (*text++ != ',')
		{
			return 0;
		}
	}
	return 0;
}

static bool read_size(view_options *self, const char *text)
{
	char *end = NULL;
	unsigned long width = strtoul(text, &end, 10);
	// What strtoul passes over, white space and signs, is no size.
	unsigned long height = *end == 'x' && end[1] >= '0' && end[1] <= '9' ? strtoul(end + 1, &end, 10) : 0;
	if (*text < '0' || *text > '9' || *end != 0 || width < 1 || height < 1 || width > LARGEST_SIDE ||
		height > LARGEST_SIDE)
	{
		cli_error("view: --size takes WIDTHxHEIGHT in pixels, each from 1 to %d, not %s", LARGEST_SIDE, text);
		return false;
	}
	self->width = (uint32_t)width;
	self->height = (uint32_t)height;
	return true;
}

static bool read_camera(view_camera_desc *self, const char *text)
{
	float n[6] = { 0 };
	uint32_t count = 0;
	const char *colon = strchr(text, ':');
	size_t size = colon != NULL ? (size_t)(colon - text) : strlen(text);
	if (size == 3 && memcmp(text, "fit", 3) == 0)
	{
		count = colon != NULL ? read_numbers(colon + 1, n, 2) : 0;
		if (count == 2)
		{
			self->yaw = n[0] * RADIANS;
			self->pitch = n[1] * RADIANS;
		}
		self->kind = VIEW_CAMERA_FIT;
		if (colon == NULL || count == 2)
		{
			return true;
		}
	}
	else if (size == 5 && colon != NULL && memcmp(text, "orbit", 5) == 0)
	{
		count = read_numbers(colon + 1, n, 6);
		*self = (view_camera_desc){ .kind = VIEW_CAMERA_ORBIT,
			.yaw = n[0] * RADIANS,
			.pitch = n[1] * RADIANS,
			.distance = n[2],
			.has_target = count == 6,
			.target = { n[3], n[4], n[5] } };
		if ((count == 3 || count == 6) && n[2] > 0.0f)
		{
			return true;
		}
	}
	else if (size == 3 && colon != NULL && memcmp(text, "eye", 3) == 0)
	{
		count = read_numbers(colon + 1, n, 6);
		*self = (view_camera_desc){
			.kind = VIEW_CAMERA_EYE, .eye = { n[0], n[1], n[2] }, .has_target = true, .target = { n[3], n[4], n[5] }
		};
		if (count == 6)
		{
			return true;
		}
	}
	else if (size == 4 && memcmp(text, "file", 4) == 0)
	{
		*self = (view_camera_desc){ .kind = VIEW_CAMERA_FILE, .name = colon != NULL ? colon + 1 : "" };
		return true;
	}
	cli_error("view: --camera takes fit, fit:YAW,PITCH, orbit:YAW,PITCH,DISTANCE[,X,Y,Z], eye:X,Y,Z,X,Y,Z or "
			  "file[:NAME], not %s",
		text);
	return false;
}

static bool read_mode(view_options *self, const char *text)
{
	for (int i = 0; i < VIEW_MODE_COUNT; ++i)
	{
		if (strcmp(text, mode_names[i]) == 0)
		{
			self->mode = (view_mode)i;
			return true;
		}
	}
	char names[512] = "";
	size_t used = 0;
	for (int i = 0; i < VIEW_MODE_COUNT; ++i)
	{
		used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i == 0 ? "" : ", ", mode_names[i]);
	}
	cli_error("view: --view takes one of %s, not %s", names, text);
	return false;
}

/// "RRGGBB", as CSS writes it too, or "sky".
static bool read_background(view_options *self, const char *text)
{
	if (strcmp(text, "sky") == 0)
	{
		return true;
	}
	const char *digits = text + (text[0] == '#');
	unsigned long color = strtoul(digits, NULL, 16);
	if (strlen(digits) != 6 || strspn(digits, "0123456789abcdefABCDEF") != 6)
	{
		cli_error("view: --background takes sky or a colour as RRGGBB, not %s", text);
		return false;
	}
	self->has_background = true;
	for (int i = 0; i < 3; ++i)
	{
		self->background[i] = (float)(color >> (16 - 8 * i) & 255) / 255.0f;
	}
	return true;
}

static bool read_decimal(const char *option, const char *text, float least, float most, float *number)
{
	const char *end = read_number(text, number);
	if (end == NULL || *end != 0 || !(*number >= least && *number <= most))
	{
		cli_error("view: --%s takes a number from %g to %g, not %s", option, (double)least, (double)most, text);
		return false;
	}
	return true;
}

static bool saves_to_png(const char *path)
{
	size_t size = strlen(path);
	return size > 4 && strcasecmp(path + size - 4, ".png") == 0;
}

static bool read_numbers_of(view_options *self, const char *const *values)
{
	uint32_t budget = 0, lod = 0;
	float stops = 0.0f;
	bool good =
		(values[CLI_TURNTABLE] == NULL || read_count("turntable", values[CLI_TURNTABLE], 1, 3600, &self->turntable)) &&
		(values[CLI_BUDGET] == NULL || read_count("budget", values[CLI_BUDGET], 1, 1u << 20, &budget)) &&
		(values[CLI_FRAMES] == NULL || read_count("frames", values[CLI_FRAMES], 1, 1000000000, &self->frames)) &&
		(values[CLI_LOD] == NULL || read_count("lod", values[CLI_LOD], 0, LRD_MESH_MAX_LODS - 1, &lod)) &&
		(values[CLI_TIME] == NULL || read_decimal("time", values[CLI_TIME], 0.0f, 1e6f, &self->time)) &&
		(values[CLI_EXPOSURE] == NULL || read_decimal("exposure", values[CLI_EXPOSURE], -32.0f, 32.0f, &stops));
	self->budget = (uint64_t)budget << 20;
	self->lod = values[CLI_LOD] != NULL ? (int32_t)lod : -1;
	self->exposure = exp2f(stops);
	return good;
}

bool view_options_read(view_options *self, const cli_arguments *arguments)
{
	const char *const *values = arguments->values;
	*self = (view_options){
		.path = arguments->operands[0],
		.model = values[CLI_MODEL],
		.screenshot = values[CLI_SCREENSHOT],
		.width = 1280,
		.height = 720,
		.camera = { .yaw = 30.0f * RADIANS, .pitch = 20.0f * RADIANS },
		.watch = values[CLI_WATCH] != NULL,
		.clip = values[CLI_CLIP],
		.variant = values[CLI_VARIANT],
		.sky = values[CLI_SKY],
		.device = values[CLI_DEVICE],
		.uses_sets = values[CLI_SETS] != NULL,
		.validate = values[CLI_VALIDATE] != NULL,
		.json = values[CLI_JSON] != NULL,
		.quiet = values[CLI_QUIET] != NULL,
	};
	bool good = read_numbers_of(self, values) && (values[CLI_SIZE] == NULL || read_size(self, values[CLI_SIZE])) &&
				(values[CLI_CAMERA] == NULL || read_camera(&self->camera, values[CLI_CAMERA])) &&
				(values[CLI_VIEW] == NULL || read_mode(self, values[CLI_VIEW])) &&
				(values[CLI_BACKGROUND] == NULL || read_background(self, values[CLI_BACKGROUND]));
	self->camera.turns = self->turntable != 0;
	if (good && self->screenshot != NULL && !saves_to_png(self->screenshot))
	{
		cli_error("view: --screenshot takes a path that ends in .png, not %s", self->screenshot);
		good = false;
	}
	if (good && self->turntable != 0 && self->screenshot == NULL)
	{
		cli_error("view: --turntable needs --screenshot: where the pictures go, as turn.png, which become turn-000.png "
				  "and so on");
		good = false;
	}
	return good && cli_make_pool(arguments, &self->pool);
}

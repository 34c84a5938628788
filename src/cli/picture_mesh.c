// The sheet of `larder info --picture` for meshes and models: which panels, in which order, with which captions.

#include "cli/picture_mesh.h"

#include "cli/picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GAP 8u
#define COLUMNS 4u
#define CAPTION (2 * CLI_TEXT_HEIGHT + 8) // texels above a tile
#define CAPTION_SIZE 128
#define MORPHS_MAX 16u // tiles; more are left out
#define TILES_MAX (CLI_PANEL_COUNT + LRD_MESH_MAX_LODS + MORPHS_MAX)

static const cli_color background = { 40, 42, 46 };
static const cli_color ground = { 24, 25, 28 };
static const cli_color ink = { 225, 225, 225 };

static const char *const names[CLI_PANEL_COUNT] = {
	[CLI_PANEL_SHADED] = "shaded",
	[CLI_PANEL_BEHIND] = "behind",
	[CLI_PANEL_TEXTURED] = "textured",
	[CLI_PANEL_NORMALS] = "normals",
	[CLI_PANEL_TANGENTS] = "tangents",
	[CLI_PANEL_UV] = "uv",
	[CLI_PANEL_COLORS] = "colors",
	[CLI_PANEL_WEIGHTS] = "weights",
	[CLI_PANEL_PARTS] = "parts",
	[CLI_PANEL_MESHLETS] = "meshlets",
	[CLI_PANEL_LODS] = "lods",
	[CLI_PANEL_MORPHS] = "morphs",
};

typedef struct tile
{
	cli_panel panel;
	uint32_t index; ///< of the LOD, of the morph target
} tile;

typedef struct sheet
{
	cli_scene scene;
	tile tiles[TILES_MAX];
	uint32_t tile_count;
	uint32_t morph_count; ///< the most that a part has
	cli_camera front;
	cli_sheet texels;
	cli_canvas canvas;
} sheet;

static bool take_name(const char *name, size_t size, bool wanted[CLI_PANEL_COUNT], cli_panel *panel)
{
	for (int i = 0; i < CLI_PANEL_COUNT; ++i)
	{
		if (strlen(names[i]) == size && memcmp(names[i], name, size) == 0)
		{
			*panel = (cli_panel)i;
			bool is_new = !wanted[i];
			wanted[i] = true;
			return is_new;
		}
	}
	*panel = CLI_PANEL_COUNT;
	return false;
}

static void refuse(const char *name, int size)
{
	char known[CAPTION_SIZE] = "";
	for (int i = 0, end = 0; i < CLI_PANEL_COUNT; ++i)
	{
		const char *before = i == 0 ? "" : i == CLI_PANEL_COUNT - 1 ? " or " : ", ";
		end += snprintf(known + end, sizeof known - (size_t)end, "%s%s", before, names[i]);
	}
	cli_error("info: --show has no panel \"%.*s\"; expected %s", size, name, known);
}

/// The panels of a list of names, each once. False: there is none of a name, which was said.
static bool take_panels(const char *show, cli_panel panels[CLI_PANEL_COUNT], uint32_t *count)
{
	bool wanted[CLI_PANEL_COUNT] = { false };
	*count = 0;
	for (const char *name = show; name != NULL;)
	{
		size_t size = strcspn(name, ",");
		cli_panel panel;
		if (take_name(name, size, wanted, &panel))
		{
			panels[(*count)++] = panel;
		}
		if (panel == CLI_PANEL_COUNT)
		{
			refuse(name, (int)size);
			return false;
		}
		name = name[size] == ',' ? name + size + 1 : NULL;
	}
	return true;
}

bool cli_knows_panels(const char *show)
{
	cli_panel panels[CLI_PANEL_COUNT];
	uint32_t count;
	return take_panels(show, panels, &count);
}

/// What there is to see beside the surface.
typedef struct content
{
	bool has_uv, has_colors, has_skin;
} content;

static void look_at_meshlet(void *context, const cli_part *part, const lrd_meshlet *meshlet, const cli_vertex *vertices,
	const uint8_t *triangles)
{
	content *self = context;
	(void)triangles;
	self->has_skin = self->has_skin || part->values[LRD_VERTEX_JOINTS].data != NULL;
	for (uint32_t v = 0; v < meshlet->vertex_count; ++v)
	{
		const float *uv = vertices[v].uv[0], *color = vertices[v].color;
		self->has_uv = self->has_uv || uv[0] != 0.0f || uv[1] != 0.0f;
		self->has_colors = self->has_colors || color[0] != 1.0f || color[1] != 1.0f || color[2] != 1.0f;
	}
}

/// The panels that have something to show.
static void choose_panels(const sheet *self, cli_panel panels[CLI_PANEL_COUNT], uint32_t *count)
{
	content found = { false };
	const cli_pose rest = { 0 };
	cli_scene_walk(&self->scene, 0, &rest, look_at_meshlet, &found);
	bool has_material = false;
	for (uint32_t i = 0; i < self->scene.part_count; ++i)
	{
		has_material = has_material || (self->scene.root != NULL && self->scene.parts[i].material.size != 0);
	}
	const bool shown[CLI_PANEL_COUNT] = {
		[CLI_PANEL_SHADED] = true,
		[CLI_PANEL_BEHIND] = true,
		[CLI_PANEL_TEXTURED] = has_material,
		[CLI_PANEL_NORMALS] = true,
		[CLI_PANEL_TANGENTS] = true,
		[CLI_PANEL_UV] = found.has_uv,
		[CLI_PANEL_COLORS] = found.has_colors,
		[CLI_PANEL_WEIGHTS] = found.has_skin,
		[CLI_PANEL_PARTS] = self->scene.part_count > 1,
		[CLI_PANEL_MESHLETS] = true,
		[CLI_PANEL_LODS] = true,
		[CLI_PANEL_MORPHS] = self->morph_count != 0,
	};
	*count = 0;
	for (int i = 0; i < CLI_PANEL_COUNT; ++i)
	{
		if (shown[i])
		{
			panels[(*count)++] = (cli_panel)i;
		}
	}
}

static void add_tiles(sheet *self, cli_panel panel)
{
	uint32_t count = panel == CLI_PANEL_LODS     ? self->scene.lod_count
					 : panel == CLI_PANEL_MORPHS ? self->morph_count
												 : 1;
	count += count == 0; // a panel that was asked for is there, whatever it shows
	if (panel == CLI_PANEL_MORPHS && count > MORPHS_MAX)
	{
		cli_error("info: %s: the picture has the first %u of %u morph targets", self->scene.path, MORPHS_MAX, count);
		count = MORPHS_MAX;
	}
	for (uint32_t i = 0; i < count; ++i)
	{
		self->tiles[self->tile_count++] = (tile){ panel, i };
	}
}

static void find_morph_name(const cli_scene *scene, uint32_t morph, char *text, size_t size)
{
	for (uint32_t i = 0; i < scene->part_count; ++i)
	{
		if (morph < scene->parts[i].mesh->morph_count)
		{
			lrd_string name = lrd_mesh_morph_name(scene->parts[i].mesh, morph);
			snprintf(text, size, "morph %u%s%.*s", morph, name.size != 0 ? ": " : "",
				(int)(name.size < 64 ? name.size : 64), name.size != 0 ? name.data : "");
			return;
		}
	}
}

/// "12 triangles".
static void describe_count(char *text, const char *name, uint64_t count, const char *of)
{
	snprintf(text, CAPTION_SIZE, "%s: %llu %s%s", name, (unsigned long long)count, of, count == 1 ? "" : "s");
}

static void describe(const sheet *self, const tile *at, char text[CAPTION_SIZE])
{
	const cli_scene *scene = &self->scene;
	cli_lod_sum sum = cli_scene_sum(scene, at->panel == CLI_PANEL_LODS ? at->index : 0);
	const char *name = names[at->panel];
	char lod[CAPTION_SIZE / 2];
	snprintf(text, CAPTION_SIZE, "%s", name);
	switch (at->panel)
	{
	case CLI_PANEL_SHADED: describe_count(text, name, sum.triangles, "triangle"); break;
	case CLI_PANEL_BEHIND: snprintf(text, CAPTION_SIZE, "%s, from below", name); break;
	case CLI_PANEL_TANGENTS: snprintf(text, CAPTION_SIZE, "%s: striped mirror", name); break;
	case CLI_PANEL_UV: snprintf(text, CAPTION_SIZE, "%s: orange mirror, violet both, red twice", name); break;
	case CLI_PANEL_PARTS: snprintf(text, CAPTION_SIZE, "%s: %u", name, scene->part_count); break;
	case CLI_PANEL_MESHLETS: snprintf(text, CAPTION_SIZE, "%s: %llu", name, (unsigned long long)sum.meshlets); break;
	case CLI_PANEL_LODS:
		snprintf(lod, sizeof lod, "lod %u, error %.3g", at->index, (double)sum.error);
		describe_count(text, lod, sum.triangles, "triangle");
		break;
	case CLI_PANEL_MORPHS: find_morph_name(scene, at->index, text, CAPTION_SIZE); break;
	default: break;
	}
}

static bool draw_tile(sheet *self, const tile *at)
{
	const cli_pose pose = { at->panel == CLI_PANEL_MORPHS, at->index };
	cli_canvas_clear(&self->canvas, ground);
	if (at->panel == CLI_PANEL_UV)
	{
		return cli_draw_uv(&self->canvas, &self->scene);
	}
	cli_camera camera = self->front;
	if (at->panel == CLI_PANEL_BEHIND || at->panel == CLI_PANEL_MORPHS)
	{
		cli_camera_frame(&camera, &self->scene, &pose, at->panel == CLI_PANEL_BEHIND);
	}
	cli_draw_scene(&self->canvas, &self->scene, &camera, at->panel, at->index, &pose);
	return true;
}

static void paste(sheet *self, uint32_t number, uint32_t columns)
{
	uint32_t left = GAP + number % columns * (CLI_TILE + GAP);
	uint32_t top = GAP + number / columns * (CLI_TILE + CAPTION + GAP);
	char text[CAPTION_SIZE];
	describe(self, &self->tiles[number], text);
	uint32_t scale = strlen(text) * CLI_TEXT_ADVANCE * 2 <= CLI_TILE ? 2 : 1;
	uint32_t down = (2 - scale) * CLI_TEXT_HEIGHT / 2;
	cli_draw_text(&self->texels, left, top + down, scale, text, ink);
	size_t stride = (size_t)self->texels.width * 4;
	cli_canvas_resolve(&self->canvas, self->texels.rgba + (top + CAPTION) * stride + (size_t)left * 4, stride);
}

static bool make_sheet(sheet *self, uint32_t columns)
{
	uint32_t rows = (self->tile_count + columns - 1) / columns;
	cli_sheet *texels = &self->texels;
	texels->width = GAP + columns * (CLI_TILE + GAP);
	texels->height = GAP + rows * (CLI_TILE + CAPTION + GAP);
	size_t count = (size_t)texels->width * texels->height;
	texels->rgba = malloc(count * 4);
	bool good = texels->rgba != NULL && cli_canvas_make(&self->canvas, CLI_TILE);
	for (size_t i = 0; i < count && good; ++i)
	{
		const uint8_t texel[4] = { background.r, background.g, background.b, 255 };
		memcpy(texels->rgba + i * 4, texel, 4);
	}
	for (uint32_t i = 0; i < self->tile_count && good; ++i)
	{
		good = draw_tile(self, &self->tiles[i]);
		paste(self, i, columns);
	}
	if (!good)
	{
		cli_error("out of memory");
	}
	return good;
}

static bool save(const char *path, const cli_sheet *texels)
{
	return cli_save_pixels("info", path,
		&(lrd_pixels){
			.width = texels->width,
			.height = texels->height,
			.channels = LRD_CHANNELS_RGB,
			.data = texels->rgba,
			.size = (size_t)texels->width * texels->height * 4,
		});
}

static void choose_tiles(sheet *self, const char *show)
{
	cli_panel panels[CLI_PANEL_COUNT];
	uint32_t count = 0;
	for (uint32_t i = 0; i < self->scene.part_count; ++i)
	{
		uint32_t morphs = self->scene.parts[i].mesh->morph_count;
		self->morph_count = morphs > self->morph_count ? morphs : self->morph_count;
	}
	if (show != NULL)
	{
		take_panels(show, panels, &count);
	}
	else
	{
		choose_panels(self, panels, &count);
	}
	for (uint32_t i = 0; i < count; ++i)
	{
		add_tiles(self, panels[i]);
	}
}

bool cli_save_mesh_sheet(const char *path, const char *file, const char *show)
{
	sheet *self = calloc(1, sizeof *self);
	if (self == NULL)
	{
		cli_error("out of memory");
		return false;
	}
	bool good = cli_scene_open(&self->scene, file);
	if (good)
	{
		choose_tiles(self, show);
		cli_camera_frame(&self->front, &self->scene, &(const cli_pose){ 0 }, false);
		good = make_sheet(self, self->tile_count < COLUMNS ? self->tile_count : COLUMNS) && save(path, &self->texels);
	}
	free(self->texels.rgba);
	cli_canvas_free(&self->canvas);
	cli_scene_close(&self->scene);
	free(self);
	return good;
}

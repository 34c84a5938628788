// The panels that show the surface: each decides what a triangle's corners carry, and what colour that gives.

#include "cli/picture_mesh_draw.h"

#include <string.h>

#define STRIPE 6u    // samples a stripe of what is warned of
#define WIRE 1.6f    // samples that a line takes of each triangle
#define SPARSE 11.0f // samples a side, below which triangles have no lines

static const float clay[3] = { 0.60f, 0.54f, 0.48f };
static const cli_color warning[2] = { { 230, 30, 200 }, { 90, 0, 80 } };

cli_color cli_encode_color(const float linear[3])
{
	uint8_t codes[3];
	for (int i = 0; i < 3; ++i)
	{
		float c = linear[i] > 0.0f ? fminf(linear[i], 1.0f) : 0.0f; // NaN too
		c = c <= 0.0031308f ? c * 12.92f : 1.055f * powf(c, 1.0f / 2.4f) - 0.055f;
		codes[i] = (uint8_t)(c * 255.0f + 0.5f);
	}
	return (cli_color){ codes[0], codes[1], codes[2] };
}

static void distinct_color(uint32_t number, float rgb[3])
{
	uint32_t hue = number * 0x9e3779b1u >> 16; // the golden ratio of a turn further each time
	float level = 0.5f + 0.25f * (float)(number % 3);
	float at = (float)hue / 65536.0f * 6.0f;
	for (int i = 0; i < 3; ++i)
	{
		float from_peak = fabsf(fmodf(at + 6.0f - 2.0f * (float)i, 6.0f) - 3.0f) - 1.0f; // a triangle wave a channel
		float c = fminf(fmaxf(from_peak, 0.0f), 1.0f);
		rgb[i] = level * (0.12f + 0.88f * c);
	}
}

static void set_light(cli_drawing *self)
{
	for (int i = 0; i < 3; ++i)
	{
		self->to_eye[i] = (float)self->camera->back[i];
		self->to_light[i] =
			(float)(-0.50 * self->camera->right[i] + 0.62 * self->camera->up[i] + 0.60 * self->camera->back[i]);
		self->half_way[i] = self->to_eye[i] + self->to_light[i];
	}
	cli_normalize(self->to_light);
	cli_normalize(self->half_way);
}

void cli_light(const cli_drawing *self, const float normal[3], const float albedo[3], float rgb[3])
{
	float key = fmaxf(cli_dot(normal, self->to_light), 0.0f);
	float head = fmaxf(cli_dot(normal, self->to_eye), 0.0f);
	float gloss = fmaxf(cli_dot(normal, self->half_way), 0.0f);
	for (int i = 0; i < 4; ++i)
	{
		gloss *= gloss;
	}
	for (int i = 0; i < 3; ++i)
	{
		rgb[i] = albedo[i] * (0.10f + 0.75f * key + 0.15f * head) + 0.06f * gloss;
	}
}

static void enter_part(cli_drawing *self, const cli_part *part)
{
	self->part = part;
	self->is_double_sided = (part->mesh->flags & LRD_MESH_DOUBLE_SIDED) != 0;
	self->has_skin = part->values[LRD_VERTEX_JOINTS].data != NULL;
	memcpy(self->color, clay, sizeof clay);
	if (self->panel == CLI_PANEL_PARTS)
	{
		distinct_color(part->number, self->color);
	}
	if (self->panel == CLI_PANEL_TEXTURED)
	{
		cli_surface_open(&self->surface, self->scene, part->material);
		self->is_double_sided = self->is_double_sided || self->surface.is_double_sided;
	}
}

static bool is_striped(const cli_fragment *at, uint32_t width)
{
	return ((at->x + at->y) / width & 1u) != 0;
}

static cli_color from_direction(const float v[3])
{
	uint8_t codes[3];
	for (int i = 0; i < 3; ++i)
	{
		codes[i] = (uint8_t)(127.5f + 127.5f * fminf(fmaxf(v[i], -1.0f), 1.0f) + 0.5f);
	}
	return (cli_color){ codes[0], codes[1], codes[2] };
}

/// Backs in warning colours, unless they are meant to be seen; of those the normal is turned round.
static bool is_warned(const cli_drawing *self, const cli_fragment *at, float normal[3], cli_color *color)
{
	if (at->is_back && !self->is_double_sided)
	{
		*color = warning[is_striped(at, STRIPE)];
		return true;
	}
	float sign = at->is_back ? -1.0f : 1.0f;
	for (int i = 0; i < 3; ++i)
	{
		normal[i] = sign * at->values[CLI_AT_NORMAL + i];
	}
	cli_normalize(normal);
	return false;
}

static bool shade_lit(void *context, const cli_fragment *at, cli_color *color)
{
	const cli_drawing *self = context;
	float normal[3];
	if (!is_warned(self, at, normal, color))
	{
		float rgb[3];
		cli_light(self, normal, at->values + CLI_AT_COLOR, rgb);
		*color = cli_encode_color(rgb);
	}
	return true;
}

static bool shade_plain(void *context, const cli_fragment *at, cli_color *color)
{
	float normal[3];
	if (!is_warned(context, at, normal, color))
	{
		*color = cli_encode_color(at->values + CLI_AT_COLOR);
	}
	return true;
}

static bool shade_normals(void *context, const cli_fragment *at, cli_color *color)
{
	float normal[3];
	if (!is_warned(context, at, normal, color))
	{
		memcpy(normal, at->values + CLI_AT_NORMAL, sizeof normal); // as it is stored, on both sides
		cli_normalize(normal);
		*color = from_direction(normal);
	}
	return true;
}

static bool shade_tangents(void *context, const cli_fragment *at, cli_color *color)
{
	const cli_drawing *self = context;
	float tangent[3];
	if (is_warned(self, at, tangent, color))
	{
		return true;
	}
	memcpy(tangent, at->values + CLI_AT_TANGENT, sizeof tangent);
	cli_normalize(tangent);
	*color = from_direction(tangent);
	bool is_mirrored = (at->values[CLI_AT_TANGENT + 3] < 0.0f) != self->part->is_mirrored;
	if (is_mirrored && is_striped(at, STRIPE))
	{
		*color = (cli_color){ (uint8_t)(color->r / 3), (uint8_t)(color->g / 3), (uint8_t)(color->b / 3) };
	}
	return true;
}

static bool shade_textured(void *context, const cli_fragment *at, cli_color *color)
{
	float normal[3];
	return is_warned(context, at, normal, color) || cli_shade_surface(context, at, color);
}

/// Flat, with a line along each triangle's edges where triangles are large enough to have any inside.
static bool shade_wire(void *context, const cli_fragment *at, cli_color *color)
{
	const cli_drawing *self = context;
	shade_lit(context, at, color);
	float strength = 0.75f * self->wire * fminf(fmaxf(WIRE - at->edge, 0.0f), 1.0f);
	color->r = (uint8_t)((float)color->r * (1.0f - strength));
	color->g = (uint8_t)((float)color->g * (1.0f - strength));
	color->b = (uint8_t)((float)color->b * (1.0f - strength));
	return true;
}

/// What the corners of a vertex carry but its place.
static void set_values(const cli_drawing *self, const cli_vertex *vertex, float values[CLI_VALUES])
{
	memset(values, 0, CLI_VALUES * sizeof *values);
	memcpy(values + CLI_AT_NORMAL, vertex->normal, sizeof vertex->normal);
	memcpy(values + CLI_AT_TANGENT, vertex->tangent, sizeof vertex->tangent);
	memcpy(values + CLI_AT_COLOR, self->color, sizeof self->color);
	if (self->panel == CLI_PANEL_COLORS)
	{
		memcpy(values + CLI_AT_COLOR, vertex->color, sizeof self->color);
	}
	if (self->panel == CLI_PANEL_WEIGHTS && self->has_skin)
	{
		float sum[3] = { 0 };
		for (int j = 0; j < 4; ++j)
		{
			float joint[3];
			distinct_color(vertex->joints[j], joint);
			for (int i = 0; i < 3; ++i)
			{
				sum[i] += vertex->joint_weights[j] * joint[i];
			}
		}
		memcpy(values + CLI_AT_COLOR, sum, sizeof sum);
	}
}

static void flatten(const cli_vertex *const corners[3], float normal[3])
{
	double a[3], b[3], most = 0.0;
	for (int i = 0; i < 3; ++i)
	{
		a[i] = corners[1]->position[i] - corners[0]->position[i];
		b[i] = corners[2]->position[i] - corners[0]->position[i];
		most = fmax(most, fmax(fabs(a[i]), fabs(b[i])));
	}
	for (int i = 0; i < 3 && most > 0.0; ++i)
	{
		int j = (i + 1) % 3, k = (i + 2) % 3;
		normal[i] = (float)((a[j] / most) * (b[k] / most) - (a[k] / most) * (b[j] / most));
	}
}

/// Rather none than all lines, where triangles are a few samples large.
static float wire_strength(const cli_corner corners[3])
{
	float area = fabsf((corners[1].x - corners[0].x) * (corners[2].y - corners[0].y) -
					   (corners[2].x - corners[0].x) * (corners[1].y - corners[0].y));
	return fminf(area / (SPARSE * SPARSE), 1.0f);
}

static void draw_meshlet_triangle(cli_drawing *self, const cli_vertex *const corners[3], const cli_corner projected[3])
{
	static cli_shade *const shades[CLI_PANEL_COUNT] = {
		[CLI_PANEL_SHADED] = shade_lit,
		[CLI_PANEL_BEHIND] = shade_lit,
		[CLI_PANEL_TEXTURED] = shade_textured,
		[CLI_PANEL_NORMALS] = shade_normals,
		[CLI_PANEL_TANGENTS] = shade_tangents,
		[CLI_PANEL_COLORS] = shade_plain,
		[CLI_PANEL_WEIGHTS] = shade_lit,
		[CLI_PANEL_PARTS] = shade_lit,
		[CLI_PANEL_MESHLETS] = shade_lit,
		[CLI_PANEL_LODS] = shade_wire,
		[CLI_PANEL_MORPHS] = shade_lit,
	};
	cli_corner triangle[3];
	for (int i = 0; i < 3; ++i)
	{
		triangle[i] = projected[i];
		set_values(self, corners[i], triangle[i].values);
	}
	if (self->panel == CLI_PANEL_TEXTURED)
	{
		cli_surface_prepare(self, corners, triangle);
	}
	if (self->panel == CLI_PANEL_LODS)
	{
		float normal[3] = { 0 };
		flatten(corners, normal);
		self->wire = wire_strength(projected);
		for (int i = 0; i < 3; ++i)
		{
			memcpy(triangle[i].values + CLI_AT_NORMAL, normal, sizeof normal);
		}
	}
	cli_draw_triangle(self->canvas, triangle, shades[self->panel], self);
}

static void draw_meshlet(void *context, const cli_part *part, const lrd_meshlet *meshlet, const cli_vertex *vertices,
	const uint8_t *triangles)
{
	cli_drawing *self = context;
	bool is_seen[LRD_MESHLET_MAX_VERTICES];
	cli_corner corners[LRD_MESHLET_MAX_VERTICES];
	if (part != self->part)
	{
		enter_part(self, part);
	}
	if (self->panel == CLI_PANEL_MESHLETS)
	{
		distinct_color((uint32_t)(meshlet - part->mesh->meshlets), self->color);
	}
	for (uint32_t v = 0; v < meshlet->vertex_count; ++v)
	{
		is_seen[v] = cli_camera_project(self->camera, vertices[v].position, self->canvas->side, &corners[v]);
	}
	for (uint32_t t = 0; t < meshlet->triangle_count; ++t, triangles += 3)
	{
		// front faces of a mirrored part are clockwise
		const uint8_t order[3] = { triangles[0], triangles[part->is_mirrored ? 2 : 1],
			triangles[part->is_mirrored ? 1 : 2] };
		if (is_seen[order[0]] && is_seen[order[1]] && is_seen[order[2]])
		{
			const cli_vertex *at[3] = { &vertices[order[0]], &vertices[order[1]], &vertices[order[2]] };
			const cli_corner projected[3] = { corners[order[0]], corners[order[1]], corners[order[2]] };
			draw_meshlet_triangle(self, at, projected);
		}
	}
}

void cli_draw_scene(cli_canvas *canvas, const cli_scene *scene, const cli_camera *camera, cli_panel panel, uint32_t lod,
	const cli_pose *pose)
{
	cli_drawing self = { .canvas = canvas, .scene = scene, .camera = camera, .panel = panel };
	set_light(&self);
	cli_scene_walk(scene, lod, pose, draw_meshlet, &self);
	cli_surface_close(&self.surface);
}

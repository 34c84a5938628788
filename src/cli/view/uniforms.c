// What all shaders of a frame read: the camera, the sky, and the lights of the file. The structure is that of shaders/common.glsl.

#include "cli/view/render.h"

#include <math.h>
#include <string.h>

#define LIGHTS_MOST 32

typedef struct light_row
{
	float position[4];
	float direction[4];
	float color[4];
	float more[4];
} light_row;

typedef struct uniform_rows
{
	float view_projection[16];
	float view[16];
	float unproject[16];
	float eye[4];
	float back[4];
	float sky[4];
	float background[4];
	float size[4];
	uint32_t shown[4];
	light_row lights[LIGHTS_MOST];
} uniform_rows;

size_t view_uniforms_size(void)
{
	return sizeof(uniform_rows);
}

static void write_light(light_row *row, const lrd_model_light *light, const lrd_mat4 *node)
{
	lrd_vec3 way = view_normalize((lrd_vec3){ -node->m[8], -node->m[9], -node->m[10] });
	*row = (light_row){ { node->m[12], node->m[13], node->m[14], light->range },
		{ way.x, way.y, way.z, (float)light->type },
		{ light->color[0] * light->intensity, light->color[1] * light->intensity, light->color[2] * light->intensity,
			cosf(light->inner_cone) },
		{ cosf(light->outer_cone), 0, 0, 0 } };
}

/// What a pixel's place in clip space, with 1 as its third, points at: the columns are the picture's right, up and middle.
static void write_unproject(float *m, const view_camera *camera, float aspect)
{
	float up = camera->is_orthographic ? 0.0f : tanf(camera->vertical * 0.5f), right = up * aspect;
	const lrd_vec3 columns[3] = { view_scale(camera->right, right), view_scale(camera->up, up),
		view_scale(camera->back, -1.0f) };
	for (int i = 0; i < 3; ++i)
	{
		m[i * 4] = columns[i].x;
		m[i * 4 + 1] = columns[i].y;
		m[i * 4 + 2] = columns[i].z;
	}
	m[15] = 1.0f;
}

static float decode_srgb(float c)
{
	return c <= 0.04045f ? c / 12.92f : powf((c + 0.055f) / 1.055f, 2.4f);
}

static void write_sky(uniform_rows *rows, const view_sky *sky, const view_options *options, view_mode mode)
{
	memcpy(rows->sky, (float[]){ sky->last_level, 0.0f, options->exposure, sky->background_level }, sizeof rows->sky);
	if (options->has_background || mode != VIEW_SHADED)
	{
		for (int i = 0; i < 3; ++i)
		{
			rows->background[i] = decode_srgb(options->has_background ? options->background[i] : 0.18f);
		}
		rows->background[3] = 1.0f;
	}
}

/// In the table, of a texture that is shown by itself.
static uint32_t place_of_texture(const view_renderer *self, uint32_t slot)
{
	VkImageView view;
	VkSampler sampler;
	uint32_t index = 0;
	if (!self->pipelines.has_table || !view_map_find(self, slot, &view, &sampler))
	{
		return VIEW_NO_MAP;
	}
	while (index + 1 < LRD_VULKAN_SAMPLER_COUNT && lrd_gpu_vulkan_sampler(self->gpu, index) != sampler)
	{
		index++;
	}
	return VIEW_MAP(slot, index);
}

void view_uniforms_write(const view_renderer *self, const view_picture *picture, void *uniforms)
{
	uniform_rows rows = { 0 };
	const view_camera *camera = picture->camera;
	float width = (float)self->targets.width, height = (float)self->targets.height;
	float aspect = camera->aspect > 0.0f ? camera->aspect : width / height;
	lrd_mat4 view = view_camera_view(camera), projection = view_camera_projection(camera, aspect);
	lrd_mat4 both = view_multiply(&projection, &view);
	memcpy(rows.view_projection, both.m, sizeof rows.view_projection);
	memcpy(rows.view, view.m, sizeof rows.view);
	write_unproject(rows.unproject, camera, aspect);
	memcpy(rows.eye, (float[]){ camera->eye.x, camera->eye.y, camera->eye.z, camera->is_orthographic ? 0.0f : 1.0f },
		sizeof rows.eye);
	memcpy(rows.back, (float[]){ camera->back.x, camera->back.y, camera->back.z, 1.0f / height }, sizeof rows.back);
	memcpy(rows.size, (float[]){ width, height, 1.0f / width, 1.0f / height }, sizeof rows.size);
	write_sky(&rows, picture->sky, picture->options, picture->mode);
	rows.shown[0] = place_of_texture(self, picture->texture_slot);
	const lrd_model_view *model = picture->scene->model != NULL ? &picture->scene->model->view : NULL;
	uint32_t lights = 0;
	for (uint32_t i = 0; model != NULL && i < model->light_count && lights < LIGHTS_MOST; ++i)
	{
		if (model->lights[i].node < picture->scene->node_count)
		{
			write_light(&rows.lights[lights++], &model->lights[i], &picture->scene->nodes[model->lights[i].node]);
		}
	}
	if (lights < LIGHTS_MOST)
	{
		rows.lights[lights].direction[3] = -1.0f; // the end
	}
	memcpy(uniforms, &rows, sizeof rows);
}

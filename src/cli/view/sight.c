// What is seen, how near it is, and how fine its textures should be for that.

#include "cli/view/session.h"

#include <math.h>

#define UNSEEN_PRIORITY (-10) // of what is outside the picture: it may turn up in the next one

void view_sight_make(view_sight *self, const view_camera *camera, uint32_t width, uint32_t height)
{
	float aspect = camera->aspect > 0.0f ? camera->aspect : (float)width / (float)height;
	lrd_mat4 view = view_camera_view(camera), projection = view_camera_projection(camera, aspect);
	const lrd_mat4 clip = view_multiply(&projection, &view);
	*self = (view_sight){ .eye = camera->eye,
		.back = camera->back,
		.pixels_per_unit = view_camera_pixels_per_unit(camera, (float)height),
		.is_orthographic = camera->is_orthographic };
	for (int side = 0; side < 5; ++side)
	{
		float *plane = self->planes[side];
		for (int i = 0; i < 4; ++i)
		{
			float w = clip.m[i * 4 + 3], row = clip.m[i * 4 + side / 2];
			plane[i] = side == 4 ? w - clip.m[i * 4 + 2] : side % 2 == 0 ? w + row : w - row;
		}
		float length = sqrtf(plane[0] * plane[0] + plane[1] * plane[1] + plane[2] * plane[2]);
		for (int i = 0; i < 4; ++i)
		{
			plane[i] = length > 0.0f ? plane[i] / length : 0.0f; // nothing is beyond one that is nowhere
		}
	}
}

static bool is_outside(const view_sight *self, lrd_vec3 centre, float radius)
{
	for (int side = 0; side < 5; ++side)
	{
		const float *plane = self->planes[side];
		float distance = plane[0] * centre.x + plane[1] * centre.y + plane[2] * centre.z + plane[3];
		if (distance < -radius * 1.0001f)
		{
			return true;
		}
	}
	return false;
}

bool view_sight_place(const view_sight *self, const view_scene *scene, view_part *part, const lrd_bounds *bounds)
{
	// A pose may leave the box that a mesh has at rest, and even that of the model.
	lrd_vec3 centre = part->is_posed ? scene->bounds.centre : view_transform_point(&part->world, bounds->centre);
	float radius = part->is_posed ? scene->bounds.radius : bounds->radius * part->scale;
	lrd_vec3 from_eye = view_subtract(centre, self->eye);
	part->distance = fmaxf(view_length(from_eye) - radius, 0.0f);
	part->depth = -view_dot(from_eye, self->back);
	return part->is_posed || !is_outside(self, centre, radius);
}

/// What a part sees of its material's textures: thousands of parts may share one.
static void note_part(view_scene *scene, const lrd_residents *residents, const view_sight *sight, view_part *part)
{
	const lrd_resident_mesh *mesh = lrd_residents_get_mesh(residents, part->mesh);
	if (mesh == NULL || mesh->lod_count == 0 || part->material >= scene->want_count)
	{
		return;
	}
	view_want *want = &scene->wants[part->material];
	bool is_seen = view_sight_place(sight, scene, part, &mesh->bounds);
	float distance = sight->is_orthographic ? 1.0f : part->distance;
	for (uint32_t set = 0; set < 2; ++set)
	{
		float density = mesh->uv_density[set];
		// Everything where nothing is known of how textures lie.
		float texels = density > 0.0f && part->scale > 0.0f ? density / part->scale * distance : 0.0f;
		want->texels[set] = want->is_wanted ? fminf(want->texels[set], texels) : texels;
	}
	want->is_seen = want->is_seen || is_seen;
	want->is_wanted = true;
}

static void demand_material(view_session *self, const view_sight *sight, uint32_t index)
{
	const view_want *want = &self->scene.wants[index];
	const lrd_resident_material *material = lrd_residents_get_material(self->residents, index);
	for (uint32_t i = 0; want->is_wanted && material != NULL && i < LRD_SLOT_COUNT; ++i)
	{
		lrd_resident_texture resident;
		const lrd_material_texture *texture = &material->textures[i];
		uint32_t slot = material->slots[i];
		if (slot != LRD_GPU_NO_SLOT && lrd_residents_get_texture(self->residents, slot, &resident))
		{
			float side = (float)(resident.width > resident.height ? resident.width : resident.height);
			float repeats = fmaxf(fabsf(texture->uv_scale[0]), fabsf(texture->uv_scale[1]));
			float texels = want->texels[texture->uv_set == 1] * side * repeats;
			uint32_t level = lrd_stream_level(texels, 1.0f, sight->pixels_per_unit);
			lrd_stream_demand(self->stream, slot, level, want->is_seen ? 0 : UNSEEN_PRIORITY);
		}
	}
}

void view_session_demand(view_session *self)
{
	view_scene *scene = &self->scene;
	view_sight sight;
	view_sight_make(&sight, &self->camera, self->renderer.targets.width, self->renderer.targets.height);
	for (uint32_t i = 0; i < scene->want_count; ++i)
	{
		scene->wants[i] = (view_want){ 0 };
	}
	for (uint32_t i = 0; i < scene->part_count; ++i)
	{
		note_part(scene, self->residents, &sight, &scene->parts[i]);
	}
	for (uint32_t i = 0; i < scene->want_count; ++i)
	{
		demand_material(self, &sight, i);
	}
	const uint32_t whole[] = { self->sky.slot, self->texture_slot };
	for (uint32_t i = 0; i < 2; ++i)
	{
		if (whole[i] != LRD_GPU_NO_SLOT)
		{
			lrd_stream_demand_all(self->stream, whole[i], 0);
		}
	}
}

// Cameras: orbiting around a point, flying, or standing where the file says.

#include "cli/view/view.h"

#include <math.h>
#include <string.h>

#define FIELD_OF_VIEW 0.7853982f // 45 degrees
#define NEAREST 1e-3f            // of the distance to what is looked at, the near plane's
#define FILLED 0.94f             // of the picture, by what is fitted into it
#define SIDES 36                 // that a turntable is looked at from
#define STEEPEST 1.5533431f      // 89 degrees

void view_camera_steer(view_camera *self)
{
	self->pitch = fminf(fmaxf(self->pitch, -STEEPEST), STEEPEST);
	float cy = cosf(self->yaw), sy = sinf(self->yaw), cp = cosf(self->pitch), sp = sinf(self->pitch);
	self->back = (lrd_vec3){ sy * cp, sp, cy * cp };
	self->right = (lrd_vec3){ cy, 0.0f, -sy };
	self->up = view_cross(self->back, self->right);
	if (self->is_flying)
	{
		self->target = view_subtract(self->eye, view_scale(self->back, self->distance));
	}
	else
	{
		self->eye = view_add(self->target, view_scale(self->back, self->distance));
	}
	self->near_plane = fmaxf(self->distance * NEAREST, 1e-6f);
	self->is_moved = true;
}

/// The distance from which a sphere fills the picture.
static float distance_to_sphere(float radius, float vertical, float aspect)
{
	float half = vertical * 0.5f;
	if (aspect < 1.0f)
	{
		half = atanf(tanf(half) * aspect);
	}
	return radius / sinf(half);
}

/// The distance from the target at which every corner of a box is in the picture, seen from where the camera is turned to.
static float distance_to_box(const view_camera *self, const lrd_bounds *bounds, float aspect)
{
	float high = tanf(self->vertical * 0.5f) * FILLED, wide = high * aspect, distance = 0.0f;
	for (uint32_t i = 0; i < 8; ++i)
	{
		const lrd_vec3 corner = { (i & 1) != 0 ? bounds->max.x : bounds->min.x,
			(i & 2) != 0 ? bounds->max.y : bounds->min.y, (i & 4) != 0 ? bounds->max.z : bounds->min.z };
		lrd_vec3 way = view_subtract(corner, self->target);
		float nearer = view_dot(way, self->back);
		distance = fmaxf(distance, nearer + fabsf(view_dot(way, self->right)) / wide);
		distance = fmaxf(distance, nearer + fabsf(view_dot(way, self->up)) / high);
	}
	return distance;
}

/// Everything is seen, from where it is turned to or, of a turntable, from all around.
static void fit(view_camera *self, const view_camera_desc *desc, const view_scene *scene, float aspect)
{
	const lrd_bounds *bounds = &scene->bounds;
	float radius = bounds->radius > 0.0f && isfinite(bounds->radius) ? bounds->radius : 1.0f;
	float distance = 0.0f;
	for (uint32_t i = 0; i < (desc->turns ? SIDES : 1); ++i)
	{
		self->yaw = desc->yaw + (float)i * (6.2831853f / SIDES);
		view_camera_steer(self);
		distance = fmaxf(distance, distance_to_box(self, bounds, aspect));
	}
	self->yaw = desc->yaw;
	bool is_box = distance > 0.0f && isfinite(distance);
	self->distance = is_box ? distance : distance_to_sphere(radius, self->vertical, aspect);
}

void view_camera_take_file(view_camera *self, const view_scene *scene, uint32_t index)
{
	const lrd_model_camera *from = &scene->model->view.cameras[index];
	lrd_mat4 node = from->node < scene->node_count ? scene->nodes[from->node] : view_identity();
	self->eye = (lrd_vec3){ node.m[12], node.m[13], node.m[14] };
	self->back = view_normalize((lrd_vec3){ node.m[8], node.m[9], node.m[10] });
	self->right = view_normalize(view_cross((lrd_vec3){ node.m[4], node.m[5], node.m[6] }, self->back));
	self->up = view_cross(self->back, self->right);
	self->is_orthographic = from->type == LRD_CAMERA_ORTHOGRAPHIC;
	self->vertical = from->vertical;
	self->aspect = from->aspect;
	self->near_plane = from->near_plane;
	self->far_plane = from->far_plane;
	self->is_flying = true;
	self->yaw = atan2f(self->back.x, self->back.z);
	self->pitch = asinf(fminf(fmaxf(self->back.y, -1.0f), 1.0f));
	self->distance = fmaxf(view_length(view_subtract(scene->bounds.centre, self->eye)), 1e-3f);
	self->target = view_subtract(self->eye, view_scale(self->back, self->distance)); // when it begins to orbit
	self->index = index;
	self->is_moved = false;
}

static bool take_file_camera(view_camera *self, const char *name, const view_scene *scene)
{
	const lrd_model_view *model = scene->model != NULL ? &scene->model->view : NULL;
	uint32_t index = LRD_NO_INDEX;
	if (model != NULL)
	{
		index = name[0] == 0 && model->camera_count != 0 ? 0 : lrd_model_find_camera(model, lrd_string_from(name));
	}
	if (index == LRD_NO_INDEX)
	{
		view_names names = { .count = 0 };
		for (uint32_t i = 0; model != NULL && i < model->camera_count; ++i)
		{
			view_names_add(&names, lrd_model_text(model, model->cameras[i].name));
		}
		view_names_say(&names, model != NULL ? "the model" : "a texture", "camera", name);
		return false;
	}
	view_camera_take_file(self, scene, index);
	return true;
}

bool view_camera_make(
	view_camera *self, const view_camera_desc *desc, const view_scene *scene, float aspect, bool has_file)
{
	*self = (view_camera){ .vertical = FIELD_OF_VIEW, .index = LRD_NO_INDEX };
	if (has_file && desc->kind == VIEW_CAMERA_FILE)
	{
		return take_file_camera(self, desc->name, scene);
	}
	self->target = desc->has_target ? desc->target : scene->bounds.centre;
	self->yaw = desc->yaw;
	self->pitch = desc->pitch;
	self->distance = desc->distance;
	if (desc->kind == VIEW_CAMERA_FIT || desc->distance <= 0.0f)
	{
		fit(self, desc, scene, aspect);
	}
	if (desc->kind == VIEW_CAMERA_EYE)
	{
		lrd_vec3 back = view_subtract(desc->eye, desc->target);
		self->distance = fmaxf(view_length(back), 1e-6f);
		back = view_scale(back, 1.0f / self->distance);
		self->yaw = atan2f(back.x, back.z);
		self->pitch = asinf(fminf(fmaxf(back.y, -1.0f), 1.0f));
	}
	view_camera_steer(self);
	return true;
}

lrd_mat4 view_camera_view(const view_camera *self)
{
	const lrd_vec3 axes[3] = { self->right, self->up, self->back };
	lrd_mat4 view = view_identity();
	for (int i = 0; i < 3; ++i)
	{
		view.m[i] = axes[i].x;
		view.m[4 + i] = axes[i].y;
		view.m[8 + i] = axes[i].z;
		view.m[12 + i] = -view_dot(axes[i], self->eye);
	}
	return view;
}

lrd_mat4 view_camera_projection(const view_camera *self, float aspect)
{
	if (self->is_orthographic)
	{
		float near_plane = self->near_plane, far_plane = fmaxf(self->far_plane, near_plane + 1e-3f);
		float depth = 1.0f / (far_plane - near_plane);
		return (lrd_mat4){ { 1.0f / (self->vertical * aspect), 0, 0, 0, 0, 1.0f / self->vertical, 0, 0, 0, 0, depth, 0,
			0, 0, far_plane * depth, 1 } };
	}
	float scale = 1.0f / tanf(self->vertical * 0.5f);
	return (lrd_mat4){ { scale / aspect, 0, 0, 0, 0, scale, 0, 0, 0, 0, 0, -1, 0, 0, self->near_plane, 0 } };
}

float view_camera_pixels_per_unit(const view_camera *self, float height)
{
	return self->is_orthographic ? height / (2.0f * self->vertical) : height / (2.0f * tanf(self->vertical * 0.5f));
}

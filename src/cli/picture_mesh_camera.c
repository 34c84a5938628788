// Where the eye stands: far enough to see all, so that nothing has to be clipped.

#include "cli/picture_mesh.h"

#include <math.h>

#define OPENING 0.25     // tangent of half the angle of view
#define FRAMED 0.92      // of the picture's width that a scene takes
#define NEAREST 0.25     // that the eye comes to anything
#define FACES_AWAY -0.25 // mean of the cosines of what faces the other side

/// From the front: 30 degrees to the right and 20 above.
static const double front_right[3] = { 0.86602540378443865, 0.0, -0.5 };
static const double front_up[3] = { -0.17101007166283436, 0.93969262078590838, -0.29619813272602386 };
static const double front_back[3] = { 0.46984631039295419, 0.34202014332566873, 0.81379768134937369 };

static double dot(const double a[3], const double b[3])
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static bool is_finite(const double p[3])
{
	return isfinite(p[0]) && isfinite(p[1]) && isfinite(p[2]);
}

/// What is known before a side is chosen.
typedef struct survey
{
	double min[3], max[3];
	double facing[3]; ///< normals by area
	double area;
} survey;

static void survey_triangle(survey *self, const cli_vertex *a, const cli_vertex *b, const cli_vertex *c)
{
	double ab[3], ac[3];
	for (int i = 0; i < 3; ++i)
	{
		ab[i] = b->position[i] - a->position[i];
		ac[i] = c->position[i] - a->position[i];
	}
	const double normal[3] = { ab[1] * ac[2] - ab[2] * ac[1], ab[2] * ac[0] - ab[0] * ac[2],
		ab[0] * ac[1] - ab[1] * ac[0] };
	double area = sqrt(dot(normal, normal));
	for (int i = 0; i < 3; ++i)
	{
		self->facing[i] += area * ((double)a->normal[i] + (double)b->normal[i] + (double)c->normal[i]);
	}
	self->area += 3.0 * area;
}

static void survey_meshlet(void *context, const cli_part *part, const lrd_meshlet *meshlet, const cli_vertex *vertices,
	const uint8_t *triangles)
{
	survey *self = context;
	(void)part;
	for (uint32_t v = 0; v < meshlet->vertex_count; ++v)
	{
		for (int i = 0; i < 3 && is_finite(vertices[v].position); ++i)
		{
			self->min[i] = fmin(self->min[i], vertices[v].position[i]);
			self->max[i] = fmax(self->max[i], vertices[v].position[i]);
		}
	}
	for (uint32_t t = 0; t < meshlet->triangle_count; ++t, triangles += 3)
	{
		survey_triangle(self, &vertices[triangles[0]], &vertices[triangles[1]], &vertices[triangles[2]]);
	}
}

/// What a pyramid from the eye has to hold: along each axis how far the sides that lie at OPENING reach.
typedef struct fit
{
	const cli_camera *camera;
	double most[2]; ///< of right, up
	double least[2];
	double nearest;
} fit;

static void to_camera(const cli_camera *self, const double position[3], double seen[3])
{
	double relative[3];
	for (int i = 0; i < 3; ++i)
	{
		relative[i] = (position[i] - self->origin[i]) * self->scale;
	}
	seen[0] = dot(relative, self->right);
	seen[1] = dot(relative, self->up);
	seen[2] = dot(relative, self->back);
}

static void fit_meshlet(void *context, const cli_part *part, const lrd_meshlet *meshlet, const cli_vertex *vertices,
	const uint8_t *triangles)
{
	fit *self = context;
	(void)part;
	(void)triangles;
	for (uint32_t v = 0; v < meshlet->vertex_count; ++v)
	{
		double seen[3];
		to_camera(self->camera, vertices[v].position, seen);
		for (int axis = 0; axis < 2 && is_finite(seen); ++axis)
		{
			self->most[axis] = fmax(self->most[axis], seen[axis] + OPENING * FRAMED * seen[2]);
			self->least[axis] = fmin(self->least[axis], seen[axis] - OPENING * FRAMED * seen[2]);
			self->nearest = fmax(self->nearest, seen[2]);
		}
	}
}

static void turn(cli_camera *self, bool opposite)
{
	for (int i = 0; i < 3; ++i)
	{
		self->right[i] = opposite ? -front_right[i] : front_right[i];
		self->up[i] = front_up[i];
		self->back[i] = opposite ? -front_back[i] : front_back[i];
	}
}

void cli_camera_frame(cli_camera *self, const cli_scene *scene, const cli_pose *pose, bool behind)
{
	survey all = { .min = { INFINITY, INFINITY, INFINITY }, .max = { -INFINITY, -INFINITY, -INFINITY } };
	cli_scene_walk(scene, 0, pose, survey_meshlet, &all);
	*self = (cli_camera){ .scale = 1.0 };
	double size = 0.0;
	for (int i = 0; i < 3 && all.min[i] <= all.max[i]; ++i)
	{
		self->origin[i] = all.min[i] * 0.5 + all.max[i] * 0.5;
		size = fmax(size, all.max[i] - all.min[i]);
	}
	self->scale = size > 0.0 && isfinite(1.0 / size) ? 1.0 / size : 1.0;
	turn(self, (dot(all.facing, front_back) < FACES_AWAY * all.area) != behind);
	fit room = {
		.camera = self,
		.most = { -INFINITY, -INFINITY },
		.least = { INFINITY, INFINITY },
		.nearest = -INFINITY,
	};
	cli_scene_walk(scene, 0, pose, fit_meshlet, &room);
	if (isfinite(room.nearest))
	{
		self->eye[2] = room.nearest + NEAREST;
		for (int axis = 0; axis < 2; ++axis)
		{
			self->eye[axis] = (room.most[axis] + room.least[axis]) / 2;
			self->eye[2] = fmax(self->eye[2], (room.most[axis] - room.least[axis]) / (2 * OPENING * FRAMED));
		}
	}
	else
	{
		self->eye[2] = 1.0;
	}
}

bool cli_camera_project(const cli_camera *self, const double position[3], uint32_t side, cli_corner *corner)
{
	double seen[3];
	to_camera(self, position, seen);
	double distance = self->eye[2] - seen[2];
	if (!is_finite(seen) || !(distance > 0.0))
	{
		return false;
	}
	corner->x = (float)(side * 0.5 * (1.0 + (seen[0] - self->eye[0]) / (OPENING * distance)));
	corner->y = (float)(side * 0.5 * (1.0 - (seen[1] - self->eye[1]) / (OPENING * distance)));
	corner->nearness = (float)(1.0 / distance);
	return true;
}

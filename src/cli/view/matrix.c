// Vectors and matrices of the viewer.

#include "cli/view/view.h"

#include <math.h>

lrd_vec3 view_add(lrd_vec3 a, lrd_vec3 b)
{
	return (lrd_vec3){ a.x + b.x, a.y + b.y, a.z + b.z };
}

lrd_vec3 view_subtract(lrd_vec3 a, lrd_vec3 b)
{
	return (lrd_vec3){ a.x - b.x, a.y - b.y, a.z - b.z };
}

lrd_vec3 view_scale(lrd_vec3 a, float s)
{
	return (lrd_vec3){ a.x * s, a.y * s, a.z * s };
}

lrd_vec3 view_cross(lrd_vec3 a, lrd_vec3 b)
{
	return (lrd_vec3){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}

float view_dot(lrd_vec3 a, lrd_vec3 b)
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}

float view_length(lrd_vec3 a)
{
	return sqrtf(view_dot(a, a));
}

lrd_vec3 view_normalize(lrd_vec3 a)
{
	float length = view_length(a);
	return length > 0.0f ? view_scale(a, 1.0f / length) : a;
}

lrd_mat4 view_identity(void)
{
	return (lrd_mat4){ { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1 } };
}

lrd_mat4 view_multiply(const lrd_mat4 *a, const lrd_mat4 *b)
{
	lrd_mat4 product;
	for (int column = 0; column < 4; ++column)
	{
		for (int row = 0; row < 4; ++row)
		{
			float sum = 0.0f;
			for (int i = 0; i < 4; ++i)
			{
				sum += a->m[i * 4 + row] * b->m[column * 4 + i];
			}
			product.m[column * 4 + row] = sum;
		}
	}
	return product;
}

lrd_mat4 view_from_transform(const lrd_transform *transform)
{
	lrd_vec4 q = transform->rotation;
	lrd_vec3 s = transform->scale, t = transform->translation;
	return (lrd_mat4){ {
		(1 - 2 * (q.y * q.y + q.z * q.z)) * s.x,
		2 * (q.x * q.y + q.w * q.z) * s.x,
		2 * (q.x * q.z - q.w * q.y) * s.x,
		0,
		2 * (q.x * q.y - q.w * q.z) * s.y,
		(1 - 2 * (q.x * q.x + q.z * q.z)) * s.y,
		2 * (q.y * q.z + q.w * q.x) * s.y,
		0,
		2 * (q.x * q.z + q.w * q.y) * s.z,
		2 * (q.y * q.z - q.w * q.x) * s.z,
		(1 - 2 * (q.x * q.x + q.y * q.y)) * s.z,
		0,
		t.x,
		t.y,
		t.z,
		1,
	} };
}

static lrd_vec3 column(const lrd_mat4 *a, int i)
{
	return (lrd_vec3){ a->m[i * 4], a->m[i * 4 + 1], a->m[i * 4 + 2] };
}

float view_determinant(const lrd_mat4 *a)
{
	return view_dot(column(a, 0), view_cross(column(a, 1), column(a, 2)));
}

float view_largest_scale(const lrd_mat4 *a)
{
	return fmaxf(view_length(column(a, 0)), fmaxf(view_length(column(a, 1)), view_length(column(a, 2))));
}

lrd_vec3 view_transform_point(const lrd_mat4 *a, lrd_vec3 p)
{
	return view_add(view_transform_vector(a, p), column(a, 3));
}

lrd_vec3 view_transform_vector(const lrd_mat4 *a, lrd_vec3 v)
{
	return view_add(
		view_scale(column(a, 0), v.x), view_add(view_scale(column(a, 1), v.y), view_scale(column(a, 2), v.z)));
}

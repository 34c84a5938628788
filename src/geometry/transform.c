// geometry/transform.c: moving a geometry by a matrix.

#include "geometry/vertices.h"

// A 3x3 in doubles, by columns: products of two floats neither overflow nor vanish there.
typedef struct linear
{
	double column[3][3];
} linear;

static void linear_apply(const linear *map, lrd_vec3 v, double moved[3])
{
	for (int row = 0; row < 3; row++)
	{
		moved[row] =
			map->column[0][row] * (double)v.x + map->column[1][row] * (double)v.y + map->column[2][row] * (double)v.z;
	}
}

static linear linear_of(const lrd_mat4 *matrix)
{
	linear map;
	for (int column = 0; column < 3; column++)
	{
		for (int row = 0; row < 3; row++)
		{
			map.column[column][row] = (double)matrix->m[column * 4 + row];
		}
	}
	return map;
}

static void cross3(const double a[3], const double b[3], double out[3])
{
	out[0] = a[1] * b[2] - a[2] * b[1];
	out[1] = a[2] * b[0] - a[0] * b[2];
	out[2] = a[0] * b[1] - a[1] * b[0];
}

// The cofactors, which are the inverse transpose times the determinant, with the determinant's sign taken out again:
// how normals move, also where the inverse does not exist.
static linear normal_map_of(const linear *map, double *determinant)
{
	linear normal_map;
	for (int column = 0; column < 3; column++)
	{
		cross3(map->column[(column + 1) % 3], map->column[(column + 2) % 3], normal_map.column[column]);
	}
	const double *first = map->column[0];
	const double *cofactors = normal_map.column[0];
	*determinant = first[0] * cofactors[0] + first[1] * cofactors[1] + first[2] * cofactors[2];
	for (int i = 0; *determinant < 0.0 && i < 9; i++)
	{
		normal_map.column[i / 3][i % 3] *= -1.0;
	}
	return normal_map;
}

static double length3(const double v[3])
{
	return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static float *normal_deltas(const lrd_geometry_morph *morph)
{
	return morph->normals;
}

static float *tangent_deltas(const lrd_geometry_morph *morph)
{
	return morph->tangents;
}

// Unit vectors of a geometry, and the deltas its morph targets add to them.
typedef struct directions
{
	float *values; // NULL: only the deltas are there
	size_t stride; // floats
	float *(*deltas)(const lrd_geometry_morph *morph);
} directions;

static void store_scaled(float *to, const double moved[3], double length)
{
	for (int axis = 0; axis < 3; axis++)
	{
		to[axis] = (float)(moved[axis] / length);
	}
}

// The length that a unit vector has on the average after the map (quadratic mean over all directions).
static double mean_stretch(const linear *map)
{
	double squares = 0.0;
	for (int i = 0; i < 9; i++)
	{
		squares += map->column[i / 3][i % 3] * map->column[i / 3][i % 3];
	}
	return sqrt(squares / 3.0);
}

// A delta is divided by what its base vector is divided by: then base + weight * delta keeps the right direction for
// every weight.
static void move_directions(const linear *map, const lrd_geometry *geometry, const directions *moving)
{
	double usual_length = mean_stretch(map);
	for (size_t v = 0; v < geometry->vertex_count; v++)
	{
		double moved[3];
		double length = usual_length;
		if (moving->values != NULL)
		{
			float *value = moving->values + v * moving->stride;
			linear_apply(map, (lrd_vec3){ value[0], value[1], value[2] }, moved);
			length = length3(moved);
			if (!(length > 0.0) || !isfinite(length))
			{
				continue; // a flattening matrix leaves nothing of some directions
			}
			store_scaled(value, moved, length);
		}
		for (uint32_t m = 0; m < geometry->morph_count && length > 0.0; m++)
		{
			float *deltas = moving->deltas(&geometry->morphs[m]);
			if (deltas != NULL)
			{
				linear_apply(map, lrd_load3(deltas, v), moved);
				store_scaled(deltas + 3 * v, moved, length);
			}
		}
	}
}

static void move_offsets(const linear *map, float *offsets, uint32_t count)
{
	for (size_t v = 0; v < count; v++)
	{
		double moved[3];
		linear_apply(map, lrd_load3(offsets, v), moved);
		lrd_store3(offsets, v, (lrd_vec3){ (float)moved[0], (float)moved[1], (float)moved[2] });
	}
}

static void move_positions(lrd_geometry *geometry, const linear *map, const lrd_mat4 *matrix)
{
	for (size_t v = 0; v < geometry->vertex_count; v++)
	{
		double moved[3];
		linear_apply(map, lrd_load3(geometry->positions, v), moved);
		for (int axis = 0; axis < 3; axis++)
		{
			geometry->positions[3 * v + (size_t)axis] = (float)(moved[axis] + (double)matrix->m[12 + axis]);
		}
	}
}

static void mirror(lrd_geometry *geometry)
{
	for (uint32_t i = 0; i + 2 < geometry->index_count; i += 3)
	{
		uint32_t second = geometry->indices[i + 1];
		geometry->indices[i + 1] = geometry->indices[i + 2];
		geometry->indices[i + 2] = second;
	}
	for (size_t v = 0; geometry->tangents != NULL && v < geometry->vertex_count; v++)
	{
		geometry->tangents[4 * v + 3] *= -1.0f;
	}
}

void lrd_geometry_transform(lrd_geometry *geometry, const lrd_mat4 *matrix)
{
	linear map = linear_of(matrix);
	double determinant = 0.0;
	linear normal_map = normal_map_of(&map, &determinant);
	move_positions(geometry, &map, matrix);
	for (uint32_t m = 0; m < geometry->morph_count; m++)
	{
		if (geometry->morphs[m].positions != NULL)
		{
			move_offsets(&map, geometry->morphs[m].positions, geometry->vertex_count);
		}
	}
	move_directions(&normal_map, geometry, &(directions){ geometry->normals, 3, normal_deltas });
	move_directions(&map, geometry, &(directions){ geometry->tangents, 4, tangent_deltas });
	if (determinant < 0.0)
	{
		mirror(geometry);
	}
}

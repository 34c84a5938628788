// Makes the sources of docs/mesh-mirrored-uv.png and docs/mesh-negative-scale.png, glTF files with normal maps:
// shield.gltf, whose left half has the image of the right one, mirrored, beside the same shield with an image for both
// halves; and plaque.gltf, a plaque beside one that its node mirrors. Run by the target larder-pictures, which cooks them.

#include "larder/cook.h"
#include "larder/picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VERTICES_MAX 4096u
#define INDICES_MAX (VERTICES_MAX * 6)

static const double pi = 3.14159265358979323846;
static const double turned = 3.14159265358979323846 / 7; // of nodes to the right, where the eye is

static void stop(const char *what)
{
	fprintf(stderr, "larder-pictures: %s\n", what);
	exit(1);
}

/// A height, in the units of the mesh, at a place on its front.
typedef double height_of(double x, double y);

static double distance_to_segment(double x, double y, const double a[2], const double b[2])
{
	double along_x = b[0] - a[0], along_y = b[1] - a[1];
	double t = ((x - a[0]) * along_x + (y - a[1]) * along_y) / (along_x * along_x + along_y * along_y);
	t = fmin(fmax(t, 0), 1);
	return hypot(x - a[0] - t * along_x, y - a[1] - t * along_y);
}

/// 1 up to a distance, falling to 0.
static double ridge(double distance, double half_width)
{
	double t = fmin(fmax((distance - half_width * 0.6) / (half_width * 0.7), 0), 1);
	return 1 - t * t * (3 - 2 * t);
}

static double shield_width(double y)
{
	return y > 0.1 ? 0.9 : 0.9 * sqrt(fmax(1 - pow((0.1 - y) / 1.22, 2), 0.0004));
}

/// Rings around a boss on the middle line, a bar across, rivets. Across is 0 in the middle and 1 at the rim.
static double shield_height(double across, double y)
{
	double x = across * shield_width(y);
	double from_boss = hypot(x, y - 0.15);
	double up = 0.045 * ridge(fabs(from_boss - 0.42), 0.05) + 0.03 * ridge(fabs(from_boss - 0.22), 0.04);
	up = fmax(up, 0.08 * sqrt(fmax(0, 1 - pow(from_boss / 0.13, 2))));
	up = fmax(up, 0.04 * ridge(fabs(across - 0.93), 0.05));
	up = fmax(up, 0.035 * ridge(fabs(y + 0.55 - 0.25 * x), 0.05));
	for (int i = 0; i < 5; i++)
	{
		double from_rivet = hypot(x - 0.72 * shield_width(0.8 - 0.32 * i), y - 0.8 + 0.32 * i);
		up = fmax(up, 0.05 * sqrt(fmax(0, 1 - pow(from_rivet / 0.06, 2))));
	}
	return up;
}

/// The letter R and a rim.
static double plaque_height(double x, double y)
{
	static const double stem[2][2] = { { -0.3, -0.55 }, { -0.3, 0.55 } }, leg[2][2] = { { 0.0, 0.0 }, { 0.38, -0.55 } };
	double nearest = fmin(distance_to_segment(x, y, stem[0], stem[1]), distance_to_segment(x, y, leg[0], leg[1]));
	double before[2] = { -0.3, 0.55 };
	for (int i = 0; i <= 17; i++)
	{
		double turn = pi * (0.5 - i / 16.0);
		double next[2] = { 0.08 + 0.275 * cos(turn), 0.275 + 0.275 * sin(turn) };
		if (i == 17)
		{
			next[0] = -0.3;
			next[1] = 0.0;
		}
		nearest = fmin(nearest, distance_to_segment(x, y, before, next));
		memcpy(before, next, sizeof before);
	}
	double from_rim = fmax(fabs(x) - 0.68, fabs(y) - 0.88);
	return fmax(0.07 * ridge(nearest, 0.12), 0.05 * ridge(fabs(from_rim), 0.06));
}

/// Where a texel's u is across, and how wide 1 of that is.
typedef struct face
{
	height_of *up;
	double (*width)(double y); ///< NULL: x is what `up` takes
	double left, right, bottom, top;
	bool is_folded; ///< the left half is the right one, mirrored
} face;

static double height_at(const face *self, double x, double y)
{
	return self->up(self->is_folded ? fabs(x) : x, y);
}

static void put_normal_map(const face *self, uint32_t width, uint32_t height, const char *folder, const char *name)
{
	uint8_t *texels = malloc((size_t)width * height * 4);
	char path[1024];
	lrd_buffer png = { 0 };
	lrd_error error;
	if (texels == NULL)
	{
		stop("out of memory");
	}
	const double step = 1e-3;
	for (uint32_t i = 0; i < width * height; i++)
	{
		double x = self->left + (self->right - self->left) * (i % width + 0.5) / width;
		double y = self->top + (self->bottom - self->top) * ((double)(i / width) + 0.5) / height;
		double unit = self->width != NULL ? self->width(y) : 1;
		double slope_x = (height_at(self, x + step, y) - height_at(self, x - step, y)) / (2 * step * unit);
		double slope_y = (height_at(self, x, y + step) - height_at(self, x, y - step)) / (2 * step);
		double length = sqrt(slope_x * slope_x + slope_y * slope_y + 1);
		const double normal[3] = { -slope_x / length, -slope_y / length, 1 / length };
		for (int c = 0; c < 3; c++)
		{
			texels[(size_t)i * 4 + (size_t)c] = (uint8_t)(127.5 + 127.5 * normal[c] + 0.5);
		}
		texels[(size_t)i * 4 + 3] = 255;
	}
	const lrd_pixels pixels = { .width = width,
		.height = height,
		.channels = LRD_CHANNELS_RGB,
		.data = texels,
		.size = (size_t)width * height * 4 };
	snprintf(path, sizeof path, "%s/%s", folder, name);
	if (!lrd_pixels_write_png(&pixels, &png, &error) || !lrd_file_save(path, png.data, png.size, &error))
	{
		stop(error.message);
	}
	lrd_buffer_free(&png);
	free(texels);
}

typedef struct mesh
{
	float positions[VERTICES_MAX][3], normals[VERTICES_MAX][3], uv[VERTICES_MAX][2];
	uint32_t indices[INDICES_MAX];
	uint32_t vertex_count, index_count;
} mesh;

static mesh *make_mesh(void)
{
	mesh *self = calloc(1, sizeof *self);
	if (self == NULL)
	{
		stop("out of memory");
	}
	return self;
}

/// A point of a surface, from 0..1 across and down.
typedef void surface(double s, double t, double position[3]);

static void add_vertex(mesh *self, surface *at, double s, double t, const float uv[2])
{
	double p[3], right[3], left[3], below[3], above[3];
	at(s, t, p);
	at(s + 1e-4, t, right);
	at(s - 1e-4, t, left);
	at(s, t + 1e-4, below);
	at(s, t - 1e-4, above);
	double normal[3];
	for (int i = 0; i < 3; i++)
	{
		int j = (i + 1) % 3, k = (i + 2) % 3;
		normal[i] = (above[j] - below[j]) * (left[k] - right[k]) - (above[k] - below[k]) * (left[j] - right[j]);
	}
	double length = sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
	for (int i = 0; i < 3; i++)
	{
		self->positions[self->vertex_count][i] = (float)p[i];
		self->normals[self->vertex_count][i] = (float)(normal[i] / length);
	}
	memcpy(self->uv[self->vertex_count++], uv, sizeof *self->uv);
}

/// A grid over a part of the surface, whose image runs from u0 on the left to u1 on the right.
static void add_grid(mesh *self, surface *at, double left, double right, double u0, double u1, uint32_t cells)
{
	uint32_t first = self->vertex_count;
	for (uint32_t i = 0; i < (cells + 1) * (cells + 1); i++)
	{
		double across = (double)(i % (cells + 1)) / cells, t = (double)(i / (cells + 1)) / cells;
		const float uv[2] = { (float)(u0 + (u1 - u0) * across), (float)t };
		add_vertex(self, at, left + (right - left) * across, t, uv);
	}
	for (uint32_t i = 0; i < cells * cells; i++)
	{
		uint32_t a = first + i / cells * (cells + 1) + i % cells, b = a + 1, c = a + cells + 1, d = c + 1;
		const uint32_t quad[6] = { a, c, b, b, c, d };
		memcpy(self->indices + self->index_count, quad, sizeof quad);
		self->index_count += 6;
	}
}

static void shield_surface(double s, double t, double p[3])
{
	double y = 1 - 2.1 * t, across = 2 * s - 1;
	p[0] = across * shield_width(y);
	p[1] = y;
	p[2] = 0.45 * (1 - across * across) - 0.12 * y * y;
}

static void plaque_surface(double s, double t, double p[3])
{
	p[0] = 1.6 * s - 0.8;
	p[1] = 1 - 2 * t;
	p[2] = 0.15 - 0.12 * p[0] * p[0] - 0.08 * p[1] * p[1];
}

/// A flat piece that the plaque's image has a flat place for.
static void add_quad(mesh *self, const double corners[4][3])
{
	double a[3], b[3], normal[3];
	for (int i = 0; i < 3; i++)
	{
		a[i] = corners[1][i] - corners[0][i];
		b[i] = corners[2][i] - corners[0][i];
	}
	for (int i = 0; i < 3; i++)
	{
		int j = (i + 1) % 3, k = (i + 2) % 3;
		normal[i] = a[j] * b[k] - a[k] * b[j];
	}
	double length = sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
	for (uint32_t v = 0; v < 4; v++)
	{
		for (int i = 0; i < 3; i++)
		{
			self->positions[self->vertex_count + v][i] = (float)corners[v][i];
			self->normals[self->vertex_count + v][i] = (float)(normal[i] / length);
		}
		self->uv[self->vertex_count + v][0] = v == 1 || v == 2 ? 0.02f : 0.0f;
		self->uv[self->vertex_count + v][1] = v >= 2 ? 0.0f : 0.02f;
	}
	const uint32_t quad[6] = { 0, 1, 2, 0, 2, 3 };
	for (int i = 0; i < 6; i++)
	{
		self->indices[self->index_count++] = self->vertex_count + quad[i];
	}
	self->vertex_count += 4;
}

static void add_box(mesh *self, const double min[3], const double max[3])
{
	for (int axis = 0; axis < 3; axis++)
	{
		for (int side = 0; side < 2; side++)
		{
			double corners[4][3];
			for (int v = 0; v < 4; v++)
			{
				bool is_right = v == 1 || v == 2, is_up = v >= 2;
				int j = (axis + (side == 1 ? 1 : 2)) % 3, k = (axis + (side == 1 ? 2 : 1)) % 3;
				corners[v][axis] = side == 1 ? max[axis] : min[axis];
				corners[v][j] = is_right ? max[j] : min[j];
				corners[v][k] = is_up ? max[k] : min[k];
			}
			add_quad(self, (const double(*)[3])corners);
		}
	}
}

/// A mesh, where its node stands, and the image of its normals.
typedef struct placement
{
	const mesh *shape;
	const char *image;
	double x;
	double scale_x;
} placement;

static void put_array(FILE *file, const void *data, size_t size)
{
	if (fwrite(data, 1, size, file) != size)
	{
		stop("a file can't be written");
	}
}

static FILE *open_file(const char *folder, const char *name, const char *extension)
{
	char path[1024];
	snprintf(path, sizeof path, "%s/%s%s", folder, name, extension);
	FILE *file = fopen(path, "wb");
	if (file == NULL)
	{
		stop("a file can't be written");
	}
	return file;
}

static void put_accessor(FILE *gltf, uint32_t view, uint32_t type, uint32_t count, const char *kind)
{
	fprintf(gltf, ",\n{\"bufferView\":%u,\"componentType\":%u,\"count\":%u,\"type\":\"%s\"}", view, type, count, kind);
}

/// Positions, whose bounds a file has to say.
static void put_positions(FILE *gltf, bool is_first, uint32_t view, const mesh *shape)
{
	float box[2][3];
	memcpy(box[0], shape->positions[0], sizeof box[0]);
	memcpy(box[1], shape->positions[0], sizeof box[1]);
	for (uint32_t i = 0; i < shape->vertex_count * 3; i++)
	{
		box[0][i % 3] = fminf(box[0][i % 3], shape->positions[i / 3][i % 3]);
		box[1][i % 3] = fmaxf(box[1][i % 3], shape->positions[i / 3][i % 3]);
	}
	fprintf(gltf, "%s{\"bufferView\":%u,\"componentType\":5126,\"count\":%u,\"type\":\"VEC3\"", is_first ? "" : ",\n",
		view, shape->vertex_count);
	for (int i = 0; i < 2; i++)
	{
		fprintf(gltf, ",\"%s\":[%.9g,%.9g,%.9g]", i == 0 ? "min" : "max", (double)box[i][0], (double)box[i][1],
			(double)box[i][2]);
	}
	fprintf(gltf, "}");
}

/// The arrays of each mesh: four views and four accessors.
static void put_geometry(FILE *gltf, FILE *bin, const char *name, const placement *placements, uint32_t mesh_count)
{
	size_t offset = 0;
	fprintf(gltf, "\"bufferViews\":[\n");
	for (uint32_t m = 0; m < mesh_count; m++)
	{
		const mesh *shape = placements[m].shape;
		const void *const arrays[4] = { shape->positions, shape->normals, shape->uv, shape->indices };
		const size_t sizes[4] = { shape->vertex_count * sizeof *shape->positions,
			shape->vertex_count * sizeof *shape->normals, shape->vertex_count * sizeof *shape->uv,
			shape->index_count * sizeof *shape->indices };
		for (int i = 0; i < 4; i++)
		{
			put_array(bin, arrays[i], sizes[i]);
			fprintf(gltf, "%s{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu}", offset == 0 ? "" : ",\n", offset,
				sizes[i]);
			offset += sizes[i];
		}
	}
	fprintf(gltf, "],\n\"buffers\":[{\"byteLength\":%zu,\"uri\":\"%s.bin\"}],\n\"accessors\":[\n", offset, name);
	for (uint32_t m = 0; m < mesh_count; m++)
	{
		const mesh *shape = placements[m].shape;
		put_positions(gltf, m == 0, m * 4, shape);
		put_accessor(gltf, m * 4 + 1, 5126, shape->vertex_count, "VEC3");
		put_accessor(gltf, m * 4 + 2, 5126, shape->vertex_count, "VEC2");
		put_accessor(gltf, m * 4 + 3, 5125, shape->index_count, "SCALAR");
	}
	fprintf(gltf, "],\n");
}

/// Lists with a row for each mesh, of number m.
static void put_rows(FILE *gltf, const char *name, const placement *placements, uint32_t mesh_count)
{
	fprintf(gltf, "\"samplers\":[{\"wrapS\":33071,\"wrapT\":33071}],\n");
	for (int list = 0; list < 4; list++)
	{
		fprintf(gltf, "\"%s\":[", (const char *const[]){ "images", "textures", "materials", "meshes" }[list]);
		for (uint32_t m = 0; m < mesh_count; m++)
		{
			fputs(m == 0 ? "" : ",\n", gltf);
			switch (list)
			{
			case 0: fprintf(gltf, "{\"uri\":\"%s\"}", placements[m].image); break;
			case 1: fprintf(gltf, "{\"source\":%u,\"sampler\":0}", m); break;
			case 2:
				fprintf(gltf,
					"{\"name\":\"%s%u\",\"pbrMetallicRoughness\":{\"baseColorFactor\":[0.62,0.5,0.33,1]},"
					"\"normalTexture\":{\"index\":%u}}",
					name, m, m);
				break;
			default:
				fprintf(gltf,
					"{\"name\":\"%s%u\",\"primitives\":[{\"material\":%u,\"indices\":%u,\"attributes\":{\"POSITION\":%"
					"u,"
					"\"NORMAL\":%u,\"TEXCOORD_0\":%u}}]}",
					name, m, m, m * 4 + 3, m * 4, m * 4 + 1, m * 4 + 2);
				break;
			}
		}
		fprintf(gltf, "],\n");
	}
}

/// Two nodes, each with a mesh and a material of its own; the second's may be the first's again.
static void put_gltf(const char *folder, const char *name, const placement placements[2])
{
	FILE *gltf = open_file(folder, name, ".gltf"), *bin = open_file(folder, name, ".bin");
	uint32_t mesh_count = placements[1].shape == placements[0].shape ? 1 : 2;
	fprintf(gltf, "{\"asset\":{\"version\":\"2.0\"},\n");
	put_geometry(gltf, bin, name, placements, mesh_count);
	put_rows(gltf, name, placements, mesh_count);
	fprintf(gltf, "\"nodes\":[");
	for (uint32_t n = 0; n < 2; n++)
	{
		fprintf(gltf, "%s{\"mesh\":%u,\"translation\":[%.6g,0,%.6g],\"rotation\":[0,%.9g,0,%.9g],\"scale\":[%g,1,1]}",
			n == 0 ? "" : ",\n", n < mesh_count ? n : 0, placements[n].x * cos(turned), -placements[n].x * sin(turned),
			sin(turned / 2), cos(turned / 2), placements[n].scale_x);
	}
	fprintf(gltf, "],\n\"scenes\":[{\"nodes\":[0,1]}],\"scene\":0}\n");
	if (fclose(gltf) != 0 || fclose(bin) != 0)
	{
		stop("a file can't be written");
	}
}

static void put_shields(const char *folder)
{
	mesh *folded = make_mesh(), *whole = make_mesh();
	add_grid(folded, shield_surface, 0, 0.5, 1, 0, 20);
	add_grid(folded, shield_surface, 0.5, 1, 0, 1, 20);
	add_grid(whole, shield_surface, 0, 1, 0, 1, 40);
	const face half = { shield_height, shield_width, 0, 1, -1.1, 1, true };
	const face both = { shield_height, shield_width, -1, 1, -1.1, 1, true };
	put_normal_map(&half, 512, 1024, folder, "half_normal.png");
	put_normal_map(&both, 1024, 1024, folder, "whole_normal.png");
	put_gltf(folder, "shield",
		(const placement[]){ { folded, "half_normal.png", -1.05, 1 }, { whole, "whole_normal.png", 1.05, 1 } });
	free(folded);
	free(whole);
}

static void put_plaques(const char *folder)
{
	mesh *plaque = make_mesh();
	add_grid(plaque, plaque_surface, 0, 1, 0, 1, 24);
	add_box(plaque, (const double[]){ -0.8, -1, -0.25 }, (const double[]){ 0.8, 1, -0.01 });
	add_box(plaque, (const double[]){ 0.8, 0.3, -0.2 }, (const double[]){ 1.1, 0.7, -0.06 });
	const face front = { plaque_height, NULL, -0.8, 0.8, -1, 1, false };
	put_normal_map(&front, 512, 640, folder, "plaque_normal.png");
	put_gltf(folder, "plaque",
		(const placement[]){ { plaque, "plaque_normal.png", -1.3, 1 }, { plaque, "plaque_normal.png", 1.3, -1 } });
	free(plaque);
}

int main(int count, char **arguments)
{
	if (count != 3 || (strcmp(arguments[1], "shield") != 0 && strcmp(arguments[1], "plaque") != 0))
	{
		stop("expected shield or plaque, and the folder to write to");
	}
	(strcmp(arguments[1], "shield") == 0 ? put_shields : put_plaques)(arguments[2]);
	return 0;
}

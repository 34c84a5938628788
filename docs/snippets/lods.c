// The code of docs/guide-geometry.md, as a program. Run where cooked/ lies, the courtyard cooked, and editable/, the
// lantern with an editable placement and quantised.

#include <larder/larder.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// A whole file. malloc's memory is aligned to 16, as the readers want it.
static void *read_file(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	void *bytes = NULL;
	if (file != NULL && fseek(file, 0, SEEK_END) == 0)
	{
		long end = ftell(file);
		*size = end < 0 ? 0 : (size_t)end;
		rewind(file);
		bytes = malloc(*size);
		if (bytes != NULL && fread(bytes, 1, *size, file) != *size)
		{
			free(bytes);
			bytes = NULL;
		}
	}
	if (file != NULL)
	{
		fclose(file);
	}
	return bytes;
}

static void *open_mesh(const char *path, lrd_mesh_view *mesh)
{
	size_t size = 0;
	void *bytes = read_file(path, &size);
	if (bytes == NULL || !lrd_mesh_open(bytes, size, mesh, NULL))
	{
		fprintf(stderr, "%s: can't be read\n", path);
		free(bytes);
		return NULL;
	}
	return bytes; // to be freed after the view's last use
}

/// How many pixels a length of 1 covers at a distance of 1, in the middle of the picture.
static float pixels_at_one(float vertical_fov, float picture_height)
{
	return picture_height / (2.0f * tanf(vertical_fov * 0.5f));
}

/// From the eye to the nearest point that the mesh can have; `centre` is that of its bounds, moved to where it stands, and
/// `scale` the largest that it is drawn with.
static float distance_to(const lrd_mesh_view *mesh, lrd_vec3 centre, float scale, lrd_vec3 eye)
{
	float x = centre.x - eye.x;
	float y = centre.y - eye.y;
	float z = centre.z - eye.z;
	return sqrtf(x * x + y * y + z * z) - mesh->bounds.radius * scale;
}

/// The coarsest LOD whose error covers no more than `allowed` pixels. `pixels` is what pixels_at_one said.
static uint32_t choose_lod(const lrd_mesh_view *mesh, float scale, float distance, float pixels, float allowed)
{
	uint32_t chosen = 0;
	for (uint32_t lod = 1; lod < mesh->lod_count; ++lod)
	{
		if (mesh->lods[lod].error * scale * pixels <= allowed * distance)
		{
			chosen = lod;
		}
	}
	return chosen;
}

/// How much larger a palette makes a skinned mesh: the most by which one of its matrices stretches an axis.
static float palette_scale(const lrd_mat4 *palette, uint32_t joint_count)
{
	float most = 0.0f;
	for (uint32_t i = 0; i < joint_count * 3; ++i)
	{
		const float *axis = palette[i / 3].m + (size_t)(i % 3) * 4;
		most = fmaxf(most, sqrtf(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]));
	}
	return most;
}

/// Where each LOD's indices begin in one buffer that holds them all; returns how many there are.
static uint32_t place_lods(const lrd_mesh_view *mesh, uint32_t first[LRD_MESH_MAX_LODS])
{
	uint32_t count = 0;
	for (uint32_t lod = 0; lod < mesh->lod_count; ++lod)
	{
		first[lod] = count;
		count += lrd_mesh_index_count(mesh, lod);
	}
	return count;
}

static void write_lods(const lrd_mesh_view *mesh, uint32_t *indices)
{
	for (uint32_t lod = 0; lod < mesh->lod_count; ++lod)
	{
		lrd_mesh_write_indices(mesh, lod, indices);
		indices += lrd_mesh_index_count(mesh, lod);
	}
}

/// The LOD that a ray tracer builds its structure of.
static uint32_t raytraced_lod(const lrd_mesh_view *mesh, uint32_t drawn)
{
	uint32_t lod = drawn + mesh->raytracing_lod_bias;
	return lod < mesh->lod_count ? lod : mesh->lod_count - 1;
}

/// Everything of a model that has a name: large parts are in several pieces, which share it.
static uint32_t count_named(const lrd_model_view *model, lrd_string name)
{
	uint32_t count = 0;
	for (uint32_t p = 0; p < model->part_count; ++p)
	{
		count += lrd_string_equal(lrd_model_text(model, model->parts[p].name), name);
	}
	return count;
}

/// A position as a vertex shader has it, quantised or not.
static lrd_vec3 position_of(const lrd_mesh_view *mesh, uint32_t vertex)
{
	const lrd_vertex_attribute *attribute = lrd_mesh_attribute(mesh, LRD_VERTEX_POSITION);
	const lrd_mesh_stream *stream = &mesh->streams[attribute->stream];
	const uint8_t *data = (const uint8_t *)stream->data + (size_t)vertex * stream->stride + attribute->offset;
	float value[3];
	if (attribute->format == LRD_FORMAT_UNORM16X4)
	{
		uint16_t stored[4];
		memcpy(stored, data, sizeof stored);
		for (int axis = 0; axis < 3; ++axis)
		{
			value[axis] = (float)stored[axis] / 65535.0f; // what a GPU makes of unorm16
		}
	}
	else
	{
		memcpy(value, data, sizeof value);
	}
	for (int axis = 0; axis < 3; ++axis)
	{
		value[axis] = value[axis] * mesh->position_scale[axis] + mesh->position_offset[axis]; // 1 and 0 for f32
	}
	return (lrd_vec3){ value[0], value[1], value[2] };
}

/// What an editor keeps of an actor.
typedef struct actor
{
	lrd_string name;
	struct actor *parent; // NULL: the group, the model as a whole
	lrd_transform local;
	uint32_t part; // LRD_NO_INDEX: none
} actor;

/// An actor for each row of the template, parents before children.
static void place_actors(const lrd_model_view *model, actor *actors)
{
	for (uint32_t i = 0; i < model->actor_count; ++i)
	{
		const lrd_model_actor *row = &model->actors[i];
		actors[i].name = lrd_model_text(model, row->name);
		actors[i].parent = row->parent < 0 ? NULL : &actors[row->parent];
		actors[i].part = row->part;
		memcpy(&actors[i].local.translation, row->translation, sizeof row->translation);
		memcpy(&actors[i].local.rotation, row->rotation, sizeof row->rotation);
		memcpy(&actors[i].local.scale, row->scale, sizeof row->scale);
	}
}

// What makes sure that the pieces above do what the page says.

static bool is_inside(lrd_vec3 point, const lrd_bounds *box, float slack)
{
	return point.x >= box->min.x - slack && point.x <= box->max.x + slack && point.y >= box->min.y - slack &&
		   point.y <= box->max.y + slack && point.z >= box->min.z - slack && point.z <= box->max.z + slack;
}

static bool check_choice(const lrd_mesh_view *mesh)
{
	float pixels = pixels_at_one(1.0f, 1080.0f);
	uint32_t before = 0;
	for (float away = 0.5f; away < 1e5f; away *= 2.0f)
	{
		lrd_vec3 eye = mesh->bounds.centre;
		eye.z += mesh->bounds.radius + away;
		float distance = distance_to(mesh, mesh->bounds.centre, 1.0f, eye);
		uint32_t lod = choose_lod(mesh, 1.0f, distance, pixels, 1.0f);
		float covered = mesh->lods[lod].error * pixels / distance;
		if (lod < before || covered > 1.001f || fabsf(distance - away) > 0.01f * away + 1e-3f)
		{
			return false;
		}
		before = lod;
	}
	// Nearest the finest, farthest the coarsest; inside of the bounds, where the distance is below 0, the finest too.
	return before == mesh->lod_count - 1 && choose_lod(mesh, 1.0f, -1.0f, pixels, 1.0f) == 0;
}

static bool check_indices(const lrd_mesh_view *mesh)
{
	uint32_t first[LRD_MESH_MAX_LODS];
	uint32_t count = place_lods(mesh, first);
	uint32_t *indices = malloc(count * sizeof *indices);
	bool good = indices != NULL && first[0] == 0;
	if (good)
	{
		write_lods(mesh, indices);
	}
	for (uint32_t i = 0; good && i < count; ++i)
	{
		good = indices[i] < mesh->vertex_count;
	}
	free(indices);
	return good && raytraced_lod(mesh, 0) < mesh->lod_count &&
		   raytraced_lod(mesh, mesh->lod_count) == mesh->lod_count - 1;
}

static bool check_lods(void)
{
	lrd_mesh_view mesh;
	void *bytes = open_mesh("cooked/courtyard/part.Bronze.0.lmesh", &mesh);
	bool good = bytes != NULL && mesh.lod_count > 2 && check_choice(&mesh) && check_indices(&mesh);
	free(bytes);
	return good;
}

static bool check_skin(void)
{
	size_t size = 0;
	lrd_skeleton_view skeleton = { .joint_count = 0 };
	void *bytes = read_file("cooked/courtyard/skeleton.BannerChain.lskel", &size);
	bool good = bytes != NULL && lrd_skeleton_open(bytes, size, &skeleton, NULL);
	lrd_transform *pose = malloc((skeleton.joint_count + 1) * sizeof *pose);
	lrd_mat4 *palette = malloc((skeleton.joint_count + 1) * sizeof *palette);
	good = good && pose != NULL && palette != NULL;
	if (good)
	{
		lrd_skeleton_rest_pose(&skeleton, pose);
		lrd_skeleton_palette(&skeleton, pose, palette);
		good = fabsf(palette_scale(palette, skeleton.joint_count) - 1.0f) < 1e-4f;
		pose[0].scale = (lrd_vec3){ 1.0f, 3.0f, 1.0f };
		lrd_skeleton_palette(&skeleton, pose, palette);
		good = good && palette_scale(palette, skeleton.joint_count) > 2.9f;
	}
	free(palette);
	free(pose);
	free(bytes);
	return good;
}

static bool check_clusters(void)
{
	size_t size = 0;
	lrd_model_view model;
	void *bytes = read_file("cooked/courtyard.lmodel", &size);
	bool good =
		bytes != NULL && lrd_model_open(bytes, size, &model, NULL) && count_named(&model, LRD_STR("Bronze")) > 1;
	free(bytes);
	return good;
}

static bool check_positions(void)
{
	lrd_mesh_view mesh;
	void *bytes = open_mesh("editable/lantern/part.Candle.lmesh", &mesh);
	bool good = bytes != NULL && lrd_mesh_attribute(&mesh, LRD_VERTEX_POSITION)->format == LRD_FORMAT_UNORM16X4;
	for (uint32_t v = 0; good && v < mesh.vertex_count; ++v)
	{
		good = is_inside(position_of(&mesh, v), &mesh.bounds, mesh.bounds.radius * 1e-5f);
	}
	free(bytes);
	return good;
}

static bool check_actors(void)
{
	size_t size = 0;
	lrd_model_view model;
	void *bytes = read_file("editable/lantern.lmodel", &size);
	bool good = bytes != NULL && lrd_model_open(bytes, size, &model, NULL) && model.actor_count > model.part_count;
	actor *actors = calloc(good ? model.actor_count : 1, sizeof *actors);
	uint32_t placed = 0;
	if (good && actors != NULL)
	{
		place_actors(&model, actors);
		for (uint32_t i = 0; i < model.actor_count; ++i)
		{
			placed += actors[i].part != LRD_NO_INDEX;
			good = good && (actors[i].parent == NULL || actors[i].parent < &actors[i]);
		}
		good = good && placed == model.part_count && lrd_string_equal(actors[0].name, LRD_STR("Lantern"));
	}
	free(actors);
	free(bytes);
	return good;
}

int main(void)
{
	static const struct
	{
		const char *name;
		bool (*check)(void);
	} checks[] = { { "LODs", check_lods }, { "skins", check_skin }, { "clusters", check_clusters },
		{ "quantised positions", check_positions }, { "actors", check_actors } };
	bool good = true;
	for (size_t i = 0; i < sizeof checks / sizeof *checks; ++i)
	{
		bool holds = checks[i].check();
		printf("%s: %s\n", checks[i].name, holds ? "as the guide says" : "NOT as the guide says");
		good = good && holds;
	}
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

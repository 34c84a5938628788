// Opening what is drawn: a mesh, or a model with its meshes, skeletons and transforms, from a cooked tree.

#include "cli/cli.h"
#include "cli/picture_mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FOLDERS_UP 32 // that a tree's root is looked for in

static const cli_affine identity = { { 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0 } };

/// ROOT + STEM + EXTENSION, to be given to free(); NULL when memory runs out.
static char *join(const char *root, size_t root_size, lrd_string stem, const char *extension)
{
	size_t extension_size = strlen(extension);
	char *path = malloc(root_size + stem.size + extension_size + 1);
	if (path != NULL)
	{
		memcpy(path, root, root_size);
		memcpy(path + root_size, stem.data, stem.size);
		memcpy(path + root_size + stem.size, extension, extension_size + 1);
	}
	return path;
}

static bool is_there(const char *path)
{
	FILE *file = path != NULL ? fopen(path, "rb") : NULL;
	if (file != NULL)
	{
		fclose(file);
	}
	return file != NULL;
}

/// Look for a file by its stem in the folder of the scene's, then in those above it.
static void find_root(cli_scene *self, lrd_string stem, const char *extension)
{
	size_t path_size = strlen(self->path);
	char *root = malloc(path_size + 3 * FOLDERS_UP + 1);
	if (root == NULL)
	{
		return;
	}
	memcpy(root, self->path, path_size + 1);
	size_t size = path_size;
	for (int i = 0; i < FOLDERS_UP; ++i)
	{
		while (size != 0 && root[size - 1] == '/')
		{
			--size;
		}
		bool is_up = size == 0 || (size >= 2 && memcmp(root + size - 2, "..", 2) == 0) || (size == 1 && root[0] == '.');
		if (i != 0 && is_up)
		{
			size += size != 0;
			memcpy(root + size, "../", 4);
			size += 3;
		}
		else
		{
			while (size != 0 && root[size - 1] != '/')
			{
				--size;
			}
			root[size] = 0;
		}
		char *path = join(root, size, stem, extension);
		bool is_found = is_there(path);
		free(path);
		if (is_found)
		{
			self->root = root;
			return;
		}
		if (size == 1 && root[0] == '/')
		{
			break;
		}
	}
	free(root);
}

lrd_bytes cli_scene_read(const cli_scene *self, lrd_string stem, const char *extension)
{
	lrd_error error;
	char *path = self->root != NULL && stem.size != 0 ? join(self->root, strlen(self->root), stem, extension) : NULL;
	lrd_bytes bytes = path != NULL ? cli_read_whole(path, &error) : (lrd_bytes){ NULL, 0 };
	free(path);
	return bytes;
}

/// What a file of the tree is called in messages, and why it can't be used.
static bool fail_file(const cli_scene *self, lrd_string stem, const char *extension, const lrd_error *error)
{
	cli_error("info: %s: %.*s%s: %s", self->path, LRD_STR_ARG(stem), extension,
		error != NULL ? error->message : "not found in the folder of the model, nor in one above it");
	return false;
}

static bool open_file(cli_scene *self, lrd_string stem)
{
	lrd_error error = { 0 };
	cli_mesh_file *file = &self->files[self->file_count];
	file->bytes = cli_scene_read(self, stem, ".lmesh");
	self->file_count += file->bytes.data != NULL;
	if (file->bytes.data == NULL)
	{
		return fail_file(self, stem, ".lmesh", NULL);
	}
	return lrd_mesh_open(file->bytes.data, file->bytes.size, &file->view, &error) ||
		   fail_file(self, stem, ".lmesh", &error);
}

static void set_mesh(cli_part *part, const lrd_mesh_view *mesh)
{
	part->mesh = mesh;
	for (uint32_t s = 0; s < LRD_VERTEX_SEMANTIC_COUNT; ++s)
	{
		const lrd_vertex_attribute *attribute = lrd_mesh_attribute(mesh, (lrd_vertex_semantic)s);
		if (attribute != NULL)
		{
			const lrd_mesh_stream *stream = &mesh->streams[attribute->stream];
			part->values[s] = (cli_values){ (const uint8_t *)stream->data + attribute->offset, stream->stride,
				(lrd_vertex_format)attribute->format };
		}
	}
}

static bool open_mesh(cli_scene *self)
{
	lrd_error error = { 0 };
	self->files = calloc(1, sizeof *self->files);
	self->parts = calloc(1, sizeof *self->parts);
	if (self->files == NULL || self->parts == NULL)
	{
		cli_error("out of memory");
		return false;
	}
	self->file_count = 1;
	cli_mesh_file *file = self->files;
	file->bytes = cli_read_whole(self->path, &error);
	if (file->bytes.data == NULL || !lrd_mesh_open(file->bytes.data, file->bytes.size, &file->view, &error))
	{
		cli_error("info: %s: %s", self->path, error.message);
		return false;
	}
	self->part_count = 1;
	set_mesh(self->parts, &file->view);
	self->parts->to_model = identity;
	self->parts->material = file->view.material;
	self->lod_count = file->view.lod_count;
	if (file->view.material.size != 0)
	{
		find_root(self, file->view.material, ".lmat");
	}
	return true;
}

/// A part by the stem of its mesh.
typedef struct use
{
	lrd_string stem;
	uint32_t part;
} use;

static int compare_numbers(size_t a, size_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_stems(lrd_string a, lrd_string b)
{
	size_t size = a.size < b.size ? a.size : b.size;
	int order = size != 0 ? memcmp(a.data, b.data, size) : 0;
	return order != 0 ? order : compare_numbers(a.size, b.size);
}

static int compare_uses(const void *a, const void *b)
{
	const use *first = a, *second = b;
	int order = compare_stems(first->stem, second->stem);
	return order != 0 ? order : compare_numbers(first->part, second->part);
}

static int compare_parts(const void *a, const void *b)
{
	const cli_part *first = a, *second = b;
	int order = compare_stems(first->material, second->material);
	return order != 0 ? order : compare_numbers(first->number, second->number);
}

/// Each mesh once, however many parts draw it.
static bool open_meshes(cli_scene *self, use *uses)
{
	for (uint32_t i = 0; i < self->part_count; ++i)
	{
		uses[i] = (use){ lrd_model_text(&self->view, self->view.parts[i].mesh), i };
	}
	if (self->part_count != 0)
	{
		find_root(self, uses[0].stem, ".lmesh");
		qsort(uses, self->part_count, sizeof *uses, compare_uses);
	}
	for (uint32_t i = 0; i < self->part_count; ++i)
	{
		bool is_repeat = i != 0 && lrd_string_equal(uses[i].stem, uses[i - 1].stem);
		if (!is_repeat && !open_file(self, uses[i].stem))
		{
			return false;
		}
		const lrd_mesh_view *mesh = &self->files[self->file_count - 1].view;
		cli_part *part = &self->parts[uses[i].part];
		set_mesh(part, mesh);
		part->is_repeat = is_repeat;
		self->lod_count = self->lod_count > mesh->lod_count ? self->lod_count : mesh->lod_count;
	}
	return true;
}

static bool open_skeleton(cli_scene *self, lrd_string stem, lrd_mat4 **palette)
{
	lrd_error error = { 0 };
	lrd_skeleton_view skeleton;
	lrd_bytes bytes = cli_scene_read(self, stem, ".lskel");
	if (bytes.data == NULL || !lrd_skeleton_open(bytes.data, bytes.size, &skeleton, &error))
	{
		fail_file(self, stem, ".lskel", bytes.data == NULL ? NULL : &error);
		free((void *)(uintptr_t)bytes.data);
		return false;
	}
	lrd_transform *pose = malloc(skeleton.joint_count * sizeof *pose);
	*palette = calloc((size_t)skeleton.joint_count, sizeof **palette);
	bool good = pose != NULL && *palette != NULL;
	if (good)
	{
		lrd_skeleton_rest_pose(&skeleton, pose);
		lrd_skeleton_palette(&skeleton, pose, *palette);
	}
	else
	{
		cli_error("out of memory");
	}
	free(pose);
	free((void *)(uintptr_t)bytes.data);
	return good;
}

static bool open_skeletons(cli_scene *self)
{
	self->palettes = calloc((size_t)self->view.skeleton_count + 1, sizeof *self->palettes);
	if (self->palettes == NULL)
	{
		cli_error("out of memory");
		return false;
	}
	self->palette_count = self->view.skeleton_count;
	for (uint32_t i = 0; i < self->palette_count; ++i)
	{
		lrd_string stem = lrd_model_text(&self->view, self->view.skeletons[i].stem);
		if (!open_skeleton(self, stem, &self->palettes[i]))
		{
			return false;
		}
	}
	return true;
}

static cli_affine from_node(const lrd_model_node *node)
{
	const double x = node->rotation[0], y = node->rotation[1], z = node->rotation[2], w = node->rotation[3];
	const double rotation[9] = { 1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y), 2 * (x * y - w * z),
		1 - 2 * (x * x + z * z), 2 * (y * z + w * x), 2 * (x * z + w * y), 2 * (y * z - w * x),
		1 - 2 * (x * x + y * y) };
	cli_affine affine;
	for (int i = 0; i < 9; ++i)
	{
		affine.m[i] = rotation[i] * node->scale[i / 3];
	}
	for (int i = 0; i < 3; ++i)
	{
		affine.m[9 + i] = node->translation[i];
	}
	return affine;
}

static cli_affine multiply(const cli_affine *a, const cli_affine *b)
{
	cli_affine product;
	for (int column = 0; column < 4; ++column)
	{
		for (int row = 0; row < 3; ++row)
		{
			product.m[column * 3 + row] = a->m[row] * b->m[column * 3] + a->m[3 + row] * b->m[column * 3 + 1] +
										  a->m[6 + row] * b->m[column * 3 + 2] + (column == 3 ? a->m[9 + row] : 0.0);
		}
	}
	return product;
}

static void place_parts(cli_scene *self, cli_affine *nodes)
{
	const lrd_model_view *model = &self->view;
	for (uint32_t n = 0; n < model->node_count; ++n)
	{
		nodes[n] = from_node(&model->nodes[n]);
		if (model->nodes[n].parent >= 0)
		{
			nodes[n] = multiply(&nodes[model->nodes[n].parent], &nodes[n]);
		}
	}
	for (uint32_t i = 0; i < self->part_count; ++i)
	{
		const lrd_model_part *from = &model->parts[i];
		cli_part *part = &self->parts[i];
		part->number = i;
		bool is_skinned = (from->flags & LRD_PART_SKINNED) != 0 && from->skeleton != LRD_NO_INDEX;
		part->to_model = from->node != LRD_NO_INDEX && !is_skinned ? nodes[from->node] : identity;
		part->is_mirrored = (from->flags & LRD_PART_MIRRORED) != 0;
		part->palette = is_skinned ? self->palettes[from->skeleton] : NULL;
		part->palette_count = is_skinned ? model->skeletons[from->skeleton].joint_count : 0;
		part->weights = from->weight_count == part->mesh->morph_count ? model->weights + from->weights_offset : NULL;
		part->material =
			from->slot != LRD_NO_INDEX ? lrd_model_text(model, model->materials[from->slot].stem) : (lrd_string){ 0 };
	}
	qsort(self->parts, self->part_count, sizeof *self->parts, compare_parts);
}

static bool open_model(cli_scene *self)
{
	lrd_error error = { 0 };
	self->model = cli_read_whole(self->path, &error);
	if (self->model.data == NULL || !lrd_model_open(self->model.data, self->model.size, &self->view, &error))
	{
		cli_error("info: %s: %s", self->path, error.message);
		return false;
	}
	self->part_count = self->view.part_count;
	self->files = calloc((size_t)self->part_count + 1, sizeof *self->files);
	self->parts = calloc((size_t)self->part_count + 1, sizeof *self->parts);
	use *uses = calloc((size_t)self->part_count + 1, sizeof *uses);
	cli_affine *nodes = calloc((size_t)self->view.node_count + 1, sizeof *nodes);
	bool good = self->files != NULL && self->parts != NULL && uses != NULL && nodes != NULL;
	if (!good)
	{
		cli_error("out of memory");
	}
	good = good && open_meshes(self, uses) && open_skeletons(self);
	if (good)
	{
		place_parts(self, nodes);
	}
	free(uses);
	free(nodes);
	return good;
}

bool cli_scene_open(cli_scene *self, const char *path)
{
	*self = (cli_scene){ .path = path };
	return lrd_kind_from_path(lrd_string_from(path)) == LRD_MODEL ? open_model(self) : open_mesh(self);
}

void cli_scene_close(cli_scene *self)
{
	for (uint32_t i = 0; i < self->file_count; ++i)
	{
		free((void *)(uintptr_t)self->files[i].bytes.data);
	}
	for (uint32_t i = 0; i < self->palette_count; ++i)
	{
		free(self->palettes[i]);
	}
	free((void *)(uintptr_t)self->model.data);
	free(self->files);
	free(self->parts);
	free(self->palettes);
	free(self->root);
	*self = (cli_scene){ 0 };
}

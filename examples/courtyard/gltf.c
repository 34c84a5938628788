// The glTF document: growing JSON arrays, the binary buffer, and the files at the end.
// JSON is printed, not built: names here are plain ASCII without quotes. glTF 2.0 specification, section 5.

#include "gltf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
	COMPONENT_U8 = 5121,
	COMPONENT_U16 = 5123,
	COMPONENT_U32 = 5125,
	COMPONENT_FLOAT = 5126,
	TARGET_NONE = 0,
	TARGET_VERTICES = 34962,
	TARGET_INDICES = 34963,
	NODE_LIMIT = 4096,
};

/// One of the document's top-level arrays.
typedef struct list
{
	char *text;
	size_t size, capacity;
	int count;
} list;

struct gltf
{
	char path[512]; ///< folder and name, without extension
	char folder[400];
	char name[64];
	bool binary;
	uint8_t *buffer;
	size_t buffer_size, buffer_capacity;
	list views, accessors, images, textures, materials, meshes, skins, animations, cameras, lights;
	list channels, samplers; ///< of the animation being written
	node nodes[NODE_LIMIT];
	char node_names[NODE_LIMIT][32];
	int node_count;
};

__attribute__((format(printf, 2, 3))) static void say(list *l, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	va_list again;
	va_copy(again, arguments);
	int length = vsnprintf(NULL, 0, format, arguments);
	va_end(arguments);
	if (length < 0)
	{
		give_up("cannot format", "JSON");
	}
	size_t needed = l->size + (size_t)length + 1;
	if (needed > l->capacity)
	{
		l->capacity = needed * 2;
		l->text = obtain_again(l->text, l->capacity);
	}
	vsnprintf(l->text + l->size, (size_t)length + 1, format, again);
	va_end(again);
	l->size += (size_t)length;
}

/// Start the next element of a list; returns its index.
static int next(list *l)
{
	say(l, l->count > 0 ? ",\n\t\t" : "\n\t\t");
	return l->count++;
}

gltf *gltf_new(const char *folder, const char *name, bool binary)
{
	gltf *g = obtain(sizeof(gltf));
	if (strlen(folder) >= sizeof(g->folder))
	{
		give_up("the path is too long", folder);
	}
	snprintf(g->folder, sizeof(g->folder), "%s", folder);
	snprintf(g->name, sizeof(g->name), "%s", name);
	snprintf(g->path, sizeof(g->path), "%s/%s", g->folder, g->name);
	g->binary = binary;
	return g;
}

static int add_view(gltf *g, const void *bytes, size_t size, int target)
{
	size_t offset = (g->buffer_size + 3) & ~(size_t)3;
	if (offset + size > g->buffer_capacity)
	{
		g->buffer_capacity = (offset + size) * 2;
		g->buffer = obtain_again(g->buffer, g->buffer_capacity);
	}
	memset(g->buffer + g->buffer_size, 0, offset - g->buffer_size);
	memcpy(g->buffer + offset, bytes, size);
	g->buffer_size = offset + size;
	int view = next(&g->views);
	say(&g->views, "{ \"buffer\": 0, \"byteOffset\": %zu, \"byteLength\": %zu", offset, size);
	if (target != TARGET_NONE)
	{
		say(&g->views, ", \"target\": %d", target);
	}
	say(&g->views, " }");
	return view;
}

static int add_accessor(gltf *g, int view, int component, bool normalized, size_t count, const char *type)
{
	int accessor = next(&g->accessors);
	say(&g->accessors, "{ \"bufferView\": %d, \"componentType\": %d, \"count\": %zu, \"type\": \"%s\"", view, component,
		count, type);
	say(&g->accessors, normalized ? ", \"normalized\": true }" : " }");
	return accessor;
}

/// Floats with the smallest and largest of each component, as positions and key times need.
static int add_bounded(gltf *g, const float *values, size_t count, size_t components, const char *type, int target)
{
	int view = add_view(g, values, count * components * sizeof(float), target);
	int accessor = next(&g->accessors);
	list *l = &g->accessors;
	say(l, "{ \"bufferView\": %d, \"componentType\": %d, \"count\": %zu, \"type\": \"%s\"", view, COMPONENT_FLOAT,
		count, type);
	for (int end = 0; end < 2; end++)
	{
		say(l, end == 0 ? ", \"min\": [" : ", \"max\": [");
		for (size_t c = 0; c < components; c++)
		{
			float bound = values[c];
			for (size_t i = 1; i < count; i++)
			{
				float v = values[i * components + c];
				bound = end == 0 ? fminf(bound, v) : fmaxf(bound, v);
			}
			// Nine digits bring back the very float that is in the buffer.
			say(l, "%s%.9g", c > 0 ? ", " : "", (double)bound);
		}
		say(l, "]");
	}
	say(l, " }");
	return accessor;
}

static void write_file(const char *path, const void *bytes, size_t size)
{
	FILE *file = fopen(path, "wb");
	if (file == NULL || fwrite(bytes, 1, size, file) != size || fclose(file) != 0)
	{
		give_up("cannot write", path);
	}
}

int gltf_texture(gltf *g, const char *name, picture p, image_format format, bool clamped)
{
	encoded e = format == IMAGE_PNG ? encode_png(&p) : encode_jpeg(&p, 84);
	const char *mime = format == IMAGE_PNG ? "png" : "jpeg";
	const char *extension = format == IMAGE_PNG ? "png" : "jpg";
	int image = 0;
	if (g->binary)
	{
		int view = add_view(g, e.bytes, e.size, TARGET_NONE);
		image = next(&g->images);
		say(&g->images, "{ \"name\": \"%s\", \"bufferView\": %d, \"mimeType\": \"image/%s\" }", name, view, mime);
	}
	else
	{
		char path[640];
		snprintf(path, sizeof(path), "%s/%s.%s", g->folder, name, extension);
		write_file(path, e.bytes, e.size);
		image = next(&g->images);
		say(&g->images, "{ \"name\": \"%s\", \"uri\": \"%s.%s\" }", name, name, extension);
	}
	free(e.bytes);
	picture_free(&p);
	int texture = next(&g->textures);
	say(&g->textures, "{ \"name\": \"%s\", \"source\": %d, \"sampler\": %d }", name, image, clamped ? 1 : 0);
	return texture + 1;
}

static void say_texture(list *l, const char *key, const texture_use *use, const char *extra_key, float extra)
{
	if (use->texture == 0)
	{
		return;
	}
	say(l, ", \"%s\": { \"index\": %d", key, use->texture - 1);
	if (use->uv != 0)
	{
		say(l, ", \"texCoord\": %d", use->uv);
	}
	if (extra_key != NULL && extra > 0.0f)
	{
		say(l, ", \"%s\": %.6g", extra_key, (double)extra);
	}
	if (use->scale > 0.0f)
	{
		say(l, ", \"extensions\": { \"KHR_texture_transform\": { \"scale\": [%.6g, %.6g]", (double)use->scale,
			(double)use->scale);
		if (use->rotation != 0.0f)
		{
			say(l, ", \"rotation\": %.6g", (double)use->rotation);
		}
		say(l, " } }");
	}
	say(l, " }");
}

int gltf_material(gltf *g, const material *m)
{
	list *l = &g->materials;
	int index = next(l);
	say(l, "{ \"name\": \"%s\", \"pbrMetallicRoughness\": { ", m->name);
	say(l, "\"baseColorFactor\": [%.6g, %.6g, %.6g, %.6g], ", (double)m->base.x, (double)m->base.y, (double)m->base.z,
		(double)m->base.w);
	say(l, "\"metallicFactor\": %.6g, \"roughnessFactor\": %.6g", (double)m->metallic, (double)m->roughness);
	say_texture(l, "baseColorTexture", &m->base_map, NULL, 0.0f);
	say_texture(l, "metallicRoughnessTexture", &m->orm_map, NULL, 0.0f);
	say(l, " }");
	say_texture(l, "normalTexture", &m->normal_map, "scale", m->normal_scale);
	say_texture(l, "occlusionTexture", &m->occlusion_map, "strength", m->occlusion_strength);
	say_texture(l, "emissiveTexture", &m->emissive_map, NULL, 0.0f);
	if (m->emissive.x + m->emissive.y + m->emissive.z > 0.0f)
	{
		say(l, ", \"emissiveFactor\": [%.6g, %.6g, %.6g]", (double)m->emissive.x, (double)m->emissive.y,
			(double)m->emissive.z);
	}
	if (m->mask > 0.0f)
	{
		say(l, ", \"alphaMode\": \"MASK\", \"alphaCutoff\": %.6g", (double)m->mask);
	}
	if (m->double_sided)
	{
		say(l, ", \"doubleSided\": true");
	}
	if (m->extensions != NULL)
	{
		say(l, ", \"extensions\": { %s }", m->extensions);
	}
	say(l, " }");
	return index;
}

/// Gather one attribute of all vertices, tightly packed, into a view.
static int add_attribute(gltf *g, const mesh *m, size_t offset, size_t size)
{
	uint8_t *bytes = obtain(m->vertex_count * size);
	for (size_t i = 0; i < m->vertex_count; i++)
	{
		memcpy(bytes + i * size, (const uint8_t *)&m->vertices[i] + offset, size);
	}
	int view = add_view(g, bytes, m->vertex_count * size, TARGET_VERTICES);
	free(bytes);
	return view;
}

static int add_positions(gltf *g, const mesh *m)
{
	float *values = obtain(m->vertex_count * 3 * sizeof(float));
	for (size_t i = 0; i < m->vertex_count; i++)
	{
		memcpy(values + i * 3, &m->vertices[i].position, 3 * sizeof(float));
	}
	int accessor = add_bounded(g, values, m->vertex_count, 3, "VEC3", TARGET_VERTICES);
	free(values);
	return accessor;
}

static int add_indices(gltf *g, const mesh *m)
{
	// 65535 would be the primitive restart value.
	if (m->vertex_count > 65535)
	{
		int view = add_view(g, m->indices, m->index_count * sizeof(uint32_t), TARGET_INDICES);
		return add_accessor(g, view, COMPONENT_U32, false, m->index_count, "SCALAR");
	}
	uint16_t *shorts = obtain(m->index_count * sizeof(uint16_t));
	for (size_t i = 0; i < m->index_count; i++)
	{
		shorts[i] = (uint16_t)m->indices[i];
	}
	int view = add_view(g, shorts, m->index_count * sizeof(uint16_t), TARGET_INDICES);
	free(shorts);
	return add_accessor(g, view, COMPONENT_U16, false, m->index_count, "SCALAR");
}

/// The body of one primitive, without its closing brace. Attributes are added before anything is said: both are lists.
static void say_primitive(gltf *g, const mesh *m, int surface)
{
	size_t n = m->vertex_count;
	int position = add_positions(g, m);
	int normal = add_accessor(g, add_attribute(g, m, offsetof(vertex, normal), 12), COMPONENT_FLOAT, false, n, "VEC3");
	list *l = &g->meshes;
	say(l, "{ \"attributes\": { \"POSITION\": %d, \"NORMAL\": %d", position, normal);
	if (m->attributes & HAS_TANGENT)
	{
		int view = add_attribute(g, m, offsetof(vertex, tangent), 16);
		say(l, ", \"TANGENT\": %d", add_accessor(g, view, COMPONENT_FLOAT, false, n, "VEC4"));
	}
	if (m->attributes & HAS_UV)
	{
		int view = add_attribute(g, m, offsetof(vertex, uv), 8);
		say(l, ", \"TEXCOORD_0\": %d", add_accessor(g, view, COMPONENT_FLOAT, false, n, "VEC2"));
	}
	if (m->attributes & HAS_UV1)
	{
		int view = add_attribute(g, m, offsetof(vertex, uv1), 8);
		say(l, ", \"TEXCOORD_1\": %d", add_accessor(g, view, COMPONENT_FLOAT, false, n, "VEC2"));
	}
	if (m->attributes & HAS_COLOR)
	{
		int view = add_attribute(g, m, offsetof(vertex, color), 4);
		say(l, ", \"COLOR_0\": %d", add_accessor(g, view, COMPONENT_U8, true, n, "VEC4"));
	}
	if (m->attributes & HAS_SKIN)
	{
		int joints = add_accessor(g, add_attribute(g, m, offsetof(vertex, joints), 4), COMPONENT_U8, false, n, "VEC4");
		int weights =
			add_accessor(g, add_attribute(g, m, offsetof(vertex, weights), 16), COMPONENT_FLOAT, false, n, "VEC4");
		say(l, ", \"JOINTS_0\": %d, \"WEIGHTS_0\": %d", joints, weights);
	}
	say(l, " }, \"indices\": %d", add_indices(g, m));
	if (surface >= 0)
	{
		say(l, ", \"material\": %d", surface);
	}
}

int gltf_mesh(gltf *g, const char *name, mesh *parts, const int *materials, int count)
{
	int index = next(&g->meshes);
	say(&g->meshes, "{ \"name\": \"%s\", \"primitives\": [", name);
	for (int i = 0; i < count; i++)
	{
		say(&g->meshes, i > 0 ? ", " : "");
		say_primitive(g, &parts[i], materials[i]);
		say(&g->meshes, " }");
		mesh_free(&parts[i]);
	}
	say(&g->meshes, "] }");
	return index;
}

int gltf_morph_mesh(gltf *g, const char *name, mesh *base, int surface, mesh *targets, const char *const *target_names,
	int target_count)
{
	list *l = &g->meshes;
	int index = next(l);
	say(l, "{ \"name\": \"%s\", \"extras\": { \"targetNames\": [", name);
	for (int i = 0; i < target_count; i++)
	{
		say(l, "%s\"%s\"", i > 0 ? ", " : "", target_names[i]);
	}
	say(l, "] }, \"weights\": [");
	for (int i = 0; i < target_count; i++)
	{
		say(l, i > 0 ? ", 0" : "0");
	}
	say(l, "], \"primitives\": [");
	say_primitive(g, base, surface);
	say(l, ", \"targets\": [");
	for (int i = 0; i < target_count; i++)
	{
		mesh *t = &targets[i];
		for (size_t k = 0; k < t->vertex_count; k++)
		{
			t->vertices[k].position = sub3(t->vertices[k].position, base->vertices[k].position);
			t->vertices[k].normal = sub3(t->vertices[k].normal, base->vertices[k].normal);
		}
		int position = add_positions(g, t);
		int view = add_attribute(g, t, offsetof(vertex, normal), 12);
		int normal = add_accessor(g, view, COMPONENT_FLOAT, false, t->vertex_count, "VEC3");
		say(l, "%s{ \"POSITION\": %d, \"NORMAL\": %d }", i > 0 ? ", " : "", position, normal);
		mesh_free(t);
	}
	say(l, "] }] }");
	mesh_free(base);
	return index;
}

node node_named(const char *name, int parent)
{
	return (node){
		.name = name,
		.parent = parent,
		.rotation = { 0.0f, 0.0f, 0.0f, 1.0f },
		.scale = { 1.0f, 1.0f, 1.0f },
		.mesh = -1,
		.skin = -1,
		.camera = -1,
		.light = -1,
	};
}

int gltf_node(gltf *g, const node *n)
{
	if (g->node_count == NODE_LIMIT)
	{
		give_up("too many nodes", n->name);
	}
	g->nodes[g->node_count] = *n;
	snprintf(g->node_names[g->node_count], sizeof(g->node_names[0]), "%s", n->name);
	return g->node_count++;
}

int gltf_place(gltf *g, const char *name, int parent, int shown, vec3 translation)
{
	node n = node_named(name, parent);
	n.mesh = shown;
	n.translation = translation;
	return gltf_node(g, &n);
}

int gltf_skin(gltf *g, const char *name, int skeleton, const int *joints, const vec3 *rest, int count)
{
	float *matrices = obtain((size_t)count * 16 * sizeof(float));
	for (int i = 0; i < count; i++)
	{
		float *m = matrices + i * 16;
		m[0] = m[5] = m[10] = m[15] = 1.0f;
		m[12] = -rest[i].x;
		m[13] = -rest[i].y;
		m[14] = -rest[i].z;
	}
	int view = add_view(g, matrices, (size_t)count * 16 * sizeof(float), TARGET_NONE);
	free(matrices);
	int accessor = add_accessor(g, view, COMPONENT_FLOAT, false, (size_t)count, "MAT4");
	int index = next(&g->skins);
	say(&g->skins, "{ \"name\": \"%s\", \"skeleton\": %d, \"inverseBindMatrices\": %d, \"joints\": [", name, skeleton,
		accessor);
	for (int i = 0; i < count; i++)
	{
		say(&g->skins, "%s%d", i > 0 ? ", " : "", joints[i]);
	}
	say(&g->skins, "] }");
	return index;
}

void gltf_animation_begin(gltf *g, const char *name)
{
	next(&g->animations);
	say(&g->animations, "{ \"name\": \"%s\"", name);
}

void gltf_channel(gltf *g, int target, channel_path path, const char *interpolation, const float *times, int keys,
	const float *values, int components)
{
	static const char *const path_names[4] = { "translation", "rotation", "scale", "weights" };
	size_t per_key = strcmp(interpolation, "CUBICSPLINE") == 0 ? 3 : 1;
	size_t count = (size_t)keys * per_key;
	int input = add_bounded(g, times, (size_t)keys, 1, "SCALAR", TARGET_NONE);
	int view = add_view(g, values, count * (size_t)components * sizeof(float), TARGET_NONE);
	size_t elements = path == PATH_WEIGHTS ? count * (size_t)components : count;
	const char *type = path == PATH_WEIGHTS ? "SCALAR" : path == PATH_ROTATION ? "VEC4" : "VEC3";
	int output = add_accessor(g, view, COMPONENT_FLOAT, false, elements, type);
	int sampler = next(&g->samplers);
	say(&g->samplers, "{ \"input\": %d, \"output\": %d, \"interpolation\": \"%s\" }", input, output, interpolation);
	next(&g->channels);
	say(&g->channels, "{ \"sampler\": %d, \"target\": { \"node\": %d, \"path\": \"%s\" } }", sampler, target,
		path_names[path]);
}

static void list_reset(list *l)
{
	l->size = 0;
	l->count = 0;
}

void gltf_animation_end(gltf *g)
{
	say(&g->animations, ", \"samplers\": [%s], \"channels\": [%s] }", g->samplers.text, g->channels.text);
	list_reset(&g->samplers);
	list_reset(&g->channels);
}

int gltf_perspective(gltf *g, const char *name, float fov, float aspect, float near, float far)
{
	int index = next(&g->cameras);
	say(&g->cameras, "{ \"name\": \"%s\", \"type\": \"perspective\", \"perspective\": { ", name);
	say(&g->cameras, "\"yfov\": %.6g, \"aspectRatio\": %.6g, \"znear\": %.6g, \"zfar\": %.6g } }", (double)fov,
		(double)aspect, (double)near, (double)far);
	return index;
}

int gltf_orthographic(gltf *g, const char *name, float half_width, float half_height, float near, float far)
{
	int index = next(&g->cameras);
	say(&g->cameras, "{ \"name\": \"%s\", \"type\": \"orthographic\", \"orthographic\": { ", name);
	say(&g->cameras, "\"xmag\": %.6g, \"ymag\": %.6g, \"znear\": %.6g, \"zfar\": %.6g } }", (double)half_width,
		(double)half_height, (double)near, (double)far);
	return index;
}

int gltf_light(gltf *g, const char *name, const char *kind, vec3 color, float intensity, float range)
{
	int index = next(&g->lights);
	say(&g->lights, "{ \"name\": \"%s\", \"type\": \"%s\", \"color\": [%.6g, %.6g, %.6g], \"intensity\": %.6g", name,
		kind, (double)color.x, (double)color.y, (double)color.z, (double)intensity);
	if (range > 0.0f)
	{
		say(&g->lights, ", \"range\": %.6g", (double)range);
	}
	say(&g->lights, " }");
	return index;
}

static void say_node_content(list *l, const node *n)
{
	if (n->mesh >= 0)
	{
		say(l, ", \"mesh\": %d", n->mesh);
	}
	if (n->skin >= 0)
	{
		say(l, ", \"skin\": %d", n->skin);
	}
	if (n->camera >= 0)
	{
		say(l, ", \"camera\": %d", n->camera);
	}
	if (n->light >= 0)
	{
		say(l, ", \"extensions\": { \"KHR_lights_punctual\": { \"light\": %d } }", n->light);
	}
}

static void say_node(const gltf *g, list *l, int index)
{
	const node *n = &g->nodes[index];
	next(l);
	say(l, "{ \"name\": \"%s\"", g->node_names[index]);
	vec3 t = n->translation;
	if (t.x != 0.0f || t.y != 0.0f || t.z != 0.0f)
	{
		say(l, ", \"translation\": [%.6g, %.6g, %.6g]", (double)t.x, (double)t.y, (double)t.z);
	}
	vec4 r = n->rotation;
	if (r.w != 1.0f)
	{
		say(l, ", \"rotation\": [%.9g, %.9g, %.9g, %.9g]", (double)r.x, (double)r.y, (double)r.z, (double)r.w);
	}
	vec3 s = n->scale;
	if (s.x != 1.0f || s.y != 1.0f || s.z != 1.0f)
	{
		say(l, ", \"scale\": [%.6g, %.6g, %.6g]", (double)s.x, (double)s.y, (double)s.z);
	}
	say_node_content(l, n);
	int children = 0;
	for (int i = index + 1; i < g->node_count; i++)
	{
		if (g->nodes[i].parent == index)
		{
			say(l, children++ > 0 ? ", %d" : ", \"children\": [%d", i);
		}
	}
	say(l, children > 0 ? "] }" : " }");
}

static void say_list(list *out, const char *key, const list *l)
{
	if (l->count > 0)
	{
		say(out, ",\n\t\"%s\": [%s\n\t]", key, l->text);
	}
}

/// Name every known extension that the printed parts mention.
static void say_extensions(const gltf *g, list *out)
{
	static const char *const known[] = {
		"KHR_texture_transform",
		"KHR_materials_transmission",
		"KHR_materials_volume",
		"KHR_materials_ior",
		"KHR_materials_clearcoat",
		"KHR_materials_sheen",
		"KHR_materials_specular",
		"KHR_materials_anisotropy",
		"KHR_materials_iridescence",
		"KHR_materials_emissive_strength",
	};
	list used = { 0 };
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
	{
		if (g->materials.count > 0 && strstr(g->materials.text, known[i]) != NULL)
		{
			next(&used);
			say(&used, "\"%s\"", known[i]);
		}
	}
	if (g->lights.count > 0)
	{
		next(&used);
		say(&used, "\"KHR_lights_punctual\"");
	}
	say_list(out, "extensionsUsed", &used);
	free(used.text);
	if (g->lights.count > 0)
	{
		say(out, ",\n\t\"extensions\": { \"KHR_lights_punctual\": { \"lights\": [%s\n\t] } }", g->lights.text);
	}
}

static void say_document(const gltf *g, list *out)
{
	say(out, "{\n\t\"asset\": { \"version\": \"2.0\", \"generator\": \"larder courtyard-generate\", ");
	say(out, "\"copyright\": \"Part of larder, under its licence\" }");
	say_extensions(g, out);
	list nodes = { 0 };
	list roots = { 0 };
	for (int i = 0; i < g->node_count; i++)
	{
		say_node(g, &nodes, i);
		if (g->nodes[i].parent < 0)
		{
			say(&roots, roots.size > 0 ? ", %d" : "%d", i);
		}
	}
	say(out, ",\n\t\"scene\": 0,\n\t\"scenes\": [{ \"name\": \"%s\", \"nodes\": [%s] }]", g->name,
		roots.text != NULL ? roots.text : "");
	say_list(out, "nodes", &nodes);
	say_list(out, "meshes", &g->meshes);
	say_list(out, "materials", &g->materials);
	say_list(out, "textures", &g->textures);
	say_list(out, "images", &g->images);
	say(out, ",\n\t\"samplers\": [\n");
	say(out, "\t\t{ \"magFilter\": 9729, \"minFilter\": 9987, \"wrapS\": 10497, \"wrapT\": 10497 },\n");
	say(out, "\t\t{ \"magFilter\": 9729, \"minFilter\": 9987, \"wrapS\": 33071, \"wrapT\": 33071 }\n\t]");
	say_list(out, "skins", &g->skins);
	say_list(out, "animations", &g->animations);
	say_list(out, "cameras", &g->cameras);
	say_list(out, "accessors", &g->accessors);
	say_list(out, "bufferViews", &g->views);
	say(out, ",\n\t\"buffers\": [{ ");
	if (!g->binary)
	{
		say(out, "\"uri\": \"%s.bin\", ", g->name);
	}
	say(out, "\"byteLength\": %zu }]\n}\n", g->buffer_size);
	free(nodes.text);
	free(roots.text);
}

static void put_u32(uint8_t *at, size_t value)
{
	for (int i = 0; i < 4; i++)
	{
		at[i] = (uint8_t)(value >> (8 * i));
	}
}

/// GLB: header, JSON chunk padded with spaces, binary chunk padded with zeros. glTF 2.0, section 4.4.
static void write_binary(const gltf *g, const list *json)
{
	size_t json_size = (json->size + 3) & ~(size_t)3;
	size_t buffer_size = (g->buffer_size + 3) & ~(size_t)3;
	size_t total = 12 + 8 + json_size + 8 + buffer_size;
	uint8_t *file = obtain(total);
	put_u32(file, 0x46546C67);
	put_u32(file + 4, 2);
	put_u32(file + 8, total);
	put_u32(file + 12, json_size);
	put_u32(file + 16, 0x4E4F534A);
	memset(file + 20, ' ', json_size);
	memcpy(file + 20, json->text, json->size);
	put_u32(file + 20 + json_size, buffer_size);
	put_u32(file + 24 + json_size, 0x004E4942);
	memcpy(file + 28 + json_size, g->buffer, g->buffer_size);
	char path[640];
	snprintf(path, sizeof(path), "%s.glb", g->path);
	write_file(path, file, total);
	free(file);
}

void gltf_write(gltf *g)
{
	list json = { 0 };
	say_document(g, &json);
	if (g->binary)
	{
		write_binary(g, &json);
	}
	else
	{
		char path[640];
		snprintf(path, sizeof(path), "%s.bin", g->path);
		write_file(path, g->buffer, g->buffer_size);
		snprintf(path, sizeof(path), "%s.gltf", g->path);
		write_file(path, json.text, json.size);
	}
	list *all[] = { &g->views, &g->accessors, &g->images, &g->textures, &g->materials, &g->meshes, &g->skins,
		&g->animations, &g->cameras, &g->lights, &g->channels, &g->samplers, &json };
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
	{
		free(all[i]->text);
	}
	free(g->buffer);
	free(g);
}

// tests/cook_scratch.h: a source root and an output folder for tests of the cook, sources to put there, and a cook to run over them.

#ifndef COOK_SCRATCH_H
#define COOK_SCRATCH_H

#include "fixtures/gltf_build.h"
#include "larder/cook.h"
#include "os_scratch.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/// What the last cook said of each source, in order: "cooked a.gltf", "failed b.glb: message".
typedef struct cook_log
{
	char lines[64][1400];
	unsigned count;
} cook_log;

static inline void cook_log_source(void *user, const lrd_source_report *report)
{
	static const char *const states[] = { "cooked", "up to date", "failed", "skipped" };
	cook_log *log = user;
	if (log != NULL && log->count < 64)
	{
		snprintf(log->lines[log->count++], sizeof log->lines[0], "%s %.*s%s%s", states[report->state],
			LRD_STR_ARG(report->path), report->message != NULL ? ": " : "",
			report->message != NULL ? report->message : "");
	}
}

/// The first line that starts so; fails the test when there is none.
static inline const char *cook_log_find(const cook_log *log, const char *start)
{
	for (unsigned i = 0; i < log->count; ++i)
	{
		if (strncmp(log->lines[i], start, strlen(start)) == 0)
		{
			return log->lines[i];
		}
	}
	fail_msg("no line starts with \"%s\"", start);
	return "";
}

typedef struct cook_setup
{
	const char *source; ///< folder or file in the scratch; NULL: "src"
	const char *output; ///< NULL: "out"
	const char *root;   ///< folder in the scratch; NULL: none is said
	bool force;
	const lrd_jobs *jobs;
	lrd_allocator allocator;
} cook_setup;

static inline bool cook_try(
	scratch *self, const cook_setup *setup, cook_log *log, lrd_cook_report *report, lrd_error *error)
{
	char source[512];
	char output[512];
	snprintf(source, sizeof source, "%s/%s", self->root, setup->source != NULL ? setup->source : "src");
	char root[512];
	snprintf(output, sizeof output, "%s/%s", self->root, setup->output != NULL ? setup->output : "out");
	snprintf(root, sizeof root, "%s/%s", self->root, setup->root != NULL ? setup->root : "");
	const char *sources[] = { source };
	lrd_cook_desc desc = {
		.sources = sources,
		.source_count = 1,
		.output = output,
		.root = setup->root != NULL ? root : NULL,
		.force = setup->force,
		.target = LRD_TARGET_RAW, // blocks have tests of their own, and take their time
		.jobs = setup->jobs,
		.allocator = setup->allocator,
		.on_source = cook_log_source,
		.user = log,
	};
	return lrd_cook_run(&desc, report, error);
}

/// A cook that must run.
static inline lrd_cook_report cook(scratch *self, cook_log *log)
{
	lrd_cook_report report = { 0 };
	lrd_error error = { 0 };
	if (log != NULL)
	{
		log->count = 0;
	}
	if (!cook_try(self, &(cook_setup){ 0 }, log, &report, &error))
	{
		fail_msg("%s", error.message);
	}
	return report;
}

static inline void put_bytes(scratch *self, const char *name, lrd_bytes bytes)
{
	FILE *file = fopen(scratch_path(self, name), "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes.data, 1, bytes.size, file), bytes.size);
	fclose(file);
}

/// A model of one triangle whose node has this name.
static inline void put_triangle(scratch *self, const char *name, const char *node)
{
	gltf_build build;
	gltf_begin(&build);
	gltf_add(&build, "nodes", "{\"name\":\"%s\",\"mesh\":%d}", node, gltf_triangle(&build));
	put_bytes(self, name, gltf_finish(&build, GLTF_FORM_DATA_URI));
	gltf_end(&build);
}

/// A 2 x 2 uncompressed TGA of one colour.
static inline void put_image(scratch *self, const char *name, unsigned char level)
{
	unsigned char bytes[18 + 16] = { 0, 0, 2, [12] = 2, [14] = 2, [16] = 32, [17] = 0x28 };
	memset(bytes + 18, level, 16);
	put_bytes(self, name, (lrd_bytes){ bytes, sizeof bytes });
}

/// A model of one textured triangle, whose image is a file.
static inline void put_textured(scratch *self, const char *name, const char *image)
{
	gltf_build build;
	gltf_begin(&build);
	gltf_add(&build, "images", "{\"uri\":\"%s\"}", image);
	gltf_add(&build, "textures", "{\"source\":0}");
	gltf_add(&build, "materials", "{\"name\":\"M\",\"pbrMetallicRoughness\":{\"baseColorTexture\":{\"index\":0}}}");
	int positions = gltf_corners(&build, 3);
	static const float uv[] = { 0, 0, 1, 0, 0, 1 };
	int uvs = gltf_floats(&build, uv, 3, "VEC2");
	gltf_add(&build, "meshes",
		"{\"name\":\"T\",\"primitives\":[{\"attributes\":{\"POSITION\":%d,\"TEXCOORD_0\":%d},\"material\":0}]}",
		positions, uvs);
	gltf_add(&build, "nodes", "{\"mesh\":0}");
	put_bytes(self, name, gltf_finish(&build, GLTF_FORM_DATA_URI));
	gltf_end(&build);
}

/// Something of everything in "src": a textured, skinned, animated, morphed model, and a loose image.
static inline void put_rich(scratch *self)
{
	static const float uv[] = { 0, 0, 1, 0, 0, 1 };
	static const float weights[] = { 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0 };
	static const uint16_t joints[] = { 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0 };
	static const float deltas[] = { 0, 0, 0, 0, 0, 1, 0, 0, 0 };
	static const float times[] = { 0, 0.5f, 1 };
	static const float turns[] = { 0, 0, 0, 1, 0, 0, 0.7071068f, 0.7071068f, 0, 0, 1, 0 };
	gltf_build build;
	gltf_begin(&build);
	gltf_add(&build, "images", "{\"uri\":\"wood.tga\"}");
	gltf_add(&build, "textures", "{\"source\":0}");
	gltf_add(&build, "materials",
		"{\"name\":\"M\",\"alphaMode\":\"MASK\",\"pbrMetallicRoughness\":{\"baseColorTexture\":{\"index\":0}},"
		"\"normalTexture\":{\"index\":0}}");
	int p = gltf_corners(&build, 3);
	int t = gltf_floats(&build, uv, 3, "VEC2");
	int w = gltf_floats(&build, weights, 3, "VEC4");
	int j = gltf_accessor(&build, gltf_view(&build, joints, sizeof joints, 0), GLTF_U16, false, 3, "VEC4");
	int d = gltf_floats(&build, deltas, 3, "VEC3");
	gltf_add(&build, "meshes",
		"{\"name\":\"Skin\",\"primitives\":[{\"attributes\":{\"POSITION\":%d,\"TEXCOORD_0\":%d,\"JOINTS_0\":%d,"
		"\"WEIGHTS_0\":%d},\"material\":0}]}",
		p, t, j, w);
	gltf_add(&build, "meshes",
		"{\"name\":\"Morph\",\"weights\":[0.5],\"primitives\":[{\"attributes\":{\"POSITION\":%d,\"TEXCOORD_0\":%d},"
		"\"targets\":[{\"POSITION\":%d}]}]}",
		p, t, d);
	gltf_add(&build, "nodes", "{\"name\":\"Root\",\"children\":[1]}");
	gltf_add(&build, "nodes", "{\"name\":\"Tip\",\"translation\":[0,1,0]}");
	gltf_add(&build, "nodes", "{\"mesh\":0,\"skin\":0}");
	gltf_add(&build, "nodes", "{\"mesh\":1}");
	gltf_add(&build, "skins", "{\"joints\":[0,1]}");
	int ta = gltf_floats(&build, times, 3, "SCALAR");
	int va = gltf_floats(&build, turns, 3, "VEC4");
	gltf_add(&build, "animations",
		"{\"name\":\"Turn\",\"samplers\":[{\"input\":%d,\"output\":%d}],\"channels\":[{\"sampler\":0,\"target\":{"
		"\"node\":1,"
		"\"path\":\"rotation\"}}]}",
		ta, va);
	put_bytes(self, "src/rich.glb", gltf_finish(&build, GLTF_FORM_BINARY));
	gltf_end(&build);
	put_image(self, "src/wood.tga", 77);
	put_image(self, "src/loose.tga", 78);
}

static inline bool file_exists(scratch *self, const char *name)
{
	return access(scratch_path(self, name), F_OK) == 0;
}

/// A file's bytes; the test frees them.
static inline lrd_bytes read_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	assert_non_null(file);
	fseek(file, 0, SEEK_END);
	size_t size = (size_t)ftell(file);
	rewind(file);
	void *data = aligned_alloc(16, (size + 16) & ~(size_t)15);
	assert_int_equal(fread(data, 1, size, file), size);
	fclose(file);
	return (lrd_bytes){ data, size };
}

/// Two trees hold the same files, bytes and all; what starts with a dot is not looked at.
static inline void assert_same_tree(const char *a, const char *b)
{
	char command[1400];
	snprintf(command, sizeof command, "diff -r -x '.*' '%s' '%s' >&2", a, b);
	assert_int_equal(system(command), 0);
}

#endif

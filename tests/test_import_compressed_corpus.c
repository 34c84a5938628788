// Compressed files of the public corpus against what they were made from: cubes beside cubes that are not compressed, a
// pirate beside its OBJ. LARDER_CORPUS, or ../shared/corpus beside the source.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/maths.h"
#include "larder/document.h"
#include "os/os.h"

static char root[4096];

static void find_corpus(void)
{
	const char *given = getenv("LARDER_CORPUS");
	(void)snprintf(root, sizeof root, "%s", given != NULL ? given : LRD_TEST_SOURCE_DIR "/../shared/corpus");
	lrd_file_info info;
	if (!lrd_file_stat(root, &info, NULL) || !info.is_folder)
	{
		print_message("skipped: no corpus at %s; set LARDER_CORPUS\n", root);
		skip();
	}
}

static lrd_document *import(const char *path)
{
	lrd_error error = { .code = LRD_OK };
	lrd_document *document = lrd_import_file(&(lrd_import_desc){ .root = root, .path = path }, &error);
	if (document == NULL)
	{
		fail_msg("%s", error.message);
	}
	return document;
}

static void check_near(const char *what, const float *found, const float *expected, size_t count, float tolerance)
{
	assert_int_equal(found != NULL, expected != NULL);
	for (size_t i = 0; found != NULL && i < count; i++)
	{
		if (!(fabsf(found[i] - expected[i]) <= tolerance))
		{
			fail_msg("%s, number %zu: %g, without compression %g", what, i, (double)found[i], (double)expected[i]);
		}
	}
}

// The file's mesh names say what each is: five cubes without compression, then four times the same five with more and
// more of it.
#define FIRST_CUBE 10u
#define CUBES 5u

static void cubes_are_what_their_uncompressed_twins_are(void **state)
{
	(void)state;
	find_corpus();
	lrd_document *document = import("gltf/lgl/MeshoptCubeTest/MeshoptCubeTest.gltf");
	assert_int_equal(document->mesh_count, FIRST_CUBE + 5 * CUBES);
	for (uint32_t m = FIRST_CUBE + CUBES; m < document->mesh_count; m++)
	{
		const lrd_document_primitive *cube = &document->meshes[m].primitives[0];
		const lrd_document_primitive *twin = &document->meshes[FIRST_CUBE + (m - FIRST_CUBE) % CUBES].primitives[0];
		const char *name = document->meshes[m].name.data;
		assert_int_equal(cube->vertex_count, twin->vertex_count);
		assert_int_equal(cube->index_count, twin->index_count);
		size_t n = cube->vertex_count;
		check_near(name, cube->positions, twin->positions, n * 3, 1e-4f);
		check_near(name, cube->normals, twin->normals, n * 3, 1.01f / 127);
		check_near(name, cube->colors, twin->colors, n * 4, 1.01f / 255);
		for (uint32_t t = 0; t < cube->index_count; t += 3) // the codec may turn a triangle's corners round
		{
			const uint32_t *a = cube->indices + t, *b = twin->indices + t;
			uint32_t start = a[0] == b[0] ? 0 : a[0] == b[1] ? 1 : 2;
			assert_true(a[0] == b[start] && a[1] == b[(start + 1) % 3] && a[2] == b[(start + 2) % 3]);
		}
	}
	assert_int_equal(document->animation_count, 1);
	const lrd_document_animation *animation = &document->animations[0];
	assert_int_equal(animation->channel_count, CUBES);
	for (uint32_t c = 1; c < CUBES; c++)
	{
		const lrd_document_channel *first = &animation->channels[0], *channel = &animation->channels[c];
		assert_int_equal(channel->key_count, first->key_count);
		check_near("rotation", channel->values, first->values, (size_t)first->key_count * 4, 1e-4f);
	}
	lrd_document_free(document);
}

typedef struct points
{
	lrd_vec3 *list;
	size_t count;
} points;

static points read_obj(const char *path)
{
	char native[5000];
	(void)snprintf(native, sizeof native, "%s/%s", root, path);
	FILE *file = fopen(native, "r");
	assert_non_null(file);
	points read = { malloc(100000 * sizeof(lrd_vec3)), 0 };
	char line[512];
	while (fgets(line, sizeof line, file) != NULL)
	{
		lrd_vec3 p;
		if (line[0] == 'v' && line[1] == ' ' && sscanf(line + 2, "%f %f %f", &p.x, &p.y, &p.z) == 3)
		{
			assert_true(read.count < 100000);
			read.list[read.count++] = p;
		}
	}
	(void)fclose(file);
	return read;
}

static float farthest(const points *from, const points *to)
{
	float most = 0.0f;
	for (size_t i = 0; i < from->count; i++)
	{
		float least = INFINITY;
		for (size_t j = 0; j < to->count; j++)
		{
			least = fminf(least, lrd_vec3_length(lrd_vec3_sub(from->list[i], to->list[j])));
		}
		most = fmaxf(most, least);
	}
	return most;
}

static void the_pirate_stands_where_his_obj_does(void **state)
{
	(void)state;
	find_corpus();
	lrd_document *document = import("gltf/lgl/pirate/pirate.glb");
	points expected = read_obj("gltf/lgl/pirate/pirate.obj");
	const lrd_document_primitive *body = &document->meshes[0].primitives[0];
	points found = { malloc(body->vertex_count * sizeof(lrd_vec3)), body->vertex_count };
	assert_true(expected.list != NULL && found.list != NULL);
	for (uint32_t v = 0; v < body->vertex_count; v++)
	{
		const float *p = body->positions + (size_t)v * 3;
		found.list[v] = lrd_mat4_point(&document->nodes[0].matrix, (lrd_vec3){ p[0], p[1], p[2] });
		const float *n = body->normals + (size_t)v * 3;
		assert_float_equal(sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]), 1.0f, 0.01f);
	}
	float step = document->nodes[0].local.scale.x; // positions are integers times this
	assert_true(farthest(&found, &expected) < step);
	assert_true(farthest(&expected, &found) < step);
	assert_int_equal(body->index_count, 15030);
	free(found.list);
	free(expected.list);
	lrd_document_free(document);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cubes_are_what_their_uncompressed_twins_are),
		cmocka_unit_test(the_pirate_stands_where_his_obj_does),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

// Every glTF of the public corpus: imported, or refused for the reason that is known. LARDER_CORPUS, or
// ../shared/corpus beside the source.

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

// What can't be imported, and what the message says.
static const char *const refusals[][2] = {
#ifndef LRD_HAVE_DRACO
	{ "gltf/draco/Box_Draco.glb", "\"KHR_draco_mesh_compression\", which this larder was built without" },
	{ "gltf/gtx/DracoSparseMesh.gltf", "\"KHR_draco_mesh_compression\", which this larder was built without" },
#endif
	{ "gltf/cn/CesiumBalloonKTX2.glb", "requires extension \"KHR_texture_basisu\"" },
	{ "gltf/pipe/shared-image/box-shared-image-references-separate.gltf",
		"requires extension \"KHR_techniques_webgl\"" },
	{ "gltf/mp/mesh-sparse/mesh-sparse.gltf", "sparse index 1 is 1, not above the 2 before it" },
	{ "bad/val/v_accessor/unresolved_bufferviews.gltf", "/accessors/0/bufferView: there is no buffer view 0" },
	{ "bad/val/v_buffer_view/invalid_length.gltf", "/bufferViews/0: bytes 0 to 5 lie outside buffer 0" },
	{ "bad/val/v_glb/chunk_too_big.glb", "the header says 13 bytes, the file has 48" },
	{ "bad/val/v_glb/invalid_magic.glb", "does not begin with \"glTF\"" },
	{ "bad/val/v_glb/no_header.glb", "does not begin with \"glTF\"" },
	{ "bad/val/v_json/invalid_syntax.gltf", "JSON, line 1, column 2: found ']', expected a key" },
	{ "bad/val/v_node/infinite_transform.gltf", "/nodes/0/translation/0: found inf" },
	{ "bad/val/v_node/node_loop.gltf", "node 0 is its own ancestor" },
	{ "bad/val/v_skin/ibm_invalid_count.gltf", "skin 2: 2 inverse bind matrices for 3 joints" },
};

static char root[4096];

static bool find_corpus(void)
{
	const char *given = getenv("LARDER_CORPUS");
	(void)snprintf(root, sizeof root, "%s", given != NULL ? given : LRD_TEST_SOURCE_DIR "/../shared/corpus");
	lrd_file_info info;
	return lrd_file_stat(root, &info, NULL) && info.is_folder;
}

static const char *refusal_of(lrd_string path)
{
	for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++)
	{
		if (lrd_string_equal(path, lrd_string_from(refusals[i][0])))
		{
			return refusals[i][1];
		}
	}
	return NULL;
}

static void check_primitive(const char *path, const lrd_document *document, const lrd_document_primitive *primitive)
{
	size_t vertices = primitive->vertex_count;
	bool sound = primitive->index_count != 0 && primitive->index_count % 3 == 0 &&
				 (primitive->material == LRD_NO_INDEX || primitive->material < document->material_count) &&
				 lrd_all_finite(primitive->positions, vertices * 3);
	for (uint32_t i = 0; i < primitive->index_count; i++)
	{
		sound = sound && primitive->indices[i] < vertices;
	}
	for (size_t v = 0; primitive->weights != NULL && v < vertices; v++)
	{
		const float *w = primitive->weights + v * 4;
		sound = sound && fabsf(w[0] + w[1] + w[2] + w[3] - 1.0f) < 1e-5f;
	}
	if (!sound)
	{
		fail_msg("%s: a primitive breaks what document.h says", path);
	}
}

static void check_document(const char *path, const lrd_document *document)
{
	for (uint32_t m = 0; m < document->mesh_count; m++)
	{
		for (uint32_t p = 0; p < document->meshes[m].primitive_count; p++)
		{
			check_primitive(path, document, &document->meshes[m].primitives[p]);
		}
	}
	for (uint32_t a = 0; a < document->animation_count; a++)
	{
		for (uint32_t c = 0; c < document->animations[a].channel_count; c++)
		{
			const lrd_document_channel *channel = &document->animations[a].channels[c];
			for (uint32_t k = 1; k < channel->key_count; k++)
			{
				assert_true(channel->times[k] > channel->times[k - 1]);
			}
			size_t values = (size_t)channel->key_count * channel->components;
			assert_true(channel->node < document->node_count);
			assert_true(lrd_all_finite(
				channel->values, channel->interpolation == LRD_INTERPOLATION_CUBIC ? values * 3 : values));
		}
	}
}

static bool import_one(void *user, lrd_string path, const lrd_file_info *info)
{
	(void)info;
	if (!lrd_import_knows(path))
	{
		return true;
	}
	char name[1024];
	(void)snprintf(name, sizeof name, "%.*s", LRD_STR_ARG(path));
	lrd_error error = { .code = LRD_OK };
	lrd_document *document = lrd_import_file(&(lrd_import_desc){ .root = root, .path = name }, &error);
	const char *refusal = refusal_of(path);
	if (document == NULL && (refusal == NULL || strstr(error.message, refusal) == NULL))
	{
		fail_msg("%s", error.message);
	}
	if (document != NULL && refusal != NULL)
	{
		fail_msg("%s: imported, but expected: %s", name, refusal);
	}
	if (document != NULL)
	{
		check_document(name, document);
	}
	lrd_document_free(document);
	*(unsigned *)user += 1;
	return true;
}

static void every_gltf_of_the_corpus_is_imported_or_refused_as_known(void **state)
{
	(void)state;
	if (!find_corpus())
	{
		print_message("skipped: no corpus at %s; set LARDER_CORPUS\n", root);
		skip();
	}
	unsigned count = 0;
	lrd_error error = { .code = LRD_OK };
	if (!lrd_folder_walk(root, (lrd_allocator){ NULL, NULL }, import_one, &count, &error))
	{
		fail_msg("%s", error.message);
	}
	assert_true(count >= 40);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_gltf_of_the_corpus_is_imported_or_refused_as_known),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

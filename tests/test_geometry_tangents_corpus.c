// Tangents of every glTF in the public corpus that has texture coordinates, against the reference implementation of
// MikkTSpace: one line a file with the largest angle, and which of them have a material that reads tangents.
// LARDER_CORPUS, or ../shared/corpus beside the source.

#include "fixtures/geometry_test.h"
#include "fixtures/tangents_judge.h"

#include "larder/document.h"
#include "os/os.h"

#include <stdlib.h>

static char root[4096];

static bool find_corpus(void)
{
	const char *given = getenv("LARDER_CORPUS");
	(void)snprintf(root, sizeof root, "%s", given != NULL ? given : LRD_TEST_SOURCE_DIR "/../shared/corpus");
	lrd_file_info info;
	return lrd_file_stat(root, &info, NULL) && info.is_folder;
}

typedef struct corpus_walk
{
	tangents_judge judge;
	unsigned files;
	unsigned readers; // files with a material that reads tangents
} corpus_walk;

// The uv set that the material's directions are laid out on; LRD_NO_INDEX where it has none.
static uint32_t tangent_set(const lrd_document_material *material)
{
	static const lrd_material_slot readers[] = { LRD_SLOT_NORMAL, LRD_SLOT_CLEARCOAT_NORMAL, LRD_SLOT_ANISOTROPY };
	for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
	{
		if (material->slots[readers[i]].texture != LRD_NO_INDEX)
		{
			return material->slots[readers[i]].uv_set;
		}
	}
	return material->params.anisotropy != 0.0f ? 0 : LRD_NO_INDEX;
}

static float *copy_floats(const float *from, size_t count)
{
	float *copy = shape_floats(arena, count);
	memcpy(copy, from, count * sizeof *copy);
	return copy;
}

// Tangents that a file has are left out: those computed from scratch are compared.
static lrd_geometry geometry_of(const lrd_document_primitive *primitive, const float *uv)
{
	lrd_geometry geometry = { .arena = arena,
		.vertex_count = primitive->vertex_count,
		.index_count = primitive->index_count,
		.positions = copy_floats(primitive->positions, 3 * (size_t)primitive->vertex_count),
		.normals =
			primitive->normals == NULL ? NULL : copy_floats(primitive->normals, 3 * (size_t)primitive->vertex_count),
		.uv = { copy_floats(uv, 2 * (size_t)primitive->vertex_count), NULL },
		.indices = lrd_arena_alloc(arena, primitive->index_count * sizeof(uint32_t)) };
	assert_non_null(geometry.indices);
	memcpy(geometry.indices, primitive->indices, primitive->index_count * sizeof(uint32_t));
	assert_true(geometry.normals != NULL || lrd_geometry_flat_normals(&geometry, NULL));
	lrd_geometry_repair_normals(&geometry);
	return geometry;
}

static void add_document(corpus_walk *walk, const char *path, const lrd_document *document)
{
	bool has_any = false;
	bool reads_any = false;
	for (uint32_t m = 0; m < document->mesh_count; m++)
	{
		for (uint32_t p = 0; p < document->meshes[m].primitive_count; p++)
		{
			const lrd_document_primitive *primitive = &document->meshes[m].primitives[p];
			uint32_t read = primitive->material == LRD_NO_INDEX
								? LRD_NO_INDEX
								: tangent_set(&document->materials[primitive->material]);
			for (uint32_t set = 0; set < 2; set++)
			{
				if (primitive->uv[set] != NULL)
				{
					char name[1100];
					(void)snprintf(name, sizeof name, "%s%s", path, set == read ? ", read by a material" : "");
					lrd_geometry geometry = geometry_of(primitive, primitive->uv[set]);
					tangents_judge_add(&walk->judge, name, &geometry);
					has_any = true;
					reads_any = reads_any || set == read;
				}
			}
		}
	}
	walk->files += has_any;
	walk->readers += reads_any;
}

static bool visit(void *user, lrd_string path, const lrd_file_info *info)
{
	(void)info;
	char name[1024];
	(void)snprintf(name, sizeof name, "%.*s", LRD_STR_ARG(path));
	lrd_document *document = lrd_import_knows(path)
								 ? lrd_import_file(&(lrd_import_desc){ .root = root, .path = name }, NULL)
								 : NULL; // what is refused, and why, is test_import_corpus.c's
	if (document != NULL)
	{
		add_document(user, name, document);
	}
	lrd_document_free(document);
	return true;
}

static void every_gltf_with_uv_agrees_with_the_reference(void **state)
{
	(void)state;
	if (!find_corpus())
	{
		print_message("skipped: no corpus at %s; set LARDER_CORPUS\n", root);
		skip();
	}
	corpus_walk walk = { .files = 0 };
	tangents_judge_open(&walk.judge, "corpus");
	lrd_error error = { LRD_OK, "" };
	if (!lrd_folder_walk(root, (lrd_allocator){ NULL, NULL }, visit, &walk, &error))
	{
		fail_msg("%s", error.message);
	}
	tangents_judge_close(&walk.judge);
	print_message("%u files have uv, materials of %u read tangents\n", walk.files, walk.readers);
	assert_true(walk.files >= 20 && walk.readers >= 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		GEOMETRY_TEST(every_gltf_with_uv_agrees_with_the_reference),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

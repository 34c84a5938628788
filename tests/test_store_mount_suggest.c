// What is said of a name that no mount knows.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixtures/store_mount.h"

#define FILES_MAX 64

/// A store over names: each a file in memory of no bytes.
typedef struct names
{
	mount_store *self;
	lrd_memory_file files[FILES_MAX];
	lrd_error error;
} names;

static names *names_open(const char *const *keys)
{
	names *made = calloc(1, sizeof *made);
	uint32_t count = 0;
	assert_non_null(made);
	for (; keys[count] != NULL; count++)
	{
		assert_true(count < FILES_MAX);
		made->files[count].key = lrd_string_from(keys[count]);
	}
	made->self = mount_store_open();
	mount_desc(made->self, &(lrd_mount_desc){ .files = made->files, .file_count = count });
	return made;
}

static void names_close(names *self)
{
	mount_store_close(self->self);
	free(self);
}

static const char *suggested(names *self, lrd_kind kind, const char *stem)
{
	lrd_mounts_suggest(&self->self->store, kind, lrd_string_from(stem), &self->error);
	assert_int_equal(self->error.code, LRD_ERROR_NOT_FOUND);
	return self->error.message;
}

static void the_nearest_names_of_the_kind_are_suggested(void **state)
{
	(void)state;
	names *self = names_open((const char *[]){ "models/fox.lmodel", "models/fax.lmodel", "models/wolverine.lmodel",
		"models/fx.lmesh", "models/Fex.lmodel", "models/fix.lmodel", NULL });
	assert_string_equal(suggested(self, LRD_MODEL, "models/fx"),
		"no model \"models/fx\" in any mount; nearest: \"models/fax\", \"models/Fex\", \"models/fix\"; there is a mesh "
		"of "
		"that name");
	assert_string_equal(suggested(self, LRD_MODEL, "models/foxx"),
		"no model \"models/foxx\" in any mount; nearest: \"models/fox\", \"models/fax\", \"models/Fex\"");
	assert_string_equal(suggested(self, LRD_TEXTURE, "models/fex"),
		"no texture \"models/fex\" in any mount; there is a model of that name");
	names_close(self);
}

static void swapped_neighbours_are_one_mistake(void **state)
{
	(void)state;
	names *self = names_open((const char *[]){ "sounds/wolf.lcue", "sounds/wool.lcue", NULL });
	assert_string_equal(suggested(self, LRD_CUE, "sounds/wofl"),
		"no cue \"sounds/wofl\" in any mount; nearest: \"sounds/wolf\", \"sounds/wool\"");
	names_close(self);
}

static void a_name_that_is_far_from_all_gets_no_suggestion(void **state)
{
	(void)state;
	names *self = names_open((const char *[]){ "models/fox.lmodel", "x.lmodel", NULL });
	assert_string_equal(suggested(self, LRD_MODEL, "vehicles/truck"), "no model \"vehicles/truck\" in any mount");
	names_close(self);
}

static void a_name_of_another_folder_is_suggested_where_none_is_near(void **state)
{
	(void)state;
	names *self = names_open((const char *[]){ "props/kitchen/cup.lmodel", "animals/fox.lmodel", "cup.lmodel", NULL });
	assert_string_equal(suggested(self, LRD_MODEL, "furniture/Cup"),
		"no model \"furniture/Cup\" in any mount; nearest: \"cup\", \"props/kitchen/cup\"");
	names_close(self);
}

static void a_name_with_an_extension_is_told_to_leave_it_away(void **state)
{
	(void)state;
	names *self = names_open((const char *[]){ "textures/fur.ktx2", "models/fox.lmodel", NULL });
	assert_string_equal(suggested(self, LRD_TEXTURE, "textures/fur.png"),
		"no texture \"textures/fur.png\" in any mount; leave the extension away: \"textures/fur\"");
	assert_string_equal(suggested(self, LRD_MODEL, "models/fox.lmodel"),
		"no model \"models/fox.lmodel\" in any mount; leave the extension away: \"models/fox\"");
	names_close(self);
}

static void a_cooked_file_asked_for_as_a_blob_is_named(void **state)
{
	(void)state;
	names *self = names_open((const char *[]){ "models/fox.lmodel", "notes.txt", NULL });
	assert_string_equal(suggested(self, LRD_BLOB, "models/fox.lmodel"),
		"no blob \"models/fox.lmodel\" in any mount; that is the file of the model \"models/fox\"");
	assert_string_equal(
		suggested(self, LRD_BLOB, "notes.tx"), "no blob \"notes.tx\" in any mount; nearest: \"notes.txt\"");
	assert_string_equal(
		suggested(self, LRD_MODEL, "notes.txt"), "no model \"notes.txt\" in any mount; there is a blob of that name");
	names_close(self);
}

static void a_name_in_several_mounts_is_suggested_once(void **state)
{
	(void)state;
	names *self = names_open((const char *[]){ "models/fox.lmodel", NULL });
	const lrd_memory_file again = { .key = LRD_STR("models/FOX.lmodel") };
	mount_desc(self->self, &(lrd_mount_desc){ .files = &again, .file_count = 1 });
	assert_string_equal(
		suggested(self, LRD_MODEL, "models/fo"), "no model \"models/fo\" in any mount; nearest: \"models/FOX\"");
	names_close(self);
}

static void without_mounts_that_is_said(void **state)
{
	(void)state;
	mount_store *self = mount_store_open();
	lrd_error error = { 0 };
	lrd_mounts_suggest(&self->store, LRD_MODEL, LRD_STR("models/fox"), &error);
	assert_string_equal(error.message, "no model \"models/fox\" in any mount: nothing is mounted");
	lrd_mounts_suggest(&self->store, LRD_MODEL, LRD_STR("models/fox"), NULL);
	mount_store_close(self);
}

static void what_the_program_put_and_what_lies_in_folders_is_suggested(void **state)
{
	scratch *here = *state;
	mount_store *self = mount_store_open();
	lrd_error error = { 0 };
	scratch_put(here, "fax.lmodel", "");
	mount_root(self, here->root);
	assert_true(lrd_mounts_put(&self->store, LRD_MODEL, LRD_STR("fix"), (lrd_bytes){ "x", 1 }, NULL));
	assert_true(lrd_mounts_put(&self->store, LRD_MODEL, LRD_STR("fux"), (lrd_bytes){ "x", 1 }, NULL));
	assert_true(lrd_mounts_put(&self->store, LRD_MODEL, LRD_STR("fux"), (lrd_bytes){ NULL, 0 }, NULL));
	lrd_mounts_suggest(&self->store, LRD_MODEL, LRD_STR("fox"), &error);
	assert_string_equal(error.message, "no model \"fox\" in any mount; nearest: \"fax\", \"fix\"");
	mount_store_close(self);
}

static void long_names_are_compared_and_the_message_is_cut(void **state)
{
	(void)state;
	char key[LRD_PATH_MAX + 1];
	char stem[LRD_PATH_MAX + 1];
	memset(key, 'a', sizeof key);
	memset(stem, 'a', sizeof stem);
	memcpy(key + LRD_PATH_MAX - 7, ".lmodel", 8);
	stem[LRD_PATH_MAX - 8] = 'b';
	stem[LRD_PATH_MAX - 7] = '\0';
	stem[3] = 'b';
	names *self = names_open((const char *[]){ key, NULL });
	const char *said = suggested(self, LRD_MODEL, stem);
	assert_int_equal(strlen(said), LRD_ERROR_MESSAGE_SIZE - 1);
	assert_string_equal(said + LRD_ERROR_MESSAGE_SIZE - 4, "...");
	names_close(self);
}

// The reference: the whole matrix.
static unsigned plain_distance(const char *a, const char *b)
{
	unsigned rows[16][16];
	size_t a_size = strlen(a);
	size_t b_size = strlen(b);
	for (size_t i = 0; i <= a_size; i++)
	{
		for (size_t j = 0; j <= b_size; j++)
		{
			unsigned cell = (unsigned)(i == 0 ? j : i);
			if (i > 0 && j > 0)
			{
				cell = rows[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
				cell = rows[i - 1][j] + 1 < cell ? rows[i - 1][j] + 1 : cell;
				cell = rows[i][j - 1] + 1 < cell ? rows[i][j - 1] + 1 : cell;
				bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
				cell = swapped && rows[i - 2][j - 2] + 1 < cell ? rows[i - 2][j - 2] + 1 : cell;
			}
			rows[i][j] = cell;
		}
	}
	return rows[a_size][b_size];
}

static void random_word(uint32_t *random, char word[16])
{
	size_t size = 6 + pack_random(random) % 6;
	for (size_t i = 0; i < size; i++)
	{
		word[i] = (char)('a' + pack_random(random) % 2);
	}
	word[size] = '\0';
}

static void a_name_is_suggested_exactly_when_its_distance_is_within_a_third(void **state)
{
	(void)state;
	uint32_t random = 12345;
	for (int round = 0; round < 3000; round++)
	{
		char there[16];
		char asked[16];
		char key[32];
		random_word(&random, there);
		random_word(&random, asked);
		if (strcmp(there, asked) == 0)
		{
			continue;
		}
		snprintf(key, sizeof key, "%s.lmodel", there);
		names *self = names_open((const char *[]){ key, NULL });
		bool near = strstr(suggested(self, LRD_MODEL, asked), "nearest") != NULL;
		assert_int_equal(near, plain_distance(there, asked) <= strlen(asked) / 3);
		names_close(self);
	}
}

static void work_is_bounded_until_the_mounts_change(void **state)
{
	(void)state;
	names *self = names_open((const char *[]){ "models/fox.lmodel", NULL });
	self->self->store.mounts.suggested = UINT64_MAX / 2;
	assert_string_equal(suggested(self, LRD_MODEL, "models/fx"),
		"no model \"models/fx\" in any mount; too many names to compare it with");
	const lrd_memory_file another = { .key = LRD_STR("models/wolf.lmodel") };
	mount_desc(self->self, &(lrd_mount_desc){ .files = &another, .file_count = 1 });
	assert_string_equal(
		suggested(self, LRD_MODEL, "models/fx"), "no model \"models/fx\" in any mount; nearest: \"models/fox\"");
	names_close(self);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_nearest_names_of_the_kind_are_suggested),
		cmocka_unit_test(swapped_neighbours_are_one_mistake),
		cmocka_unit_test(a_name_that_is_far_from_all_gets_no_suggestion),
		cmocka_unit_test(a_name_of_another_folder_is_suggested_where_none_is_near),
		cmocka_unit_test(a_name_with_an_extension_is_told_to_leave_it_away),
		cmocka_unit_test(a_cooked_file_asked_for_as_a_blob_is_named),
		cmocka_unit_test(a_name_in_several_mounts_is_suggested_once),
		cmocka_unit_test(without_mounts_that_is_said),
		cmocka_unit_test_setup_teardown(
			what_the_program_put_and_what_lies_in_folders_is_suggested, scratch_open, scratch_close),
		cmocka_unit_test(long_names_are_compared_and_the_message_is_cut),
		cmocka_unit_test(a_name_is_suggested_exactly_when_its_distance_is_within_a_third),
		cmocka_unit_test(work_is_bounded_until_the_mounts_change),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

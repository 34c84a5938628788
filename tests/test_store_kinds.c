// What a payload of each kind is, through a store, over files that were cooked: views, what is held and what is only
// named, files of another kind or version, cut short or damaged, and getters that are asked for the wrong thing.

#include "cook_scratch.h"

#include "failing_allocator.h"
#include "larder/cook_memory.h"
#include "store/store.h"

#define MODEL "rich"
#define BANNER "banner"

typedef struct kinds_test
{
	scratch *folder;
	lrd_cooked *cooked;
	lrd_store *store;
	lrd_error error;
} kinds_test;

static void drop_log(void *user, lrd_log_level level, const char *scope, const char *message)
{
	(void)user;
	(void)level;
	(void)scope;
	(void)message;
}

/// An image of 64 x 64 stripes, as a TGA: large enough to be worth compressing.
static void put_stripes(scratch *self, const char *name)
{
	static unsigned char bytes[18 + 64 * 64 * 4] = { 0, 0, 2, [12] = 64, [14] = 64, [16] = 32, [17] = 0x28 };
	for (size_t i = 0; i < 64 * 64; ++i)
	{
		memset(bytes + 18 + 4 * i, i / 8 % 2 != 0 ? 200 : 30, 4);
	}
	put_bytes(self, name, (lrd_bytes){ bytes, sizeof bytes });
}

/// Two nodes that place one mesh, kept apart.
static void put_placed_twice(scratch *self)
{
	gltf_build build;
	gltf_begin(&build);
	int mesh = gltf_triangle(&build);
	gltf_add(&build, "nodes", "{\"name\":\"Left\",\"mesh\":%d}", mesh);
	gltf_add(&build, "nodes", "{\"name\":\"Right\",\"mesh\":%d,\"translation\":[2,0,0]}", mesh);
	put_bytes(self, "src/twice.glb", gltf_finish(&build, GLTF_FORM_BINARY));
	gltf_end(&build);
	scratch_put(self, "src/twice.glb.larder.json", "{\"model\": {\"placement\": \"separate\"}}");
}

static lrd_cooked *cook_sources(scratch *self)
{
	lrd_error error = { 0 };
	const char *source = scratch_path(self, "src");
	lrd_cook_desc desc = { .sources = &source, .source_count = 1, .target = LRD_TARGET_RAW, .log = { drop_log, NULL } };
	lrd_cooked *cooked = lrd_cook_to_memory(&desc, &error);
	if (cooked == NULL || lrd_cooked_report(cooked)->failed != 0)
	{
		fail_msg("the fixtures can't be cooked: %s", error.message);
	}
	return cooked;
}

/// Everything is cooked once for all tests.
static int cook_all(void **state)
{
	kinds_test *self = calloc(1, sizeof *self);
	if (self == NULL || scratch_open((void **)&self->folder) != 0)
	{
		return -1;
	}
	scratch_folder(self->folder, "src");
	put_rich(self->folder);
	put_placed_twice(self->folder);
	put_stripes(self->folder, "src/stripes.tga");
	scratch_put(self->folder, "src/stripes.tga.larder.json", "{\"texture\": {\"supercompression\": \"zstd\"}}");
	self->cooked = cook_sources(self->folder);
	*state = self;
	return 0;
}

static int drop_all(void **state)
{
	kinds_test *self = *state;
	lrd_cooked_release(self->cooked);
	scratch_close((void **)&self->folder);
	free(self);
	return 0;
}

static lrd_store *open_store(const kinds_test *self, lrd_allocator allocator, lrd_error *error)
{
	lrd_store_desc desc = { .allocator = allocator, .quiet = true, .log = { drop_log, NULL } };
	lrd_store *store = lrd_store_open(&desc, error);
	lrd_mount_desc files = lrd_cooked_mount(self->cooked);
	lrd_mount mount;
	if (store == NULL)
	{
		files.release(files.user);
	}
	else if (!lrd_store_mount(store, &files, &mount, error))
	{
		lrd_store_close(store);
		store = NULL;
	}
	return store;
}

static int open_mounted(void **state)
{
	kinds_test *self = *state;
	self->store = open_store(self, (lrd_allocator){ 0 }, &self->error);
	return self->store != NULL ? 0 : -1;
}

/// Nothing is left by a test.
static int close_mounted(void **state)
{
	kinds_test *self = *state;
	return lrd_store_close(self->store) == 0 ? 0 : -1;
}

static lrd_asset find(kinds_test *self, lrd_kind kind, const char *stem)
{
	lrd_asset asset = lrd_asset_find(self->store, kind, stem, &self->error);
	if (asset.generation == 0)
	{
		fail_msg("%s", self->error.message);
	}
	return asset;
}

static lrd_asset load(kinds_test *self, lrd_kind kind, const char *stem)
{
	lrd_asset asset = find(self, kind, stem);
	if (!lrd_retain_now(self->store, asset, &self->error))
	{
		fail_msg("%s", self->error.message);
	}
	assert_false(lrd_asset_error(self->store, asset, NULL));
	return asset;
}

static const lrd_memory_file *cooked_file(const kinds_test *self, const char *key)
{
	uint32_t count;
	const lrd_memory_file *files = lrd_cooked_files(self->cooked, &count);
	for (uint32_t i = 0; i < count; ++i)
	{
		if (lrd_string_equal(files[i].key, lrd_string_from(key)))
		{
			return &files[i];
		}
	}
	fail_msg("no %s was cooked", key);
	return NULL;
}

static bool lies_in(const void *pointer, lrd_bytes bytes)
{
	uintptr_t at = (uintptr_t)pointer;
	return at >= (uintptr_t)bytes.data && at < (uintptr_t)bytes.data + bytes.size;
}

static void a_texture_has_all_its_levels_where_the_file_is(void **state)
{
	kinds_test *self = *state;
	lrd_asset asset = load(self, LRD_TEXTURE, "loose");
	const lrd_texture *texture = lrd_texture_get(self->store, asset);
	assert_int_equal(texture->view.width, 2);
	assert_int_equal(texture->view.level_count, 2);
	for (uint32_t i = 0; i < texture->view.level_count; ++i)
	{
		assert_true(lies_in(texture->view.levels[i].data, cooked_file(self, "loose.ktx2")->bytes));
	}
	assert_true(lrd_release(self->store, asset));
}

static void a_supercompressed_texture_stays_so_and_its_levels_can_be_inflated(void **state)
{
	kinds_test *self = *state;
	lrd_asset asset = load(self, LRD_TEXTURE, "stripes");
	const lrd_texture *texture = lrd_texture_get(self->store, asset);
	const lrd_texture_level *level = &texture->view.levels[0];
	assert_int_equal(texture->view.supercompression, LRD_SUPERCOMPRESSION_ZSTD);
	assert_int_equal(level->decoded_size, 64 * 64 * 4);
	assert_true(level->size < level->decoded_size);
	assert_true(lies_in(level->data, cooked_file(self, "stripes.ktx2")->bytes));
	unsigned char *texels = malloc((size_t)level->decoded_size);
	assert_true(lrd_texture_decompress(
		&texture->view, 0, (lrd_allocator){ 0 }, texels, (size_t)level->decoded_size, &self->error));
	assert_int_equal(texels[0], 30);
	assert_int_equal(texels[4 * 8], 200);
	free(texels);
	assert_true(lrd_release(self->store, asset));
}

static void a_mesh_a_skeleton_and_a_clip_are_read_in_place(void **state)
{
	kinds_test *self = *state;
	lrd_asset model = load(self, LRD_MODEL, MODEL);
	const lrd_model *view = lrd_model_get(self->store, model);
	const lrd_mesh *mesh = lrd_mesh_get(self->store, view->meshes[0]);
	assert_int_equal(mesh->view.lods[0].triangle_count, 1);
	const lrd_skeleton *skeleton = lrd_skeleton_get(self->store, view->skeletons[0]);
	assert_int_equal(skeleton->view.joint_count, 2);
	assert_true(lrd_retain_now(self->store, view->clips[0], &self->error));
	const lrd_clip *clip = lrd_clip_get(self->store, view->clips[0]);
	assert_true(clip->view.duration == 1.0f);
	assert_true(lrd_release(self->store, view->clips[0]));
	assert_true(lrd_release(self->store, model));
}

static void a_material_holds_its_textures(void **state)
{
	kinds_test *self = *state;
	lrd_asset asset = load(self, LRD_MATERIAL, MODEL "/material.M");
	const lrd_material *material = lrd_material_get(self->store, asset);
	assert_true(lrd_string_equal(material->view.name, LRD_STR("M")));
	for (uint32_t slot = 0; slot < LRD_SLOT_COUNT; ++slot)
	{
		lrd_string stem = lrd_material_texture_stem(&material->view, (lrd_material_slot)slot);
		lrd_asset texture = material->textures[slot];
		assert_true(stem.size != 0 ? lrd_string_equal(lrd_asset_stem(self->store, texture), stem)
								   : texture.generation == 0 && texture.index == 0);
		assert_true((stem.size != 0) == (lrd_texture_get(self->store, texture) != NULL));
	}
	lrd_asset wood = material->textures[LRD_SLOT_BASE_COLOR];
	assert_true(wood.generation != 0);
	assert_true(lrd_release(self->store, asset));
	assert_int_equal(lrd_asset_state(self->store, wood), LRD_ABSENT);
}

static void a_model_holds_its_meshes_materials_and_skeletons(void **state)
{
	kinds_test *self = *state;
	lrd_asset asset = load(self, LRD_MODEL, MODEL);
	const lrd_model *model = lrd_model_get(self->store, asset);
	assert_int_equal(model->view.part_count, 2);
	assert_int_equal(model->view.material_count, 1);
	assert_int_equal(model->view.skeleton_count, 1);
	lrd_asset named[4] = { model->meshes[0], model->meshes[1], model->materials[0], model->skeletons[0] };
	static const lrd_kind kinds[4] = { LRD_MESH, LRD_MESH, LRD_MATERIAL, LRD_SKELETON };
	for (uint32_t i = 0; i < 4; ++i)
	{
		assert_int_equal(lrd_asset_kind(self->store, named[i]), kinds[i]);
		assert_int_equal(lrd_asset_state(self->store, named[i]), LRD_READY);
	}
	assert_non_null(lrd_material_get(self->store, named[2]));
	assert_true(lrd_release(self->store, asset));
	for (uint32_t i = 0; i < 4; ++i)
	{
		assert_int_equal(lrd_asset_state(self->store, named[i]), LRD_ABSENT);
	}
}

static void a_model_only_mentions_its_clips(void **state)
{
	kinds_test *self = *state;
	lrd_asset asset = load(self, LRD_MODEL, MODEL);
	const lrd_model *model = lrd_model_get(self->store, asset);
	assert_int_equal(model->view.clip_count, 1);
	assert_int_equal(lrd_asset_kind(self->store, model->clips[0]), LRD_CLIP);
	assert_int_equal(lrd_asset_state(self->store, model->clips[0]), LRD_ABSENT);
	assert_null(lrd_clip_get(self->store, model->clips[0]));
	assert_true(lrd_release(self->store, asset));
}

static void a_mesh_that_a_model_places_twice_is_held_once(void **state)
{
	kinds_test *self = *state;
	lrd_asset asset = load(self, LRD_MODEL, "twice");
	const lrd_model *model = lrd_model_get(self->store, asset);
	assert_int_equal(model->view.part_count, 2);
	assert_true(lrd_asset_equal(model->meshes[0], model->meshes[1]));
	assert_int_equal(lrd_record_of(self->store, model->meshes[0])->inner, 1);
	assert_int_equal(model->view.material_count, 0);
	assert_true(lrd_release(self->store, asset));
}

static void a_blob_is_any_bytes(void **state)
{
	kinds_test *self = *state;
	lrd_asset asset = find(self, LRD_BLOB, "notes/readme.txt");
	assert_true(lrd_asset_put(self->store, asset, (lrd_bytes){ "salt", 4 }, &self->error));
	assert_true(lrd_retain_now(self->store, asset, &self->error));
	const lrd_blob *blob = lrd_blob_get(self->store, asset);
	assert_int_equal(blob->bytes.size, 4);
	assert_memory_equal(blob->bytes.data, "salt", 4);
	assert_int_equal((uintptr_t)blob->bytes.data % 16, 0);
	assert_true(lrd_release(self->store, asset));
}

// --- Files that are not what they should be ---

/// One file of each kind that is checked when it is opened.
static const struct
{
	lrd_kind kind;
	const char *key;
	const char *format; ///< that messages begin with
} checked[] = {
	{ LRD_TEXTURE, "loose.ktx2", "ktx2" },
	{ LRD_MESH, "twice/part.Triangle.lmesh", "lmesh" },
	{ LRD_MATERIAL, MODEL "/material.M.lmat", "lmat" },
	{ LRD_MODEL, MODEL ".lmodel", "lmodel" },
	{ LRD_SKELETON, MODEL "/skeleton.0.lskel", "lskel" },
	{ LRD_CLIP, MODEL "/clip.Turn.lclip", "lclip" },
};
#define CHECKED (sizeof checked / sizeof *checked)

/// The bytes as a file of the kind. True when they load.
static bool load_bytes(kinds_test *self, lrd_kind kind, lrd_bytes bytes)
{
	lrd_asset asset = find(self, kind, "made/of/bytes");
	self->error = (lrd_error){ 0 };
	assert_true(lrd_asset_put(self->store, asset, bytes, &self->error));
	bool loaded = lrd_retain_now(self->store, asset, &self->error);
	if (loaded)
	{
		assert_int_equal(lrd_asset_state(self->store, asset), LRD_READY);
		assert_true(lrd_release(self->store, asset));
		return true;
	}
	assert_int_equal(lrd_asset_state(self->store, asset), LRD_FAILED);
	assert_non_null(strstr(self->error.message, "made/of/bytes"));
	assert_non_null(strstr(self->error.message, lrd_kind_name(kind)));
	return false;
}

static void a_file_of_another_kind_is_refused_with_a_message(void **state)
{
	kinds_test *self = *state;
	for (size_t i = 0; i < CHECKED; ++i)
	{
		for (size_t k = 0; k < CHECKED; ++k)
		{
			bool loaded = load_bytes(self, checked[i].kind, cooked_file(self, checked[k].key)->bytes);
			assert_int_equal(loaded, i == k);
			assert_true(loaded || self->error.code == LRD_ERROR_FORMAT);
			assert_true(loaded || strstr(self->error.message, checked[i].format) != NULL);
		}
	}
}

static void a_file_of_another_version_is_refused_with_a_message(void **state)
{
	kinds_test *self = *state;
	for (size_t i = 1; i < CHECKED; ++i) // KTX2 has its version in its first 12 bytes, which say what it is at all
	{
		lrd_bytes file = cooked_file(self, checked[i].key)->bytes;
		unsigned char *copy = aligned_alloc(16, (file.size + 15) & ~(size_t)15);
		memcpy(copy, file.data, file.size);
		copy[4]++;
		assert_false(load_bytes(self, checked[i].kind, (lrd_bytes){ copy, file.size }));
		assert_int_equal(self->error.code, LRD_ERROR_FORMAT);
		assert_non_null(strstr(self->error.message, "version"));
		free(copy);
	}
}

static void a_file_that_is_cut_short_is_refused_at_every_length(void **state)
{
	kinds_test *self = *state;
	for (size_t i = 0; i < CHECKED; ++i)
	{
		lrd_bytes file = cooked_file(self, checked[i].key)->bytes;
		for (size_t size = 1; size < file.size; ++size)
		{
			assert_false(load_bytes(self, checked[i].kind, (lrd_bytes){ file.data, size }));
			assert_int_equal(self->error.code, LRD_ERROR_FORMAT);
		}
	}
}

/// A damaged file may still be a sound one, of other content; what counts is that it is loaded or refused.
static void a_file_with_any_byte_damaged_is_loaded_or_refused(void **state)
{
	kinds_test *self = *state;
	uint32_t refused = 0;
	for (size_t i = 0; i < CHECKED; ++i)
	{
		lrd_bytes file = cooked_file(self, checked[i].key)->bytes;
		unsigned char *copy = aligned_alloc(16, (file.size + 15) & ~(size_t)15);
		memcpy(copy, file.data, file.size);
		for (size_t at = 0; at < file.size; ++at)
		{
			copy[at] ^= 0x81;
			refused += !load_bytes(self, checked[i].kind, (lrd_bytes){ copy, file.size });
			copy[at] ^= 0x81;
		}
		free(copy);
	}
	assert_true(refused > 1000);
}

static void what_a_model_names_and_is_broken_is_reported_with_the_chain_that_leads_there(void **state)
{
	kinds_test *self = *state;
	lrd_asset image = find(self, LRD_TEXTURE, MODEL "/image.wood");
	assert_true(lrd_asset_put(self->store, image, (lrd_bytes){ "no texture", 10 }, &self->error));
	lrd_asset asset = find(self, LRD_MODEL, MODEL);
	assert_true(lrd_retain_now(self->store, asset, &self->error));
	assert_true(lrd_asset_error(self->store, asset, &self->error));
	const char *model = strstr(self->error.message, "model \"" MODEL "\"");
	const char *material = strstr(self->error.message, "material \"" MODEL "/material.M\"");
	const char *texture = strstr(self->error.message, "texture \"" MODEL "/image.wood\"");
	assert_true(model != NULL && material > model && texture > material);
	assert_null(lrd_texture_get(self->store, image));
	assert_true(lrd_release(self->store, asset));
}

// --- Asking for the wrong thing ---

static uint64_t refusals(const lrd_store *store)
{
	return atomic_load(&store->refused);
}

static void a_getter_of_another_kind_gives_nothing_and_is_counted(void **state)
{
	kinds_test *self = *state;
	lrd_asset texture = load(self, LRD_TEXTURE, "loose");
	uint64_t before = refusals(self->store);
	assert_null(lrd_mesh_get(self->store, texture));
	assert_null(lrd_material_get(self->store, texture));
	assert_null(lrd_model_get(self->store, texture));
	assert_null(lrd_skeleton_get(self->store, texture));
	assert_null(lrd_clip_get(self->store, texture));
	assert_null(lrd_blob_get(self->store, texture));
	assert_int_equal(refusals(self->store), before + 6);
	assert_non_null(lrd_texture_get(self->store, texture));
	assert_true(lrd_release(self->store, texture));
}

static void a_getter_of_the_null_asset_gives_nothing_and_of_a_stale_one_is_counted(void **state)
{
	kinds_test *self = *state;
	uint64_t before = refusals(self->store);
	assert_null(lrd_texture_get(self->store, (lrd_asset){ 0 }));
	assert_int_equal(refusals(self->store), before);
	lrd_asset asset = find(self, LRD_TEXTURE, "loose");
	assert_true(lrd_asset_forget(self->store, asset));
	assert_null(lrd_texture_get(self->store, asset));
	assert_int_equal(refusals(self->store), before + 1);
}

static bool refuse_jobs(void *user, lrd_job *job)
{
	(void)user;
	(void)job;
	return false;
}

static void ignore_wait(void *user)
{
	(void)user;
}

static uint32_t one_worker(void *user)
{
	(void)user;
	return 1;
}

static void a_getter_gives_nothing_until_the_asset_is_ready(void **state)
{
	kinds_test *self = *state;
	lrd_jobs never = { refuse_jobs, ignore_wait, one_worker, NULL };
	lrd_store *store = lrd_store_open(&(lrd_store_desc){ .jobs = &never }, &self->error);
	lrd_mount_desc files = lrd_cooked_mount(self->cooked);
	lrd_mount mount;
	assert_true(lrd_store_mount(store, &files, &mount, &self->error));
	lrd_asset asset = lrd_asset_find(store, LRD_TEXTURE, "loose", &self->error);
	assert_null(lrd_texture_get(store, asset));
	assert_true(lrd_retain(store, asset));
	assert_int_equal(lrd_asset_state(store, asset), LRD_QUEUED);
	assert_null(lrd_texture_get(store, asset));
	assert_true(lrd_retain_now(store, asset, &self->error));
	assert_non_null(lrd_texture_get(store, asset));
	assert_true(lrd_release(store, asset));
	assert_non_null(lrd_texture_get(store, asset));
	assert_true(lrd_release(store, asset));
	assert_null(lrd_texture_get(store, asset));
	assert_int_equal(lrd_store_close(store), 0);
}

static void kinds_that_are_not_loaded_here_are_refused_by_name(void **state)
{
	kinds_test *self = *state;
	static const lrd_kind others[] = { LRD_KIND_NONE, LRD_COLLISION, LRD_CUE, LRD_FONT, LRD_ATLAS, LRD_SCENE,
		LRD_PREFAB, LRD_KIND_COUNT, (lrd_kind)77 };
	for (size_t i = 0; i < sizeof others / sizeof *others; ++i)
	{
		self->error = (lrd_error){ 0 };
		assert_int_equal(lrd_asset_find(self->store, others[i], "thing", &self->error).generation, 0);
		assert_int_equal(self->error.code, LRD_ERROR_ARGUMENT);
		assert_non_null(strstr(self->error.message, lrd_kind_name(others[i])));
	}
}

// --- Memory ---

static void a_cook_in_memory_lives_as_long_as_payloads_read_through_it(void **state)
{
	kinds_test *self = *state;
	failing_allocator counting;
	failing_allocator_init(&counting, -1);
	const char *source = scratch_path(self->folder, "src/loose.tga");
	lrd_cook_desc desc = { .sources = &source, .source_count = 1, .target = LRD_TARGET_RAW };
	desc.allocator = failing_allocator_get(&counting);
	lrd_cooked *cooked = lrd_cook_to_memory(&desc, &self->error);
	assert_non_null(cooked);
	lrd_mount_desc files = lrd_cooked_mount(cooked);
	lrd_mount mount;
	assert_true(lrd_store_mount(self->store, &files, &mount, &self->error));
	lrd_cooked_release(cooked);
	lrd_asset asset = load(self, LRD_TEXTURE, "loose");
	assert_true(lrd_store_unmount(self->store, mount));
	assert_true(atomic_load(&counting.bytes_out) > 0);
	const lrd_texture_view *view = &lrd_texture_get(self->store, asset)->view;
	assert_int_equal(((const uint8_t *)view->levels[0].data)[0], 78);
	assert_true(lrd_release(self->store, asset));
	assert_int_equal(atomic_load(&counting.bytes_out), 0);
}

static void a_cook_in_memory_of_nothing_is_a_mount_like_any_other(void **state)
{
	kinds_test *self = *state;
	scratch_put(self->folder, "broken.gltf", "{}");
	const char *source = scratch_path(self->folder, "broken.gltf");
	lrd_cook_desc desc = { .sources = &source, .source_count = 1, .log = { drop_log, NULL } };
	lrd_cooked *cooked = lrd_cook_to_memory(&desc, &self->error);
	assert_int_equal(lrd_cooked_report(cooked)->failed, 1);
	lrd_mount_desc files = lrd_cooked_mount(cooked);
	lrd_mount mount;
	assert_true(lrd_store_mount(self->store, &files, &mount, &self->error));
	lrd_cooked_release(cooked);
}

static void every_allocation_that_fails_leaves_no_leak_and_no_reference(void **state)
{
	kinds_test *self = *state;
	for (long long succeed = 0;; ++succeed)
	{
		failing_allocator failing;
		failing_allocator_init(&failing, succeed);
		lrd_error error = { 0 };
		lrd_store *store = open_store(self, failing_allocator_get(&failing), &error);
		lrd_asset asset = store == NULL ? (lrd_asset){ 0 } : lrd_asset_find(store, LRD_MODEL, MODEL, &error);
		bool held = asset.generation != 0 && lrd_retain_now(store, asset, &error);
		bool whole = held && !lrd_asset_error(store, asset, &error);
		assert_true(whole || error.code == LRD_ERROR_MEMORY);
		if (held)
		{
			assert_int_equal(lrd_model_get(store, asset)->view.part_count, 2);
			assert_true(lrd_release(store, asset));
		}
		assert_int_equal(lrd_store_close(store), 0);
		assert_int_equal(atomic_load(&failing.bytes_out), 0);
		if (whole && atomic_load(&failing.countdown) > 0)
		{
			print_message("%lld allocations failed in turn\n", succeed);
			return;
		}
	}
}

#define MOUNTED(test) cmocka_unit_test_setup_teardown(test, open_mounted, close_mounted)

int main(void)
{
	const struct CMUnitTest tests[] = {
		MOUNTED(a_texture_has_all_its_levels_where_the_file_is),
		MOUNTED(a_supercompressed_texture_stays_so_and_its_levels_can_be_inflated),
		MOUNTED(a_mesh_a_skeleton_and_a_clip_are_read_in_place),
		MOUNTED(a_material_holds_its_textures),
		MOUNTED(a_model_holds_its_meshes_materials_and_skeletons),
		MOUNTED(a_model_only_mentions_its_clips),
		MOUNTED(a_mesh_that_a_model_places_twice_is_held_once),
		MOUNTED(a_blob_is_any_bytes),
		MOUNTED(a_file_of_another_kind_is_refused_with_a_message),
		MOUNTED(a_file_of_another_version_is_refused_with_a_message),
		MOUNTED(a_file_that_is_cut_short_is_refused_at_every_length),
		MOUNTED(a_file_with_any_byte_damaged_is_loaded_or_refused),
		MOUNTED(what_a_model_names_and_is_broken_is_reported_with_the_chain_that_leads_there),
		MOUNTED(a_getter_of_another_kind_gives_nothing_and_is_counted),
		MOUNTED(a_getter_of_the_null_asset_gives_nothing_and_of_a_stale_one_is_counted),
		cmocka_unit_test(a_getter_gives_nothing_until_the_asset_is_ready),
		MOUNTED(kinds_that_are_not_loaded_here_are_refused_by_name),
		MOUNTED(a_cook_in_memory_lives_as_long_as_payloads_read_through_it),
		MOUNTED(a_cook_in_memory_of_nothing_is_a_mount_like_any_other),
		cmocka_unit_test(every_allocation_that_fails_leaves_no_leak_and_no_reference),
	};
	return cmocka_run_group_tests(tests, cook_all, drop_all);
}

// Textures of which only header and tail are brought in: lrd_store_desc.texture_tail, of a folder. Which pages a
// process has is asked of Linux; elsewhere this skips.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixtures/format_texture.h"
#include "fixtures/store_mount.h"
#include "larder/payload.h"

#define PAGE 4096u

// Of this process, as /proc/self/pagemap says (Linux, "Examining Process Page Tables"). SIZE_MAX: it can't be read.
static size_t pages_present(const void *data, size_t size)
{
	FILE *map = fopen("/proc/self/pagemap", "rb");
	uintptr_t first = (uintptr_t)data / PAGE, last = ((uintptr_t)data + size - 1) / PAGE;
	size_t present = 0;
	if (map == NULL || sysconf(_SC_PAGESIZE) != PAGE)
	{
		present = SIZE_MAX;
	}
	for (uintptr_t page = first; page <= last && present != SIZE_MAX; page++)
	{
		uint64_t entry = 0;
		bool known = fseek(map, (long)(page * sizeof entry), SEEK_SET) == 0 && fread(&entry, sizeof entry, 1, map) == 1;
		present = known ? present + (entry >> 63) : SIZE_MAX;
	}
	if (map != NULL)
	{
		fclose(map);
	}
	return present;
}

static void put_texture(scratch *here)
{
	lrd_texture_view view = sample_texture((texture_shape){ LRD_TEXTURE_RGBA8_UNORM, 2048, 2048, 0, 0, 1, 12 });
	lrd_buffer file = { 0 };
	assert_true(lrd_texture_write(&view, &file, NULL));
	assert_true(lrd_file_write(scratch_path(here, "wall.ktx2"), file.data, file.size, NULL));
	sample_texture_free(&view);
	lrd_buffer_free(&file);
	mount_put_manifest(here);
}

static lrd_store *open_store(const scratch *here, uint32_t tail)
{
	lrd_error error = { 0 };
	lrd_store *store = lrd_store_open(&(lrd_store_desc){ .root = here->root, .texture_tail = tail }, &error);
	if (store == NULL)
	{
		fail_msg("%s", error.message);
	}
	return store;
}

static const lrd_texture *load(lrd_store *store, lrd_asset *asset)
{
	lrd_error error = { 0 };
	*asset = lrd_asset_find(store, LRD_TEXTURE, "wall", &error);
	if (!lrd_retain_now(store, *asset, &error))
	{
		fail_msg("%s", error.message);
	}
	return lrd_texture_get(store, *asset);
}

static void of_a_mapped_texture_header_and_tail_alone_are_brought_in(void **state)
{
	scratch *here = *state;
	put_texture(here);
	lrd_store *store = open_store(here, 4);
	lrd_asset asset;
	const lrd_texture *texture = load(store, &asset);
	const lrd_texture_level *finest = &texture->view.levels[0];
	size_t present = pages_present(finest->data, (size_t)finest->size);
	if (present == SIZE_MAX)
	{
		lrd_store_close(store);
		skip();
	}
	// 4096 pages. The bytes before a level are looked at for padding, and the system brings in what lies about them.
	assert_true(present < 2048);
	assert_int_equal(pages_present(texture->view.levels[11].data, 4), 1);
	for (uint32_t level = 0; level < 12; level++) // and all is there who looks
	{
		assert_int_equal(((const uint8_t *)texture->view.levels[level].data)[0], (uint8_t)(level * 31 + 1));
	}
	lrd_release(store, asset);
	assert_int_equal(lrd_store_close(store), 0);
}

static void without_a_tail_all_of_it_is_brought_in(void **state)
{
	scratch *here = *state;
	put_texture(here);
	lrd_store *store = open_store(here, 0);
	lrd_asset asset;
	const lrd_texture *texture = load(store, &asset);
	const lrd_texture_level *finest = &texture->view.levels[0];
	size_t present = pages_present(finest->data, (size_t)finest->size);
	lrd_release(store, asset);
	assert_int_equal(lrd_store_close(store), 0);
	if (present == SIZE_MAX)
	{
		skip();
	}
	assert_true(present >= 4096);
}

static void a_texture_that_is_none_fails_with_a_tail_as_without(void **state)
{
	scratch *here = *state;
	static char junk[80000] = "no texture";
	assert_true(lrd_file_write(scratch_path(here, "wall.ktx2"), junk, sizeof junk, NULL));
	mount_put_manifest(here);
	lrd_error errors[2] = { { 0 } };
	for (uint32_t i = 0; i < 2; i++)
	{
		lrd_store *store = open_store(here, i * 4);
		lrd_asset asset = lrd_asset_find(store, LRD_TEXTURE, "wall", NULL);
		assert_true(lrd_retain(store, asset));
		assert_false(lrd_retain_now(store, asset, &errors[i]) && lrd_asset_has(store, asset));
		lrd_release(store, asset);
		(void)lrd_store_close(store);
	}
	assert_int_equal(errors[0].code, LRD_ERROR_FORMAT);
	assert_string_equal(errors[0].message, errors[1].message);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			of_a_mapped_texture_header_and_tail_alone_are_brought_in, scratch_open, scratch_close),
		cmocka_unit_test_setup_teardown(without_a_tail_all_of_it_is_brought_in, scratch_open, scratch_close),
		cmocka_unit_test_setup_teardown(
			a_texture_that_is_none_fails_with_a_tail_as_without, scratch_open, scratch_close),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

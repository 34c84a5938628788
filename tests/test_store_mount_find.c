// Mounts: what is found where, in which order, under which names.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixtures/store_mount.h"

static _Alignas(16) const char fox_bytes[] = "a fox of memory";

static void a_file_of_a_folder_is_found_by_kind_and_stem(void **state)
{
	scratch *here = *state;
	mount_store *self = mount_store_open();
	scratch_folder(here, "models");
	scratch_put(here, "models/fox.lmodel", "a fox");
	mount_root(self, here->root);
	assert_mount_reads(self, LRD_MODEL, "models/fox", "a fox");
	assert_false(mount_knows(self, LRD_MESH, "models/fox"));
	assert_false(mount_knows(self, LRD_MODEL, "models/fo"));
	mount_store_close(self);
}

int main(void)
{
	(void)fox_bytes;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_file_of_a_folder_is_found_by_kind_and_stem, scratch_open, scratch_close),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

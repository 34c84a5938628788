// Cooks to memory of whole folders of art: the same files as on disk, on any number of workers.

#include "cook_scratch.h"

#include "fixtures/cooked_files.h"

static void the_courtyard_is_the_same_in_memory_on_any_number_of_workers(void **state)
{
	scratch *self = *state;
	const char *courtyard = LRD_TEST_SOURCE_DIR "/examples/courtyard/source";
	const char *output = scratch_path(self, "out");
	lrd_cook_report disk;
	cook_to_disk(courtyard, output, &disk);
	assert_int_equal(disk.failed, 0);
	for (uint32_t workers = 0; workers <= 3; workers += 3)
	{
		lrd_job_pool *pool =
			workers == 0 ? NULL : lrd_job_pool_create(&(lrd_job_pool_desc){ .worker_count = workers }, NULL);
		lrd_jobs jobs = pool == NULL ? (lrd_jobs){ 0 } : lrd_job_pool_jobs(pool);
		lrd_cooked *cooked = cook_memory(courtyard, pool == NULL ? NULL : &jobs);
		assert_same_files(cooked, output);
		assert_same_sums(lrd_cooked_report(cooked), &disk);
		lrd_cooked_release(cooked);
		lrd_job_pool_destroy(pool);
	}
}

static void the_corpus_is_the_same_in_memory(void **state)
{
	scratch *self = *state;
	char corpus[600];
	const char *given = getenv("LARDER_CORPUS");
	snprintf(corpus, sizeof corpus, "%s/gltf", given != NULL ? given : LRD_TEST_SOURCE_DIR "/../shared/corpus");
	if (access(corpus, R_OK) != 0)
	{
		print_message("%s is not there\n", corpus);
		skip();
	}
	lrd_cook_report disk;
	cook_to_disk(corpus, scratch_path(self, "out"), &disk);
	lrd_job_pool *pool = lrd_job_pool_create(&(lrd_job_pool_desc){ .worker_count = 2 }, NULL);
	lrd_jobs jobs = lrd_job_pool_jobs(pool);
	lrd_cooked *cooked = cook_memory(corpus, &jobs);
	assert_true(disk.cooked > 20);
	assert_same_files(cooked, scratch_path(self, "out"));
	assert_same_sums(lrd_cooked_report(cooked), &disk);
	lrd_cooked_release(cooked);
	lrd_job_pool_destroy(pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			the_courtyard_is_the_same_in_memory_on_any_number_of_workers, scratch_open, scratch_close),
		cmocka_unit_test_setup_teardown(the_corpus_is_the_same_in_memory, scratch_open, scratch_close),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

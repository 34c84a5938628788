// A thousand times the courtyard's cook is loaded, used and released: nothing grows.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixtures/store_cycles.h"

#ifdef __SANITIZE_THREAD__ // under which everything takes ten times as long, and which sees as much in less
#define SOURCES LRD_TEST_SOURCE_DIR "/examples/courtyard/source/lantern.glb"
#define CYCLES 100
#define ASSETS 3
#else
#define SOURCES LRD_TEST_SOURCE_DIR "/examples/courtyard"
#define CYCLES 1000
#define ASSETS 20
#endif

static void cycles_of_what_was_cooked_come_back_to_the_same_figure(void **state)
{
	(void)state;
	lrd_job_pool *pool = lrd_job_pool_create(&(lrd_job_pool_desc){ .worker_count = 2 }, NULL);
	lrd_jobs jobs = lrd_job_pool_jobs(pool);
	lrd_cooked *cooked = cycles_cook(SOURCES, &jobs);
	assert_non_null(cooked);
	assert_true(cycles_run(cooked, CYCLES) > ASSETS);
	lrd_cooked_release(cooked);
	lrd_job_pool_destroy(pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cycles_of_what_was_cooked_come_back_to_the_same_figure),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

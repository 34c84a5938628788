// A thousand times the courtyard's cook is loaded, used and released: nothing grows.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixtures/store_cycles.h"

static void a_thousand_cycles_of_the_courtyard_come_back_to_the_same_figure(void **state)
{
	(void)state;
	lrd_job_pool *pool = lrd_job_pool_create(&(lrd_job_pool_desc){ .worker_count = 2 }, NULL);
	lrd_jobs jobs = lrd_job_pool_jobs(pool);
	lrd_cooked *cooked = cycles_cook(LRD_TEST_SOURCE_DIR "/examples/courtyard", &jobs);
	assert_non_null(cooked);
	assert_true(cycles_run(cooked, 1000) > 20);
	lrd_cooked_release(cooked);
	lrd_job_pool_destroy(pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_thousand_cycles_of_the_courtyard_come_back_to_the_same_figure),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

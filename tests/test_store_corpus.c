// A thousand times the cook of every glTF and picture in the public corpus is loaded, used and released: nothing grows.
// LARDER_CORPUS, or ../shared/corpus beside the source; without it the test is skipped.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixtures/store_cycles.h"

static void a_thousand_cycles_of_the_corpus_come_back_to_the_same_figure(void **state)
{
	(void)state;
	const char *given = getenv("LARDER_CORPUS");
	char folder[1024];
	snprintf(folder, sizeof folder, "%s/gltf", given != NULL ? given : LRD_TEST_SOURCE_DIR "/../shared/corpus");
	lrd_job_pool *pool = lrd_job_pool_create(&(lrd_job_pool_desc){ .worker_count = 2 }, NULL);
	lrd_jobs jobs = lrd_job_pool_jobs(pool);
	lrd_cooked *cooked = cycles_cook(folder, &jobs);
	lrd_job_pool_destroy(pool);
	if (cooked == NULL)
	{
		print_message("skip: no corpus at %s\n", folder);
		skip();
	}
	print_message("%u assets\n", cycles_run(cooked, 1000));
	lrd_cooked_release(cooked);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_thousand_cycles_of_the_corpus_come_back_to_the_same_figure),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

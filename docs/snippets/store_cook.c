// The code of docs/guide-store.md that opens sources without cooking them to a folder. snippet_store_cook SOURCE ROOT STEM

#include <larder/cook_memory.h>
#include <larder/larder.h>

#include <stdio.h>
#include <stdlib.h>

/// A source of art in a store, as if its cooked files had been mounted. `mount`: what an earlier call mounted for it, which
/// then goes and what was loaded from it is loaded anew; zeroed the first time.
static bool mount_source(
	lrd_store *store, const char *source, const char *root, const lrd_jobs *jobs, lrd_mount *mount, lrd_error *error)
{
	lrd_cook_desc desc = { .sources = &source, .source_count = 1, .root = root, .jobs = jobs };
	lrd_cooked *cooked = lrd_cook_to_memory(&desc, error);
	if (cooked == NULL)
	{
		return false;
	}
	uint32_t count;
	const lrd_cooked_source *sources = lrd_cooked_sources(cooked, &count);
	for (uint32_t i = 0; i < count; ++i)
	{
		if (sources[i].state == LRD_SOURCE_FAILED)
		{
			fprintf(stderr, "%.*s: %s\n", LRD_STR_ARG(sources[i].path), sources[i].message);
		}
	}
	lrd_mount_desc files = lrd_cooked_mount(cooked);
	lrd_cooked_release(cooked); // the mount keeps it, and what is loaded from it does
	lrd_mount old = *mount;
	if (!lrd_store_mount(store, &files, mount, error))
	{
		return false;
	}
	lrd_store_unmount(store, old);
	return old.generation == 0 || lrd_store_changed_now(store, *mount, NULL, error);
}

int main(int argc, char **argv)
{
	lrd_error error = { 0 };
	if (argc != 4)
	{
		return EXIT_FAILURE;
	}
	lrd_job_pool *pool = lrd_job_pool_create(&(lrd_job_pool_desc){ 0 }, &error);
	lrd_store *store = pool == NULL ? NULL : lrd_store_open(&(lrd_store_desc){ 0 }, &error);
	lrd_jobs jobs = pool == NULL ? (lrd_jobs){ 0 } : lrd_job_pool_jobs(pool);
	lrd_mount mount = { 0 };
	bool good = store != NULL && mount_source(store, argv[1], argv[2], &jobs, &mount, &error);
	lrd_asset asset = good ? lrd_asset_find(store, LRD_MODEL, argv[3], &error) : (lrd_asset){ 0 };
	good = good && lrd_retain_now(store, asset, &error) && !lrd_asset_error(store, asset, &error);
	good = good && mount_source(store, argv[1], argv[2], &jobs, &mount, &error); // as if it had been saved again
	good = good && lrd_retain_now(store, asset, &error) && lrd_release(store, asset);
	if (good)
	{
		printf("%s: %u parts\n", argv[3], lrd_model_get(store, asset)->view.part_count);
		lrd_release(store, asset);
	}
	else
	{
		fprintf(stderr, "%s\n", error.message);
	}
	uint32_t leaks = lrd_store_close(store);
	lrd_job_pool_destroy(pool);
	return good && leaks == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

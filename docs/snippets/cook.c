// The code of docs/guide-cook.md, as a program: snippet_cook SOURCES SCRATCH.

#include <larder/cook.h>
#include <larder/document.h>

#include <stdio.h>
#include <stdlib.h>

static void on_source(void *user, const lrd_source_report *source)
{
	(void)user;
	if (source->state == LRD_SOURCE_FAILED)
	{
		fprintf(stderr, "%.*s: %s\n", LRD_STR_ARG(source->path), source->message);
	}
	for (uint32_t i = 0; i < source->warning_count; ++i)
	{
		fprintf(stderr, "%.*s: %.*s\n", LRD_STR_ARG(source->path), LRD_STR_ARG(source->warnings[i].message));
	}
}

static bool cook(const char *sources, const char *output, const lrd_jobs *jobs)
{
	lrd_cook_report report;
	lrd_error error;
	lrd_cook_desc desc = {
		.sources = &sources,
		.source_count = 1,
		.output = output,
		.jobs = jobs,
		.on_source = on_source,
	};
	if (!lrd_cook_run(&desc, &report, &error))
	{
		fprintf(stderr, "%s\n", error.message); // the cook could not run at all
		return false;
	}
	printf("%u cooked, %u up to date, %u failed\n", report.cooked, report.up_to_date, report.failed);
	return report.failed == 0;
}

static bool seal(const char *folder, const char *bundle, const lrd_jobs *jobs)
{
	lrd_pack_write_report report;
	lrd_error error;
	lrd_pack_tree_desc desc = { .folder = folder, .bundle = bundle, .compression = LRD_ZSTD, .jobs = jobs };
	if (!lrd_pack_tree(&desc, &report, &error))
	{
		fprintf(stderr, "%s\n", error.message);
		return false;
	}
	printf("%u entries, %llu bytes\n", report.entry_count, (unsigned long long)report.file_bytes);
	return true;
}

static void on_finding(void *user, const lrd_finding *finding)
{
	(void)user;
	fprintf(stderr, "%.*s: %s\n", LRD_STR_ARG(finding->path), finding->message);
}

static bool is_sound(const char *path)
{
	lrd_validate_report report;
	lrd_validate_desc desc = { .paths = &path, .path_count = 1, .on_finding = on_finding };
	return lrd_validate(&desc, &report, NULL) && report.findings == 0;
}

int main(int argc, char **argv)
{
	char cooked[4096];
	char bundle[4096];
	lrd_job_pool *pool = argc == 3 ? lrd_job_pool_create(&(lrd_job_pool_desc){ 0 }, NULL) : NULL;
	if (pool == NULL)
	{
		return EXIT_FAILURE;
	}
	lrd_jobs jobs = lrd_job_pool_jobs(pool);
	snprintf(cooked, sizeof cooked, "%s/cooked", argv[2]);
	snprintf(bundle, sizeof bundle, "%s/art.lpack", argv[2]);
	bool good = cook(argv[1], cooked, &jobs) && seal(cooked, bundle, &jobs) && is_sound(cooked) && is_sound(bundle);
	lrd_job_pool_destroy(pool);
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

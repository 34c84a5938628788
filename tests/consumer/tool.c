// A tool: cooks a folder and seals it in a bundle. tool SOURCE COOKED BUNDLE

#include <larder/cook.h>

#include <stdio.h>

int main(int argc, char **argv)
{
	lrd_error error = { 0 };
	lrd_cook_report report = { 0 };
	if (argc != 4)
	{
		return 2;
	}
	const char *const sources[] = { argv[1] };
	lrd_cook_desc cook = { .sources = sources, .source_count = 1, .output = argv[2] };
	lrd_pack_tree_desc pack = { .folder = argv[2], .bundle = argv[3], .compression = LRD_ZSTD };
	if (!lrd_cook_run(&cook, &report, &error) || report.failed != 0 || !lrd_pack_tree(&pack, NULL, &error))
	{
		fprintf(stderr, "%u failed, %s\n", report.failed, error.message);
		return 1;
	}
	return 0;
}

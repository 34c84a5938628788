// A game: opens a bundle and prints what it holds. game BUNDLE

#include <larder/larder.h>

#include <stdio.h>

int main(int argc, char **argv)
{
	lrd_error error = { 0 };
	lrd_pack *pack = argc == 2 ? lrd_pack_open(&(lrd_pack_desc){ .path = argv[1] }, &error) : NULL;
	if (pack == NULL)
	{
		fprintf(stderr, "%s\n", error.message);
		return 1;
	}
	for (uint32_t i = 0; i < lrd_pack_count(pack); ++i)
	{
		lrd_pack_entry entry;
		lrd_pack_at(pack, i, &entry);
		printf("%s %.*s\n", lrd_kind_name(entry.kind), LRD_STR_ARG(entry.key));
	}
	lrd_pack_close(pack);
	return 0;
}

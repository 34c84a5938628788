// The example of README.md, as a program. Run where courtyard.lpack lies.

#include <larder/larder.h>

#include <stdio.h>
#include <stdlib.h>

int main(void)
{
	lrd_error error = { 0 };
	lrd_pack_entry entry;
	lrd_texture_view wall;
	lrd_pack *pack = lrd_pack_open(&(lrd_pack_desc){ .path = "courtyard.lpack" }, &error);
	bool found = pack != NULL && lrd_pack_find(pack, LRD_STR("courtyard/image.WallAlbedo.ktx2"), &entry);
	bool sound = found && lrd_texture_open(entry.stored, entry.size, &wall, &error); // wall leads into the mapped file
	if (!sound)
	{
		fprintf(stderr, "%s\n", found || pack == NULL ? error.message : "there is no such texture");
	}
	else
	{
		printf("%s, %u x %u, %u levels\n", lrd_texture_format_name(wall.format), wall.width, wall.height,
			wall.level_count);
	}
	lrd_pack_close(pack);
	return sound && wall.level_count > 1 ? EXIT_SUCCESS : EXIT_FAILURE;
}

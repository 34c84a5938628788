// gpu/retire.c: GPU objects that nothing shows any more live until the frames that may use them are through, and their
// copies too. What remembers one was allocated before it was made: so this can't fail, and frees nothing too early.

#include "gpu/gpu.h"

void lrd_image_destroy(lrd_residents *residents, lrd_image *image)
{
	if (image->object != 0)
	{
		(image->is_mesh ? residents->gpu.destroy_mesh : residents->gpu.destroy_texture)(
			residents->gpu.user, image->object);
		residents->made_room = true;
		*(image->is_mesh ? &residents->stats.mesh_bytes : &residents->stats.texture_bytes) -= image->bytes;
	}
	lrd_free(residents->allocator, image, sizeof *image);
}

static void retire(lrd_residents *residents, lrd_image *image, uint64_t frame)
{
	if (image == NULL)
	{
		return;
	}
	if (image->object == 0)
	{
		lrd_image_destroy(residents, image);
		return;
	}
	image->frame = frame;
	image->next = residents->retired;
	residents->retired = image;
	residents->stats.retired++;
	residents->stats.retired_texture_bytes += image->is_mesh ? 0 : image->bytes;
}

void lrd_image_retire(lrd_residents *residents, lrd_image *image)
{
	// In an update the frame that comes next does not use it any more; between updates that frame is being recorded.
	uint64_t newest = residents->frame;
	retire(residents, image, residents->updating && newest != 0 ? newest - 1 : newest);
}

void lrd_image_discard(lrd_residents *residents, lrd_image *image)
{
	retire(residents, image, 0);
}

void lrd_retired_free(lrd_residents *residents)
{
	lrd_image **link = &residents->retired;
	while (*link != NULL)
	{
		lrd_image *image = *link;
		if (image->frame > residents->completed || image->copied > residents->copied)
		{
			link = &image->next;
			continue;
		}
		*link = image->next;
		residents->stats.retired--;
		residents->stats.retired_texture_bytes -= image->is_mesh ? 0 : image->bytes;
		lrd_image_destroy(residents, image);
	}
}

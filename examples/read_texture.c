// Open a texture by ranges, as streaming does, and print what a GPU is to be given: read_texture wall.ktx2 [SIDE]. The levels of
// at most SIDE texels (64) are read first, with one read, and the finer ones later.

#include <larder/larder.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/// A range of a file. malloc's memory is aligned to 16, as levels want it. NULL on failure.
static void *read_range(int file, uint64_t offset, uint64_t size)
{
	uint8_t *bytes = malloc((size_t)size);
	ssize_t got = 1;
	for (uint64_t done = 0; bytes != NULL && got > 0 && done < size; done += (uint64_t)got)
	{
		got = pread(file, bytes + done, (size_t)(size - done), (off_t)(offset + done));
		if (got <= 0)
		{
			free(bytes);
			return NULL;
		}
	}
	return bytes;
}

/// What comes before the levels. The view leads into it. NULL on failure.
static void *open_header(int file, uint64_t file_size, lrd_texture_view *texture, lrd_error *error)
{
	size_t size = 0;
	void *head = read_range(file, 0, LRD_TEXTURE_HEAD_SIZE);
	bool known = head != NULL && lrd_texture_header_size(head, LRD_TEXTURE_HEAD_SIZE, file_size, &size, error);
	void *header = known ? read_range(file, 0, size) : NULL;
	free(head);
	if (header != NULL && !lrd_texture_open_header(header, size, file_size, texture, error))
	{
		free(header);
		return NULL;
	}
	return header;
}

/// Levels `first` to `end - 1`, with one read. NULL on failure; to be freed when the GPU has them.
static void *load_levels(int file, lrd_texture_view *texture, uint32_t first, uint32_t end, lrd_error *error)
{
	uint64_t offset = 0;
	uint64_t size = 0;
	bool known = lrd_texture_range(texture, first, end - first, &offset, &size);
	void *bytes = known ? read_range(file, offset, size) : NULL;
	if (bytes != NULL && !lrd_texture_attach(texture, first, end - first, bytes, (size_t)size, error))
	{
		free(bytes);
		return NULL;
	}
	return bytes;
}

/// What is copied: of each level all layers, and all faces of each, one after the other, without padding.
static void print_copies(const lrd_texture_view *texture, uint32_t first, uint32_t end)
{
	uint32_t images = (texture->layer_count == 0 ? 1 : texture->layer_count) * texture->face_count;
	for (uint32_t level = end; level-- > first;)
	{
		printf("level %2u: %5u x %5u, %u image%s, %llu bytes\n", level, lrd_texture_extent(texture->width, level),
			lrd_texture_extent(texture->height, level), images, images == 1 ? "" : "s",
			(unsigned long long)texture->levels[level].decoded_size);
	}
}

static bool load_in_two(int file, lrd_texture_view *texture, uint32_t side, lrd_error *error)
{
	uint32_t larger = texture->width > texture->height ? texture->width : texture->height;
	uint32_t first = 0;
	while (first + 1 < texture->level_count && lrd_texture_extent(larger, first) > side)
	{
		first++;
	}
	printf("%s (VkFormat %u), supercompression %s\n", lrd_texture_format_name(texture->format), texture->format,
		lrd_supercompression_name(texture->supercompression));
	void *coarse = load_levels(file, texture, first, texture->level_count, error);
	bool good = coarse != NULL;
	if (good)
	{
		print_copies(texture, first, texture->level_count);
	}
	if (good && first > 0)
	{
		void *fine = load_levels(file, texture, 0, first, error);
		good = fine != NULL;
		print_copies(texture, 0, good ? first : 0);
		free(fine);
	}
	free(coarse);
	return good;
}

int main(int argc, char **argv)
{
	lrd_error error = { .message = "it can't be read" };
	lrd_texture_view texture;
	struct stat status;
	int file = argc == 2 || argc == 3 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;
	void *header =
		file >= 0 && fstat(file, &status) == 0 ? open_header(file, (uint64_t)status.st_size, &texture, &error) : NULL;
	bool good = header != NULL && load_in_two(file, &texture, argc == 3 ? (uint32_t)atoi(argv[2]) : 64, &error);
	if (!good)
	{
		fprintf(
			stderr, "%s: %s\n", argc < 2 ? "usage" : argv[1], argc < 2 ? "read_texture TEXTURE [SIDE]" : error.message);
	}
	free(header);
	if (file >= 0)
	{
		close(file);
	}
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

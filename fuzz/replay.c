// fuzz/replay.c: runs a fuzz target over files, without libFuzzer: how tests replay seeds and what fuzzing once found.

#include <dirent.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/// For targets that bring a mutator of their own; nothing is mutated here.
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size)
{
	(void)data;
	(void)max_size;
	return size;
}

static int replay_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	long size = -1;
	if (file != NULL && fseek(file, 0, SEEK_END) == 0)
	{
		size = ftell(file);
		rewind(file);
	}
	uint8_t *data = size < 0 ? NULL : malloc((size_t)size + 1);
	int good = data != NULL && fread(data, 1, (size_t)size, file) == (size_t)size;
	if (good)
	{
		LLVMFuzzerTestOneInput(data, (size_t)size);
	}
	free(data);
	if (file != NULL)
	{
		fclose(file);
	}
	return good;
}

int main(int argc, char **argv)
{
	unsigned count = 0;
	int good = 1;
	for (int i = 1; i < argc; ++i)
	{
		DIR *folder = opendir(argv[i]); // a folder of kept finds that has none is not there
		for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;)
		{
			char path[4096];
			snprintf(path, sizeof path, "%s/%s", argv[i], entry->d_name);
			if (entry->d_name[0] != '.')
			{
				good = replay_file(path) && good;
				count++;
			}
		}
		if (folder != NULL)
		{
			closedir(folder);
		}
	}
	printf("%s %u inputs replayed\n", good && count != 0 ? "ok -" : "not ok -", count);
	return good && count != 0 ? 0 : 1;
}

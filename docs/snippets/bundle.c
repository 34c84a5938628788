// The code of docs/guide-bundle.md, as a program. Run where courtyard.lpack lies.

#include <larder/larder.h>

#include <stdio.h>
#include <stdlib.h>

static lrd_pack *open_bundle(const char *path)
{
	lrd_error error;
	lrd_pack *pack = lrd_pack_open(&(lrd_pack_desc){ .path = path }, &error);
	if (pack == NULL)
	{
		fprintf(stderr, "%s\n", error.message); // names the file and what is wrong with it
	}
	return pack;
}

/// "courtyard/part.Wall" and LRD_MESH: the entry "courtyard/part.Wall.lmesh".
static bool find(const lrd_pack *pack, lrd_string stem, lrd_kind kind, lrd_pack_entry *entry)
{
	char key[1100];
	int size = snprintf(key, sizeof key, "%.*s%s", LRD_STR_ARG(stem), lrd_kind_extension(kind));
	return lrd_pack_find(pack, (lrd_string){ key, (size_t)size }, entry);
}

/// A payload's bytes: in the mapping where it is stored raw, else inflated into *owned, which the caller frees. NULL on failure.
static const void *payload(const lrd_pack *pack, const lrd_pack_entry *entry, void **owned, lrd_error *error)
{
	*owned = NULL;
	if (entry->compression == LRD_STORED)
	{
		return entry->stored;
	}
	*owned = malloc((size_t)entry->size);
	if (*owned == NULL || !lrd_pack_read(pack, entry, *owned, entry->size, error))
	{
		free(*owned);
		*owned = NULL;
	}
	return *owned;
}

static uint32_t print_models(const lrd_pack *pack)
{
	uint32_t models = 0;
	for (uint32_t i = 0; i < lrd_pack_count(pack); ++i)
	{
		lrd_pack_entry entry;
		lrd_pack_at(pack, i, &entry);
		if (entry.kind == LRD_MODEL)
		{
			printf("%.*s, %llu bytes\n", LRD_STR_ARG(entry.key), (unsigned long long)entry.size);
			models++;
		}
	}
	return models;
}

/// Every texture that a material names, with its finest and its smallest level.
static bool print_textures(const lrd_pack *pack, const lrd_material_view *material)
{
	for (lrd_material_slot slot = 0; slot < LRD_SLOT_COUNT; ++slot)
	{
		lrd_string stem = lrd_material_texture_stem(material, slot);
		lrd_pack_entry entry;
		lrd_texture_view texture;
		if (stem.size == 0)
		{
			continue; // nothing in this slot
		}
		if (!find(pack, stem, LRD_TEXTURE, &entry) || !lrd_texture_open(entry.stored, entry.size, &texture, NULL))
		{
			return false;
		}
		printf("%-20s %.*s, %u x %u, %llu bytes at level 0\n", lrd_material_slot_name(slot), LRD_STR_ARG(stem),
			texture.width, texture.height, (unsigned long long)texture.levels[0].size);
	}
	return true;
}

static bool print_material(const lrd_pack *pack, lrd_string stem)
{
	lrd_pack_entry entry;
	lrd_material_view material;
	lrd_error error = { 0 };
	void *owned = NULL;
	const void *bytes = find(pack, stem, LRD_MATERIAL, &entry) ? payload(pack, &entry, &owned, &error) : NULL;
	bool good = bytes != NULL && lrd_material_open(bytes, entry.size, &material, &error);
	if (good)
	{
		printf("%.*s: roughness %g\n", LRD_STR_ARG(material.name), (double)material.params->roughness);
		good = print_textures(pack, &material);
	}
	free(owned); // after the last use of the view, which leads into it
	return good;
}

typedef struct inflate_job
{
	lrd_job job; // first, so that a pointer to it is one to the whole
	const lrd_pack *pack;
	lrd_pack_entry entry;
	void *bytes;
	bool good;
} inflate_job;

static void inflate(lrd_job *job)
{
	inflate_job *self = (inflate_job *)(void *)job;
	self->good = lrd_pack_read(self->pack, &self->entry, self->bytes, self->entry.size, NULL);
}

/// Every payload at once, on as many threads as there are processors.
static bool inflate_all(const lrd_pack *pack, lrd_jobs jobs)
{
	uint32_t count = lrd_pack_count(pack);
	inflate_job *all = calloc(count, sizeof *all);
	bool good = all != NULL;
	for (uint32_t i = 0; good && i < count; ++i)
	{
		all[i] = (inflate_job){ .job = { .run = inflate }, .pack = pack };
		lrd_pack_at(pack, i, &all[i].entry);
		all[i].bytes = malloc((size_t)all[i].entry.size);
		good = all[i].bytes != NULL && jobs.submit(jobs.user, &all[i].job);
	}
	jobs.wait(jobs.user);
	for (uint32_t i = 0; all != NULL && i < count; ++i)
	{
		good = good && all[i].good;
		free(all[i].bytes);
	}
	free(all);
	return good;
}

int main(void)
{
	lrd_error error;
	lrd_pack *pack = open_bundle("courtyard.lpack");
	if (pack == NULL)
	{
		return EXIT_FAILURE;
	}
	bool good = print_models(pack) == 2 && print_material(pack, LRD_STR("courtyard/material.Wall")) &&
				!print_material(pack, LRD_STR("courtyard/material.NoSuchThing"));
	lrd_job_pool *workers = lrd_job_pool_create(&(lrd_job_pool_desc){ 0 }, &error);
	good = good && workers != NULL && inflate_all(pack, lrd_job_pool_jobs(workers));
	lrd_job_pool_destroy(workers);
	lrd_pack_close(pack);
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

// larder info: says what is in a file. Everything is gathered as JSON; without --json it is printed as an outline of it.

#include "cli/info.h"
#include "cli/picture.h"
#include "larder/pack.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool ends_with(const char *path, const char *suffix)
{
	size_t size = strlen(path);
	size_t suffix_size = strlen(suffix);
	return size >= suffix_size && strcmp(path + size - suffix_size, suffix) == 0;
}

static bool info_source(cJSON *json, const char *path, lrd_error *error)
{
	const char *slash = strrchr(path, '/');
	char *root = slash == NULL ? NULL : malloc((size_t)(slash - path) + 2);
	if (slash != NULL && root != NULL)
	{
		size_t size = slash == path ? 1 : (size_t)(slash - path);
		memcpy(root, path, size);
		root[size] = 0;
	}
	lrd_import_desc desc = { .root = slash == NULL ? "." : root, .path = slash == NULL ? path : slash + 1 };
	lrd_document *document = slash != NULL && root == NULL ? NULL : lrd_import_file(&desc, error);
	if (document != NULL)
	{
		cli_json_string(json, "kind", LRD_STR("source"));
		cli_info_document(json, document);
	}
	lrd_document_free(document);
	free(root);
	return document != NULL;
}

static bool info_bundle(cJSON *json, const char *path, lrd_error *error)
{
	lrd_pack *pack = lrd_pack_open(&(lrd_pack_desc){ .path = path }, error);
	if (pack == NULL)
	{
		return false;
	}
	uint32_t counts[LRD_KIND_COUNT] = { 0 };
	uint64_t size = 0;
	uint64_t stored = 0;
	for (uint32_t i = 0; i < lrd_pack_count(pack); ++i)
	{
		lrd_pack_entry entry;
		lrd_pack_at(pack, i, &entry);
		counts[entry.kind < LRD_KIND_COUNT ? entry.kind : LRD_BLOB]++;
		size += entry.size;
		stored += entry.stored_size;
	}
	cli_json_string(json, "kind", LRD_STR("bundle"));
	cli_json_number(json, "entries", lrd_pack_count(pack));
	cli_json_number(json, "size", (double)size);
	cli_json_number(json, "stored_size", (double)stored);
	cJSON *kinds = cJSON_AddObjectToObject(json, "kinds");
	for (uint32_t k = 0; k < LRD_KIND_COUNT; ++k)
	{
		if (counts[k] != 0)
		{
			cli_json_number(kinds, lrd_kind_name((lrd_kind)k), counts[k]);
		}
	}
	lrd_pack_close(pack);
	return true;
}

static bool info_cooked(cJSON *json, const char *path, lrd_error *error)
{
	lrd_bytes bytes = cli_read_whole(path, error);
	lrd_kind kind = lrd_kind_from_path(lrd_string_from(path));
	if (bytes.data == NULL)
	{
		return false;
	}
	lrd_picture_container container = kind == LRD_BLOB ? lrd_picture_container_of(bytes) : LRD_PICTURE_NONE;
	kind = container == LRD_PICTURE_KTX2 ? LRD_TEXTURE : kind;
	bool is_image = container != LRD_PICTURE_NONE && container != LRD_PICTURE_KTX2;
	cli_json_string(json, "kind", lrd_string_from(is_image ? "image" : lrd_kind_name(kind)));
	cli_json_number(json, "size", (double)bytes.size);
	bool good = cli_info_cooked(json, kind, bytes.data, bytes.size, error);
	free((void *)(uintptr_t)bytes.data);
	return good;
}

static bool info_file(cJSON *json, const char *path)
{
	lrd_error error = { 0 };
	bool good;
	cli_json_string(json, "file", lrd_string_from(path));
	if (lrd_import_knows(lrd_string_from(path)))
	{
		good = info_source(json, path, &error);
	}
	else if (ends_with(path, ".lpack"))
	{
		good = info_bundle(json, path, &error);
	}
	else
	{
		good = info_cooked(json, path, &error);
	}
	if (!good)
	{
		cJSON_AddStringToObject(json, "error", error.message);
		bool is_named = strncmp(error.message, path, strlen(path)) == 0;
		cli_error("%s%s%s", is_named ? "" : path, is_named ? "" : ": ", error.message);
	}
	return good;
}

static bool is_mesh(const char *path)
{
	lrd_kind kind = lrd_kind_from_path(lrd_string_from(path));
	return kind == LRD_MESH || kind == LRD_MODEL;
}

/// What --picture and --show say can be done. False: it can't, which was said.
static bool check_picture(const cli_arguments *arguments)
{
	const char *picture = arguments->values[CLI_PICTURE];
	const char *show = arguments->values[CLI_SHOW];
	if (picture == NULL && show == NULL)
	{
		return true;
	}
	if (picture == NULL)
	{
		cli_error("info: --show is of a picture; --picture is missing");
		return false;
	}
	if (arguments->operand_count != 1)
	{
		cli_error("info: --picture is of one file, not of %u", arguments->operand_count);
		return false;
	}
	if (!cli_saves_to_png(picture))
	{
		cli_error("info: --picture takes a path that ends in .png, not %s", picture);
		return false;
	}
	if (lrd_import_knows(lrd_string_from(arguments->operands[0])))
	{
		cli_error("info: --picture is of images, textures, meshes and models; %s is to be cooked first",
			arguments->operands[0]);
		return false;
	}
	lrd_kind kind = lrd_kind_from_path(lrd_string_from(arguments->operands[0]));
	if (kind == LRD_MATERIAL || kind == LRD_SKELETON || kind == LRD_CLIP)
	{
		cli_error("info: --picture is of images, textures, meshes and models; %s is none", arguments->operands[0]);
		return false;
	}
	if (show != NULL && !is_mesh(arguments->operands[0]))
	{
		cli_error("info: --show is of meshes and models, not of %s", arguments->operands[0]);
		return false;
	}
	return show == NULL || cli_knows_panels(show);
}

static bool save_picture(const cli_arguments *arguments)
{
	const char *picture = arguments->values[CLI_PICTURE];
	const char *path = arguments->operands[0];
	return is_mesh(path) ? cli_save_mesh_sheet(picture, path, arguments->values[CLI_SHOW])
						 : cli_save_sheet(picture, path);
}

cli_exit cli_info(const cli_arguments *arguments)
{
	bool good = true;
	if (!check_picture(arguments))
	{
		return CLI_BAD_COMMAND_LINE;
	}
	cJSON *files = cJSON_CreateArray();
	for (uint32_t i = 0; i < arguments->operand_count; ++i)
	{
		cJSON *file = cJSON_CreateObject();
		cJSON_AddItemToArray(files, file);
		good = info_file(file, arguments->operands[i]) && good;
	}
	if (good && arguments->values[CLI_PICTURE] != NULL)
	{
		good = save_picture(arguments);
	}
	if (arguments->values[CLI_JSON] != NULL)
	{
		cJSON *only = arguments->operand_count == 1 ? cJSON_DetachItemFromArray(files, 0) : NULL;
		good = cli_json_print(only != NULL ? only : files) && good;
		if (only != NULL)
		{
			cJSON_Delete(files);
		}
		return good ? CLI_OK : CLI_FAILED;
	}
	for (const cJSON *file = files->child; file != NULL; file = file->next)
	{
		if (cJSON_GetObjectItemCaseSensitive(file, "error") == NULL)
		{
			cli_print_outline(file, 0);
			fputs(file->next != NULL ? "\n" : "", stdout);
		}
	}
	cJSON_Delete(files);
	return good ? CLI_OK : CLI_FAILED;
}

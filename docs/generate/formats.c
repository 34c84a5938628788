// larder-docs-formats: prints docs/formats.md. What is said of every byte comes from the tables that stand beside the readers
// (src/format/describe_*.c), for the bundle from its own structs (describe_bundle.c), for traces from the table that
// they are written by (store/trace_calls.h); what is said around them is in the *.md files
// of this folder: larder-docs-formats docs/generate > docs/formats.md.

#include "generate/describe_bundle.h"
#include "store/trace_calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Copy a part to stdout. False, which was said, when it can't be read.
static bool print_part(const char *folder, const char *name)
{
	char path[4096];
	char piece[4096];
	size_t size;
	int length = snprintf(path, sizeof path, "%s/%s.md", folder, name);
	FILE *file = length > 0 && (size_t)length < sizeof path ? fopen(path, "rb") : NULL;
	if (file == NULL)
	{
		fprintf(stderr, "%s/%s.md can't be read\n", folder, name);
		return false;
	}
	while ((size = fread(piece, 1, sizeof piece, file)) != 0)
	{
		fwrite(piece, 1, size, stdout);
	}
	bool good = ferror(file) == 0;
	fclose(file);
	return good;
}

/// A cell of a table: what would end it early is escaped.
static void print_cell(const char *text)
{
	fputs(" ", stdout);
	for (; *text != 0; ++text)
	{
		fputs(*text == '|' ? "\\" : "", stdout);
		fputc(*text, stdout);
	}
	fputs(" |", stdout);
}

static void print_struct(const lrd_layout_description *layout, const lrd_layout_struct *description)
{
	printf("\n### %s: %s, %u bytes\n\n| offset | bytes | field | type | |\n|---:|---:|---|---|---|\n", layout->name,
		description->name, description->size);
	for (uint32_t i = 0; i < description->field_count; ++i)
	{
		const lrd_layout_field *field = &description->fields[i];
		printf("| %u | %u | `%s` |", field->offset, field->size, field->name);
		print_cell(field->type);
		print_cell(field->meaning);
		fputs("\n", stdout);
	}
}

static void print_blocks(const lrd_layout_description *layout)
{
	printf("\n### %s: blocks\n\n| block | element | how many | |\n|---|---|---|---|\n", layout->name);
	for (uint32_t i = 0; i < layout->block_count; ++i)
	{
		const lrd_layout_block *block = &layout->blocks[i];
		fputs("|", stdout);
		print_cell(block->name);
		print_cell(block->element);
		printf(" `%s` |", block->count);
		print_cell(block->meaning);
		fputs("\n", stdout);
	}
}

static void print_rules(const lrd_layout_description *layout)
{
	printf("\n### %s: rules\n\n", layout->name);
	for (uint32_t i = 0; i < layout->rule_count; ++i)
	{
		printf("- %s\n", layout->rules[i]);
	}
}

static bool print_format(const char *folder, const lrd_layout_description *layout, const char *part)
{
	printf("\n## %s\n\n`%s`, magic `%s`, version %u.\n\n", layout->name, layout->extension, layout->magic,
		layout->version);
	if (!print_part(folder, part))
	{
		return false;
	}
	print_blocks(layout);
	for (uint32_t i = 0; i < layout->struct_count; ++i)
	{
		print_struct(layout, &layout->structs[i]);
	}
	print_rules(layout);
	return true;
}

/// Every kind with its number and extension, as bundles store them.
static void print_kinds(void)
{
	printf("\n### Bundle: kinds\n\n| number | kind | extension |\n|---:|---|---|\n");
	for (int kind = 1; kind < LRD_KIND_COUNT; ++kind)
	{
		const char *extension = lrd_kind_extension((lrd_kind)kind);
		printf("| %d | %s | %s |\n", kind, lrd_kind_name((lrd_kind)kind), extension[0] != 0 ? extension : "any other");
	}
}

/// What the letters of a call's values stand for.
static void print_values(const char *types)
{
	static const struct
	{
		char type;
		const char *name;
	} names[] = { { 'a', "asset" }, { 'm', "mount" }, { 't', "ticket" }, { 'l', "listener" }, { 'k', "kind" },
		{ 'e', "state" }, { 'b', "truth" }, { 'n', "number" }, { 'i', "integer" }, { 's', "text" }, { 'd', "bytes" } };
	for (const char *type = types; *type != 0; ++type)
	{
		for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
		{
			if (names[i].type == *type)
			{
				printf("%s%s", type == types ? "" : ", ", names[i].name);
			}
		}
	}
	fputs(" |", stdout);
}

static void print_calls(void)
{
	printf("### Trace: calls\n\n| call | arguments | answers | checked |\n|---|---|---|---|\n");
	for (int i = 0; i < LRD_CALL_COUNT; ++i)
	{
		const lrd_call_row *row = &lrd_call_rows[i];
		printf("| `%s` | ", row->name);
		print_values(row->arguments);
		fputs(" ", stdout);
		print_values(row->answers);
		printf(" %s |\n", row->answers[0] == 0 ? "" : (row->check == LRD_CHECK_EQUAL ? "same" : "timing"));
	}
}

int main(int argc, char **argv)
{
	const char *folder = argc == 2 ? argv[1] : NULL;
	if (folder == NULL)
	{
		fprintf(stderr, "usage: larder-docs-formats docs/generate > docs/formats.md\n");
		return 2;
	}
	bool good =
		print_part(folder, "start") && print_format(folder, &lrd_mesh_layout, "mesh") &&
		print_format(folder, &lrd_skeleton_layout, "skeleton") && print_format(folder, &lrd_clip_layout, "clip") &&
		print_format(folder, &lrd_material_layout, "material") && print_format(folder, &lrd_model_layout, "model") &&
		print_part(folder, "texture") && print_format(folder, &lrd_bundle_layout, "bundle");
	if (good)
	{
		print_kinds();
		good = print_part(folder, "manifest") && print_part(folder, "trace");
	}
	if (good)
	{
		print_calls();
	}
	return good && fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

// The text form of what `larder info` says: an indented outline of its JSON. Rows of the same keys become tables, actors a
// tree; of rows that differ in nothing but numbers, where they are many, the first are printed and the others counted.

#include "cli/alike.h"
#include "cli/info.h"

#include <stdlib.h>
#include <string.h>

/// Deeper than this, trees are indented no further.
#define MAX_INDENT 32u

static bool is_scalar(const cJSON *item)
{
	return !cJSON_IsArray(item) && !cJSON_IsObject(item);
}

static bool holds_scalars(const cJSON *item)
{
	for (const cJSON *child = item->child; child != NULL; child = child->next)
	{
		if (!is_scalar(child))
		{
			return false;
		}
	}
	return true;
}

static void put_scalar(FILE *file, const cJSON *item)
{
	if (cJSON_IsString(item))
	{
		cli_put_text(file, lrd_string_from(item->valuestring));
	}
	else if (cJSON_IsRaw(item))
	{
		fputs(item->valuestring, file);
	}
	else if (cJSON_IsNumber(item))
	{
		fprintf(file, "%.0f", item->valuedouble);
	}
	else
	{
		fputs(cJSON_IsTrue(item) ? "yes" : (cJSON_IsFalse(item) ? "no" : "none"), file);
	}
}

/// A scalar, or a list of them; an empty one is none.
static void put_value(FILE *file, const cJSON *item)
{
	if (is_scalar(item))
	{
		put_scalar(file, item);
		return;
	}
	for (const cJSON *value = item->child; value != NULL; value = value->next)
	{
		put_scalar(file, value);
		fputs(value->next != NULL ? " " : "", file);
	}
	fputs(item->child == NULL ? "none" : "", file);
}

// Tables.

static bool have_same_keys(const cJSON *a, const cJSON *b)
{
	const cJSON *left = a->child;
	const cJSON *right = b->child;
	while (left != NULL && right != NULL && strcmp(left->string, right->string) == 0)
	{
		left = left->next;
		right = right->next;
	}
	return left == NULL && right == NULL;
}

/// Scalars, and vectors.
static bool fits_a_cell(const cJSON *item)
{
	return is_scalar(item) || (cJSON_IsArray(item) && holds_scalars(item) && cJSON_GetArraySize(item) <= 4);
}

static bool fits_a_row(const cJSON *row)
{
	for (const cJSON *cell = row->child; cell != NULL; cell = cell->next)
	{
		if (!fits_a_cell(cell))
		{
			return false;
		}
	}
	return cJSON_IsObject(row) && row->child != NULL;
}

/// An array of objects with the same keys.
static bool is_table(const cJSON *array)
{
	for (const cJSON *row = array->child; row != NULL; row = row->next)
	{
		if (!fits_a_row(row) || !have_same_keys(array->child, row))
		{
			return false;
		}
	}
	return array->child != NULL;
}

typedef struct table_column
{
	const char *name;
	int width; ///< characters
	bool is_text;
} table_column;

/// Characters that a cell takes.
static int width_of(const cJSON *item)
{
	char *text = NULL;
	size_t size = 0;
	int width = 0;
	FILE *file = open_memstream(&text, &size);
	if (file == NULL)
	{
		return 0;
	}
	put_value(file, item);
	fclose(file);
	for (const char *byte = text; byte != NULL && *byte != 0; ++byte)
	{
		width += ((unsigned char)*byte & 0xc0) != 0x80;
	}
	free(text);
	return width;
}

static void put_cell(const table_column *column, const cJSON *item, bool is_last)
{
	int space = column->width - width_of(item);
	printf("%*s", column->is_text ? 0 : space, "");
	put_value(stdout, item);
	printf("%*s", column->is_text && !is_last ? space : 0, "");
}

static void measure(const cJSON *array, const cli_alike *alike, table_column *columns)
{
	uint32_t number = 0;
	for (const cJSON *row = array->child; row != NULL; row = row->next, ++number)
	{
		size_t at = 0;
		for (const cJSON *cell = cli_is_shown(alike, number) ? row->child : NULL; cell != NULL; cell = cell->next, ++at)
		{
			int width = width_of(cell);
			int least = (int)strlen(cell->string);
			columns[at].name = cell->string;
			columns[at].is_text = columns[at].is_text || cJSON_IsString(cell) || cJSON_IsArray(cell);
			columns[at].width = width > columns[at].width ? width : columns[at].width;
			columns[at].width = least > columns[at].width ? least : columns[at].width;
		}
	}
}

static void print_rows(const cJSON *array, const cli_alike *alike, const table_column *columns, size_t count, int depth)
{
	int index_width = snprintf(NULL, 0, "[%d]", cJSON_GetArraySize(array) - 1);
	printf("%*s", depth * 2 + index_width, "");
	for (size_t i = 0; i < count; ++i)
	{
		int width = i + 1 == count && columns[i].is_text ? 0 : columns[i].width;
		printf("  %*s", columns[i].is_text ? -width : width, columns[i].name);
	}
	fputc('\n', stdout);
	uint32_t number = 0;
	for (const cJSON *row = array->child; row != NULL; row = row->next, ++number)
	{
		if (!cli_is_shown(alike, number))
		{
			continue;
		}
		char index[16];
		size_t at = 0;
		snprintf(index, sizeof index, "[%u]", number);
		printf("%*s%*s", depth * 2, "", index_width, index);
		for (const cJSON *cell = row->child; cell != NULL; cell = cell->next, ++at)
		{
			fputs("  ", stdout);
			put_cell(&columns[at], cell, at + 1 == count);
		}
		fputc('\n', stdout);
		if (cli_left_out(alike, number) != 0)
		{
			printf("%*s  and %u more like these\n", depth * 2 + index_width, "", cli_left_out(alike, number));
		}
	}
}

static void print_table(const cJSON *array, int depth)
{
	size_t count = (size_t)cJSON_GetArraySize(array->child);
	table_column *columns = calloc(count, sizeof *columns);
	cli_alike *alike = cli_find_alike(array, NULL);
	if (columns == NULL || alike == NULL)
	{
		cli_error("out of memory");
	}
	else
	{
		measure(array, alike, columns);
		print_rows(array, alike, columns, count, depth);
	}
	free(alike);
	free(columns);
}

// Trees: rows with a "name", and a "parent" that is an earlier row or -1.

typedef struct tree_row
{
	const cJSON *row;
	uint32_t parent, first, last, next; ///< rows; UINT32_MAX: none
} tree_row;

static tree_row *link_rows(const cJSON *array)
{
	uint32_t count = (uint32_t)cJSON_GetArraySize(array);
	tree_row *rows = calloc(count + 1u, sizeof *rows); // the last is above all
	if (rows == NULL)
	{
		return NULL;
	}
	rows[count] = (tree_row){ NULL, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX };
	uint32_t at = 0;
	for (const cJSON *row = array->child; row != NULL; row = row->next, ++at)
	{
		double parent = cJSON_GetObjectItemCaseSensitive(row, "parent")->valuedouble;
		tree_row *above = &rows[parent >= 0 && parent < at ? (uint32_t)parent : count];
		rows[at] = (tree_row){ row, (uint32_t)(above - rows), UINT32_MAX, UINT32_MAX, UINT32_MAX };
		if (above->last == UINT32_MAX)
		{
			above->first = at;
		}
		else
		{
			rows[above->last].next = at;
		}
		above->last = at;
	}
	return rows;
}

static void indent_tree(uint32_t depth)
{
	printf("%*s", (int)(depth < MAX_INDENT ? depth : MAX_INDENT) * 2, "");
}

/// "NAME key: value, key: value" of all but the tree's own keys.
static void print_tree_row(const cJSON *row, uint32_t depth)
{
	indent_tree(depth);
	put_scalar(stdout, cJSON_GetObjectItemCaseSensitive(row, "name"));
	const char *before = "  ";
	for (const cJSON *member = row->child; member != NULL; member = member->next)
	{
		if (strcmp(member->string, "name") == 0 || strcmp(member->string, "parent") == 0)
		{
			continue;
		}
		printf("%s%s", before, member->string);
		before = ", ";
		fputc(' ', stdout);
		put_value(stdout, member);
	}
	fputc('\n', stdout);
}

static void print_linked(const tree_row *rows, const cli_alike *alike, uint32_t top, uint32_t depth)
{
	for (uint32_t at = rows[top].first; at != UINT32_MAX;)
	{
		if (cli_is_shown(alike, at))
		{
			print_tree_row(rows[at].row, depth);
		}
		if (cli_left_out(alike, at) != 0)
		{
			indent_tree(depth);
			printf("and %u more like these\n", cli_left_out(alike, at));
		}
		if (rows[at].first != UINT32_MAX)
		{
			at = rows[at].first;
			depth++;
			continue;
		}
		while (at != top && rows[at].next == UINT32_MAX)
		{
			at = rows[at].parent;
			depth--;
		}
		at = at == top ? UINT32_MAX : rows[at].next;
	}
}

static void print_tree(const cJSON *array, uint32_t depth)
{
	uint32_t top = (uint32_t)cJSON_GetArraySize(array);
	tree_row *rows = link_rows(array);
	bool *apart = calloc(top + 1u, sizeof *apart); // what has something below it is always printed
	for (uint32_t at = 0; rows != NULL && apart != NULL && at < top; ++at)
	{
		apart[at] = rows[at].first != UINT32_MAX;
	}
	cli_alike *alike = rows != NULL && apart != NULL ? cli_find_alike(array, apart) : NULL;
	if (alike == NULL)
	{
		cli_error("out of memory");
	}
	else
	{
		print_linked(rows, alike, top, depth);
	}
	free(alike);
	free(apart);
	free(rows);
}

void cli_print_outline(const cJSON *item, int depth)
{
	uint32_t number = 0;
	for (const cJSON *child = item->child; child != NULL; child = child->next, ++number)
	{
		printf("%*s", depth * 2, "");
		if (child->string != NULL)
		{
			printf("%s:", child->string);
		}
		else
		{
			printf("[%u]", number);
		}
		if (is_scalar(child) || (cJSON_IsArray(child) && holds_scalars(child)))
		{
			bool is_empty = cJSON_IsString(child) && child->valuestring[0] == 0;
			fputs(is_empty ? " none" : " ", stdout);
			put_value(stdout, child);
			fputc('\n', stdout);
		}
		else if (child->string != NULL && strcmp(child->string, "actors") == 0)
		{
			fputc('\n', stdout);
			print_tree(child, (uint32_t)depth + 1);
		}
		else if (cJSON_IsArray(child) && is_table(child))
		{
			fputc('\n', stdout);
			print_table(child, depth + 1);
		}
		else
		{
			fputc('\n', stdout);
			cli_print_outline(child, depth + 1);
		}
	}
}

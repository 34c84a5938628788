// The descriptions of the layouts, from which documents are made: they name every byte of every struct, once and in
// order.

#include "format/layout.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const lrd_layout_description *const layouts[] = { &lrd_mesh_layout, &lrd_skeleton_layout, &lrd_clip_layout,
	&lrd_material_layout, &lrd_model_layout };

#define LAYOUTS (sizeof layouts / sizeof *layouts)

static void fields_cover_their_structs_without_gaps(void **state)
{
	(void)state;
	for (size_t l = 0; l < LAYOUTS; l++)
	{
		for (uint32_t s = 0; s < layouts[l]->struct_count; s++)
		{
			const lrd_layout_struct *description = &layouts[l]->structs[s];
			uint32_t covered = 0;
			for (uint32_t f = 0; f < description->field_count; f++)
			{
				if (description->fields[f].offset != covered)
				{
					fail_msg("%s, %s: %s starts at %u, expected %u", layouts[l]->name, description->name,
						description->fields[f].name, description->fields[f].offset, covered);
				}
				covered += description->fields[f].size;
			}
			assert_int_equal(covered, description->size);
		}
	}
}

static void headers_come_first_and_start_alike(void **state)
{
	(void)state;
	for (size_t l = 0; l < LAYOUTS; l++)
	{
		const lrd_layout_struct *header = &layouts[l]->structs[0];
		assert_string_equal(header->name, "header");
		assert_int_equal(header->size % LRD_LAYOUT_ALIGNMENT, 0);
		assert_string_equal(header->fields[0].name, "magic");
		assert_non_null(strstr(header->fields[0].meaning, layouts[l]->magic));
		assert_string_equal(header->fields[1].name, "version");
		assert_string_equal(header->fields[2].name, "file_size");
	}
}

static void counts_of_blocks_are_fields_of_the_header_or_numbers(void **state)
{
	(void)state;
	for (size_t l = 0; l < LAYOUTS; l++)
	{
		const lrd_layout_struct *header = &layouts[l]->structs[0];
		for (uint32_t b = 0; b < layouts[l]->block_count; b++)
		{
			const char *count = layouts[l]->blocks[b].count;
			bool found = strspn(count, "0123456789") == strlen(count);
			for (uint32_t f = 0; f < header->field_count; f++)
			{
				found |= strcmp(header->fields[f].name, count) == 0;
			}
			if (!found)
			{
				fail_msg("%s: block %s has count %s", layouts[l]->name, layouts[l]->blocks[b].name, count);
			}
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_cover_their_structs_without_gaps),
		cmocka_unit_test(headers_come_first_and_start_alike),
		cmocka_unit_test(counts_of_blocks_are_fields_of_the_header_or_numbers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

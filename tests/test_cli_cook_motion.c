// What the program says of skeletons and clips that were cooked: a line for each, and one for all.

#include "cli/cook_motion.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char *text;
static size_t text_size;

static FILE *begin(void)
{
	FILE *file = open_memstream(&text, &text_size);
	assert_non_null(file);
	return file;
}

static void check(FILE *file, const char *expected)
{
	fclose(file);
	assert_string_equal(text, expected);
	free(text);
}

static const lrd_clip_report walk = {
	.duration = 1.25f, .channels = 60, .constant = 12, .keys_before = 1500, .keys = 320
};
static const lrd_clip_report stand = { .duration = 0.0f, .channels = 3, .keys_before = 3, .keys = 3 };

static void a_skeleton_is_told_on_a_line(void **state)
{
	(void)state;
	FILE *file = begin();
	cli_put_skeleton(file, &(lrd_skeleton_report){ .joints = 22, .skin_joints = 22 });
	check(file, "joints 22");
	file = begin();
	cli_put_skeleton(file, &(lrd_skeleton_report){ .joints = 22, .skin_joints = 19 });
	check(file, "joints 19 -> 22");
}

static void a_clip_is_told_on_a_line(void **state)
{
	(void)state;
	FILE *file = begin();
	cli_put_clip(file, &walk);
	check(file, "1.25 s, channels 60, constant 12, keys 1500 -> 320");
	file = begin();
	cli_put_clip(file, &stand);
	check(file, "0 s, channels 3, keys 3");
}

static void all_of_them_are_summed(void **state)
{
	(void)state;
	cli_motion_sums sums = { 0 };
	FILE *file = begin();
	cli_put_motion_sums(file, &sums);
	check(file, "");
	cli_add_skeleton(&sums, &(lrd_skeleton_report){ .joints = 22, .skin_joints = 19 });
	cli_add_clip(&sums, &walk);
	file = begin();
	cli_put_motion_sums(file, &sums);
	check(file, "1 skeleton: joints 19 -> 22\n1 clip: channels 60, constant 12, keys 1500 -> 320\n");
	cli_add_skeleton(&sums, &(lrd_skeleton_report){ .joints = 3, .skin_joints = 3 });
	cli_add_clip(&sums, &stand);
	file = begin();
	cli_put_motion_sums(file, &sums);
	check(file, "2 skeletons: joints 22 -> 25\n2 clips: channels 63, constant 12, keys 1503 -> 323\n");
}

static void check_json(cJSON *json, const char *expected)
{
	char *printed = cJSON_PrintUnformatted(json);
	assert_string_equal(printed, expected);
	cJSON_free(printed);
	cJSON_Delete(json);
}

static void json_has_all_of_it(void **state)
{
	(void)state;
	cJSON *json = cJSON_CreateObject();
	cli_json_clip(json, &walk);
	check_json(json, "{\"duration\":1.25,\"channels\":60,\"constant\":12,\"keys_before\":1500,\"keys\":320}");
	json = cJSON_CreateObject();
	cli_json_skeleton(json, &(lrd_skeleton_report){ .joints = 22, .skin_joints = 19 });
	check_json(json, "{\"skin_joints\":19,\"joints\":22}");
	cli_motion_sums sums = { 0 };
	cli_add_skeleton(&sums, &(lrd_skeleton_report){ .joints = 22, .skin_joints = 19 });
	cli_add_clip(&sums, &stand);
	json = cJSON_CreateObject();
	cli_json_motion_sums(json, &sums);
	check_json(json, "{\"skeletons\":{\"count\":1,\"skin_joints\":19,\"joints\":22},"
					 "\"clips\":{\"count\":1,\"channels\":3,\"constant\":0,\"keys_before\":3,\"keys\":3}}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_skeleton_is_told_on_a_line),
		cmocka_unit_test(a_clip_is_told_on_a_line),
		cmocka_unit_test(all_of_them_are_summed),
		cmocka_unit_test(json_has_all_of_it),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

// Animations: paths, interpolations, formats, and what becomes of keys that break the rules.

#include "fixtures/gltf_check.h"

#include <math.h>

static int times_of(gltf_build *build, const float *times, int count)
{
	return gltf_floats(build, times, count, "SCALAR");
}

// One animation "Walk" of one channel on node "Hip".
static void add_animation(gltf_build *build, int input, int output, const char *path, const char *interpolation)
{
	gltf_add(build, "nodes", "{\"name\":\"Hip\"}");
	gltf_add(build, "animations",
		"{\"name\":\"Walk\",\"samplers\":[{\"input\":%d,\"output\":%d,\"interpolation\":\"%s\"}],"
		"\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"%s\"}}]}",
		input, output, interpolation, path);
}

static const lrd_document_channel *only(const lrd_document *document)
{
	assert_int_equal(document->animations[0].channel_count, 1);
	return &document->animations[0].channels[0];
}

static void linear_and_step_channels_are_read(void **state)
{
	(void)state;
	FIXTURE(build);
	int input = times_of(&build, (const float[]){ 0, 0.5f, 2 }, 3);
	const float values[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };
	int output = gltf_floats(&build, values, 3, "VEC3");
	add_animation(&build, input, output, "translation", "LINEAR");
	add_animation(&build, input, output, "scale", "STEP");
	lrd_document *document = import_good(&build);
	check_no_warnings(document);
	check_text(document->animations[0].name, "Walk");
	const lrd_document_channel *channel = only(document);
	assert_int_equal(channel->node, 0);
	assert_int_equal(channel->path, LRD_PATH_TRANSLATION);
	assert_int_equal(channel->interpolation, LRD_INTERPOLATION_LINEAR);
	assert_int_equal(channel->components, 3);
	assert_int_equal(channel->key_count, 3);
	check_floats(channel->times, (float[]){ 0, 0.5f, 2 }, 3);
	check_floats(channel->values, values, 9);
	const lrd_document_channel *other = &document->animations[1].channels[0];
	assert_int_equal(other->path, LRD_PATH_SCALE);
	assert_int_equal(other->interpolation, LRD_INTERPOLATION_STEP);
	assert_ptr_equal(other->times, channel->times);
	assert_ptr_equal(other->values, channel->values);
	lrd_document_free(document);
	gltf_end(&build);
}

static void cubic_channels_keep_their_tangents(void **state)
{
	(void)state;
	FIXTURE(build);
	int input = times_of(&build, (const float[]){ 0, 1 }, 2);
	float values[24];
	for (int i = 0; i < 24; i++)
	{
		values[i] = (float)i; // tangents and values alike are left as they are
	}
	add_animation(&build, input, gltf_floats(&build, values, 6, "VEC4"), "rotation", "CUBICSPLINE");
	lrd_document *document = import_good(&build);
	check_no_warnings(document);
	assert_int_equal(only(document)->interpolation, LRD_INTERPOLATION_CUBIC);
	assert_int_equal(only(document)->key_count, 2);
	check_floats(only(document)->values, values, 24);
	lrd_document_free(document);
	gltf_end(&build);
}

static void rotations_of_integers_are_read(void **state)
{
	(void)state;
	FIXTURE(build);
	int input = times_of(&build, (const float[]){ 0, 1 }, 2);
	const int16_t values[] = { 0, 0, 0, 32767, 0, -32767, 0, 0 };
	int view = gltf_view(&build, values, sizeof values, 0);
	add_animation(&build, input, gltf_accessor(&build, view, GLTF_I16, true, 2, "VEC4"), "rotation", "LINEAR");
	lrd_document *document = import_good(&build);
	check_no_warnings(document);
	check_floats(only(document)->values, (float[]){ 0, 0, 0, 1, 0, -1, 0, 0 }, 8);
	lrd_document_free(document);
	gltf_end(&build);
}

static void rotations_are_normalised_and_counted(void **state)
{
	(void)state;
	FIXTURE(build);
	int input = times_of(&build, (const float[]){ 0, 1, 2 }, 3);
	const float values[] = { 0, 0, 0, 1, 0, 0, 3, 0, 0, 4, 0, 0 };
	add_animation(&build, input, gltf_floats(&build, values, 3, "VEC4"), "rotation", "LINEAR");
	lrd_document *document = import_good(&build);
	check_floats(only(document)->values, (float[]){ 0, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0 }, 12);
	check_warning(document, "quaternions-normalised", 2, "animation \"Walk\", node \"Hip\", rotation");
	lrd_document_free(document);
	gltf_end(&build);
}

static void rotations_of_length_zero_take_the_one_before(void **state)
{
	(void)state;
	FIXTURE(build);
	int input = times_of(&build, (const float[]){ 0, 1, 2, 3 }, 4);
	const float values[] = { 0, 0, 0, 0, 0, 0.6f, 0, 0.8f, 0, 0, 0, 0, 1e-20f, 0, 0, 0 };
	const float curve[] = { 9, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, /**/ 1, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, /**/ 3, 0, 0,
		0, 0, 0, 0, 0, 4, 0, 0, 0, /**/ 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0 };
	const float mended[] = { 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, /**/ 1, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, /**/ 0, 0, 0,
		0, 1, 0, 0, 0, 0, 0, 0, 0, /**/ 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0 };
	add_animation(&build, input, gltf_floats(&build, values, 4, "VEC4"), "rotation", "LINEAR");
	add_animation(&build, input, gltf_floats(&build, curve, 12, "VEC4"), "rotation", "CUBICSPLINE");
	lrd_document *document = import_good(&build);
	const float expected[] = { 0, 0, 0, 1, 0, 0.6f, 0, 0.8f, 0, 0.6f, 0, 0.8f, 0, 0.6f, 0, 0.8f };
	check_floats(only(document)->values, expected, 16);
	check_floats(document->animations[1].channels[0].values, mended, 48);
	check_warning(document, "quaternions-null", 5, "animation \"Walk\", node \"Hip\", rotation");
	assert_int_equal(document->warning_count, 1);
	lrd_document_free(document);
	gltf_end(&build);
}

static void weights_have_a_component_for_each_target(void **state)
{
	(void)state;
	FIXTURE(build);
	int p = gltf_corners(&build, 3);
	gltf_add(&build, "meshes",
		"{\"primitives\":[{\"attributes\":{\"POSITION\":%d},\"targets\":[{\"POSITION\":%d},{\"POSITION\":%d}]}]}", p, p,
		p);
	gltf_add(&build, "nodes", "{\"mesh\":0}");
	int input = times_of(&build, (const float[]){ 0, 1 }, 2);
	const uint8_t values[] = { 255, 0, 0, 51 };
	int view = gltf_view(&build, values, sizeof values, 0);
	add_animation(&build, input, gltf_accessor(&build, view, GLTF_U8, true, 4, "SCALAR"), "weights", "LINEAR");
	lrd_document *document = import_good(&build);
	check_no_warnings(document);
	assert_int_equal(only(document)->components, 2);
	check_floats(only(document)->values, (float[]){ 1, 0, 0, 0.2f }, 4);
	lrd_document_free(document);
	gltf_end(&build);
}

static void weights_of_a_node_without_targets_are_left_out(void **state)
{
	(void)state;
	FIXTURE(build);
	int input = times_of(&build, (const float[]){ 0 }, 1);
	add_animation(&build, input, input, "weights", "LINEAR");
	lrd_document *document = import_good(&build);
	assert_int_equal(document->animations[0].channel_count, 0);
	check_warning(document, "channel-without-morphs", 1, "animation \"Walk\", node \"Hip\", weights");
	lrd_document_free(document);
	gltf_end(&build);
}

static void keys_at_one_time_stay_a_jump(void **state)
{
	(void)state;
	FIXTURE(build);
	int input = times_of(&build, (const float[]){ 0, 1, 1, 2 }, 4);
	const float values[] = { 0, 0, 0, 1, 0, 0, 5, 0, 0, 6, 0, 0 };
	int output = gltf_floats(&build, values, 4, "VEC3");
	add_animation(&build, input, output, "translation", "LINEAR");
	add_animation(&build, input, output, "scale", "LINEAR");
	lrd_document *document = import_good(&build);
	assert_int_equal(only(document)->key_count, 4);
	assert_true(only(document)->times[1] < 1.0f && only(document)->times[1] > 0.999f);
	assert_true(only(document)->times[2] == 1.0f); // from there on the second holds
	check_floats(only(document)->values, values, 12);
	check_warning(document, "times-equal", 1, "animation \"Walk\": input accessor 0");
	assert_int_equal(document->warning_count, 1);
	lrd_document_free(document);
	gltf_end(&build);
}

static void of_many_keys_at_one_time_two_stay(void **state)
{
	(void)state;
	FIXTURE(build);
	int input = times_of(&build, (const float[]){ 0, 0, 0, 1, 1, 1, 1, 2 }, 8);
	const float values[] = { 0, 0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0, 4, 0, 0, 5, 0, 0, 6, 0, 0, 7, 0, 0 };
	add_animation(&build, input, gltf_floats(&build, values, 8, "VEC3"), "translation", "LINEAR");
	lrd_document *document = import_good(&build);
	assert_int_equal(only(document)->key_count, 4); // there is nothing before 0
	check_floats(only(document)->values, (const float[]){ 2, 0, 0, 3, 0, 0, 6, 0, 0, 7, 0, 0 }, 12);
	const float *times = only(document)->times;
	assert_true(times[0] == 0.0f && times[1] > 0.999f && times[1] < 1.0f && times[2] == 1.0f && times[3] == 2.0f);
	check_warning(document, "times-equal", 5, "input accessor 0");
	lrd_document_free(document);
	gltf_end(&build);
}

static void keys_at_one_time_without_room_before_them_are_one(void **state)
{
	(void)state;
	FIXTURE(build);
	float close = nextafterf(1.0f, 2.0f);
	int input = times_of(&build, (const float[]){ 1, close, close, 2 }, 4);
	const float values[] = { 0, 0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0 };
	add_animation(&build, input, gltf_floats(&build, values, 4, "VEC3"), "translation", "STEP");
	lrd_document *document = import_good(&build);
	assert_int_equal(only(document)->key_count, 3);
	check_floats(only(document)->values, (const float[]){ 0, 0, 0, 2, 0, 0, 3, 0, 0 }, 9);
	lrd_document_free(document);
	gltf_end(&build);
}

static void a_channel_without_a_finite_time_is_left_out(void **state)
{
	(void)state;
	FIXTURE(build);
	int input = times_of(&build, (const float[]){ NAN, INFINITY, -INFINITY }, 3);
	const float values[9] = { 0 };
	add_animation(&build, input, gltf_floats(&build, values, 3, "VEC3"), "translation", "LINEAR");
	lrd_document *document = import_good(&build);
	assert_int_equal(document->animations[0].channel_count, 0);
	check_warning(document, "times-descending", 3, "animation \"Walk\": input accessor 0");
	check_warning(document, "channel-empty", 1, "animation \"Walk\", node \"Hip\", translation");
	lrd_document_free(document);
	gltf_end(&build);
}

static void keys_back_in_time_are_dropped_with_their_values(void **state)
{
	(void)state;
	FIXTURE(build);
	int input = times_of(&build, (const float[]){ 0, 2, 1, NAN, 3 }, 5);
	const float values[] = { 0, 0, 0, 2, 0, 0, 1, 0, 0, 9, 0, 0, 3, 0, 0 };
	add_animation(&build, input, gltf_floats(&build, values, 5, "VEC3"), "translation", "LINEAR");
	lrd_document *document = import_good(&build);
	assert_int_equal(only(document)->key_count, 3);
	check_floats(only(document)->times, (float[]){ 0, 2, 3 }, 3);
	check_floats(only(document)->values, (float[]){ 0, 0, 0, 2, 0, 0, 3, 0, 0 }, 9);
	check_warning(document, "times-descending", 2, "input accessor 0");
	lrd_document_free(document);
	gltf_end(&build);
}

static void a_channel_whose_values_are_not_finite_is_left_out(void **state)
{
	(void)state;
	FIXTURE(build);
	int input = times_of(&build, (const float[]){ 0 }, 1);
	const float values[] = { 0, INFINITY, 0 };
	add_animation(&build, input, gltf_floats(&build, values, 1, "VEC3"), "translation", "LINEAR");
	lrd_document *document = import_good(&build);
	assert_int_equal(document->animations[0].channel_count, 0);
	check_warning(document, "channel-not-finite", 1, "animation \"Walk\", node \"Hip\", translation");
	lrd_document_free(document);
	gltf_end(&build);
}

static void counts_and_types_that_do_not_fit_are_refused(void **state)
{
	(void)state;
	FIXTURE(build);
	const float values[16] = { 0 };
	int input = times_of(&build, (const float[]){ 0, 1 }, 2);
	add_animation(&build, input, gltf_floats(&build, values, 3, "VEC3"), "translation", "LINEAR");
	import_refused(&build, LRD_ERROR_FORMAT, "its output has 3 elements, its 2 keys need 2");
	gltf_end(&build);
	input = times_of(&build, (const float[]){ 0, 1 }, 2);
	add_animation(&build, input, gltf_floats(&build, values, 2, "VEC3"), "translation", "CUBICSPLINE");
	import_refused(&build, LRD_ERROR_FORMAT, "its output has 2 elements, its 2 keys need 6");
	gltf_end(&build);
	input = times_of(&build, (const float[]){ 0, 1 }, 2);
	add_animation(&build, input, gltf_floats(&build, values, 2, "VEC3"), "rotation", "LINEAR");
	import_refused(&build, LRD_ERROR_FORMAT, "the output of its sampler can't be VEC3 of f32");
	gltf_end(&build);
	input = gltf_floats(&build, values, 2, "VEC2");
	add_animation(&build, input, gltf_floats(&build, values, 2, "VEC3"), "translation", "LINEAR");
	import_refused(&build, LRD_ERROR_FORMAT, "the input of its sampler can't be VEC2 of f32");
	gltf_end(&build);
}

static void of_two_channels_for_one_target_the_first_is_kept(void **state)
{
	(void)state;
	FIXTURE(build);
	int input = times_of(&build, (const float[]){ 0 }, 1);
	const float values[] = { 1, 2, 3, 4, 5, 6 };
	int a = gltf_floats(&build, values, 1, "VEC3"), b = gltf_floats(&build, values + 3, 1, "VEC3");
	gltf_add(&build, "nodes", "{}");
	gltf_add(&build, "animations",
		"{\"samplers\":[{\"input\":%d,\"output\":%d},{\"input\":%d,\"output\":%d}],\"channels\":["
		"{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"scale\"}},{\"sampler\":1,\"target\":{\"node\":0,\"path\":"
		"\"scale\"}},"
		"{\"sampler\":1,\"target\":{\"node\":0,\"path\":\"translation\"}}]}",
		input, a, input, b);
	lrd_document *document = import_good(&build);
	assert_int_equal(document->animations[0].channel_count, 2);
	check_floats(document->animations[0].channels[0].values, values, 3);
	assert_int_equal(document->animations[0].channels[1].path, LRD_PATH_TRANSLATION);
	check_warning(document, "channel-duplicate", 1, "animation 0, node 0, scale");
	lrd_document_free(document);
	gltf_end(&build);
}

static void channels_that_move_nothing_known_are_left_out(void **state)
{
	(void)state;
	FIXTURE(build);
	int input = times_of(&build, (const float[]){ 0 }, 1);
	gltf_add(&build, "nodes", "{\"matrix\":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]}");
	gltf_member(&build, "\"extensionsUsed\":[\"KHR_animation_pointer\"]");
	gltf_add(&build, "animations",
		"{\"samplers\":[{\"input\":%d,\"output\":%d,\"interpolation\":\"SMOOTH\"}],\"channels\":["
		"{\"sampler\":0,\"target\":{\"path\":\"translation\"}},{\"sampler\":0,\"target\":{\"node\":0,\"path\":"
		"\"colour\"}},"
		"{\"sampler\":0,\"target\":{\"path\":\"pointer\",\"extensions\":{\"KHR_animation_pointer\":{\"pointer\":\"/"
		"x\"}}}}]}",
		input, input);
	lrd_document *document = import_good(&build);
	assert_int_equal(document->animations[0].channel_count, 0);
	check_warning(document, "channel-without-node", 1, "animation 0, channel 0");
	check_warning(document, "channel-path", 1, "animation 0, channel 1");
	check_warning(document, "animation-pointer", 1, "animation 0, channel 2");
	check_warning(document, "interpolation", 1, "sampler 0 is unknown; taken as LINEAR");
	lrd_document_free(document);
	gltf_end(&build);
}

static void an_animated_matrix_is_told(void **state)
{
	(void)state;
	FIXTURE(build);
	int input = times_of(&build, (const float[]){ -1, 1 }, 2);
	const float values[6] = { 0 };
	gltf_add(&build, "nodes", "{\"name\":\"M\",\"matrix\":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]}");
	add_animation(&build, input, gltf_floats(&build, values, 2, "VEC3"), "translation", "LINEAR");
	lrd_document *document = import_good(&build);
	check_warning(document, "matrix-animated", 1, "node \"M\", translation");
	check_warning(document, "times-negative", 1, "begins before 0");
	lrd_document_free(document);
	gltf_end(&build);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(linear_and_step_channels_are_read),
		cmocka_unit_test(cubic_channels_keep_their_tangents),
		cmocka_unit_test(rotations_of_integers_are_read),
		cmocka_unit_test(rotations_are_normalised_and_counted),
		cmocka_unit_test(rotations_of_length_zero_take_the_one_before),
		cmocka_unit_test(weights_have_a_component_for_each_target),
		cmocka_unit_test(weights_of_a_node_without_targets_are_left_out),
		cmocka_unit_test(keys_at_one_time_stay_a_jump),
		cmocka_unit_test(of_many_keys_at_one_time_two_stay),
		cmocka_unit_test(keys_at_one_time_without_room_before_them_are_one),
		cmocka_unit_test(a_channel_without_a_finite_time_is_left_out),
		cmocka_unit_test(keys_back_in_time_are_dropped_with_their_values),
		cmocka_unit_test(a_channel_whose_values_are_not_finite_is_left_out),
		cmocka_unit_test(counts_and_types_that_do_not_fit_are_refused),
		cmocka_unit_test(of_two_channels_for_one_target_the_first_is_kept),
		cmocka_unit_test(channels_that_move_nothing_known_are_left_out),
		cmocka_unit_test(an_animated_matrix_is_told),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

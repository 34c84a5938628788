// KTX 2.0: each rule that a file may break, and files that other tools made.

#include "fixtures/cooked_file.h"

#include "fixtures/format_texture.h"

static void write_shape(texture_shape shape, lrd_buffer *out)
{
	lrd_texture_view view = sample_texture(shape);
	lrd_error error = { 0 };
	if (!lrd_texture_write(&view, out, &error))
	{
		fail_msg("%s", error.message);
	}
	sample_texture_free(&view);
}

#define HEADER(member) offsetof(lrd_ktx_header, member), sizeof(((lrd_ktx_header *)0)->member)
#define LEVEL(index, member)                                                                                           \
	sizeof(lrd_ktx_header) + (index) * sizeof(lrd_ktx_level) + offsetof(lrd_ktx_level, member), 8

// Of the golden file: five levels of 17 x 5 sRGB in two layers.
#define GOLDEN_DFD (80 + 5 * 24)
#define GOLDEN_KEYS (GOLDEN_DFD + 92)
#define GOLDEN_LEVEL_4 (GOLDEN_KEYS + 24 + 28 + 24 + 60)
#define DFD_WORD(index) GOLDEN_DFD + 4 * (index), 4

static const cooked_damage golden_damage[] = {
	{ 0, 1, 0xaa, "identifier" },
	{ 5, 1, '1', "identifier" },
	{ HEADER(format), 12, "vkFormat is 12, a format that KTX 2.0 prohibits" },
	{ HEADER(format), 1000156003, "prohibits" },
	{ HEADER(format), 37, "DFD transferFunction is sRGB, must not be for R8G8B8A8_UNORM" },
	{ HEADER(format), 44, "DFD transferFunction is sRGB, must not be for B8G8R8A8_UNORM" },
	{ HEADER(format), 50, "DFD sample 0 bitOffset, bitLength, channelType and qualifiers" },
	{ HEADER(format), 29, "DFD bytesPlane0..3 is 0x00000004" },
	{ HEADER(format), 146, "DFD colorModel is 1, must be 134" },
	{ HEADER(type_size), 4, "typeSize is 4, must be 1" },
	{ HEADER(width), 0, "pixelWidth is 0" },
	{ HEADER(width), 15, "levelCount is 5, must be at most 4" },
	{ HEADER(width), 18, "uncompressedByteLength" },
	{ HEADER(height), 0, "KTXorientation" },
	{ HEADER(depth), 1, "KTXorientation" },
	{ HEADER(layer_count), 3, "level 4 uncompressedByteLength is 8, must be 12" },
	{ HEADER(layer_count), UINT32_MAX, "uncompressedByteLength" },
	{ HEADER(face_count), 0, "faceCount is 0" },
	{ HEADER(face_count), 2, "faceCount is 2" },
	{ HEADER(face_count), 6, "a cubemap is 17 x 5 x 0" },
	{ HEADER(level_count), 6, "levelCount is 6, must be at most 5" },
	{ HEADER(level_count), 4, "data format descriptor starts at byte 200, must start at 176" },
	{ HEADER(level_count), 0, "data format descriptor starts at byte 200, must start at 104" },
	{ HEADER(supercompression), 1, "vkFormat is 43, must be 0 (undefined) under BasisLZ" },
	{ HEADER(dfd_offset), GOLDEN_DFD + 4, "data format descriptor starts at byte 204, must start at 200" },
	{ HEADER(dfd_size), 0, "dfdByteLength is 0" },
	{ HEADER(dfd_size), 96, "key/value data starts at byte 292, must start at 296" },
	{ HEADER(dfd_size), UINT32_MAX, "past the end of the file" },
	{ HEADER(kvd_offset), 0, "key/value data starts at byte 0" },
	{ HEADER(kvd_size), 0, "kvdByteOffset is 292, must be 0 where kvdByteLength is 0" },
	{ HEADER(kvd_size), 132, "key/value pair 3: keyAndValueByteLength passes the end" },
	{ HEADER(kvd_size), 78, "key/value pair 3: has fewer than the 4 bytes" },
	{ HEADER(kvd_size), UINT32_MAX, "past the end of the file" },
	{ HEADER(sgd_offset), 8, "sgdByteOffset is 8, must be 0" },
	{ HEADER(sgd_size), 8, "sgdByteLength is 8, must be 0" },
	{ LEVEL(0, offset), 4, "level 0 starts at byte 4, must start at" },
	{ LEVEL(0, size), 679, "level 0 byteLength is 679, must be 680" },
	{ LEVEL(0, size), UINT64_MAX, "level 0 byteLength" },
	{ LEVEL(0, decoded_size), 681, "level 0 uncompressedByteLength is 681, must be 680" },
	{ LEVEL(4, offset), GOLDEN_LEVEL_4 + 4, "level 4 starts at byte" },
	{ LEVEL(3, offset), GOLDEN_LEVEL_4, "level 3 starts at byte" },
	{ DFD_WORD(0), 88, "dfdTotalSize is 88, must equal dfdByteLength 92" },
	{ DFD_WORD(1), 1, "DFD block 0 is no basic block" },
	{ DFD_WORD(2), 0x00580001, "DFD versionNumber is 1, must be 2" },
	{ DFD_WORD(2), 0x00040002, "DFD block 0 descriptorBlockSize is 4" },
	{ DFD_WORD(2), 0x005c0002, "DFD block 0 descriptorBlockSize is 92" },
	{ DFD_WORD(2), 0x00540002, "DFD block 1 has 4 bytes left" },
	{ DFD_WORD(2), 0x00480002, "DFD block 1 descriptorBlockSize" },
	{ DFD_WORD(2), 0x00560002, "multiple of 4" },
	{ DFD_WORD(3), 0x00020102, "DFD colorModel is 2, must be 1" },
	{ DFD_WORD(3), 0x00020c01, "DFD colorPrimaries is 12" },
	{ DFD_WORD(3), 0x00140101, "transferFunction 20" },
	{ DFD_WORD(3), 0x00010101, "DFD transferFunction is 1, must be 2 (sRGB)" },
	{ DFD_WORD(3), 0x02020101, "DFD flags is 0x2" },
	{ DFD_WORD(4), 1, "DFD texelBlockDimension is 0x00000001" },
	{ DFD_WORD(5), 5, "DFD bytesPlane0..3 is 0x00000005" },
	{ DFD_WORD(5), 0, "DFD bytesPlane0..3 is 0x00000000" },
	{ DFD_WORD(6), 1, "4..7 0x00000001" },
	{ DFD_WORD(7), 0x00070001, "DFD sample 0 bitOffset" },
	{ DFD_WORD(7), 0x10070000, "DFD sample 0 qualifier LINEAR is set, must be clear" },
	{ DFD_WORD(8), 1, "DFD sample 0 samplePosition is 0x00000001" },
	{ DFD_WORD(9), 1, "DFD sample 0 sampleLower" },
	{ DFD_WORD(10), 254, "DFD sample 0 sampleUpper is 0x000000fe, must be 0x000000ff" },
	{ DFD_WORD(19), 0x0f070018, "DFD sample 3 qualifier LINEAR is clear, must be set" },
	{ GOLDEN_KEYS, 4, 1, "key/value pair 0: keyAndValueByteLength is less than 2" },
	{ GOLDEN_KEYS, 4, UINT32_MAX, "key/value pair 0: keyAndValueByteLength passes the end" },
	{ GOLDEN_KEYS, 4, 14, "key/value pair 0: the key has no terminating NUL" },
	{ GOLDEN_KEYS + 4, 1, 0, "key/value pair 0: the key is empty" },
	{ GOLDEN_KEYS + 4, 1, 0xff, "key 0 is not UTF-8" },
	{ GOLDEN_KEYS + 4, 1, 'm', "key 1, \"KTXwriter\", comes after \"mTXorientation\"" },
	{ GOLDEN_KEYS + 19, 1, 'x', "KTXorientation has 3 bytes of value" },
	{ GOLDEN_KEYS + 21, 1, 'd', "KTXorientation has 3 bytes of value" },
	{ GOLDEN_KEYS + 22, 1, 1, "valuePadding of \"KTXorientation\" is 1, must be 0" },
	{ GOLDEN_KEYS + 24 + 26, 1, 'x', "KTXwriter has 13 bytes of value" },
	{ GOLDEN_KEYS + 24 + 14, 1, 0xff, "KTXwriter has 13 bytes of value" },
};

static void every_rule_of_an_uncompressed_file_is_checked(void **state)
{
	(void)state;
	lrd_buffer file = { 0 };
	assert_true(make_golden_texture(&file, NULL));
	for (size_t i = 0; i < sizeof golden_damage / sizeof golden_damage[0]; i++)
	{
		assert_damage_refused(read_whole_texture, file.data, file.size, &golden_damage[i]);
	}
	lrd_buffer_free(&file);
}

static void trailing_bytes_are_refused(void **state)
{
	(void)state;
	lrd_buffer file = { 0 };
	assert_true(make_golden_texture(&file, NULL));
	assert_non_null(lrd_buffer_extend(&file, 1));
	lrd_error error = { 0 };
	assert_false(read_whole_texture(file.data, file.size, &error));
	assert_non_null(strstr(error.message, "must end with the file"));
	lrd_buffer_free(&file);
}

static void padding_between_levels_is_zero(void **state)
{
	(void)state;
	lrd_buffer file = { 0 };
	write_shape((texture_shape){ 23, 7, 5, 0, 0, 1, 3 }, &file);
	lrd_texture_view view;
	assert_true(lrd_texture_open(file.data, file.size, &view, NULL));
	size_t after_smallest = (size_t)((const uint8_t *)view.levels[2].data - file.data) + view.levels[2].size;
	cooked_damage damage = { after_smallest, 1, 3, "padding before level 1, is 3, must be 0" };
	assert_damage_refused(read_whole_texture, file.data, file.size, &damage);
	lrd_buffer_free(&file);
}

static void values_of_the_specifications_keys_are_checked(void **state)
{
	(void)state;
	static const struct
	{
		lrd_string key;
		lrd_bytes value;
		texture_shape shape;
		bool good;
	} cases[] = {
		{ { "KTXswizzle", 10 }, { "rg01", 5 }, { 43, 2, 2, 0, 0, 1, 1 }, true },
		{ { "KTXswizzle", 10 }, { "rg0", 4 }, { 43, 2, 2, 0, 0, 1, 1 }, false },
		{ { "KTXswizzle", 10 }, { "rgbx", 5 }, { 43, 2, 2, 0, 0, 1, 1 }, false },
		{ { "KTXswizzle", 10 }, { "rgba", 4 }, { 43, 2, 2, 0, 0, 1, 1 }, false },
		{ { "KTXcubemapIncomplete", 20 }, { "\x3", 1 }, { 43, 2, 2, 0, 4, 1, 1 }, true },
		{ { "KTXcubemapIncomplete", 20 }, { "\x3", 1 }, { 43, 2, 2, 0, 3, 1, 1 }, false },
		{ { "KTXcubemapIncomplete", 20 }, { "\x3", 1 }, { 43, 2, 3, 0, 4, 1, 1 }, false },
		{ { "KTXcubemapIncomplete", 20 }, { "\x40", 1 }, { 43, 2, 2, 0, 4, 1, 1 }, false },
		{ { "KTXcubemapIncomplete", 20 }, { "", 1 }, { 43, 2, 2, 0, 4, 1, 1 }, false },
		{ { "KTXanimData", 11 }, { "123456789012", 12 }, { 43, 2, 2, 0, 4, 1, 1 }, true },
		{ { "KTXanimData", 11 }, { "123456789012", 12 }, { 43, 2, 2, 0, 0, 1, 1 }, false },
		{ { "KTXanimData", 11 }, { "12345678901", 11 }, { 43, 2, 2, 0, 4, 1, 1 }, false },
		{ { "KTXwriterScParams", 17 }, { "--zcmp 5", 9 }, { 43, 2, 2, 0, 0, 1, 1 }, true },
		{ { "KTXwriterScParams", 17 }, { "--zcmp 5", 8 }, { 43, 2, 2, 0, 0, 1, 1 }, false },
		{ { "KTXorientation", 14 }, { "lu", 3 }, { 43, 2, 2, 0, 0, 1, 1 }, true },
		{ { "KTXorientation", 14 }, { "lu", 3 }, { 43, 2, 2, 0, 0, 6, 1 }, false },
		{ { "KTXorientation", 14 }, { "rd", 3 }, { 43, 2, 2, 0, 0, 6, 1 }, true },
		{ { "KTXlater", 8 }, { "anything", 8 }, { 43, 2, 2, 0, 0, 1, 1 }, true },
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
	{
		lrd_texture_view view = sample_texture(cases[i].shape);
		lrd_buffer keys = { 0 };
		assert_true(lrd_texture_add_key(&keys, cases[i].key, cases[i].value, NULL));
		view.key_values = (lrd_bytes){ keys.data, keys.size };
		lrd_buffer file = { 0 };
		lrd_error error = { 0 };
		assert_int_equal(lrd_texture_write(&view, &file, &error), cases[i].good);
		assert_true(cases[i].good || strstr(error.message, cases[i].key.data) != NULL);
		sample_texture_free(&view);
		lrd_buffer_free(&keys);
		lrd_buffer_free(&file);
	}
}

static void an_animation_is_no_incomplete_cubemap(void **state)
{
	(void)state;
	lrd_texture_view view = sample_texture((texture_shape){ 43, 2, 2, 0, 4, 1, 1 });
	lrd_buffer keys = { 0 };
	assert_true(lrd_texture_add_key(&keys, LRD_STR("KTXanimData"), (lrd_bytes){ "123456789012", 12 }, NULL));
	assert_true(lrd_texture_add_key(&keys, LRD_STR("KTXcubemapIncomplete"), (lrd_bytes){ "\x3", 1 }, NULL));
	view.key_values = (lrd_bytes){ keys.data, keys.size };
	lrd_buffer file = { 0 };
	lrd_error error = { 0 };
	assert_false(lrd_texture_write(&view, &file, &error));
	assert_non_null(strstr(error.message, "must have one of them at most"));
	sample_texture_free(&view);
	lrd_buffer_free(&keys);
}

// What the writer does not make.

static void universal_textures_are_read(void **state)
{
	(void)state;
	lrd_buffer file = { 0 };
	lrd_texture_view view;
	assert_true(make_basis_texture(&file));
	assert_true(lrd_texture_open(file.data, file.size, &view, NULL));
	assert_int_equal(view.supercompression, LRD_SUPERCOMPRESSION_BASIS_LZ);
	assert_int_equal(view.supercompression_global.size, 69);
	assert_int_equal(view.levels[1].size, 5);
	assert_int_equal(view.levels[1].decoded_size, 0);
	lrd_buffer_free(&file);
	for (int zstd = 0; zstd < 2; zstd++)
	{
		assert_true(make_uastc_texture(zstd != 0, &file));
		assert_true(lrd_texture_open(file.data, file.size, &view, NULL));
		assert_int_equal(view.format, 0);
		assert_int_equal(view.levels[0].decoded_size, 96);
		assert_true(lrd_texture_is_srgb(&view));
		lrd_buffer_free(&file);
	}
}

#define BASIS_DFD (80 + 2 * 24)
#define BASIS_GLOBAL (BASIS_DFD + 60 + 4)

static const cooked_damage basis_damage[] = {
	{ HEADER(type_size), 2, "typeSize is 2, must be 1" },
	{ HEADER(height), 0, "pixelHeight is 0, must be at least 1 for a block-compressed format" },
	{ HEADER(level_count), 0, "levelCount is 0" },
	{ HEADER(level_count), 5, "levelCount is 5, must be at most 4" },
	{ HEADER(supercompression), 0, "sgdByteLength is 69, must be 0 for supercompressionScheme 0" },
	{ HEADER(sgd_offset), BASIS_GLOBAL - 4, "supercompression global data starts at byte 188, must start at 192" },
	{ HEADER(sgd_size), 0, "sgdByteLength is 0, must not be 0" },
	{ HEADER(sgd_size), UINT64_MAX, "past the end of the file" },
	{ HEADER(layer_count), 2, "sgdByteLength is 69, must be 20 for the header" },
	{ HEADER(layer_count), UINT32_MAX, "sgdByteLength is 69, must be 20 for the header" },
	{ LEVEL(0, size), 0, "level 0 byteLength is 0, must be 1 or more" },
	{ LEVEL(0, decoded_size), 1, "level 0 uncompressedByteLength is 1, must be 0 under BasisLZ" },
	{ BASIS_DFD + 4 * 3, 4, 0x000201a6, "DFD colorModel is 166, must be 163" },
	{ BASIS_DFD + 4 * 4, 4, 0x0203, "DFD texelBlockDimension" },
	{ BASIS_DFD + 4 * 5, 4, 0x0008, "DFD bytesPlane0..3" },
	{ BASIS_DFD + 4 * 7, 4, 0x003f0001, "DFD sample 0 bitOffset" },
	{ BASIS_DFD + 4 * 7, 4, 0x033f0000, "DFD channelTypes 3 and 15" },
	{ BASIS_DFD + 4 * 11, 4, 0x043f0040, "DFD channelTypes 0 and 4" },
	{ BASIS_DFD + 4 * 9, 4, 1, "DFD sample 0 sampleLower" },
	{ BASIS_DFD + 4 * 10, 4, 1, "DFD sample 0 sampleUpper" },
	{ BASIS_GLOBAL - 4, 1, 1, "padding before supercompression global data" },
	{ BASIS_GLOBAL + 4, 4, 3, "sgdByteLength is 69" },
	{ BASIS_GLOBAL + 16, 4, 1, "extendedByteLength is 1, must be 0" },
	{ BASIS_GLOBAL + 20, 4, 2, "image 0 imageFlags is 0x2, must be 0 without KTXanimData" },
	{ BASIS_GLOBAL + 28, 4, 0, "image 0 rgbSliceByteLength is 0" },
	{ BASIS_GLOBAL + 28, 4, 10, "image 0 rgbSliceByteOffset 0 and length 10 pass the end of its level (9 bytes)" },
	{ BASIS_GLOBAL + 36, 4, 0, "alphaSliceByteLength 0" },
	{ BASIS_GLOBAL + 32, 4, UINT32_MAX, "alphaSliceByteOffset 4294967295" },
	{ BASIS_GLOBAL + 40 + 12, 4, 4, "image 1 alphaSliceByteOffset 4 and length 2 pass" },
};

static void every_rule_of_basis_lz_is_checked(void **state)
{
	(void)state;
	lrd_buffer file = { 0 };
	assert_true(make_basis_texture(&file));
	for (size_t i = 0; i < sizeof basis_damage / sizeof basis_damage[0]; i++)
	{
		assert_damage_refused(read_whole_texture, file.data, file.size, &basis_damage[i]);
	}
	lrd_buffer_free(&file);
}

#define UASTC_DFD (80 + 24)

static const cooked_damage uastc_damage[] = {
	{ HEADER(supercompression), 1, "sgdByteLength is 0, must not be 0" },
	{ UASTC_DFD + 4 * 3, 4, 0x000201a3, "supercompressionScheme is 2, must be 1 (BasisLZ) for ETC1S" },
	{ UASTC_DFD + 4 * 5, 4, 8, "DFD bytesPlane0..3 is 0x00000008" },
	{ UASTC_DFD + 4 * 7, 4, 0x003f0000, "DFD sample 0 bitOffset" },
	{ UASTC_DFD + 4 * 7, 4, 0x017f0000, "DFD sample 0 channelType is 1" },
	{ LEVEL(0, size), 0, "level 0 byteLength is 0" },
	{ LEVEL(0, decoded_size), 80, "level 0 uncompressedByteLength is 80, must be 96" },
};

static void every_rule_of_uastc_is_checked(void **state)
{
	(void)state;
	lrd_buffer file = { 0 };
	assert_true(make_uastc_texture(true, &file));
	for (size_t i = 0; i < sizeof uastc_damage / sizeof uastc_damage[0]; i++)
	{
		assert_damage_refused(read_whole_texture, file.data, file.size, &uastc_damage[i]);
	}
	lrd_buffer_free(&file);
}

static void an_unsized_descriptor_is_taken_under_supercompression_only(void **state)
{
	(void)state;
	lrd_buffer file = { 0 };
	for (int zstd = 0; zstd < 2; zstd++)
	{
		assert_true(make_uastc_texture(zstd != 0, &file));
		memset(file.data + UASTC_DFD + 4 * 5, 0, 4);
		assert_int_equal(read_whole_texture(file.data, file.size, NULL), zstd != 0);
		lrd_buffer_free(&file);
	}
}

static void assert_unsupported(const lrd_buffer *file, size_t offset, uint32_t value, const char *says)
{
	uint8_t *changed = cooked_copy(file->data, file->size);
	memcpy(changed + offset, &value, sizeof value);
	lrd_error error = { 0 };
	assert_false(read_whole_texture(changed, file->size, &error));
	assert_int_equal(error.code, LRD_ERROR_UNSUPPORTED);
	assert_non_null(strstr(error.message, says));
	free(changed);
}

static void what_is_sound_but_unknown_is_called_unsupported(void **state)
{
	(void)state;
	lrd_buffer file = { 0 };
	assert_true(make_uastc_texture(true, &file));
	assert_unsupported(&file, offsetof(lrd_ktx_header, supercompression), 4, "supercompressionScheme is 4");
	assert_unsupported(&file, offsetof(lrd_ktx_header, format), 1000054000, "vkFormat is 1000054000");
	assert_unsupported(&file, UASTC_DFD + 4 * 3, 0x000201a8, "DFD colorModel 168");
	lrd_buffer_free(&file);
}

static void extension_blocks_of_the_descriptor_are_skipped_unless_needed(void **state)
{
	(void)state;
	raw_texture raw = { 0 };
	raw.header =
		(lrd_ktx_header){ .format = 43, .type_size = 1, .width = 1, .height = 1, .face_count = 1, .level_count = 1 };
	raw.levels[0] = (lrd_ktx_level){ .size = 4, .decoded_size = 4 };
	uint32_t words = lrd_texture_format_describe(lrd_texture_format_find(43), raw.dfd);
	raw.dfd[0] += 8;
	raw.dfd[words] = 7u | 3u << 17;
	raw.dfd[words + 1] = 8u << 16;
	lrd_buffer file = { 0 };
	assert_true(make_raw_texture(&raw, &file));
	assert_true(read_whole_texture(file.data, file.size, NULL));
	assert_unsupported(&file, 80 + 24 + 4 * words, 0x4001u << 17, "must be understood");
	cooked_damage second = { 80 + 24 + 4 * words, 4, 0, "DFD block 1 is a basic block" };
	assert_damage_refused(read_whole_texture, file.data, file.size, &second);
	lrd_buffer_free(&file);
}

static void files_of_every_sort_are_refused_when_cut(void **state)
{
	(void)state;
	lrd_buffer files[3] = { 0 };
	assert_true(make_golden_texture(&files[0], NULL));
	assert_true(make_basis_texture(&files[1]));
	assert_true(make_uastc_texture(true, &files[2]));
	for (size_t i = 0; i < 3; i++)
	{
		assert_every_truncation_refused(read_whole_texture, files[i].data, files[i].size);
		assert_flips_are_harmless(read_whole_texture, files[i].data, files[i].size, 20000);
		lrd_buffer_free(&files[i]);
	}
}

static void misaligned_bytes_are_an_argument_error(void **state)
{
	(void)state;
	lrd_buffer file = { 0 };
	assert_true(make_golden_texture(&file, NULL));
	assert_non_null(lrd_buffer_extend(&file, 1));
	memmove(file.data + 1, file.data, file.size - 1);
	lrd_error error = { 0 };
	lrd_texture_view view;
	assert_false(lrd_texture_open(file.data + 1, file.size - 1, &view, &error));
	assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
	lrd_buffer_free(&file);
}

// Other people's files.

static bool read_corpus_file(const char *path, lrd_error *error)
{
	char full[1024];
	snprintf(full, sizeof full, "%s/../shared/corpus/%s", LRD_TEST_SOURCE_DIR, path);
	void *bytes = NULL;
	size_t size = 0;
	if (!cooked_load(full, &bytes, &size))
	{
		print_message("skipped: no file %s\n", full);
		skip();
	}
	bool read = read_whole_texture(bytes, size, error);
	free(bytes);
	return read;
}

static void conforming_files_of_other_tools_are_read(void **state)
{
	(void)state;
	static const char *const good[] = { "tex/cts/alpha_simple_basis.ktx2",
		"tex/cts/astc_ldr_6x6_arraytex_7_mipmap.ktx2", "tex/cts/color_grid_uastc_zstd.ktx2",
		"tex/cts/cubemap_yokohama_basis_rd.ktx2", "tex/cts/etc1s_Iron_Bars_001_normal.ktx2",
		"tex/cts/kodim17_basis.ktx2", "tex/cts/orient-down-metadata-u.ktx2", "tex/cts/output_cubemap.ktx2",
		"tex/cts/rgb-mipmap-reference-u.ktx2", "tex/mp/2d-compressed-bc5.ktx2", "tex/mp/rgba-uastc.ktx2" };
	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
	{
		lrd_error error = { 0 };
		if (!read_corpus_file(good[i], &error))
		{
			fail_msg("%s: %s", good[i], error.message);
		}
	}
}

static void small_files_of_other_tools_are_refused_when_cut(void **state)
{
	(void)state;
	static const char *const small[] = { "tex/cts/alpha_simple_basis.ktx2",
		"tex/cts/astc_ldr_6x6_arraytex_7_mipmap.ktx2", "tex/mp/2d-compressed-bc5.ktx2", "tex/mp/rgba-uastc.ktx2" };
	for (size_t i = 0; i < sizeof small / sizeof small[0]; i++)
	{
		char full[1024];
		snprintf(full, sizeof full, "%s/../shared/corpus/%s", LRD_TEST_SOURCE_DIR, small[i]);
		void *bytes = NULL;
		size_t size = 0;
		if (!cooked_load(full, &bytes, &size))
		{
			print_message("skipped: no file %s\n", full);
			skip();
		}
		assert_every_truncation_refused(read_whole_texture, bytes, size);
		assert_flips_are_harmless(read_whole_texture, bytes, size, 5000);
		free(bytes);
	}
}

static void broken_files_of_other_tools_are_refused(void **state)
{
	(void)state;
	static const struct
	{
		const char *path;
		lrd_error_code code;
		const char *says;
	} bad[] = {
		{ "bad/cts/ktx2_1003/input/validate/1003/fatal_UnexpectedEOF_110.ktx2", LRD_ERROR_FORMAT,
			"past the end of the file" },
		{ "bad/cts/ktx2_2001/input/validate/2001/fatal_NotKTX2.ktx2", LRD_ERROR_FORMAT, "identifier" },
		{ "bad/cts/ktx2_3004/input/validate/3004/error_VkFormatAndBasis.ktx2", LRD_ERROR_FORMAT, "under BasisLZ" },
		{ "tex/cts/valid_uastc_hdr6x6i_R16G16B16A16_SFLOAT.ktx2", LRD_ERROR_UNSUPPORTED,
			"supercompressionScheme is 4" },
	};
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
	{
		lrd_error error = { 0 };
		assert_false(read_corpus_file(bad[i].path, &error));
		assert_int_equal(error.code, bad[i].code);
		assert_non_null(strstr(error.message, bad[i].says));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_rule_of_an_uncompressed_file_is_checked),
		cmocka_unit_test(trailing_bytes_are_refused),
		cmocka_unit_test(padding_between_levels_is_zero),
		cmocka_unit_test(values_of_the_specifications_keys_are_checked),
		cmocka_unit_test(an_animation_is_no_incomplete_cubemap),
		cmocka_unit_test(universal_textures_are_read),
		cmocka_unit_test(every_rule_of_basis_lz_is_checked),
		cmocka_unit_test(every_rule_of_uastc_is_checked),
		cmocka_unit_test(an_unsized_descriptor_is_taken_under_supercompression_only),
		cmocka_unit_test(what_is_sound_but_unknown_is_called_unsupported),
		cmocka_unit_test(extension_blocks_of_the_descriptor_are_skipped_unless_needed),
		cmocka_unit_test(files_of_every_sort_are_refused_when_cut),
		cmocka_unit_test(misaligned_bytes_are_an_argument_error),
		cmocka_unit_test(conforming_files_of_other_tools_are_read),
		cmocka_unit_test(small_files_of_other_tools_are_refused_when_cut),
		cmocka_unit_test(broken_files_of_other_tools_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

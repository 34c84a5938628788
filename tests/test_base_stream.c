// Reading and writing little-endian values: what is read past the end, and what a writer leaves.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/stream.h"
#include "failing_allocator.h"

static void values_are_read_little_endian(void **state)
{
	(void)state;
	static const uint8_t bytes[] = { 0x01, 0x03, 0x02, 0x07, 0x06, 0x05, 0x04, 0x0F, 0x0E, 0x0D, 0x0C, 0x0B, 0x0A, 0x09,
		0x08, 0x00, 0x00, 0x80, 0x3F, 'f', 'o', 'x' };
	lrd_reader reader = lrd_reader_from(bytes, sizeof bytes);
	assert_int_equal(lrd_read_u8(&reader), 0x01);
	assert_int_equal(lrd_read_u16(&reader), 0x0203);
	assert_int_equal(lrd_read_u32(&reader), 0x04050607);
	assert_true(lrd_read_u64(&reader) == 0x08090A0B0C0D0E0F);
	assert_true(lrd_read_f32(&reader) == 1.0f);
	assert_int_equal(lrd_reader_left(&reader), 3);
	assert_ptr_equal(lrd_read_bytes(&reader, 3), bytes + sizeof bytes - 3);
	assert_int_equal(lrd_reader_left(&reader), 0);
	assert_false(reader.failed);
}

static void a_read_past_the_end_yields_zero_and_fails_for_good(void **state)
{
	(void)state;
	static const uint8_t bytes[] = { 1, 2, 3, 4, 5 };
	lrd_reader reader = lrd_reader_from(bytes, sizeof bytes);
	assert_int_equal(lrd_read_u16(&reader), 0x0201);
	assert_int_equal(lrd_read_u32(&reader), 0);
	assert_true(reader.failed);
	assert_int_equal(lrd_reader_left(&reader), 0);
	assert_int_equal(lrd_read_u8(&reader), 0);
	assert_null(lrd_read_bytes(&reader, 1));
	assert_null(lrd_read_bytes(&reader, 0));
}

static void a_huge_size_does_not_wrap_around(void **state)
{
	(void)state;
	static const uint8_t bytes[] = { 1, 2, 3, 4, 5 };
	lrd_reader reader = lrd_reader_from(bytes, sizeof bytes);
	lrd_read_u8(&reader);
	assert_null(lrd_read_bytes(&reader, SIZE_MAX));
	assert_true(reader.failed);
}

static void a_position_past_the_end_fails(void **state)
{
	(void)state;
	static const uint8_t bytes[] = { 1, 2, 3, 4, 5 };
	lrd_reader reader = lrd_reader_from(bytes, sizeof bytes);
	reader.position = 100;
	assert_int_equal(lrd_reader_left(&reader), 0);
	assert_null(lrd_read_bytes(&reader, 0));
	assert_true(reader.failed);
}

static void no_bytes_are_read_from_an_empty_reader(void **state)
{
	(void)state;
	lrd_reader reader = lrd_reader_from(NULL, 0);
	assert_non_null(lrd_read_bytes(&reader, 0));
	assert_false(reader.failed);
	assert_int_equal(lrd_read_u8(&reader), 0);
	assert_true(reader.failed);
}

static bool write_all(lrd_buffer *buffer)
{
	return lrd_write_u8(buffer, 0xFE) && lrd_write_u16(buffer, 0xFEDC) && lrd_write_u32(buffer, 0xFEDCBA98) &&
		   lrd_write_u64(buffer, 0xFEDCBA9876543210) && lrd_write_f32(buffer, -0.5f);
}

static void what_is_written_is_read_back(void **state)
{
	(void)state;
	lrd_buffer buffer = { 0 };
	assert_true(write_all(&buffer));
	assert_int_equal(buffer.size, 19);
	assert_int_equal(buffer.data[1], 0xDC);
	lrd_reader reader = lrd_reader_from(buffer.data, buffer.size);
	assert_int_equal(lrd_read_u8(&reader), 0xFE);
	assert_int_equal(lrd_read_u16(&reader), 0xFEDC);
	assert_true(lrd_read_u32(&reader) == 0xFEDCBA98);
	assert_true(lrd_read_u64(&reader) == 0xFEDCBA9876543210);
	assert_true(lrd_read_f32(&reader) == -0.5f);
	assert_false(reader.failed);
	lrd_buffer_free(&buffer);
}

static void a_write_without_memory_fails(void **state)
{
	(void)state;
	failing_allocator failing;
	failing_allocator_init(&failing, 0);
	lrd_buffer buffer = { .allocator = failing_allocator_get(&failing) };
	assert_false(lrd_write_u8(&buffer, 1));
	assert_false(lrd_write_u16(&buffer, 1));
	assert_false(lrd_write_u32(&buffer, 1));
	assert_false(lrd_write_u64(&buffer, 1));
	assert_false(lrd_write_f32(&buffer, 1.0f));
	assert_int_equal(buffer.size, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_are_read_little_endian),
		cmocka_unit_test(a_read_past_the_end_yields_zero_and_fails_for_good),
		cmocka_unit_test(a_huge_size_does_not_wrap_around),
		cmocka_unit_test(a_position_past_the_end_fails),
		cmocka_unit_test(no_bytes_are_read_from_an_empty_reader),
		cmocka_unit_test(what_is_written_is_read_back),
		cmocka_unit_test(a_write_without_memory_fails),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

// References into a shared block, many of them: which are refused, what checking them takes, and memory that is not there.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "format/layout.h"
#include "larder/model.h"

#include <stdio.h>
#include <string.h>

/// Names in a block and a record for each that refers to it.
typedef struct names
{
	char *block;
	uint64_t size;
	lrd_text *texts;
	uint32_t count;
	lrd_allocator allocator; ///< that the check is given
	uint64_t steps;          ///< that it took
	lrd_error error;
} names;

static void make_room(names *self, uint32_t count, uint32_t bytes)
{
	*self = (names){ .block = calloc(count, bytes), .texts = calloc(count, sizeof *self->texts) };
	assert_true(self->block != NULL && self->texts != NULL);
}

static void free_names(names *self)
{
	free(self->block);
	free(self->texts);
}

static void add_name(names *self, const void *bytes, uint32_t size)
{
	memcpy(self->block + self->size, bytes, size);
	self->texts[self->count++] = (lrd_text){ (uint32_t)self->size, size };
	self->size += size;
}

static bool check(names *self)
{
	const lrd_layout_references list = LRD_LAYOUT_TEXT("node", "name", self->texts, self->count, lrd_text, offset);
	lrd_layout_cursor cursor = { .format = "lmodel", .error = &self->error };
	lrd_layout_runs runs = { "strings", self->block, self->size, 1, &list, 1, self->allocator, 0 };
	bool good = lrd_layout_check_runs(&cursor, &runs);
	self->steps = runs.steps;
	return good;
}

static void numbered_names(names *self, uint32_t count)
{
	make_room(self, count, 16);
	for (uint32_t i = 0; i < count; i++)
	{
		char text[16];
		add_name(self, text, (uint32_t)snprintf(text, sizeof text, "Bone_%u", i));
	}
}

/// As long as one another and alike but for their ends.
static void names_alike(names *self, uint32_t count)
{
	make_room(self, count, 64);
	for (uint32_t i = 0; i < count; i++)
	{
		char text[65];
		snprintf(text, sizeof text, "%054d%010u", 0, i);
		add_name(self, text, 64);
	}
}

/// Two words each, of which the second makes up for what the first did to the key: all keys are equal.
static void names_of_one_key(names *self, uint32_t count)
{
	make_room(self, count, 16);
	for (uint32_t i = 0; i < count; i++)
	{
		const uint64_t factor = 0x9e3779b97f4a7c15u;
		uint64_t words[2] = { i, 0 };
		uint64_t hash = (16 * factor ^ words[0]) * factor;
		words[1] = hash ^ hash >> 29;
		add_name(self, words, 16);
	}
}

/// One that is as large as all the others together, and pieces of it.
static void names_of_every_size(names *self, uint32_t count)
{
	make_room(self, count, 64);
	char *large = calloc(count, 32);
	assert_non_null(large);
	memset(large, 'a', (size_t)count * 32);
	add_name(self, large, count * 32);
	for (uint32_t i = 1; i < count; i++)
	{
		char text[17];
		snprintf(text, sizeof text, "a%u", i);
		add_name(self, text, (uint32_t)strlen(text));
	}
	free(large);
}

static void (*const shapes[])(
	names *, uint32_t) = { numbered_names, names_alike, names_of_one_key, names_of_every_size };

static uint32_t log2_above(uint64_t value)
{
	uint32_t bits = 0;
	while (1ull << bits < value)
	{
		bits++;
	}
	return bits;
}

static void checking_takes_n_log_n_steps_whatever_the_names_are(void **state)
{
	(void)state;
	for (size_t shape = 0; shape < sizeof shapes / sizeof *shapes; shape++)
	{
		for (uint32_t count = 16; count <= 1u << 16; count *= 4)
		{
			names all;
			shapes[shape](&all, count);
			assert_true(check(&all));
			// Twice every reference, all bytes for the keys, a comparison with what it takes in each round, and once more at the end.
			assert_in_range(all.steps, count, 2 * count + all.size + (count + all.size) * (log2_above(count) + 1));
			free_names(&all);
		}
	}
}

static void repeats_take_log_n_steps_each(void **state)
{
	(void)state;
	enum
	{
		DISTINCT = 4096,
		REPEATS = 1 << 17
	};
	names all;
	make_room(&all, DISTINCT + REPEATS, 16);
	for (uint32_t i = 0; i < DISTINCT; i++)
	{
		char text[16];
		add_name(&all, text, (uint32_t)snprintf(text, sizeof text, "Bone_%u", i));
	}
	assert_true(check(&all));
	uint64_t before = all.steps;
	for (uint32_t i = 0; i < REPEATS; i++)
	{
		all.texts[all.count++] = all.texts[i * 7919u % DISTINCT];
	}
	assert_true(check(&all));
	assert_in_range(all.steps - before, REPEATS, (uint64_t)REPEATS * (2 + 12));
	free_names(&all);
}

/// Both sides of where memory is taken.
static const uint32_t counts[] = { 2, 3, 1000, 1024, 1025, 5000 };

static void assert_refused(names *self, const char *says)
{
	assert_false(check(self));
	assert_int_equal(self->error.code, LRD_ERROR_FORMAT);
	if (strstr(self->error.message, says) == NULL)
	{
		fail_msg("expected \"%s\", got \"%s\"", says, self->error.message);
	}
}

static void a_name_that_is_stored_twice_is_refused_wherever_it_is(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
	{
		uint32_t count = counts[i];
		const uint32_t places[][2] = { { 0, 1 }, { 0, count - 1 }, { count - 2, count - 1 }, { count / 3, count / 2 } };
		for (size_t k = 0; k < sizeof places / sizeof *places; k++)
		{
			uint32_t first = places[k][0], second = places[k][1];
			char says[64];
			names all;
			if (first == second)
			{
				continue;
			}
			names_alike(&all, count);
			memcpy(all.block + all.texts[second].offset, all.block + all.texts[first].offset, 64);
			snprintf(says, sizeof says, "lmodel: node %u: name: offset %u, size 64", second, second * 64);
			assert_refused(&all, says);
			assert_non_null(strstr(all.error.message, "equals an earlier one; each is stored once"));
			free_names(&all);
		}
	}
}

static void of_several_that_are_stored_twice_the_first_is_named(void **state)
{
	(void)state;
	names all;
	names_alike(&all, 3000);
	memcpy(all.block + all.texts[2000].offset, all.block + all.texts[5].offset, 64);
	memcpy(all.block + all.texts[1000].offset, all.block + all.texts[999].offset, 64);
	memcpy(all.block + all.texts[2999].offset, all.block + all.texts[5].offset, 64);
	assert_refused(&all, "node 1000: name");
	free_names(&all);
}

static void a_piece_of_names_is_refused_wherever_it_is(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
	{
		uint32_t count = counts[i];
		for (uint32_t of = 0; of < count; of += count / 2 + 1)
		{
			const lrd_text pieces[] = { { of * 64 + 1, 63 }, { of * 64, 63 }, { of * 64 + 5, 3 } };
			for (size_t k = 0; k < 3; k++)
			{
				names all;
				names_alike(&all, count);
				all.texts = realloc(all.texts, (count + 1) * sizeof *all.texts);
				assert_non_null(all.texts);
				all.texts[all.count++] = pieces[k];
				assert_refused(&all, "is a piece of earlier ones");
				free_names(&all);
			}
		}
	}
}

static void few_names_need_no_memory_and_many_give_it_back(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
	{
		for (int fails = 0; fails < 2; fails++)
		{
			failing_allocator memory;
			failing_allocator_init(&memory, fails != 0 ? 0 : -1);
			names all;
			numbered_names(&all, counts[i]);
			all.allocator = failing_allocator_get(&memory);
			bool few = counts[i] <= 1024;
			assert_int_equal(check(&all), few || fails == 0);
			assert_int_equal(all.error.code, few || fails == 0 ? LRD_OK : LRD_ERROR_MEMORY);
			assert_int_equal(memory.calls, few ? 0 : 1);
			assert_int_equal(memory.bytes_out, 0);
			assert_true(memory.bytes_peak <= 24 * (long long)counts[i]);
			free_names(&all);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(checking_takes_n_log_n_steps_whatever_the_names_are),
		cmocka_unit_test(repeats_take_log_n_steps_each),
		cmocka_unit_test(a_name_that_is_stored_twice_is_refused_wherever_it_is),
		cmocka_unit_test(of_several_that_are_stored_twice_the_first_is_named),
		cmocka_unit_test(a_piece_of_names_is_refused_wherever_it_is),
		cmocka_unit_test(few_names_need_no_memory_and_many_give_it_back),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

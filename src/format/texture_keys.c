// format/texture_keys.c: the key/value block of a KTX 2.0 file: walking it, the rules of the specification's own keys,
// and what those and larder's keys say. Source: Khronos "KTX File Format Specification", version 2.0, "Key/Value Data".

#include "format/texture.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/path.h"

/// A block that is being checked.
typedef struct key_check
{
	const lrd_texture_view *view;
	bool animated;   ///< has KTXanimData
	bool incomplete; ///< has KTXcubemapIncomplete
	lrd_error *error;
} key_check;

static size_t dimensions_of(const lrd_texture_view *view)
{
	return view->depth != 0 ? 3 : view->height != 0 ? 2 : 1;
}

bool lrd_ktx_next_pair(lrd_bytes key_values, size_t *position, lrd_ktx_pair *pair, const char **reason)
{
	*reason = NULL;
	size_t left = key_values.size - *position;
	if (left == 0)
	{
		return false;
	}
	uint32_t size;
	if (left < sizeof size)
	{
		*reason = "has fewer than the 4 bytes of keyAndValueByteLength left";
		return false;
	}
	const char *start = (const char *)key_values.data + *position;
	memcpy(&size, start, sizeof size);
	size_t stored = sizeof size + lrd_align_up(size, 4);
	if (size < 2 || stored > left)
	{
		*reason =
			size < 2 ? "keyAndValueByteLength is less than 2" : "keyAndValueByteLength passes the end of the block";
		return false;
	}
	const char *key = start + sizeof size;
	const char *end = memchr(key, 0, size);
	if (end == NULL || end == key)
	{
		*reason = end == NULL ? "the key has no terminating NUL" : "the key is empty";
		return false;
	}
	pair->key = (lrd_string){ key, (size_t)(end - key) };
	pair->value = (lrd_bytes){ end + 1, size - pair->key.size - 1 };
	pair->stored_size = stored;
	*position += stored;
	return true;
}

static bool refuse_value(const key_check *self, const lrd_ktx_pair *pair, const char *expected)
{
	return lrd_fail(self->error, LRD_ERROR_FORMAT, "ktx2: %.*s has %zu bytes of value that are not %s",
		LRD_STR_ARG(pair->key), pair->value.size, expected);
}

static bool is_text(lrd_bytes value, size_t size)
{
	const char *text = value.data;
	return value.size == size + 1 && text[size] == 0;
}

// "KTXorientation": one letter a dimension.
static bool check_orientation(const key_check *self, const lrd_ktx_pair *pair)
{
	static const char letters[3][3] = { "rl", "du", "oi" };
	const char *text = pair->value.data;
	size_t dimensions = dimensions_of(self->view);
	bool good = is_text(pair->value, dimensions);
	for (size_t i = 0; good && i < dimensions; i++)
	{
		good = text[i] == letters[i][0] || text[i] == letters[i][1];
	}
	if (good && self->view->face_count == 6)
	{
		return memcmp(text, "rd", 2) == 0 || refuse_value(self, pair, "\"rd\" and NUL, as a cubemap wants it");
	}
	return good || refuse_value(self, pair, "one of r l, one of d u, one of o i for each dimension, and NUL");
}

static bool check_swizzle(const key_check *self, const lrd_ktx_pair *pair)
{
	const char *text = pair->value.data;
	bool good = is_text(pair->value, 4);
	for (size_t i = 0; good && i < 4; i++)
	{
		good = text[i] != 0 && strchr("rgba01", text[i]) != NULL;
	}
	return good || refuse_value(self, pair, "four of r g b a 0 1, and NUL");
}

static bool check_incomplete_cubemap(const key_check *self, const lrd_ktx_pair *pair)
{
	const lrd_texture_view *view = self->view;
	uint8_t faces = pair->value.size == 1 ? *(const uint8_t *)pair->value.data : 0;
	bool good = faces != 0 && faces < 64 && view->face_count == 1 && view->width == view->height && view->depth == 0 &&
				view->layer_count % (uint32_t)__builtin_popcount(faces) == 0 && view->layer_count != 0;
	return good || refuse_value(self, pair,
					   "one byte of six face bits, with a square array texture of so many layers a cubemap");
}

static bool check_writer(const key_check *self, const lrd_ktx_pair *pair)
{
	lrd_string text = { pair->value.data, pair->value.size };
	bool good = text.size > 0 && text.data[text.size - 1] == 0 && lrd_utf8_valid(text);
	return good || refuse_value(self, pair, "UTF-8 text and NUL");
}

static bool check_animation(const key_check *self, const lrd_ktx_pair *pair)
{
	bool good = pair->value.size == 12 && self->view->layer_count != 0;
	return good || refuse_value(self, pair, "three 32-bit numbers of an array texture");
}

/// The keys whose values the specification rules. Keys that it may define later are left alone, as it asks of readers.
static bool check_value(key_check *self, const lrd_ktx_pair *pair)
{
	static const struct
	{
		lrd_string key;
		bool (*check)(const key_check *self, const lrd_ktx_pair *pair);
	} rules[] = {
		{ { "KTXanimData", 11 }, check_animation },
		{ { "KTXcubemapIncomplete", 20 }, check_incomplete_cubemap },
		{ { "KTXorientation", 14 }, check_orientation },
		{ { "KTXswizzle", 10 }, check_swizzle },
		{ { "KTXwriter", 9 }, check_writer },
		{ { "KTXwriterScParams", 17 }, check_writer },
	};
	for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
	{
		if (lrd_string_equal(pair->key, rules[i].key))
		{
			self->animated = self->animated || i == 0;
			self->incomplete = self->incomplete || i == 1;
			return rules[i].check(self, pair);
		}
	}
	return true;
}

static bool check_pair(const key_check *self, const lrd_ktx_pair *pair, size_t index, lrd_string previous)
{
	static const lrd_string byte_order_mark = { "\xef\xbb\xbf", 3 };
	if (!lrd_utf8_valid(pair->key) || lrd_string_starts_with(pair->key, byte_order_mark))
	{
		return lrd_fail(self->error, LRD_ERROR_FORMAT, "ktx2: key %zu is not UTF-8 without a byte order mark", index);
	}
	int order = index > 0 ? lrd_string_compare(previous, pair->key) : -1;
	if (order >= 0)
	{
		return lrd_fail(self->error, LRD_ERROR_FORMAT,
			"ktx2: key %zu, \"%.*s\", %s \"%.*s\", keys must be sorted and unique", index, LRD_STR_ARG(pair->key),
			order == 0 ? "repeats" : "comes after", LRD_STR_ARG(previous));
	}
	const uint8_t *end = (const uint8_t *)pair->key.data - sizeof(uint32_t) + pair->stored_size;
	for (const uint8_t *pad = (const uint8_t *)pair->value.data + pair->value.size; pad < end; pad++)
	{
		if (*pad != 0)
		{
			return lrd_fail(self->error, LRD_ERROR_FORMAT, "ktx2: valuePadding of \"%.*s\" is %u, must be 0",
				LRD_STR_ARG(pair->key), *pad);
		}
	}
	return true;
}

bool lrd_ktx_check_keys(const lrd_texture_view *view, bool *animated, lrd_error *error)
{
	key_check self = { .view = view, .error = error };
	lrd_ktx_pair pair;
	lrd_string previous = { 0 };
	size_t position = 0;
	size_t index = 0;
	const char *reason;
	for (; lrd_ktx_next_pair(view->key_values, &position, &pair, &reason); index++)
	{
		if (!check_pair(&self, &pair, index, previous) || !check_value(&self, &pair))
		{
			return false;
		}
		previous = pair.key;
	}
	if (reason != NULL)
	{
		return lrd_fail(error, LRD_ERROR_FORMAT, "ktx2: key/value pair %zu: %s", index, reason);
	}
	if (self.animated && self.incomplete)
	{
		return lrd_fail(
			error, LRD_ERROR_FORMAT, "ktx2: has KTXanimData and KTXcubemapIncomplete, must have one of them at most");
	}
	*animated = self.animated;
	return true;
}

// What the values say.

bool lrd_texture_find_key(const lrd_texture_view *view, lrd_string key, lrd_bytes *value)
{
	lrd_ktx_pair pair;
	size_t position = 0;
	const char *reason;
	while (lrd_ktx_next_pair(view->key_values, &position, &pair, &reason))
	{
		if (lrd_string_equal(pair.key, key))
		{
			*value = pair.value;
			return true;
		}
	}
	return false;
}

static bool find_text(const lrd_texture_view *view, lrd_string key, lrd_string *text)
{
	lrd_bytes value;
	if (!lrd_texture_find_key(view, key, &value))
	{
		return false;
	}
	*text = (lrd_string){ value.data, value.size };
	if (text->size > 0 && text->data[text->size - 1] == 0) // the specification's advice, which need not be taken
	{
		text->size--;
	}
	return true;
}

/// Take `name` and one of `words` off the front of a text.
static bool take_word(lrd_string *text, lrd_string name, const lrd_string *words, uint8_t count, uint8_t *index)
{
	if (!lrd_string_starts_with(*text, name))
	{
		return false;
	}
	lrd_string rest = { text->data + name.size, text->size - name.size };
	for (uint8_t i = 0; i < count; i++)
	{
		if (lrd_string_starts_with(rest, words[i]))
		{
			*text = (lrd_string){ rest.data + words[i].size, rest.size - words[i].size };
			*index = i;
			return true;
		}
	}
	return false;
}

const lrd_string lrd_texture_wrap_words[3] = { { "repeat", 6 }, { "clamp", 5 }, { "mirror", 6 } };
const lrd_string lrd_texture_filter_words[2] = { { "linear", 6 }, { "point", 5 } };

bool lrd_texture_sampler(const lrd_texture_view *view, lrd_texture_sampling *sampling)
{
	lrd_string text;
	lrd_texture_sampling found;
	if (!find_text(view, LRD_STR(LRD_TEXTURE_KEY_SAMPLER), &text) ||
		!take_word(&text, LRD_STR("wrap_u="), lrd_texture_wrap_words, 3, &found.wrap_u) ||
		!take_word(&text, LRD_STR(" wrap_v="), lrd_texture_wrap_words, 3, &found.wrap_v) ||
		!take_word(&text, LRD_STR(" filter="), lrd_texture_filter_words, 2, &found.filter) || text.size != 0)
	{
		return false;
	}
	*sampling = found;
	return true;
}

static bool find_floats(const lrd_texture_view *view, lrd_string key, float *values, size_t size)
{
	lrd_bytes value;
	if (!lrd_texture_find_key(view, key, &value) || value.size != size)
	{
		return false;
	}
	memcpy(values, value.data, size);
	return true;
}

bool lrd_texture_coverage(const lrd_texture_view *view, float *cutoff)
{
	return find_floats(view, LRD_STR(LRD_TEXTURE_KEY_COVERAGE), cutoff, sizeof *cutoff);
}

bool lrd_texture_harmonics(const lrd_texture_view *view, float harmonics[27])
{
	return find_floats(view, LRD_STR(LRD_TEXTURE_KEY_HARMONICS), harmonics, 27 * sizeof *harmonics);
}

void lrd_texture_orientation(const lrd_texture_view *view, char letters[4])
{
	static const char usual[] = "rdi";
	size_t dimensions = dimensions_of(view);
	lrd_string text;
	bool said = find_text(view, LRD_STR("KTXorientation"), &text) && text.size == dimensions;
	memset(letters, 0, 4);
	memcpy(letters, said ? text.data : usual, dimensions);
}

void lrd_texture_swizzle(const lrd_texture_view *view, char letters[5])
{
	lrd_string text;
	bool said = find_text(view, LRD_STR("KTXswizzle"), &text) && text.size == 4;
	memcpy(letters, said ? text.data : "rgba", 4);
	letters[4] = 0;
}

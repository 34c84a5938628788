// import/gltf/uri.c: URIs of buffers and images: data URIs (RFC 2397) with base64 (RFC 4648) or percent-encoding, and
// relative references.

#include "base/path.h"
#include "import/gltf/gltf.h"

bool lrd_gltf_is_data_uri(lrd_string uri)
{
	return uri.size >= 5 && lrd_string_equal_folded((lrd_string){ uri.data, 5 }, LRD_STR("data:"));
}

// The value of a base64 digit, of the standard or the URL alphabet; -1: none.
static int base64_digit(char c)
{
	if (c >= 'A' && c <= 'Z')
	{
		return c - 'A';
	}
	if (c >= 'a' && c <= 'z')
	{
		return c - 'a' + 26;
	}
	if (c >= '0' && c <= '9')
	{
		return c - '0' + 52;
	}
	return c == '+' || c == '-' ? 62 : c == '/' || c == '_' ? 63 : -1;
}

static void fill_digits(int8_t digits[256])
{
	for (int i = 0; i < 256; i++)
	{
		digits[i] = (int8_t)base64_digit((char)i);
	}
}

// Padding may be missing; nothing else may be wrong. `out` has room for three bytes every four digits.
static bool decode_base64(lrd_string text, uint8_t *out, size_t *size)
{
	int8_t digits[256];
	fill_digits(digits);
	for (int i = 0; i < 2 && text.size > 0 && text.data[text.size - 1] == '='; i++)
	{
		text.size--;
	}
	if (text.size % 4 == 1)
	{
		return false;
	}
	const unsigned char *from = (const unsigned char *)text.data;
	size_t whole = text.size / 4 * 4;
	uint8_t *to = out;
	int bad = 0;
	for (size_t i = 0; i < whole; i += 4, to += 3)
	{
		int a = digits[from[i]], b = digits[from[i + 1]], c = digits[from[i + 2]], d = digits[from[i + 3]];
		bad |= a | b | c | d;
		uint32_t bits = (uint32_t)a << 18 | (uint32_t)b << 12 | (uint32_t)c << 6 | (uint32_t)d;
		to[0] = (uint8_t)(bits >> 16);
		to[1] = (uint8_t)(bits >> 8);
		to[2] = (uint8_t)bits;
	}
	uint32_t bits = 0;
	for (size_t i = whole; i < text.size; i++)
	{
		bad |= digits[from[i]];
		bits = bits << 6 | (uint8_t)digits[from[i]];
	}
	if (text.size - whole == 2)
	{
		*to++ = (uint8_t)(bits >> 4);
	}
	else if (text.size - whole == 3)
	{
		*to++ = (uint8_t)(bits >> 10);
		*to++ = (uint8_t)(bits >> 2);
	}
	*size = (size_t)(to - out);
	return bad >= 0; // a digit of -1 sets the sign
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
		   : c >= 'a' && c <= 'f' ? c - 'a' + 10
		   : c >= 'A' && c <= 'F' ? c - 'A' + 10
								  : -1;
}

// Any byte may come out, NUL too: this is data, not a path.
static bool decode_percent(lrd_string text, uint8_t *out, size_t *size)
{
	uint8_t *to = out;
	for (size_t i = 0; i < text.size; i++)
	{
		if (text.data[i] != '%')
		{
			*to++ = (uint8_t)text.data[i];
			continue;
		}
		int high = i + 2 < text.size ? hex_digit(text.data[i + 1]) : -1;
		int low = i + 2 < text.size ? hex_digit(text.data[i + 2]) : -1;
		if (high < 0 || low < 0)
		{
			return false;
		}
		*to++ = (uint8_t)(high * 16 + low);
		i += 2;
	}
	*size = (size_t)(to - out);
	return true;
}

bool lrd_gltf_read_data_uri(
	lrd_gltf *gltf, const lrd_json *at, lrd_string uri, lrd_buffer *bytes, lrd_string *media_type)
{
	const char *comma = memchr(uri.data, ',', uri.size);
	if (comma == NULL)
	{
		return lrd_fail(gltf->error, LRD_ERROR_FORMAT, "%s: a data URI without ','", lrd_json_place(at).text);
	}
	lrd_string head = { uri.data + 5, (size_t)(comma - uri.data) - 5 };
	lrd_string body = { comma + 1, uri.size - (size_t)(comma + 1 - uri.data) };
	bool base64 = lrd_string_ends_with_folded(head, LRD_STR(";base64"));
	const char *parameters = head.size != 0 ? memchr(head.data, ';', head.size) : NULL;
	*media_type = (lrd_string){ head.data, parameters != NULL ? (size_t)(parameters - head.data) : head.size };
	size_t room = base64 ? body.size / 4 * 3 + 3 : body.size + 1;
	if (!LRD_RESERVE(bytes->allocator, bytes->data, bytes->size, room, bytes->capacity))
	{
		return lrd_fail_memory(gltf->error, "data URI", room);
	}
	size_t size = 0;
	if (!(base64 ? decode_base64(body, bytes->data, &size) : decode_percent(body, bytes->data, &size)))
	{
		return lrd_fail(gltf->error, LRD_ERROR_FORMAT, "%s: a data URI that is not valid %s", lrd_json_place(at).text,
			base64 ? "base64" : "percent-encoding");
	}
	bytes->size = size;
	return true;
}

bool lrd_gltf_find_uri(
	lrd_gltf *gltf, const lrd_json *at, lrd_string uri, lrd_bytes *bytes, const lrd_document_dependency **found)
{
	lrd_string reference = { NULL, 0 };
	if (!lrd_path_percent_decode(gltf->import->scratch, uri, &reference, gltf->error) ||
		!lrd_import_find(gltf->import, reference, bytes, found))
	{
		return lrd_fail_in(gltf->error, "%s", lrd_json_place(at).text);
	}
	return true;
}

// store/trace_read.c: reading a trace: a line after the other, each checked whole. Strings and bytes are decoded where they
// stand, since they never get longer. Nothing is larger than the text gives reason for.

#include "store/trace_read.h"

#include "base/error.h"
#include "base/path.h"

#define HEADER "larder trace "

// An id that was met: open addressing, linear probing.
typedef struct id_slot
{
	char sort; // 'a', 'm', 't', 'l'; 0: empty
	uint32_t index;
	uint32_t generation;
	uint32_t slot;
} id_slot;

typedef struct parser
{
	lrd_recording *out;
	char *at;  // the rest of the line
	char *end; // where it ends
	uint32_t line;
	bool closed; // store_close was called
	id_slot *ids;
	size_t id_count;
	size_t id_capacity; // a power of two
	lrd_error *error;
} parser;

static bool LRD_PRINTF(2, 3) refuse(parser *self, const char *format, ...)
{
	char text[LRD_ERROR_MESSAGE_SIZE];
	va_list arguments;
	va_start(arguments, format);
	lrd_format_cut(text, sizeof text, format, arguments);
	va_end(arguments);
	lrd_text_tidy(text);
	return lrd_fail(self->error, LRD_ERROR_FORMAT, "line %u: %s", self->line, text);
}

// --- Words ---

static size_t left(const parser *self)
{
	return (size_t)(self->end - self->at);
}

// The next word: what stands between two spaces, each of which is one.
static bool take_word(parser *self, lrd_string *word)
{
	const char *space = memchr(self->at, ' ', left(self));
	*word = (lrd_string){ self->at, space != NULL ? (size_t)(space - self->at) : left(self) };
	self->at += word->size;
	return word->size != 0 || refuse(self, "a word is missing at its end, or there are two spaces");
}

static bool take_space(parser *self, const char *before)
{
	if (left(self) == 0 || *self->at != ' ')
	{
		return refuse(self, "it ends before %s", before);
	}
	self->at++;
	return true;
}

static bool take_end(parser *self)
{
	return left(self) == 0 ||
		   refuse(self, "\"%.*s\" stands after its end", (int)(left(self) < 64 ? left(self) : 64), self->at);
}

static bool is_word(lrd_string word, const char *text)
{
	return lrd_string_equal(word, lrd_string_from(text));
}

static bool parse_number(lrd_string word, uint64_t most, uint64_t *number)
{
	*number = 0;
	for (size_t i = 0; i < word.size; i++)
	{
		uint64_t digit = (uint64_t)(unsigned char)word.data[i] - '0';
		if (digit > 9 || *number > (most - digit) / 10)
		{
			return false;
		}
		*number = *number * 10 + digit;
	}
	return word.size != 0 && (word.data[0] != '0' || word.size == 1);
}

static bool take_number(parser *self, uint64_t most, uint64_t *number)
{
	lrd_string word;
	return take_word(self, &word) &&
		   (parse_number(word, most, number) ||
			   refuse(self, "\"%.*s\" is no number from 0 to %llu", LRD_STR_ARG(word), (unsigned long long)most));
}

static bool take_u32(parser *self, uint32_t *number)
{
	uint64_t wide = 0;
	bool taken = take_number(self, UINT32_MAX, &wide);
	*number = (uint32_t)wide;
	return taken;
}

static bool take_integer(parser *self, int64_t *integer)
{
	lrd_string word;
	uint64_t number = 0;
	if (!take_word(self, &word))
	{
		return false;
	}
	bool negative = word.data[0] == '-';
	lrd_string digits = { word.data + negative, word.size - negative };
	if (!parse_number(digits, INT64_MAX, &number) || (negative && number == 0))
	{
		return refuse(self, "\"%.*s\" is no integer", LRD_STR_ARG(word));
	}
	*integer = negative ? -(int64_t)number : (int64_t)number;
	return true;
}

static bool take_truth(parser *self, uint64_t *truth)
{
	lrd_string word;
	if (!take_word(self, &word))
	{
		return false;
	}
	*truth = is_word(word, "yes");
	return *truth != 0 || is_word(word, "no") || refuse(self, "\"%.*s\" is neither yes nor no", LRD_STR_ARG(word));
}

static bool take_kind(parser *self, uint64_t *kind)
{
	lrd_string word;
	if (!take_word(self, &word))
	{
		return false;
	}
	for (*kind = 0; *kind < LRD_KIND_COUNT; ++*kind)
	{
		if (is_word(word, lrd_kind_name((lrd_kind)*kind)))
		{
			return true;
		}
	}
	return refuse(self, "\"%.*s\" is no kind", LRD_STR_ARG(word));
}

static bool take_state(parser *self, uint64_t *state)
{
	lrd_string word;
	if (!take_word(self, &word))
	{
		return false;
	}
	for (*state = LRD_ABSENT; *state <= LRD_RELOAD_PENDING; ++*state)
	{
		if (is_word(word, lrd_state_name((lrd_state)*state)))
		{
			return true;
		}
	}
	return refuse(self, "\"%.*s\" is no state", LRD_STR_ARG(word));
}

static int hexadecimal(char digit)
{
	return digit >= '0' && digit <= '9' ? digit - '0' : (digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1);
}

// What a backslash stands for; the number of characters behind it, or 0.
static size_t escaped(const char *at, size_t size, char *byte)
{
	if (size >= 1 && (at[0] == '"' || at[0] == '\\'))
	{
		*byte = at[0];
		return 1;
	}
	if (size >= 3 && at[0] == 'x' && hexadecimal(at[1]) >= 0 && hexadecimal(at[2]) >= 0)
	{
		*byte = (char)(hexadecimal(at[1]) << 4 | hexadecimal(at[2]));
		return 3;
	}
	return 0;
}

static bool take_text(parser *self, lrd_string *text)
{
	*text = (lrd_string){ 0 };
	if (left(self) >= 1 && self->at[0] == '-')
	{
		self->at++;
		return true;
	}
	if (left(self) == 0 || *self->at != '"')
	{
		return refuse(self, "a text in quotes, or -, is missing");
	}
	char *to = self->at++; // decoded to where the quote was, so that there is room for a terminator
	*text = (lrd_string){ to, 0 };
	while (left(self) != 0 && *self->at != '"')
	{
		char byte = *self->at++;
		size_t size = byte == '\\' ? escaped(self->at, left(self), &byte) : 0;
		if ((size == 0 && byte == '\\') || (size == 0 && (unsigned char)byte < 0x20))
		{
			return refuse(
				self, "a text has a control character, or a backslash before neither quote, backslash nor xNN");
		}
		self->at += size;
		to[text->size++] = byte;
	}
	if (left(self) == 0 || text->size > LRD_TRACE_TEXT_MAX)
	{
		return refuse(self, "a text does not end, or is longer than %u bytes", LRD_TRACE_TEXT_MAX);
	}
	self->at++;
	to[text->size] = '\0';
	return true;
}

static int digit64(char digit)
{
	if (digit >= 'A' && digit <= 'Z')
	{
		return digit - 'A';
	}
	if (digit >= 'a' && digit <= 'z')
	{
		return digit - 'a' + 26;
	}
	return digit >= '0' && digit <= '9' ? digit - '0' + 52 : (digit == '+' ? 62 : (digit == '/' ? 63 : -1));
}

// RFC 4648, section 4; bits that stand for nothing are 0.
static bool decode_bytes(parser *self, size_t size, lrd_bytes *bytes)
{
	size_t groups = size / 3 + (size % 3 != 0);
	if (groups > left(self) / 4)
	{
		return refuse(self, "%zu bytes in base64 are missing", size);
	}
	unsigned char *to = (unsigned char *)self->at;
	*bytes = (lrd_bytes){ to, size };
	for (size_t i = 0; i < groups; i++, self->at += 4)
	{
		size_t count = i + 1 < groups || size % 3 == 0 ? 3 : size % 3;
		uint32_t group = 0;
		for (size_t k = 0; k < 4; k++)
		{
			int digit = k <= count ? digit64(self->at[k]) : (self->at[k] == '=' ? 0 : -1);
			if (digit < 0)
			{
				return refuse(self, "its base64 is wrong at byte %zu", i * 3);
			}
			group = group << 6 | (uint32_t)digit;
		}
		if ((group & ((1u << (3 - count) * 8) - 1)) != 0)
		{
			return refuse(self, "its base64 has bits beyond its last byte");
		}
		for (size_t k = 0; k < count; k++)
		{
			*to++ = (unsigned char)(group >> (16 - 8 * k));
		}
	}
	return true;
}

static bool take_bytes(parser *self, lrd_bytes *bytes)
{
	const char *colon = memchr(self->at, ':', left(self));
	uint64_t size = 0;
	if (colon == NULL || !parse_number((lrd_string){ self->at, (size_t)(colon - self->at) }, SIZE_MAX / 4, &size))
	{
		return refuse(self, "the size of bytes, and a colon, are missing");
	}
	self->at += colon + 1 - self->at;
	return decode_bytes(self, (size_t)size, bytes);
}

// --- Ids ---

static size_t place_of(const id_slot *ids, size_t capacity, char sort, uint32_t index, uint32_t generation)
{
	uint64_t hash = ((uint64_t)generation << 32 | index) ^ (uint64_t)(unsigned char)sort << 56;
	hash *= 0x9E3779B97F4A7C15u; // Fibonacci hashing, Knuth 6.4
	size_t place = (size_t)(hash >> 32) & (capacity - 1);
	while (ids[place].sort != 0 &&
		   (ids[place].sort != sort || ids[place].index != index || ids[place].generation != generation))
	{
		place = (place + 1) & (capacity - 1);
	}
	return place;
}

static bool grow_ids(parser *self)
{
	size_t capacity = self->id_capacity != 0 ? self->id_capacity * 2 : 256;
	id_slot *ids = lrd_alloc_zeroed(self->out->allocator, capacity, sizeof *ids);
	if (ids == NULL)
	{
		return lrd_fail_memory(self->error, "a trace's ids", capacity * sizeof *ids);
	}
	for (size_t i = 0; i < self->id_capacity; i++)
	{
		const id_slot *old = &self->ids[i];
		if (old->sort != 0)
		{
			ids[place_of(ids, capacity, old->sort, old->index, old->generation)] = *old;
		}
	}
	lrd_free(self->out->allocator, self->ids, self->id_capacity * sizeof *ids);
	self->ids = ids;
	self->id_capacity = capacity;
	return true;
}

// A new number for an id of this sort.
static bool add_slot(parser *self, char sort, uint32_t *slot)
{
	lrd_recording *out = self->out;
	uint32_t *count = sort == 'm' ? &out->mount_count : (sort == 't' ? &out->ticket_count : &out->listener_count);
	if (sort != 'a')
	{
		*slot = (*count)++;
		return true;
	}
	if (!LRD_RESERVE(out->allocator, out->assets, out->asset_count, 1, out->asset_capacity))
	{
		return lrd_fail_memory(self->error, "a trace's assets", out->asset_count * sizeof *out->assets);
	}
	*slot = (uint32_t)out->asset_count;
	out->assets[out->asset_count++] = (lrd_recorded_asset){ 0 };
	return true;
}

static bool take_id(parser *self, char sort, uint32_t *slot)
{
	lrd_string word;
	uint64_t index = 0;
	uint64_t generation = 0;
	*slot = LRD_NO_SLOT;
	if (!take_word(self, &word) || is_word(word, "-"))
	{
		return word.size != 0;
	}
	const char *point = memchr(word.data, '.', word.size);
	size_t before = point != NULL ? (size_t)(point - word.data) : 0;
	if (point == NULL || !parse_number((lrd_string){ word.data, before }, UINT32_MAX, &index) ||
		!parse_number((lrd_string){ point + 1, word.size - before - 1 }, UINT32_MAX, &generation))
	{
		return refuse(self, "\"%.*s\" is no id: INDEX.GENERATION or -", LRD_STR_ARG(word));
	}
	if (self->id_count * 2 >= self->id_capacity && !grow_ids(self))
	{
		return false;
	}
	size_t place = place_of(self->ids, self->id_capacity, sort, (uint32_t)index, (uint32_t)generation);
	if (self->ids[place].sort == 0)
	{
		if (!add_slot(self, sort, slot))
		{
			return false;
		}
		self->ids[place] = (id_slot){ sort, (uint32_t)index, (uint32_t)generation, *slot };
		self->id_count++;
	}
	*slot = self->ids[place].slot;
	return true;
}

// An id that must not be null.
static bool take_real_id(parser *self, char sort, uint32_t *slot)
{
	return take_id(self, sort, slot) && (*slot != LRD_NO_SLOT || refuse(self, "an id is missing"));
}

// The asset is this one, from now on and before.
static bool name_asset(parser *self, uint32_t slot, lrd_kind kind, lrd_string stem)
{
	lrd_recorded_asset *asset = &self->out->assets[slot];
	if (asset->kind != LRD_KIND_NONE && (asset->kind != kind || !lrd_string_equal_folded(asset->stem, stem)))
	{
		return refuse(self, "this id is the %s \"%.*s\" already", lrd_kind_name(asset->kind), LRD_STR_ARG(asset->stem));
	}
	if (kind == LRD_KIND_NONE || !lrd_path_check(stem, NULL))
	{
		return refuse(self, "no asset has this kind and name");
	}
	*asset = (lrd_recorded_asset){ kind, stem };
	return true;
}

// --- Lines ---

static bool take_value(parser *self, char type, lrd_recorded_value *value)
{
	switch (type)
	{
	case 'k': return take_kind(self, &value->number);
	case 'e': return take_state(self, &value->number);
	case 'b': return take_truth(self, &value->number);
	case 'n': return take_number(self, UINT64_MAX, &value->number);
	case 'i': return take_integer(self, &value->integer);
	case 's': return take_text(self, &value->text);
	case 'd': return take_bytes(self, &value->bytes);
	default: return take_id(self, type, &value->slot);
	}
}

static bool take_values(parser *self, lrd_recorded_call *call)
{
	const lrd_call_row *row = &lrd_call_rows[call->call];
	size_t count = 0;
	for (const char *type = row->arguments; *type != '\0'; type++)
	{
		if (!take_space(self, "its arguments do") || !take_value(self, *type, &call->values[count++]))
		{
			return false;
		}
	}
	lrd_string word;
	if (*row->answers != '\0' && (!take_space(self, "=") || !take_word(self, &word) || !is_word(word, "=")))
	{
		return refuse(self, "= is missing");
	}
	for (const char *type = row->answers; *type != '\0'; type++)
	{
		if (!take_space(self, "its answers do") || !take_value(self, *type, &call->values[count++]))
		{
			return false;
		}
	}
	return true;
}

static bool take_call_name(parser *self, lrd_call *call)
{
	lrd_string word;
	if (!take_word(self, &word))
	{
		return false;
	}
	for (int i = 0; i < LRD_CALL_COUNT; i++)
	{
		if (is_word(word, lrd_call_rows[i].name))
		{
			*call = (lrd_call)i;
			return true;
		}
	}
	return refuse(self, "\"%.*s\" is no call", LRD_STR_ARG(word));
}

static bool take_took(parser *self, uint64_t *took)
{
	if (!take_space(self, "how long it took") || left(self) == 0 || *self->at != '+')
	{
		return refuse(self, "+ and how long it took are missing");
	}
	self->at++;
	return take_number(self, UINT64_MAX, took) && take_end(self);
}

// "12345 0 retain 5.1 = yes +310"
static bool parse_call(parser *self)
{
	lrd_recording *out = self->out;
	lrd_recorded_call call = { .line = self->line };
	uint64_t thread = 0;
	if (self->closed)
	{
		return refuse(self, "a call after store_close");
	}
	if (!take_number(self, UINT64_MAX, &call.time_ns) || !take_space(self, "its thread") ||
		!take_number(self, LRD_TRACE_THREADS_MAX - 1, &thread) || !take_space(self, "the call's name") ||
		!take_call_name(self, &call.call) || !take_values(self, &call) || !take_took(self, &call.took_ns))
	{
		return false;
	}
	call.thread = (uint32_t)thread;
	if (call.call == LRD_CALL_asset_find && call.values[2].slot != LRD_NO_SLOT &&
		!name_asset(self, call.values[2].slot, (lrd_kind)call.values[0].number, call.values[1].text))
	{
		return false;
	}
	if (!LRD_RESERVE(out->allocator, out->calls, out->call_count, 1, out->call_capacity))
	{
		return lrd_fail_memory(self->error, "a trace's calls", out->call_count * sizeof call);
	}
	out->calls[out->call_count++] = call;
	out->thread_count = call.thread >= out->thread_count ? call.thread + 1 : out->thread_count;
	self->closed = call.call == LRD_CALL_store_close;
	return true;
}

static bool add_start(parser *self, const lrd_recorded_start *start)
{
	lrd_recording *out = self->out;
	if (out->call_count != 0)
	{
		return refuse(self, "what was so at the start stands before the first call");
	}
	if (!LRD_RESERVE(out->allocator, out->start, out->start_count, 1, out->start_capacity))
	{
		return lrd_fail_memory(self->error, "a trace's start", out->start_count * sizeof *start);
	}
	out->start[out->start_count++] = *start;
	return take_end(self);
}

static bool is_named(parser *self, uint32_t slot)
{
	return self->out->assets[slot].kind != LRD_KIND_NONE || refuse(self, "nothing says which asset this is");
}

static bool parse_asset(parser *self)
{
	uint32_t slot;
	uint64_t kind = 0;
	lrd_string stem;
	return take_real_id(self, 'a', &slot) && take_space(self, "its kind") && take_kind(self, &kind) &&
		   take_space(self, "its name") && take_text(self, &stem) && name_asset(self, slot, (lrd_kind)kind, stem) &&
		   take_end(self);
}

static bool parse_mount(parser *self)
{
	lrd_recorded_start start = { .sort = LRD_START_MOUNT };
	return take_real_id(self, 'm', &start.slot) && take_space(self, "its name") && take_text(self, &start.text) &&
		   add_start(self, &start);
}

static bool parse_held(parser *self)
{
	lrd_recorded_start start = { .sort = LRD_START_HELD };
	return take_real_id(self, 'a', &start.slot) && is_named(self, start.slot) && take_space(self, "its references") &&
		   take_u32(self, &start.count) && take_space(self, "its pins") && take_u32(self, &start.more) &&
		   add_start(self, &start);
}

static bool parse_ticket(parser *self)
{
	lrd_recorded_start start = { .sort = LRD_START_TICKET };
	uint64_t sealed = 0;
	bool taken =
		take_real_id(self, 't', &start.slot) && take_space(self, "whether it is sealed") && take_truth(self, &sealed);
	start.count = (uint32_t)sealed;
	return taken && add_start(self, &start);
}

static bool parse_needs(parser *self)
{
	lrd_recorded_start start = { .sort = LRD_START_NEEDS };
	return take_real_id(self, 't', &start.slot) && take_space(self, "what it needs") &&
		   take_real_id(self, 'a', &start.more) && is_named(self, start.more) && add_start(self, &start);
}

static bool parse_finish(parser *self)
{
	uint64_t count = 0;
	if (!take_number(self, UINT64_MAX, &count) || !take_end(self))
	{
		return false;
	}
	self->out->ended = true;
	return count == self->out->call_count || refuse(self, "it says that there are %llu calls, but there are %zu",
												 (unsigned long long)count, self->out->call_count);
}

static bool parse_line(parser *self)
{
	static const struct
	{
		const char *word;
		bool (*parse)(parser *self);
	} sorts[] = { { "asset", parse_asset }, { "mount", parse_mount }, { "held", parse_held },
		{ "ticket", parse_ticket }, { "needs", parse_needs }, { "end", parse_finish } };
	if (self->out->ended)
	{
		return refuse(self, "there is something after the end");
	}
	if (left(self) != 0 && *self->at >= '0' && *self->at <= '9')
	{
		return parse_call(self);
	}
	lrd_string word;
	if (!take_word(self, &word))
	{
		return false;
	}
	for (size_t i = 0; i < sizeof sorts / sizeof *sorts; i++)
	{
		if (is_word(word, sorts[i].word))
		{
			return take_space(self, "what it is about") && sorts[i].parse(self);
		}
	}
	return refuse(self, "no line begins with \"%.*s\"", LRD_STR_ARG(word));
}

static bool parse_version(parser *self)
{
	uint64_t version = 0;
	size_t size = sizeof HEADER - 1;
	if (left(self) < size || memcmp(self->at, HEADER, size) != 0)
	{
		return lrd_fail(self->error, LRD_ERROR_FORMAT, "it is no trace: it does not begin with \"" HEADER "\"");
	}
	self->at += size;
	if (!take_number(self, UINT64_MAX, &version) || !take_end(self))
	{
		return false;
	}
	return version == LRD_TRACE_VERSION ||
		   lrd_fail(self->error, LRD_ERROR_FORMAT,
			   "it is a trace of version %llu, version %d was expected: record it again", (unsigned long long)version,
			   LRD_TRACE_VERSION);
}

static bool parse_store(parser *self)
{
	lrd_string word;
	return take_word(self, &word) && (is_word(word, "store") || refuse(self, "the store's line is missing")) &&
		   take_space(self, "its budget") && take_number(self, UINT64_MAX, &self->out->keep_parked) &&
		   take_space(self, "its workers") && take_u32(self, &self->out->workers) && take_end(self);
}

static bool parse_all(parser *self)
{
	char *at = (char *)self->out->text.data;
	size_t size = self->out->text.size;
	if (size == 0)
	{
		return refuse(self, "it is empty");
	}
	while (size != 0)
	{
		char *end = memchr(at, '\n', size);
		self->line++;
		self->at = at;
		self->end = end;
		if (end == NULL)
		{
			return refuse(self, "it is cut off");
		}
		bool parsed = self->line == 1 ? parse_version(self) : (self->line == 2 ? parse_store(self) : parse_line(self));
		if (!parsed)
		{
			return false;
		}
		size -= (size_t)(end + 1 - at);
		at = end + 1;
	}
	return self->line >= 2 || refuse(self, "it is cut off");
}

bool lrd_recording_read(lrd_buffer *text, lrd_recording *recording, lrd_error *error)
{
	*recording = (lrd_recording){ .allocator = text->allocator, .text = *text, .thread_count = 1 };
	*text = (lrd_buffer){ .allocator = text->allocator };
	parser self = { .out = recording, .error = error };
	bool read = parse_all(&self);
	lrd_free(recording->allocator, self.ids, self.id_capacity * sizeof *self.ids);
	if (!read)
	{
		lrd_recording_free(recording);
	}
	return read;
}

void lrd_recording_free(lrd_recording *recording)
{
	lrd_allocator allocator = recording->allocator;
	lrd_buffer_free(&recording->text);
	lrd_free(allocator, recording->start, recording->start_capacity * sizeof *recording->start);
	lrd_free(allocator, recording->calls, recording->call_capacity * sizeof *recording->calls);
	lrd_free(allocator, recording->assets, recording->asset_capacity * sizeof *recording->assets);
	*recording = (lrd_recording){ .allocator = allocator };
}

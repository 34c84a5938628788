// store/trace.c: recording calls. A line is put together in a buffer by the thread whose call it is, when the call has ended,
// under a mutex of the recorder's own: so lines stand in an order in which the calls could have come one after the other.
// Whatever goes wrong with the file is said when recording ends; no call fails for it.
//
// The recorder lives until the store closes, so that a call that began while something was recorded may end later.

#include "store/trace.h"

#include "base/error.h"
#include "base/path.h"
#include "os/sink.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#define BUFFER_SIZE ((size_t)64 * 1024)
// What a line may take without its bytes: two texts, each byte four characters long, and the rest.
#define LINE_MAX_SIZE ((size_t)2 * LRD_TRACE_TEXT_MAX * 4 + 1024)
// Lines wait no longer in the buffer than this, while calls come.
#define FLUSH_NS ((uint64_t)1000000000)

struct lrd_trace
{
	lrd_mutex mutex; // guards what follows
	bool recording;
	bool failed;
	lrd_error error; // of the first failure
	lrd_sink sink;
	uint64_t start_ns;
	uint64_t flushed_ns;
	uint64_t calls;
	uintptr_t *threads;
	size_t thread_count;
	size_t thread_capacity;
	uint32_t *named; // by an asset's index: the generation whose name is in the file
	size_t named_capacity;
	size_t used;
	char buffer[BUFFER_SIZE];
};

const lrd_call_row lrd_call_rows[LRD_CALL_COUNT] = {
#define CALL_ROW(name, arguments, answers, check) { #name, arguments, answers, LRD_CHECK_##check },
	LRD_TRACE_CALLS(CALL_ROW)
#undef CALL_ROW
};

// --- The buffer. Under the mutex. ---

static void flush(lrd_trace *self)
{
	self->failed = self->failed || !lrd_sink_write(&self->sink, self->buffer, self->used, &self->error);
	self->used = 0;
}

static void put_char(lrd_trace *self, char character)
{
	if (self->used == BUFFER_SIZE)
	{
		flush(self);
	}
	self->buffer[self->used++] = character;
}

static void LRD_PRINTF(2, 3) put(lrd_trace *self, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	int size = vsnprintf(self->buffer + self->used, BUFFER_SIZE - self->used, format, arguments);
	va_end(arguments);
	assert(size >= 0 && (size_t)size < BUFFER_SIZE - self->used);
	self->used += (size_t)size;
}

static void begin_line(lrd_trace *self)
{
	if (BUFFER_SIZE - self->used < LINE_MAX_SIZE)
	{
		flush(self);
	}
}

static void put_text(lrd_trace *self, lrd_string text)
{
	if (text.data == NULL)
	{
		put(self, " -");
		return;
	}
	text.size = text.size < LRD_TRACE_TEXT_MAX ? text.size : LRD_TRACE_TEXT_MAX;
	bool utf8 = lrd_utf8_valid(text);
	put(self, " \"");
	for (size_t i = 0; i < text.size; i++)
	{
		unsigned char byte = (unsigned char)text.data[i];
		if (byte < 0x20 || byte == 0x7f || (byte >= 0x80 && !utf8))
		{
			put(self, "\\x%02x", byte);
			continue;
		}
		if (byte == '"' || byte == '\\')
		{
			put_char(self, '\\');
		}
		put_char(self, (char)byte);
	}
	put_char(self, '"');
}

// RFC 4648, section 4.
static void put_bytes(lrd_trace *self, lrd_bytes bytes)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const unsigned char *data = bytes.data;
	put(self, " %zu:", bytes.size);
	for (size_t i = 0; i < bytes.size; i += 3)
	{
		size_t left = bytes.size - i;
		uint32_t group = (uint32_t)data[i] << 16;
		group |= left > 1 ? (uint32_t)data[i + 1] << 8 : 0;
		group |= left > 2 ? (uint32_t)data[i + 2] : 0;
		put_char(self, digits[group >> 18]);
		put_char(self, digits[group >> 12 & 63]);
		put_char(self, left > 1 ? digits[group >> 6 & 63] : '=');
		put_char(self, left > 2 ? digits[group & 63] : '=');
	}
	begin_line(self); // the rest of this one
}

static void put_id(lrd_trace *self, lrd_asset id)
{
	if (id.generation == 0 && id.index == 0)
	{
		put(self, " -");
		return;
	}
	put(self, " %" PRIu32 ".%" PRIu32, id.index, id.generation);
}

static void put_value(lrd_trace *self, const lrd_trace_value *value)
{
	switch (value->type)
	{
	case 'a':
	case 'm':
	case 't':
	case 'l': put_id(self, value->id); break;
	case 'k': put(self, " %s", lrd_kind_name((lrd_kind)value->number)); break;
	case 'e': put(self, " %s", lrd_state_name((lrd_state)value->number)); break;
	case 'b': put(self, " %s", value->number != 0 ? "yes" : "no"); break;
	case 'n': put(self, " %" PRIu64, value->number); break;
	case 'i': put(self, " %" PRId64, value->integer); break;
	case 's': put_text(self, value->text); break;
	case 'd': put_bytes(self, value->bytes); break;
	default: break;
	}
}

// --- Names of assets. Under the mutex, and takes the store's lock. ---

// False, where memory runs out: then the name is written again each time.
static bool note_named(lrd_trace *self, const lrd_store *store, lrd_asset asset)
{
	if (asset.index >= self->named_capacity)
	{
		size_t before = self->named_capacity;
		if (!LRD_RESERVE(store->allocator, self->named, before, (size_t)asset.index + 1 - before, self->named_capacity))
		{
			return false;
		}
		memset(self->named + before, 0, (self->named_capacity - before) * sizeof *self->named);
	}
	self->named[asset.index] = asset.generation;
	return true;
}

// False for an asset that has none any more.
static bool put_name(lrd_trace *self, const lrd_store *store, lrd_asset asset)
{
	char stem[LRD_PATH_MAX];
	size_t size = 0;
	lrd_kind kind = LRD_KIND_NONE;
	if (asset.index < self->named_capacity && self->named[asset.index] == asset.generation)
	{
		return true;
	}
	lrd_mutex *lock = lrd_store_lock(store);
	lrd_mutex_lock(lock);
	const lrd_record *record = lrd_record_of(store, asset);
	if (record != NULL)
	{
		kind = (lrd_kind)record->kind;
		size = record->stem_size;
		memcpy(stem, record->stem, size);
	}
	lrd_mutex_unlock(lock);
	if (record != NULL)
	{
		begin_line(self);
		put(self, "asset");
		put_id(self, asset);
		put(self, " %s", lrd_kind_name(kind));
		put_text(self, (lrd_string){ stem, size });
		put_char(self, '\n');
		note_named(self, store, asset);
	}
	return record != NULL;
}

// --- Calls ---

static size_t thread_number(lrd_trace *self, const lrd_store *store)
{
	uintptr_t thread = lrd_thread_self();
	for (size_t i = 0; i < self->thread_count; i++)
	{
		if (self->threads[i] == thread)
		{
			return i;
		}
	}
	if (self->thread_count == LRD_TRACE_THREADS_MAX ||
		!LRD_RESERVE(store->allocator, self->threads, self->thread_count, 1, self->thread_capacity))
	{
		return LRD_TRACE_THREADS_MAX - 1;
	}
	self->threads[self->thread_count] = thread;
	return self->thread_count++;
}

static void put_call(
	lrd_trace *self, const lrd_store *store, uint64_t begun, lrd_call call, const lrd_trace_value *values)
{
	const lrd_call_row *row = &lrd_call_rows[call];
	size_t argument_count = strlen(row->arguments);
	size_t count = argument_count + strlen(row->answers);
	for (size_t i = 0; i < count; i++)
	{
		assert(values[i].type == (i < argument_count ? row->arguments[i] : row->answers[i - argument_count]));
		if (values[i].type == 'a' && call != LRD_CALL_asset_find)
		{
			put_name(self, store, values[i].id);
		}
	}
	uint64_t now = lrd_clock_ns();
	begin_line(self);
	put(self, "%" PRIu64 " %zu %s", now - self->start_ns, thread_number(self, store), row->name);
	for (size_t i = 0; i < count; i++)
	{
		put(self, "%s", i == argument_count ? " =" : "");
		put_value(self, &values[i]);
	}
	put(self, " +%" PRIu64 "\n", now - begun);
	if (call == LRD_CALL_asset_find && values[2].id.generation != 0)
	{
		note_named(self, store, values[2].id); // the line itself says it
	}
	self->calls++;
	if (now - self->flushed_ns > FLUSH_NS)
	{
		flush(self);
		self->flushed_ns = now;
	}
}

void lrd_trace_write(const lrd_store *store, uint64_t begun, lrd_call call, const lrd_trace_value *values)
{
	lrd_trace *self = atomic_load_explicit(&store->recorder, memory_order_acquire);
	lrd_mutex_lock(&self->mutex);
	if (self->recording)
	{
		put_call(self, store, begun > self->start_ns ? begun : self->start_ns, call, values);
	}
	lrd_mutex_unlock(&self->mutex);
}

void lrd_trace_name(const lrd_store *store, uint64_t begun, lrd_asset asset)
{
	lrd_trace *self = begun != 0 ? atomic_load_explicit(&store->recorder, memory_order_acquire) : NULL;
	if (self != NULL)
	{
		lrd_mutex_lock(&self->mutex);
		if (self->recording)
		{
			put_name(self, store, asset);
		}
		lrd_mutex_unlock(&self->mutex);
	}
}

// --- Beginning and ending ---

static lrd_trace *make_recorder(lrd_store *store)
{
	lrd_trace *self = lrd_alloc_zeroed(store->allocator, 1, sizeof *self);
	if (self != NULL && !lrd_mutex_init(&self->mutex))
	{
		lrd_free(store->allocator, self, sizeof *self);
		return NULL;
	}
	return self;
}

// The store's recorder, made when it is first asked for.
static lrd_trace *recorder_of(lrd_store *store)
{
	lrd_mutex_lock(&store->lock);
	lrd_trace *self = atomic_load_explicit(&store->recorder, memory_order_relaxed);
	if (self == NULL)
	{
		self = make_recorder(store);
		atomic_store_explicit(&store->recorder, self, memory_order_release);
	}
	lrd_mutex_unlock(&store->lock);
	return self;
}

static void put_held(lrd_trace *self, const lrd_store *store, const lrd_snapshot_asset *asset)
{
	uint32_t users = asset->references - asset->inner - asset->pins;
	if ((users != 0 || asset->pins != 0) && put_name(self, store, asset->asset))
	{
		begin_line(self);
		put(self, "held");
		put_id(self, asset->asset);
		put(self, " %" PRIu32 " %" PRIu32 "\n", users, asset->pins);
	}
}

static void put_waiting(lrd_trace *self, const lrd_store *store, const lrd_snapshot *now, const lrd_snapshot_ticket *at)
{
	lrd_asset id = { at->ticket.index, at->ticket.generation };
	begin_line(self);
	put(self, "ticket");
	put_id(self, id);
	put(self, " %s\n", at->progress.sealed ? "yes" : "no");
	for (uint32_t i = 0; i < at->waiting_count; i++)
	{
		lrd_asset needed = now->waiting[at->first_waiting + i];
		if (put_name(self, store, needed))
		{
			begin_line(self);
			put(self, "needs");
			put_id(self, id);
			put_id(self, needed);
			put_char(self, '\n');
		}
	}
}

// What the store is like, so that a replay can begin there.
static void put_start(lrd_trace *self, const lrd_store *store, const lrd_snapshot *now)
{
	put(self, "larder trace %d\nstore %" PRIu64 " %" PRIu32 "\n", LRD_TRACE_VERSION, now->stats.keep_parked,
		store->pump_count);
	for (uint32_t i = now->mount_count; i > 0; i--) // those that were mounted later are asked first
	{
		const lrd_snapshot_mount *mount = &now->mounts[i - 1];
		if (mount->mount.generation != 0)
		{
			begin_line(self);
			put(self, "mount");
			put_id(self, (lrd_asset){ mount->mount.index, mount->mount.generation });
			put_text(self, lrd_string_from(mount->name));
			put_char(self, '\n');
		}
	}
	for (uint32_t i = 0; i < now->asset_count; i++)
	{
		put_held(self, store, &now->assets[i]);
	}
	for (uint32_t i = 0; i < now->ticket_count; i++)
	{
		put_waiting(self, store, now, &now->tickets[i]);
	}
}

static bool start(lrd_trace *self, lrd_store *store, const char *path, lrd_error *error)
{
	lrd_snapshot now = { .allocator = store->allocator };
	if (self->recording)
	{
		return lrd_fail(error, LRD_ERROR_CONFLICT, "%s: calls are being recorded already", path);
	}
	if (!LRD_RESERVE(store->allocator, self->threads, 0, 16, self->thread_capacity) ||
		!lrd_snapshot_take(store, &now, error))
	{
		lrd_snapshot_free(&now);
		return lrd_fail_memory(error, "recording calls", sizeof *self);
	}
	if (!lrd_sink_open(path, &self->sink, error))
	{
		lrd_snapshot_free(&now);
		return false;
	}
	self->failed = false;
	self->error = (lrd_error){ 0 };
	self->start_ns = lrd_clock_ns();
	self->flushed_ns = self->start_ns;
	self->calls = 0;
	self->used = 0;
	self->threads[0] = store->owner;
	self->thread_count = 1;
	if (self->named_capacity != 0)
	{
		memset(self->named, 0, self->named_capacity * sizeof *self->named);
	}
	put_start(self, store, &now);
	lrd_snapshot_free(&now);
	self->recording = true;
	atomic_store_explicit(&store->trace, self, memory_order_release);
	return true;
}

bool lrd_trace_begin(lrd_store *store, const char *path, lrd_error *error)
{
	lrd_trace *self = recorder_of(store);
	if (self == NULL)
	{
		return lrd_fail_memory(error, "recording calls", sizeof *self);
	}
	lrd_mutex_lock(&self->mutex);
	bool started = start(self, store, path, error);
	lrd_mutex_unlock(&self->mutex);
	return started;
}

static bool finish(lrd_trace *self, lrd_store *store, lrd_error *error)
{
	atomic_store_explicit(&store->trace, NULL, memory_order_release);
	self->recording = false;
	begin_line(self);
	put(self, "end %" PRIu64 "\n", self->calls);
	flush(self);
	lrd_error late;
	if (!lrd_sink_close(&self->sink, &late) && !self->failed)
	{
		self->failed = true;
		self->error = late;
	}
	return !self->failed ||
		   lrd_fail(error, self->error.code, "the recording of calls is not whole: %s", self->error.message);
}

bool lrd_trace_end(lrd_store *store, lrd_error *error)
{
	lrd_trace *self = atomic_load_explicit(&store->recorder, memory_order_acquire);
	bool whole = false;
	bool recording = false;
	if (self != NULL)
	{
		lrd_mutex_lock(&self->mutex);
		recording = self->recording;
		whole = recording && finish(self, store, error);
		lrd_mutex_unlock(&self->mutex);
	}
	return whole || (!recording && lrd_fail(error, LRD_ERROR_ARGUMENT, "no calls are being recorded"));
}

void lrd_trace_close(lrd_store *store)
{
	lrd_trace *self = atomic_load_explicit(&store->recorder, memory_order_relaxed);
	if (self == NULL)
	{
		return;
	}
	lrd_error error;
	if (self->recording && !finish(self, store, &error))
	{
		lrd_log_write(&store->log, LRD_LOG_WARNING, "store", "%s", error.message);
	}
	lrd_free(store->allocator, self->threads, self->thread_capacity * sizeof *self->threads);
	lrd_free(store->allocator, self->named, self->named_capacity * sizeof *self->named);
	lrd_mutex_destroy(&self->mutex);
	lrd_free(store->allocator, self, sizeof *self);
	atomic_store_explicit(&store->recorder, NULL, memory_order_relaxed);
}

// store/suggest.c: what somebody may have meant by a name that no mount knows.
//
// Distances are those of "optimal string alignment": insertions, deletions, substitutions, and swaps of neighbours (F. J.
// Damerau, "A technique for computer detection and correction of spelling errors", CACM 7(3), 1964), of bytes, ASCII case
// ignored. Only those up to a limit matter, so a row is computed in a band of that width (E. Ukkonen, "Algorithms for
// approximate string matching", Information and Control 64, 1985).

#include "base/error.h"
#include "base/path.h"
#include "store/mounted.h"
#include "store/store.h"

#include <stdio.h>

#define SUGGESTIONS 3

// A name is near when every third of its bytes is wrong at most, and so many at most.
#define LIMIT_MAX 8

// The distance of names that are alike only in their last part: after all that are near.
#define ELSEWHERE 1000

// Work is counted in bytes looked at and cells computed, about a nanosecond each.
#define WORK_PER_NAME 16
#define WORK_PER_CALL ((uint64_t)1 << 26)
#define WORK_PER_EPOCH ((uint64_t)1 << 30)

// Names taken from a table that may change, under the lock, at a time.
#define NAMES_PER_TURN 64

typedef struct suggestion
{
	unsigned distance;
	size_t size;
	char stem[LRD_PATH_MAX];
} suggestion;

typedef struct search
{
	lrd_store *store;
	lrd_kind kind;
	char stem[LRD_PATH_MAX]; // lowered
	size_t size;
	uint64_t letters; // which there are
	unsigned limit;
	size_t count;
	suggestion found[SUGGESTIONS]; // the nearest first
	uint64_t work;
	uint64_t work_max;
	uint16_t rows[3][LRD_PATH_MAX + 2];
} search;

static char lowered(char c)
{
	return (char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
}

static uint64_t letters_of(const char *text, size_t size)
{
	uint64_t letters = 0;
	for (size_t i = 0; i < size; i++)
	{
		letters |= (uint64_t)1 << ((unsigned char)text[i] & 63);
	}
	return letters;
}

static unsigned smaller(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

// The distance of two texts that differ in their first and in their last byte, or more than `limit`.
static unsigned aligned_distance(search *self, lrd_string a, lrd_string b, unsigned limit)
{
	uint16_t *before = self->rows[0];
	uint16_t *above = self->rows[1];
	uint16_t *row = self->rows[2];
	unsigned beyond = limit + 1;
	for (size_t j = 0; j <= b.size; j++)
	{
		above[j] = (uint16_t)(j <= limit ? j : beyond);
	}
	for (size_t i = 1; i <= a.size; i++)
	{
		size_t first = i > limit ? i - limit : 1;
		size_t last = i + limit < b.size ? i + limit : b.size;
		row[first - 1] = (uint16_t)(first == 1 && i <= limit ? i : beyond);
		unsigned least = row[first - 1];
		for (size_t j = first; j <= last; j++)
		{
			unsigned cell = above[j - 1] + (a.data[i - 1] != b.data[j - 1] ? 1u : 0u);
			cell = smaller(cell, smaller(above[j], row[j - 1]) + 1u);
			bool swapped = i > 1 && j > 1 && a.data[i - 1] == b.data[j - 2] && a.data[i - 2] == b.data[j - 1];
			cell = swapped ? smaller(cell, before[j - 2] + 1u) : cell;
			row[j] = (uint16_t)smaller(cell, beyond);
			least = smaller(least, cell);
		}
		row[last + 1] = (uint16_t)beyond;
		self->work += last - first + 1;
		if (least > limit)
		{
			return beyond;
		}
		uint16_t *oldest = before;
		before = above;
		above = row;
		row = oldest;
	}
	return above[b.size];
}

// `name` is lowered. More than `limit`: no matter how much.
static unsigned distance_to(search *self, lrd_string name, unsigned limit)
{
	lrd_string a = { self->stem, self->size };
	uint64_t letters = letters_of(name.data, name.size);
	if (a.size > name.size + limit || name.size > a.size + limit ||
		(unsigned)__builtin_popcountll(self->letters & ~letters) > limit ||
		(unsigned)__builtin_popcountll(letters & ~self->letters) > limit)
	{
		return limit + 1;
	}
	while (a.size != 0 && name.size != 0 && a.data[0] == name.data[0])
	{
		a = (lrd_string){ a.data + 1, a.size - 1 };
		name = (lrd_string){ name.data + 1, name.size - 1 };
	}
	while (a.size != 0 && name.size != 0 && a.data[a.size - 1] == name.data[name.size - 1])
	{
		a.size--;
		name.size--;
	}
	return aligned_distance(self, a, name, limit);
}

static bool same_last_part(const search *self, lrd_string name)
{
	lrd_string mine = lrd_path_file((lrd_string){ self->stem, self->size });
	return lrd_string_ends_with_folded(name, mine) &&
		   (name.size == mine.size || name.data[name.size - mine.size - 1] == '/');
}

static bool comes_before(const suggestion *at, unsigned distance, lrd_string stem)
{
	return at->distance < distance ||
		   (at->distance == distance && lrd_string_compare_folded((lrd_string){ at->stem, at->size }, stem) < 0);
}

static void keep(search *self, unsigned distance, lrd_string stem)
{
	for (size_t i = 0; i < self->count; i++)
	{
		if (lrd_string_equal_folded((lrd_string){ self->found[i].stem, self->found[i].size }, stem))
		{
			return; // in several mounts
		}
	}
	size_t at = self->count;
	while (at > 0 && !comes_before(&self->found[at - 1], distance, stem))
	{
		at--;
	}
	if (at == SUGGESTIONS)
	{
		return;
	}
	self->count += self->count < SUGGESTIONS;
	memmove(&self->found[at + 1], &self->found[at], (self->count - at - 1) * sizeof *self->found);
	self->found[at].distance = distance;
	self->found[at].size = stem.size;
	memcpy(self->found[at].stem, stem.data, stem.size);
}

static void look_at(search *self, lrd_string key, lrd_kind kind)
{
	self->work += WORK_PER_NAME + key.size;
	if (key.size <= strlen(lrd_kind_extension(kind))) // a bundle may say anything of its keys' kinds
	{
		return;
	}
	lrd_string stem = lrd_name_stem(kind, key);
	unsigned limit = self->limit;
	if (self->count == SUGGESTIONS && self->found[SUGGESTIONS - 1].distance < limit)
	{
		limit = self->found[SUGGESTIONS - 1].distance;
	}
	char name[LRD_PATH_MAX];
	for (size_t i = 0; i < stem.size; i++)
	{
		name[i] = lowered(stem.data[i]);
	}
	unsigned distance = distance_to(self, (lrd_string){ name, stem.size }, limit);
	bool elsewhere = distance > limit && same_last_part(self, stem);
	if ((distance <= limit || elsewhere) && lrd_name_kind(key) == kind)
	{
		keep(self, elsewhere ? ELSEWHERE : distance, stem);
	}
}

// --- Going through the mounts ---

static void look_through(search *self, const lrd_mounted *mount)
{
	lrd_mutex *lock = &self->store->lock;
	bool more = true;
	for (uint32_t next = 0; more && self->work < self->work_max;)
	{
		lrd_string keys[NAMES_PER_TURN];
		size_t count = 0;
		if (!mount->sort->steady)
		{
			lrd_mutex_lock(lock);
		}
		for (int i = 0; i < NAMES_PER_TURN && more; i++)
		{
			lrd_kind kind;
			more = mount->sort->name_at(mount, next, &keys[count], &kind);
			next += more;
			count += more && kind == self->kind;
		}
		if (!mount->sort->steady)
		{
			lrd_mutex_unlock(lock);
		}
		self->work += NAMES_PER_TURN;
		for (size_t i = 0; i < count; i++)
		{
			look_at(self, keys[i], self->kind);
		}
	}
}

static bool exists(search *self, lrd_kind kind, lrd_string stem)
{
	lrd_mutex_lock(&self->store->lock);
	bool found = lrd_mounts_knows(&self->store->mounts, kind, stem);
	lrd_mutex_unlock(&self->store->lock);
	return found;
}

// What may still be spent on this search.
static uint64_t begin_work(lrd_store *store, const lrd_mounted **put, bool *mounted)
{
	lrd_mutex_lock(&store->lock);
	const lrd_mounts *mounts = &store->mounts;
	uint64_t left = mounts->suggested < WORK_PER_EPOCH ? WORK_PER_EPOCH - mounts->suggested : 0;
	*put = mounts->put;
	*mounted = mounts->first != NULL || mounts->put != NULL;
	lrd_mutex_unlock(&store->lock);
	return left < WORK_PER_CALL ? left : WORK_PER_CALL;
}

static void end_work(search *self)
{
	lrd_mutex_lock(&self->store->lock);
	self->store->mounts.suggested += self->work;
	lrd_mutex_unlock(&self->store->lock);
}

static void look_everywhere(search *self, const lrd_mounted *put)
{
	if (put != NULL)
	{
		look_through(self, put);
	}
	uint32_t before = UINT32_MAX;
	for (lrd_mounted *mount = NULL; (mount = lrd_mounted_lease_next(self->store, before)) != NULL;)
	{
		before = mount->id.generation;
		look_through(self, mount);
		lrd_mounted_release(self->store, mount);
	}
}

// --- Saying it ---

// Text that grows, and is cut when there is no room for more.
typedef struct message
{
	char text[LRD_ERROR_MESSAGE_SIZE];
	size_t size;
} message;

static void say(message *self, const char *format, ...) LRD_PRINTF(2, 3);

static void say(message *self, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	if (sizeof self->text - self->size > 4)
	{
		lrd_format_cut(self->text + self->size, sizeof self->text - self->size, format, arguments);
		self->size += strlen(self->text + self->size);
	}
	va_end(arguments);
}

static void say_nearest(message *text, const search *self)
{
	bool near = self->count != 0 && self->found[0].distance != ELSEWHERE;
	for (size_t i = 0; i < self->count && (!near || self->found[i].distance != ELSEWHERE); i++)
	{
		say(text, "%s\"%.*s\"", i == 0 ? "; nearest: " : ", ", (int)self->found[i].size, self->found[i].stem);
	}
	if (self->work >= self->work_max)
	{
		say(text, "%s",
			self->count != 0 ? " (of the first that were compared)" : "; too many names to compare it with");
	}
}

// The same name under other kinds; a blob whose name is that of a cooked file.
static void say_others(message *text, search *self, lrd_string stem)
{
	int others = 0;
	for (int kind = LRD_KIND_NONE + 1; kind < LRD_KIND_COUNT; kind++)
	{
		if (kind != (int)self->kind && exists(self, (lrd_kind)kind, stem))
		{
			say(text, "%s a %s", others == 0 ? "; there is" : " and", lrd_kind_name((lrd_kind)kind));
			others++;
		}
	}
	if (others != 0)
	{
		say(text, " of that name");
	}
	lrd_kind cooked = self->kind == LRD_BLOB ? lrd_kind_from_path(stem) : LRD_BLOB;
	if (cooked != LRD_BLOB && exists(self, cooked, lrd_name_stem(cooked, stem)))
	{
		say(text, "; that is the file of the %s \"%.*s\"", lrd_kind_name(cooked),
			LRD_STR_ARG(lrd_name_stem(cooked, stem)));
	}
}

static void search_begin(search *self, lrd_store *store, lrd_kind kind, lrd_string stem)
{
	self->store = store;
	self->kind = kind;
	self->size = stem.size < LRD_PATH_MAX ? stem.size : LRD_PATH_MAX;
	for (size_t i = 0; i < self->size; i++)
	{
		self->stem[i] = lowered(stem.data[i]);
	}
	self->letters = letters_of(self->stem, self->size);
	self->limit = smaller((unsigned)self->size / 3 + (self->size < 3), LIMIT_MAX);
	self->count = 0;
	self->work = 0;
}

void lrd_mounts_suggest(lrd_store *store, lrd_kind kind, lrd_string stem, lrd_error *error)
{
	search self;
	message text = { .size = 0 };
	const lrd_mounted *put;
	bool mounted;
	search_begin(&self, store, kind, stem);
	self.work_max = begin_work(store, &put, &mounted);
	say(&text, "no %s \"%.*s\" in any mount", lrd_kind_name(kind), LRD_STR_ARG(stem));
	lrd_string without = lrd_path_stem(stem);
	if (!mounted)
	{
		say(&text, ": nothing is mounted");
	}
	else if (without.size != stem.size && exists(&self, kind, without))
	{
		say(&text, "; leave the extension away: \"%.*s\"", LRD_STR_ARG(without));
	}
	else
	{
		look_everywhere(&self, put);
		end_work(&self);
		say_nearest(&text, &self);
		say_others(&text, &self, stem);
	}
	lrd_fail(error, LRD_ERROR_NOT_FOUND, "%s", text.text);
}

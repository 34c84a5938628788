// tests/models/explore.c: depth first, with the states seen so far in a table of their hashes. Two different states among n
// have the same 64 bits with a chance of n * n / 2^65: of ten million, less than one in 300,000.

#include "explore.h"

#include <stdlib.h>
#include <string.h>

struct seen_states
{
	uint64_t *slots; ///< 0: empty
	size_t capacity; ///< a power of two
	size_t count;
	bool failed;
};

static uint64_t mix(uint64_t value)
{
	// The finalizer of splitmix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
	value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9u;
	value = (value ^ (value >> 27)) * 0x94D049BB133111EBu;
	return value ^ (value >> 31);
}

__extension__ typedef unsigned __int128 wide;

static uint64_t fold(uint64_t a, uint64_t b)
{
	wide product = (wide)a * b;
	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

// Products of pairs of words, folded, as wyhash does (Wang Yi, 2019): most of the time goes here.
static uint64_t hash_of(const model_state *state)
{
	uint64_t words[(sizeof *state + 31) / 32 * 4] = { 0 };
	memcpy(words, state, sizeof *state);
	uint64_t a = 0x9E3779B97F4A7C15u, b = 0xBF58476D1CE4E5B9u;
	for (size_t i = 0; i < sizeof words / sizeof *words; i += 4)
	{
		a = fold(words[i] ^ 0xA0761D6478BD642Fu, words[i + 1] ^ a);
		b = fold(words[i + 2] ^ 0xE7037ED1A0B428DBu, words[i + 3] ^ b);
	}
	return fold(a ^ 0x8EBC6AF09C88C6E3u, b ^ 0x589965CC75374CC3u);
}

static bool put(uint64_t *slots, size_t capacity, uint64_t hash)
{
	size_t at = hash & (capacity - 1);
	while (slots[at] != 0 && slots[at] != hash)
	{
		at = (at + 1) & (capacity - 1);
	}
	bool is_new = slots[at] == 0;
	slots[at] = hash;
	return is_new;
}

static bool grow(seen_states *seen)
{
	size_t capacity = seen->capacity != 0 ? seen->capacity * 2 : 64;
	uint64_t *slots = calloc(capacity, sizeof *slots);
	if (slots == NULL)
	{
		seen->failed = true;
		return false;
	}
	for (size_t i = 0; i < seen->capacity; i++)
	{
		if (seen->slots[i] != 0)
		{
			put(slots, capacity, seen->slots[i]);
		}
	}
	free(seen->slots);
	seen->slots = slots;
	seen->capacity = capacity;
	return true;
}

// True: it is new.
static bool note_hash(seen_states *seen, uint64_t hash)
{
	if (seen->count * 2 >= seen->capacity && !grow(seen))
	{
		return false;
	}
	bool is_new = put(seen->slots, seen->capacity, hash != 0 ? hash : 1);
	seen->count += is_new;
	return is_new;
}

// --- Choices ---

uint8_t model_choose(model *m, uint8_t count)
{
	model_choices *choices = m->choices;
	if (choices == NULL || count < 2 || m->pruned)
	{
		return 0;
	}
	if (choices->next == CHOICES_MAX)
	{
		model_break(m, "a step has at most 64 choices");
		return 0;
	}
	uint8_t at = choices->next++;
	if (at >= choices->count)
	{
		choices->taken[at] = 0;
		choices->of[at] = count;
		choices->count = (uint8_t)(at + 1);
	}
	return choices->taken[at];
}

// Counted up; false: all ways were taken.
static bool next_way(model_choices *choices)
{
	choices->count = choices->next;
	choices->next = 0;
	while (choices->count > 0)
	{
		uint8_t last = (uint8_t)(choices->count - 1);
		if (++choices->taken[last] < choices->of[last])
		{
			return true;
		}
		choices->count = last;
	}
	return false;
}

// How a section goes on depends on the state that it began in, which is the same for all its ways, on where it is, on the
// state now, and on what it has read in between of what others may change.
static bool is_known_way(model *m)
{
	uint64_t key = hash_of(&m->s) ^ mix(m->read + m->pauses);
	return m->choices->next == m->choices->count && !note_hash(m->ways, key);
}

void model_pause(model *m)
{
	if (m->choices == NULL || m->holder == NONE)
	{
		return;
	}
	m->pauses++;
	while (m->broken == NULL && !m->pruned)
	{
		uint8_t able[THREADS];
		uint8_t count = 0;
		for (uint8_t i = 0; i < THREADS; i++)
		{
			if (i != m->holder && model_is_lock_free(m, i))
			{
				able[count++] = i;
			}
		}
		m->pruned = count != 0 && is_known_way(m);
		uint8_t choice = model_choose(m, (uint8_t)(count + 1));
		if (choice == 0)
		{
			break;
		}
		model_step(m, able[choice - 1]);
	}
	for (uint32_t i = 0; i < RECORDS; i++)
	{
		const model_record *r = &m->s.records[i];
		m->read = mix(m->read ^ ((uint64_t)r->references | (uint64_t)r->state << 8 | (uint64_t)r->elders_flag << 16));
	}
}

// --- States ---

static void visit(model *m, seen_states *seen, exploration *found);

// Every way in which this actor's next step can go.
static void go_on(model *m, uint8_t actor, seen_states *seen, exploration *found)
{
	const model_state before = m->s;
	size_t path_length = m->path_length;
	model_choices choices = { 0 };
	seen_states ways = { 0 };
	do
	{
		m->s = before;
		m->path_length = path_length;
		m->choices = &choices;
		m->ways = &ways;
		m->pauses = 0;
		m->read = 0;
		m->pruned = false;
		model_step(m, actor);
		found->steps++;
		if (!m->pruned)
		{
			visit(m, seen, found);
		}
	} while (m->broken == NULL && next_way(&choices));
	m->path_length = m->broken == NULL ? path_length : m->path_length;
	m->s = before;
	seen->failed = seen->failed || ways.failed;
	free(ways.slots);
}

static void visit(model *m, seen_states *seen, exploration *found)
{
	if (m->broken != NULL || found->states == found->limit || !note_hash(seen, hash_of(&m->s)))
	{
		return;
	}
	found->states++;
	model_check(m);
	bool ends = true;
	for (uint8_t actor = 0; m->broken == NULL && actor < ACTORS; actor++)
	{
		if (model_is_able(m, actor))
		{
			ends = false;
			go_on(m, actor, seen, found);
		}
	}
	if (ends && m->broken == NULL)
	{
		found->ends++;
		model end = *m;
		model_check_end(&end);
		m->broken = end.broken;
	}
}

bool explore(const model_scenario *scenario, model_mutation mutation, uint64_t limit, exploration *found)
{
	memset(found, 0, sizeof *found);
	found->limit = limit;
	seen_states seen = { 0 };
	model m;
	model_begin(&m, scenario, mutation);
	m.path = found->path;
	m.path_size = sizeof found->path;
	visit(&m, &seen, found);
	found->path[m.path_length] = '\0';
	found->broken = m.broken;
	bool good = m.broken == NULL && !seen.failed;
	free(seen.slots);
	return good;
}

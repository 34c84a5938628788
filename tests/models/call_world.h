// tests/models/call_world.h: a store and those who call it, for test_store_interleavings.c: what must hold after each call,
// and which of the choices of an order come next.

#ifndef MODELS_CALL_WORLD_H
#define MODELS_CALL_WORLD_H

#include "fixtures/store_kit.h"
#include "store/store.h"
#include "store/ticket.h"

#define ACTORS 3
#define CHOICES 256
#define STEPS 4
#define DECODES 2 // at a time

typedef struct world world;

/// What an actor does: calls, one after the other.
typedef struct program
{
	const char *name;
	void (*steps[STEPS])(world *self, uint32_t actor);
	bool waits; ///< its first step waits for workers, so that it can't be in the middle of one's decode
} program;

typedef struct ticket_told
{
	lrd_ticket ticket;
	bool sealed;
	uint32_t times;
} ticket_told;

/// A decode that is in the middle of something.
typedef struct decode
{
	struct decode *outer;
	lrd_request *request;
	uint32_t allocations;
} decode;

struct world
{
	store_kit kit;
	lrd_allocator memory;
	kit_files other; ///< content to put
	bool mounted;
	uint32_t mounts; ///< made
	uint32_t events;
	// Actors
	const program *programs[ACTORS];
	uint32_t at[ACTORS];
	lrd_asset held[ACTORS]; ///< generation 0: nothing
	lrd_asset pinned[ACTORS];
	lrd_hold holds[ACTORS];
	const lrd_material *material[ACTORS]; ///< got through what each holds
	const lrd_texture *texture[ACTORS];
	const lrd_texture *through[ACTORS]; ///< got through a material, and good until the next update
	lrd_hold keeper;                    ///< nobody's
	uint32_t closing;                   ///< references of who closes the store
	ticket_told tickets[ACTORS];
	// Decodes that wait for the others to go on, the innermost first; `runs`: it does not wait
	decode *decode;
	bool runs;
	// Choices
	uint8_t taken[CHOICES], of[CHOICES];
	uint32_t count, next;
	bool pruned;
	uint64_t *seen; ///< hashes of states; 0: empty
	size_t seen_capacity, seen_count;
	uint64_t states, orders;
};

static const char material_stem[] = "blue";
static const char texture_stem[] = "albedo";

static inline lrd_asset material_of(world *self)
{
	return kit_find(&self->kit, LRD_MATERIAL, material_stem);
}

static inline lrd_asset texture_of(world *self)
{
	return kit_find(&self->kit, LRD_TEXTURE, texture_stem);
}

// --- What must hold after each call ---

static inline bool is_there(lrd_state state)
{
	return state == LRD_READY || state == LRD_RELOAD_PENDING;
}

static inline void check_named(const lrd_store *store, const lrd_payload *payload)
{
	for (size_t i = 0; payload->holding && i < payload->dependency_count; i++)
	{
		const lrd_record *named = lrd_record_of(store, payload->dependencies[i].asset);
		assert_non_null(named);
		lrd_state state = lrd_word_state(lrd_record_word(named));
		bool failed = lrd_rest_at(store, payload->dependencies[i].asset.index)->failure != NULL; // and is tried again
		assert_true(is_there(state) || failed);
	}
}

static inline void check_record(const lrd_store *store, uint32_t index)
{
	const lrd_record *record = lrd_record_at(store, index);
	lrd_state state = lrd_word_state(lrd_record_word(record));
	const lrd_payload *payload = lrd_record_payload(record);
	assert_int_equal(payload != NULL, is_there(state));
	assert_int_equal(
		record->request != NULL, state == LRD_QUEUED || state == LRD_LOADING || state == LRD_RELOAD_PENDING);
	bool idle = state == LRD_READY && !lrd_record_held(store, index);
	assert_int_equal(lrd_park_has(store, index), idle);
	const lrd_payload *elders = lrd_rest_at(store, index)->elders;
	uint32_t readers = lrd_word_references(lrd_record_word(record)) + lrd_rest_at(store, index)->pins;
	assert_true(elders == NULL || (elders->stale != 0 && elders->stale <= readers));
	assert_int_equal((lrd_record_word(record) & LRD_WORD_ELDERS) != 0, elders != NULL);
	if (state == LRD_READY)
	{
		check_named(store, payload);
	}
}

static inline void check_tickets(const lrd_store *store)
{
	const lrd_ticket_table *table = store->tickets;
	for (size_t i = 0; table != NULL && i < table->count; i++)
	{
		const lrd_ticket_row *row = table->rows[i];
		for (uint32_t at = 0; row->open && !row->told.complete && at < row->required; at++)
		{
			const lrd_requirement *requirement = lrd_ticket_requirement(row, at);
			const lrd_record *record = lrd_record_of(store, requirement->asset);
			bool loads = record != NULL && record->request != NULL && !record->request->abandoned;
			bool settled = record != NULL && lrd_state_is_settled(lrd_word_state(lrd_record_word(record)));
			assert_false(loads && requirement->arrived);
			assert_true(requirement->arrived || (record != NULL && !settled));
		}
	}
}

static inline void check_references(world *self)
{
	const lrd_store *store = self->kit.store;
	uint32_t held = self->closing + (self->keeper.store != NULL ? 1 : 0), counted = 0;
	for (uint32_t i = 0; i < ACTORS; i++)
	{
		held += self->held[i].generation != 0;
		held += self->holds[i].store != NULL;
	}
	for (uint32_t i = 0; i < atomic_load(&store->record_count); i++)
	{
		counted += lrd_word_references(lrd_record_word(lrd_record_at(store, i)));
		if (lrd_record_at(store, i)->stem != NULL)
		{
			check_record(store, i);
		}
	}
	assert_int_equal(counted, held);
	check_tickets(store);
}

// --- States ---

// The finalizer of splitmix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
static inline void add(uint64_t *digest, uint64_t value)
{
	value = (*digest ^ value) + 0x9E3779B97F4A7C15u;
	value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9u;
	value = (value ^ (value >> 27)) * 0x94D049BB133111EBu;
	*digest = value ^ (value >> 31);
}

static inline void add_asset(uint64_t *digest, lrd_asset asset)
{
	add(digest, (uint64_t)asset.generation << 32 | asset.index);
}

static inline void add_payload(uint64_t *digest, const lrd_payload *payload)
{
	for (; payload != NULL; payload = payload->elder)
	{
		add(digest, (uint64_t)payload->generation << 32 | payload->record);
		add(digest, payload->content.bytes.size);
		add(digest, (uint64_t)payload->stale << 32 | payload->replaced);
		add(digest, payload->holding);
		for (size_t i = 0; i < payload->dependency_count; i++)
		{
			add_asset(digest, payload->dependencies[i].asset);
			add(digest, payload->dependencies[i].waiter.link != NULL);
		}
	}
	add(digest, 0);
}

static inline void add_request(uint64_t *digest, const lrd_store *store, const lrd_request *request)
{
	add(digest, request != NULL);
	if (request != NULL)
	{
		add(digest, request->phase);
		add(digest, request->receipt == lrd_rest_at(store, request->record)->receipt);
		add(digest, request->abandoned);
		add(digest, request->touch);
		add(digest, request->touching);
		add(digest, request->absent);
		add(digest, store->queue.root == request);
		add(digest, request->pending);
		add_payload(digest, request->payload);
	}
}

static inline void add_record(uint64_t *digest, const lrd_store *store, uint32_t index)
{
	const lrd_record *record = lrd_record_at(store, index);
	const lrd_record_rest *rest = lrd_rest_at(store, index);
	add(digest, lrd_record_word(record));
	add(digest, (uint64_t)record->generation << 32 | record->events);
	add(digest, record->kind);
	add(digest, (uint64_t)record->inner << 32 | rest->pins);
	add(digest, (uint64_t)record->older << 32 | rest->payloads);
	add(digest, lrd_park_has(store, index));
	add(digest, rest->absent_epoch == store->mounts.epoch);
	add_payload(digest, lrd_record_payload(record));
	add_payload(digest, rest->elders);
	add_request(digest, store, record->request);
}

static inline void add_tickets(uint64_t *digest, const lrd_store *store)
{
	const lrd_ticket_table *table = store->tickets;
	for (size_t i = 0; table != NULL && i < table->count; i++)
	{
		const lrd_ticket_row *row = table->rows[i];
		add(digest, (uint64_t)row->generation << 32 | row->open);
		add(digest, row->sealed);
		add(digest, row->told.complete);
		add(digest, row->mail_link != NULL);
		for (uint32_t at = 0; row->open && at < row->required; at++)
		{
			const lrd_requirement *requirement = lrd_ticket_requirement(row, at);
			add_asset(digest, requirement->asset);
			add(digest, (uint64_t)requirement->outcome << 1 | requirement->arrived);
			add(digest, requirement->in_news);
			add(digest, requirement->waiter.link != NULL);
		}
	}
}

static inline void add_actor(uint64_t *digest, const world *self, uint32_t actor)
{
	const lrd_hold *hold = &self->holds[actor];
	const ticket_told *told = &self->tickets[actor];
	add(digest, self->at[actor]);
	add_asset(digest, self->held[actor]);
	add_asset(digest, self->pinned[actor]);
	add(digest, hold->store != NULL ? (uint64_t)hold->seen << 32 | hold->asset.generation : 0);
	add(digest, (uint64_t)told->ticket.generation << 32 | told->times);
	add(digest, told->sealed);
}

static inline uint64_t hash_of(const world *self)
{
	const lrd_store *store = self->kit.store;
	uint64_t digest = 0;
	for (uint32_t i = 0; i < atomic_load(&store->record_count); i++)
	{
		add_record(&digest, store, i);
	}
	add_tickets(&digest, store);
	for (uint32_t i = 0; i < ACTORS; i++)
	{
		add_actor(&digest, self, i);
	}
	for (const decode *at = self->decode; at != NULL; at = at->outer)
	{
		add(&digest, (uint64_t)at->request->record << 32 | at->allocations);
		add(&digest, at->request->origin.size);
		add(&digest, self->runs);
	}
	add(&digest, (uint64_t)store->free_record << 32 | store->attention);
	add(&digest, self->mounted);
	add(&digest, lrd_mounts_size(&store->mounts, LRD_TEXTURE, lrd_string_from(texture_stem)));
	add(&digest, store->park.keep);
	add_payload(&digest, store->limbo);
	return digest != 0 ? digest : 1;
}

static inline bool put_hash(uint64_t *slots, size_t capacity, uint64_t hash)
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

// True: it is new.
static inline bool note_state(world *self)
{
	if (self->seen_count * 2 >= self->seen_capacity)
	{
		size_t capacity = self->seen_capacity != 0 ? self->seen_capacity * 2 : 256;
		uint64_t *slots = calloc(capacity, sizeof *slots);
		assert_non_null(slots);
		for (size_t i = 0; i < self->seen_capacity; i++)
		{
			if (self->seen[i] != 0)
			{
				put_hash(slots, capacity, self->seen[i]);
			}
		}
		free(self->seen);
		self->seen = slots;
		self->seen_capacity = capacity;
	}
	bool is_new = put_hash(self->seen, self->seen_capacity, hash_of(self));
	self->seen_count += is_new;
	self->states += is_new;
	return is_new;
}

// --- Choices ---

// One of `count` ways; the first where an order is cut short.
static inline uint32_t choose(world *self, uint32_t count)
{
	bool is_new = self->next == self->count;
	if (self->pruned || (is_new && !note_state(self)))
	{
		self->pruned = true;
		return 0;
	}
	assert_true(self->next < CHOICES);
	uint32_t at = self->next++;
	if (is_new)
	{
		self->taken[at] = 0;
		self->of[at] = (uint8_t)count;
		self->count = self->next;
	}
	return self->taken[at];
}

static inline bool next_order(world *self)
{
	self->count = self->next;
	self->next = 0;
	while (self->count > 0)
	{
		if (++self->taken[self->count - 1] < self->of[self->count - 1])
		{
			return true;
		}
		self->count--;
	}
	return false;
}

// --- Reading ---

static atomic_uint sink;

static inline void read_bytes(lrd_bytes bytes)
{
	uint32_t sum = 0;
	for (size_t i = 0; i < bytes.size; i++)
	{
		sum = sum * 31 + ((const uint8_t *)bytes.data)[i];
	}
	atomic_fetch_add(&sink, sum);
}

static inline void read_texture(const lrd_texture *texture)
{
	if (texture != NULL)
	{
		read_bytes((lrd_bytes){ texture->view.levels[0].data, (size_t)texture->view.levels[0].size });
	}
}

// Whatever anybody may still read: AddressSanitizer sees when it may not.
static inline void read_everything(const world *self)
{
	for (uint32_t i = 0; i < ACTORS; i++)
	{
		if (self->material[i] != NULL)
		{
			read_bytes((lrd_bytes){ self->material[i]->view.strings.data, self->material[i]->view.strings.size });
		}
		read_texture(self->texture[i]);
		read_texture(self->through[i]);
	}
}

static inline void stop_reading(world *self, uint32_t actor)
{
	self->material[actor] = NULL;
	self->texture[actor] = NULL;
	self->through[actor] = NULL;
}

#endif

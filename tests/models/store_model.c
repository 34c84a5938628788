// tests/models/store_model.c: what the store does under its lock, in the order in which src/store does it.

#include "store_model.h"

#include <string.h>

static model_record *at(model *m, uint8_t record)
{
	return &m->s.records[record];
}

static model_payload *payload_at(model *m, uint8_t payload)
{
	return &m->s.payloads[payload - 1];
}

static void count_up(uint8_t *count, bool counts)
{
	*count = (uint8_t)(*count + counts);
}

// --- Looking ---

static uint8_t readers(model *m, uint8_t record)
{
	uint8_t pins = model_is(m, MUTATION_PINS_ARE_NO_READERS) ? 0 : at(m, record)->pins;
	return (uint8_t)(at(m, record)->references + pins);
}

bool model_is_held(const model *m, uint8_t record)
{
	const model_record *r = &m->s.records[record];
	return r->references != 0 || r->inner != 0 || r->pins != 0;
}

bool model_is_parked(const model *m, uint8_t record)
{
	return memchr(m->s.park, record, m->s.park_count) != NULL;
}

// What T holds is large: it alone is over a budget of 1.
uint8_t model_charge(const model *m, uint8_t record)
{
	return m->s.records[record].name == NAME_T + 1 ? 2 : 1;
}

bool model_is_valid(const model *m, uint8_t record, uint8_t generation)
{
	return record < m->s.record_count && (generation & 1) != 0 && m->s.records[record].generation == generation;
}

bool model_is_on_its_way(const model *m, uint8_t record)
{
	return m->s.records[record].state == STATE_QUEUED || m->s.records[record].state == STATE_LOADING;
}

bool model_is_settled(uint8_t state)
{
	return state == STATE_READY || state == STATE_FAILED;
}

void model_set_state(model *m, uint8_t record, model_record_state state)
{
	model_pause(m);
	at(m, record)->state = (uint8_t)state;
}

void model_wake(model *m)
{
	for (uint32_t i = 0; i < THREADS; i++)
	{
		m->s.actors[i].sleeping = 0;
	}
}

// --- Leases, and freeing ---

void model_lease(model *m, int change)
{
	m->s.leases = (uint8_t)(m->s.leases + change);
	if (m->s.leases == 0 || (model_is(m, MUTATION_UNMOUNT_CLOSES_AT_ONCE) && m->s.unmounted))
	{
		m->s.closed = 1;
	}
}

static void check_readers(model *m, uint8_t bit)
{
	for (uint32_t i = 0; i < THREADS; i++)
	{
		const model_actor *actor = &m->s.actors[i];
		uint8_t read = actor->through;
		for (uint32_t name = 0; name < NAMES; name++)
		{
			read |= actor->refs[name].got | actor->pins[name].got;
		}
		if ((read & bit) != 0)
		{
			model_break(m, "no payload is freed under a reader");
		}
	}
}

// As early as can be: the store frees when it has let go of the lock.
void model_free(model *m, uint8_t payload)
{
	if (!payload_at(m, payload)->alive)
	{
		model_break(m, "no payload is freed twice");
		return;
	}
	check_readers(m, model_bit(payload - 1u));
	*payload_at(m, payload) = (model_payload){ 0 };
	model_lease(m, model_is(m, MUTATION_PAYLOADS_TAKE_NO_LEASE) ? 0 : -1);
}

void model_let_go(model *m, uint8_t payload)
{
	model_payload *p = payload_at(m, payload);
	if (!p->holding)
	{
		return;
	}
	p->holding = 0;
	uint8_t named = p->names - 1;
	if (!model_is(m, MUTATION_WAITERS_OUTLIVE_THEIR_LOAD) && at(m, p->record)->decoded == payload)
	{
		at(m, named)->waiters &= (uint8_t)~model_bit(4u + p->record);
	}
	if (!model_is(m, MUTATION_NAMED_IS_NOT_HELD))
	{
		model_drop(m, named, HOLDER_PAYLOAD);
	}
}

static void doom(model *m, uint8_t payload)
{
	model_let_go(m, payload);
	model_free(m, payload);
}

// --- Old payloads ---

void model_trim_elders(model *m, uint8_t record)
{
	model_record *r = at(m, record);
	if (r->elders == 0)
	{
		return;
	}
	model_pause(m);
	uint8_t most = readers(m, record);
	model_payload *newest = payload_at(m, r->elders);
	newest->stale = newest->stale < most ? newest->stale : most;
	if (newest->stale != 0)
	{
		return;
	}
	model_pause(m);
	r->elders_flag = 0;
	uint8_t elder = r->elders;
	r->elders = 0;
	while (elder != 0)
	{
		uint8_t next = payload_at(m, elder)->elder;
		if (r->inner != 0 && !model_is(m, MUTATION_OWNER_READS_THROUGH_NOTHING))
		{
			payload_at(m, elder)->limbo = 1;
			payload_at(m, elder)->elder = 0;
			m->s.attention |= ATTENTION_LIMBO;
		}
		else
		{
			doom(m, elder);
		}
		elder = next;
	}
}

void model_clear_limbo(model *m)
{
	for (uint8_t i = 1; i <= PAYLOADS; i++)
	{
		if (payload_at(m, i)->limbo)
		{
			doom(m, i);
		}
	}
}

static void become_elder(model *m, uint8_t record, uint8_t payload)
{
	model_record *r = at(m, record);
	model_payload *p = payload_at(m, payload);
	if (model_is(m, MUTATION_SWAP_FREES_THE_OLD))
	{
		doom(m, payload);
		return;
	}
	p->elder = r->elders;
	if (!model_is(m, MUTATION_FLAG_BEFORE_POINTER))
	{
		model_pause(m);
		r->elders_flag = 1;
		model_pause(m);
		p->stale = readers(m, record);
	}
	p->replaced = r->payloads;
	r->elders = payload;
	model_trim_elders(m, record);
}

static void flag_early(model *m, uint8_t record, uint8_t old)
{
	if (model_is(m, MUTATION_FLAG_BEFORE_POINTER))
	{
		model_pause(m);
		at(m, record)->elders_flag = 1;
		payload_at(m, old)->stale = readers(m, record);
	}
}

static void withdraw(model *m, uint8_t record)
{
	model_record *r = at(m, record);
	uint8_t payload = r->payload;
	flag_early(m, record, payload);
	model_pause(m);
	r->withdrawing = 1;
	r->payload = 0;
	model_pause(m);
	r->payloads++;
	become_elder(m, record, payload);
}

void model_swap(model *m, uint8_t record, uint8_t payload)
{
	model_record *r = at(m, record);
	uint8_t old = r->payload;
	flag_early(m, record, old);
	model_pause(m);
	r->payload = payload;
	model_pause(m);
	count_up(&r->payloads, !model_is(m, MUTATION_NUMBER_BEFORE_POINTER));
	become_elder(m, record, old);
}

void model_renew(model *m, uint8_t record, uint8_t *seen)
{
	model_record *r = at(m, record);
	uint8_t newest = r->payloads;
	if (r->elders != 0 && (*seen < payload_at(m, r->elders)->replaced || model_is(m, MUTATION_RENEW_COUNTS_EVERYBODY)))
	{
		model_payload *elder = payload_at(m, r->elders);
		elder->stale = (uint8_t)(elder->stale - (elder->stale != 0));
		model_trim_elders(m, record);
	}
	*seen = model_is(m, MUTATION_RENEW_FORGETS_WHAT_IT_SAW) ? *seen : newest;
}

// --- Parking ---

static void unpark(model *m, uint8_t record)
{
	uint8_t kept = 0;
	for (uint8_t i = 0; i < m->s.park_count; i++)
	{
		if (m->s.park[i] != record)
		{
			m->s.park[kept++] = m->s.park[i];
		}
	}
	memset(m->s.park + kept, 0, sizeof m->s.park - kept);
	m->s.park_count = kept;
}

static void lose_payload(model *m, uint8_t record)
{
	model_record *r = at(m, record);
	uint8_t payload = r->payload;
	model_pause(m);
	r->withdrawing = 1;
	r->payload = 0;
	model_set_state(m, record, STATE_ABSENT);
	r->withdrawing = 0;
	doom(m, payload);
}

void model_trim_park(model *m)
{
	for (;;)
	{
		uint32_t bytes = 0;
		for (uint8_t i = 0; i < m->s.park_count; i++)
		{
			bytes += model_charge(m, m->s.park[i]);
		}
		if (bytes <= m->s.keep)
		{
			return;
		}
		uint8_t oldest = m->s.park[0];
		unpark(m, oldest);
		lose_payload(m, oldest);
	}
}

static void park(model *m, uint8_t record)
{
	if (model_charge(m, record) > m->s.keep)
	{
		lose_payload(m, record);
		return;
	}
	m->s.park[m->s.park_count++] = record;
	model_let_go(m, at(m, record)->payload);
	model_trim_park(m);
}

// --- References ---

static bool is_whole(const model *m, uint8_t payload)
{
	const model_payload *p = &m->s.payloads[payload - 1];
	if (p->names == 0 || model_is(m, MUTATION_PARKED_COMES_BACK_WITHOUT_WHAT_IT_NAMES))
	{
		return true;
	}
	const model_record *r = &m->s.records[p->names - 1];
	return model_is_valid(m, p->names - 1, p->names_generation) &&
		   (r->state == STATE_READY || r->state == STATE_RELOAD_PENDING ||
			   (r->state == STATE_FAILED && r->known_absent));
}

bool model_hold(model *m, uint8_t payload)
{
	model_payload *p = payload_at(m, payload);
	if (p->names != 0 && !p->holding)
	{
		p->holding = 1;
		return model_is(m, MUTATION_NAMED_IS_NOT_HELD) || model_add(m, p->names - 1, HOLDER_PAYLOAD);
	}
	return true;
}

static bool resurrect(model *m, uint8_t record)
{
	uint8_t payload = at(m, record)->payload;
	if (!is_whole(m, payload))
	{
		model_load_queue(m, record);
		unpark(m, record);
		lose_payload(m, record);
		model_set_state(m, record, STATE_QUEUED);
		return true;
	}
	model_hold(m, payload);
	model_payload *p = payload_at(m, payload);
	p->broken = p->names != 0 && at(m, p->names - 1)->state == STATE_FAILED;
	if (!model_is(m, MUTATION_PARKED_STAYS_IN_THE_QUEUE))
	{
		unpark(m, record);
	}
	return true;
}

bool model_add(model *m, uint8_t record, model_holder holder)
{
	model_record *r = at(m, record);
	bool absent = r->known_absent && !model_is(m, MUTATION_ABSENT_IS_FORGOTTEN);
	if (r->phase != PHASE_NONE)
	{
		model_hurry(m, record);
	}
	else if (r->state == STATE_READY)
	{
		if (model_is_parked(m, record))
		{
			resurrect(m, record);
		}
	}
	else if (r->state == STATE_ABSENT || !absent)
	{
		model_load_queue(m, record);
	}
	if (holder == HOLDER_USER)
	{
		model_pause(m);
	}
	count_up(&r->references, holder == HOLDER_USER);
	count_up(&r->inner, holder == HOLDER_PAYLOAD);
	count_up(&r->pins, holder == HOLDER_PIN);
	return true;
}

static void last_reference_gone(model *m, uint8_t record)
{
	model_record *r = at(m, record);
	uint8_t state = r->state;
	if (state == STATE_READY)
	{
		park(m, record);
		return;
	}
	if (r->phase == PHASE_NONE)
	{
		return;
	}
	bool runs = model_load_drop(m, record);
	if (state == STATE_RELOAD_PENDING)
	{
		withdraw(m, record);
	}
	model_set_state(m, record, runs ? STATE_LOADING : STATE_ABSENT);
	r->withdrawing = 0;
	if (!model_is(m, MUTATION_RELEASE_TELLS_NOBODY))
	{
		model_settle(m, record, OUTCOME_CANCELLED);
	}
}

void model_drop(model *m, uint8_t record, model_holder holder)
{
	model_record *r = at(m, record);
	if (holder == HOLDER_USER)
	{
		model_pause(m);
	}
	uint8_t *count = holder == HOLDER_USER ? &r->references : holder == HOLDER_PIN ? &r->pins : &r->inner;
	if (*count == 0)
	{
		model_break(m, "no count falls below zero");
		return;
	}
	--*count;
	if (!model_is(m, MUTATION_DROP_LEAVES_ELDERS))
	{
		model_trim_elders(m, record);
	}
	model_pause(m);
	if (!model_is_held(m, record))
	{
		last_reference_gone(m, record);
	}
}

// --- Change ---

void model_reload(model *m, uint8_t record)
{
	model_record *r = at(m, record);
	count_up(&r->receipt, !model_is(m, MUTATION_RELOAD_DURING_RUN_IS_LOST));
	r->required = m->s.version[r->name - 1];
	r->known_absent = 0;
	bool is_held = model_is_held(m, record);
	if (r->phase != PHASE_NONE)
	{
		model_restart(m, record);
	}
	else if (r->state == STATE_READY && is_held)
	{
		model_load_queue(m, record);
	}
	else if (r->state == STATE_READY && !model_is(m, MUTATION_RELOAD_LEAVES_WHAT_IS_PARKED))
	{
		unpark(m, record);
		withdraw(m, record);
		model_set_state(m, record, STATE_ABSENT);
		r->withdrawing = 0;
	}
	else if (r->state == STATE_FAILED && is_held)
	{
		model_load_queue(m, record);
	}
}

static void unload(model *m, uint8_t record)
{
	model_record *r = at(m, record);
	r->receipt++;
	r->known_absent = 0; // whoever asks next asks anew
	bool runs = r->phase != PHASE_NONE && model_load_drop(m, record);
	bool was_on_its_way = !model_is_settled(r->state) && r->state != STATE_ABSENT;
	unpark(m, record);
	if (r->payload != 0)
	{
		withdraw(m, record);
	}
	model_set_state(m, record, runs ? STATE_LOADING : STATE_ABSENT);
	r->withdrawing = 0;
	if (was_on_its_way && !model_is(m, MUTATION_UNLOAD_TELLS_NOBODY))
	{
		model_settle(m, record, OUTCOME_CANCELLED);
	}
}

void model_unload_all(model *m)
{
	for (uint32_t i = 0; i < THREADS; i++)
	{
		for (uint32_t name = 0; name < NAMES; name++)
		{
			m->s.actors[i].refs[name].wants = 0;
			m->s.actors[i].pins[name].wants = 0;
		}
	}
	for (uint8_t i = 0; i < m->s.record_count; i++)
	{
		if (at(m, i)->name != 0)
		{
			unload(m, i);
		}
	}
}

// --- Identities ---

uint8_t model_find(model *m, uint8_t name)
{
	uint8_t free = NONE;
	for (uint8_t i = 0; i < m->s.record_count; i++)
	{
		if (at(m, i)->name == name + 1)
		{
			return i;
		}
		free = at(m, i)->name == 0 ? i : free;
	}
	free = free == NONE ? m->s.record_count : free;
	model_pause(m);
	at(m, free)->name = name + 1;
	at(m, free)->required = m->s.version[name];
	at(m, free)->generation++;
	m->s.record_count = m->s.record_count > free ? m->s.record_count : free + 1;
	return free;
}

bool model_forget(model *m, uint8_t record, uint8_t generation)
{
	model_record *r = at(m, record);
	bool is_held =
		model_is(m, MUTATION_FORGET_WHAT_PAYLOADS_HOLD) ? r->references != 0 || r->pins != 0 : model_is_held(m, record);
	if (!model_is_valid(m, record, generation) || is_held ||
		(r->phase != PHASE_NONE && !model_is(m, MUTATION_FORGET_WHAT_IS_LOADED)))
	{
		return false;
	}
	model_forget_waiters(m, record);
	if (model_is_parked(m, record))
	{
		unpark(m, record);
		uint8_t payload = r->payload;
		model_pause(m);
		r->payload = 0;
		doom(m, payload);
	}
	uint8_t next = r->generation + 1;
	model_pause(m);
	*r = (model_record){ .generation = r->generation };
	model_pause(m);
	r->generation = next;
	return true;
}

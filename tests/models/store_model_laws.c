// tests/models/store_model_laws.c: what must hold in every state in which nobody has the lock, and what must hold at the end.

#include "store_model.h"

#include <string.h>

static void demand(model *m, bool holds, const char *law)
{
	if (!holds)
	{
		model_break(m, law);
	}
}

// --- Records ---

static bool is_there(uint8_t state)
{
	return state == STATE_READY || state == STATE_RELOAD_PENDING;
}

static void check_state(model *m, const model_record *r)
{
	bool request = r->phase != PHASE_NONE;
	bool payload = r->payload != 0;
	bool agrees = false;
	switch (r->state)
	{
	case STATE_ABSENT:
	case STATE_FAILED: agrees = !request && !payload; break;
	case STATE_QUEUED: agrees = r->phase == PHASE_QUEUED && !payload; break;
	case STATE_LOADING: agrees = request && r->phase != PHASE_QUEUED && !payload; break;
	case STATE_READY: agrees = !request && payload; break;
	case STATE_RELOAD_PENDING: agrees = request && payload && !r->abandoned; break;
	default: break;
	}
	demand(m, agrees, "state, request and payload of a record agree");
	demand(m, (r->phase == PHASE_NAMED) == (r->decoded != 0), "what is decoded belongs to a load that waits");
	demand(m, r->phase != PHASE_NAMED || r->pending != 0, "a load that waits waits for something");
	demand(m, !r->abandoned || r->phase == PHASE_RUNNING, "only what runs is abandoned");
	demand(m, !r->withdrawing, "nothing is withdrawn by halves");
}

static uint32_t count_references(const model *m, uint8_t record, uint8_t generation)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < THREADS; i++)
	{
		const model_actor *actor = &m->s.actors[i];
		count += actor->stray == record + 1;
		for (uint32_t name = 0; name < NAMES; name++)
		{
			count += actor->refs[name].held && actor->index[name] == record && actor->generation[name] == generation;
		}
	}
	return count;
}

static uint32_t count_pins(const model *m, uint8_t record, uint8_t generation)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < THREADS; i++)
	{
		const model_actor *actor = &m->s.actors[i];
		for (uint32_t name = 0; name < NAMES; name++)
		{
			count += actor->pins[name].held && actor->index[name] == record && actor->generation[name] == generation;
		}
	}
	return count;
}

static uint32_t count_inner(const model *m, uint8_t record, uint8_t generation)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < PAYLOADS; i++)
	{
		const model_payload *p = &m->s.payloads[i];
		count += p->alive && p->holding && p->names == record + 1 && p->names_generation == generation;
	}
	return count;
}

static void check_counts(model *m, uint8_t record)
{
	const model_record *r = &m->s.records[record];
	demand(m, r->references == count_references(m, record, r->generation), "references are those that are held");
	demand(m, r->pins == count_pins(m, record, r->generation), "pins are those that were made");
	demand(m, r->inner == count_inner(m, record, r->generation), "payloads hold what they name");
	bool parked = model_is_parked(m, record);
	bool idle = r->state == STATE_READY && !model_is_held(m, record);
	demand(m, parked == idle, "what is ready and not held is parked, and nothing else");
	demand(m, (r->elders != 0) == (r->elders_flag != 0), "the flag says whether old payloads live");
	if (r->elders != 0)
	{
		const model_payload *elder = &m->s.payloads[r->elders - 1];
		demand(m, elder->stale != 0 && elder->stale <= r->references + r->pins, "old payloads live for readers");
	}
}

static void check_named(model *m, const model_record *r)
{
	if (r->state != STATE_READY || r->payload == 0)
	{
		return;
	}
	const model_payload *p = &m->s.payloads[r->payload - 1];
	demand(m, p->version >= r->required, "what changed is not ready as it was");
	bool named_is_there = p->names == 0 || is_there(m->s.records[p->names - 1].state);
	demand(m, !p->holding || p->broken || named_is_there, "what is ready is ready with everything it names");
}

static void check_record(model *m, uint8_t record)
{
	const model_record *r = &m->s.records[record];
	if (r->name == 0)
	{
		const model_record free = { .generation = r->generation };
		demand(m, memcmp(r, &free, sizeof free) == 0, "nothing is left of what was forgotten");
		return;
	}
	check_state(m, r);
	check_counts(m, record);
	check_named(m, r);
	for (uint32_t i = 0; i < RECORDS; i++)
	{
		bool waits = (r->waiters & model_bit(4 + i)) != 0;
		const model_record *other = &m->s.records[i];
		demand(m, !waits || (other->phase == PHASE_NAMED && m->s.payloads[other->decoded - 1].names == record + 1),
			"who waits for a record is there");
		demand(m, !waits || r->phase != PHASE_NONE, "what is waited for is on its way");
	}
}

// --- Payloads ---

static uint32_t count_places(const model *m, uint8_t payload)
{
	const model_payload *p = &m->s.payloads[payload - 1];
	const model_record *r = &m->s.records[p->record];
	uint32_t places = (uint32_t)(r->payload == payload) + (r->decoded == payload) + p->limbo;
	uint32_t left = PAYLOADS;
	for (uint8_t elder = r->elders; elder != 0 && left-- > 0; elder = m->s.payloads[elder - 1].elder)
	{
		places += elder == payload;
	}
	for (uint32_t i = 0; i < ACTORS; i++)
	{
		places += m->s.actors[i].run.payload == payload;
	}
	return places;
}

static void check_payloads(model *m)
{
	uint32_t alive = 0;
	uint32_t leases = !m->s.unmounted;
	for (uint8_t i = 1; i <= PAYLOADS; i++)
	{
		if (m->s.payloads[i - 1].alive)
		{
			alive++;
			demand(m, count_places(m, i) == 1, "each payload is in one place: none is lost, none is shared");
		}
	}
	for (uint32_t i = 0; i < RECORDS; i++)
	{
		uint8_t payload = m->s.records[i].payload;
		demand(m, payload == 0 || m->s.payloads[payload - 1].alive, "no record leads to a freed payload");
	}
	leases += alive;
	for (uint32_t i = 0; i < ACTORS; i++)
	{
		leases += m->s.actors[i].run.lease;
	}
	demand(m, !m->s.closed || leases == 0, "unmounting destroys no payload: the mapping goes with the last");
	demand(m, m->s.leases == leases, "leases are those that were taken");
}

// --- Tickets ---

static void check_ticket(model *m, uint32_t ticket)
{
	const model_ticket *t = &m->s.tickets[ticket];
	for (uint32_t i = 0; t->open && !t->complete && i < t->required; i++)
	{
		const model_record *r = &m->s.records[t->record[i]];
		bool same = r->generation == t->record_generation[i];
		bool arrived = (t->arrived & model_bit(i)) != 0;
		bool linked = same && (r->waiters & model_bit(ticket * REQUIREMENTS + i)) != 0;
		bool loading = r->phase != PHASE_NONE && !r->abandoned;
		demand(m, linked == same, "an open ticket is told what becomes of what it requires");
		demand(m, same || arrived, "a forgotten asset hangs nobody");
		demand(m, !same || !loading || !arrived, "what is loaded anew has to arrive again");
		demand(m, !same || arrived || !(r->state == STATE_READY || r->state == STATE_FAILED),
			"what has settled has arrived");
		demand(m, !same || loading || arrived || (t->promised & model_bit(i)) == 0,
			"whatever was on its way arrives: ready, failed or cancelled");
	}
}

static void check_linked(model *m, const model_record *r)
{
	for (uint32_t i = 0; i < TICKETS * REQUIREMENTS; i++)
	{
		const model_ticket *t = &m->s.tickets[i / REQUIREMENTS];
		bool linked = (r->waiters & model_bit(i)) != 0;
		demand(m, !linked || (t->open && !t->complete), "nothing leads to a ticket that has its answer");
	}
}

void model_check(model *m)
{
	for (uint8_t i = 0; i < RECORDS; i++)
	{
		check_record(m, i);
		check_linked(m, &m->s.records[i]);
	}
	check_payloads(m);
	for (uint32_t i = 0; i < TICKETS; i++)
	{
		check_ticket(m, i);
	}
}

// --- The end ---

static void check_threads_ended(model *m)
{
	for (uint32_t i = 0; i < THREADS; i++)
	{
		const model_actor *actor = &m->s.actors[i];
		demand(m, !actor->sleeping && actor->at >= m->programs[i].count, "nobody waits for ever");
		for (uint32_t name = 0; name < NAMES; name++)
		{
			bool wants = (actor->refs[name].held && actor->refs[name].wants) ||
						 (actor->pins[name].held && actor->pins[name].wants);
			demand(m, !wants || m->s.records[actor->index[name]].state != STATE_ABSENT,
				"what is asked for becomes ready, or fails");
		}
	}
}

static void check_answers(model *m)
{
	for (uint32_t i = 0; i < TICKETS; i++)
	{
		const model_ticket *t = &m->s.tickets[i];
		bool all = t->arrived == (1u << t->required) - 1;
		demand(m, !t->open || !t->sealed || t->complete || !all, "a ticket whose assets have arrived answers");
	}
}

static void run_frames(model *m)
{
	for (int steps = 0; m->broken == NULL && steps < 1000; steps++)
	{
		uint8_t actor = 0;
		while (actor < ACTORS && !model_is_able(m, actor))
		{
			actor++;
		}
		if (actor == ACTORS)
		{
			return;
		}
		model_step(m, actor);
	}
}

static void release_everything(model *m)
{
	m->choices = NULL;
	for (uint8_t i = 0; i < THREADS; i++)
	{
		m->programs[i].count = 0;
		m->s.actors[i].at = 0;
	}
	for (uint32_t i = 0; i < THREADS; i++)
	{
		model_actor *actor = &m->s.actors[i];
		actor->through = 0;
		for (uint32_t name = 0; name < NAMES; name++)
		{
			model_reference ref = actor->refs[name], pin = actor->pins[name];
			actor->refs[name] = actor->pins[name] = (model_reference){ 0 };
			if (ref.held)
			{
				model_drop(m, actor->index[name], HOLDER_USER);
			}
			if (pin.held)
			{
				model_drop(m, actor->index[name], HOLDER_PIN);
			}
		}
	}
	m->s.keep = 0;
	model_trim_park(m);
	run_frames(m);
}

void model_check_end(model *m)
{
	check_threads_ended(m);
	check_answers(m);
	for (uint32_t i = 0; i < RECORDS; i++)
	{
		demand(m, m->s.records[i].phase == PHASE_NONE, "every request ends");
	}
	if (m->broken != NULL)
	{
		return;
	}
	release_everything(m);
	for (uint32_t i = 0; i < PAYLOADS; i++)
	{
		demand(m, !m->s.payloads[i].alive, "after everything is released no payload is left");
	}
	demand(m, m->s.unmounted == m->s.closed, "a mount that is gone is closed in the end");
}

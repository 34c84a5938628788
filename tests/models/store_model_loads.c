// tests/models/store_model_loads.c: requests: queued, run, settled, as src/store/load.c does it under the lock.

#include "store_model.h"

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

// --- Requests ---

bool model_load_queue(model *m, uint8_t record)
{
	model_record *r = at(m, record);
	if (r->phase != PHASE_NONE)
	{
		model_break(m, "a record has one request at most");
	}
	r->phase = PHASE_QUEUED;
	model_wake(m);
	model_set_state(m, record, r->payload != 0 ? STATE_RELOAD_PENDING : STATE_QUEUED);
	if (!model_is(m, MUTATION_RELOAD_DOES_NOT_REARM))
	{
		model_rearm(m, record);
	}
	return true;
}

static void end_request(model *m, uint8_t record)
{
	model_record *r = at(m, record);
	if (r->phase == PHASE_NONE)
	{
		model_break(m, "each request ends exactly once");
	}
	r->phase = PHASE_NONE;
	r->began = r->abandoned = r->pending = r->broken = r->decoded = 0;
}

static void queue_again(model *m, uint8_t record)
{
	model_record *r = at(m, record);
	r->phase = PHASE_QUEUED;
	r->began = 0;
	if (!model_is(m, MUTATION_QUEUEING_AGAIN_WAKES_NOBODY))
	{
		model_wake(m);
	}
	model_set_state(m, record, r->payload != 0 ? STATE_RELOAD_PENDING : STATE_QUEUED);
}

void model_hurry(model *m, uint8_t record)
{
	model_record *r = at(m, record);
	if (r->abandoned)
	{
		r->abandoned = model_is(m, MUTATION_WANTED_AGAIN_AND_DISCARDED);
		if (!model_is(m, MUTATION_WANTED_AGAIN_DOES_NOT_REARM))
		{
			model_rearm(m, record);
		}
	}
}

static void doom_decoded(model *m, uint8_t record)
{
	model_record *r = at(m, record);
	uint8_t payload = r->decoded;
	model_let_go(m, payload);
	r->decoded = 0;
	r->pending = 0;
	r->broken = 0;
	model_free(m, payload);
}

// True: it runs, and its result will be discarded.
bool model_load_drop(model *m, uint8_t record)
{
	model_record *r = at(m, record);
	if (r->phase == PHASE_RUNNING && !model_is(m, MUTATION_DROP_ENDS_WHAT_RUNS))
	{
		r->abandoned = 1;
		return true;
	}
	if (r->phase == PHASE_NAMED)
	{
		doom_decoded(m, record);
	}
	end_request(m, record);
	return false;
}

void model_restart(model *m, uint8_t record)
{
	if (at(m, record)->phase == PHASE_NAMED && !model_is(m, MUTATION_RELOAD_LEAVES_WHAT_WAITS))
	{
		queue_again(m, record);
		doom_decoded(m, record);
	}
}

bool model_find_work(const model *m, uint8_t record, uint8_t *work)
{
	const model_record *r = &m->s.records[record];
	if (r->phase == PHASE_QUEUED)
	{
		*work = record;
		return true;
	}
	const model_payload *p = r->phase == PHASE_NAMED ? &m->s.payloads[r->decoded - 1] : NULL;
	bool waits = p != NULL && p->names != 0 && (m->s.records[p->names - 1].waiters & model_bit(4u + record)) != 0;
	return waits && model_find_work(m, p->names - 1, work);
}

// --- Settling ---

static void publish(model *m, uint8_t record);

static void settle_request(model *m, uint8_t request, model_outcome outcome)
{
	model_record *r = at(m, request);
	if (r->phase != PHASE_NAMED || r->pending == 0)
	{
		model_break(m, "only a load that waits is told that what it names has settled");
		return;
	}
	if (outcome == OUTCOME_CANCELLED && !model_is(m, MUTATION_CANCELLED_IS_AS_GOOD_AS_FAILED))
	{
		return;
	}
	count_up(&r->broken, outcome != OUTCOME_READY);
	if (--r->pending == 0)
	{
		publish(m, request);
	}
}

void model_settle(model *m, uint8_t record, model_outcome outcome)
{
	uint8_t waiting = at(m, record)->waiters;
	for (uint8_t i = 0; i < 8; i++)
	{
		if ((waiting & at(m, record)->waiters & model_bit(i)) == 0)
		{
			continue;
		}
		if (i < 4)
		{
			model_arrived(m, record, i, outcome);
			continue;
		}
		at(m, record)->waiters &= (uint8_t)~model_bit(i);
		settle_request(m, i - 4, outcome);
	}
	if (!model_is(m, MUTATION_SETTLING_WAKES_NOBODY))
	{
		model_wake(m);
	}
}

static void check_named(model *m, uint8_t payload)
{
	const model_payload *p = payload_at(m, payload);
	uint8_t state = p->names != 0 ? at(m, p->names - 1)->state : STATE_READY;
	if (!model_is_settled(state) && state != STATE_RELOAD_PENDING)
	{
		model_break(m, "a payload is ready when all that it names has settled");
	}
}

static void publish(model *m, uint8_t record)
{
	model_record *r = at(m, record);
	uint8_t payload = r->decoded;
	model_payload *p = payload_at(m, payload);
	if (p->version < r->required)
	{
		model_break(m, "a decode finished after its reload never becomes visible");
	}
	check_named(m, payload);
	p->number = r->payloads + 1;
	p->broken = r->broken;
	end_request(m, record);
	if (model_is(m, MUTATION_NUMBER_BEFORE_POINTER))
	{
		model_pause(m);
		r->payloads++;
	}
	bool replaces = r->payload != 0;
	if (model_is(m, MUTATION_READY_BEFORE_POINTER))
	{
		model_set_state(m, record, STATE_READY);
	}
	if (replaces)
	{
		model_swap(m, record, payload);
	}
	else
	{
		model_pause(m);
		r->payload = payload;
		model_pause(m);
		count_up(&r->payloads, !model_is(m, MUTATION_NUMBER_BEFORE_POINTER));
	}
	model_set_state(m, record, STATE_READY);
	model_settle(m, record, OUTCOME_READY);
}

static void fail(model *m, uint8_t record, const model_run *run)
{
	model_record *r = at(m, record);
	if (run->version < r->required)
	{
		model_break(m, "a stale failure does not overwrite what is newer");
	}
	end_request(m, record);
	bool keeps = r->payload != 0 && !model_is(m, MUTATION_FAILED_RELOAD_LOSES_THE_OLD);
	r->known_absent = run->absent && run->epoch == m->s.unmounted && !keeps;
	r->required = keeps ? payload_at(m, r->payload)->version : r->required; // the old one stays
	model_set_state(m, record, keeps ? STATE_READY : STATE_FAILED);
	model_settle(m, record, keeps ? OUTCOME_READY : OUTCOME_FAILED);
}

// --- Running ---

void model_look_up(model *m, model_run *run)
{
	uint8_t name = at(m, run->record)->name - 1;
	run->version = m->s.version[name];
	run->bad = m->s.bad[name];
	run->absent = m->s.absent[name] || m->s.unmounted;
	run->epoch = m->s.unmounted;
	run->lease = !run->absent;
	model_lease(m, run->lease && !model_is(m, MUTATION_LOOKING_UP_TAKES_NO_LEASE) ? 1 : 0);
}

// Out of the queue, and found in the mounts or not, in one go.
void model_take(model *m, model_run *run, uint8_t record)
{
	model_record *r = at(m, record);
	if (r->known_absent)
	{
		model_break(m, "an absent name is not probed again until a mount changes");
	}
	r->phase = PHASE_RUNNING;
	r->began = r->receipt;
	if (r->payload == 0)
	{
		model_set_state(m, record, STATE_LOADING);
	}
	*run = (model_run){ .stage = STAGE_DECODE, .record = record };
	model_look_up(m, run);
	run->stage = run->absent ? STAGE_LOOK_UP : STAGE_DECODE; // it may have come since the mounts were listed
}

// Finding what it names takes the lock; the rest is nobody else's business.
void model_decode(model *m, model_run *run)
{
	if (run->lease && m->s.closed)
	{
		model_break(m, "no mount is closed while somebody reads through it");
	}
	if (!run->absent && !run->bad)
	{
		uint8_t payload = 1;
		while (payload <= PAYLOADS && payload_at(m, payload)->alive)
		{
			payload++;
		}
		if (payload > PAYLOADS)
		{
			model_break(m, "the model has room for eight payloads");
			return;
		}
		model_payload *p = payload_at(m, payload);
		*p = (model_payload){ .alive = 1, .record = run->record, .version = run->version };
		if (m->names && at(m, run->record)->name == NAME_M + 1)
		{
			uint8_t named = model_find(m, NAME_T);
			p->names = named + 1;
			p->names_generation = at(m, named)->generation;
		}
		model_lease(m, model_is(m, MUTATION_PAYLOADS_TAKE_NO_LEASE) ? 0 : 1);
		run->payload = payload;
	}
	model_lease(m, run->lease && !model_is(m, MUTATION_LOOKING_UP_TAKES_NO_LEASE) ? -1 : 0);
	run->lease = 0;
}

static void wait_for_named(model *m, uint8_t record, uint8_t payload)
{
	model_record *r = at(m, record);
	model_hold(m, payload);
	r->decoded = payload;
	r->phase = PHASE_NAMED;
	const model_payload *p = payload_at(m, payload);
	if (p->names == 0)
	{
		return;
	}
	model_record *named = at(m, p->names - 1);
	if (model_is_on_its_way(m, p->names - 1) && !model_is(m, MUTATION_NAMED_IS_NOT_WAITED_FOR))
	{
		named->waiters |= model_bit(4u + record);
		r->pending++;
	}
	count_up(&r->broken, named->state == STATE_FAILED);
}

static bool is_stale(const model *m, const model_run *run)
{
	const model_record *r = &m->s.records[run->record];
	if (model_is(m, MUTATION_RECEIPTS_ARE_NOT_COMPARED) ||
		(model_is(m, MUTATION_STALE_FAILURE_COUNTS) && run->payload == 0))
	{
		return false;
	}
	const model_payload *p = run->payload != 0 ? &m->s.payloads[run->payload - 1] : NULL;
	bool names_stale = p != NULL && p->names != 0 && !model_is_valid(m, p->names - 1, p->names_generation) &&
					   !model_is(m, MUTATION_NAMED_IS_HELD_UNCHECKED);
	return r->began != r->receipt || names_stale;
}

void model_end_run(model *m, model_run *run)
{
	uint8_t record = run->record;
	model_record *r = at(m, record);
	if (r->phase != PHASE_RUNNING)
	{
		model_break(m, "each request ends exactly once");
		return;
	}
	bool unwanted = r->abandoned || !model_is_held(m, record);
	if (unwanted && !model_is(m, MUTATION_ABANDONED_IS_PUBLISHED))
	{
		end_request(m, record);
		if (run->payload != 0)
		{
			model_free(m, run->payload);
		}
		model_set_state(m, record, STATE_ABSENT);
		if (!model_is(m, MUTATION_DISCARDING_WAKES_NOBODY))
		{
			model_wake(m);
		}
		return;
	}
	if (is_stale(m, run))
	{
		queue_again(m, record);
		if (run->payload != 0)
		{
			model_free(m, run->payload);
		}
		return;
	}
	if (run->payload == 0)
	{
		fail(m, record, run);
		return;
	}
	wait_for_named(m, record, run->payload);
	if (r->pending == 0)
	{
		publish(m, record);
	}
	else if (!model_is(m, MUTATION_NAMING_WAKES_NOBODY))
	{
		model_wake(m);
	}
}

// tests/models/store_model_actors.c: what threads and workers do: their programs, cut into steps.
//
// A program is words of two letters: what, and with which of the assets M, T, U (or a number).
//   r retain   n retain, and wait for it   g get   h get T through M   w renew   x release   p pin   u unpin
//   c content is put   b bad content is put   a content is taken away   s says that content changed
//   f forget   F find   U- unload all   k0 keep parked   m- unmount   !- update
//   to open a ticket   qM require   ts seal   tc close   tw wait for it

#include "store_model.h"

#include <string.h>

// Where a thread is in what it does. Those up to MICRO_GOT need no lock.
enum
{
	MICRO_BEGIN,
	MICRO_COUNT_UP,
	MICRO_LOOK_AGAIN,
	MICRO_SEE,
	MICRO_LOOK,
	MICRO_COUNT_DOWN,
	MICRO_THROUGH,
	MICRO_RELEASE,
	MICRO_RENEW,
	LOCK_FREE,
	MICRO_ADD = LOCK_FREE,
	MICRO_GIVE_BACK,
	MICRO_WAIT,
	MICRO_DROP,
	MICRO_TELL_STORE,
	MICRO_FRAME,
	MICRO_DELIVER,
	MICRO_DELIVER_MORE,
	MICRO_CALLBACK,
};

static model_op op_of(const model *m, uint8_t actor)
{
	const model_program *program = &m->programs[actor];
	uint8_t at = m->s.actors[actor].at;
	return at < program->count ? program->ops[at] : (model_op){ 0, 0 };
}

// The owner goes on with its frames when its program is over.
static bool is_update(const model *m, uint8_t actor)
{
	return op_of(m, actor).what == '!' || (actor == 0 && m->s.actors[0].at >= m->programs[0].count);
}

static bool takes_lock_at_once(char what)
{
	return strchr("pucbasfFUkmqt", what) != NULL;
}

bool model_is_able(const model *m, uint8_t actor)
{
	const model_actor *a = &m->s.actors[actor];
	if (actor >= THREADS)
	{
		return a->run.stage != STAGE_IDLE;
	}
	if (a->sleeping)
	{
		return false;
	}
	bool over = a->at >= m->programs[actor].count;
	return !over || a->micro != MICRO_BEGIN || (actor == 0 && m->s.attention != 0);
}

bool model_is_lock_free(const model *m, uint8_t actor)
{
	const model_actor *a = &m->s.actors[actor];
	if (actor >= THREADS || a->run.stage != STAGE_IDLE || !model_is_able(m, actor))
	{
		return false;
	}
	return a->micro == MICRO_BEGIN ? is_update(m, actor) || !takes_lock_at_once(op_of(m, actor).what)
								   : a->micro < LOCK_FREE;
}

static void done(model_actor *a)
{
	a->at++;
	a->micro = MICRO_BEGIN;
	a->references = a->state = a->flag = 0;
}

static model_record *record_of(model *m, const model_actor *a, uint8_t name)
{
	return &m->s.records[a->index[name]];
}

static bool knows(const model *m, const model_actor *a, uint8_t name)
{
	return model_is_valid(m, a->index[name], a->generation[name]);
}

static void load_word(model *m, model_actor *a, uint8_t name)
{
	const model_record *r = record_of(m, a, name);
	a->references = r->references;
	a->state = r->state;
	a->flag = r->elders_flag;
}

static bool word_is_as_loaded(model *m, const model_actor *a, uint8_t name)
{
	const model_record *r = record_of(m, a, name);
	return a->references == r->references && a->state == r->state && a->flag == r->elders_flag;
}

// --- Retaining ---

static void choose_retain(const model *m, model_actor *a)
{
	bool resident = a->state == STATE_READY || a->state == STATE_RELOAD_PENDING;
	bool held = a->references != 0 || model_is(m, MUTATION_RETAIN_FROM_ZERO_WITHOUT_LOCK);
	a->micro = resident && held ? MICRO_COUNT_UP : MICRO_ADD;
}

static void take_hold(model_actor *a, uint8_t name)
{
	a->refs[name] = (model_reference){ .held = 1, .wants = 1 };
	a->stray = 0;
	a->micro = MICRO_SEE;
}

static void retain_step(model *m, model_actor *a, uint8_t name, char what)
{
	model_record *r = record_of(m, a, name);
	switch (a->micro)
	{
	case MICRO_BEGIN:
		if (a->refs[name].held || !knows(m, a, name))
		{
			done(a);
			return;
		}
		load_word(m, a, name);
		choose_retain(m, a);
		return;
	case MICRO_COUNT_UP:
		if (!word_is_as_loaded(m, a, name))
		{
			load_word(m, a, name);
			choose_retain(m, a);
			return;
		}
		r->references++;
		a->stray = a->index[name] + 1;
		a->micro = MICRO_LOOK_AGAIN;
		return;
	case MICRO_LOOK_AGAIN:
		if (r->generation == a->generation[name] || model_is(m, MUTATION_RETAIN_TRUSTS_A_STALE_ID))
		{
			take_hold(a, name);
			return;
		}
		a->micro = MICRO_GIVE_BACK;
		return;
	case MICRO_GIVE_BACK:
		a->stray = 0;
		model_drop(m, a->index[name], HOLDER_USER);
		a->micro = MICRO_ADD;
		return;
	case MICRO_ADD:
		if (!knows(m, a, name) || !model_add(m, a->index[name], HOLDER_USER))
		{
			done(a);
			return;
		}
		take_hold(a, name);
		return;
	default: // MICRO_SEE
		a->refs[name].seen = r->payloads;
		if (what == 'n')
		{
			a->micro = MICRO_LOOK;
			return;
		}
		done(a);
	}
}

static bool is_there(uint8_t state)
{
	return state == STATE_READY || state == STATE_RELOAD_PENDING;
}

// Do a part of what the record still needs; false: others are at all of it.
static bool help(model *m, model_actor *a, uint8_t record)
{
	uint8_t work;
	if (model_find_work(m, record, &work))
	{
		model_take(m, &a->run, work);
		return true;
	}
	return false;
}

static void retain_now_step(model *m, model_actor *a, uint8_t name)
{
	if (a->micro == MICRO_LOOK)
	{
		if (is_there(record_of(m, a, name)->state))
		{
			done(a);
			return;
		}
		a->micro = MICRO_WAIT;
		return;
	}
	if (model_is_on_its_way(m, a->index[name]))
	{
		a->sleeping = !help(m, a, a->index[name]);
		return;
	}
	if (is_there(record_of(m, a, name)->state))
	{
		done(a);
		return;
	}
	a->micro = MICRO_RELEASE;
}

// --- Releasing ---

static void choose_release(const model *m, model_actor *a)
{
	uint8_t least = model_is(m, MUTATION_RELEASE_TO_ZERO_WITHOUT_LOCK) ? 0 : 1;
	bool flag = a->flag && !model_is(m, MUTATION_RELEASE_IGNORES_ELDERS);
	a->micro = a->references > least && !flag ? MICRO_COUNT_DOWN : MICRO_DROP;
}

static void release_step(model *m, model_actor *a, uint8_t name)
{
	model_record *r = record_of(m, a, name);
	switch (a->micro)
	{
	case MICRO_BEGIN:
	case MICRO_RELEASE:
		if (!a->refs[name].held)
		{
			done(a);
			return;
		}
		a->refs[name].got = 0;
		a->through = name == NAME_M ? 0 : a->through;
		load_word(m, a, name);
		choose_release(m, a);
		return;
	case MICRO_COUNT_DOWN:
		if (!word_is_as_loaded(m, a, name))
		{
			load_word(m, a, name);
			choose_release(m, a);
			return;
		}
		r->references--;
		break;
	default: // MICRO_DROP
		a->refs[name] = (model_reference){ 0 };
		model_drop(m, a->index[name], HOLDER_USER);
	}
	a->refs[name] = (model_reference){ 0 };
	done(a);
}

static void renew_step(model *m, model_actor *a, uint8_t name)
{
	model_reference *ref = &a->refs[name];
	if (a->micro == MICRO_BEGIN)
	{
		// Nothing newer: it goes on with what it has.
		if (!ref->held || record_of(m, a, name)->payloads == ref->seen)
		{
			done(a);
			return;
		}
		ref->got = 0;
		a->through = name == NAME_M ? 0 : a->through;
		a->micro = MICRO_TELL_STORE;
		return;
	}
	if (ref->held)
	{
		model_renew(m, a->index[name], &ref->seen);
	}
	done(a);
}

// --- Reading ---

static model_reference *reading(model_actor *a, uint8_t name)
{
	return a->refs[name].held ? &a->refs[name] : a->pins[name].held ? &a->pins[name] : NULL;
}

static void get_step(model *m, model_actor *a, uint8_t name)
{
	const model_record *r = record_of(m, a, name);
	model_reference *ref = reading(a, name);
	if (ref != NULL && is_there(r->state))
	{
		if (r->payload == 0 && !r->withdrawing)
		{
			model_break(m, "what is ready has a payload");
		}
		else if (r->payload != 0)
		{
			ref->got |= model_bit(r->payload - 1u);
			if (ref == &a->refs[name] && m->s.payloads[r->payload - 1].number < ref->seen)
			{
				model_break(m, "who has seen a payload's number gets none that is older");
			}
		}
	}
	done(a);
}

static void through_step(model *m, model_actor *a)
{
	const model_record *r = record_of(m, a, NAME_M);
	if (a->micro == MICRO_BEGIN)
	{
		model_reference *ref = reading(a, NAME_M);
		if (ref == NULL || !is_there(r->state) || r->payload == 0 || m->s.payloads[r->payload - 1].names == 0)
		{
			done(a);
			return;
		}
		ref->got |= model_bit(r->payload - 1u);
		a->references = r->payload; // which it was
		a->micro = MICRO_THROUGH;
		return;
	}
	const model_payload *p = &m->s.payloads[a->references - 1];
	const model_record *named = &m->s.records[p->names - 1];
	if (model_is_valid(m, p->names - 1, p->names_generation) && is_there(named->state) && named->payload != 0)
	{
		a->through |= model_bit(named->payload - 1u);
	}
	done(a);
}

// --- All else, under the lock ---

static void put_content(model *m, char what, uint8_t name)
{
	m->s.version[name]++;
	m->s.bad[name] = what == 'b';
	m->s.absent[name] = what == 'a';
}

static void change_step(model *m, model_actor *a, model_op op)
{
	if (a->micro == MICRO_BEGIN && op.what != 's')
	{
		put_content(m, op.what, op.with);
		a->micro = MICRO_TELL_STORE;
		return;
	}
	for (uint8_t i = 0; i < m->s.record_count; i++)
	{
		if (m->s.records[i].name == op.with + 1)
		{
			model_reload(m, i);
		}
	}
	done(a);
}

static void pin_step(model *m, model_actor *a, model_op op)
{
	model_reference *pin = &a->pins[op.with];
	if (op.what == 'p' && !pin->held && knows(m, a, op.with))
	{
		model_add(m, a->index[op.with], HOLDER_PIN);
		*pin = (model_reference){ .held = 1, .wants = 1 };
	}
	else if (op.what == 'u' && pin->held)
	{
		*pin = (model_reference){ 0 };
		model_drop(m, a->index[op.with], HOLDER_PIN);
	}
	done(a);
}

// True: it is not over.
static bool ticket_wait(model *m, model_actor *a)
{
	const model_ticket *t = &m->s.tickets[a->ticket % TICKETS];
	bool valid = a->ticket < TICKETS && t->open && t->generation == a->ticket_generation && t->sealed;
	bool waits = false;
	for (uint8_t i = 0; valid && i < t->required; i++)
	{
		bool arrived = (t->arrived & model_bit(i)) != 0;
		if (!arrived && m->s.records[t->record[i]].phase == PHASE_NONE)
		{
			return false; // it may never come
		}
		if (!arrived && help(m, a, t->record[i]))
		{
			return true;
		}
		waits = waits || !arrived;
	}
	a->sleeping = waits;
	return waits;
}

static void ticket_step(model *m, model_actor *a, model_op op)
{
	switch (op.what == 'q' ? 'q' : (char)op.with)
	{
	case 'o': model_ticket_open(m, a); break;
	case 's': model_ticket_seal(m, a); break;
	case 'c': model_ticket_close(m, a); break;
	case 'q': model_ticket_require(m, a, op.with); break;
	default:
		if (ticket_wait(m, a))
		{
			return;
		}
	}
	done(a);
}

static void unmount(model *m)
{
	if (!m->s.unmounted)
	{
		m->s.unmounted = 1;
		model_lease(m, -1);
		for (uint8_t i = 0; i < m->s.record_count; i++)
		{
			m->s.records[i].known_absent = 0; // an epoch begins
		}
	}
}

static void locked_step(model *m, model_actor *a, model_op op)
{
	switch (op.what)
	{
	case 'f': model_forget(m, a->index[op.with], a->generation[op.with]); break;
	case 'F':
		if (!a->refs[op.with].held && !a->pins[op.with].held)
		{
			a->index[op.with] = model_find(m, op.with);
			a->generation[op.with] = m->s.records[a->index[op.with]].generation;
		}
		break;
	case 'U': model_unload_all(m); break;
	case 'k':
		m->s.keep = op.with;
		model_trim_park(m);
		break;
	case 'm': unmount(m); break;
	default: model_break(m, "programs have no other words");
	}
	done(a);
}

// --- The owner's frame ---

static void update_step(model *m, model_actor *a)
{
	switch (a->micro)
	{
	case MICRO_BEGIN:
		a->through = 0;
		a->attention = m->s.attention;
		m->s.attention = 0;
		a->micro = (a->attention & (ATTENTION_JOBS | ATTENTION_LIMBO)) != 0 ? MICRO_FRAME
				   : a->attention != 0                                      ? MICRO_DELIVER
																			: MICRO_BEGIN;
		break;
	case MICRO_FRAME:
		m->s.jobs_refused = (a->attention & ATTENTION_JOBS) != 0 ? 0 : m->s.jobs_refused;
		model_clear_limbo(m);
		a->micro = (a->attention & ATTENTION_TICKETS) != 0 ? MICRO_DELIVER : MICRO_BEGIN;
		break;
	case MICRO_DELIVER:
		for (uint32_t i = 0; i < TICKETS; i++)
		{
			m->s.tickets[i].mail = m->s.tickets[i].mail != 0;
		}
		a->micro = model_deliver(m) ? MICRO_CALLBACK : MICRO_BEGIN;
		break;
	case MICRO_DELIVER_MORE: a->micro = model_deliver(m) ? MICRO_CALLBACK : MICRO_BEGIN; break;
	default: a->micro = MICRO_DELIVER_MORE; // the callback
	}
	if (a->micro == MICRO_BEGIN)
	{
		a->attention = 0;
		a->at = (uint8_t)(a->at + (a->at < m->programs[0].count));
	}
}

// --- Workers, and whoever helps ---

// Leaving the lock: workers for what is queued.
static void leave(model *m)
{
	uint32_t wanted = 0, active = 0, queued = 0;
	for (uint32_t i = 0; i < RECORDS; i++)
	{
		queued += m->s.records[i].phase == PHASE_QUEUED;
		wanted += m->s.records[i].phase == PHASE_QUEUED || m->s.records[i].phase == PHASE_RUNNING;
	}
	for (uint32_t i = 0; i < m->workers; i++)
	{
		active += m->s.actors[THREADS + i].run.stage != STAGE_IDLE;
	}
	for (uint32_t i = 0; i < m->workers && queued != 0 && !m->s.jobs_refused && active < wanted; i++)
	{
		model_run *run = &m->s.actors[THREADS + i].run;
		if (run->stage == STAGE_IDLE)
		{
			run->stage = m->s.refusals != 0 ? STAGE_SUBMITTING : STAGE_LOOP;
			active++;
		}
	}
}

static void submit(model *m, model_run *run)
{
	if (m->s.refusals == 0 || model_choose(m, 2) == 0)
	{
		run->stage = STAGE_LOOP;
		return;
	}
	m->s.refusals--;
	run->stage = STAGE_IDLE;
	m->s.jobs_refused = 1;
	m->s.attention |= model_is(m, MUTATION_REFUSED_JOBS_ARE_FORGOTTEN) ? 0 : ATTENTION_JOBS;
}

// Which is next is the queue's business: any may be.
static void take_next(model *m, model_run *run)
{
	uint8_t queued[RECORDS], count = 0;
	for (uint8_t i = 0; i < RECORDS; i++)
	{
		if (m->s.records[i].phase == PHASE_QUEUED)
		{
			queued[count++] = i;
		}
	}
	*run = (model_run){ 0 };
	if (count == 0)
	{
		return;
	}
	uint8_t record = queued[model_choose(m, count)];
	model_take(m, run, record);
}

// A worker takes the next load under the same lock, or asks the scheduler for another turn.
static void go_on(model *m, model_run *run)
{
	if (m->s.refusals != 0 && model_choose(m, 2) != 0)
	{
		run->stage = STAGE_SUBMITTING;
		return;
	}
	take_next(m, run);
	run->stage = run->stage == STAGE_IDLE ? STAGE_LOOP : run->stage;
}

static void run_step(model *m, model_actor *a, bool is_worker)
{
	model_run *run = &a->run;
	switch (run->stage)
	{
	case STAGE_SUBMITTING: submit(m, run); break;
	case STAGE_LOOP: take_next(m, run); break;
	case STAGE_LOOK_UP:
		model_look_up(m, run);
		run->stage = STAGE_DECODE;
		break;
	case STAGE_DECODE:
		model_decode(m, run);
		run->stage = STAGE_END;
		break;
	default:
	{
		model_run ended = *run;
		*run = (model_run){ 0 };
		model_end_run(m, &ended);
		if (is_worker)
		{
			go_on(m, run);
		}
	}
	}
}

// --- Steps ---

static void thread_step(model *m, uint8_t actor)
{
	model_actor *a = &m->s.actors[actor];
	model_op op = op_of(m, actor);
	if (is_update(m, actor))
	{
		update_step(m, a);
		return;
	}
	bool waits = a->micro == MICRO_LOOK || a->micro == MICRO_WAIT;
	bool releases = a->micro == MICRO_RELEASE || a->micro == MICRO_COUNT_DOWN || a->micro == MICRO_DROP;
	switch (op.what)
	{
	case 'n':
		if (waits)
		{
			retain_now_step(m, a, op.with);
			return;
		}
		if (releases)
		{
			release_step(m, a, op.with);
			return;
		}
		// fall through
	case 'r': retain_step(m, a, op.with, op.what); return;
	case 'x': release_step(m, a, op.with); return;
	case 'w': renew_step(m, a, op.with); return;
	case 'g': get_step(m, a, op.with); return;
	case 'h': through_step(m, a); return;
	case 'p':
	case 'u': pin_step(m, a, op); return;
	case 'c':
	case 'b':
	case 'a':
	case 's': change_step(m, a, op); return;
	case 'q':
	case 't': ticket_step(m, a, op); return;
	default: locked_step(m, a, op);
	}
}

static void note_path(model *m, uint8_t actor)
{
	model_op op = actor < THREADS ? op_of(m, actor) : (model_op){ 'W', m->s.actors[actor].run.stage };
	if (m->path != NULL && m->path_length + 8 < m->path_size)
	{
		char with = (op.with < NAMES && op.what != 'k' && op.what != 'W') ? "MTU"[op.with]
					: op.with < 10                                        ? (char)('0' + op.with)
																		  : (char)op.with;
		char step[8] = { ' ', (char)('0' + actor), op.what != 0 ? op.what : '.', op.what != 0 ? with : '.', '\0' };
		memcpy(m->path + m->path_length, step, 5);
		m->path_length += 4;
	}
}

void model_step(model *m, uint8_t actor)
{
	note_path(m, actor);
	if (model_is_lock_free(m, actor))
	{
		thread_step(m, actor);
		return;
	}
	m->holder = actor;
	if (m->s.actors[actor].run.stage != STAGE_IDLE)
	{
		run_step(m, &m->s.actors[actor], actor >= THREADS);
	}
	else
	{
		thread_step(m, actor);
	}
	m->holder = NONE;
	leave(m);
}

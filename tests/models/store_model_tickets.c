// tests/models/store_model_tickets.c: tickets, under the lock, as in src/store/ticket*.c.

#include "store_model.h"

static model_ticket *ticket_of(model *m, const model_actor *actor)
{
	model_ticket *ticket = &m->s.tickets[actor->ticket % TICKETS];
	bool valid = actor->ticket < TICKETS && ticket->open && ticket->generation == actor->ticket_generation;
	return valid ? ticket : NULL;
}

void model_mail(model *m, uint8_t ticket)
{
	model_ticket *t = &m->s.tickets[ticket];
	t->mail = t->mail != 0 ? t->mail : 2;
	m->s.attention |= ATTENTION_TICKETS;
}

static void take_back(model_ticket *t, uint8_t bit)
{
	t->arrived &= (uint8_t)~bit;
	t->cancelled &= (uint8_t)~bit;
	t->failed &= (uint8_t)~bit;
}

static void arrive(model *m, uint8_t ticket, uint8_t index, model_outcome outcome)
{
	model_ticket *t = &m->s.tickets[ticket];
	uint8_t bit = model_bit(index);
	take_back(t, bit);
	t->arrived |= bit;
	t->cancelled |= outcome == OUTCOME_CANCELLED ? bit : 0;
	t->failed |= outcome == OUTCOME_FAILED ? bit : 0;
	t->promised &= (uint8_t)~bit;
	model_mail(m, ticket);
}

// Waiter 0 and 1 of a record are of the first ticket, 2 and 3 of the second.
void model_arrived(model *m, uint8_t record, uint8_t waiter, model_outcome outcome)
{
	model_ticket *t = &m->s.tickets[waiter / REQUIREMENTS];
	uint8_t index = waiter % REQUIREMENTS;
	if (!t->open || t->complete)
	{
		model_break(m, "a ticket outlived by its edge decrements nothing");
		return;
	}
	if (index >= t->required || t->record[index] != record ||
		t->record_generation[index] != m->s.records[record].generation)
	{
		model_break(m, "a waiter is satisfied only by its own record");
		return;
	}
	arrive(m, waiter / REQUIREMENTS, index, outcome);
	if (model_is(m, MUTATION_ARRIVED_IS_NO_LONGER_LINKED))
	{
		m->s.records[record].waiters &= (uint8_t)~model_bit(waiter);
		t->linked &= (uint8_t)~model_bit(index);
	}
}

void model_rearm(model *m, uint8_t record)
{
	for (uint8_t i = 0; i < TICKETS * REQUIREMENTS; i++)
	{
		if ((m->s.records[record].waiters & model_bit(i)) == 0)
		{
			continue;
		}
		model_ticket *t = &m->s.tickets[i / REQUIREMENTS];
		uint8_t bit = model_bit(i % REQUIREMENTS);
		t->promised |= bit;
		if ((t->arrived & bit) != 0)
		{
			take_back(t, bit);
			model_mail(m, i / REQUIREMENTS);
		}
	}
}

void model_forget_waiters(model *m, uint8_t record)
{
	for (uint8_t i = 0; i < TICKETS * REQUIREMENTS; i++)
	{
		if ((m->s.records[record].waiters & model_bit(i)) == 0 || model_is(m, MUTATION_FORGET_TELLS_NOBODY))
		{
			continue;
		}
		model_ticket *t = &m->s.tickets[i / REQUIREMENTS];
		uint8_t bit = model_bit(i % REQUIREMENTS);
		m->s.records[record].waiters &= (uint8_t)~model_bit(i);
		t->linked &= (uint8_t)~bit;
		if ((t->arrived & bit) == 0)
		{
			arrive(m, i / REQUIREMENTS, i % REQUIREMENTS, OUTCOME_CANCELLED);
		}
	}
}

static void detach(model *m, model_ticket *t)
{
	for (uint8_t i = 0; i < t->required; i++)
	{
		if ((t->linked & model_bit(i)) != 0)
		{
			uint32_t waiter = (uint32_t)(t - m->s.tickets) * REQUIREMENTS + i;
			m->s.records[t->record[i]].waiters &= (uint8_t)~model_bit(waiter);
		}
	}
	t->linked = 0;
}

// --- By their owners ---

void model_ticket_open(model *m, model_actor *actor)
{
	for (uint8_t i = 0; i < TICKETS; i++)
	{
		model_ticket *t = &m->s.tickets[i];
		if (!t->open && ticket_of(m, actor) == NULL)
		{
			t->open = 1;
			t->generation++;
			actor->ticket = i;
			actor->ticket_generation = t->generation;
		}
	}
}

void model_ticket_require(model *m, model_actor *actor, uint8_t name)
{
	model_ticket *t = ticket_of(m, actor);
	uint8_t record = actor->index[name];
	if (t == NULL || t->sealed || t->required == REQUIREMENTS || !model_is_valid(m, record, actor->generation[name]) ||
		(t->required == 1 && t->record[0] == record))
	{
		return;
	}
	model_record *r = &m->s.records[record];
	uint8_t index = t->required++;
	t->record[index] = record;
	t->record_generation[index] = r->generation;
	t->linked |= model_bit(index);
	r->waiters |= model_bit((uint32_t)actor->ticket * REQUIREMENTS + index);
	t->promised |= r->phase != PHASE_NONE && !r->abandoned ? model_bit(index) : 0;
	model_mail(m, actor->ticket);
	if ((r->state == STATE_READY || r->state == STATE_FAILED) && !model_is(m, MUTATION_REQUIRE_MISSES_WHAT_IS_THERE))
	{
		arrive(m, actor->ticket, index, r->state == STATE_FAILED ? OUTCOME_FAILED : OUTCOME_READY);
	}
}

void model_ticket_seal(model *m, model_actor *actor)
{
	model_ticket *t = ticket_of(m, actor);
	if (t != NULL && !t->sealed)
	{
		t->sealed = 1;
		if (!model_is(m, MUTATION_SEAL_TELLS_NOBODY))
		{
			model_mail(m, actor->ticket);
		}
	}
}

void model_ticket_close(model *m, model_actor *actor)
{
	model_ticket *t = ticket_of(m, actor);
	if (t == NULL)
	{
		return;
	}
	if (!model_is(m, MUTATION_CLOSE_LEAVES_WAITERS))
	{
		detach(m, t);
	}
	uint8_t mail = model_is(m, MUTATION_CLOSE_LEAVES_MAIL) ? t->mail : 0;
	*t = (model_ticket){ .generation = t->generation, .mail = mail };
	actor->ticket = NONE;
	for (uint32_t i = 0; i < THREADS; i++)
	{
		m->s.actors[i].sleeping = 0; // somebody may wait for this ticket
	}
}

// --- Delivering ---

static bool open_mail(model *m, model_ticket *t)
{
	t->mail = 0;
	if (!t->open)
	{
		model_break(m, "a closed ticket's late edge reaches nobody");
		return false;
	}
	uint8_t all = (uint8_t)((1u << t->required) - 1);
	if ((t->sealed || model_is(m, MUTATION_UNSEALED_ANSWERS)) && t->arrived == all)
	{
		if (t->complete)
		{
			model_break(m, "a ticket answers once");
		}
		if (!t->sealed)
		{
			model_break(m, "an unsealed ticket never answers");
		}
		t->complete = 1;
		if (!model_is(m, MUTATION_COMPLETE_STAYS_LINKED))
		{
			detach(m, t);
		}
		return true;
	}
	return false;
}

bool model_deliver(model *m)
{
	bool late = false;
	for (uint8_t i = 0; i < TICKETS; i++)
	{
		if (m->s.tickets[i].mail == 1 && open_mail(m, &m->s.tickets[i]))
		{
			return true;
		}
		late = late || m->s.tickets[i].mail != 0;
	}
	m->s.attention |= late ? ATTENTION_TICKETS : 0;
	return false;
}

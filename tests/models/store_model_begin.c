// tests/models/store_model_begin.c: scenarios: their programs are read, and their setup is done.

#include "store_model.h"

#include <string.h>

void model_break(model *m, const char *law)
{
	m->broken = m->broken != NULL ? m->broken : law;
}

// --- Programs ---

static model_op read_op(const char *word)
{
	bool names = strchr("kUm!t", word[0]) == NULL;
	uint8_t name = word[1] == 'M' ? NAME_M : word[1] == 'T' ? NAME_T : NAME_U;
	uint8_t other = (uint8_t)(word[0] == 'k' ? word[1] - '0' : word[1]);
	return (model_op){ word[0], names ? name : other };
}

static void read_program(model_program *program, const char *words)
{
	*program = (model_program){ 0 };
	while (words != NULL && words[0] != '\0')
	{
		program->ops[program->count++] = read_op(words);
		words += words[2] == ' ' ? 3 : 2;
	}
}

// Workers first, so that what a step asks for is there before the next.
static void run_all(model *m)
{
	for (;;)
	{
		uint8_t actor = ACTORS;
		while (actor > 0 && !model_is_able(m, (uint8_t)(actor - 1)))
		{
			actor--;
		}
		if (actor == 0 || m->broken != NULL)
		{
			return;
		}
		model_step(m, (uint8_t)(actor - 1));
	}
}

static void begin_state(model *m, const model_scenario *scenario)
{
	m->s.keep = scenario->keep;
	m->s.leases = 1;
	for (uint8_t i = NAME_M; i <= NAME_T; i++)
	{
		uint8_t name = (uint8_t)(scenario->names == NAMES_T_BEFORE ? NAME_T - i : i);
		uint8_t record = model_find(m, name);
		for (uint32_t thread = 0; thread < THREADS; thread++)
		{
			m->s.actors[thread].index[name] = record;
			m->s.actors[thread].generation[name] = 1;
		}
	}
	for (uint32_t i = 0; i < THREADS; i++)
	{
		m->s.actors[i].index[NAME_U] = RECORDS - 1; // generation 0: it is to be found first
		m->s.actors[i].ticket = NONE;
	}
}

void model_begin(model *m, const model_scenario *scenario, model_mutation mutation)
{
	memset(m, 0, sizeof *m);
	m->names = scenario->names != NAMES_NOTHING;
	m->workers = scenario->workers;
	m->mutation = mutation;
	m->holder = NONE;
	begin_state(m, scenario);
	for (uint32_t i = 0; i < THREADS; i++)
	{
		read_program(&m->programs[i], scenario->setup[i]);
		run_all(m);
		m->programs[i].count = 0;
		m->s.actors[i].at = 0;
	}
	for (uint32_t i = 0; i < THREADS; i++)
	{
		read_program(&m->programs[i], scenario->programs[i]);
	}
	m->s.refusals = scenario->refusals;
}

// tests/models/explore.h: every order of steps of a scenario, each state looked at once.

#ifndef MODELS_EXPLORE_H
#define MODELS_EXPLORE_H

#include "store_model.h"

/// What was found.
typedef struct exploration
{
	uint64_t states;
	uint64_t steps;
	uint64_t ends; ///< states in which nobody had a step to take
	uint64_t limit;
	const char *broken; ///< the law that was broken; NULL: none
	char path[2048];    ///< the steps that led there: who, and in which word of its program
} exploration;

/// At most `limit` states. False: a law was broken, or memory ran out.
bool explore(const model_scenario *scenario, model_mutation mutation, uint64_t limit, exploration *found);

#endif

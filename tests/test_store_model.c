// The store's state machine, gone through in every order of steps of up to three threads and two assets: an abstract model
// (tests/models) that does step by step what src/store does. And the model broken in every way that comes to mind, to see
// that it can fail. LARDER_TEST_LONG: all triples of programs, not a part of them.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "models/explore.h"

#include <stdio.h>
#include <stdlib.h>

// Each scenario is about something; together they notice every mutation.
static const model_scenario scenarios[] = {
	// Reading, renewing and releasing while a reload takes the payload's place.
	{ { "rM", "rM" }, { "gM wM gM xM", "gM xM rM gM xM", "cM" }, NAMES_NOTHING, 1, 0, 0 },
	{ { "rM", "rM" }, { "gM wM wM gM", "gM xM", "cM" }, NAMES_NOTHING, 1, 0, 0 },
	{ { "rM", "rM" }, { "xM", "gM", "cM rM wM gM" }, NAMES_NOTHING, 1, 0, 0 },
	{ { NULL, "rM" }, { NULL, "gM gM xM", "U- rM wM xM" }, NAMES_NOTHING, 1, 0, 0 },
	{ { "rT", "rT" }, { "gT xT", "gT wT xT", "cT cT" }, NAMES_NOTHING, 1, 0, 0 },
	{ { "rT" }, { "gT xT", "rT gT wT xT", "cT" }, NAMES_NOTHING, 1, 1, 0 },
	{ { "pT" }, { "gT cT gT uT", "rT gT xT", "aT" }, NAMES_T, 1, 1, 0 },
	// What the owner reads through a model, while others change what is named.
	{ { "rM !-" }, { "gM hM xM", "rM gM xM", "cT cM" }, NAMES_T, 1, 0, 0 },
	{ { "rM !-" }, { "hM !- hM xM", "rT gT wT gT xT", "cT" }, NAMES_T, 1, 0, 0 },
	{ { "rM !-" }, { "hM wM !-", "U-", "rT xT" }, NAMES_T, 1, 0, 0 },
	// Loads that are asked for, dropped, asked for again, changed.
	{ { NULL }, { "rM gM xM !-", "rM gM xM", "cT" }, NAMES_T, 1, 0, 0 },
	{ { NULL }, { "rM xM rM", "cM", "U-" }, NAMES_T, 1, 0, 0 },
	{ { NULL }, { "rM to qM ts !-", "U-", NULL }, NAMES_T_BEFORE, 1, 0, 0 },
	{ { NULL }, { "rM", "bM cM", "rM xM" }, NAMES_T, 1, 0, 0 },
	{ { NULL }, { "rM xM", "rT xT", "cT" }, NAMES_T, 2, 1, 0 },
	{ { "rM" }, { "bM xM", "gM rM xM", "cM" }, NAMES_NOTHING, 1, 0, 0 },
	{ { "aT rT" }, { "rT xT", "xT cT", "m-" }, NAMES_NOTHING, 1, 0, 0 },
	{ { "aT rT xT" }, { "rT xT", "rM xM", NULL }, NAMES_T, 1, 0, 0 },
	// Parked, resurrected, evicted; forgotten, and another asset in that place.
	{ { "rM xM" }, { "rM gM xM", "fT FU rU gU xU", "fT" }, NAMES_T, 1, 3, 0 },
	{ { "rM xM" }, { "rM gM xM", "cT rT xT", "k1" }, NAMES_T, 1, 3, 0 },
	{ { "rT xT" }, { "rT gT xT", "cT", "k0 k2" }, NAMES_NOTHING, 1, 2, 0 },
	{ { NULL }, { "rM xM", "fT FU rU", NULL }, NAMES_T, 1, 0, 0 },
	{ { "rT" }, { "xT fT", "FU rU gU xU", "rT gT xT" }, NAMES_NOTHING, 1, 0, 0 },
	{ { "rT", "rT" }, { "xT", "xT fT FU rU rU", "rT gT xT" }, NAMES_NOTHING, 1, 0, 0 },
	// Tickets.
	{ { NULL }, { "rM to qM qT ts !- tc", "rT xT", "U-" }, NAMES_T, 1, 0, 0 },
	{ { "rT" }, { "to qT ts !- !- tc", "cT", "xT" }, NAMES_NOTHING, 1, 0, 0 },
	{ { NULL }, { "rT to qT ts !-", "xT rT", "fT" }, NAMES_NOTHING, 1, 0, 0 },
	{ { NULL }, { "to qT rM ts xM tc", "rT xT", "to qM ts tc" }, NAMES_T, 1, 0, 0 },
	{ { NULL }, { "rT to qT tc to qM ts !- !-", "rM", NULL }, NAMES_NOTHING, 1, 0, 0 },
	{ { "rT xT" }, { "to qT ts !-", "fT FU rU", NULL }, NAMES_NOTHING, 1, 2, 0 },
	{ { NULL }, { "to qT ts !-", "fT FU rU", NULL }, NAMES_NOTHING, 1, 2, 0 },
	{ { "rM rT" }, { "to qT qM !- ts !-", "bT cM", "xM" }, NAMES_T, 1, 0, 0 },
	// Waiting for a load: whoever runs it, whatever becomes of it, and with a scheduler that refuses.
	{ { NULL }, { "nM gM xM", "rT gT xT", "U-" }, NAMES_T, 1, 0, 0 },
	{ { NULL }, { "nM xM", "nM xM", "cT" }, NAMES_T, 1, 0, 1 },
	{ { NULL }, { "nT gT xT", "cT", "rT xT" }, NAMES_NOTHING, 1, 0, 2 },
	{ { NULL }, { "nM", "rM", NULL }, NAMES_T, 1, 0, 2 },
	{ { NULL }, { "nM", "rT", NULL }, NAMES_T, 1, 0, 1 },
	{ { NULL }, { "rM", "rT", NULL }, NAMES_T, 1, 0, 1 },
	{ { NULL }, { "rM to qM ts tw !- xM tc", "xM rM xM", "bM" }, NAMES_T, 1, 0, 0 },
	{ { NULL }, { "nM hM xM", "rT gT xT", "fT rT" }, NAMES_T, 1, 2, 0 },
	{ { NULL }, { "rM", "nM", "nT" }, NAMES_T, 2, 0, 1 },
	// Mounts.
	{ { "rT" }, { "gT m- xT", "rM gM xM", "rT gT xT" }, NAMES_T, 1, 1, 0 },
	{ { NULL }, { "rM m-", "rT", NULL }, NAMES_T, 1, 0, 0 },
};
#define SCENARIOS (sizeof scenarios / sizeof *scenarios)

static const char *const mutation_names[] = {
	"none",
#define MUTATION(name) #name,
#include "models/store_mutations.h"
#undef MUTATION
};

typedef struct totals
{
	uint64_t scenarios, states, steps, ends, most;
} totals;

static void add(totals *sum, const exploration *found)
{
	sum->scenarios++;
	sum->states += found->states;
	sum->steps += found->steps;
	sum->ends += found->ends;
	sum->most = sum->most > found->states ? sum->most : found->states;
}

static void print_totals(const totals *sum)
{
	print_message("%llu scenarios, %llu states (at most %llu in one), %llu steps, %llu ends\n",
		(unsigned long long)sum->scenarios, (unsigned long long)sum->states, (unsigned long long)sum->most,
		(unsigned long long)sum->steps, (unsigned long long)sum->ends);
}

static const char *text(const char *program)
{
	return program != NULL ? program : "";
}

static void explore_or_fail(const model_scenario *scenario, totals *sum)
{
	exploration found;
	if (!explore(scenario, MUTATION_NONE, UINT64_MAX, &found))
	{
		fail_msg("\"%s\" | \"%s\" | \"%s\": %s, after%s", text(scenario->programs[0]), text(scenario->programs[1]),
			text(scenario->programs[2]), text(found.broken), found.path);
	}
	add(sum, &found);
}

static void no_order_of_steps_breaks_a_law(void **state)
{
	(void)state;
	totals sum = { 0 };
	for (size_t i = 0; i < SCENARIOS; i++)
	{
		explore_or_fail(&scenarios[i], &sum);
	}
	print_totals(&sum);
}

// Most are noticed soon: every scenario gets a few states first, then more.
static bool notice(model_mutation mutation, exploration *found)
{
	static const uint64_t limits[] = { 1000, 10000, UINT64_MAX };
	for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
	{
		for (size_t at = 0; at < SCENARIOS; at++)
		{
			if (!explore(&scenarios[at], mutation, limits[i], found))
			{
				return true;
			}
		}
	}
	return false;
}

static void every_way_to_break_the_store_is_noticed(void **state)
{
	(void)state;
	uint32_t missed = 0;
	for (uint32_t mutation = 1; mutation < MUTATIONS; mutation++)
	{
		exploration found;
		bool noticed = notice((model_mutation)mutation, &found);
		print_message("%-48s %s\n", mutation_names[mutation], noticed ? text(found.broken) : "MISSED");
		missed += !noticed;
	}
	assert_int_equal(missed, 0);
}

// What a thread may be at; every two of them meet, and what the owner does.
static const char *const lives[] = { "rM gM xM", "rT gT wT xT", "cT", "U-", "fT FU rU xU", "bM", "nT xT", "cM", "pT uT",
	"aT", "to qT ts tc" };
static const char *const owners[] = { "gM hM !-", "to qM qT ts", "nM xM", "xM k0" };
static const struct
{
	const char *setup;
	uint8_t keep;
} beginnings[] = { { NULL, 3 }, { "rM !-", 0 }, { "rM xM", 3 }, { "aT rM", 0 } };

#define LIVES (sizeof lives / sizeof *lives)
#define LIVES_SHORT 5
#define OWNERS (sizeof owners / sizeof *owners)
#define BEGINNINGS (sizeof beginnings / sizeof *beginnings)

static void explore_pairs(const char *owner, size_t beginning, size_t count, totals *sum)
{
	for (size_t a = 0; a < count; a++)
	{
		for (size_t b = a; b < count; b++)
		{
			explore_or_fail(&(model_scenario){ { beginnings[beginning].setup }, { owner, lives[a], lives[b] }, NAMES_T,
								1, beginnings[beginning].keep, 0 },
				sum);
		}
	}
}

static void no_pair_of_programs_breaks_a_law_whatever_the_owner_does(void **state)
{
	(void)state;
	totals sum = { 0 };
	bool all = getenv("LARDER_TEST_LONG") != NULL;
	for (size_t owner = 0; owner < OWNERS; owner++)
	{
		for (size_t beginning = 0; beginning < BEGINNINGS; beginning++)
		{
			if (all || owner == beginning)
			{
				explore_pairs(owners[owner], beginning, all ? LIVES : LIVES_SHORT, &sum);
			}
		}
	}
	print_totals(&sum);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_order_of_steps_breaks_a_law),
		cmocka_unit_test(no_pair_of_programs_breaks_a_law_whatever_the_owner_does),
		cmocka_unit_test(every_way_to_break_the_store_is_noticed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

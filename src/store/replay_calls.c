// store/replay_calls.c: running one recorded call, and holding its answers against the recorded ones.

#include "store/replay.h"

#include "base/error.h"
#include "base/path.h"
#include "larder/payload.h"
#include "larder/ticket.h"
#include "store/trace.h"

#include <inttypes.h>
#include <stdio.h>

#define ANSWERS_MAX 4

// An id that was never given out, and never will be.
#define STALE UINT64_MAX

// --- Ids ---

static uint64_t word_of(uint32_t index, uint32_t generation)
{
	return (uint64_t)generation << 32 | index;
}

static lrd_asset id_of(uint64_t word)
{
	return (lrd_asset){ (uint32_t)word, (uint32_t)(word >> 32) };
}

// What stands for a mount, ticket or listener; a stale one where the trace does not explain it.
static lrd_asset look_up(const lrd_replay_id *ids, uint32_t slot)
{
	uint64_t word = slot != LRD_NO_SLOT ? atomic_load(&ids[slot]) : 0;
	return id_of(slot != LRD_NO_SLOT && word == 0 ? STALE : word);
}

static void keep_id(lrd_replay_id *ids, uint32_t slot, uint32_t index, uint32_t generation)
{
	if (slot != LRD_NO_SLOT)
	{
		atomic_store(&ids[slot], word_of(index, generation));
	}
}

lrd_asset lrd_replay_asset_of(lrd_replay *self, uint32_t slot)
{
	if (slot == LRD_NO_SLOT)
	{
		return (lrd_asset){ 0 };
	}
	const lrd_recorded_asset *asset = &self->recording.assets[slot];
	uint64_t word = atomic_load(&self->assets[slot].id);
	if (word == 0 && asset->kind != LRD_KIND_NONE)
	{
		lrd_asset found = lrd_asset_find_string(self->store, asset->kind, asset->stem, NULL);
		word = word_of(found.index, found.generation);
		atomic_store(&self->assets[slot].id, word);
	}
	return id_of(word != 0 ? word : STALE);
}

bool lrd_replay_mount(lrd_replay *self, uint32_t slot, lrd_error *error)
{
	lrd_mount_desc desc = { 0 };
	*(self->is_folder ? &desc.root : &desc.pack) = self->desc->store;
	lrd_mount mount = { 0 };
	bool mounted = lrd_store_mount(self->store, &desc, &mount, error);
	keep_id(self->mounts, slot, mount.index, mount.generation);
	return mounted;
}

// --- Calls of each sort. False: left out. ---

static void ignore_event(void *user, const lrd_event *event)
{
	(void)user;
	(void)event;
}

static void ignore_ticket(void *user, const lrd_ticket_event *event)
{
	(void)user;
	(void)event;
}

static bool run_mount(lrd_replay *self, const lrd_recorded_call *call, lrd_trace_value *answers)
{
	uint32_t slot = call->values[4].slot;
	if (slot == LRD_NO_SLOT) // it had failed, for reasons of its place
	{
		return false;
	}
	bool mounted = lrd_replay_mount(self, slot, NULL);
	answers[0] = lrd_trace_mount(mounted ? (lrd_mount){ 0, 1 } : (lrd_mount){ 0 });
	return true;
}

static bool run_listen(lrd_replay *self, const lrd_recorded_call *call, lrd_trace_value *answers)
{
	const lrd_recorded_value *values = call->values;
	lrd_listener_desc desc = {
		.asset = lrd_replay_asset_of(self, values[0].slot),
		.kind = (lrd_kind)values[1].number,
		.flags = values[2].number < UINT32_MAX ? (uint32_t)values[2].number : UINT32_MAX,
		.on_event = ignore_event,
	};
	if (values[3].slot == LRD_NO_SLOT)
	{
		return false; // that there was no function to call is not recorded
	}
	lrd_listener listener = { 0 };
	lrd_store_listen(self->store, &desc, &listener, NULL);
	keep_id(self->listeners, values[3].slot, listener.index, listener.generation);
	answers[0] = lrd_trace_listener(listener);
	return true;
}

static bool run_store(lrd_replay *self, const lrd_recorded_call *call, lrd_trace_value *answers)
{
	lrd_store *store = self->store;
	const lrd_recorded_value *values = call->values;
	uint32_t reloaded = 0;
	lrd_asset id;
	switch (call->call)
	{
	case LRD_CALL_store_update: lrd_store_update(store); return true;
	case LRD_CALL_store_unload_all: lrd_store_unload_all(store); return true;
	case LRD_CALL_store_keep_parked: lrd_store_keep_parked(store, values[0].number); return true;
	case LRD_CALL_store_changed:
		answers[0] = lrd_trace_number(lrd_store_changed(store, (lrd_kind)values[0].number, values[1].text));
		return true;
	case LRD_CALL_store_changed_now:
		id = look_up(self->mounts, values[0].slot);
		answers[0] =
			lrd_trace_bool(lrd_store_changed_now(store, (lrd_mount){ id.index, id.generation }, &reloaded, NULL));
		answers[1] = lrd_trace_number(reloaded);
		return true;
	case LRD_CALL_store_unmount:
		id = look_up(self->mounts, values[0].slot);
		answers[0] = lrd_trace_bool(lrd_store_unmount(store, (lrd_mount){ id.index, id.generation }));
		return true;
	case LRD_CALL_store_unlisten:
		id = look_up(self->listeners, values[0].slot);
		answers[0] = lrd_trace_bool(lrd_store_unlisten(store, (lrd_listener){ id.index, id.generation }));
		return true;
	case LRD_CALL_store_mount: return run_mount(self, call, answers);
	case LRD_CALL_store_listen: return run_listen(self, call, answers);
	default: return false;
	}
}

// What was forgotten then is stale from here on, whatever this store says; what was not is not. In a free run somebody may
// hold it, and must be able to give it back.
static bool run_forget(lrd_replay *self, const lrd_recorded_call *call, lrd_trace_value *answers)
{
	uint32_t slot = call->values[0].slot;
	if (call->values[1].number == 0)
	{
		return false;
	}
	answers[0] = lrd_trace_bool(lrd_asset_forget(self->store, lrd_replay_asset_of(self, slot)));
	if (slot != LRD_NO_SLOT && !self->desc->free)
	{
		atomic_store(&self->assets[slot].id, STALE);
	}
	return true;
}

static bool run_find(lrd_replay *self, const lrd_recorded_call *call, lrd_trace_value *answers)
{
	const lrd_recorded_value *values = call->values;
	lrd_asset found = lrd_asset_find_string(self->store, (lrd_kind)values[0].number, values[1].text, NULL);
	if (values[2].slot != LRD_NO_SLOT)
	{
		atomic_store(&self->assets[values[2].slot].id, word_of(found.index, found.generation));
	}
	answers[0] = lrd_trace_id(found);
	return true;
}

static bool run_asset(lrd_replay *self, const lrd_recorded_call *call, lrd_trace_value *answers)
{
	lrd_store *store = self->store;
	const lrd_recorded_value *values = call->values;
	if (call->call == LRD_CALL_asset_find)
	{
		return run_find(self, call, answers);
	}
	lrd_asset asset = lrd_replay_asset_of(self, values[0].slot);
	uint32_t seen = 0;
	switch (call->call)
	{
	case LRD_CALL_asset_is_valid: answers[0] = lrd_trace_bool(lrd_asset_is_valid(store, asset)); return true;
	case LRD_CALL_asset_stem: answers[0] = lrd_trace_text(lrd_asset_stem(store, asset)); return true;
	case LRD_CALL_asset_kind: answers[0] = lrd_trace_kind(lrd_asset_kind(store, asset)); return true;
	case LRD_CALL_asset_forget: return run_forget(self, call, answers);
	case LRD_CALL_asset_put:
		answers[0] = lrd_trace_bool(lrd_asset_put(store, asset, values[1].bytes, NULL));
		return true;
	case LRD_CALL_asset_state: answers[0] = lrd_trace_state(lrd_asset_state(store, asset)); return true;
	case LRD_CALL_asset_has: answers[0] = lrd_trace_bool(lrd_asset_has(store, asset)); return true;
	case LRD_CALL_asset_error: answers[0] = lrd_trace_bool(lrd_asset_error(store, asset, NULL)); return true;
	case LRD_CALL_asset_generation: answers[0] = lrd_trace_number(lrd_asset_generation(store, asset)); return true;
	case LRD_CALL_asset_renew:
		seen = (uint32_t)values[1].number;
		answers[0] = lrd_trace_bool(lrd_asset_renew(store, asset, &seen));
		answers[1] = lrd_trace_number(seen);
		return true;
	default: return false;
	}
}

// One is given back, if one is there.
static bool take_back(_Atomic int64_t *count)
{
	int64_t seen = atomic_load(count);
	while (seen > 0 && !atomic_compare_exchange_weak(count, &seen, seen - 1))
	{
	}
	return seen > 0;
}

static bool run_give_back(lrd_replay *self, const lrd_recorded_call *call, lrd_trace_value *answers)
{
	bool pin = call->call == LRD_CALL_unpin;
	uint32_t slot = call->values[0].slot;
	lrd_replay_asset *at = slot != LRD_NO_SLOT ? &self->assets[slot] : NULL;
	if (self->desc->free && at != NULL && !take_back(pin ? &at->pins : &at->references))
	{
		if (call->values[1].number != 0)
		{
			atomic_fetch_add(pin ? &at->owed_pins : &at->owed_references, 1);
		}
		return false;
	}
	lrd_asset asset = lrd_replay_asset_of(self, slot);
	bool given = pin ? lrd_unpin(self->store, asset) : lrd_release(self->store, asset);
	answers[0] = lrd_trace_bool(given);
	return true;
}

static bool run_reference(lrd_replay *self, const lrd_recorded_call *call, lrd_trace_value *answers)
{
	const lrd_recorded_value *values = call->values;
	uint32_t slot = values[0].slot;
	lrd_asset asset = lrd_replay_asset_of(self, slot);
	bool added = false;
	switch (call->call)
	{
	case LRD_CALL_retain: added = lrd_retain(self->store, asset); break;
	case LRD_CALL_retain_with:
		added = lrd_retain_with(self->store, asset,
			&(lrd_retain_desc){ .priority = values[1].integer > 100 || values[1].integer < -100
												? (values[1].integer > 0 ? 100 : -100)
												: (int32_t)values[1].integer,
				.owner = values[2].text.data });
		break;
	case LRD_CALL_retain_now: added = lrd_retain_now(self->store, asset, NULL); break;
	case LRD_CALL_pin: added = lrd_pin(self->store, asset); break;
	default: return run_give_back(self, call, answers);
	}
	if (added && slot != LRD_NO_SLOT)
	{
		atomic_fetch_add(call->call == LRD_CALL_pin ? &self->assets[slot].pins : &self->assets[slot].references, 1);
	}
	answers[0] = lrd_trace_bool(added);
	return true;
}

static bool run_get(lrd_replay *self, const lrd_recorded_call *call, lrd_trace_value *answers)
{
	lrd_store *store = self->store;
	lrd_asset asset = lrd_replay_asset_of(self, call->values[0].slot);
	const void *got = NULL;
	switch (call->call)
	{
	case LRD_CALL_texture_get: got = lrd_texture_get(store, asset); break;
	case LRD_CALL_mesh_get: got = lrd_mesh_get(store, asset); break;
	case LRD_CALL_material_get: got = lrd_material_get(store, asset); break;
	case LRD_CALL_model_get: got = lrd_model_get(store, asset); break;
	case LRD_CALL_skeleton_get: got = lrd_skeleton_get(store, asset); break;
	case LRD_CALL_clip_get: got = lrd_clip_get(store, asset); break;
	default: got = lrd_blob_get(store, asset); break;
	}
	answers[0] = lrd_trace_bool(got != NULL);
	return true;
}

static lrd_ticket open_ticket(lrd_replay *self, uint32_t slot, uint64_t wake, bool told, const char *owner)
{
	lrd_ticket_desc desc = {
		.wake = wake == LRD_WAKE_PROGRESS ? LRD_WAKE_PROGRESS : LRD_WAKE_COMPLETE,
		.on_event = told ? ignore_ticket : NULL,
		.owner = owner,
	};
	lrd_ticket ticket = lrd_ticket_open(self->store, &desc, NULL);
	keep_id(self->tickets, slot, ticket.index, ticket.generation);
	return ticket;
}

static lrd_ticket ticket_of(const lrd_replay *self, uint32_t slot)
{
	lrd_asset id = look_up(self->tickets, slot);
	return (lrd_ticket){ id.index, id.generation };
}

static bool run_ticket(lrd_replay *self, const lrd_recorded_call *call, lrd_trace_value *answers)
{
	lrd_store *store = self->store;
	const lrd_recorded_value *values = call->values;
	if (call->call == LRD_CALL_ticket_open)
	{
		answers[0] = lrd_trace_ticket(
			open_ticket(self, values[3].slot, values[0].number, values[1].number != 0, values[2].text.data));
		return true;
	}
	lrd_ticket ticket = ticket_of(self, values[0].slot);
	lrd_ticket_progress progress = { 0 };
	lrd_asset asset = { 0 };
	bool done = false;
	switch (call->call)
	{
	case LRD_CALL_ticket_require:
		done = lrd_ticket_require(store, ticket, lrd_replay_asset_of(self, values[1].slot), NULL);
		break;
	case LRD_CALL_ticket_seal: done = lrd_ticket_seal(store, ticket); break;
	case LRD_CALL_ticket_wait: done = lrd_ticket_wait(store, ticket); break;
	case LRD_CALL_ticket_close: done = lrd_ticket_close(store, ticket); break;
	case LRD_CALL_ticket_get:
		done = lrd_ticket_get(store, ticket, &progress);
		answers[1] = lrd_trace_number(progress.required);
		answers[2] = lrd_trace_number(progress.arrived);
		answers[3] = lrd_trace_number(progress.failed);
		break;
	default: // ticket_at
		done = values[1].number < UINT32_MAX &&
			   lrd_ticket_at(store, ticket, (uint32_t)values[1].number, &asset, &(bool){ false });
		answers[1] = lrd_trace_id(asset);
		break;
	}
	answers[0] = lrd_trace_bool(done);
	return true;
}

static bool run(lrd_replay *self, const lrd_recorded_call *call, lrd_trace_value *answers)
{
	if (call->call < LRD_CALL_asset_find)
	{
		return run_store(self, call, answers);
	}
	if (call->call < LRD_CALL_retain)
	{
		return run_asset(self, call, answers);
	}
	if (call->call < LRD_CALL_texture_get)
	{
		return run_reference(self, call, answers);
	}
	return call->call < LRD_CALL_ticket_open ? run_get(self, call, answers) : run_ticket(self, call, answers);
}

// --- Answers ---

static bool is_same(char type, const lrd_recorded_value *recorded, const lrd_trace_value *answer)
{
	switch (type)
	{
	case 'k':
	case 'e':
	case 'b':
	case 'n': return recorded->number == answer->number;
	case 'i': return recorded->integer == answer->integer;
	case 's': return lrd_string_equal_folded(recorded->text, answer->text);
	default: return (recorded->slot == LRD_NO_SLOT) == (answer->id.index == 0 && answer->id.generation == 0);
	}
}

static size_t describe_word(char *text, size_t size, char type, uint64_t number, bool null, lrd_string string)
{
	int used = 0;
	switch (type)
	{
	case 'k': used = snprintf(text, size, "%s", lrd_kind_name((lrd_kind)number)); break;
	case 'e': used = snprintf(text, size, "%s", lrd_state_name((lrd_state)number)); break;
	case 'b': used = snprintf(text, size, "%s", number != 0 ? "yes" : "no"); break;
	case 'n': used = snprintf(text, size, "%" PRIu64, number); break;
	case 's': used = snprintf(text, size, "\"%.*s\"", LRD_STR_ARG(string)); break;
	default: used = snprintf(text, size, "%s", null ? "-" : "an id"); break;
	}
	return used > 0 && (size_t)used < size ? (size_t)used : (size != 0 ? size - 1 : 0);
}

// All answers of a call, a space between them.
static void describe(
	char *text, size_t size, const char *types, const lrd_recorded_value *recorded, const lrd_trace_value *answers)
{
	size_t used = 0;
	text[0] = '\0';
	for (size_t i = 0; types[i] != '\0' && used + 2 < size; i++)
	{
		bool is_number = strchr("kebn", types[i]) != NULL;
		uint64_t number = !is_number ? 0 : (recorded != NULL ? recorded[i].number : answers[i].number);
		bool null = recorded != NULL ? recorded[i].slot == LRD_NO_SLOT : answers[i].id.generation == 0;
		lrd_string string =
			types[i] != 's' ? (lrd_string){ 0 } : (recorded != NULL ? recorded[i].text : answers[i].text);
		if (i != 0)
		{
			text[used++] = ' ';
		}
		used += describe_word(text + used, size - used, types[i], number, null, string);
	}
}

// The asset that a call is about.
static lrd_string stem_of(const lrd_replay *self, const lrd_recorded_call *call)
{
	const char *arguments = lrd_call_rows[call->call].arguments;
	for (size_t i = 0; arguments[i] != '\0'; i++)
	{
		uint32_t slot = arguments[i] == 'a' ? call->values[i].slot : LRD_NO_SLOT;
		if (slot != LRD_NO_SLOT && self->recording.assets[slot].stem.data != NULL)
		{
			return self->recording.assets[slot].stem;
		}
		if (arguments[i] == 's' && (call->call == LRD_CALL_asset_find || call->call == LRD_CALL_store_changed))
		{
			return call->values[i].text;
		}
	}
	return (lrd_string){ 0 };
}

static void compare(lrd_replay *self, const lrd_recorded_call *call, const lrd_trace_value *answers)
{
	const lrd_call_row *row = &lrd_call_rows[call->call];
	const lrd_recorded_value *recorded = call->values + strlen(row->arguments);
	bool same = true;
	for (size_t i = 0; row->answers[i] != '\0'; i++)
	{
		same = same && is_same(row->answers[i], &recorded[i], &answers[i]);
	}
	if (same)
	{
		return;
	}
	bool timing = row->check == LRD_CHECK_TIMING;
	atomic_fetch_add(timing ? &self->timing : &self->differences, 1);
	if (self->desc->on_difference != NULL)
	{
		char texts[2][512];
		describe(texts[0], sizeof texts[0], row->answers, recorded, NULL);
		describe(texts[1], sizeof texts[1], row->answers, NULL, answers);
		lrd_replay_difference difference = { call->line, row->name, texts[0], texts[1], stem_of(self, call), timing };
		self->desc->on_difference(self->desc->user, &difference);
	}
}

// --- Waiting for what the program saw ---

// Whether the load of a record goes on though the recorded answer, given when it had ended, says otherwise.
static bool is_too_early(const lrd_store *store, uint32_t record, const lrd_recorded_call *call)
{
	const lrd_record *at = lrd_record_at(store, record);
	const lrd_recorded_value *answers = call->values + strlen(lrd_call_rows[call->call].arguments);
	bool there = lrd_record_payload(at) != NULL;
	uint32_t payloads = atomic_load_explicit(&lrd_rest_at(store, record)->payloads, memory_order_relaxed);
	if (at->request == NULL)
	{
		return false;
	}
	switch (call->call)
	{
	case LRD_CALL_asset_state:
		return answers[0].number == LRD_READY || answers[0].number == LRD_FAILED ||
			   (answers[0].number == LRD_RELOAD_PENDING && !there);
	case LRD_CALL_asset_error: return answers[0].number != 0;
	case LRD_CALL_asset_generation: return payloads < answers[0].number;
	case LRD_CALL_asset_renew: return payloads < answers[1].number;
	default: return answers[0].number != 0 && !there;
	}
}

// Programs look at what there is once a frame, and the replay has no frames: it would be through before anything is loaded.
static void await_what_was_seen(lrd_replay *self, const lrd_recorded_call *call)
{
	lrd_store *store = self->store;
	bool looks = (call->call >= LRD_CALL_asset_state && call->call <= LRD_CALL_asset_renew) ||
				 (call->call >= LRD_CALL_texture_get && call->call <= LRD_CALL_blob_get);
	if (call->call == LRD_CALL_ticket_get)
	{
		const lrd_recorded_value *answers = call->values + 1;
		if (answers[0].number != 0 && answers[2].number == answers[1].number)
		{
			lrd_ticket_wait(store, ticket_of(self, call->values[0].slot));
		}
	}
	if (!looks || call->values[0].slot == LRD_NO_SLOT)
	{
		return;
	}
	lrd_asset asset = lrd_replay_asset_of(self, call->values[0].slot);
	lrd_aftermath aftermath = { 0 };
	lrd_store_enter(store);
	while (lrd_record_of(store, asset) != NULL && is_too_early(store, asset.index, call))
	{
		if (!lrd_load_help(store, asset.index, &aftermath))
		{
			lrd_load_await(store);
		}
	}
	lrd_store_leave(store, &aftermath);
}

// A call that went well for a mount, ticket or listener of which the trace does not say where it came from.
static bool is_unexplained(const lrd_replay *self, const lrd_recorded_call *call)
{
	const lrd_call_row *row = &lrd_call_rows[call->call];
	char sort = row->arguments[0];
	const lrd_replay_id *ids = sort == 'm' ? self->mounts : (sort == 't' ? self->tickets : self->listeners);
	uint32_t slot = call->values[0].slot;
	return (sort == 'm' || sort == 't' || sort == 'l') && slot != LRD_NO_SLOT && atomic_load(&ids[slot]) == 0 &&
		   call->values[strlen(row->arguments)].number != 0;
}

void lrd_replay_call(lrd_replay *self, const lrd_recorded_call *call)
{
	lrd_trace_value answers[ANSWERS_MAX] = { { 0 } };
	bool unexplained = is_unexplained(self, call);
	if (!unexplained && !self->desc->free)
	{
		await_what_was_seen(self, call);
	}
	if (unexplained || !run(self, call, answers))
	{
		atomic_fetch_add(&self->left_out, 1);
		return;
	}
	atomic_fetch_add(&self->calls, 1);
	if (!self->desc->free)
	{
		compare(self, call, answers);
	}
}

void lrd_replay_closed(lrd_replay *self, const lrd_recorded_call *call, uint32_t leaks)
{
	atomic_fetch_add(&self->calls, 1);
	if (!self->desc->free)
	{
		lrd_trace_value answer = lrd_trace_number(leaks);
		compare(self, call, &answer);
	}
}

// --- Before and after ---

void lrd_replay_settle(lrd_replay *self)
{
	for (size_t i = 0; i < self->recording.asset_count; i++)
	{
		lrd_replay_asset *at = &self->assets[i];
		lrd_asset asset = id_of(atomic_load(&at->id));
		for (uint32_t owed = atomic_load(&at->owed_references); owed > 0 && take_back(&at->references); owed--)
		{
			lrd_release(self->store, asset);
		}
		for (uint32_t owed = atomic_load(&at->owed_pins); owed > 0 && take_back(&at->pins); owed--)
		{
			lrd_unpin(self->store, asset);
		}
	}
}

static bool hold(lrd_replay *self, const lrd_recorded_start *start, lrd_error *error)
{
	lrd_asset asset = lrd_replay_asset_of(self, start->slot);
	bool held = true;
	for (uint32_t i = 0; held && i < start->count; i++)
	{
		held = lrd_retain(self->store, asset);
		atomic_fetch_add(&self->assets[start->slot].references, 1);
	}
	for (uint32_t i = 0; held && i < start->more; i++)
	{
		held = lrd_pin(self->store, asset);
		atomic_fetch_add(&self->assets[start->slot].pins, 1);
	}
	lrd_string stem = self->recording.assets[start->slot].stem;
	return held || lrd_fail(error, LRD_ERROR_MEMORY, "\"%.*s\" could not be held as it was", LRD_STR_ARG(stem));
}

bool lrd_replay_start(lrd_replay *self, lrd_error *error)
{
	const lrd_recording *recording = &self->recording;
	bool done = true;
	for (size_t i = 0; done && i < recording->start_count; i++)
	{
		const lrd_recorded_start *start = &recording->start[i];
		switch (start->sort)
		{
		case LRD_START_MOUNT: done = lrd_replay_mount(self, start->slot, error); break;
		case LRD_START_HELD: done = hold(self, start, error); break;
		case LRD_START_TICKET: open_ticket(self, start->slot, LRD_WAKE_COMPLETE, false, NULL); break;
		case LRD_START_NEEDS:
			lrd_ticket_require(self->store, ticket_of(self, start->slot), lrd_replay_asset_of(self, start->more), NULL);
			break;
		}
	}
	for (size_t i = 0; done && i < recording->start_count; i++)
	{
		if (recording->start[i].sort == LRD_START_TICKET && recording->start[i].count != 0)
		{
			lrd_ticket_seal(self->store, ticket_of(self, recording->start[i].slot));
		}
	}
	return done;
}

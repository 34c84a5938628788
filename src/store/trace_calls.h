// store/trace_calls.h: the calls that a trace records: what stands in its lines, in order. The writer (trace.c), the
// reader (trace_read.c) and the replay go by this table. Format: docs/formats.md, "Trace".

#ifndef STORE_TRACE_CALLS_H
#define STORE_TRACE_CALLS_H

/// How a replay's answer is held against the recorded one.
typedef enum lrd_trace_check
{
	LRD_CHECK_EQUAL,  ///< it must be the same
	LRD_CHECK_TIMING, ///< it hangs on when a load ends: a difference is counted, and no more
} lrd_trace_check;

/// X(name in the file, arguments, answers, check), a letter a value:
///   a asset, m mount, t ticket, l listener: an id; - : null
///   k kind, e state: a name            b truth: yes or no
///   n number from 0, i number          s text in quotes; - : NULL
///   d bytes: size, ":", base64
/// Ids in answers are compared by whether they are null.
#define LRD_TRACE_CALLS(X)                                                                                             \
	X(store_update, "", "", EQUAL)                                                                                     \
	X(store_close, "", "n", EQUAL)                                                                                     \
	X(store_mount, "ssbb", "m", EQUAL)                                                                                 \
	X(store_unmount, "m", "b", EQUAL)                                                                                  \
	X(store_changed, "ks", "n", TIMING)                                                                                \
	X(store_changed_now, "m", "bn", TIMING)                                                                            \
	X(store_unload_all, "", "", EQUAL)                                                                                 \
	X(store_keep_parked, "n", "", EQUAL)                                                                               \
	X(store_listen, "akn", "l", EQUAL)                                                                                 \
	X(store_unlisten, "l", "b", EQUAL)                                                                                 \
	X(asset_find, "ks", "a", EQUAL)                                                                                    \
	X(asset_is_valid, "a", "b", EQUAL)                                                                                 \
	X(asset_stem, "a", "s", TIMING)                                                                                    \
	X(asset_kind, "a", "k", EQUAL)                                                                                     \
	X(asset_forget, "a", "b", TIMING)                                                                                  \
	X(asset_put, "ad", "b", EQUAL)                                                                                     \
	X(asset_state, "a", "e", TIMING)                                                                                   \
	X(asset_has, "a", "b", TIMING)                                                                                     \
	X(asset_error, "a", "b", TIMING)                                                                                   \
	X(asset_generation, "a", "n", TIMING)                                                                              \
	X(asset_renew, "an", "bn", TIMING)                                                                                 \
	X(retain, "a", "b", EQUAL)                                                                                         \
	X(retain_with, "ais", "b", EQUAL)                                                                                  \
	X(retain_now, "a", "b", EQUAL)                                                                                     \
	X(release, "a", "b", EQUAL)                                                                                        \
	X(pin, "a", "b", EQUAL)                                                                                            \
	X(unpin, "a", "b", EQUAL)                                                                                          \
	X(texture_get, "a", "b", TIMING)                                                                                   \
	X(mesh_get, "a", "b", TIMING)                                                                                      \
	X(material_get, "a", "b", TIMING)                                                                                  \
	X(model_get, "a", "b", TIMING)                                                                                     \
	X(skeleton_get, "a", "b", TIMING)                                                                                  \
	X(clip_get, "a", "b", TIMING)                                                                                      \
	X(blob_get, "a", "b", TIMING)                                                                                      \
	X(ticket_open, "nbs", "t", EQUAL)                                                                                  \
	X(ticket_require, "ta", "b", EQUAL)                                                                                \
	X(ticket_seal, "t", "b", EQUAL)                                                                                    \
	X(ticket_get, "t", "bnnn", TIMING)                                                                                 \
	X(ticket_at, "tn", "ba", TIMING)                                                                                   \
	X(ticket_wait, "t", "b", TIMING)                                                                                   \
	X(ticket_close, "t", "b", EQUAL)

#define LRD_TRACE_VALUES_MAX 5

typedef enum lrd_call
{
#define LRD_CALL_NAME(name, arguments, answers, check) LRD_CALL_##name,
	LRD_TRACE_CALLS(LRD_CALL_NAME)
#undef LRD_CALL_NAME
	LRD_CALL_COUNT
} lrd_call;

typedef struct lrd_call_row
{
	const char *name;
	const char *arguments;
	const char *answers;
	lrd_trace_check check;
} lrd_call_row;

/// trace.c
extern const lrd_call_row lrd_call_rows[LRD_CALL_COUNT];

#define LRD_TRACE_VERSION 1
/// The longest text; what is longer is cut. More than an asset's name can have, so that a name that was refused for its
/// length is refused again.
#define LRD_TRACE_TEXT_MAX 2048u
/// Threads that are told apart; those beyond share the last number.
#define LRD_TRACE_THREADS_MAX 1024u

#endif

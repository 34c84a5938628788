// os/watch.h: noticing that files change: a folder with all below it, or a single file. Linux: inotify(7).

#ifndef OS_WATCH_H
#define OS_WATCH_H

#include "os/os.h"

/// What changed since the last time.
typedef struct lrd_watch_changes
{
	/// Relative to the folder, each once, in the order in which they were noticed: files that are new, different or gone.
	/// They live during the call. Names that start with "." are passed over.
	const lrd_string *paths;
	size_t count;
	/// More changed than is known, so `paths` is empty: look at everything. Of a single file always.
	bool everything;
	const char *problem; ///< what can't be watched from now on, and what to do about it; NULL: nothing new
} lrd_watch_changes;

typedef struct lrd_watcher_desc
{
	const char *path; ///< a folder, or a file, which need not be there while its folder is
	/// On the watcher's own thread, no lock held. Must not stop the watcher.
	void (*on_change)(void *user, const lrd_watch_changes *changes);
	void *user;
	uint32_t quiet_ms;   ///< how long nothing must happen before changes are told; 0: 40
	uint32_t longest_ms; ///< how long a change is kept back at most; 0: 500
	uint32_t paths_max;  ///< how many are told one by one; 0: 1024
	lrd_allocator allocator;
} lrd_watcher_desc;

/// Files that are being watched, by a thread that sleeps until something happens.
typedef struct lrd_watcher lrd_watcher;

/// Start. What changes after this has returned is told. Folders that can't be read are passed over. Links to folders
/// are followed as lrd_folder_walk does. A folder that is deleted or renamed, and made again, is watched again.
/// Errors: LRD_ERROR_NOT_FOUND; LRD_ERROR_LIMIT (the system allows no more watches; the message says what to raise),
/// LRD_ERROR_UNSUPPORTED (this system can't), LRD_ERROR_IO, LRD_ERROR_MEMORY.
lrd_watcher *lrd_watcher_start(const lrd_watcher_desc *desc, lrd_error *error);

/// Ask it to end: its thread does so soon, and lrd_watcher_stop does not wait for long. Harmless twice; from anywhere.
void lrd_watcher_end(lrd_watcher *watcher);

/// Nothing is told once this returns. NULL is allowed. Not from on_change.
void lrd_watcher_stop(lrd_watcher *watcher);

/// Say that the system refused a watch on `path`, with its errno value, and what to do. Returns false.
bool lrd_watcher_refused(lrd_error *error, int number, const char *path);

#endif

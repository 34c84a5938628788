// store/watch.h: mounts that are watched. A thread of the watcher's own notices what changes, lrd_store_update sends a job
// to look at it, and that job has loaded anew what differs. No call here waits for the disk but those that mount.

#ifndef STORE_WATCH_H
#define STORE_WATCH_H

#include "store/store.h"

typedef struct lrd_watched lrd_watched;

/// Begin to watch what is about to be mounted: a folder, or a bundle. NULL: it can't be, which is logged, and the mount
/// works on without.
lrd_watched *lrd_watch_begin(lrd_store *store, const char *path, bool folder);
/// It is mounted now, under this id. NULL is allowed, as below.
void lrd_watch_attach(lrd_watched *watched, lrd_mount mount);
/// It is not, after all.
void lrd_watch_cancel(lrd_watched *watched);
/// It is unmounted. Nothing, where it was not watched.
void lrd_watch_end(lrd_store *store, lrd_mount mount);

/// Files changed: send jobs. The owner.
void lrd_watch_update(lrd_store *store);

/// Watch nothing any more; waits for jobs. Harmless twice.
void lrd_watch_stop(lrd_store *store);

#endif

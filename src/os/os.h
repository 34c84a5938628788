// os/os.h: the operating system: files, mappings, folders, threads, clock. The only folder with #ifdef per platform.
// Paths here are native, null-terminated UTF-8. Errors name the path and the system's reason.

#ifndef OS_OS_H
#define OS_OS_H

#include "base/memory.h"

#include <stdatomic.h>

/// What a file was when it was looked at.
typedef struct lrd_file_info
{
	uint64_t size;
	int64_t mtime_ns;
	uint64_t inode;
	bool is_folder;
	bool is_file;
	bool is_link;        ///< lrd_file_stat follows links and never says this; lrd_folder_walk does
	const char *problem; ///< from lrd_folder_walk: why this folder can't be read, for the time of the call; else NULL
} lrd_file_info;

/// Errors: LRD_ERROR_NOT_FOUND, LRD_ERROR_IO.
bool lrd_file_stat(const char *path, lrd_file_info *info, lrd_error *error);

/// Read a whole regular file; data aligned to 16. LRD_ERROR_CHANGED when its size or mtime changed meanwhile. The
/// buffer's allocator is used.
bool lrd_file_read(const char *path, lrd_buffer *out, lrd_error *error);

/// Write beside `path` under a temporary name, flush to disk, rename over `path`. On failure the old file is as it was
/// and the temporary is gone. What is there and no regular file (a device, a pipe, or a link to one) is not replaced.
bool lrd_file_write(const char *path, const void *data, size_t size, lrd_error *error);

/// The same in pieces: begin, write any number of times, then commit or abandon.
typedef struct lrd_file_writer lrd_file_writer;
lrd_file_writer *lrd_file_writer_begin(const char *path, lrd_allocator allocator, lrd_error *error);
bool lrd_file_writer_write(lrd_file_writer *writer, const void *data, size_t size, lrd_error *error);
/// Everything written so far to disk: a commit right after it has nothing left to do but rename.
bool lrd_file_writer_flush(lrd_file_writer *writer, lrd_error *error);
/// Ends the writer either way.
bool lrd_file_writer_commit(lrd_file_writer *writer, lrd_error *error);
/// Leaves no trace. NULL is allowed.
void lrd_file_writer_abandon(lrd_file_writer *writer);

/// Write a file that nobody looks at yet, for lrd_files_flush and lrd_file_rename to put in place later. On failure it is gone.
bool lrd_file_stage(const char *path, const void *data, size_t size, lrd_error *error);

/// Flush staged files of one folder to disk: where there are several and the system can, its whole file system at once, which is far quicker.
bool lrd_files_flush(const char *folder, const char *const *paths, size_t count, lrd_error *error);

/// Put a file in the place of `to`, in one step; both on one file system.
bool lrd_file_rename(const char *from, const char *to, lrd_error *error);

/// Delete a file; one that is not there is no error.
bool lrd_file_remove(const char *path, lrd_error *error);

/// Make a folder and those above it.
bool lrd_folder_make(const char *path, lrd_error *error);
/// Flush a folder's names to disk; a failure is nobody's: the names are there already.
void lrd_folder_flush(const char *path);
/// Delete a folder if it is empty; anything else is left alone.
void lrd_folder_remove_empty(const char *path);

/// Call `visit` for every file under `root`, in byte order of its path relative to `root`. Names that start with "."
/// are passed over. Symbolic links are followed when what they lead to lies inside `root` (after resolving both) and is
/// no folder that they lie in, else visited with is_link set. More than 4096 followed links to folders:
/// LRD_ERROR_LIMIT. A folder below `root` that can't be read, or whose path is too long, is visited itself, with
/// `problem` set and a path that ends in "/"; the walk goes on. `visit` returns false to stop, and then so does this.
bool lrd_folder_walk(const char *root, lrd_allocator allocator,
	bool (*visit)(void *user, lrd_string path, const lrd_file_info *info), void *user, lrd_error *error);

/// `root` / `relative` as a native path in the arena, null-terminated; refused (LRD_ERROR_PATH) where, links resolved,
/// it leaves `root`. A file that does not exist yet is checked by its nearest folder that does; a broken link on the
/// way is refused.
bool lrd_path_inside(lrd_arena *arena, const char *root, lrd_string relative, const char **result, lrd_error *error);

/// A read-only mapping of a whole file that lives as long as anyone holds a lease on it.
typedef struct lrd_mapping lrd_mapping;
/// The caller holds the first lease. The descriptor is closed again. An empty file maps to size 0.
lrd_mapping *lrd_mapping_open(const char *path, lrd_allocator allocator, lrd_error *error);
/// Another lease. Any thread that holds one.
void lrd_mapping_retain(lrd_mapping *mapping);
/// Give a lease back; the last one unmaps. NULL is allowed.
void lrd_mapping_release(lrd_mapping *mapping);
lrd_bytes lrd_mapping_bytes(const lrd_mapping *mapping);

/// Bring the pages of mapped bytes into memory, so that looking at them does not wait for the disk. False when the
/// system says that they can't be had (the file was cut short behind the mapping, or the disk fails), where the system
/// can say so.
bool lrd_pages_bring_in(const void *data, size_t size);

/// An exclusive lock on a file, made if missing; held until released or the process ends. Zeroed: not held.
typedef struct lrd_file_lock
{
	int descriptor;
} lrd_file_lock;
/// LRD_ERROR_CONFLICT when another process or lock holds it.
bool lrd_file_lock_take(const char *path, lrd_file_lock *lock, lrd_error *error);
void lrd_file_lock_release(lrd_file_lock *lock);

typedef struct lrd_thread lrd_thread;
lrd_thread *lrd_thread_start(
	void (*run)(void *user), void *user, size_t stack_size, lrd_allocator allocator, lrd_error *error);
/// Wait for it to end and free it.
void lrd_thread_join(lrd_thread *thread);

/// A number of the calling thread's own, never 0; another thread may get it when this one has ended.
uintptr_t lrd_thread_self(void);

typedef struct lrd_mutex
{
	_Alignas(16) unsigned char storage[64];
} lrd_mutex;
bool lrd_mutex_init(lrd_mutex *mutex);
void lrd_mutex_destroy(lrd_mutex *mutex);
void lrd_mutex_lock(lrd_mutex *mutex);
void lrd_mutex_unlock(lrd_mutex *mutex);

typedef struct lrd_condition
{
	_Alignas(16) unsigned char storage[64];
} lrd_condition;
bool lrd_condition_init(lrd_condition *condition);
void lrd_condition_destroy(lrd_condition *condition);
void lrd_condition_wait(lrd_condition *condition, lrd_mutex *mutex);
void lrd_condition_signal(lrd_condition *condition);
void lrd_condition_broadcast(lrd_condition *condition);

/// Monotonic nanoseconds.
uint64_t lrd_clock_ns(void);
/// Processors this process may use, at least 1.
uint32_t lrd_processor_count(void);

#endif

// os/file.c: single files: looking at them, reading them whole, replacing them atomically, deleting and locking them.

#include "os/system.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

// The most that is asked of one read or write call: some systems refuse more than INT_MAX.
#define LARGEST_TRANSFER ((size_t)1 << 30)

// Small writes are gathered up to this size.
#define WRITER_BUFFER_SIZE ((size_t)64 * 1024)

// How much of a file's name its temporary name repeats, so that the whole stays under 255 bytes.
#define TEMPORARY_NAME_MAX 128
#define TEMPORARY_EXTRA 64

// Stale temporaries of killed processes may have taken a name; so many of them are stepped over.
#define TEMPORARY_TRIES 1000

const char *lrd_system_reason(int number, char *text, size_t size)
{
	// The POSIX strerror_r; this room is compiled without _GNU_SOURCE where it is called.
	return strerror_r(number, text, size) == 0 ? text : "unknown error";
}

bool lrd_fail_system(lrd_error *error, int number, const char *what, const char *path)
{
	char reason[128];
	lrd_error_code code = LRD_ERROR_IO;
	if (number == ENOENT || number == ENOTDIR || number == ENAMETOOLONG) // too long to be there
	{
		code = LRD_ERROR_NOT_FOUND;
	}
	else if (number == ENOMEM)
	{
		code = LRD_ERROR_MEMORY;
	}
	return lrd_fail(error, code, "%s: %s: %s", path, what, lrd_system_reason(number, reason, sizeof reason));
}

lrd_file_info lrd_info_of(const struct stat *status)
{
#if defined(__APPLE__)
	struct timespec modified = status->st_mtimespec;
#else
	struct timespec modified = status->st_mtim;
#endif
	return (lrd_file_info){
		.size = (uint64_t)status->st_size,
		.mtime_ns = (int64_t)modified.tv_sec * 1000000000 + (int64_t)modified.tv_nsec,
		.inode = (uint64_t)status->st_ino,
		.is_folder = S_ISDIR(status->st_mode),
		.is_file = S_ISREG(status->st_mode),
		.is_link = S_ISLNK(status->st_mode),
	};
}

bool lrd_file_stat(const char *path, lrd_file_info *info, lrd_error *error)
{
	struct stat status;
	if (stat(path, &status) != 0)
	{
		return lrd_fail_system(error, errno, "can't look at it", path);
	}
	*info = lrd_info_of(&status);
	return true;
}

static int open_retrying(const char *path, int flags, mode_t mode)
{
	int descriptor;
	do
	{
		descriptor = open(path, flags | O_CLOEXEC, mode);
	} while (descriptor < 0 && errno == EINTR);
	return descriptor;
}

int lrd_open_regular(const char *path, struct stat *status, lrd_error *error)
{
	// Without O_NONBLOCK, opening a pipe that nobody writes to would wait for ever. It changes nothing for regular
	// files.
	int descriptor = open_retrying(path, O_RDONLY | O_NONBLOCK, 0);
	if (descriptor < 0)
	{
		lrd_fail_system(error, errno, "can't open it", path);
		return -1;
	}
	if (fstat(descriptor, status) != 0)
	{
		lrd_fail_system(error, errno, "can't look at it", path);
		close(descriptor);
		return -1;
	}
	if (!S_ISREG(status->st_mode))
	{
		lrd_fail(error, LRD_ERROR_IO, "%s: it is %s, a file was expected", path,
			S_ISDIR(status->st_mode) ? "a folder" : "no regular file");
		close(descriptor);
		return -1;
	}
	return descriptor;
}

// Reads up to `size` bytes; fewer only at the end of the file. -1 with errno set on failure.
static ssize_t read_fully(int descriptor, uint8_t *data, size_t size)
{
	size_t done = 0;
	while (done < size)
	{
		size_t wanted = size - done < LARGEST_TRANSFER ? size - done : LARGEST_TRANSFER;
		ssize_t got = read(descriptor, data + done, wanted);
		if (got < 0 && errno == EINTR)
		{
			continue;
		}
		if (got < 0)
		{
			return -1;
		}
		if (got == 0)
		{
			break;
		}
		done += (size_t)got;
	}
	return (ssize_t)done;
}

static bool fail_changed(lrd_error *error, const char *path)
{
	return lrd_fail(
		error, LRD_ERROR_CHANGED, "%s: it changed while it was read; read it again when it is at rest", path);
}

// Fills `data` with the file's `before->st_size` bytes and makes sure that they belong to one state of the file.
static bool read_at_rest(int descriptor, const char *path, const struct stat *before, uint8_t *data, lrd_error *error)
{
	size_t size = (size_t)before->st_size;
	uint8_t beyond;
	ssize_t got = read_fully(descriptor, data, size);
	ssize_t more = got < 0 ? 0 : read_fully(descriptor, &beyond, 1);
	struct stat after;
	if (got < 0 || more < 0 || fstat(descriptor, &after) != 0)
	{
		return lrd_fail_system(error, errno, "can't read it", path);
	}
	bool same = lrd_info_of(before).mtime_ns == lrd_info_of(&after).mtime_ns && before->st_size == after.st_size;
	return (same && (size_t)got == size && more == 0) || fail_changed(error, path);
}

bool lrd_file_read(const char *path, lrd_buffer *out, lrd_error *error)
{
	struct stat before;
	int descriptor = lrd_open_regular(path, &before, error);
	if (descriptor < 0)
	{
		return false;
	}
	size_t size = (size_t)before.st_size;
	lrd_buffer read = { .size = size, .capacity = size, .allocator = out->allocator };
	read.data = lrd_alloc(read.allocator, size);
	if (size != 0 && read.data == NULL)
	{
		close(descriptor);
		return lrd_fail_memory(error, path, size);
	}
	bool sound = read_at_rest(descriptor, path, &before, read.data, error);
	close(descriptor);
	if (!sound)
	{
		lrd_buffer_free(&read);
		return false;
	}
	lrd_buffer_free(out);
	*out = read;
	return true;
}

struct lrd_file_writer
{
	lrd_allocator allocator;
	size_t allocated; // bytes of this struct, buffer and names
	int descriptor;
	bool failed;
	size_t buffered;
	uint8_t *buffer; // WRITER_BUFFER_SIZE
	char *path;
	char *temporary;
	size_t temporary_size; // room for the temporary's name
};

// How many bytes of `path` are folder, the last "/" included.
static size_t folder_size(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash != NULL ? (size_t)(slash - path) + 1 : 0;
}

static bool open_temporary(lrd_file_writer *writer, lrd_error *error)
{
	static atomic_uint counter;
	size_t folder = folder_size(writer->path);
	const char *name = writer->path + folder;
	size_t name_size = strlen(name) < TEMPORARY_NAME_MAX ? strlen(name) : TEMPORARY_NAME_MAX;
	while (name_size > 0 && ((unsigned char)name[name_size] & 0xC0) == 0x80)
	{
		name_size--; // some file systems insist on whole UTF-8 characters
	}
	for (int i = 0; i < TEMPORARY_TRIES; i++)
	{
		snprintf(writer->temporary, writer->temporary_size, "%.*s.%.*s.%ld.%u.tmp", (int)folder, writer->path,
			(int)name_size, name, (long)getpid(), atomic_fetch_add(&counter, 1));
		writer->descriptor = open_retrying(writer->temporary, O_WRONLY | O_CREAT | O_EXCL, 0666);
		if (writer->descriptor >= 0)
		{
			return true;
		}
		if (errno != EEXIST)
		{
			break;
		}
	}
	return lrd_fail_system(error, errno, "can't make a temporary file beside it", writer->path);
}

lrd_file_writer *lrd_file_writer_begin(const char *path, lrd_allocator allocator, lrd_error *error)
{
	size_t path_size = strlen(path) + 1;
	if (path[folder_size(path)] == '\0')
	{
		lrd_fail(error, LRD_ERROR_ARGUMENT, "\"%s\": it names no file to write", path);
		return NULL;
	}
	struct stat status;
	if (stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode))
	{
		// The rename would take the place of a device or a pipe, for everybody.
		lrd_fail(error, LRD_ERROR_IO, "%s: it is no regular file, and is not replaced by one", path);
		return NULL;
	}
	size_t temporary_size = folder_size(path) + TEMPORARY_NAME_MAX + TEMPORARY_EXTRA;
	size_t size = sizeof(lrd_file_writer) + WRITER_BUFFER_SIZE + path_size + temporary_size;
	lrd_file_writer *writer = lrd_alloc(allocator, size);
	if (writer == NULL)
	{
		lrd_fail_memory(error, path, size);
		return NULL;
	}
	*writer = (lrd_file_writer){ .allocator = allocator, .allocated = size, .temporary_size = temporary_size };
	writer->buffer = (uint8_t *)(writer + 1);
	writer->path = (char *)writer->buffer + WRITER_BUFFER_SIZE;
	writer->temporary = writer->path + path_size;
	memcpy(writer->path, path, path_size);
	if (!open_temporary(writer, error))
	{
		lrd_free(allocator, writer, size);
		return NULL;
	}
	return writer;
}

static bool write_to(int descriptor, const char *path, const uint8_t *data, size_t size, lrd_error *error)
{
	while (size != 0)
	{
		ssize_t put = write(descriptor, data, size < LARGEST_TRANSFER ? size : LARGEST_TRANSFER);
		if (put < 0 && errno == EINTR)
		{
			continue;
		}
		if (put <= 0)
		{
			return lrd_fail_system(error, put < 0 ? errno : ENOSPC, "can't write it", path);
		}
		data += put;
		size -= (size_t)put;
	}
	return true;
}

static bool flush_to_disk(int descriptor, const char *path, lrd_error *error)
{
	int result;
	do
	{
		result = fsync(descriptor);
	} while (result != 0 && errno == EINTR);
	return result == 0 || lrd_fail_system(error, errno, "can't flush it to disk", path);
}

static bool write_fully(lrd_file_writer *writer, const uint8_t *data, size_t size, lrd_error *error)
{
	writer->failed = !write_to(writer->descriptor, writer->path, data, size, error);
	return !writer->failed;
}

static bool flush_buffer(lrd_file_writer *writer, lrd_error *error)
{
	size_t size = writer->buffered;
	writer->buffered = 0;
	return write_fully(writer, writer->buffer, size, error);
}

static bool fail_earlier(const lrd_file_writer *writer, lrd_error *error)
{
	return lrd_fail(error, LRD_ERROR_IO, "%s: an earlier write to it failed", writer->path);
}

bool lrd_file_writer_write(lrd_file_writer *writer, const void *data, size_t size, lrd_error *error)
{
	if (writer->failed)
	{
		return fail_earlier(writer, error);
	}
	if (size == 0)
	{
		return true;
	}
	if (size > WRITER_BUFFER_SIZE - writer->buffered && !flush_buffer(writer, error))
	{
		return false;
	}
	if (size >= WRITER_BUFFER_SIZE)
	{
		return write_fully(writer, data, size, error);
	}
	memcpy(writer->buffer + writer->buffered, data, size);
	writer->buffered += size;
	return true;
}

bool lrd_file_writer_flush(lrd_file_writer *writer, lrd_error *error)
{
	if (writer->failed)
	{
		return fail_earlier(writer, error);
	}
	if (!flush_buffer(writer, error))
	{
		return false;
	}
	return flush_to_disk(writer->descriptor, writer->path, error);
}

void lrd_folder_flush(const char *path)
{
	int descriptor = open_retrying(path, O_RDONLY, 0);
	if (descriptor >= 0)
	{
		(void)fsync(descriptor);
		close(descriptor);
	}
}

// Flushes the new name to disk. A failure is not the writer's: the name already leads to the new file, and should the
// machine stop now, the old file, whole, may come back at worst.
static void flush_folder(lrd_file_writer *writer)
{
	size_t size = folder_size(writer->path);
	char *folder = writer->temporary; // no longer needed, and long enough
	memcpy(folder, size != 0 ? writer->path : ".", size != 0 ? size : 1);
	folder[size != 0 ? size : 1] = '\0';
	lrd_folder_flush(folder);
}

bool lrd_file_writer_commit(lrd_file_writer *writer, lrd_error *error)
{
	bool done = lrd_file_writer_flush(writer, error);
	if (close(writer->descriptor) != 0 && done && errno != EINTR)
	{
		done = lrd_fail_system(error, errno, "can't close it", writer->path);
	}
	writer->descriptor = -1;
	if (done && rename(writer->temporary, writer->path) != 0)
	{
		done = lrd_fail_system(error, errno, "can't put the new file in its place", writer->path);
	}
	if (!done)
	{
		lrd_file_writer_abandon(writer);
		return false;
	}
	flush_folder(writer);
	lrd_free(writer->allocator, writer, writer->allocated);
	return true;
}

void lrd_file_writer_abandon(lrd_file_writer *writer)
{
	if (writer == NULL)
	{
		return;
	}
	if (writer->descriptor >= 0)
	{
		close(writer->descriptor);
	}
	(void)unlink(writer->temporary);
	lrd_free(writer->allocator, writer, writer->allocated);
}

bool lrd_file_write(const char *path, const void *data, size_t size, lrd_error *error)
{
	lrd_file_writer *writer = lrd_file_writer_begin(path, (lrd_allocator){ 0 }, error);
	if (writer == NULL)
	{
		return false;
	}
	if (!lrd_file_writer_write(writer, data, size, error))
	{
		lrd_file_writer_abandon(writer);
		return false;
	}
	return lrd_file_writer_commit(writer, error);
}

bool lrd_file_remove(const char *path, lrd_error *error)
{
	if (unlink(path) == 0 || errno == ENOENT || errno == ENOTDIR)
	{
		return true;
	}
	return lrd_fail_system(error, errno, "can't delete it", path);
}

bool lrd_file_stage(const char *path, const void *data, size_t size, lrd_error *error)
{
	int descriptor = open_retrying(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	if (descriptor < 0)
	{
		return lrd_fail_system(error, errno, "can't make it", path);
	}
	bool good = write_to(descriptor, path, data, size, error);
	if (close(descriptor) != 0 && good && errno != EINTR)
	{
		good = lrd_fail_system(error, errno, "can't close it", path);
	}
	if (!good)
	{
		(void)unlink(path);
	}
	return good;
}

bool lrd_file_rename(const char *from, const char *to, lrd_error *error)
{
	return rename(from, to) == 0 || lrd_fail_system(error, errno, "can't put a file in place", to);
}

bool lrd_file_lock_take(const char *path, lrd_file_lock *lock, lrd_error *error)
{
	int descriptor = open_retrying(path, O_RDWR | O_CREAT, 0666);
	if (descriptor == 0) // a zeroed lock must mean "not held"
	{
		descriptor = fcntl(0, F_DUPFD_CLOEXEC, 3);
		close(0);
	}
	if (descriptor < 0)
	{
		return lrd_fail_system(error, errno, "can't open it to lock it", path);
	}
	int result;
	do
	{
		result = flock(descriptor, LOCK_EX | LOCK_NB);
	} while (result != 0 && errno == EINTR);
	if (result != 0)
	{
		int number = errno;
		close(descriptor);
		return number == EWOULDBLOCK ? lrd_fail(error, LRD_ERROR_CONFLICT, "%s: another process holds this lock", path)
									 : lrd_fail_system(error, number, "can't lock it", path);
	}
	lock->descriptor = descriptor;
	return true;
}

void lrd_file_lock_release(lrd_file_lock *lock)
{
	if (lock->descriptor > 0)
	{
		close(lock->descriptor); // which gives the lock back
	}
	lock->descriptor = 0;
}

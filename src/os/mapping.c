// os/mapping.c: files mapped for reading, shared by leases.

#if defined(__linux__)
#define _DEFAULT_SOURCE // madvise
#endif

#include "os/system.h"

#include "base/error.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__linux__) && !defined(MADV_POPULATE_READ)
#define MADV_POPULATE_READ 22 // Linux 5.14; older C libraries don't name it
#endif

struct lrd_mapping
{
	atomic_size_t leases;
	lrd_allocator allocator;
	void *data; // NULL when size is 0: nothing can be mapped then
	size_t size;
};

lrd_mapping *lrd_mapping_open(const char *path, lrd_allocator allocator, lrd_error *error)
{
	lrd_mapping *mapping = lrd_alloc(allocator, sizeof *mapping);
	if (mapping == NULL)
	{
		lrd_fail_memory(error, path, sizeof *mapping);
		return NULL;
	}
	struct stat status;
	int descriptor = lrd_open_regular(path, &status, error);
	if (descriptor < 0)
	{
		lrd_free(allocator, mapping, sizeof *mapping);
		return NULL;
	}
	size_t size = (size_t)status.st_size;
	void *data = size != 0 ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, descriptor, 0) : NULL;
	int number = errno;
	close(descriptor);
	if (data == MAP_FAILED)
	{
		lrd_fail_system(error, number, "can't map it", path);
		lrd_free(allocator, mapping, sizeof *mapping);
		return NULL;
	}
	*mapping = (lrd_mapping){ .allocator = allocator, .data = data, .size = size };
	atomic_init(&mapping->leases, 1);
	return mapping;
}

void lrd_mapping_retain(lrd_mapping *mapping)
{
	atomic_fetch_add_explicit(&mapping->leases, 1, memory_order_relaxed);
}

void lrd_mapping_release(lrd_mapping *mapping)
{
	// Every release comes before the unmapping, with all that was read through it.
	if (mapping == NULL || atomic_fetch_sub_explicit(&mapping->leases, 1, memory_order_acq_rel) != 1)
	{
		return;
	}
	if (mapping->size != 0)
	{
		munmap(mapping->data, mapping->size);
	}
	lrd_free(mapping->allocator, mapping, sizeof *mapping);
}

lrd_bytes lrd_mapping_bytes(const lrd_mapping *mapping)
{
	return (lrd_bytes){ mapping->data, mapping->size };
}

static void touch_pages(const volatile unsigned char *first, const volatile unsigned char *end, size_t page)
{
	for (const volatile unsigned char *at = first; at < end; at += page)
	{
		(void)*at;
	}
}

bool lrd_pages_bring_in(const void *data, size_t size)
{
	if (size == 0)
	{
		return true;
	}
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uintptr_t first = (uintptr_t)data / page * page;
	uintptr_t end = (uintptr_t)data + size;
#if defined(__linux__)
	int result;
	do
	{
		result = madvise((void *)first, lrd_align_up(end - first, page), MADV_POPULATE_READ);
	} while (result != 0 && (errno == EINTR || errno == EAGAIN));
	if (result == 0 || errno != EINVAL) // EINVAL: an older kernel
	{
		return result == 0;
	}
#endif
	touch_pages((const volatile unsigned char *)first, (const volatile unsigned char *)end, page);
	return true;
}

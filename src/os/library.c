// os/library.c: dlopen(3).

#include "os/library.h"

#include "base/error.h"

#include <dlfcn.h>
#include <string.h>

void *lrd_library_open(const char *const *names, lrd_error *error)
{
	for (size_t i = 0; names[i] != NULL; ++i)
	{
		void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
		if (library != NULL)
		{
			return library;
		}
		const char *reason = dlerror();
		if (i == 0)
		{
			lrd_fail(error, LRD_ERROR_NOT_FOUND, "%s", reason != NULL ? reason : names[i]);
		}
	}
	return NULL;
}

lrd_library_function lrd_library_find(void *library, const char *name)
{
	void *symbol = dlsym(library, name);
	lrd_library_function function = NULL;
	_Static_assert(sizeof symbol == sizeof function, "POSIX has functions and data of one size");
	memcpy(&function, &symbol, sizeof function); // C has no conversion between the two
	return function;
}

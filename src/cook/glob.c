// Path patterns. Stars are retried from the last one only, which suffices since a later star can take whatever an
// earlier one could; a "**" keeps its own place to fall back to, since a "*" can't cross folders.

#include "cook/glob.h"

#include <stddef.h>

bool lrd_glob_matches(const char *pattern, const char *path)
{
	const char *star = NULL;
	const char *star_path = NULL;
	const char *deep = NULL;
	const char *deep_path = NULL;
	while (*path != 0 || *pattern != 0)
	{
		if (pattern[0] == '*' && pattern[1] == '*')
		{
			deep = pattern + (pattern[2] == '/' ? 3 : 2);
			deep_path = path;
			star = NULL;
			pattern = deep;
		}
		else if (*pattern == '*')
		{
			star = ++pattern;
			star_path = path;
		}
		else if (*path != 0 && (*pattern == *path || (*pattern == '?' && *path != '/')))
		{
			pattern++;
			path++;
		}
		else if (star != NULL && *star_path != 0 && *star_path != '/')
		{
			path = ++star_path;
			pattern = star;
		}
		else if (deep != NULL && *deep_path != 0)
		{
			deep_path++;
			// "**/" stands for whole folders, so what follows starts at one.
			while (deep[-1] == '/' && *deep_path != 0 && deep_path[-1] != '/')
			{
				deep_path++;
			}
			if (*deep_path == 0 && deep[-1] == '/')
			{
				return false;
			}
			star = NULL;
			path = deep_path;
			pattern = deep;
		}
		else
		{
			return false;
		}
	}
	return true;
}

// Names that there are, where one was given that there is not.

#include "cli/view/view.h"

void view_names_add(view_names *self, lrd_string name)
{
	const char *comma = self->used != 0 ? ", " : "";
	self->count++;
	int size =
		self->left_out == 0 && name.size < sizeof self->text
			? snprintf(self->text + self->used, sizeof self->text - self->used, "%s%.*s", comma, LRD_STR_ARG(name))
			: -1;
	if (size < 0 || (size_t)size >= sizeof self->text - self->used)
	{
		self->text[self->used] = 0; // a name is there as a whole or not at all
		self->left_out++;
		return;
	}
	self->used += (size_t)size;
}

void view_names_say(const view_names *self, const char *of, const char *what, const char *name)
{
	if (self->count == 0)
	{
		const char *quote = *name != 0 ? "\"" : "";
		cli_error("view: %s has no %s%s%s%s%s", of, what, *name != 0 ? " " : "", quote, name, quote);
		return;
	}
	char more[32] = "";
	if (self->left_out != 0)
	{
		snprintf(more, sizeof more, " and %u more", self->left_out);
	}
	cli_error("view: %s has no %s \"%s\"; it has %s%s", of, what, name, self->text, more);
}

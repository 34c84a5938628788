// Noticing that a source changed: another store looks at the folder of sources, where the files that were cooked, and those that they
// name, are blobs that it holds.

#include "cli/view/view.h"
#include "larder/document.h"

#include <stdlib.h>
#include <string.h>

struct view_sources
{
	lrd_store *store;
	bool has_changed;
};

static void hear(void *user, const lrd_event *event)
{
	view_sources *self = user;
	(void)event;
	self->has_changed = true;
}

static void log_nothing(void *user, lrd_log_level level, const char *scope, const char *message)
{
	(void)user;
	(void)level;
	(void)scope;
	(void)message;
}

/// A file that is missing is waited for, too. One that has no name that an asset can have is not looked at.
static void look_at(view_sources *self, lrd_string path)
{
	lrd_error error;
	lrd_kind kind = lrd_kind_from_path(path);
	lrd_string stem = { path.data, path.size - strlen(lrd_kind_extension(kind)) };
	lrd_asset asset = lrd_asset_find_string(self->store, kind, stem, &error);
	if (!lrd_asset_is_valid(self->store, asset) || lrd_asset_has(self->store, asset))
	{
		return;
	}
	lrd_pin(self->store, asset);
	if (lrd_retain_now(self->store, asset, &error))
	{
		lrd_release(self->store, asset);
	}
}

static void look_at_settings(view_sources *self, lrd_string path)
{
	char name[1100];
	int size = snprintf(name, sizeof name, "%.*s.larder.json", LRD_STR_ARG(path));
	if (size > 0 && (size_t)size < sizeof name)
	{
		look_at(self, lrd_string_from(name));
	}
}

/// What an importer reads besides the source.
static void look_at_named(view_sources *self, const char *root, lrd_string path)
{
	char name[1100];
	lrd_error error;
	int size = snprintf(name, sizeof name, "%.*s", LRD_STR_ARG(path));
	bool is_named = size > 0 && (size_t)size < sizeof name && lrd_import_knows(path);
	lrd_document *document =
		is_named ? lrd_import_file(&(lrd_import_desc){ .root = root, .path = name }, &error) : NULL;
	if (document == NULL)
	{
		return;
	}
	for (uint32_t i = 0; i < document->dependency_count; ++i)
	{
		look_at(self, document->dependencies[i].path);
	}
	for (uint32_t i = 0; i < document->image_count; ++i)
	{
		if (document->images[i].path.size != 0)
		{
			look_at(self, document->images[i].path);
			look_at_settings(self, document->images[i].path);
		}
	}
	lrd_document_free(document);
}

view_sources *view_sources_open(const char *root, const lrd_cooked *cooked, lrd_error *error)
{
	view_sources *self = calloc(1, sizeof *self);
	if (self == NULL)
	{
		*error = (lrd_error){ LRD_ERROR_MEMORY, "out of memory" };
		return NULL;
	}
	self->store = lrd_store_open(
		&(lrd_store_desc){ .root = root, .watch = true, .worker_count = 1, .log = { .write = log_nothing } }, error);
	lrd_listener listener;
	if (self->store == NULL ||
		!lrd_store_listen(self->store, &(lrd_listener_desc){ .on_event = hear, .user = self }, &listener, error))
	{
		view_sources_close(self);
		return NULL;
	}
	uint32_t count = 0;
	const lrd_cooked_source *sources = lrd_cooked_sources(cooked, &count);
	look_at(self, LRD_STR("larder.json"));
	for (uint32_t i = 0; i < count; ++i)
	{
		look_at(self, sources[i].path);
		look_at_settings(self, sources[i].path);
		look_at_named(self, root, sources[i].path);
	}
	lrd_store_update(self->store); // that they came is no change
	self->has_changed = false;
	return self;
}

void view_sources_close(view_sources *self)
{
	if (self != NULL)
	{
		lrd_store_close(self->store);
		free(self);
	}
}

bool view_sources_update(view_sources *self)
{
	lrd_store_update(self->store);
	bool has_changed = self->has_changed;
	self->has_changed = false;
	return has_changed;
}

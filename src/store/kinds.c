// store/kinds.c: the table of kinds, and how a payload is got.

#include "store/kinds.h"

#include "store/store.h"

#include <stdio.h>

typedef struct kind_entry
{
	lrd_family family;
	const lrd_kind_row *row; ///< NULL: nothing here loads it
} kind_entry;

static const kind_entry entries[LRD_KIND_COUNT] = {
	[LRD_TEXTURE] = { LRD_FAMILY_TEXTURE, &lrd_kind_texture },
	[LRD_MESH] = { LRD_FAMILY_MODEL, &lrd_kind_mesh },
	[LRD_MATERIAL] = { LRD_FAMILY_MATERIAL, &lrd_kind_material },
	[LRD_MODEL] = { LRD_FAMILY_MODEL, &lrd_kind_model },
	[LRD_SKELETON] = { LRD_FAMILY_MODEL, &lrd_kind_skeleton },
	[LRD_CLIP] = { LRD_FAMILY_MODEL, &lrd_kind_clip },
	[LRD_COLLISION] = { LRD_FAMILY_MODEL, NULL },
	[LRD_CUE] = { LRD_FAMILY_SOUND, NULL },
	[LRD_FONT] = { LRD_FAMILY_FONT, NULL },
	[LRD_ATLAS] = { LRD_FAMILY_FONT, NULL },
	[LRD_SCENE] = { LRD_FAMILY_SCENE, NULL },
	[LRD_PREFAB] = { LRD_FAMILY_SCENE, NULL },
	[LRD_BLOB] = { LRD_FAMILY_BLOB, &lrd_kind_blob },
};

// Kinds come out of files too: any number may arrive here.
static const kind_entry *entry_of(lrd_kind kind)
{
	unsigned index = (unsigned)kind;
	return &entries[index < LRD_KIND_COUNT ? index : LRD_KIND_NONE];
}

const lrd_kind_row *lrd_kind_row_of(lrd_kind kind)
{
	return entry_of(kind)->row;
}

lrd_family lrd_kind_family(lrd_kind kind)
{
	return entry_of(kind)->family;
}

static void refuse_kind(const lrd_store *store, lrd_asset asset, lrd_kind wanted)
{
	char text[256] = "a stale asset";
	lrd_mutex *lock = lrd_store_lock(store);
	lrd_mutex_lock(lock); // it may be anybody's, so that its name may be forgotten meanwhile
	const lrd_record *record = lrd_record_of(store, asset);
	if (record != NULL)
	{
		int size = record->stem_size < 128 ? record->stem_size : 128;
		snprintf(text, sizeof text, "%.*s%s: asked for as a %s, and it is a %s", size, record->stem,
			size < record->stem_size ? "..." : "", lrd_kind_name(wanted), lrd_kind_name((lrd_kind)record->kind));
	}
	lrd_mutex_unlock(lock);
	lrd_store_refuse(store, text);
}

const void *lrd_kind_view(const lrd_store *store, lrd_asset asset, lrd_kind kind)
{
	if (asset.generation == 0)
	{
		return NULL;
	}
	const lrd_record *record = lrd_record_of(store, asset);
	if (record == NULL)
	{
		lrd_store_refuse(store, "the payload of a stale asset");
		return NULL;
	}
	if (record->kind != kind)
	{
		refuse_kind(store, asset, kind);
		return NULL;
	}
	lrd_state state = lrd_word_state(lrd_record_word(record));
	const lrd_payload *payload = state == LRD_READY || state == LRD_RELOAD_PENDING ? lrd_record_payload(record) : NULL;
	return payload == NULL ? NULL : payload->view;
}

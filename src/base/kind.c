// base/kind.c: the names and file extensions of kinds, all from one table.

#include "base/path.h"

typedef struct kind_row
{
	const char *name;
	const char *extension;
	size_t extension_size;
} kind_row;

#define ROW(name, extension)                                                                                           \
	{                                                                                                                  \
		name, extension, sizeof(extension) - 1                                                                         \
	}

static const kind_row rows[LRD_KIND_COUNT] = {
	[LRD_KIND_NONE] = ROW("none", ""),
	[LRD_TEXTURE] = ROW("texture", ".ktx2"),
	[LRD_MESH] = ROW("mesh", ".lmesh"),
	[LRD_MATERIAL] = ROW("material", ".lmat"),
	[LRD_MODEL] = ROW("model", ".lmodel"),
	[LRD_SKELETON] = ROW("skeleton", ".lskel"),
	[LRD_CLIP] = ROW("clip", ".lclip"),
	[LRD_COLLISION] = ROW("collision", ".lcol"),
	[LRD_CUE] = ROW("cue", ".lcue"),
	[LRD_FONT] = ROW("font", ".lfont"),
	[LRD_ATLAS] = ROW("atlas", ".latlas"),
	[LRD_SCENE] = ROW("scene", ".lscene"),
	[LRD_PREFAB] = ROW("prefab", ".lprefab"),
	[LRD_BLOB] = ROW("blob", ""),
};

// Kinds come out of files too: any number may arrive here.
static const kind_row *row_of(lrd_kind kind)
{
	unsigned index = (unsigned)kind;
	return &rows[index < LRD_KIND_COUNT ? index : LRD_KIND_NONE];
}

const char *lrd_kind_name(lrd_kind kind)
{
	return row_of(kind)->name;
}

const char *lrd_kind_extension(lrd_kind kind)
{
	return row_of(kind)->extension;
}

lrd_kind lrd_kind_from_path(lrd_string path)
{
	lrd_string extension = lrd_path_extension(path);
	for (int kind = LRD_TEXTURE; kind < LRD_BLOB; kind++)
	{
		if (lrd_string_equal_folded(extension, (lrd_string){ rows[kind].extension, rows[kind].extension_size }))
		{
			return (lrd_kind)kind;
		}
	}
	return LRD_BLOB;
}

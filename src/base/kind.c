// base/kind.c: the names and file extensions of kinds, all from one table.

#include "base/path.h"

typedef struct kind_row
{
	const char *name;
	const char *extension;
} kind_row;

static const kind_row rows[LRD_KIND_COUNT] = {
	[LRD_KIND_NONE] = { "none", "" },
	[LRD_TEXTURE] = { "texture", ".ktx2" },
	[LRD_MESH] = { "mesh", ".lmesh" },
	[LRD_MATERIAL] = { "material", ".lmat" },
	[LRD_MODEL] = { "model", ".lmodel" },
	[LRD_SKELETON] = { "skeleton", ".lskel" },
	[LRD_CLIP] = { "clip", ".lclip" },
	[LRD_COLLISION] = { "collision", ".lcol" },
	[LRD_CUE] = { "cue", ".lcue" },
	[LRD_FONT] = { "font", ".lfont" },
	[LRD_ATLAS] = { "atlas", ".latlas" },
	[LRD_SCENE] = { "scene", ".lscene" },
	[LRD_PREFAB] = { "prefab", ".lprefab" },
	[LRD_BLOB] = { "blob", "" },
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
		if (lrd_string_equal_folded(extension, lrd_string_from(rows[kind].extension)))
		{
			return (lrd_kind)kind;
		}
	}
	return LRD_BLOB;
}

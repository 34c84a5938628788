// store/kind_model.c: a model with what it holds: the meshes of its parts, the materials of its slots, its skeletons.
// Clips it only mentions, since a game plays few of them at a time.

#include "base/error.h"
#include "larder/payload.h"
#include "store/kinds.h"
#include "store/trace.h"

typedef bool name_asset(lrd_opening *opening, lrd_kind kind, lrd_string stem, lrd_asset *asset, lrd_error *error);

/// The stems of one of the model's tables: a field of each of its rows.
typedef struct stem_column
{
	const void *rows;
	uint32_t count;
	size_t row_size;
	size_t offset; ///< of the lrd_text in a row
} stem_column;

static lrd_text text_at(const stem_column *column, uint32_t row)
{
	lrd_text text;
	memcpy(&text, (const unsigned char *)column->rows + row * column->row_size + column->offset, sizeof text);
	return text;
}

/// Ask for the assets that a column names. Parts that place one mesh many times stand side by side, and the asset of such
/// a run is asked for once.
static bool name_column(lrd_opening *opening, const lrd_model_view *file, stem_column column, lrd_kind kind,
	name_asset *name, const lrd_asset **named, lrd_error *error)
{
	lrd_asset *assets = lrd_opening_alloc(opening, column.count, sizeof *assets);
	bool good = assets != NULL || lrd_fail_memory(error, "model", column.count * sizeof *assets);
	lrd_text previous = { 0, 0 };
	for (uint32_t i = 0; good && i < column.count; ++i)
	{
		lrd_text text = text_at(&column, i);
		if (i > 0 && text.offset == previous.offset && text.size == previous.size)
		{
			assets[i] = assets[i - 1];
		}
		else
		{
			good = name(opening, kind, lrd_model_text(file, text), &assets[i], error);
		}
		previous = text;
	}
	*named = assets;
	return good;
}

static bool open_model(lrd_opening *opening, lrd_bytes bytes, void *view, lrd_error *error)
{
	lrd_model *model = view;
	const lrd_model_view *file = &model->view;
	if (!lrd_model_open(bytes.data, bytes.size, &model->view, error))
	{
		return false;
	}
	stem_column meshes = { file->parts, file->part_count, sizeof *file->parts, offsetof(lrd_model_part, mesh) };
	stem_column materials = { file->materials, file->material_count, sizeof *file->materials,
		offsetof(lrd_model_material, stem) };
	stem_column skeletons = { file->skeletons, file->skeleton_count, sizeof *file->skeletons,
		offsetof(struct lrd_model_skeleton, stem) };
	stem_column clips = { file->clips, file->clip_count, sizeof *file->clips, offsetof(lrd_model_clip, stem) };
	return name_column(opening, file, meshes, LRD_MESH, lrd_opening_need, &model->meshes, error) &&
		   name_column(opening, file, materials, LRD_MATERIAL, lrd_opening_need, &model->materials, error) &&
		   name_column(opening, file, skeletons, LRD_SKELETON, lrd_opening_need, &model->skeletons, error) &&
		   name_column(opening, file, clips, LRD_CLIP, lrd_opening_mention, &model->clips, error);
}

const lrd_kind_row lrd_kind_model = {
	.kind = LRD_MODEL,
	.family = LRD_FAMILY_MODEL,
	.rank = 2,
	.view_size = sizeof(lrd_model),
	.open = open_model,
};

const lrd_model *lrd_model_get(lrd_store *store, lrd_asset asset)
{
	const uint64_t begun = lrd_trace_begun(store);
	const lrd_model *view = lrd_kind_view(store, asset, LRD_MODEL);
	LRD_TRACE(store, begun, model_get, lrd_trace_id(asset), lrd_trace_bool(view != NULL));
	return view;
}

// gpu/texture_plan.c: how the levels of a file become a texture that the device samples: as they are where it has the format, else
// decoded; without the finest ones where they are larger than it can have.

#include "gpu/gpu.h"

#include "base/error.h"
#include "format/texture.h"

static uint32_t at_least_one(uint32_t value)
{
	return value != 0 ? value : 1;
}

// --- Formats ---

static bool has(const lrd_residents *residents, uint32_t format)
{
	return residents->gpu.has_format(residents->gpu.user, format);
}

static bool is_unorm8_way(const lrd_texture_format_row *row)
{
	// BC4 and BC5 have more than 8 bits between their ends, which no one will miss in what stands in for them.
	return lrd_texture_decodes_to(row->format) == LRD_TEXELS_UNORM8 || row->format == LRD_TEXTURE_BC4_UNORM ||
		   row->format == LRD_TEXTURE_BC5_UNORM;
}

static void warn_of_format(lrd_residents *residents, const lrd_texture_format_row *row, uint32_t instead)
{
	for (uint32_t i = 0; i < residents->warned_count; i++)
	{
		if (residents->warned_formats[i] == row->format)
		{
			return;
		}
	}
	if (residents->warned_count == sizeof residents->warned_formats / sizeof *residents->warned_formats)
	{
		return;
	}
	residents->warned_formats[residents->warned_count++] = row->format;
	lrd_log_write(&residents->log, LRD_LOG_WARNING, "gpu",
		"the device does not sample %s: textures of it are decoded to %s, which takes more of its memory", row->name,
		lrd_texture_format_name(instead));
}

static bool choose_format(
	lrd_residents *residents, const lrd_texture_view *view, lrd_texture_plan *plan, lrd_error *error)
{
	const lrd_texture_format_row *row = lrd_texture_format_find(view->format);
	lrd_texture_universal universal = lrd_texture_universal_kind(view);
	bool readable =
		view->supercompression == LRD_SUPERCOMPRESSION_NONE || view->supercompression == LRD_SUPERCOMPRESSION_ZSTD;
	if (row == NULL || !readable)
	{
		return lrd_fail(error, LRD_ERROR_UNSUPPORTED, "it is stored as %s under %s, which larder can't bring to a GPU",
			universal != LRD_TEXTURE_UNIVERSAL_NONE ? lrd_texture_universal_name(universal)
													: lrd_texture_format_name(view->format),
			lrd_supercompression_name(view->supercompression));
	}
	if (has(residents, view->format))
	{
		plan->desc.format = view->format;
		plan->way = view->supercompression == LRD_SUPERCOMPRESSION_NONE ? LRD_LEVEL_AS_IS : LRD_LEVEL_INFLATE;
		return true;
	}
	plan->way = is_unorm8_way(row) ? LRD_LEVEL_UNORM8 : LRD_LEVEL_HALF;
	plan->desc.format = plan->way == LRD_LEVEL_HALF        ? LRD_TEXTURE_RGBA16_SFLOAT
						: row->numeric == LRD_NUMERIC_SRGB ? LRD_TEXTURE_RGBA8_SRGB
														   : LRD_TEXTURE_RGBA8_UNORM;
	if (lrd_texture_decodes_to(view->format) == LRD_TEXELS_NONE || !has(residents, plan->desc.format))
	{
		return lrd_fail(error, LRD_ERROR_UNSUPPORTED,
			"the device does not sample %s, and larder can't decode it for it: cook the texture for another format",
			row->name);
	}
	warn_of_format(residents, row, plan->desc.format);
	return true;
}

// --- Sizes ---

static void measure_levels(const lrd_texture_view *view, lrd_texture_plan *plan)
{
	const lrd_texture_format_row *row = lrd_texture_format_find(plan->desc.format);
	uint64_t images = (uint64_t)plan->desc.layer_count * plan->desc.face_count;
	plan->block_height = row->block_height;
	for (uint32_t level = 0; level < view->level_count; level++)
	{
		uint64_t columns = lrd_texture_extent(view->width, level);
		uint64_t rows = lrd_texture_extent(at_least_one(view->height), level);
		columns = (columns + row->block_width - 1) / row->block_width;
		rows = (rows + row->block_height - 1) / row->block_height;
		plan->level_bytes[level] =
			columns * rows * lrd_texture_extent(at_least_one(view->depth), level) * images * row->block_bytes;
	}
}

static uint32_t slices_of(const lrd_texture_plan *plan, uint32_t level)
{
	return lrd_texture_extent(at_least_one(plan->view.depth), level) * plan->desc.layer_count * plan->desc.face_count;
}

static uint32_t rows_of(const lrd_texture_plan *plan, uint32_t level)
{
	return (lrd_texture_extent(at_least_one(plan->view.height), level) + plan->block_height - 1) / plan->block_height;
}

lrd_band lrd_texture_plan_band(const lrd_texture_plan *plan, uint32_t level, uint64_t rows, uint64_t most)
{
	uint32_t all_slices = slices_of(plan, level), all_rows = rows_of(plan, level);
	uint64_t slice_bytes = plan->level_bytes[level] / all_slices;
	uint64_t row_bytes = slice_bytes / all_rows;
	lrd_band band = { .slice = (uint32_t)(rows / all_rows), .row = (uint32_t)(rows % all_rows), .slice_count = 1 };
	uint32_t slices_left = all_slices - band.slice, rows_left = all_rows - band.row;
	uint64_t slices = most / slice_bytes, some = most / row_bytes;
	if (band.row == 0 && slices != 0)
	{
		band.slice_count = slices < slices_left ? (uint32_t)slices : slices_left;
		band.row_count = all_rows;
	}
	else
	{
		band.row_count = some >= rows_left ? rows_left : some != 0 ? (uint32_t)some : 1;
	}
	band.offset = rows * row_bytes;
	band.size = (uint64_t)band.slice_count * band.row_count * row_bytes;
	return band;
}

static bool level_fits(const lrd_residents *residents, const lrd_texture_plan *plan, uint32_t level)
{
	const lrd_gpu_caps *caps = &residents->caps;
	const lrd_gpu_texture_desc *desc = &plan->desc;
	uint32_t width = lrd_texture_extent(desc->width, level), height = lrd_texture_extent(desc->height, level);
	uint32_t depth = desc->depth > 1 ? lrd_texture_extent(desc->depth, level) : 1;
	uint32_t largest = width > height ? width : height;
	uint32_t most = desc->face_count == 6 ? caps->max_cube_size : caps->max_texture_size;
	bool is_deep = desc->depth > 1;
	most = is_deep ? caps->max_depth : most;
	uint64_t row_bytes = plan->level_bytes[level] / slices_of(plan, level) / rows_of(plan, level);
	return (most == 0 || (largest <= most && depth <= most)) && row_bytes <= caps->staging_size;
}

static bool find_finest(const lrd_residents *residents, lrd_texture_plan *plan, lrd_error *error)
{
	const lrd_gpu_texture_desc *desc = &plan->desc;
	while (plan->finest < desc->level_count && !level_fits(residents, plan, plan->finest))
	{
		plan->finest++;
	}
	bool has_layers = residents->caps.max_layers == 0 || desc->layer_count <= residents->caps.max_layers;
	if (plan->finest < desc->level_count && has_layers)
	{
		return true;
	}
	return lrd_fail(error, LRD_ERROR_LIMIT,
		"%u x %u x %u texels, %u layers, %u levels: the device takes at most %u texels a side, %u layers, and %llu "
		"bytes a row at once",
		desc->width, desc->height, desc->depth, desc->layer_count, desc->level_count, residents->caps.max_texture_size,
		residents->caps.max_layers, (unsigned long long)residents->caps.staging_size);
}

bool lrd_texture_plan_make(
	lrd_residents *residents, const lrd_texture_view *view, uint32_t finest, lrd_texture_plan *plan, lrd_error *error)
{
	*plan = (lrd_texture_plan){
		.view = *view,
		.finest = finest,
		.desc = {
			.width = view->width,
			.height = at_least_one(view->height),
			.depth = at_least_one(view->depth),
			.layer_count = at_least_one(view->layer_count),
			.face_count = view->face_count,
			.level_count = view->level_count,
			.array = view->layer_count != 0,
		},
	};
	if (!lrd_texture_sampler(view, &plan->desc.sampling))
	{
		plan->desc.sampling = (lrd_texture_sampling){ 0 };
	}
	if (!choose_format(residents, view, plan, error))
	{
		return false;
	}
	measure_levels(view, plan);
	return find_finest(residents, plan, error);
}

void lrd_texture_plan_begin_with(lrd_texture_plan *plan, uint32_t first_level)
{
	const lrd_texture_view *view = &plan->view;
	uint32_t first = first_level < view->level_count ? first_level : view->level_count - 1;
	first = first > plan->finest ? first : plan->finest;
	plan->first_level = first;
	plan->desc.width = lrd_texture_extent(view->width, first);
	plan->desc.height = lrd_texture_extent(at_least_one(view->height), first);
	plan->desc.depth = lrd_texture_extent(at_least_one(view->depth), first);
	plan->desc.level_count = view->level_count - first;
}

uint64_t lrd_texture_plan_bytes(const lrd_texture_plan *plan)
{
	uint64_t bytes = 0;
	for (uint32_t level = plan->first_level; level < plan->view.level_count; level++)
	{
		bytes += plan->level_bytes[level];
	}
	return bytes;
}

const void *lrd_texture_plan_level(const lrd_texture_plan *plan, uint32_t level)
{
	return plan->prepared[level] != NULL ? plan->prepared[level] : plan->view.levels[level].data;
}

void lrd_texture_plan_free(lrd_residents *residents, lrd_texture_plan *plan)
{
	for (uint32_t level = 0; level < LRD_TEXTURE_MAX_LEVELS; level++)
	{
		size_t size = (size_t)plan->level_bytes[level];
		lrd_free(residents->allocator, plan->prepared[level], plan->prepared[level] != NULL ? size : 0);
		plan->prepared[level] = NULL;
	}
}

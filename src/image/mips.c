// Mip chains: what is loaded, filtered and stored for each kind of content, and in which order. Rows of the image are
// loaded into float one by one and run through the levels (image/mip_pipe.h); each level is a weighted sum of the one
// before, never of rounded values. From level 0 directly, a sinc would have to be as wide as the whole image for the
// last levels; the level before has lost nothing that the next could show. Where alpha is coverage, colours are
// multiplied by it until they are stored. Normals stay as long as filtering leaves them and are normalised only when
// stored, so that short ones keep counting less. Coverage needs a level's alphas before the first is stored: they run
// through the levels alone before.

#include "image/mips.h"

#include "base/error.h"
#include "base/lanes.h"
#include "image/half.h"
#include "image/mip_pipe.h"
#include "image/srgb.h"

// Under this part of opaque, alpha-weighted texels would lose their colours to 0 / 0. It rounds to 0 in 8 bits and in
// half floats, and against the least alpha there is, 1 / 65535, it weighs nothing.
#define ALPHA_FLOOR 0x1p-26f

#define LINEAR_16_SIZE (65536 * sizeof(float))

typedef struct chain
{
	const lrd_mips_desc *desc;
	const lrd_image *image;
	lrd_allocator allocator;
	lrd_mips *mips;
	lrd_mip_filter filter;
	uint32_t first;       ///< level of the chain that is stored first
	uint32_t level_count; ///< with those before it
	bool decodes;         ///< sRGB in the image
	bool encodes;         ///< sRGB in the chain
	bool weighted;
	bool boxed;
	lrd_mip_kernels kernels;
	lrd_mip_loading loading; ///< of rows that are filtered
	lrd_mip_storing storing; ///< of what comes of them
	lrd_srgb_tables tables;
	float *linear_16; ///< of each 16-bit code; NULL unless needed
	float *rows;      ///< a row of floats decoded, and four planes of one
	size_t rows_size;
	size_t stride;
	lrd_mip_normals normals;
	float *alphas; ///< of each level from 1 on, where coverage is kept, and a level's scratch
	size_t alphas_size;
	size_t alphas_of[LRD_MIPS_MAX];
	float reached;
} chain;

static lrd_mip_filter choose_filter(const lrd_mips_desc *desc)
{
	if (desc->filter != LRD_MIP_FILTER_AUTO)
	{
		return desc->filter;
	}
	bool is_plain_color = desc->content == LRD_MIP_COLOR && desc->image->type != LRD_PIXEL_F32 &&
						  !desc->alpha_weighted && !desc->premultiply && !(desc->alpha_coverage > 0.0f);
	return is_plain_color ? LRD_MIP_FILTER_SINC : LRD_MIP_FILTER_BOX;
}

static bool has_negative_floats(const lrd_image *image)
{
	const float *components = image->pixels;
	size_t count = 4 * (size_t)image->width * image->height;
	size_t negative = 0;
	for (size_t i = 0; i < count; i++)
	{
		negative += components[i] < 0.0f;
	}
	return negative != 0;
}

// Colours to and from 0..1; data as the image's codes, whose means are exact.
static void set_up_loading(chain *self)
{
	const lrd_image *image = self->image;
	float unit = lrd_pixel_unit(image->type);
	bool is_data = self->desc->content == LRD_MIP_DATA;
	self->loading = self->desc->content == LRD_MIP_NORMAL
						? lrd_mip_normal_loading(image->type)
						: (lrd_mip_loading){ .type = image->type, .scale = is_data ? 1.0f : 1.0f / unit };
	self->loading.weighted = self->weighted && self->desc->content != LRD_MIP_NORMAL;
	self->loading.alpha_floor = ALPHA_FLOOR * unit;
	if (self->decodes && image->type != LRD_PIXEL_F32)
	{
		self->loading.linear = image->type == LRD_PIXEL_UNORM8 ? self->tables.linear : self->linear_16;
	}
}

static void set_up_storing(chain *self)
{
	const lrd_mips_desc *desc = self->desc;
	float unit = lrd_pixel_unit(self->image->type);
	bool half_float = self->mips->half_float;
	bool is_normal = desc->content == LRD_MIP_NORMAL;
	bool is_codes = is_normal && !half_float; // of -1..1, which half floats hold themselves
	bool rings = self->filter == LRD_MIP_FILTER_SINC;
	float opaque = half_float ? 1.0f : 255.0f;
	float low = half_float && !(rings && !is_normal && !has_negative_floats(self->image)) ? -LRD_HALF_MAX : 0.0f;
	float high = half_float ? LRD_HALF_MAX : 255.0f;
	bool alpha_is_share = desc->alpha_coverage > 0.0f || (rings && desc->content == LRD_MIP_COLOR);
	self->storing = (lrd_mip_storing){
		.srgb = self->encodes ? self->tables.encode : NULL,
		.scale = is_codes ? 0.5f * opaque : opaque / unit,
		.bias = is_codes ? 0.5f * opaque : 0.0f,
		.low = low,
		.high = high,
		.alpha_scale = opaque / unit,
		.alpha_opaque = opaque,
		.alpha_low = alpha_is_share ? 0.0f : low,
		.alpha_high = alpha_is_share ? opaque : high,
		.alpha_unit = 1.0f / unit,
		.half_float = half_float,
		.normal = is_normal,
		.weighted = self->weighted,
		.premultiply = desc->premultiply,
		.boxed = self->boxed,
		.spread = desc->roughness_normals != NULL,
	};
}

// Floats say they are sRGB-encoded only where a caller says so; then they are decoded before they are loaded.
static const void *source_row(const chain *self, uint32_t y, bool decodes)
{
	const lrd_image *image = self->image;
	const uint8_t *row = (const uint8_t *)image->pixels + image->width * lrd_pixel_size(image->type) * y;
	if (!decodes || image->type != LRD_PIXEL_F32)
	{
		return row;
	}
	for (size_t i = 0; i < 4 * (size_t)image->width; i++)
	{
		float component;
		memcpy(&component, row + i * sizeof component, sizeof component);
		self->rows[i] = i % 4 == 3 ? component : lrd_srgb_to_linear(component);
	}
	return self->rows;
}

// Level 0 is the image; NULL where it has to be worked on.
static const uint8_t *level_0_as_it_is(const chain *self)
{
	const lrd_mips_desc *desc = self->desc;
	bool is_shaped = desc->content == LRD_MIP_NORMAL && (desc->two_channel || desc->flip_y);
	bool same = self->image->type == LRD_PIXEL_UNORM8 && self->decodes == self->encodes && !desc->premultiply;
	return same && !is_shaped ? self->image->pixels : NULL;
}

// Returns the components that were clamped.
static uint64_t store_level_0_row(const chain *self, uint32_t y)
{
	const lrd_mips_desc *desc = self->desc;
	size_t width = self->image->width;
	uint8_t *out = self->mips->levels[0].data + y * (self->mips->levels[0].size / self->image->height);
	const uint8_t *same = level_0_as_it_is(self);
	if (self->mips->borrowed)
	{
		return 0;
	}
	if (same != NULL)
	{
		memcpy(out, same + 4 * width * y, 4 * width);
		return 0;
	}
	lrd_mip_loading loading = self->loading;
	lrd_mip_storing storing = self->storing;
	bool plain = self->decodes == self->encodes && !desc->premultiply && desc->content != LRD_MIP_NORMAL;
	if (plain)
	{
		loading = (lrd_mip_loading){ .type = self->image->type, .scale = 1.0f };
		storing.srgb = NULL;
		storing.scale = storing.alpha_scale;
	}
	loading.weighted = desc->premultiply;
	storing.weighted = desc->premultiply;
	storing.normal = storing.boxed = storing.spread = false;
	storing.low = storing.alpha_low = storing.half_float ? -LRD_HALF_MAX : 0.0f;
	storing.alpha_high = storing.high;
	float *planes = self->rows + 4 * width;
	uint64_t clamped = self->kernels.load(&loading, source_row(self, y, self->decodes), width, planes, self->stride);
	if (desc->content == LRD_MIP_NORMAL)
	{
		self->kernels.shape_normals(desc->two_channel, desc->flip_y, false, width, planes, self->stride);
	}
	self->kernels.store(&storing, planes, self->stride, NULL, width, out);
	return clamped;
}

// What is done to normals has to be done before they are weighted.
static void shape_normals(const chain *self, float *planes, size_t stride)
{
	const lrd_mips_desc *desc = self->desc;
	size_t width = self->image->width;
	if (desc->two_channel || desc->flip_y)
	{
		self->kernels.shape_normals(desc->two_channel, desc->flip_y, false, width, planes, stride);
	}
	for (size_t x = 0; self->weighted && x < width; x++)
	{
		float *alpha = planes + 3 * stride;
		alpha[x] = alpha[x] > self->loading.alpha_floor ? alpha[x] : self->loading.alpha_floor;
		planes[x] *= alpha[x];
		planes[stride + x] *= alpha[x];
		planes[2 * stride + x] *= alpha[x];
	}
}

static uint64_t load_row(const chain *self, uint32_t y, float *planes, size_t stride)
{
	const lrd_mips_desc *desc = self->desc;
	size_t width = self->image->width;
	uint64_t clamped = self->kernels.load(&self->loading, source_row(self, y, self->decodes), width, planes, stride);
	if (desc->content == LRD_MIP_NORMAL)
	{
		shape_normals(self, planes, stride);
	}
	float *more = planes + LRD_MIP_MAIN_PLANES * stride;
	if (self->boxed)
	{
		for (size_t plane = 0; plane < LRD_MIP_MAIN_PLANES; plane++)
		{
			memcpy(more + plane * stride, planes + plane * stride, width * sizeof *planes);
		}
	}
	if (desc->roughness_normals != NULL)
	{
		lrd_mip_normals_row(&self->normals, y, more, stride);
		float unit = self->storing.alpha_unit;
		for (size_t x = 0; x < width; x++) // GGX alpha squared, of which lobes' variances are made
		{
			float alpha = planes[stride + x] * unit * (planes[stride + x] * unit);
			planes[stride + x] = alpha * alpha;
		}
	}
	return clamped;
}

static void store_row(void *user, uint32_t level, uint32_t y, const float *planes, size_t stride)
{
	const chain *self = user;
	if (level < self->first)
	{
		return;
	}
	uint32_t stored = level - self->first;
	size_t width = self->mips->levels[stored].width;
	size_t row_size = self->mips->levels[stored].size / self->mips->levels[stored].height;
	const float *alphas = self->alphas != NULL ? self->alphas + self->alphas_of[level] + width * y : NULL;
	self->kernels.store(&self->storing, planes, stride, alphas, width, self->mips->levels[stored].data + row_size * y);
}

static lrd_mip_pipe_desc pipe_desc(const chain *self, uint32_t planes)
{
	return (lrd_mip_pipe_desc){
		.width = self->image->width,
		.height = self->image->height,
		.level_count = self->level_count,
		.planes = planes,
		.filter = self->filter,
		.wrap_u = self->desc->wrap_u,
		.wrap_v = self->desc->wrap_v,
		.isa = self->desc->isa,
		.allocator = self->allocator,
	};
}

static bool make_levels(chain *self, lrd_error *error)
{
	bool has_more = self->boxed || self->desc->roughness_normals != NULL;
	lrd_mip_pipe_desc desc = pipe_desc(self, has_more ? LRD_MIP_PLANES_MAX : LRD_MIP_MAIN_PLANES);
	lrd_mip_pipe pipe;
	if (!lrd_mip_pipe_open(&desc, &pipe, error))
	{
		return false;
	}
	pipe.done = store_row;
	pipe.user = self;
	for (uint32_t y = 0; y < self->image->height; y++)
	{
		uint64_t clamped = self->first == 0 ? store_level_0_row(self, y) : 0;
		if (self->level_count > 1)
		{
			clamped = load_row(self, y, lrd_mip_pipe_row(&pipe), pipe.stages[0].stride);
			lrd_mip_pipe_push(&pipe);
		}
		self->mips->clamped += clamped;
	}
	lrd_mip_pipe_close(&pipe);
	return true;
}

static void keep_alpha_row(void *user, uint32_t level, uint32_t y, const float *planes, size_t stride)
{
	(void)stride;
	chain *self = user;
	size_t width = lrd_mip_level_size(self->image->width, level);
	float *row = self->alphas + self->alphas_of[level] + width * y;
	for (size_t x = 0; x < width; x++)
	{
		row[x] = planes[x] * self->storing.alpha_unit;
	}
}

// Every level's alphas alone, and then so that they keep the coverage.
static bool make_alphas(chain *self, lrd_error *error)
{
	lrd_mip_pipe_desc desc = pipe_desc(self, 1);
	lrd_mip_pipe pipe;
	if (!lrd_mip_pipe_open(&desc, &pipe, error))
	{
		return false;
	}
	pipe.done = keep_alpha_row;
	pipe.user = self;
	lrd_mip_loading loading = self->loading;
	loading.alpha_only = true;
	const lrd_image *image = self->image;
	size_t reaching = 0;
	for (uint32_t y = 0; y < image->height; y++)
	{
		float *row = lrd_mip_pipe_row(&pipe);
		self->kernels.load(&loading, source_row(self, y, false), image->width, row, pipe.stages[0].stride);
		for (size_t x = 0; x < image->width; x++)
		{
			reaching += row[x] * self->storing.alpha_unit >= self->reached;
		}
		lrd_mip_pipe_push(&pipe);
	}
	lrd_mip_pipe_close(&pipe);
	for (uint32_t level = 1; level < self->level_count; level++)
	{
		lrd_coverage_keep(&(lrd_coverage){
			.reached = self->reached,
			.share = (double)reaching / ((double)image->width * image->height),
			.width = lrd_mip_level_size(image->width, level),
			.height = lrd_mip_level_size(image->height, level),
			.wrap_u = self->desc->wrap_u,
			.wrap_v = self->desc->wrap_v,
			.alphas = self->alphas + self->alphas_of[level],
			.scratch = (uint32_t *)self->alphas,
		});
	}
	return true;
}

static uint32_t longer_side(const lrd_image *image, uint32_t level)
{
	uint32_t width = lrd_mip_level_size(image->width, level), height = lrd_mip_level_size(image->height, level);
	return width > height ? width : height;
}

// Which levels there are, and room for those that are stored.
static bool reserve_levels(chain *self, lrd_error *error)
{
	const lrd_mips_desc *desc = self->desc;
	const lrd_image *image = self->image;
	lrd_mips *mips = self->mips;
	uint32_t max_side = desc->max_side != 0 ? desc->max_side : UINT32_MAX;
	while (longer_side(image, self->first) > max_side)
	{
		self->first++;
	}
	self->level_count = self->first;
	bool more = true;
	while (more && (desc->level_count == 0 || mips->level_count < desc->level_count))
	{
		uint32_t width = lrd_mip_level_size(image->width, self->level_count);
		uint32_t height = lrd_mip_level_size(image->height, self->level_count);
		// No overflow: not more than the image's own size.
		size_t size = (size_t)width * height * (mips->half_float ? 8 : 4);
		mips->borrowed = mips->borrowed || (desc->borrow_image && self->level_count == 0 && level_0_as_it_is(self));
		bool borrows = mips->borrowed && mips->level_count == 0;
		uint8_t *data = borrows ? image->pixels : lrd_alloc(mips->allocator, size);
		if (data == NULL)
		{
			return lrd_fail_memory(error, "mip level", size);
		}
		uint32_t stored = mips->level_count++;
		mips->levels[stored].width = width;
		mips->levels[stored].height = height;
		mips->levels[stored].data = data;
		mips->levels[stored].size = size;
		self->level_count++;
		more = (width > 1 || height > 1) && longer_side(image, self->level_count) >= desc->min_side;
	}
	return true;
}

static bool reserve_alphas(chain *self, lrd_error *error)
{
	if (!(self->desc->alpha_coverage > 0.0f) || self->level_count == 1)
	{
		return true;
	}
	size_t count = 0;
	for (uint32_t level = 1; level < self->level_count; level++)
	{
		size_t texels =
			(size_t)lrd_mip_level_size(self->image->width, level) * lrd_mip_level_size(self->image->height, level);
		count += level == 1 ? texels : 0; // the scratch, which comes first
		self->alphas_of[level] = count;
		count += texels;
	}
	self->alphas_size = count * sizeof *self->alphas;
	self->alphas = lrd_alloc(self->allocator, self->alphas_size);
	return self->alphas != NULL || lrd_fail_memory(error, "alphas of mip levels", self->alphas_size);
}

static bool reserve_tables(chain *self, lrd_error *error)
{
	lrd_srgb_tables_fill(&self->tables);
	if (!self->decodes || self->image->type != LRD_PIXEL_UNORM16)
	{
		return true;
	}
	self->linear_16 = lrd_alloc(self->allocator, LINEAR_16_SIZE);
	if (self->linear_16 == NULL)
	{
		return lrd_fail_memory(error, "sRGB table", LINEAR_16_SIZE);
	}
	for (uint32_t code = 0; code < 65536; code++)
	{
		self->linear_16[code] = (float)lrd_srgb_to_linear_exact(code / 65535.0);
	}
	return true;
}

static bool reserve_rows(chain *self, lrd_error *error)
{
	self->stride = lrd_align_up(self->image->width, LRD_LANES_MAX);
	self->rows_size = (4 * (size_t)self->image->width + LRD_MIP_MAIN_PLANES * self->stride) * sizeof(float);
	self->rows = lrd_alloc(self->allocator, self->rows_size);
	if (self->rows == NULL)
	{
		return lrd_fail_memory(error, "rows in float", self->rows_size);
	}
	if (self->desc->roughness_normals == NULL)
	{
		return true;
	}
	self->normals = (lrd_mip_normals){
		.image = self->desc->roughness_normals,
		.width = self->image->width,
		.height = self->image->height,
		.two_channel = self->desc->two_channel,
		.kernels = self->kernels,
		.allocator = self->allocator,
	};
	return lrd_mip_normals_open(&self->normals, error);
}

static void release_chain(chain *self)
{
	lrd_mip_normals_close(&self->normals);
	lrd_free(self->allocator, self->rows, self->rows != NULL ? self->rows_size : 0);
	lrd_free(self->allocator, self->alphas, self->alphas != NULL ? self->alphas_size : 0);
	lrd_free(self->allocator, self->linear_16, self->linear_16 != NULL ? LINEAR_16_SIZE : 0);
}

static bool check_desc(const lrd_mips_desc *desc, lrd_error *error)
{
	const lrd_image *image = desc->image, *normals = desc->roughness_normals;
	if (image->width == 0 || image->height == 0)
	{
		return lrd_fail(error, LRD_ERROR_ARGUMENT, "mips of an image of %u x %u texels", image->width, image->height);
	}
	if (!(desc->alpha_coverage >= 0.0f && desc->alpha_coverage <= 1.0f))
	{
		return lrd_fail(
			error, LRD_ERROR_ARGUMENT, "alpha coverage cutoff %g; expected 0 (off) to 1", (double)desc->alpha_coverage);
	}
	if (normals != NULL && (normals->width == 0 || normals->height == 0))
	{
		return lrd_fail(
			error, LRD_ERROR_ARGUMENT, "roughness normals of %u x %u texels", normals->width, normals->height);
	}
	if (normals != NULL && (desc->content != LRD_MIP_DATA || desc->alpha_weighted || desc->premultiply))
	{
		return lrd_fail(error, LRD_ERROR_ARGUMENT,
			"normals that raise roughness need an image of data whose alpha is not coverage");
	}
	return true;
}

bool lrd_mips_make(const lrd_mips_desc *desc, lrd_mips *mips, lrd_error *error)
{
	if (!check_desc(desc, error))
	{
		return false;
	}
	const lrd_image *image = desc->image;
	bool is_color = desc->content == LRD_MIP_COLOR;
	lrd_mips result = { .half_float = image->type == LRD_PIXEL_F32,
		.allocator = lrd_allocator_or_default(desc->allocator) };
	chain work = {
		.desc = desc,
		.image = image,
		.allocator = result.allocator,
		.mips = &result,
		.filter = choose_filter(desc),
		.decodes = is_color && !image->linear,
		.encodes = is_color && !result.half_float,
		.weighted = desc->alpha_weighted || desc->premultiply,
		.kernels = lrd_mip_kernels_of(desc->isa),
		.reached = result.half_float ? lrd_coverage_reached_half(desc->alpha_coverage)
									 : lrd_coverage_reached_8(desc->alpha_coverage),
	};
	work.boxed = work.weighted && work.filter == LRD_MIP_FILTER_SINC;
	bool good = reserve_levels(&work, error) && reserve_alphas(&work, error) && reserve_tables(&work, error) &&
				reserve_rows(&work, error);
	if (good)
	{
		set_up_loading(&work);
		set_up_storing(&work);
		good = (work.alphas == NULL || make_alphas(&work, error)) && make_levels(&work, error);
	}
	release_chain(&work);
	if (!good)
	{
		lrd_mips_free(&result);
		return false;
	}
	*mips = result;
	return true;
}

void lrd_mips_free(lrd_mips *mips)
{
	for (uint32_t i = 0; i < mips->level_count; i++)
	{
		if (i != 0 || !mips->borrowed)
		{
			lrd_free(mips->allocator, mips->levels[i].data, mips->levels[i].size);
		}
		mips->levels[i].data = NULL;
	}
	mips->level_count = 0;
}

// Encoding levels, in pieces of block rows that any worker may take, and measuring what level 0 lost.

#include "cook/texture.h"

#include "base/error.h"
#include "block/astc.h"
#include "block/encode.h"
#include "image/half.h"
#include "os/os.h"
#include "os/parallel.h"

#include <math.h>
#include <string.h>

// Blocks that a piece has at least: enough to be worth a worker's trip.
#define PIECE_BLOCKS 1024u

/// What level 0 lost in one piece.
typedef struct loss
{
	uint64_t squared[4]; ///< of 8-bit values, a channel each
	double tone_squared; ///< HDR: of x / (1 + x), over red, green, blue
	double angle_sum;    ///< degrees
	double angle_max;
	uint64_t texels;
	uint64_t seen;    ///< texels whose colour counts: where alpha is coverage, those that are not clear
	uint64_t covered; ///< decoded texels whose alpha reaches the cutoff
} loss;

/// Rows of blocks of one surface, or a whole surface where the encoder takes no less.
typedef struct piece
{
	const lrd_surface *surface;
	uint32_t level;
	uint32_t first_row, row_count;
	bool measured;
	bool failed;
	lrd_error_code reason; ///< when it failed
	uint8_t *out;
	loss loss;
} piece;

/// astc-encoder's contexts are slow to open, and for one thread at a time: pieces take one that is free.
typedef struct astc_pool
{
	lrd_astc_desc desc;
	lrd_astc *idle[256];
	uint32_t count;
	lrd_mutex mutex;
	bool is_open;
} astc_pool;

typedef struct encoder
{
	const lrd_texture_recipe *recipe;
	const lrd_texture_choice *choice;
	lrd_block_encode_desc desc; ///< all but the surface
	piece *pieces;
	uint32_t piece_count;
	size_t capacity;
	bool is_astc;
	bool is_normal;
	uint32_t least_covered; ///< the least code of alpha that reaches the cutoff; 0: coverage does not count
	astc_pool astc;
} encoder;

static lrd_block_format block_format(uint32_t format)
{
	switch (format)
	{
	case LRD_TEXTURE_BC1_RGB_UNORM:
	case LRD_TEXTURE_BC1_RGB_SRGB: return LRD_BLOCK_BC1;
	case LRD_TEXTURE_BC1_RGBA_UNORM:
	case LRD_TEXTURE_BC1_RGBA_SRGB: return LRD_BLOCK_BC1_ALPHA;
	case LRD_TEXTURE_BC3_UNORM:
	case LRD_TEXTURE_BC3_SRGB: return LRD_BLOCK_BC3;
	case LRD_TEXTURE_BC4_UNORM: return LRD_BLOCK_BC4_UNORM;
	case LRD_TEXTURE_BC5_UNORM: return LRD_BLOCK_BC5_UNORM;
	case LRD_TEXTURE_BC6H_UFLOAT: return LRD_BLOCK_BC6H_UFLOAT;
	case LRD_TEXTURE_BC6H_SFLOAT: return LRD_BLOCK_BC6H_SFLOAT;
	default: return LRD_BLOCK_BC7;
	}
}

/// Rows of blocks of so many texels.
static uint32_t block_rows(const encoder *self, uint32_t texels)
{
	return (texels + self->choice->block - 1) / self->choice->block;
}

// Measuring.

static void normal_of_bytes(const uint8_t *texel, float normal[3])
{
	for (uint32_t i = 0; i < 3; ++i)
	{
		normal[i] = (float)texel[i] * (2.0f / 255.0f) - 1.0f;
	}
}

static void rebuild_z(float normal[3])
{
	float square = 1.0f - normal[0] * normal[0] - normal[1] * normal[1];
	normal[2] = square > 0.0f ? sqrtf(square) : 0.0f;
}

static void add_angle(loss *sums, const float a[3], const float b[3])
{
	// The angle by both products: exact for small ones too.
	double cross[3] = { (double)a[1] * b[2] - (double)a[2] * b[1], (double)a[2] * b[0] - (double)a[0] * b[2],
		(double)a[0] * b[1] - (double)a[1] * b[0] };
	double sine = sqrt(cross[0] * cross[0] + cross[1] * cross[1] + cross[2] * cross[2]);
	double cosine = (double)a[0] * b[0] + (double)a[1] * b[1] + (double)a[2] * b[2];
	double degrees = atan2(sine, cosine) * (180.0 / 3.14159265358979323846);
	sums->angle_sum += degrees;
	sums->angle_max = degrees > sums->angle_max ? degrees : sums->angle_max;
}

static void add_bytes(const encoder *self, loss *sums, const uint8_t *a, const uint8_t *b)
{
	bool alpha_weighted = self->recipe->alpha_weighted;
	sums->covered += b[3] >= self->least_covered;
	bool seen = !alpha_weighted || (a[3] != 0 && b[3] != 0);
	sums->seen += seen;
	for (uint32_t i = seen ? 0 : 3; i < 4; ++i)
	{
		int32_t difference = (int32_t)a[i] - (int32_t)b[i];
		sums->squared[i] += (uint64_t)(difference * difference);
	}
}

/// A value of an HDR picture as a screen might show it.
static double tone(uint16_t half)
{
	double value = (double)lrd_float_from_half(half);
	value = value > 0.0 ? value : 0.0;
	return value / (1.0 + value);
}

static void add_halves(const encoder *self, loss *sums, const uint16_t *a, const uint16_t *b)
{
	if (self->is_normal)
	{
		float x[3];
		float y[3];
		for (uint32_t i = 0; i < 3; ++i)
		{
			x[i] = lrd_float_from_half(a[i]);
			y[i] = lrd_float_from_half(b[i]);
		}
		add_angle(sums, x, y);
		return;
	}
	for (uint32_t i = 0; i < 3; ++i)
	{
		double difference = tone(a[i]) - tone(b[i]);
		sums->tone_squared += difference * difference;
	}
}

/// Compare a texel with its decoded self: `bytes` for 8-bit encodings, `xy` for two-channel normals.
static void add_texel(const encoder *self, loss *sums, const uint8_t *source, const uint8_t *bytes, const float *xy)
{
	if (!self->is_normal)
	{
		add_bytes(self, sums, source, bytes);
		return;
	}
	float a[3];
	float b[3];
	normal_of_bytes(source, a);
	if (xy != NULL)
	{
		b[0] = xy[0] * 2.0f - 1.0f;
		b[1] = xy[1] * 2.0f - 1.0f;
		rebuild_z(b);
	}
	else
	{
		normal_of_bytes(bytes, b);
	}
	add_angle(sums, a, b);
}

/// A decoded block against the texels it was made of.
static void measure_block(encoder *self, piece *part, uint32_t x, uint32_t y, const uint8_t *block)
{
	const lrd_surface *surface = part->surface;
	lrd_block_format format = self->desc.format;
	uint8_t bytes[64];
	uint16_t halves[64];
	float floats[64];
	bool two_channels = self->is_normal && self->choice->encoding == LRD_ENCODING_BC5;
	if (self->choice->half)
	{
		lrd_block_decode_half(format, block, halves);
	}
	else if (two_channels)
	{
		lrd_block_decode_f32(format, block, floats);
	}
	else
	{
		lrd_block_decode_unorm8(format, block, bytes);
	}
	for (uint32_t i = 0; i < 16; ++i)
	{
		uint32_t column = x * 4 + i % 4;
		uint32_t row = y * 4 + i / 4;
		if (column >= surface->width || row >= surface->height)
		{
			continue;
		}
		size_t at = ((size_t)row * surface->width + column) * 4;
		part->loss.texels++;
		if (self->choice->half)
		{
			add_halves(self, &part->loss, (const uint16_t *)surface->texels + at, halves + i * 4);
		}
		else
		{
			add_texel(self, &part->loss, (const uint8_t *)surface->texels + at, bytes + i * 4,
				two_channels ? floats + i * 4 : NULL);
		}
	}
}

static void measure_texel(encoder *self, piece *part, uint32_t column, uint32_t row, const void *decoded)
{
	size_t at = ((size_t)row * part->surface->width + column) * 4;
	part->loss.texels++;
	if (self->choice->half)
	{
		add_halves(self, &part->loss, (const uint16_t *)part->surface->texels + at, decoded);
		return;
	}
	const uint8_t *source = (const uint8_t *)part->surface->texels + at;
	if (self->is_normal) // X in red, Y in alpha, on both sides; not rounded to 8 bits, which would bring it nearer
	{
		const float *floats = decoded;
		float a[3] = { (float)source[0] * (2.0f / 255.0f) - 1.0f, (float)source[3] * (2.0f / 255.0f) - 1.0f, 0.0f };
		float b[3] = { floats[0] * 2.0f - 1.0f, floats[3] * 2.0f - 1.0f, 0.0f };
		rebuild_z(a);
		rebuild_z(b);
		add_angle(&part->loss, a, b);
		return;
	}
	add_bytes(self, &part->loss, source, decoded);
}

// ASTC.

static bool astc_pool_init(astc_pool *pool, const encoder *self, lrd_error *error)
{
	bool srgb = self->choice->format == LRD_TEXTURE_ASTC_4X4_SRGB ||
				self->choice->format == LRD_TEXTURE_ASTC_5X5_SRGB ||
				self->choice->format == LRD_TEXTURE_ASTC_6X6_SRGB || self->choice->format == LRD_TEXTURE_ASTC_8X8_SRGB;
	pool->desc = (lrd_astc_desc){
		.block_width = self->choice->block,
		.block_height = self->choice->block,
		.profile = self->choice->half ? LRD_ASTC_HDR : (srgb ? LRD_ASTC_LDR_SRGB : LRD_ASTC_LDR),
		.quality = self->desc.quality,
		.normal_map = self->is_normal && !self->choice->half,
	};
	pool->is_open = lrd_mutex_init(&pool->mutex);
	return pool->is_open || lrd_fail(error, LRD_ERROR_IO, "no mutex could be made");
}

static void astc_pool_close(astc_pool *pool)
{
	for (uint32_t i = 0; i < pool->count; ++i)
	{
		lrd_astc_close(pool->idle[i]);
	}
	if (pool->is_open)
	{
		lrd_mutex_destroy(&pool->mutex);
	}
}

static lrd_astc *astc_pool_take(encoder *self, lrd_error *error)
{
	lrd_mutex_lock(&self->astc.mutex);
	lrd_astc *astc = self->astc.count != 0 ? self->astc.idle[--self->astc.count] : NULL;
	lrd_mutex_unlock(&self->astc.mutex);
	return astc != NULL ? astc : lrd_astc_open(&self->astc.desc, self->recipe->allocator, error);
}

static void astc_pool_give(encoder *self, lrd_astc *astc)
{
	const uint32_t room = sizeof self->astc.idle / sizeof *self->astc.idle;
	lrd_mutex_lock(&self->astc.mutex);
	if (self->astc.count < room)
	{
		self->astc.idle[self->astc.count++] = astc;
		astc = NULL;
	}
	lrd_mutex_unlock(&self->astc.mutex);
	lrd_astc_close(astc);
}

/// The piece's blocks, decoded again into a strip of its own.
static bool measure_astc(encoder *self, piece *part, lrd_astc *astc, lrd_error *error)
{
	uint32_t first = part->first_row * self->choice->block;
	uint32_t rows = part->row_count * self->choice->block;
	lrd_astc_image strip = {
		.type = self->choice->half ? LRD_ASTC_HALF
				: self->is_normal  ? LRD_ASTC_F32
								   : LRD_ASTC_UNORM8,
		.width = part->surface->width,
		.height = part->surface->height - first < rows ? part->surface->height - first : rows,
	};
	size_t texel = strip.type == LRD_ASTC_HALF ? 8 : strip.type == LRD_ASTC_F32 ? 16 : 4;
	size_t size = (size_t)strip.width * strip.height * texel;
	size_t blocks = (size_t)part->row_count * block_rows(self, strip.width) * LRD_ASTC_BLOCK_BYTES;
	uint8_t *texels = lrd_alloc(self->recipe->allocator, size);
	if (texels == NULL)
	{
		return lrd_fail_memory(error, "texels", size);
	}
	strip.pixels = texels;
	bool good = lrd_astc_decode(astc, part->out, blocks, &strip, error);
	for (uint32_t y = 0; good && y < strip.height; ++y)
	{
		for (uint32_t x = 0; x < strip.width; ++x)
		{
			measure_texel(self, part, x, first + y, texels + ((size_t)y * strip.width + x) * texel);
		}
	}
	lrd_free(self->recipe->allocator, texels, size);
	return good;
}

static void encode_astc(encoder *self, piece *part)
{
	lrd_error error = { 0 };
	lrd_astc *astc = astc_pool_take(self, &error);
	const lrd_surface *surface = part->surface;
	lrd_astc_image image = {
		.pixels = surface->texels,
		.type = self->choice->half ? LRD_ASTC_HALF : LRD_ASTC_UNORM8,
		.width = surface->width,
		.height = surface->height,
	};
	part->failed = astc == NULL ||
				   !lrd_astc_encode(astc, &image, part->first_row, part->row_count, part->out, &error) ||
				   (part->measured && !measure_astc(self, part, astc, &error));
	part->reason = error.code;
	if (astc != NULL)
	{
		astc_pool_give(self, astc);
	}
}

static void encode_blocks(encoder *self, piece *part)
{
	lrd_block_encode_desc desc = self->desc;
	desc.pixels = part->surface->texels;
	desc.width = part->surface->width;
	desc.height = part->surface->height;
	desc.row_bytes = (size_t)desc.width * (self->choice->half ? 8 : 4);
	part->failed = !lrd_block_encode(&desc, part->first_row, part->row_count, part->out);
	part->reason = LRD_ERROR_UNSUPPORTED;
	if (!part->measured || part->failed)
	{
		return;
	}
	const uint8_t *block = part->out;
	size_t step = lrd_block_bytes(desc.format);
	for (uint32_t y = part->first_row; y < part->first_row + part->row_count; ++y)
	{
		for (uint32_t x = 0; x < lrd_block_rows(desc.width); ++x, block += step)
		{
			measure_block(self, part, x, y, block);
		}
	}
}

static void encode_piece(void *user, uint32_t index)
{
	encoder *self = user;
	(self->is_astc ? encode_astc : encode_blocks)(self, &self->pieces[index]);
}

static bool add_piece(encoder *self, piece part, lrd_error *error)
{
	if (!LRD_RESERVE(self->recipe->allocator, self->pieces, self->piece_count, 1, self->capacity))
	{
		return lrd_fail_memory(error, "texture", sizeof part);
	}
	self->pieces[self->piece_count++] = part;
	return true;
}

static bool add_surface(encoder *self, const lrd_surface *surface, uint32_t level, uint8_t *out, lrd_error *error)
{
	uint32_t rows = block_rows(self, surface->height);
	uint32_t columns = block_rows(self, surface->width);
	uint32_t at_once = PIECE_BLOCKS / columns + 1;
	size_t block_bytes = self->is_astc ? LRD_ASTC_BLOCK_BYTES : lrd_block_bytes(self->desc.format);
	for (uint32_t row = 0; row < rows; row += at_once)
	{
		uint32_t count = rows - row < at_once ? rows - row : at_once;
		piece part = { .surface = surface, .level = level, .first_row = row, .row_count = count };
		part.measured = level == 0 || self->least_covered != 0;
		part.out = out + row * columns * block_bytes;
		if (!add_piece(self, part, error))
		{
			return false;
		}
	}
	return true;
}

static size_t surface_bytes(const lrd_texture_choice *choice, const lrd_surface *surface)
{
	size_t wide = (surface->width + choice->block - 1) / choice->block;
	size_t high = (surface->height + choice->block - 1) / choice->block;
	if (choice->block == 1)
	{
		return wide * high * (choice->half ? 8 : 4);
	}
	bool small = choice->encoding == LRD_ENCODING_BC1 || choice->encoding == LRD_ENCODING_BC4;
	return wide * high * (small ? 8 : 16);
}

/// Make room for every level, and list the pieces that fill it. Levels without blocks are copied.
static bool lay_out(encoder *self, const lrd_surfaces *surfaces, lrd_encoded *encoded, lrd_error *error)
{
	for (uint32_t level = 0; level < surfaces->level_count; ++level)
	{
		const lrd_surface *faces = &surfaces->items[level * surfaces->face_count];
		size_t size = surface_bytes(self->choice, faces);
		uint8_t *out = lrd_alloc(encoded->allocator, surfaces->face_count * size);
		if (out == NULL)
		{
			return lrd_fail_memory(error, "texture level", size * surfaces->face_count);
		}
		encoded->levels[level] = out;
		encoded->sizes[level] = size * surfaces->face_count;
		encoded->level_count = level + 1;
		for (uint32_t face = 0; face < surfaces->face_count; ++face, out += size)
		{
			if (self->choice->block == 1)
			{
				memcpy(out, faces[face].texels, size);
			}
			else if (!add_surface(self, &faces[face], level, out, error))
			{
				return false;
			}
		}
	}
	return true;
}

// What the report says.

static float decibel(double mean_square)
{
	return mean_square > 0.0 ? (float)(-10.0 * log10(mean_square)) : INFINITY;
}

static void fill_report(const encoder *self, const loss *sums, lrd_texture_report *report)
{
	double texels = sums->texels != 0 ? (double)sums->texels : 1.0;
	report->is_normal = self->is_normal;
	report->is_exact = self->choice->block == 1;
	report->psnr = report->alpha_psnr = INFINITY;
	if (report->is_exact)
	{
		return;
	}
	if (report->is_normal)
	{
		report->angle = (float)(sums->angle_sum / texels);
		report->angle_max = (float)sums->angle_max;
		return;
	}
	if (self->choice->half)
	{
		report->psnr = decibel(sums->tone_squared / (texels * 3.0));
		report->is_exact = report->psnr == INFINITY;
		return;
	}
	uint32_t channels =
		self->choice->encoding == LRD_ENCODING_BC4 ? 1 : (self->choice->encoding == LRD_ENCODING_BC5 ? 2 : 3);
	double squared = 0.0;
	for (uint32_t i = 0; i < channels; ++i)
	{
		squared += (double)sums->squared[i];
	}
	const double scale = 1.0 / (255.0 * 255.0);
	double seen = sums->seen != 0 ? (double)sums->seen : 1.0;
	report->psnr = decibel(squared * scale / (seen * channels));
	report->alpha_psnr = channels == 3 ? decibel((double)sums->squared[3] * scale / texels) : INFINITY;
	report->is_exact = report->psnr == INFINITY && report->alpha_psnr == INFINITY;
}

// Coverage. What encoding does to an alpha near the cutoff may carry it across.

/// As a shader compares: in floats.
static uint32_t least_code(float cutoff)
{
	uint32_t code = cutoff > 0.0f ? 1 : 0;
	while (code != 0 && code < 255 && (float)code / 255.0f < cutoff)
	{
		code++;
	}
	return code;
}

static uint64_t count_covered(const lrd_surface *surface, uint32_t least)
{
	uint64_t count = 0;
	const uint8_t *texels = surface->texels;
	for (size_t i = 0; i < (size_t)surface->width * surface->height; ++i)
	{
		count += texels[i * 4 + 3] >= least;
	}
	return count;
}

/// Move alphas `distance` codes away from the cutoff, each on its own side. Returns the squared errors that makes.
static uint64_t part_alphas(const lrd_surface *surface, uint32_t least, uint32_t distance)
{
	uint32_t high = least + distance < 255 ? least + distance : 255;
	uint32_t low = least > distance + 1 ? least - distance - 1 : 0;
	uint64_t squared = 0;
	uint8_t *texels = surface->texels;
	for (size_t i = 0; i < (size_t)surface->width * surface->height; ++i)
	{
		uint8_t *alpha = &texels[i * 4 + 3];
		uint32_t moved = *alpha;
		if (moved >= least)
		{
			moved = moved < high ? high : moved;
		}
		else
		{
			moved = moved > low ? low : moved;
		}
		int32_t difference = (int32_t)moved - (int32_t)*alpha;
		squared += (uint64_t)(difference * difference);
		*alpha = (uint8_t)moved;
	}
	return squared;
}

static uint64_t covered_by(const encoder *self, uint32_t first, uint32_t end)
{
	uint64_t covered = 0;
	for (uint32_t i = first; i < end; ++i)
	{
		covered += self->pieces[i].loss.covered;
	}
	return covered;
}

/// Pieces `first` to `end - 1` of a level again, as often as it takes.
static void keep_coverage(encoder *self, uint32_t first, uint32_t end)
{
	const lrd_surface *surface = self->pieces[first].surface;
	uint64_t texels = (uint64_t)surface->width * surface->height;
	uint64_t wanted = count_covered(surface, self->least_covered);
	for (uint32_t distance = 4; distance <= 256; distance *= 2)
	{
		uint64_t covered = covered_by(self, first, end);
		uint64_t off = covered > wanted ? covered - wanted : wanted - covered;
		if (off * 512 <= texels)
		{
			return;
		}
		(void)part_alphas(surface, self->least_covered, distance);
		for (uint32_t i = first; i < end; ++i)
		{
			self->pieces[i].loss = (loss){ 0 };
			encode_piece(self, i);
		}
	}
}

static void keep_every_coverage(encoder *self)
{
	for (uint32_t first = 0, end; first < self->piece_count; first = end)
	{
		for (end = first + 1; end < self->piece_count && self->pieces[end].level == self->pieces[first].level;)
		{
			end++;
		}
		if (self->pieces[first].level != 0)
		{
			keep_coverage(self, first, end);
		}
	}
}

static void add_loss(loss *sums, const loss *part)
{
	for (uint32_t i = 0; i < 4; ++i)
	{
		sums->squared[i] += part->squared[i];
	}
	sums->tone_squared += part->tone_squared;
	sums->angle_sum += part->angle_sum;
	sums->angle_max = part->angle_max > sums->angle_max ? part->angle_max : sums->angle_max;
	sums->texels += part->texels;
	sums->seen += part->seen;
}

bool lrd_texture_encode(const lrd_texture_recipe *recipe, const lrd_texture_choice *choice,
	const lrd_surfaces *surfaces, float coverage, lrd_encoded *encoded, lrd_texture_report *report, lrd_error *error)
{
	static const lrd_block_quality qualities[] = { [LRD_QUALITY_NORMAL] = LRD_BLOCK_NORMAL,
		[LRD_QUALITY_FAST] = LRD_BLOCK_FAST,
		[LRD_QUALITY_BEST] = LRD_BLOCK_BEST };
	encoder self = {
		.recipe = recipe,
		.choice = choice,
		.desc = { .format = block_format(choice->format),
			.quality = qualities[recipe->settings->quality],
			.perceptual = recipe->settings->perceptual && recipe->color },
		.is_astc = choice->encoding >= LRD_ENCODING_ASTC_4X4,
		.is_normal = recipe->type == LRD_TEXTURE_TYPE_NORMAL,
		.least_covered = choice->half || choice->block == 1 ? 0 : least_code(coverage),
	};
	loss sums = { 0 };
	if (self.least_covered != 0 && choice->encoding == LRD_ENCODING_BC1)
	{
		for (uint32_t i = 0; i < surfaces->level_count * surfaces->face_count; ++i)
		{
			// One bit of alpha, which would part at a half.
			uint64_t squared = part_alphas(&surfaces->items[i], self.least_covered, 255);
			sums.squared[3] += i < surfaces->face_count ? squared : 0;
		}
	}
	*encoded = (lrd_encoded){ .allocator = recipe->allocator };
	bool good = (!self.is_astc || astc_pool_init(&self.astc, &self, error)) && lay_out(&self, surfaces, encoded, error);
	if (good)
	{
		lrd_parallel(recipe->jobs, recipe->allocator, self.piece_count, encode_piece, &self);
	}
	if (good && self.least_covered != 0)
	{
		keep_every_coverage(&self);
	}
	for (uint32_t i = 0; good && i < self.piece_count; ++i)
	{
		if (self.pieces[i].level == 0)
		{
			add_loss(&sums, &self.pieces[i].loss);
		}
		good = !self.pieces[i].failed || lrd_fail(error, self.pieces[i].reason, "%s could not be encoded",
											 lrd_texture_format_name(choice->format));
	}
	astc_pool_close(&self.astc);
	lrd_free(recipe->allocator, self.pieces, self.capacity * sizeof *self.pieces);
	if (!good)
	{
		lrd_encoded_free(encoded);
		return false;
	}
	fill_report(&self, &sums, report);
	return true;
}

void lrd_encoded_free(lrd_encoded *encoded)
{
	for (uint32_t i = 0; i < encoded->level_count; ++i)
	{
		lrd_free(encoded->allocator, encoded->levels[i], encoded->sizes[i]);
	}
	encoded->level_count = 0;
}

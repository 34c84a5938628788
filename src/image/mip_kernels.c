// The kernels of mip chains: loading, halving and storing rows. Compiled once for each instruction set (base/isa.h); each
// lane is a texel. Rows are worked on in whole vectors: what comes out behind the last texel is of no meaning.

#include "base/lanes.h"
#include "image/half.h"
#include "image/mip_rows.h"
#include "image/srgb.h"

typedef struct texels
{
	lrd_f32s of[4];
} texels;

static inline texels load_planes(const float *planes, size_t stride)
{
	return (texels){ { lrd_f32s_load(planes), lrd_f32s_load(planes + stride), lrd_f32s_load(planes + 2 * stride),
		lrd_f32s_load(planes + 3 * stride) } };
}

// Codes of LRD_LANES texels, a channel a vector.
static inline void codes_of_8(const uint8_t *from, lrd_i32s *codes)
{
	lrd_i32s packed;
	memcpy(&packed, from, sizeof packed);
	codes[0] = packed & 255;
	codes[1] = packed >> 8 & 255;
	codes[2] = packed >> 16 & 255;
	codes[3] = packed >> 24 & 255;
}

static inline void codes_of_16(const uint8_t *from, lrd_i32s *codes)
{
	lrd_i32s low, high;
	memcpy(&low, from, sizeof low);
	memcpy(&high, from + sizeof low, sizeof high);
	lrd_i32s red_green = lrd_even_i(low, high), blue_alpha = lrd_odd_i(low, high);
	codes[0] = red_green & 65535;
	codes[1] = red_green >> 16 & 65535;
	codes[2] = blue_alpha & 65535;
	codes[3] = blue_alpha >> 16 & 65535;
}

static inline uint64_t count_lanes(lrd_mask mask)
{
	return (uint64_t)__builtin_popcount(lrd_mask_bits(mask));
}

// What no half float holds would spread over everything that filters it.
static inline texels finite_floats(const uint8_t *from, uint64_t *clamped)
{
	lrd_f32s raw[4];
	memcpy(raw, from, sizeof raw);
	lrd_f32s even_0 = lrd_even(raw[0], raw[1]), even_1 = lrd_even(raw[2], raw[3]);
	lrd_f32s odd_0 = lrd_odd(raw[0], raw[1]), odd_1 = lrd_odd(raw[2], raw[3]);
	texels value = { { lrd_even(even_0, even_1), lrd_even(odd_0, odd_1), lrd_odd(even_0, even_1),
		lrd_odd(odd_0, odd_1) } };
	for (size_t channel = 0; channel < 4; channel++)
	{
		lrd_f32s is = value.of[channel];
		*clamped += count_lanes(lrd_mask_not(lrd_less_equal(lrd_abs(is), lrd_f32s_of(LRD_HALF_MAX))));
		is = lrd_select(lrd_equal(is, is), is, lrd_f32s_of(0.0f));
		value.of[channel] = lrd_clamp(is, -LRD_HALF_MAX, LRD_HALF_MAX);
	}
	return value;
}

// `how`'s fields that choose a path are given again, as constants.
static inline __attribute__((always_inline)) texels load_texels(const lrd_mip_loading *how, lrd_pixel_type type,
	bool decodes, bool weighted, const uint8_t *from, uint64_t *clamped)
{
	texels value;
	if (type == LRD_PIXEL_F32)
	{
		value = finite_floats(from, clamped);
	}
	else
	{
		lrd_i32s codes[4];
		if (type == LRD_PIXEL_UNORM8)
		{
			codes_of_8(from, codes);
		}
		else
		{
			codes_of_16(from, codes);
		}
		value.of[3] = lrd_to_f32s(codes[3]);
		for (size_t channel = 0; channel < 3; channel++)
		{
			value.of[channel] = decodes ? lrd_gather(how->linear, codes[channel]) : lrd_to_f32s(codes[channel]);
		}
	}
	lrd_f32s weight = lrd_max(value.of[3], lrd_f32s_of(how->alpha_floor));
	for (size_t channel = 0; channel < 3; channel++)
	{
		lrd_f32s is = decodes ? value.of[channel] : value.of[channel] * how->scale + how->bias;
		value.of[channel] = weighted ? is * weight : is;
	}
	value.of[3] = weighted ? weight : value.of[3];
	return value;
}

static inline __attribute__((always_inline)) uint64_t load_row(const lrd_mip_loading *how, lrd_pixel_type type,
	bool decodes, bool weighted, bool alpha_only, const uint8_t *from, size_t count, float *planes, size_t stride)
{
	const size_t texel_size = type == LRD_PIXEL_UNORM8 ? 4 : type == LRD_PIXEL_UNORM16 ? 8 : 16;
	uint64_t clamped = 0;
	for (size_t x = 0; x < count; x += LRD_LANES)
	{
		const uint8_t *at = from + x * texel_size;
		uint8_t padded[LRD_LANES * 16];
		if (count - x < LRD_LANES)
		{
			memset(padded, 0, sizeof padded);
			memcpy(padded, at, (count - x) * texel_size);
			at = padded;
		}
		texels value = load_texels(how, type, decodes, weighted, at, &clamped);
		if (alpha_only)
		{
			lrd_f32s_store(planes + x, value.of[3]);
			continue;
		}
		for (size_t channel = 0; channel < 4; channel++)
		{
			lrd_f32s_store(planes + channel * stride + x, value.of[channel]);
		}
	}
	return clamped;
}

static inline __attribute__((always_inline)) uint64_t load_type(
	const lrd_mip_loading *how, lrd_pixel_type type, const uint8_t *from, size_t count, float *planes, size_t stride)
{
	if (how->alpha_only)
	{
		return how->weighted ? load_row(how, type, false, true, true, from, count, planes, stride)
							 : load_row(how, type, false, false, true, from, count, planes, stride);
	}
	if (how->linear != NULL)
	{
		return how->weighted ? load_row(how, type, true, true, false, from, count, planes, stride)
							 : load_row(how, type, true, false, false, from, count, planes, stride);
	}
	return how->weighted ? load_row(how, type, false, true, false, from, count, planes, stride)
						 : load_row(how, type, false, false, false, from, count, planes, stride);
}

uint64_t LRD_KERNEL(lrd_mip_load)(
	const lrd_mip_loading *how, const void *from, size_t count, float *planes, size_t stride)
{
	switch (how->type)
	{
	case LRD_PIXEL_UNORM8: return load_type(how, LRD_PIXEL_UNORM8, from, count, planes, stride);
	case LRD_PIXEL_UNORM16: return load_type(how, LRD_PIXEL_UNORM16, from, count, planes, stride);
	case LRD_PIXEL_F32: break;
	}
	return load_type(how, LRD_PIXEL_F32, from, count, planes, stride);
}

// Squared length below which a normal has no direction worth keeping.
#define NORMAL_MIN 1e-12f

static inline lrd_f32s squared_length(const lrd_f32s *normal)
{
	return normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2];
}

// To length 1; (0, 0, 1) where there is no direction.
static inline void normalise(lrd_f32s *normal)
{
	lrd_f32s squared = squared_length(normal);
	lrd_mask known = lrd_less(lrd_f32s_of(NORMAL_MIN), squared);
	lrd_f32s scale = lrd_select(known, 1.0f / lrd_sqrt(lrd_select(known, squared, lrd_f32s_of(1.0f))), lrd_f32s_of(0));
	normal[0] *= scale;
	normal[1] *= scale;
	normal[2] = lrd_select(known, normal[2] * scale, lrd_f32s_of(1.0f));
}

void LRD_KERNEL(lrd_mip_shape_normals)(
	bool two_channel, bool flip_y, bool unit, size_t count, float *planes, size_t stride)
{
	for (size_t x = 0; x < count; x += LRD_LANES)
	{
		texels value = load_planes(planes + x, stride);
		lrd_f32s *normal = value.of;
		normal[1] = flip_y ? -normal[1] : normal[1];
		if (two_channel)
		{
			lrd_f32s rest = 1.0f - normal[0] * normal[0] - normal[1] * normal[1];
			normal[2] = lrd_sqrt(lrd_max(rest, lrd_f32s_of(0.0f)));
		}
		if (unit)
		{
			normalise(normal);
		}
		for (size_t channel = 0; channel < 3; channel++)
		{
			lrd_f32s_store(planes + channel * stride + x, normal[channel]);
		}
	}
}

static inline void across_box(const lrd_mip_axis *axis, const float *in, float *out)
{
	for (size_t x = 0; x < axis->next; x += LRD_LANES)
	{
		lrd_f32s a = lrd_f32s_load(in + 2 * x), b = lrd_f32s_load(in + 2 * x + LRD_LANES);
		lrd_f32s_store(out + x, (lrd_even(a, b) + lrd_odd(a, b)) * 0.5f);
	}
}

// Texels of one chunk picked apart before they are weighted, each once.
#define CHUNK 256u

// Even tap 2 k stands at evens[x + k], odd tap 2 k + 1 at odds[x + k].
static inline void weigh_pairs(
	const lrd_mip_axis *axis, const float *evens, const float *odds, size_t count, float *out)
{
	enum
	{
		PAIRS = LRD_MIP_PAIRS_MAX
	};
	for (size_t x = 0; x < count; x += LRD_LANES)
	{
		lrd_f32s middle = lrd_f32s_load(odds + x + (PAIRS - 1) / 2) + lrd_f32s_load(evens + x + PAIRS / 2);
		lrd_f32s sum = middle * 0.5f;
		for (size_t k = 1; k < PAIRS; k++)
		{
			size_t before = PAIRS - 1 - k, after = PAIRS + k;
			lrd_f32s a = lrd_f32s_load((before % 2 == 0 ? evens : odds) + x + before / 2);
			lrd_f32s b = lrd_f32s_load((after % 2 == 0 ? evens : odds) + x + after / 2);
			sum += (a + b - middle) * axis->pair_weights[k];
		}
		lrd_f32s_store(out + x, sum);
	}
}

static inline void across_sinc(const lrd_mip_axis *axis, const float *in, float *out)
{
	float evens[CHUNK + 2 * LRD_LANES], odds[CHUNK + 2 * LRD_LANES];
	for (size_t begin = 0; begin < axis->next; begin += CHUNK)
	{
		size_t count = axis->next - begin < CHUNK ? axis->next - begin : CHUNK;
		const float *from = in + 2 * begin + axis->base;
		for (size_t x = 0; x < count + LRD_MIP_PAIRS_MAX; x += LRD_LANES)
		{
			lrd_f32s a = lrd_f32s_load(from + 2 * x), b = lrd_f32s_load(from + 2 * x + LRD_LANES);
			lrd_f32s_store(evens + x, lrd_even(a, b));
			lrd_f32s_store(odds + x, lrd_odd(a, b));
		}
		weigh_pairs(axis, evens, odds, count, out + begin);
	}
}

static inline void across_odd(const lrd_mip_axis *axis, const float *in, float *out)
{
	const uint32_t center = (uint32_t)(1 - axis->base);
	for (size_t x = 0; x < axis->next; x += LRD_LANES)
	{
		const float *from = in + 2 * x - center + 1;
		lrd_f32s middle = lrd_even(lrd_f32s_load(from + center), lrd_f32s_load(from + center + LRD_LANES));
		lrd_f32s sum = middle;
		for (uint32_t k = 0; k < axis->taps; k++)
		{
			lrd_f32s tap = lrd_even(lrd_f32s_load(from + k), lrd_f32s_load(from + k + LRD_LANES));
			sum += (tap - middle) * lrd_f32s_load(axis->weights + k * axis->stride + x);
		}
		lrd_f32s_store(out + x, sum);
	}
}

void LRD_KERNEL(lrd_mip_across)(const lrd_mip_axis *axis, const float *in, float *out)
{
	if (axis->taps == 1)
	{
		lrd_f32s_store(out, lrd_f32s_load(in));
	}
	else if (axis->pairs == 1)
	{
		across_box(axis, in, out);
	}
	else if (axis->pairs != 0)
	{
		across_sinc(axis, in, out);
	}
	else
	{
		across_odd(axis, in, out);
	}
}

static inline __attribute__((always_inline)) void down_pairs(
	const lrd_mip_axis *axis, uint32_t pairs, const float *const *rows, size_t count, float *out)
{
	for (size_t x = 0; x < count; x += LRD_LANES)
	{
		lrd_f32s middle = lrd_f32s_load(rows[pairs - 1] + x) + lrd_f32s_load(rows[pairs] + x);
		lrd_f32s sum = middle * 0.5f;
		for (uint32_t k = 1; k < pairs; k++)
		{
			lrd_f32s pair = lrd_f32s_load(rows[pairs - 1 - k] + x) + lrd_f32s_load(rows[pairs + k] + x);
			sum += (pair - middle) * axis->pair_weights[k];
		}
		lrd_f32s_store(out + x, sum);
	}
}

static inline void down_odd(const lrd_mip_axis *axis, uint32_t y, const float *const *rows, size_t count, float *out)
{
	const uint32_t center = (uint32_t)(1 - axis->base);
	for (size_t x = 0; x < count; x += LRD_LANES)
	{
		lrd_f32s middle = lrd_f32s_load(rows[center] + x);
		lrd_f32s sum = middle;
		for (uint32_t k = 0; k < axis->taps; k++)
		{
			sum += (lrd_f32s_load(rows[k] + x) - middle) * axis->weights[k * axis->stride + y];
		}
		lrd_f32s_store(out + x, sum);
	}
}

void LRD_KERNEL(lrd_mip_down)(const lrd_mip_axis *axis, uint32_t y, const float *const *rows, size_t count, float *out)
{
	if (axis->taps == 1)
	{
		memcpy(out, rows[0], count * sizeof *out);
	}
	else if (axis->pairs == 1)
	{
		down_pairs(axis, 1, rows, count, out);
	}
	else if (axis->pairs != 0)
	{
		down_pairs(axis, LRD_MIP_PAIRS_MAX, rows, count, out);
	}
	else
	{
		down_odd(axis, y, rows, count, out);
	}
}

// Straight colours of weighted ones. Where a sinc leaves little or negative alpha its colours mean little; the box's,
// which are a true mean, take over from a quarter of opaque down. Where the box sees nothing, they are of what does not
// show, and the little alpha that a sinc's outer lobes bring there is taken away.
static inline void unweight(const lrd_mip_storing *how, const float *planes, size_t stride, texels *value)
{
	lrd_f32s alpha = value->of[3];
	if (!how->boxed)
	{
		for (size_t channel = 0; channel < 3; channel++)
		{
			value->of[channel] = value->of[channel] / alpha;
		}
		return;
	}
	texels box = load_planes(planes + LRD_MIP_MAIN_PLANES * stride, stride);
	lrd_f32s share = lrd_clamp(alpha * how->alpha_unit * 4.0f, 0.0f, 1.0f);
	lrd_f32s divisor = lrd_max(alpha, lrd_f32s_of(0.25f / how->alpha_unit));
	lrd_mask empty = lrd_less(box.of[3] * how->alpha_unit, lrd_f32s_of(0.5f / 255.0f));
	value->of[3] = lrd_select(empty, lrd_f32s_of(0.0f), alpha);
	lrd_mask some = lrd_less(lrd_f32s_of(0.0f), alpha);
	for (size_t channel = 0; channel < 3; channel++)
	{
		lrd_f32s mean = box.of[channel] / box.of[3];
		lrd_f32s sinc = lrd_select(some, value->of[channel] / divisor, lrd_f32s_of(0.0f));
		value->of[channel] = mean * (1.0f - share) + sinc;
	}
}

// Roughness that takes up what the mean of the unit normals beneath has lost in length. A von Mises-Fisher lobe with
// mean length r has concentration k = r (3 - r^2) / (1 - r^2) (Banerjee et al., "Clustering on the Unit Hypersphere using
// von Mises-Fisher Distributions", JMLR 6, 2005; Han et al., "Frequency Domain Normal Map Filtering", SIGGRAPH 2007),
// which for narrow lobes is slopes of variance 1 / k on each axis; a Beckmann or GGX lobe of that variance has
// alpha^2 = 2 / k. Convolution adds variances: alpha'^2 = alpha^2 + 2 / k (Kaplanyan et al., "Filtering Distributions of
// Normals for Shading Antialiasing", HPG 2016), which is Toksvig's 1 / k = (1 - r) / r ("Mipmapping Normal Maps", 2005)
// to the first order, and holds for wide ones too. glTF's roughness is the root of alpha.
static inline lrd_f32s spread_roughness(
	const lrd_mip_storing *how, const float *planes, size_t stride, lrd_f32s squared)
{
	texels mean = load_planes(planes + LRD_MIP_MAIN_PLANES * stride, stride);
	lrd_f32s length_squared = lrd_clamp(squared_length(mean.of), 1e-6f, 1.0f);
	lrd_f32s lost = 2.0f * (1.0f - length_squared) / (lrd_sqrt(length_squared) * (3.0f - length_squared));
	// Of a flat map the length is 1 but for rounding, which must not raise what is smooth.
	lost = lrd_select(lrd_less(lost, lrd_f32s_of(1e-6f)), lrd_f32s_of(0.0f), lost);
	lrd_f32s raised = lrd_clamp(squared + lost, 0.0f, 1.0f);
	return lrd_sqrt(lrd_sqrt(raised)) / how->alpha_unit;
}

// The codes of values from 0 to 1, rounded as the exact function is (image/srgb.h).
static inline lrd_i32s encode_srgb(const int32_t *table, lrd_f32s value)
{
	const float below_one = 0x1.fffffep-1f;
	lrd_i32s bits = lrd_bits_of_f32s(lrd_clamp(value, 0x1p-13f, below_one));
	return (lrd_gather_i(table, (bits >> 16) - LRD_SRGB_FIRST_STEP) + (bits & 0xffff)) >> 16;
}

// lrd_half_from_float of finite values.
static inline lrd_i32s half_bits(lrd_f32s value)
{
	lrd_i32s bits = lrd_bits_of_f32s(value);
	lrd_i32s magnitude = bits & 0x7fffffff;
	lrd_i32s normal = (magnitude - 0x38000000 + 0xfff + (magnitude >> 13 & 1)) >> 13;
	// The addition rounds a subnormal to its last bit, 2^-24, which is that of floats from 0.5 on.
	lrd_i32s subnormal = lrd_bits_of_f32s(lrd_f32s_of_bits(magnitude) + 0.5f) - 0x3f000000;
	lrd_i32s half = lrd_select_i(lrd_less_i(magnitude, lrd_i32s_of(0x38800000)), subnormal, normal);
	return half | (bits >> 16 & 0x8000);
}

static inline void write_vector(const void *vectors, size_t texel_size, size_t lanes, uint8_t *out)
{
	if (lanes >= LRD_LANES)
	{
		memcpy(out, vectors, texel_size * LRD_LANES);
	}
	else
	{
		memcpy(out, vectors, texel_size * lanes);
	}
}

static inline __attribute__((always_inline)) void store_row(const lrd_mip_storing *how, bool encodes, bool half_float,
	bool weighted, const float *planes, size_t stride, const float *alphas, size_t count, uint8_t *out)
{
	for (size_t x = 0; x < count; x += LRD_LANES)
	{
		texels value = load_planes(planes + x, stride);
		if (weighted)
		{
			unweight(how, planes + x, stride, &value);
		}
		lrd_f32s alpha = value.of[3] * how->alpha_unit;
		if (how->normal)
		{
			normalise(value.of);
		}
		if (how->spread)
		{
			value.of[1] = spread_roughness(how, planes + x, stride, value.of[1]);
		}
		if (alphas != NULL)
		{
			float part[LRD_LANES] = { 0 };
			memcpy(part, alphas + x, (count - x < LRD_LANES ? count - x : LRD_LANES) * sizeof *part);
			alpha = lrd_f32s_load(part);
		}
		if (how->premultiply)
		{
			lrd_f32s weight = lrd_clamp(alpha, 0.0f, 1.0f);
			for (size_t channel = 0; channel < 3; channel++)
			{
				value.of[channel] = value.of[channel] * weight;
			}
		}
		// Not by way of 0..1: means of codes are exact.
		alpha = alphas != NULL ? alpha * how->alpha_opaque : value.of[3] * how->alpha_scale;
		alpha = lrd_clamp(alpha, how->alpha_low, how->alpha_high);
		if (half_float)
		{
			lrd_i32s halves[4];
			for (size_t channel = 0; channel < 3; channel++)
			{
				halves[channel] = half_bits(lrd_clamp(value.of[channel] * how->scale + how->bias, how->low, how->high));
			}
			halves[3] = half_bits(alpha);
			lrd_i32s red_green = halves[0] | halves[1] << 16, blue_alpha = halves[2] | halves[3] << 16;
			lrd_i32s packed[2] = { lrd_zip_low_i(red_green, blue_alpha), lrd_zip_high_i(red_green, blue_alpha) };
			write_vector(packed, 8, count - x, out + 8 * x);
			continue;
		}
		lrd_i32s packed = lrd_to_i32s(alpha + 0.5f) << 24;
		for (size_t channel = 0; channel < 3; channel++)
		{
			lrd_f32s is = value.of[channel];
			lrd_i32s code = encodes ? encode_srgb(how->srgb, is)
									: lrd_to_i32s(lrd_clamp(is * how->scale + how->bias, how->low, how->high) + 0.5f);
			packed |= code << (int32_t)(8 * channel);
		}
		write_vector(&packed, 4, count - x, out + 4 * x);
	}
}

void LRD_KERNEL(lrd_mip_store)(
	const lrd_mip_storing *how, const float *planes, size_t stride, const float *alphas, size_t count, uint8_t *out)
{
	if (how->half_float)
	{
		store_row(how, false, true, how->weighted, planes, stride, alphas, count, out);
	}
	else if (how->srgb != NULL && how->weighted)
	{
		store_row(how, true, false, true, planes, stride, alphas, count, out);
	}
	else if (how->srgb != NULL)
	{
		store_row(how, true, false, false, planes, stride, alphas, count, out);
	}
	else
	{
		store_row(how, false, false, how->weighted, planes, stride, alphas, count, out);
	}
}

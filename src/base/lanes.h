// base/lanes.h: vectors for kernels (base/isa.h): LRD_LANES floats or 32-bit integers side by side, each lane a piece
// of work of its own (a block, a texel). Arithmetic (+ - * / & | ^ ~ << >>) works on the types as they are; what C has
// no operator for is here. Every function gives the same bits on every instruction set: no approximate reciprocals, no
// fused multiply-add, minimum and maximum take the second operand where the first is not smaller or larger.

#ifndef BASE_LANES_H
#define BASE_LANES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512VL__) && defined(__AVX512BW__)
#include <immintrin.h>
#define LRD_LANES 16
#elif defined(__AVX2__)
#include <immintrin.h>
#define LRD_LANES 8
#elif defined(__SSE4_1__)
#include <smmintrin.h>
#define LRD_LANES 4
#else
#if defined(__SSE2__)
#include <emmintrin.h>
#endif
#include <math.h>
#define LRD_LANES 4
#endif

/// The widest of all sets: what a caller's arrays must be padded to.
#define LRD_LANES_MAX 16

typedef float lrd_f32s __attribute__((vector_size(LRD_LANES * 4)));
typedef int32_t lrd_i32s __attribute__((vector_size(LRD_LANES * 4)));
typedef uint32_t lrd_u32s __attribute__((vector_size(LRD_LANES * 4)));

/// Two 16-bit integers a lane, for what needs no more. Use the unsigned type where sums wrap round.
typedef int16_t lrd_i16s __attribute__((vector_size(LRD_LANES * 4)));
typedef uint16_t lrd_u16s __attribute__((vector_size(LRD_LANES * 4)));

/// Four bytes a lane.
typedef int8_t lrd_i8s __attribute__((vector_size(LRD_LANES * 4)));
typedef uint8_t lrd_u8s __attribute__((vector_size(LRD_LANES * 4)));

/// A truth a lane.
#if LRD_LANES == 16
typedef __mmask16 lrd_mask;
#else
typedef lrd_i32s lrd_mask;
#endif

static inline lrd_f32s lrd_f32s_of(float value)
{
	return value - (lrd_f32s){ 0 }; // not +: -0 stays
}

static inline lrd_i32s lrd_i32s_of(int32_t value)
{
	return value + (lrd_i32s){ 0 };
}

/// 0, 1, 2 and so on.
static inline lrd_i32s lrd_lane_numbers(void)
{
#if LRD_LANES == 16
	return (lrd_i32s){ 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
#elif LRD_LANES == 8
	return (lrd_i32s){ 0, 1, 2, 3, 4, 5, 6, 7 };
#else
	return (lrd_i32s){ 0, 1, 2, 3 };
#endif
}

static inline lrd_f32s lrd_f32s_load(const float *from)
{
	lrd_f32s value;
	memcpy(&value, from, sizeof value);
	return value;
}

static inline lrd_i32s lrd_i32s_load(const int32_t *from)
{
	lrd_i32s value;
	memcpy(&value, from, sizeof value);
	return value;
}

static inline void lrd_f32s_store(float *to, lrd_f32s value)
{
	memcpy(to, &value, sizeof value);
}

static inline void lrd_i32s_store(int32_t *to, lrd_i32s value)
{
	memcpy(to, &value, sizeof value);
}

/// Towards zero; |value| below 2^31.
static inline lrd_i32s lrd_to_i32s(lrd_f32s value)
{
	return __builtin_convertvector(value, lrd_i32s);
}

static inline lrd_f32s lrd_to_f32s(lrd_i32s value)
{
	return __builtin_convertvector(value, lrd_f32s);
}

/// The same bits as another type.
static inline lrd_i32s lrd_bits_of_f32s(lrd_f32s value)
{
	return (lrd_i32s)value;
}

static inline lrd_f32s lrd_f32s_of_bits(lrd_i32s value)
{
	return (lrd_f32s)value;
}

/// To the nearest integer, ties to even; |value| at most 2^22.
static inline lrd_f32s lrd_round(lrd_f32s value)
{
	const float magic = 12582912.0f; // 1.5 * 2^23
	return (value + magic) - magic;
}

#if LRD_LANES == 16

static inline lrd_mask lrd_less(lrd_f32s a, lrd_f32s b)
{
	return _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_LT_OQ);
}

static inline lrd_mask lrd_less_equal(lrd_f32s a, lrd_f32s b)
{
	return _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_LE_OQ);
}

static inline lrd_mask lrd_equal(lrd_f32s a, lrd_f32s b)
{
	return _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_EQ_OQ);
}

static inline lrd_mask lrd_less_i(lrd_i32s a, lrd_i32s b)
{
	return _mm512_cmplt_epi32_mask((__m512i)a, (__m512i)b);
}

static inline lrd_mask lrd_equal_i(lrd_i32s a, lrd_i32s b)
{
	return _mm512_cmpeq_epi32_mask((__m512i)a, (__m512i)b);
}

static inline lrd_mask lrd_mask_and(lrd_mask a, lrd_mask b)
{
	return (lrd_mask)(a & b);
}

static inline lrd_mask lrd_mask_or(lrd_mask a, lrd_mask b)
{
	return (lrd_mask)(a | b);
}

static inline lrd_mask lrd_mask_not(lrd_mask a)
{
	return (lrd_mask)~a;
}

/// `yes` where the mask is true, else `no`.
static inline lrd_f32s lrd_select(lrd_mask mask, lrd_f32s yes, lrd_f32s no)
{
	return (lrd_f32s)_mm512_mask_blend_ps(mask, (__m512)no, (__m512)yes);
}

static inline lrd_i32s lrd_select_i(lrd_mask mask, lrd_i32s yes, lrd_i32s no)
{
	return (lrd_i32s)_mm512_mask_blend_epi32(mask, (__m512i)no, (__m512i)yes);
}

static inline bool lrd_any(lrd_mask mask)
{
	return mask != 0;
}

static inline bool lrd_all(lrd_mask mask)
{
	return mask == 0xffff;
}

/// Lane i's truth as bit i.
static inline uint32_t lrd_mask_bits(lrd_mask mask)
{
	return mask;
}

/// Bit `bit` of each lane is set.
static inline lrd_mask lrd_bit(lrd_i32s value, int bit)
{
	return _mm512_test_epi32_mask((__m512i)value, _mm512_set1_epi32((int32_t)(1u << bit)));
}

/// Adds `b` where the mask is true. `a` is not -0, which a sum that began at 0 never is.
static inline lrd_f32s lrd_add_where(lrd_mask mask, lrd_f32s a, lrd_f32s b)
{
	return (lrd_f32s)_mm512_mask_add_ps((__m512)a, mask, (__m512)a, (__m512)b);
}

static inline lrd_i32s lrd_add_where_i(lrd_mask mask, lrd_i32s a, lrd_i32s b)
{
	return (lrd_i32s)_mm512_mask_add_epi32((__m512i)a, mask, (__m512i)a, (__m512i)b);
}

static inline lrd_f32s lrd_min(lrd_f32s a, lrd_f32s b)
{
	return (lrd_f32s)_mm512_min_ps((__m512)a, (__m512)b);
}

static inline lrd_f32s lrd_max(lrd_f32s a, lrd_f32s b)
{
	return (lrd_f32s)_mm512_max_ps((__m512)a, (__m512)b);
}

static inline lrd_i32s lrd_min_i(lrd_i32s a, lrd_i32s b)
{
	return (lrd_i32s)_mm512_min_epi32((__m512i)a, (__m512i)b);
}

static inline lrd_i32s lrd_max_i(lrd_i32s a, lrd_i32s b)
{
	return (lrd_i32s)_mm512_max_epi32((__m512i)a, (__m512i)b);
}

static inline lrd_f32s lrd_sqrt(lrd_f32s value)
{
	return (lrd_f32s)_mm512_sqrt_ps((__m512)value);
}

// Without optimisation gcc's intrinsic is a macro, and its own mask draws the warning.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"

/// table[index], a lane each.
static inline lrd_f32s lrd_gather(const float *table, lrd_i32s index)
{
	return (lrd_f32s)_mm512_i32gather_ps((__m512i)index, table, 4);
}

static inline lrd_i32s lrd_gather_i(const int32_t *table, lrd_i32s index)
{
	return (lrd_i32s)_mm512_i32gather_epi32((__m512i)index, table, 4);
}

#pragma GCC diagnostic pop

#else

static inline lrd_mask lrd_less(lrd_f32s a, lrd_f32s b)
{
	return a < b;
}

static inline lrd_mask lrd_less_equal(lrd_f32s a, lrd_f32s b)
{
	return a <= b;
}

static inline lrd_mask lrd_equal(lrd_f32s a, lrd_f32s b)
{
	return a == b;
}

static inline lrd_mask lrd_less_i(lrd_i32s a, lrd_i32s b)
{
	return a < b;
}

static inline lrd_mask lrd_equal_i(lrd_i32s a, lrd_i32s b)
{
	return a == b;
}

static inline lrd_mask lrd_mask_and(lrd_mask a, lrd_mask b)
{
	return a & b;
}

static inline lrd_mask lrd_mask_or(lrd_mask a, lrd_mask b)
{
	return a | b;
}

static inline lrd_mask lrd_mask_not(lrd_mask a)
{
	return ~a;
}

static inline lrd_mask lrd_bit(lrd_i32s value, int bit)
{
	return (value << (31 - bit)) >> 31;
}

static inline lrd_f32s lrd_add_where(lrd_mask mask, lrd_f32s a, lrd_f32s b)
{
	return a + (lrd_f32s)((lrd_i32s)b & mask);
}

static inline lrd_i32s lrd_add_where_i(lrd_mask mask, lrd_i32s a, lrd_i32s b)
{
	return a + (b & mask);
}

#if LRD_LANES == 8

static inline lrd_f32s lrd_select(lrd_mask mask, lrd_f32s yes, lrd_f32s no)
{
	return (lrd_f32s)_mm256_blendv_ps((__m256)no, (__m256)yes, (__m256)mask);
}

static inline uint32_t lrd_mask_bits(lrd_mask mask)
{
	return (uint32_t)_mm256_movemask_ps((__m256)mask);
}

static inline lrd_f32s lrd_min(lrd_f32s a, lrd_f32s b)
{
	return (lrd_f32s)_mm256_min_ps((__m256)a, (__m256)b);
}

static inline lrd_f32s lrd_max(lrd_f32s a, lrd_f32s b)
{
	return (lrd_f32s)_mm256_max_ps((__m256)a, (__m256)b);
}

static inline lrd_i32s lrd_min_i(lrd_i32s a, lrd_i32s b)
{
	return (lrd_i32s)_mm256_min_epi32((__m256i)a, (__m256i)b);
}

static inline lrd_i32s lrd_max_i(lrd_i32s a, lrd_i32s b)
{
	return (lrd_i32s)_mm256_max_epi32((__m256i)a, (__m256i)b);
}

static inline lrd_f32s lrd_sqrt(lrd_f32s value)
{
	return (lrd_f32s)_mm256_sqrt_ps((__m256)value);
}

static inline lrd_f32s lrd_gather(const float *table, lrd_i32s index)
{
	return (lrd_f32s)_mm256_i32gather_ps(table, (__m256i)index, 4);
}

static inline lrd_i32s lrd_gather_i(const int32_t *table, lrd_i32s index)
{
	return (lrd_i32s)_mm256_i32gather_epi32(table, (__m256i)index, 4);
}

#else

#if defined(__SSE4_1__)

static inline lrd_f32s lrd_select(lrd_mask mask, lrd_f32s yes, lrd_f32s no)
{
	return (lrd_f32s)_mm_blendv_ps((__m128)no, (__m128)yes, (__m128)mask);
}

static inline uint32_t lrd_mask_bits(lrd_mask mask)
{
	return (uint32_t)_mm_movemask_ps((__m128)mask);
}

static inline lrd_f32s lrd_min(lrd_f32s a, lrd_f32s b)
{
	return (lrd_f32s)_mm_min_ps((__m128)a, (__m128)b);
}

static inline lrd_f32s lrd_max(lrd_f32s a, lrd_f32s b)
{
	return (lrd_f32s)_mm_max_ps((__m128)a, (__m128)b);
}

static inline lrd_i32s lrd_min_i(lrd_i32s a, lrd_i32s b)
{
	return (lrd_i32s)_mm_min_epi32((__m128i)a, (__m128i)b);
}

static inline lrd_i32s lrd_max_i(lrd_i32s a, lrd_i32s b)
{
	return (lrd_i32s)_mm_max_epi32((__m128i)a, (__m128i)b);
}

static inline lrd_f32s lrd_sqrt(lrd_f32s value)
{
	return (lrd_f32s)_mm_sqrt_ps((__m128)value);
}

#else

static inline lrd_i32s lrd_select_bits(lrd_mask mask, lrd_i32s yes, lrd_i32s no)
{
	return (yes & mask) | (no & ~mask);
}

static inline lrd_f32s lrd_select(lrd_mask mask, lrd_f32s yes, lrd_f32s no)
{
	return (lrd_f32s)lrd_select_bits(mask, (lrd_i32s)yes, (lrd_i32s)no);
}

static inline uint32_t lrd_mask_bits(lrd_mask mask)
{
#if defined(__SSE2__)
	return (uint32_t)_mm_movemask_ps((__m128)mask);
#else
	uint32_t bits = 0;
	for (int i = 0; i < LRD_LANES; ++i)
	{
		bits |= (uint32_t)(mask[i] & 1) << i;
	}
	return bits;
#endif
}

static inline lrd_f32s lrd_min(lrd_f32s a, lrd_f32s b)
{
	return lrd_select(a < b, a, b);
}

static inline lrd_f32s lrd_max(lrd_f32s a, lrd_f32s b)
{
	return lrd_select(a > b, a, b);
}

static inline lrd_i32s lrd_min_i(lrd_i32s a, lrd_i32s b)
{
	return lrd_select_bits(a < b, a, b);
}

static inline lrd_i32s lrd_max_i(lrd_i32s a, lrd_i32s b)
{
	return lrd_select_bits(a > b, a, b);
}

static inline lrd_f32s lrd_sqrt(lrd_f32s value)
{
#if defined(__SSE2__)
	return (lrd_f32s)_mm_sqrt_ps((__m128)value);
#else
	for (int i = 0; i < LRD_LANES; ++i)
	{
		value[i] = sqrtf(value[i]);
	}
	return value;
#endif
}

#endif

static inline lrd_f32s lrd_gather(const float *table, lrd_i32s index)
{
	return (lrd_f32s){ table[index[0]], table[index[1]], table[index[2]], table[index[3]] };
}

static inline lrd_i32s lrd_gather_i(const int32_t *table, lrd_i32s index)
{
	return (lrd_i32s){ table[index[0]], table[index[1]], table[index[2]], table[index[3]] };
}

#endif

static inline lrd_i32s lrd_select_i(lrd_mask mask, lrd_i32s yes, lrd_i32s no)
{
	return (lrd_i32s)lrd_select(mask, (lrd_f32s)yes, (lrd_f32s)no);
}

static inline bool lrd_any(lrd_mask mask)
{
	return lrd_mask_bits(mask) != 0;
}

static inline bool lrd_all(lrd_mask mask)
{
	return lrd_mask_bits(mask) == (1u << LRD_LANES) - 1;
}

#endif

static inline lrd_f32s lrd_clamp(lrd_f32s value, float low, float high)
{
	return lrd_min(lrd_max(value, lrd_f32s_of(low)), lrd_f32s_of(high));
}

static inline lrd_f32s lrd_abs(lrd_f32s value)
{
	return (lrd_f32s)((lrd_i32s)value & 0x7fffffff);
}

/// The greatest integer not above; |value| below 2^31.
static inline lrd_i32s lrd_floor_i(lrd_f32s value)
{
	lrd_i32s whole = lrd_to_i32s(value);
	return lrd_select_i(lrd_less(value, lrd_to_f32s(whole)), whole - 1, whole);
}

/// The even and the odd members of a and b, one after the other: what two interleaved streams are made of.
#if LRD_LANES == 16
#define LRD_EVEN_LANES 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
#define LRD_ODD_LANES 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31
#define LRD_LOW_LANES 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define LRD_HIGH_LANES 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#elif LRD_LANES == 8
#define LRD_EVEN_LANES 0, 2, 4, 6, 8, 10, 12, 14
#define LRD_ODD_LANES 1, 3, 5, 7, 9, 11, 13, 15
#define LRD_LOW_LANES 0, 8, 1, 9, 2, 10, 3, 11
#define LRD_HIGH_LANES 4, 12, 5, 13, 6, 14, 7, 15
#else
#define LRD_EVEN_LANES 0, 2, 4, 6
#define LRD_ODD_LANES 1, 3, 5, 7
#define LRD_LOW_LANES 0, 4, 1, 5
#define LRD_HIGH_LANES 2, 6, 3, 7
#endif

static inline lrd_f32s lrd_even(lrd_f32s a, lrd_f32s b)
{
	return __builtin_shufflevector(a, b, LRD_EVEN_LANES);
}

static inline lrd_f32s lrd_odd(lrd_f32s a, lrd_f32s b)
{
	return __builtin_shufflevector(a, b, LRD_ODD_LANES);
}

static inline lrd_i32s lrd_even_i(lrd_i32s a, lrd_i32s b)
{
	return __builtin_shufflevector(a, b, LRD_EVEN_LANES);
}

static inline lrd_i32s lrd_odd_i(lrd_i32s a, lrd_i32s b)
{
	return __builtin_shufflevector(a, b, LRD_ODD_LANES);
}

/// a and b interleaved, a first: the first half of what comes of it, and the second.
static inline lrd_i32s lrd_zip_low_i(lrd_i32s a, lrd_i32s b)
{
	return __builtin_shufflevector(a, b, LRD_LOW_LANES);
}

static inline lrd_i32s lrd_zip_high_i(lrd_i32s a, lrd_i32s b)
{
	return __builtin_shufflevector(a, b, LRD_HIGH_LANES);
}

/// Two 16-bit integers a lane of two of 32; the low 16 bits of each count.
static inline lrd_i16s lrd_pairs(lrd_i32s first, lrd_i32s second)
{
	return (lrd_i16s)((first & 0xffff) | (lrd_i32s)((lrd_u32s)second << 16));
}

/// The same in both places of a lane.
static inline lrd_i16s lrd_pairs_of(lrd_i32s value)
{
	return lrd_pairs(value, value);
}

static inline lrd_i16s lrd_i16s_of(int16_t value)
{
	return value + (lrd_i16s){ 0 };
}

static inline lrd_i32s lrd_first(lrd_i16s pairs)
{
	return (lrd_i32s)((lrd_u32s)pairs << 16) >> 16;
}

static inline lrd_i32s lrd_second(lrd_i16s pairs)
{
	return (lrd_i32s)pairs >> 16;
}

/// a * b of the first plus a * b of the second, in 32 bits.
static inline lrd_i32s lrd_dot_pairs(lrd_i16s a, lrd_i16s b)
{
#if LRD_LANES == 16
	return (lrd_i32s)_mm512_madd_epi16((__m512i)a, (__m512i)b);
#elif LRD_LANES == 8
	return (lrd_i32s)_mm256_madd_epi16((__m256i)a, (__m256i)b);
#elif defined(__SSE2__)
	return (lrd_i32s)_mm_madd_epi16((__m128i)a, (__m128i)b);
#else
	return lrd_first(a) * lrd_first(b) + lrd_second(a) * lrd_second(b);
#endif
}

/// a * b / 2^16, towards minus infinity.
static inline lrd_i16s lrd_mul_high(lrd_i16s a, lrd_i16s b)
{
#if LRD_LANES == 16
	return (lrd_i16s)_mm512_mulhi_epi16((__m512i)a, (__m512i)b);
#elif LRD_LANES == 8
	return (lrd_i16s)_mm256_mulhi_epi16((__m256i)a, (__m256i)b);
#elif defined(__SSE2__)
	return (lrd_i16s)_mm_mulhi_epi16((__m128i)a, (__m128i)b);
#else
	return lrd_pairs((lrd_first(a) * lrd_first(b)) >> 16, (lrd_second(a) * lrd_second(b)) >> 16);
#endif
}

/// a * b / 2^15, to the nearest, halves up; not both -2^15.
static inline lrd_i16s lrd_mul_round(lrd_i16s a, lrd_i16s b)
{
#if LRD_LANES == 16
	return (lrd_i16s)_mm512_mulhrs_epi16((__m512i)a, (__m512i)b);
#elif LRD_LANES == 8
	return (lrd_i16s)_mm256_mulhrs_epi16((__m256i)a, (__m256i)b);
#elif defined(__SSE4_1__)
	return (lrd_i16s)_mm_mulhrs_epi16((__m128i)a, (__m128i)b);
#else
	lrd_u16s low = (lrd_u16s)a * (lrd_u16s)b;
	lrd_u16s high = (lrd_u16s)lrd_mul_high(a, b);
	return (lrd_i16s)((high << 1) + (low >> 15) + ((low >> 14) & 1));
#endif
}

static inline lrd_i16s lrd_min_pairs(lrd_i16s a, lrd_i16s b)
{
#if LRD_LANES == 16
	return (lrd_i16s)_mm512_min_epi16((__m512i)a, (__m512i)b);
#elif LRD_LANES == 8
	return (lrd_i16s)_mm256_min_epi16((__m256i)a, (__m256i)b);
#elif defined(__SSE2__)
	return (lrd_i16s)_mm_min_epi16((__m128i)a, (__m128i)b);
#else
	lrd_i16s less = a < b;
	return (a & less) | (b & ~less);
#endif
}

static inline lrd_i16s lrd_max_pairs(lrd_i16s a, lrd_i16s b)
{
#if LRD_LANES == 16
	return (lrd_i16s)_mm512_max_epi16((__m512i)a, (__m512i)b);
#elif LRD_LANES == 8
	return (lrd_i16s)_mm256_max_epi16((__m256i)a, (__m256i)b);
#elif defined(__SSE2__)
	return (lrd_i16s)_mm_max_epi16((__m128i)a, (__m128i)b);
#else
	lrd_i16s less = a < b;
	return (b & less) | (a & ~less);
#endif
}

/// a * b / 2^16, towards 0.
static inline lrd_u16s lrd_mul_high_u(lrd_u16s a, lrd_u16s b)
{
#if LRD_LANES == 16
	return (lrd_u16s)_mm512_mulhi_epu16((__m512i)a, (__m512i)b);
#elif LRD_LANES == 8
	return (lrd_u16s)_mm256_mulhi_epu16((__m256i)a, (__m256i)b);
#elif defined(__SSE2__)
	return (lrd_u16s)_mm_mulhi_epu16((__m128i)a, (__m128i)b);
#else
	lrd_u32s first = ((lrd_u32s)a & 0xffff) * ((lrd_u32s)b & 0xffff) >> 16;
	lrd_u32s second = ((lrd_u32s)a >> 16) * ((lrd_u32s)b >> 16) & 0xffff0000;
	return (lrd_u16s)(first | second);
#endif
}

/// |value|; not -128.
static inline lrd_i8s lrd_abs_bytes(lrd_i8s value)
{
#if LRD_LANES == 16
	return (lrd_i8s)_mm512_abs_epi8((__m512i)value);
#elif LRD_LANES == 8
	return (lrd_i8s)_mm256_abs_epi8((__m256i)value);
#elif defined(__SSE4_1__)
	return (lrd_i8s)_mm_abs_epi8((__m128i)value);
#else
	lrd_i8s sign = (lrd_i8s)(value < 0);
	return (value ^ sign) - sign;
#endif
}

/// table[index] of 16 bytes, for each of four a lane; an index is from 0 to 15.
static inline lrd_u8s lrd_look_up_bytes(const uint8_t table[16], lrd_u8s index)
{
#if defined(__SSE4_1__)
	__m128i bytes;
	memcpy(&bytes, table, sizeof bytes);
#endif
#if LRD_LANES == 16
	return (lrd_u8s)_mm512_shuffle_epi8(_mm512_broadcast_i32x4(bytes), (__m512i)index);
#elif LRD_LANES == 8
	return (lrd_u8s)_mm256_shuffle_epi8(_mm256_broadcastsi128_si256(bytes), (__m256i)index);
#elif defined(__SSE4_1__)
	return (lrd_u8s)_mm_shuffle_epi8(bytes, (__m128i)index);
#else
	for (int i = 0; i < 4 * LRD_LANES; ++i)
	{
		index[i] = table[index[i]];
	}
	return index;
#endif
}

/// table[index] of 16 floats.
static inline lrd_f32s lrd_look_up(const float table[16], lrd_i32s index)
{
#if LRD_LANES == 16
	return (lrd_f32s)_mm512_permutexvar_ps((__m512i)index, (__m512)lrd_f32s_load(table));
#else
	return lrd_gather(table, index);
#endif
}

/// Bytes, `a` from 0 to 255 and `b` from -128 to 127: a * b of the first plus a * b of the second, and those
/// of the third and fourth. The sums must fit 16 bits.
static inline lrd_i16s lrd_dot_bytes(lrd_u8s a, lrd_i8s b)
{
#if LRD_LANES == 16
	return (lrd_i16s)_mm512_maddubs_epi16((__m512i)a, (__m512i)b);
#elif LRD_LANES == 8
	return (lrd_i16s)_mm256_maddubs_epi16((__m256i)a, (__m256i)b);
#elif defined(__SSE4_1__)
	return (lrd_i16s)_mm_maddubs_epi16((__m128i)a, (__m128i)b);
#else
	lrd_i16s even = (lrd_i16s)((lrd_i32s)a & 0x00ff00ff) * ((lrd_i16s)((lrd_u16s)b << 8) >> 8);
	return even + (lrd_i16s)((lrd_u16s)a >> 8) * ((lrd_i16s)b >> 8);
#endif
}

/// The lanes where the mask is true, close together at `to`, which has room for LRD_LANES; what follows them is undefined.
static inline void lrd_store_where(int32_t *to, lrd_mask mask, lrd_i32s value)
{
#if LRD_LANES == 16
	_mm512_storeu_si512(to, _mm512_maskz_compress_epi32(mask, (__m512i)value));
#else
	uint32_t bits = lrd_mask_bits(mask);
	for (int i = 0; i < LRD_LANES; ++i)
	{
		*to = value[i];
		to += bits >> i & 1u;
	}
#endif
}

#endif

// image/compare.h: how far two images of one size are apart: squared errors and PSNR, structural similarity, angles
// between normals, and a picture of the difference. Pure.
//
// Images are compared as stored: sRGB codes as codes, 0..1, which is what quoted PSNR figures mean. Only where one of
// them is linear and the other is not is the other decoded first. Of floats, NaN counts as 0 and what is beyond 2^60 as
// 2^60.

#ifndef IMAGE_COMPARE_H
#define IMAGE_COMPARE_H

#include "base/isa.h"
#include "image/image.h"

/// What is done to red, green and blue before they are compared, for light that has no upper end. Negative ones are 0.
typedef enum lrd_compare_scale
{
	LRD_COMPARE_PLAIN,    ///< nothing
	LRD_COMPARE_LOG2,     ///< log2(1 + x)
	LRD_COMPARE_REINHARD, ///< x / (1 + x)
} lrd_compare_scale;

typedef enum lrd_compare_normals
{
	LRD_COMPARE_NO_NORMALS,
	LRD_COMPARE_XYZ, ///< red, green, blue; unorm ones stand for -1..1; lengths don't count
	LRD_COMPARE_XY,  ///< red and green; z = sqrt(1 - x^2 - y^2), 0 where that is negative
} lrd_compare_normals;

typedef struct lrd_compare_desc
{
	const lrd_image *reference;
	const lrd_image *image;
	lrd_compare_scale scale;
	lrd_compare_normals normals;
	bool skip_ssim;   ///< saves most of the time
	uint8_t *picture; ///< width * height RGBA8 of the difference: see lrd_compare; NULL: none
	float amplify;    ///< of the picture; 0: 1
	lrd_isa isa;
	lrd_allocator allocator;
} lrd_compare_desc;

/// Errors are of the scaled values. PSNR is 10 log10(peak^2 / mse) in dB, infinity where nothing differs.
typedef struct lrd_comparison
{
	double
		peak; ///< 1; where an image is of floats, the greatest colour component of the reference, 1 if none is above 0
	double mse[4];       ///< red, green, blue, alpha
	double psnr[4];      ///< alpha's peak is always 1
	double max_error[4]; ///< absolute
	double psnr_rgb;     ///< of the three channels' mean mse
	double psnr_rgba;    ///< of all four's, alpha's beside colours over their peak
	double rmsle;        ///< root mean square of ln(1 + x) - ln(1 + y) over red, green, blue, unscaled: for HDR
	double ssim_luma;    ///< 0 when skipped
	double ssim_rgb;     ///< the mean of red's, green's and blue's
	double angle_mean;   ///< degrees; 0 without normals
	double angle_max;
} lrd_comparison;

/// Compare. SSIM is that of Zhou Wang et al., "Image Quality Assessment: From Error Visibility to Structural
/// Similarity", IEEE Transactions on Image Processing 13(4), 2004: Gaussian windows of 11 x 11 with sigma 1.5 that lie
/// wholly inside (of sides under 11: one window of that side), K1 = 0.01, K2 = 0.03, the dynamic range being the peak;
/// on luma (0.299 R + 0.587 G + 0.114 B, of the values as compared) and on each colour; without downsampling first.
/// The picture shows |difference| / peak * amplify in each colour, with alpha's added to all three, opaque.
/// Errors: LRD_ERROR_ARGUMENT (sizes differ, no texels), LRD_ERROR_MEMORY.
bool lrd_compare(const lrd_compare_desc *desc, lrd_comparison *result, lrd_error *error);

/// Sums of squared differences of RGBA8 texels, at memory speed. PSNR: lrd_compare_psnr(sum / (255.0 * 255.0) / texels).
void lrd_compare_unorm8(const uint8_t *a, const uint8_t *b, size_t texels, uint64_t sums[4]);

/// dB of a mean squared error at a peak of 1; infinity of 0.
double lrd_compare_psnr(double mse);

#endif

// image/cubemap.h: cubemaps: six faces from images or a panorama, levels prefiltered for glossy reflections, plain mips.
// Pure: images in, arrays out. Spherical harmonics of one: image/harmonics.h.
//
// Faces and their texels are ordered and turned as Vulkan ("Cube Map Face Selection"), Direct3D and KTX 2.0 (section
// "Cubemap orientation") define. For a direction r, which need not be of unit length:
//
//   face  0 +X  1 -X  2 +Y  3 -Y  4 +Z  5 -Z
//   ma     rx    rx    ry    ry    rz    rz    the component of the greatest magnitude
//   sc    -rz   +rz   +rx   +rx   +rx   -rx    s = (sc / |ma| + 1) / 2, to the right
//   tc    -ry   -ry   +rz   -rz   -ry   -ry    t = (tc / |ma| + 1) / 2, down
//
// Seen from inside, +Z ahead and +Y up, +X is on the right: the coordinate system of look-ups is left-handed, whatever
// the renderer's own is. A panorama's middle is +Z, its right half +X, its top row +Y.
//
// Every result is the same to the last bit on every instruction set, on every machine, and however rows are shared out.

#ifndef IMAGE_CUBEMAP_H
#define IMAGE_CUBEMAP_H

#include "base/isa.h"
#include "image/image.h"

/// Texels of the longest side of a face.
#define LRD_CUBE_MAX_SIDE 8192u
#define LRD_CUBE_LEVELS_MAX 14

/// Radiance is kept within +-2^60, so that no sum overflows; beyond and infinite is clamped to it, NaN is 0, both counted.
#define LRD_CUBE_MAX_VALUE 0x1p60f

/// Six faces, +X -X +Y -Y +Z -Z, each face_size rows of face_size texels, RGBA in linear light.
typedef struct lrd_cube
{
	uint32_t face_size;
	float *texels;    ///< 6 * face_size * face_size * 4
	size_t size;      ///< bytes
	uint64_t clamped; ///< components of the source that were not finite or too large
	lrd_allocator allocator;
} lrd_cube;

typedef enum lrd_cube_layout
{
	LRD_CUBE_NONE,     ///< auto, in a desc; in an answer: no layout that is known
	LRD_CUBE_STRIP,    ///< 6 x 1: +X -X +Y -Y +Z -Z
	LRD_CUBE_COLUMN,   ///< 1 x 6, in the same order
	LRD_CUBE_CROSS,    ///< 4 x 3: +Y above +Z, -Y below it, the belt -X +Z +X -Z
	LRD_CUBE_UPRIGHT,  ///< 3 x 4: the same belt without -Z, which stands below -Y, turned by 180 degrees
	LRD_CUBE_PANORAMA, ///< 2 x 1, equirectangular
	LRD_CUBE_FACES,    ///< six images
} lrd_cube_layout;

/// What an image of this size must be when it is a cubemap; LRD_CUBE_NONE when it can't be one.
lrd_cube_layout lrd_cube_layout_of(uint32_t width, uint32_t height);
/// "strip", "column", "cross", "upright cross", "panorama", "faces", "none".
const char *lrd_cube_layout_name(lrd_cube_layout layout);

typedef struct lrd_cube_desc
{
	const lrd_image *images; ///< one, or the six faces, all of one size; sRGB-encoded ones are decoded
	uint32_t image_count;
	lrd_cube_layout layout; ///< zeroed: by the image's size
	uint32_t face_size; ///< 0: a panorama's quarter width rounded to a power of two, 16 at least; else the faces' own
	lrd_isa isa;
	lrd_allocator allocator;
} lrd_cube_desc;

/// Texels of the side of the faces that a desc makes. Errors: LRD_ERROR_ARGUMENT (no layout fits, faces that are not
/// square or not of one size, an image without texels), LRD_ERROR_LIMIT (faces above LRD_CUBE_MAX_SIDE).
bool lrd_cube_measure(const lrd_cube_desc *desc, uint32_t *face_size, lrd_error *error);

/// Make the faces. Panoramas are filtered over each texel's area, without a seam where they close or at the poles;
/// faces of another size than asked for are filtered over areas where they shrink, and interpolated across edges where
/// they grow. Errors: those of lrd_cube_measure, LRD_ERROR_MEMORY.
bool lrd_cube_make(const lrd_cube_desc *desc, lrd_cube *cube, lrd_error *error);

/// Room for a cube; its texels are zero. Errors: LRD_ERROR_MEMORY, LRD_ERROR_LIMIT, LRD_ERROR_ARGUMENT (no texels).
bool lrd_cube_reserve(uint32_t face_size, lrd_allocator allocator, lrd_cube *cube, lrd_error *error);
/// Harmless twice, and on a zeroed cube.
void lrd_cube_free(lrd_cube *cube);

/// The first texel of a face.
static inline float *lrd_cube_face(const lrd_cube *cube, uint32_t face)
{
	return cube->texels + (size_t)4 * face * cube->face_size * cube->face_size;
}

/// The direction, of unit length, of a point of a face; s and t in 0..1.
void lrd_cube_direction(uint32_t face, double s, double t, double direction[3]);
/// The face and the point on it that a direction, not zero, leads to.
uint32_t lrd_cube_point(const double direction[3], double *s, double *t);
/// Solid angle of the rectangle of a face from (s0, t0) to (s1, t1), in steradians; a whole face: 4 pi / 6.
double lrd_cube_solid_angle(double s0, double t0, double s1, double t1);
/// Look up with linear interpolation across edges and corners, as a GPU does.
void lrd_cube_sample(const lrd_cube *cube, const double direction[3], float rgba[4]);

// Panoramas in pieces, for callers with threads. lrd_cube_make does the same on one.

/// A panorama readied for lookups: rows near the poles are averaged along their longitudes to texels that are half as
/// wide as high. Any number of threads may look up at once.
typedef struct lrd_panorama lrd_panorama;

/// Errors: LRD_ERROR_ARGUMENT (no texels), LRD_ERROR_MEMORY. The image is not needed afterwards.
lrd_panorama *lrd_panorama_open(const lrd_image *image, lrd_allocator allocator, lrd_error *error);
uint64_t lrd_panorama_clamped(const lrd_panorama *panorama);
/// Fill rows first_row to end_row - 1 of a face.
void lrd_panorama_rows(
	const lrd_panorama *panorama, lrd_isa isa, lrd_cube *cube, uint32_t face, uint32_t first_row, uint32_t end_row);
void lrd_panorama_close(lrd_panorama *panorama);

// Levels for glossy reflections. Level i of n is the radiance convolved with the GGX lobe of roughness i / (n - 1) for
// a viewer along the normal (N = V = R; Brian Karis, "Real Shading in Unreal Engine 4", SIGGRAPH 2013 course notes,
// "Pre-Filtered Environment Map"): with h halfway between the normal n and l, and alpha = roughness^2,
//
//   level(n) = integral L(l) D(h) (n.l) dl / integral D(h) (n.l) dl,  D(h) = alpha^2 / (pi ((n.h)^2 (alpha^2 - 1) + 1)^2)
//
// which is what drawing h by the density D(h) (n.h) and weighting by n.l comes to. Filtered importance sampling (Jaroslav
// Krivanek and Mark Colbert, "Real-time Shading with Filtered Importance Sampling", GPU Gems 3, chapter 20) takes each
// sample from the mip level whose texels are as large as the share of the lobe that the sample stands for. So it is here,
// but for where the samples lie: they are the mip texels themselves. The sphere is cut into texels as large as the
// lobe's bends allow, small where it is narrow and high, and each is weighted with the lobe where its light is. That needs
// no random points, so there is no noise, no lookup across an edge, and a sun in one texel counts exactly.

/// A cube readied for convolving: sums and centres of light over ever larger texels. Any number of threads may use it.
typedef struct lrd_cube_lobes lrd_cube_lobes;

/// `cube` must live as long. Memory besides: about as much as the cube's. Errors: LRD_ERROR_MEMORY.
lrd_cube_lobes *lrd_cube_lobes_open(const lrd_cube *cube, lrd_allocator allocator, lrd_error *error);
/// Fill rows first_row to end_row - 1 of a face of `level`, which is of any size. Roughness in 0..1; below 1/128 counts as
/// 1/128. Answers the least number of samples above the horizon that a texel was summed from.
uint32_t lrd_cube_lobes_rows(const lrd_cube_lobes *lobes, lrd_isa isa, float roughness, lrd_cube *level, uint32_t face,
	uint32_t first_row, uint32_t end_row);
void lrd_cube_lobes_close(lrd_cube_lobes *lobes);

/// Levels 1 to level_count - 1, of half the size each, down to 1: levels[0] is not written, it is the cube itself.
/// On this thread. level_count is at most lrd_cube_level_count(face_size), and 2 at least. Errors: LRD_ERROR_MEMORY.
bool lrd_cube_prefilter(const lrd_cube *cube, uint32_t level_count, lrd_isa isa, lrd_allocator allocator,
	lrd_cube *levels, lrd_error *error);

/// The same for a cube that is not light: each level is the one before, averaged face by face.
bool lrd_cube_mips(
	const lrd_cube *cube, uint32_t level_count, lrd_allocator allocator, lrd_cube *levels, lrd_error *error);

/// Levels down to 1 texel a face.
uint32_t lrd_cube_level_count(uint32_t face_size);

#endif

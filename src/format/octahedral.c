// Octahedral unit vectors, decoding: Cigolle et al., "A Survey of Efficient Representations for Independent Unit
// Vectors", JCGT 3(2), 2014, section 3.3 ("oct"). snorm16 as Vulkan and Direct3D define it: -32768 and -32767 both are
// -1.
//
// A tangent's handedness is the lowest bit of its second coordinate, which stays part of the coordinate: a GPU that
// fetches the pair as snorm needs no masking, and the encoder chooses among the coordinates whose lowest bit is right.

#include "larder/mesh.h"

#include <math.h>

/// The unit vector that two coordinates in [-1, 1] of the unfolded octahedron stand for.
static void unfold(double u, double v, double vector[3])
{
	double z = 1.0 - fabs(u) - fabs(v);
	double fold = z < 0.0 ? -z : 0.0; // the lower hemisphere's corners turn over their edge
	double x = u + (u >= 0.0 ? -fold : fold);
	double y = v + (v >= 0.0 ? -fold : fold);
	double length = sqrt(x * x + y * y + z * z); // never below 1 / sqrt(3): the three add up to 1
	vector[0] = x / length;
	vector[1] = y / length;
	vector[2] = z / length;
}

static double from_snorm16(int16_t value)
{
	return value <= -32767 ? -1.0 : value / 32767.0;
}

lrd_vec3 lrd_oct_decode(const int16_t oct[2])
{
	double vector[3];
	unfold(from_snorm16(oct[0]), from_snorm16(oct[1]), vector);
	return (lrd_vec3){ (float)vector[0], (float)vector[1], (float)vector[2] };
}

lrd_vec4 lrd_oct_tangent_decode(const int16_t oct[2])
{
	lrd_vec3 direction = lrd_oct_decode(oct);
	return (lrd_vec4){ direction.x, direction.y, direction.z, (oct[1] & 1) != 0 ? -1.0f : 1.0f };
}

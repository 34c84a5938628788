// geometry/pack.h: the parts of packing that have files of their own.

#ifndef GEOMETRY_PACK_H
#define GEOMETRY_PACK_H

#include "geometry/vertices.h"

#include <float.h>

/// The skin stream and its two attributes, in 16 bits where that is wanted or a joint needs them.
bool lrd_pack_skin(const lrd_geometry *geometry, bool wide_weights, lrd_geometry_streams *streams, lrd_error *error);

/// A texture coordinate as it is stored: one that is not finite is 0.
static inline float lrd_pack_number(float value)
{
	return isfinite(value) ? value : 0.0f;
}

/// lrd_geometry_streams.uv_density of one set.
float lrd_pack_density(const lrd_geometry *geometry, uint32_t set);

/// Morph targets and their entries.
bool lrd_pack_morphs(const lrd_geometry *geometry, lrd_geometry_streams *streams, lrd_error *error);

#endif

// format/octahedral.h: octahedral unit vectors with the precision that the encoder compares with.

#ifndef FORMAT_OCTAHEDRAL_H
#define FORMAT_OCTAHEDRAL_H

/// The unit vector that two coordinates in [-1, 1] of the unfolded octahedron stand for.
void lrd_octahedral_unfold(double u, double v, double vector[3]);

#endif

// motion/rotations.h: rotations in doubles, without functions of libm but the square root.

#ifndef MOTION_ROTATIONS_H
#define MOTION_ROTATIONS_H

/// The rotation from unit quaternion a to b as its axis times its angle in radians. Returns the cosine of half the
/// angle: below 0 the long way round was meant, and `vector` is of no use.
double lrd_motion_rotation_between(const double a[4], const double b[4], double vector[3]);

/// A quaternion in doubles, of unit length.
void lrd_motion_unit(const float q[4], double unit[4]);

/// Half way from one to another, the short way.
void lrd_motion_middle(const double a[4], const double b[4], double middle[4]);

#endif

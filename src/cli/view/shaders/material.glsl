// The material of a draw.

// One for a draw, not an element of an array: drivers in software compile the look-up of one many times faster.
layout(set = 2, binding = 1, std140) uniform Row { Material material; };

#define M material

// The material of a draw, and its textures: in a set of its own, or with TABLE in the one table that there is of all.

#ifdef TABLE
// Of one draw all rows are the same: the index is uniform.
layout(set = 0, binding = 3, std430) readonly buffer Rows { Material rows[]; };
#define M rows[MATERIAL_ROW]
#else
// One for a draw, not an element of an array: drivers in software compile the look-up of one many times faster.
layout(set = 2, binding = 1, std140) uniform Row { Material material; };
#define M material
#endif

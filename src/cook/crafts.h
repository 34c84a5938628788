// cook/crafts.h: the versions of what cooks. They are part of every cook's key: a craft whose results change gets a new
// number here, and what used it is cooked again.

#ifndef COOK_CRAFTS_H
#define COOK_CRAFTS_H

#include "base/memory.h"

#define LRD_CRAFT_IMPORT_GLTF 4
#define LRD_CRAFT_GEOMETRY 5
#define LRD_CRAFT_IMAGE 3
#define LRD_CRAFT_BLOCK 1
#define LRD_CRAFT_MATERIAL 2
#define LRD_CRAFT_MODEL 4
#define LRD_CRAFT_MOTION 2

/// The crafts and formats that a model, or a loose image, is made with, as text. Appends to `out`.
bool lrd_crafts_describe(bool is_model, lrd_buffer *out);

#endif

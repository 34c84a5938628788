// gpu/gpu.h: what the files of this room share. Not for other rooms.

#ifndef GPU_GPU_H
#define GPU_GPU_H

#include "base/memory.h"
#include "format/texture.h"
#include "larder/residents.h"

#endif

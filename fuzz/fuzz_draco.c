// Meshes compressed with Draco: the number of points they must have, then the stream. Without libdraco, nothing.

#include "import/gltf/draco.h"

#include <stdlib.h>
#include <string.h>

#define HEAD 2
#define ATTRIBUTES 8

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#ifdef LRD_HAVE_DRACO

static void read_all(const lrd_draco *mesh, uint32_t points)
{
	uint32_t faces = lrd_draco_faces(mesh);
	uint32_t *indices = malloc((size_t)faces * 3 * sizeof *indices + 1);
	float *values = malloc((size_t)points * 4 * sizeof *values + 1);
	if (indices == NULL || values == NULL)
	{
		abort();
	}
	lrd_draco_read_indices(mesh, indices);
	for (uint32_t i = 0; i < faces * 3; i++)
	{
		if (indices[i] >= points)
		{
			abort();
		}
	}
	for (uint32_t id = 0; id < ATTRIBUTES; id++)
	{
		for (uint32_t components = 1; components <= 4; components++)
		{
			(void)lrd_draco_read_attribute(mesh, id, components, LRD_DRACO_F32, values);
			(void)lrd_draco_read_attribute(mesh, id, components, LRD_DRACO_U8, values);
		}
	}
	free(indices);
	free(values);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < HEAD)
	{
		return 0;
	}
	lrd_draco_limits limits = { .faces = 20000, .bytes = (size_t)64 << 20 };
	limits.points = (uint32_t)(data[0] | data[1] << 8);
	lrd_draco_result result;
	lrd_draco *mesh = lrd_draco_open(data + HEAD, size - HEAD, &limits, &result);
	if ((mesh == NULL) == (result.problem == LRD_DRACO_FINE))
	{
		abort();
	}
	if (mesh != NULL)
	{
		read_all(mesh, limits.points);
	}
	lrd_draco_close(mesh);
	return 0;
}

#else

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	(void)data;
	(void)size;
	return 0;
}

#endif

// import/gltf/draco.h: meshes compressed with Draco, by libdraco, which is C++: a face that C can call. Only there
// where larder is built with it (LARDER_DRACO). What a primitive says of its mesh is read in draco_mesh.c.
//
// libdraco allocates with `new`, and much before it has seen that there is something to fill it with. So what a stream
// claims is looked at before libdraco believes it: see lrd_draco_limits.

#ifndef IMPORT_GLTF_DRACO_H
#define IMPORT_GLTF_DRACO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C"
{
#endif

	/// Numbers of an attribute, as accessors have them.
	typedef enum lrd_draco_component
	{
		LRD_DRACO_I8,
		LRD_DRACO_U8,
		LRD_DRACO_I16,
		LRD_DRACO_U16,
		LRD_DRACO_U32,
		LRD_DRACO_F32
	} lrd_draco_component;

	/// How much a stream may claim.
	typedef struct lrd_draco_limits
	{
		uint64_t faces;  ///< at most
		uint32_t points; ///< exactly
		size_t bytes;    ///< of memory while decoding, as estimated
	} lrd_draco_limits;

	typedef enum lrd_draco_problem
	{
		LRD_DRACO_FINE,
		LRD_DRACO_DAMAGED,      ///< libdraco can't read it; `text` says what it said
		LRD_DRACO_OTHER,        ///< no triangle mesh of bitstream 2.2; `text` says what it is
		LRD_DRACO_FACES,        ///< more faces than the limit: `found`
		LRD_DRACO_POINTS,       ///< another number of points: `found`
		LRD_DRACO_TOO_LARGE,    ///< would take `found` bytes
		LRD_DRACO_ORIENTATIONS, ///< more orientations of texture coordinates than there are any: `found`
		LRD_DRACO_MEMORY,
	} lrd_draco_problem;

	typedef struct lrd_draco_result
	{
		lrd_draco_problem problem;
		uint64_t found;
		char text[160];
	} lrd_draco_result;

	/// A decoded mesh. May be read by one thread at a time.
	typedef struct lrd_draco lrd_draco;

	/// Decode a mesh. NULL when there is a problem.
	lrd_draco *lrd_draco_open(const void *data, size_t size, const lrd_draco_limits *limits, lrd_draco_result *result);
	void lrd_draco_close(lrd_draco *draco);

	uint32_t lrd_draco_faces(const lrd_draco *draco);
	/// What decoding took, in bytes, as estimated.
	size_t lrd_draco_cost(const lrd_draco *draco);
	/// Three indices a face, each below the number of points.
	void lrd_draco_read_indices(const lrd_draco *draco, uint32_t *indices);

	/// Every point's value of an attribute, without gaps. False where there is no attribute of that id with as many
	/// components, or its numbers can't be had as those: a float is no integer, and integers must be in range.
	bool lrd_draco_read_attribute(
		const lrd_draco *draco, uint32_t id, uint32_t components, lrd_draco_component component, void *values);

#ifdef __cplusplus
}
#endif

#endif

// cli/cook_mesh.h: what `larder cook` says of a mesh that it made, and of all of them together.

#ifndef CLI_COOK_MESH_H
#define CLI_COOK_MESH_H

#include "cli/cli.h"
#include "larder/cook.h"

/// "NAME A -> B", or "NAME A" where nothing changed.
void cli_put_change(FILE *file, const char *name, uint64_t before, uint64_t after);

/// What became of a mesh, on one line without its end.
void cli_put_mesh(FILE *file, const lrd_mesh_report *report);
/// The same as members of an object.
void cli_json_mesh(cJSON *json, const lrd_mesh_report *report);

/// How well meshlets are filled, as members of an object.
void cli_json_fill(cJSON *json, const lrd_mesh_fill *fill);

/// Of the meshes that were made in one run.
typedef struct cli_mesh_sums
{
	uint32_t meshes;
	uint64_t vertices_before, vertices;
	uint64_t triangles_before, triangles; ///< of LOD 0
	uint64_t lod_triangles;               ///< of all LODs
	uint64_t meshlets;                    ///< of all LODs
} cli_mesh_sums;

void cli_add_mesh(cli_mesh_sums *sums, const lrd_mesh_report *report);

/// On one line, with its end.
void cli_put_mesh_sums(FILE *file, const cli_mesh_sums *sums);
void cli_json_mesh_sums(cJSON *json, const cli_mesh_sums *sums);

#endif

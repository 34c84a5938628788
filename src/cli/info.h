// cli/info.h: how `larder info` describes each sort of file: as JSON always; the text form is printed from it.

#ifndef CLI_INFO_H
#define CLI_INFO_H

#include "cli/cli.h"
#include "larder/document.h"

/// Fill `json` from a cooked file of a kind. False with an error when it is not sound.
bool cli_info_cooked(cJSON *json, lrd_kind kind, const void *bytes, size_t size, lrd_error *error);

/// Fill `json` from a mesh file. False with an error when it is not sound.
bool cli_info_mesh(cJSON *json, const void *bytes, size_t size, lrd_error *error);

/// Fill `json` from a document.
void cli_info_document(cJSON *json, const lrd_document *document);

/// Bounds as { min, max, centre, radius }.
void cli_info_bounds(cJSON *json, const char *name, const lrd_bounds *bounds);

/// Every parameter and flag of a material, the same for documents and cooked files.
void cli_info_material(
	cJSON *json, uint32_t alpha_mode, float alpha_cutoff, uint32_t flags, const lrd_material_params *params);

/// Print what was gathered, for people, each line indented by twice the depth.
void cli_print_outline(const cJSON *json, int depth);

#endif

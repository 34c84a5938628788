// What `larder cook` says of a mesh that it made, and of all of them together.

#include "cli/cook_mesh.h"

static const char *const origins[] = { "authored", "computed", "arbitrary" };

void cli_put_change(FILE *file, const char *name, uint64_t before, uint64_t after)
{
	fprintf(file, "%s %llu", name, (unsigned long long)before);
	if (after != before)
	{
		fprintf(file, " -> %llu", (unsigned long long)after);
	}
}

static void put_lods(FILE *file, const lrd_mesh_report *report)
{
	for (uint32_t i = 1; i < report->lod_count; ++i)
	{
		fprintf(file, "%s%u (%.2g)", i == 1 ? "; LODs " : ", ", report->lods[i].triangle_count,
			(double)report->lods[i].error);
	}
}

static const char *plural(float count)
{
	return count == 1.0f ? "" : "s";
}

static void put_fill(FILE *file, const lrd_mesh_fill *fill)
{
	fprintf(file, "; %u meshlet%s of %.3g triangle%s, %.3g vertices, %u cone%s", fill->meshlets,
		plural((float)fill->meshlets), (double)fill->triangles, plural(fill->triangles), (double)fill->vertices,
		fill->cones, plural((float)fill->cones));
	if (fill->small != 0)
	{
		fprintf(file, ", %u small", fill->small);
	}
}

static void put_error(FILE *file, float error)
{
	fprintf(file, error == 0.0f ? ", exact" : ", %.2g off", (double)error);
}

void cli_put_mesh(FILE *file, const lrd_mesh_report *report)
{
	bool is_cut = report->cluster_count > 1; // then what was before is of all clusters
	cli_put_change(file, "vertices", is_cut ? report->vertices : report->vertices_before, report->vertices);
	cli_put_change(file, ", triangles", is_cut ? report->triangles : report->triangles_before, report->triangles);
	if (is_cut)
	{
		fprintf(file, ", cluster %u of %u", report->cluster + 1, report->cluster_count);
	}
	put_lods(file, report);
	put_fill(file, &report->fill);
	if (report->quantized_bits != 0)
	{
		fprintf(file, "; positions of %u bits", report->quantized_bits);
		put_error(file, report->position_error);
	}
	if (report->uv_quantized)
	{
		fputs("; half uv", file);
		put_error(file, report->uv_error);
	}
	if (report->normals != LRD_FRAME_AUTHORED)
	{
		fprintf(file, "; normals %s", origins[report->normals]);
	}
	if (report->normals_repaired != 0)
	{
		fprintf(file, "; normals repaired %u", report->normals_repaired);
	}
	fprintf(file, "; tangents %s", origins[report->tangents]);
	if (report->tangents_repaired != 0)
	{
		fprintf(file, "; tangents repaired %u", report->tangents_repaired);
	}
	if (report->raytracing_lod_bias != 0)
	{
		fprintf(file, "; rays see %u LOD%s coarser", report->raytracing_lod_bias,
			plural((float)report->raytracing_lod_bias));
	}
}

void cli_json_fill(cJSON *json, const lrd_mesh_fill *fill)
{
	cli_json_number(json, "meshlets", fill->meshlets);
	cli_json_number(json, "cones", fill->cones);
	cli_json_number(json, "small_meshlets", fill->small);
	cli_json_float(json, "triangles_a_meshlet", fill->triangles);
	cli_json_float(json, "vertices_a_meshlet", fill->vertices);
}

void cli_json_mesh(cJSON *json, const lrd_mesh_report *report)
{
	cli_json_number(json, "vertices_before", report->vertices_before);
	cli_json_number(json, "vertices", report->vertices);
	cli_json_number(json, "triangles_before", report->triangles_before);
	cli_json_number(json, "triangles", report->triangles);
	cli_json_number(json, "degenerate_triangles", report->degenerate);
	cli_json_number(json, "overflowed_triangles", report->overflowed);
	cli_json_string(json, "normals", lrd_string_from(origins[report->normals]));
	cli_json_number(json, "normals_repaired", report->normals_repaired);
	cli_json_string(json, "tangents", lrd_string_from(origins[report->tangents]));
	cli_json_number(json, "tangents_repaired", report->tangents_repaired);
	cli_json_number(json, "clusters", report->cluster_count);
	cli_json_number(json, "cluster", report->cluster);
	cJSON *lods = cJSON_AddArrayToObject(json, "lods");
	for (uint32_t i = 0; i < report->lod_count; ++i)
	{
		cJSON *row = cJSON_CreateObject();
		cJSON_AddItemToArray(lods, row);
		cli_json_number(row, "triangles", report->lods[i].triangle_count);
		cli_json_number(row, "meshlets", report->lods[i].meshlet_count);
		cli_json_float(row, "error", report->lods[i].error);
	}
	cli_json_fill(cJSON_AddObjectToObject(json, "fill"), &report->fill);
	cli_json_number(json, "quantized_bits", report->quantized_bits);
	cJSON_AddBoolToObject(json, "uv_quantized", report->uv_quantized);
	cli_json_float(json, "position_error", report->position_error);
	cli_json_float(json, "uv_error", report->uv_error);
	cli_json_number(json, "raytracing_lod_bias", report->raytracing_lod_bias);
}

void cli_add_mesh(cli_mesh_sums *sums, const lrd_mesh_report *report)
{
	bool is_first = report->cluster == 0; // each cluster tells what was before all of them
	sums->meshes++;
	sums->vertices_before += is_first ? report->vertices_before : 0;
	sums->vertices += report->vertices;
	sums->triangles_before += is_first ? report->triangles_before : 0;
	sums->triangles += report->triangles;
	for (uint32_t i = 0; i < report->lod_count; ++i)
	{
		sums->lod_triangles += report->lods[i].triangle_count;
		sums->meshlets += report->lods[i].meshlet_count;
	}
}

void cli_put_mesh_sums(FILE *file, const cli_mesh_sums *sums)
{
	fprintf(file, "%u mesh%s: ", sums->meshes, sums->meshes == 1 ? "" : "es");
	cli_put_change(file, "vertices", sums->vertices_before, sums->vertices);
	cli_put_change(file, ", triangles", sums->triangles_before, sums->triangles);
	if (sums->lod_triangles != sums->triangles)
	{
		fprintf(file, ", with LODs %llu", (unsigned long long)sums->lod_triangles);
	}
	fprintf(file, ", meshlets %llu\n", (unsigned long long)sums->meshlets);
}

void cli_json_mesh_sums(cJSON *json, const cli_mesh_sums *sums)
{
	cli_json_number(json, "count", sums->meshes);
	cli_json_number(json, "vertices_before", (double)sums->vertices_before);
	cli_json_number(json, "vertices", (double)sums->vertices);
	cli_json_number(json, "triangles_before", (double)sums->triangles_before);
	cli_json_number(json, "triangles", (double)sums->triangles);
	cli_json_number(json, "triangles_with_lods", (double)sums->lod_triangles);
	cli_json_number(json, "meshlets", (double)sums->meshlets);
}

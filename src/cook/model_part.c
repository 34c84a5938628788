// Making one part: its pieces moved, repaired, given normals and tangents, welded, merged, cut into meshlets, packed
// and written.

#include "cook/model.h"

#include "base/error.h"
#include "base/maths.h"
#include "geometry/geometry.h"
#include "larder/write.h"

typedef struct part_repairs
{
	uint32_t degenerate;
	uint32_t normals;
	uint32_t flat;
	uint32_t untextured; ///< a normal map, but no texture coordinates to put it on
} part_repairs;

/// The vertices of a primitive that its indices name, ascending. Primitives often share one large buffer, and each needs its own few.
typedef struct vertex_picks
{
	lrd_arena *arena;
	uint32_t *vertices; ///< NULL: all of them
	uint32_t count;
	bool good; ///< false: memory ran out
} vertex_picks;

/// Fill `picks`, and make `indices`, a copy of the primitive's, count among them. `numbers` has a zero for each vertex.
static void pick_vertices(
	vertex_picks *picks, const lrd_document_primitive *source, uint32_t *indices, uint32_t *numbers)
{
	for (uint32_t i = 0; i < source->index_count; ++i)
	{
		picks->count += numbers[indices[i]] == 0;
		numbers[indices[i]] = 1;
	}
	if (picks->count == source->vertex_count)
	{
		return;
	}
	picks->vertices = lrd_arena_alloc(picks->arena, picks->count * sizeof *picks->vertices);
	picks->good = picks->vertices != NULL;
	for (uint32_t v = 0, next = 0; picks->good && v < source->vertex_count; ++v)
	{
		if (numbers[v] != 0)
		{
			picks->vertices[next] = v;
			numbers[v] = next++;
		}
	}
	for (uint32_t i = 0; picks->good && i < source->index_count; ++i)
	{
		indices[i] = numbers[indices[i]];
	}
}

/// The picked vertices of an attribute of `size` bytes; NULL where there is none.
static void *copy_array(vertex_picks *picks, const void *source, size_t size)
{
	size_t bytes = 0;
	if (source == NULL || !picks->good)
	{
		return NULL;
	}
	uint8_t *copy = lrd_mul_size(picks->count, size, &bytes) ? lrd_arena_alloc(picks->arena, bytes) : NULL;
	picks->good = copy != NULL;
	if (picks->good && picks->vertices == NULL)
	{
		memcpy(copy, source, bytes);
	}
	for (size_t i = 0; picks->good && picks->vertices != NULL && i < picks->count; ++i)
	{
		memcpy(copy + i * size, (const uint8_t *)source + picks->vertices[i] * size, size);
	}
	return copy;
}

static bool copy_indices(
	vertex_picks *picks, const lrd_document_primitive *source, lrd_geometry *geometry, lrd_allocator allocator)
{
	size_t bytes = source->index_count * sizeof *source->indices;
	size_t number_bytes = source->vertex_count * sizeof(uint32_t);
	uint32_t *numbers = lrd_alloc_zeroed(allocator, source->vertex_count, sizeof *numbers);
	geometry->indices = lrd_arena_alloc(picks->arena, bytes);
	picks->good = numbers != NULL && geometry->indices != NULL;
	if (picks->good)
	{
		memcpy(geometry->indices, source->indices, bytes);
		pick_vertices(picks, source, geometry->indices, numbers);
	}
	lrd_free(allocator, numbers, numbers == NULL ? 0 : number_bytes);
	geometry->vertex_count = picks->count;
	return picks->good;
}

static void copy_morphs(
	vertex_picks *picks, const lrd_document_mesh *mesh, const lrd_document_primitive *source, lrd_geometry *geometry)
{
	geometry->morphs = LRD_ARENA_ARRAY(picks->arena, lrd_geometry_morph, mesh->morph_count + 1u);
	picks->good = picks->good && geometry->morphs != NULL;
	geometry->morph_count = mesh->morph_count;
	for (uint32_t m = 0; picks->good && m < mesh->morph_count; ++m)
	{
		geometry->morphs[m].positions = copy_array(picks, source->morphs[m].positions, 12);
		geometry->morphs[m].normals = copy_array(picks, source->morphs[m].normals, 12);
		geometry->morphs[m].tangents = copy_array(picks, source->morphs[m].tangents, 12);
	}
}

static bool copy_primitive(const lrd_model_recipe *recipe, const lrd_part_plan *part, const lrd_piece *piece,
	lrd_arena *arena, lrd_geometry *geometry, lrd_error *error)
{
	const lrd_document_mesh *mesh = &recipe->document->meshes[piece->mesh];
	const lrd_document_primitive *source = &mesh->primitives[piece->primitive];
	vertex_picks picks = { .arena = arena };
	*geometry = (lrd_geometry){ .arena = arena, .index_count = source->index_count };
	if (copy_indices(&picks, source, geometry, recipe->base.allocator))
	{
		geometry->positions = copy_array(&picks, source->positions, 12);
		geometry->normals = copy_array(&picks, source->normals, 12);
		geometry->tangents = source->normals == NULL ? NULL : copy_array(&picks, source->tangents, 16);
		geometry->uv[0] = copy_array(&picks, source->uv[0], 8);
		geometry->uv[1] = copy_array(&picks, source->uv[1], 8);
		geometry->colors = copy_array(&picks, source->colors, 16);
		geometry->joints = part->skeleton == LRD_NO_INDEX ? NULL : copy_array(&picks, source->joints, 8);
		geometry->weights = part->skeleton == LRD_NO_INDEX ? NULL : copy_array(&picks, source->weights, 16);
		copy_morphs(&picks, mesh, source, geometry);
	}
	return picks.good || lrd_fail_memory(error, "primitive", source->vertex_count * (size_t)48);
}

static void remap_joints(
	const lrd_model_recipe *recipe, const lrd_part_plan *part, const lrd_piece *piece, lrd_geometry *geometry)
{
	const lrd_node_plan *node = &recipe->nodes[piece->node];
	uint32_t skin = recipe->document->nodes[node->document_node].skin;
	const uint16_t *from_skin = recipe->skeletons[part->skeleton].from_skin;
	uint32_t joint_count = recipe->document->skins[skin].joint_count;
	for (size_t i = 0; i < (size_t)geometry->vertex_count * 4; ++i)
	{
		uint16_t joint = geometry->joints[i];
		geometry->joints[i] = joint < joint_count ? from_skin[joint] : 0; // the importer refuses weighted ones
	}
}

/// The uv set a material's normal directions are laid out on; LRD_NO_INDEX where nothing reads tangents.
static uint32_t tangent_set(const lrd_model_recipe *recipe, uint32_t material)
{
	static const lrd_material_slot readers[] = { LRD_SLOT_NORMAL, LRD_SLOT_CLEARCOAT_NORMAL, LRD_SLOT_ANISOTROPY };
	if (material == LRD_NO_INDEX)
	{
		return LRD_NO_INDEX;
	}
	const lrd_document_material *source = &recipe->document->materials[material];
	for (size_t i = 0; i < sizeof readers / sizeof *readers; ++i)
	{
		if (source->slots[readers[i]].texture != LRD_NO_INDEX)
		{
			return source->slots[readers[i]].uv_set;
		}
	}
	return source->params.anisotropy != 0.0f ? 0 : LRD_NO_INDEX;
}

static bool complete_frame(const lrd_model_recipe *recipe, const lrd_part_plan *part, lrd_geometry *geometry,
	part_repairs *repairs, lrd_error *error)
{
	if (geometry->normals == NULL)
	{
		repairs->flat++;
		if (!lrd_geometry_flat_normals(geometry, error))
		{
			return false;
		}
	}
	repairs->normals += lrd_geometry_repair_normals(geometry);
	if (geometry->tangents != NULL)
	{
		return true;
	}
	uint32_t set = tangent_set(recipe, part->material);
	if (set != LRD_NO_INDEX && geometry->uv[set] != NULL)
	{
		return lrd_geometry_tangents(geometry, set, recipe->base.jobs, error);
	}
	repairs->untextured += set != LRD_NO_INDEX;
	return lrd_geometry_any_tangents(geometry, error);
}

static bool prepare_piece(const lrd_model_recipe *recipe, const lrd_part_plan *part, const lrd_piece *piece,
	lrd_arena *arena, lrd_geometry *geometry, part_repairs *repairs, lrd_error *error)
{
	if (!copy_primitive(recipe, part, piece, arena, geometry, error))
	{
		return false;
	}
	if (part->skeleton != LRD_NO_INDEX)
	{
		remap_joints(recipe, part, piece, geometry);
	}
	if (part->baked)
	{
		lrd_geometry_transform(geometry, &recipe->nodes[piece->node].global);
	}
	repairs->degenerate += lrd_geometry_drop_degenerate(geometry);
	if (geometry->index_count == 0)
	{
		return true;
	}
	return complete_frame(recipe, part, geometry, repairs, error) && lrd_geometry_weld(geometry, error);
}

/// Every piece made ready in `pieces_arena`, then all of them one geometry in `arena`.
static bool prepare_part(const lrd_model_recipe *recipe, const lrd_part_plan *part, lrd_arena *arena,
	lrd_geometry *geometry, part_repairs *repairs, lrd_error *error)
{
	lrd_arena *pieces_arena = lrd_arena_create(recipe->base.allocator, 0);
	lrd_geometry *pieces = pieces_arena == NULL ? NULL : LRD_ARENA_ARRAY(pieces_arena, lrd_geometry, part->piece_count);
	bool good = pieces != NULL || lrd_fail_memory(error, "pieces", part->piece_count * sizeof *pieces);
	uint32_t count = 0;
	for (uint32_t i = 0; good && i < part->piece_count; ++i)
	{
		good = prepare_piece(recipe, part, &part->pieces[i], pieces_arena, &pieces[count], repairs, error);
		count += good && pieces[count].index_count != 0;
	}
	*geometry = (lrd_geometry){ .arena = arena };
	if (good && count != 0)
	{
		good = lrd_geometry_merge(arena, pieces, count, geometry, error);
	}
	lrd_arena_destroy(pieces_arena);
	good = good && (count < 2 || lrd_geometry_weld(geometry, error));
	return good;
}

/// A box over the rest pose, skinned as a renderer would.
static bool skinned_bounds(const lrd_model_recipe *recipe, const lrd_part_plan *part, const lrd_geometry *geometry,
	lrd_bounds *bounds, lrd_error *error)
{
	const lrd_skeleton_plan *skeleton = &recipe->skeletons[part->skeleton];
	lrd_mat4 *palette = LRD_ARENA_ARRAY(geometry->arena, lrd_mat4, skeleton->joint_count);
	lrd_vec3 *points = LRD_ARENA_ARRAY(geometry->arena, lrd_vec3, geometry->vertex_count);
	if (palette == NULL || points == NULL)
	{
		return lrd_fail_memory(error, "skinned bounds", geometry->vertex_count * sizeof *points);
	}
	for (uint32_t j = 0; j < skeleton->joint_count; ++j)
	{
		palette[j] = lrd_mat4_mul(&recipe->nodes[skeleton->joint_nodes[j]].global, &skeleton->inverse_binds[j]);
	}
	for (size_t v = 0; v < geometry->vertex_count; ++v)
	{
		const float *p = &geometry->positions[v * 3];
		for (uint32_t k = 0; k < 4; ++k)
		{
			float weight = geometry->weights[v * 4 + k];
			lrd_vec3 moved = lrd_mat4_point(&palette[geometry->joints[v * 4 + k]], (lrd_vec3){ p[0], p[1], p[2] });
			points[v] = lrd_vec3_add(points[v], lrd_vec3_scale(moved, weight));
		}
	}
	*bounds = lrd_bounds_of(&points[0].x, geometry->vertex_count, sizeof *points);
	return true;
}

static bool name_morphs(const lrd_model_recipe *recipe, const lrd_part_plan *part, lrd_geometry_streams *streams,
	lrd_text_table *table, lrd_error *error)
{
	const lrd_document_mesh *mesh = &recipe->document->meshes[part->mesh];
	for (uint32_t m = 0; m < streams->morph_count; ++m)
	{
		lrd_text text;
		if (!lrd_text_table_add(table, mesh->morph_names[m], &text, error))
		{
			return false;
		}
		streams->morphs[m].name_offset = text.offset;
		streams->morphs[m].name_size = text.size;
		streams->morphs[m].default_weight = mesh->weights[m];
	}
	return true;
}

static uint32_t mesh_flags(
	const lrd_model_recipe *recipe, const lrd_part_plan *part, const lrd_geometry *geometry, bool authored_tangents)
{
	uint32_t flags = (geometry->joints != NULL ? LRD_MESH_SKINNED : 0) |
					 (geometry->morph_count ? LRD_MESH_MORPHED : 0) | (geometry->uv[1] != NULL ? LRD_MESH_UV1 : 0) |
					 (authored_tangents ? LRD_MESH_AUTHORED_TANGENTS : 0);
	if (part->material != LRD_NO_INDEX)
	{
		const lrd_document_material *material = &recipe->document->materials[part->material];
		flags |= material->flags & LRD_MATERIAL_DOUBLE_SIDED ? LRD_MESH_DOUBLE_SIDED : 0;
		flags |= material->alpha_mode == LRD_ALPHA_MASK ? LRD_MESH_ALPHA_MASKED : 0;
	}
	return flags;
}

static bool has_authored_tangents(const lrd_model_recipe *recipe, const lrd_part_plan *part)
{
	for (uint32_t i = 0; i < part->piece_count; ++i)
	{
		const lrd_piece *piece = &part->pieces[i];
		const lrd_document_primitive *source = &recipe->document->meshes[piece->mesh].primitives[piece->primitive];
		if (source->tangents == NULL || source->normals == NULL)
		{
			return false;
		}
	}
	return true;
}

static bool write_part(
	const lrd_model_recipe *recipe, lrd_part_plan *part, lrd_geometry *geometry, lrd_buffer *out, lrd_error *error)
{
	lrd_geometry_meshlets topology;
	lrd_geometry_streams streams;
	if (!lrd_geometry_build_meshlets(geometry, &topology, error) || !lrd_geometry_pack(geometry, NULL, &streams, error))
	{
		return false;
	}
	lrd_mesh_lod lod = { .meshlet_count = topology.meshlet_count, .triangle_count = topology.triangle_count };
	lrd_mesh_view view = {
		.flags = mesh_flags(recipe, part, geometry, has_authored_tangents(recipe, part)),
		.vertex_count = geometry->vertex_count,
		.bounds = streams.bounds,
		.position_scale = { 1.0f, 1.0f, 1.0f },
		.attributes = streams.attributes,
		.attribute_count = streams.attribute_count,
		.lods = &lod,
		.lod_count = 1,
		.meshlets = topology.meshlets,
		.meshlet_count = topology.meshlet_count,
		.meshlet_vertices = topology.vertices,
		.meshlet_vertex_count = topology.vertex_count,
		.meshlet_triangles = topology.triangles,
		.meshlet_triangle_count = topology.triangle_count,
		.morphs = streams.morphs,
		.morph_count = streams.morph_count,
		.morph_entries = streams.morph_entries,
		.morph_entry_count = streams.morph_entry_count,
	};
	memcpy(view.streams, streams.streams, sizeof view.streams);
	part->bounds = streams.bounds;
	if (part->skeleton != LRD_NO_INDEX && !skinned_bounds(recipe, part, geometry, &part->bounds, error))
	{
		return false;
	}
	lrd_text_table *table = lrd_text_table_create(recipe->base.allocator);
	lrd_text text;
	bool good = table != NULL || lrd_fail_memory(error, "strings", 0);
	if (good && part->material != LRD_NO_INDEX)
	{
		view.material = recipe->materials[part->material].stem;
		good = lrd_text_table_add(table, view.material, &text, error);
	}
	good = good && name_morphs(recipe, part, &streams, table, error);
	if (good)
	{
		view.strings = lrd_text_table_block(table);
		good = lrd_mesh_write(&view, out, error);
	}
	lrd_text_table_destroy(table);
	return good;
}

static bool note_repairs(const lrd_part_plan *part, const part_repairs *repairs, lrd_notes *notes, lrd_error *error)
{
	lrd_string stem = part->stem;
	return lrd_note(notes, "degenerate-triangles", repairs->degenerate, error,
			   "%.*s: %u triangles without area were dropped", LRD_STR_ARG(stem), repairs->degenerate) &&
		   lrd_note(notes, "normals-computed", repairs->flat, error,
			   "%.*s: %u primitives have no normals; flat ones were computed", LRD_STR_ARG(stem), repairs->flat) &&
		   lrd_note(notes, "normals-repaired", repairs->normals, error,
			   "%.*s: %u normals of no length were replaced by those of their triangles", LRD_STR_ARG(stem),
			   repairs->normals) &&
		   lrd_note(notes, "tangents-without-uv", repairs->untextured, error,
			   "%.*s: %u primitives have a normal map but no texture coordinates for it; their tangents are arbitrary",
			   LRD_STR_ARG(stem), repairs->untextured) &&
		   lrd_note(notes, "empty-part", part->empty, error, "%.*s: no triangle has an area; the part was left out",
			   LRD_STR_ARG(stem));
}

bool lrd_make_part(lrd_model_recipe *recipe, uint32_t part_index, lrd_buffer *out, lrd_notes *notes, lrd_error *error)
{
	lrd_part_plan *part = &recipe->parts[part_index];
	part_repairs repairs = { 0 };
	lrd_arena *arena = lrd_arena_create(recipe->base.allocator, 0);
	lrd_geometry geometry = { 0 };
	bool good = arena != NULL || lrd_fail_memory(error, "part", 0);
	good = good && prepare_part(recipe, part, arena, &geometry, &repairs, error);
	part->empty = good && geometry.index_count == 0;
	good = good && (part->empty || write_part(recipe, part, &geometry, out, error));
	lrd_arena_destroy(arena);
	good = good && note_repairs(part, &repairs, notes, error);
	return good || lrd_fail_in(error, "%.*s.lmesh", LRD_STR_ARG(part->stem));
}

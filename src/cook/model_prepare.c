// Making a group ready: each piece moved, rid of triangles without area, given normals and tangents; then all of them one
// geometry. What depends on nothing but a triangle and its own vertices is left until the group is cut: flat normals,
// tangents that nothing reads, and welding, which cost less where all is near.

#include "cook/model_geometry.h"

#include "base/error.h"
#include "base/maths.h"

/// Where a piece's normals and tangents come from.
typedef struct piece_frame
{
	bool has_normals;
	const uint32_t *smoothing; ///< for normals that are missing; NULL: flat ones
	lrd_frame_origin tangents;
	uint32_t uv_set;    ///< that computed tangents go by
	bool is_untextured; ///< something reads tangents, but there are no texture coordinates to lay them along
} piece_frame;

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

static piece_frame frame_of(const lrd_model_recipe *recipe, const lrd_group_plan *group, const lrd_piece *piece)
{
	const lrd_document_primitive *source = &recipe->document->meshes[piece->mesh].primitives[piece->primitive];
	lrd_choice choice = recipe->settings.tangents;
	uint32_t read_set = tangent_set(recipe, group->material);
	uint32_t set = choice == LRD_CHOICE_ON && read_set == LRD_NO_INDEX ? 0 : read_set;
	bool has_own = source->normals != NULL && source->tangents != NULL;
	bool wanted = choice == LRD_CHOICE_ON || (choice == LRD_CHOICE_AUTO && !has_own && set != LRD_NO_INDEX);
	bool computed = wanted && source->uv[set] != NULL;
	bool arbitrary = !computed && !has_own;
	return (piece_frame){
		.has_normals = source->normals != NULL,
		.smoothing = source->normals == NULL ? source->smoothing : NULL,
		.tangents = computed  ? LRD_FRAME_COMPUTED
					: has_own ? LRD_FRAME_AUTHORED
							  : LRD_FRAME_ARBITRARY,
		.uv_set = set,
		.is_untextured = wanted && arbitrary && read_set != LRD_NO_INDEX,
	};
}

/// What the pieces' frames come to, and whether all of them can wait until the group is cut.
typedef struct group_frame
{
	bool normals_wait;  ///< every piece's are flat, and no tangents need them
	bool tangents_wait; ///< every piece's are arbitrary
} group_frame;

static group_frame summarise_frames(const lrd_model_recipe *recipe, const lrd_group_plan *group, lrd_prepared *prepared)
{
	group_frame summary = { true, true };
	uint32_t computed = 0;
	uint32_t authored = 0;
	for (uint32_t i = 0; i < group->piece_count; ++i)
	{
		const lrd_piece *piece = &group->pieces[i];
		piece_frame frame = frame_of(recipe, group, piece);
		summary.tangents_wait = summary.tangents_wait && frame.tangents == LRD_FRAME_ARBITRARY;
		summary.normals_wait = summary.normals_wait && !frame.has_normals && frame.smoothing == NULL;
		prepared->normals = frame.has_normals ? prepared->normals : LRD_FRAME_COMPUTED;
		prepared->flat += !frame.has_normals && frame.smoothing == NULL;
		prepared->untextured += frame.is_untextured;
		computed += frame.tangents == LRD_FRAME_COMPUTED;
		authored += frame.tangents == LRD_FRAME_AUTHORED;
	}
	summary.normals_wait = summary.normals_wait && summary.tangents_wait;
	prepared->tangents = computed != 0                    ? LRD_FRAME_COMPUTED
						 : authored == group->piece_count ? LRD_FRAME_AUTHORED
														  : LRD_FRAME_ARBITRARY;
	return summary;
}

bool lrd_complete_geometry(lrd_geometry *geometry, lrd_error *error)
{
	if ((geometry->normals == NULL && !lrd_geometry_flat_normals(geometry, error)) ||
		!lrd_geometry_weld(geometry, error))
	{
		return false;
	}
	return geometry->tangents != NULL || lrd_geometry_any_tangents(geometry, error);
}

static bool make_normals(lrd_geometry *geometry, const group_frame *group, uint32_t *repaired, lrd_error *error)
{
	if (geometry->normals == NULL && group->normals_wait)
	{
		return true;
	}
	if (geometry->normals == NULL && !lrd_geometry_flat_normals(geometry, error))
	{
		return false;
	}
	*repaired += lrd_geometry_repair_normals(geometry);
	return true;
}

static bool make_tangents(const lrd_model_recipe *recipe, lrd_geometry *geometry, const piece_frame *frame,
	const group_frame *group, uint32_t *repaired, lrd_error *error)
{
	switch (frame->tangents)
	{
	case LRD_FRAME_AUTHORED: *repaired += lrd_geometry_repair_tangents(geometry); return true;
	case LRD_FRAME_COMPUTED: return lrd_geometry_tangents(geometry, frame->uv_set, recipe->base.jobs, error);
	default: return group->tangents_wait || lrd_geometry_any_tangents(geometry, error);
	}
}

static bool is_identity(const lrd_mat4 *matrix)
{
	const lrd_mat4 identity = lrd_mat4_identity();
	return memcmp(matrix->m, identity.m, sizeof identity.m) == 0;
}

static bool prepare_piece(const lrd_model_recipe *recipe, const lrd_group_plan *plan, const lrd_piece *piece,
	const group_frame *group, lrd_arena *arena, lrd_geometry *geometry, lrd_prepared *prepared, lrd_error *error)
{
	piece_frame frame = frame_of(recipe, plan, piece);
	if (!lrd_copy_piece(recipe, plan, piece, frame.tangents == LRD_FRAME_AUTHORED, arena, geometry, error))
	{
		return false;
	}
	prepared->vertices_before += geometry->vertex_count;
	prepared->triangles_before += geometry->index_count / 3;
	if (plan->baked && !is_identity(&recipe->nodes[piece->node].global))
	{
		lrd_geometry_transform(geometry, &recipe->nodes[piece->node].global);
	}
	// Smoothing groups are by triangle, so before any goes; those without area add nothing to a normal.
	if (frame.smoothing != NULL && !lrd_geometry_smooth_normals(geometry, frame.smoothing, error))
	{
		return false;
	}
	prepared->overflowed += lrd_geometry_drop_infinite(geometry);
	prepared->degenerate += lrd_geometry_drop_degenerate(geometry);
	if (geometry->index_count == 0)
	{
		return true;
	}
	return make_normals(geometry, group, &prepared->repaired, error) &&
		   make_tangents(recipe, geometry, &frame, group, &prepared->tangents_repaired, error);
}

/// Bytes of a geometry's arrays, more or less: what its arena would hold if nothing in it were dead.
static size_t live_bytes(const lrd_geometry *geometry)
{
	size_t vertex = 12 + (geometry->normals != NULL ? 12u : 0u) + (geometry->tangents != NULL ? 16u : 0u) +
					(geometry->uv[0] != NULL ? 8u : 0u) + (geometry->uv[1] != NULL ? 8u : 0u) +
					(geometry->colors != NULL ? 16u : 0u) + (geometry->joints != NULL ? 24u : 0u) +
					geometry->morph_count * (size_t)24;
	return geometry->vertex_count * vertex + geometry->index_count * sizeof *geometry->indices;
}

/// An arena still holds every array that a step replaced. Whether they are worth moving the others away from.
static bool is_crowded(const lrd_geometry *geometry)
{
	size_t live = live_bytes(geometry);
	return lrd_arena_size(geometry->arena) > live + live / 2 + (1u << 20);
}

/// The pieces as one geometry in an arena of its own; theirs, which `geometry` has, goes.
static bool gather(
	const lrd_geometry *pieces, uint32_t count, lrd_allocator allocator, lrd_geometry *geometry, lrd_error *error)
{
	lrd_geometry gathered;
	lrd_arena *arena = lrd_arena_create(allocator, 0);
	if (arena == NULL)
	{
		return lrd_fail_memory(error, "geometry", 0);
	}
	if (!lrd_geometry_merge(arena, pieces, count, &gathered, error))
	{
		lrd_arena_destroy(arena);
		return false;
	}
	lrd_arena_destroy(geometry->arena);
	*geometry = gathered;
	return true;
}

/// Every piece in `arena`, and in `pieces` those that have a triangle.
static bool prepare_pieces(const lrd_model_recipe *recipe, const lrd_group_plan *group, lrd_arena *arena,
	lrd_geometry *pieces, uint32_t *count, lrd_prepared *prepared, lrd_error *error)
{
	group_frame frame = summarise_frames(recipe, group, prepared);
	for (uint32_t i = 0; i < group->piece_count; ++i)
	{
		if (!prepare_piece(recipe, group, &group->pieces[i], &frame, arena, &pieces[*count], prepared, error))
		{
			return false;
		}
		*count += pieces[*count].index_count != 0;
	}
	return true;
}

bool lrd_prepare_group(
	const lrd_model_recipe *recipe, const lrd_group_plan *group, lrd_prepared *prepared, lrd_error *error)
{
	lrd_arena *arena = lrd_arena_create(recipe->base.allocator, 0);
	lrd_geometry *pieces = arena == NULL ? NULL : LRD_ARENA_ARRAY(arena, lrd_geometry, group->piece_count);
	uint32_t count = 0;
	*prepared = (lrd_prepared){ 0 };
	bool good = pieces != NULL || lrd_fail_memory(error, "pieces", group->piece_count * sizeof *pieces);
	good = good && prepare_pieces(recipe, group, arena, pieces, &count, prepared, error);
	prepared->geometry = good && count == 1 ? pieces[0] : (lrd_geometry){ .arena = arena };
	if (good && (count > 1 || (count == 1 && is_crowded(pieces))))
	{
		good = gather(pieces, count, recipe->base.allocator, &prepared->geometry, error);
	}
	if (!good)
	{
		lrd_arena_destroy(prepared->geometry.arena);
		*prepared = (lrd_prepared){ 0 };
	}
	return good;
}

// Making one part of a geometry that is ready: positions onto a grid, meshlets and LODs, streams, the file; and the
// report of what became of it.

#include "cook/model_geometry.h"

#include "base/error.h"
#include "base/maths.h"
#include "geometry/lods.h"
#include "larder/write.h"

/// How many LODs coarser a ray tracer does well to take cards, which are mostly holes (lrd_geometry_is_cards).
#define CARD_LOD_BIAS 2u

/// Largest change of a texture coordinate that half floats may bring: a quarter of a texel of a texture of 1024.
#define UV_ERROR (1.0f / 4096.0f)

/// What a part is made of, as it comes together.
typedef struct part_build
{
	const lrd_model_recipe *recipe;
	const lrd_group_plan *group;
	lrd_part_plan *part;
	lrd_geometry *geometry;
	lrd_geometry_grid grid;
	lrd_geometry_meshlets meshlets; ///< of every LOD, one after the other
	lrd_mesh_lod lods[LRD_MESH_MAX_LODS];
	uint32_t lod_count;
	uint32_t raytracing_lod_bias;
	uint32_t degenerate; ///< triangles that lost their area on the grid
	uint32_t shortened;  ///< deltas of morph targets
	uint32_t crowd;      ///< triangles at one place, which leave no time for LODs
	bool widened;        ///< weights have 16 bits, and 8 were asked for
} part_build;

static bool name_morphs(const lrd_model_recipe *recipe, const lrd_group_plan *group, lrd_geometry_streams *streams,
	lrd_text_table *table, lrd_error *error)
{
	const lrd_document_mesh *mesh = &recipe->document->meshes[group->mesh];
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

static uint32_t mesh_flags(const part_build *self, const lrd_prepared *prepared)
{
	const lrd_geometry *geometry = self->geometry;
	uint32_t flags = (geometry->joints != NULL ? LRD_MESH_SKINNED : 0) |
					 (geometry->morph_count ? LRD_MESH_MORPHED : 0) | (geometry->uv[1] != NULL ? LRD_MESH_UV1 : 0) |
					 (prepared->tangents == LRD_FRAME_AUTHORED ? LRD_MESH_AUTHORED_TANGENTS : 0) |
					 (self->recipe->settings.cpu_access ? LRD_MESH_CPU_ACCESS : 0);
	if (self->group->material != LRD_NO_INDEX)
	{
		const lrd_document_material *material = &self->recipe->document->materials[self->group->material];
		flags |= material->flags & LRD_MATERIAL_DOUBLE_SIDED ? LRD_MESH_DOUBLE_SIDED : 0;
		flags |= material->alpha_mode == LRD_ALPHA_MASK ? LRD_MESH_ALPHA_MASKED : 0;
	}
	return flags;
}

static float grid_step(const part_build *self)
{
	const lrd_geometry *geometry = self->geometry;
	if (self->group->cut != NULL)
	{
		return self->group->cut->grid_step;
	}
	lrd_bounds bounds = lrd_bounds_of(geometry->positions, geometry->vertex_count, 3 * sizeof(float));
	lrd_vec3 size = lrd_vec3_sub(bounds.max, bounds.min);
	float side = fmaxf(size.x, fmaxf(size.y, size.z));
	return lrd_geometry_grid_step(side, self->recipe->settings.quantize.error);
}

/// Onto the grid, where triangles that are smaller than its cells may lose their area.
static bool quantize(part_build *self, lrd_error *error)
{
	if (!self->recipe->settings.quantize.on)
	{
		return true;
	}
	lrd_geometry_quantize(self->geometry, grid_step(self), UV_ERROR, &self->grid);
	if (!self->grid.positions)
	{
		return true;
	}
	self->degenerate = lrd_geometry_drop_degenerate(self->geometry);
	return self->geometry->index_count == 0 || lrd_geometry_weld(self->geometry, error);
}

/// Parts of one model meet: an edge that is open in one may be closed by another, so it must stay where it is.
static bool locks_borders(const part_build *self)
{
	lrd_choice choice = self->recipe->settings.lods.lock_borders;
	return self->group->part_count > 1 || choice == LRD_CHOICE_ON ||
		   (choice == LRD_CHOICE_AUTO && self->recipe->record_count > 1);
}

static lrd_geometry_lod_desc lod_desc(const part_build *self)
{
	const lrd_model_settings *settings = &self->recipe->settings;
	return (lrd_geometry_lod_desc){
		.count = settings->lods.count,
		.ratio = settings->lods.ratio,
		.error = settings->lods.error,
		.lock_borders = locks_borders(self),
		.jobs = self->recipe->base.jobs,
	};
}

/// Add a LOD's meshlets to those there are; the arrays have room.
static void append_lod(part_build *self, const lrd_geometry_meshlets *level, float error)
{
	lrd_geometry_meshlets *all = &self->meshlets;
	float least = self->lod_count == 0 ? 0.0f : self->lods[self->lod_count - 1].error; // a bound of it, too, is one
	self->lods[self->lod_count++] = (lrd_mesh_lod){
		.meshlet_offset = all->meshlet_count,
		.meshlet_count = level->meshlet_count,
		.triangle_count = level->triangle_count,
		.error = fmaxf(error, least),
	};
	for (uint32_t m = 0; m < level->meshlet_count; ++m)
	{
		lrd_meshlet *meshlet = &all->meshlets[all->meshlet_count + m];
		*meshlet = level->meshlets[m];
		meshlet->vertex_offset += all->vertex_count;
		meshlet->triangle_offset += all->triangle_count;
	}
	memcpy(all->vertices + all->vertex_count, level->vertices, level->vertex_count * sizeof *all->vertices);
	memcpy(all->triangles + (size_t)all->triangle_count * 3, level->triangles, (size_t)level->triangle_count * 3);
	all->meshlet_count += level->meshlet_count;
	all->vertex_count += level->vertex_count;
	all->triangle_count += level->triangle_count;
}

static bool join_lods(
	part_build *self, const lrd_geometry_meshlets *levels, const lrd_geometry_lods *lods, lrd_error *error)
{
	lrd_arena *arena = self->geometry->arena;
	size_t meshlets = 0;
	size_t vertices = 0;
	size_t triangles = 0;
	for (uint32_t i = 0; i <= lods->count; ++i)
	{
		meshlets += levels[i].meshlet_count;
		vertices += levels[i].vertex_count;
		triangles += levels[i].triangle_count;
	}
	self->meshlets.meshlets = LRD_ARENA_ARRAY(arena, lrd_meshlet, meshlets);
	self->meshlets.vertices = LRD_ARENA_ARRAY(arena, uint32_t, vertices);
	self->meshlets.triangles = lrd_arena_alloc(arena, triangles * 3);
	if (self->meshlets.meshlets == NULL || self->meshlets.vertices == NULL || self->meshlets.triangles == NULL)
	{
		return lrd_fail_memory(error, "meshlets", vertices * sizeof(uint32_t));
	}
	for (uint32_t i = 0; i <= lods->count; ++i)
	{
		append_lod(self, &levels[i], i == 0 ? 0.0f : lods->lods[i - 1].error);
	}
	return true;
}

/// LOD 0 first: building it orders the vertices, and the coarser ones are over those.
static bool build_lods(part_build *self, lrd_error *error)
{
	lrd_geometry_meshlets levels[LRD_MESH_MAX_LODS];
	lrd_geometry_lods lods = { .count = 0 };
	lrd_geometry_lod_desc desc = lod_desc(self);
	if (!lrd_geometry_build_meshlets(self->geometry, &levels[0], error) ||
		(desc.count > 1 && !lrd_geometry_build_lods(self->geometry, &desc, &lods, error)))
	{
		return false;
	}
	self->crowd = lods.crowd;
	for (uint32_t i = 0; i < lods.count; ++i)
	{
		if (!lrd_geometry_build_lod_meshlets(
				self->geometry, lods.lods[i].indices, lods.lods[i].index_count, &levels[i + 1], error))
		{
			return false;
		}
	}
	return join_lods(self, levels, &lods, error);
}

static bool choose_raytracing_lod(part_build *self, lrd_error *error)
{
	uint32_t material = self->group->material;
	bool masked = material != LRD_NO_INDEX && self->recipe->document->materials[material].alpha_mode == LRD_ALPHA_MASK;
	bool cards = false;
	if (masked && !lrd_geometry_is_cards(self->geometry, &cards, error))
	{
		return false;
	}
	uint32_t coarsest = self->lod_count - 1;
	self->raytracing_lod_bias = !cards ? 0 : CARD_LOD_BIAS < coarsest ? CARD_LOD_BIAS : coarsest;
	return true;
}

static void fill_view(const part_build *self, const lrd_geometry_streams *streams, lrd_mesh_view *view)
{
	const lrd_geometry_meshlets *meshlets = &self->meshlets;
	*view = (lrd_mesh_view){
		.vertex_count = self->geometry->vertex_count,
		.bounds = streams->bounds,
		.raytracing_lod_bias = self->raytracing_lod_bias,
		.attributes = streams->attributes,
		.attribute_count = streams->attribute_count,
		.lods = self->lods,
		.lod_count = self->lod_count,
		.meshlets = meshlets->meshlets,
		.meshlet_count = meshlets->meshlet_count,
		.meshlet_vertices = meshlets->vertices,
		.meshlet_vertex_count = meshlets->vertex_count,
		.meshlet_triangles = meshlets->triangles,
		.meshlet_triangle_count = meshlets->triangle_count,
		.morphs = streams->morphs,
		.morph_count = streams->morph_count,
		.morph_entries = streams->morph_entries,
		.morph_entry_count = streams->morph_entry_count,
	};
	memcpy(view->streams, streams->streams, sizeof view->streams);
	memcpy(view->position_scale, streams->position_scale, sizeof view->position_scale);
	memcpy(view->position_offset, streams->position_offset, sizeof view->position_offset);
	memcpy(view->uv_density, streams->uv_density, sizeof view->uv_density);
}

static bool write_view(
	const part_build *self, lrd_geometry_streams *streams, lrd_mesh_view *view, lrd_buffer *out, lrd_error *error)
{
	lrd_text_table *table = lrd_text_table_create(self->recipe->base.allocator);
	lrd_text text;
	bool good = table != NULL || lrd_fail_memory(error, "strings", 0);
	if (good && self->group->material != LRD_NO_INDEX)
	{
		view->material = self->recipe->materials[self->group->material].stem;
		good = lrd_text_table_add(table, view->material, &text, error);
	}
	good = good && name_morphs(self->recipe, self->group, streams, table, error);
	if (good)
	{
		view->strings = lrd_text_table_block(table);
		good = lrd_mesh_write(view, out, error);
	}
	lrd_text_table_destroy(table);
	return good;
}

static void report_part(
	const part_build *self, const lrd_prepared *prepared, const lrd_mesh_view *view, lrd_mesh_report *report)
{
	*report = (lrd_mesh_report){
		.vertices_before = prepared->vertices_before,
		.vertices = view->vertex_count,
		.triangles_before = prepared->triangles_before,
		.triangles = view->lods[0].triangle_count,
		.degenerate = prepared->degenerate + self->degenerate,
		.overflowed = prepared->overflowed,
		.normals = prepared->normals,
		.normals_repaired = prepared->repaired,
		.tangents = prepared->tangents,
		.tangents_repaired = prepared->tangents_repaired,
		.cluster_count = self->group->part_count,
		.cluster = self->part->cluster,
		.lod_count = view->lod_count,
		.quantized_bits = self->grid.positions ? self->grid.bits : 0,
		.uv_quantized = self->grid.uv && self->geometry->uv[0] != NULL,
		.position_error = self->grid.position_error,
		.uv_error = self->grid.uv_error,
		.raytracing_lod_bias = view->raytracing_lod_bias,
	};
	memcpy(report->lods, self->lods, sizeof report->lods);
	lrd_mesh_measure_fill(view, 0, &report->fill);
}

/// From a geometry that is complete to the file.
static bool build_part(
	part_build *self, const lrd_prepared *prepared, lrd_buffer *out, lrd_mesh_report *report, lrd_error *error)
{
	lrd_geometry_streams streams;
	lrd_mesh_view view;
	if (!quantize(self, error))
	{
		return false;
	}
	self->part->empty = self->geometry->index_count == 0;
	if (self->part->empty)
	{
		return true;
	}
	lrd_skin_weights weights = self->recipe->settings.skin_weights;
	lrd_geometry_pack_desc desc = { .grid = &self->grid, .wide_weights = weights == LRD_SKIN_WEIGHTS_16 };
	if (!build_lods(self, error) || !choose_raytracing_lod(self, error) ||
		!lrd_geometry_pack(self->geometry, &desc, &streams, error))
	{
		return false;
	}
	self->part->bounds = streams.bounds;
	self->shortened = streams.shortened_deltas;
	self->widened = streams.wide_weights && weights == LRD_SKIN_WEIGHTS_8;
	if (!lrd_bound_part(self->recipe, self->part, self->geometry, error))
	{
		return false;
	}
	fill_view(self, &streams, &view);
	view.flags = mesh_flags(self, prepared);
	if (!write_view(self, &streams, &view, out, error))
	{
		return false;
	}
	report_part(self, prepared, &view, report);
	return true;
}

/// What was noticed of the group is told by its first part.
static bool note_group(const part_build *self, const lrd_prepared *prepared, lrd_notes *notes, lrd_error *error)
{
	lrd_string stem = self->part->stem;
	return self->part->cluster != 0 ||
		   (lrd_note(notes, "degenerate-triangles", prepared->degenerate, error,
				"%.*s: %u triangles without area were dropped", LRD_STR_ARG(stem), prepared->degenerate) &&
			   lrd_note(notes, "normals-computed", prepared->flat, error,
				   "%.*s: %u primitive%s no normals; flat ones were computed", LRD_STR_ARG(stem), prepared->flat,
				   prepared->flat == 1 ? " has" : "s have") &&
			   lrd_note(notes, "normals-repaired", prepared->repaired, error,
				   "%.*s: %u normals of no length were replaced by those of their triangles", LRD_STR_ARG(stem),
				   prepared->repaired) &&
			   lrd_note(notes, "tangents-repaired", prepared->tangents_repaired, error,
				   "%.*s: %u tangents of no length were replaced by others across their normals", LRD_STR_ARG(stem),
				   prepared->tangents_repaired) &&
			   lrd_note(notes, "positions-overflow", prepared->overflowed, error,
				   "%.*s: %u triangles, once scaled, reach farther than floats can tell, and were dropped",
				   LRD_STR_ARG(stem), prepared->overflowed) &&
			   lrd_note(notes, "tangents-without-uv", prepared->untextured, error,
				   "%.*s: %u primitive%s a normal map but no texture coordinates for it; tangents are arbitrary",
				   LRD_STR_ARG(stem), prepared->untextured, prepared->untextured == 1 ? " has" : "s have"));
}

static bool note_part(const part_build *self, lrd_notes *notes, lrd_error *error)
{
	lrd_string stem = self->part->stem;
	bool refused = self->recipe->settings.quantize.on && !self->part->empty && !self->grid.positions &&
				   self->part->cluster == 0; // what goes for one cluster goes for all
	return lrd_note(notes, "quantized-away", self->degenerate, error,
			   "%.*s: %u triangles are smaller than the grid that positions were moved onto, and went",
			   LRD_STR_ARG(stem), self->degenerate) &&
		   lrd_note(notes, "lods-crowded", self->crowd != 0, error,
			   "%.*s: %u triangles meet at one point; it has no LODs, which would take too long", LRD_STR_ARG(stem),
			   self->crowd) &&
		   lrd_note(notes, "deltas-shortened", self->shortened, error,
			   "%.*s: %u deltas of normals or tangents are longer than two unit vectors can be apart, and were "
			   "shortened",
			   LRD_STR_ARG(stem), self->shortened) &&
		   lrd_note(notes, "weights-widened", self->widened, error,
			   "%.*s: joints above 255 take 16 bits, and weights then do, too, although \"unorm8\" asks for 8",
			   LRD_STR_ARG(stem)) &&
		   lrd_note(notes, "not-quantized", refused, error,
			   "%.*s: 16 bits do not hold its positions within the error that is allowed; they stay 32-bit floats",
			   LRD_STR_ARG(stem)) &&
		   lrd_note(notes, "empty-part", self->part->empty, error, "%.*s: no triangle is left; the part was left out",
			   LRD_STR_ARG(stem));
}

/// The part's own geometry: its cluster's triangles, or the whole group's.
static bool take_geometry(const part_build *self, lrd_prepared *prepared, lrd_error *error)
{
	lrd_cut *cut = self->group->cut;
	if (cut == NULL)
	{
		return lrd_prepare_group(self->recipe, self->group, prepared, error);
	}
	*prepared = cut->prepared;
	return lrd_extract_cluster(cut, self->part->cluster, self->recipe->base.allocator, &prepared->geometry, error);
}

bool lrd_make_part(lrd_model_recipe *recipe, uint32_t index, lrd_buffer *out, lrd_mesh_report *report, lrd_notes *notes,
	lrd_error *error)
{
	lrd_part_plan *part = &recipe->parts[index];
	const lrd_group_plan *group = &recipe->groups[part->group];
	lrd_prepared prepared = { 0 };
	part_build self = { .recipe = recipe, .group = group, .part = part, .geometry = &prepared.geometry };
	bool good = take_geometry(&self, &prepared, error);
	if (group->cut != NULL)
	{
		lrd_release_cut(group->cut);
	}
	good = good && (prepared.geometry.index_count == 0 || lrd_complete_geometry(&prepared.geometry, error));
	good = good && build_part(&self, &prepared, out, report, error);
	good = good && note_group(&self, &prepared, notes, error) && note_part(&self, notes, error);
	lrd_arena_destroy(prepared.geometry.arena);
	return good || lrd_fail_in(error, "%.*s.lmesh", LRD_STR_ARG(part->stem));
}

// import/gltf/skin.c: skins, and whether the meshes that nodes bind to them fit. Sections 3.7.3 and 5.28.

#include "import/gltf/gltf.h"

#include "base/maths.h"

static lrd_gltf_label skin_label(const lrd_gltf *gltf, uint32_t index)
{
	return lrd_gltf_name("skin", index, gltf->document->skins[index].name);
}

static bool read_joints(lrd_gltf *gltf, const lrd_json *at, lrd_document_skin *skin)
{
	lrd_json list = lrd_json_member(at, "joints");
	if (!lrd_json_is_array(&list, gltf->error))
	{
		return false;
	}
	uint32_t count = lrd_json_length(&list);
	if (count == 0 || count > LRD_IMPORT_MAX_JOINTS)
	{
		return lrd_fail(gltf->error, count == 0 ? LRD_ERROR_FORMAT : LRD_ERROR_LIMIT, "%s: %u joints, expected 1 to %u",
			lrd_json_place(&list).text, count, LRD_IMPORT_MAX_JOINTS);
	}
	uint32_t *joints = LRD_IMPORT_NEW(gltf->import, uint32_t, count, "joints");
	if (joints == NULL)
	{
		return false;
	}
	for (lrd_json item = lrd_json_first(&list); item.value != NULL; item = lrd_json_next(&item))
	{
		if (!lrd_gltf_index(gltf, &item, LRD_GLTF_NODES, &joints[item.index]))
		{
			return false;
		}
	}
	skin->joints = joints;
	skin->joint_count = count;
	return true;
}

// Section 5.28.3: a skin's joints are unique.
static bool check_unique(lrd_gltf *gltf, uint32_t index, const char *label, const lrd_document_skin *skin)
{
	uint32_t mark = UINT32_MAX - index; // none that is_below uses
	uint32_t repeated = 0;
	for (uint32_t i = 0; i < skin->joint_count; i++)
	{
		repeated += gltf->node_marks[skin->joints[i]] == mark;
		gltf->node_marks[skin->joints[i]] = mark;
	}
	return repeated == 0 ||
		   lrd_import_warn(gltf->import, "joints-repeated", repeated,
			   "%s: nodes that are listed as joints again; the first inverse bind matrix of each counts", label);
}

static bool use_identity(lrd_gltf *gltf, lrd_document_skin *skin)
{
	lrd_mat4 *binds = LRD_IMPORT_NEW(gltf->import, lrd_mat4, skin->joint_count, "inverse bind matrices");
	for (uint32_t i = 0; binds != NULL && i < skin->joint_count; i++)
	{
		binds[i] = lrd_mat4_identity();
	}
	skin->inverse_binds = binds;
	return binds != NULL;
}

// Section 5.28.1: the last row of each is 0 0 0 1.
static bool repair_binds(lrd_gltf *gltf, const char *label, float *m, uint32_t count)
{
	uint32_t repaired = 0;
	for (uint32_t i = 0; i < count; i++, m += 16)
	{
		if (m[3] != 0.0f || m[7] != 0.0f || m[11] != 0.0f || m[15] != 1.0f)
		{
			m[3] = m[7] = m[11] = 0.0f;
			m[15] = 1.0f;
			repaired++;
		}
	}
	return repaired == 0 || lrd_import_warn(gltf->import, "matrix-projective", repaired,
								"%s: the last row of inverse bind matrices became 0 0 0 1", label);
}

static bool read_binds(lrd_gltf *gltf, const lrd_json *at, const char *label, lrd_document_skin *skin)
{
	uint32_t index = LRD_NO_INDEX;
	if (!lrd_gltf_get_index(gltf, at, "inverseBindMatrices", LRD_GLTF_ACCESSORS, &index))
	{
		return false;
	}
	if (index == LRD_NO_INDEX)
	{
		return use_identity(gltf, skin);
	}
	lrd_gltf_accessor *accessor = &gltf->accessors[index];
	if (accessor->type != LRD_GLTF_MAT4 || accessor->component != LRD_GLTF_F32)
	{
		return lrd_fail(gltf->error, LRD_ERROR_FORMAT, "%s: inverseBindMatrices can't be %s of %s", label,
			lrd_gltf_type_name(accessor->type), lrd_gltf_component_name(accessor->component));
	}
	if (accessor->count < skin->joint_count)
	{
		return lrd_fail(gltf->error, LRD_ERROR_FORMAT, "%s: %u inverse bind matrices for %u joints", label,
			accessor->count, skin->joint_count);
	}
	const float *floats = NULL;
	if (!lrd_gltf_floats(gltf, label, accessor, &floats))
	{
		return false;
	}
	if (accessor->first_bad != LRD_NO_INDEX)
	{
		return lrd_fail(
			gltf->error, LRD_ERROR_FORMAT, "%s: inverse bind matrix %u is not finite", label, accessor->first_bad);
	}
	skin->inverse_binds = (const lrd_mat4 *)(const void *)floats;
	return repair_binds(gltf, label, (float *)(uintptr_t)floats, skin->joint_count);
}

// True when `root` is `node` or above it. Nodes on the way are marked, so that a skin's joints don't walk the same way
// twice.
static bool is_below(lrd_gltf *gltf, uint32_t root, uint32_t node, uint32_t mark)
{
	uint32_t start = node;
	while (node != LRD_NO_INDEX && node != root && gltf->node_marks[node] != mark)
	{
		node = gltf->document->nodes[node].parent;
	}
	if (node == LRD_NO_INDEX)
	{
		return false;
	}
	for (; start != node; start = gltf->document->nodes[start].parent)
	{
		gltf->node_marks[start] = mark;
	}
	return true;
}

static bool read_skeleton(lrd_gltf *gltf, const lrd_json *at, const char *label, lrd_document_skin *skin)
{
	skin->skeleton_root = LRD_NO_INDEX;
	if (!lrd_gltf_get_index(gltf, at, "skeleton", LRD_GLTF_NODES, &skin->skeleton_root))
	{
		return false;
	}
	for (uint32_t i = 0; skin->skeleton_root != LRD_NO_INDEX && i < skin->joint_count; i++)
	{
		if (!is_below(gltf, skin->skeleton_root, skin->joints[i], at->index + 1))
		{
			skin->skeleton_root = LRD_NO_INDEX;
			return lrd_import_warn(gltf->import, "skeleton-root", 1,
				"%s: its skeleton node is not above all of its joints; ignored", label);
		}
	}
	return true;
}

// Joints need a common root to be posed together; without one they still move.
static bool check_roots(lrd_gltf *gltf, const char *label, const lrd_document_skin *skin)
{
	for (uint32_t i = 1; i < skin->joint_count; i++)
	{
		if (gltf->node_roots[skin->joints[i]] != gltf->node_roots[skin->joints[0]])
		{
			return lrd_import_warn(gltf->import, "joints-apart", 1, "%s: its joints have no common root", label);
		}
	}
	return true;
}

bool lrd_gltf_read_skins(lrd_gltf *gltf)
{
	const lrd_gltf_list *list = &gltf->lists[LRD_GLTF_SKINS];
	lrd_document_skin *skins = LRD_IMPORT_NEW(gltf->import, lrd_document_skin, list->count, "skins");
	gltf->node_marks = LRD_IMPORT_SCRATCH(gltf->import, uint32_t, gltf->document->node_count, "nodes");
	if (skins == NULL || gltf->node_marks == NULL)
	{
		return false;
	}
	gltf->document->skins = skins;
	gltf->document->skin_count = list->count;
	for (lrd_json at = lrd_json_first(&list->array); at.value != NULL; at = lrd_json_next(&at))
	{
		lrd_document_skin *skin = &skins[at.index];
		if (!lrd_gltf_get_name(gltf, &at, &skin->name))
		{
			return false;
		}
		lrd_gltf_label label = skin_label(gltf, at.index);
		if (!read_joints(gltf, &at, skin) || !check_unique(gltf, at.index, label.text, skin) ||
			!read_binds(gltf, &at, label.text, skin) || !read_skeleton(gltf, &at, label.text, skin) ||
			!check_roots(gltf, label.text, skin))
		{
			return false;
		}
	}
	return true;
}

static bool check_node(lrd_gltf *gltf, uint32_t index)
{
	const lrd_document_node *node = &gltf->document->nodes[index];
	const lrd_gltf_mesh *mesh = node->mesh != LRD_NO_INDEX ? &gltf->meshes[node->mesh] : NULL;
	if (mesh == NULL || !mesh->skinned)
	{
		return true;
	}
	lrd_gltf_label label = lrd_gltf_name("node", index, node->name);
	lrd_gltf_label mesh_label = lrd_gltf_name("mesh", node->mesh, gltf->document->meshes[node->mesh].name);
	if (node->skin == LRD_NO_INDEX)
	{
		return lrd_import_warn(gltf->import, "skin-missing", 1, "%s: %s has joints, but the node has no skin",
			label.text, mesh_label.text);
	}
	uint32_t joints = gltf->document->skins[node->skin].joint_count;
	return mesh->highest_joint < joints ||
		   lrd_fail(gltf->error, LRD_ERROR_FORMAT,
			   "%s: %s, primitive %u, vertex %u: joint %u is out of range (%s has %u joints)", label.text,
			   mesh_label.text, mesh->highest_primitive, mesh->highest_vertex, mesh->highest_joint,
			   skin_label(gltf, node->skin).text, joints);
}

// A joint that no scene holds keeps its rest pose for ever.
static bool check_scenes(lrd_gltf *gltf)
{
	const lrd_document *document = gltf->document;
	if (document->scene_count == 0)
	{
		return true;
	}
	bool *placed = LRD_IMPORT_SCRATCH(gltf->import, bool, document->node_count, "nodes");
	if (placed == NULL)
	{
		return false;
	}
	for (uint32_t s = 0; s < document->scene_count; s++)
	{
		for (uint32_t r = 0; r < document->scenes[s].root_count; r++)
		{
			placed[document->scenes[s].roots[r]] = true;
		}
	}
	for (uint32_t i = 0; i < document->skin_count; i++)
	{
		uint32_t outside = 0;
		for (uint32_t j = 0; j < document->skins[i].joint_count; j++)
		{
			outside += !placed[gltf->node_roots[document->skins[i].joints[j]]];
		}
		if (outside != 0 && !lrd_import_warn(gltf->import, "joints-outside-scene", outside,
								"%s: joints that are in no scene", skin_label(gltf, i).text))
		{
			return false;
		}
	}
	return true;
}

bool lrd_gltf_check_skins(lrd_gltf *gltf)
{
	for (uint32_t i = 0; i < gltf->document->node_count; i++)
	{
		if (!check_node(gltf, i))
		{
			return false;
		}
	}
	return check_scenes(gltf);
}

// import/gltf/node.c: the node hierarchy: transforms, children, and what hangs on each node. Section 3.5 and 5.25.

#include "import/gltf/gltf.h"

#include "base/maths.h"

static lrd_gltf_label node_label(const lrd_gltf *gltf, uint32_t index)
{
	return lrd_gltf_name("node", index, gltf->document->nodes[index].name);
}

static bool read_children(lrd_gltf *gltf, const lrd_json *at, lrd_document_node *nodes)
{
	lrd_document_node *node = &nodes[at->index];
	lrd_json list = lrd_json_member(at, "children");
	if (list.value == NULL)
	{
		return true;
	}
	if (!lrd_json_is_array(&list, gltf->error))
	{
		return false;
	}
	uint32_t *children = LRD_IMPORT_NEW(gltf->import, uint32_t, lrd_json_length(&list), "children");
	if (children == NULL)
	{
		return false;
	}
	node->children = children;
	for (lrd_json item = lrd_json_first(&list); item.value != NULL; item = lrd_json_next(&item))
	{
		uint32_t child = 0;
		if (!lrd_gltf_index(gltf, &item, LRD_GLTF_NODES, &child))
		{
			return false;
		}
		if (nodes[child].parent != LRD_NO_INDEX)
		{
			return lrd_fail(gltf->error, LRD_ERROR_FORMAT,
				"%s: node %u is a child of node %u already, expected one parent", lrd_json_place(&item).text, child,
				nodes[child].parent);
		}
		nodes[child].parent = at->index;
		children[node->child_count++] = child;
	}
	return true;
}

static bool read_matrix(lrd_gltf *gltf, uint32_t index, lrd_document_node *node)
{
	lrd_gltf_label label = node_label(gltf, index);
	float *m = node->matrix.m;
	if (m[3] != 0.0f || m[7] != 0.0f || m[11] != 0.0f || m[15] != 1.0f)
	{
		m[3] = m[7] = m[11] = 0.0f;
		m[15] = 1.0f;
		if (!lrd_import_warn(
				gltf->import, "matrix-projective", 1, "%s: the last row of its matrix became 0 0 0 1", label.text))
		{
			return false;
		}
	}
	node->has_matrix = true;
	return lrd_mat4_decompose(&node->matrix, &node->local) ||
		   lrd_import_warn(gltf->import, "matrix-shear", 1,
			   "%s: its matrix has shear; where translation, rotation and scale are wanted, the nearest are taken",
			   label.text);
}

static bool read_transform(lrd_gltf *gltf, const lrd_json *at, lrd_document_node *node)
{
	float t[3] = { 0.0f, 0.0f, 0.0f }, r[4] = { 0.0f, 0.0f, 0.0f, 1.0f }, s[3] = { 1.0f, 1.0f, 1.0f };
	bool has_matrix = false, has_t = false, has_r = false, has_s = false;
	lrd_error *error = gltf->error;
	if (!lrd_json_get_floats(at, "matrix", node->matrix.m, 16, &has_matrix, error) ||
		!lrd_json_get_floats(at, "translation", t, 3, &has_t, error) ||
		!lrd_json_get_floats(at, "rotation", r, 4, &has_r, error) ||
		!lrd_json_get_floats(at, "scale", s, 3, &has_s, error))
	{
		return false;
	}
	if (has_matrix)
	{
		bool both = has_t || has_r || has_s;
		return (!both || lrd_import_warn(gltf->import, "matrix-and-trs", 1,
							 "%s: it has a matrix beside translation, rotation or scale; the matrix counts",
							 node_label(gltf, at->index).text)) &&
			   read_matrix(gltf, at->index, node);
	}
	uint32_t repaired = has_r ? lrd_gltf_repair_quaternions(r, 1, 4) : 0;
	node->local = (lrd_transform){
		.translation = { t[0], t[1], t[2] }, .rotation = { r[0], r[1], r[2], r[3] }, .scale = { s[0], s[1], s[2] }
	};
	node->matrix = lrd_mat4_from_transform(&node->local);
	return repaired == 0 || lrd_import_warn(gltf->import, "quaternions-normalised", repaired,
								"%s: its rotation was not of unit length", node_label(gltf, at->index).text);
}

static bool read_weights(lrd_gltf *gltf, const lrd_json *at, lrd_document_node *node)
{
	lrd_json list = lrd_json_member(at, "weights");
	if (list.value == NULL)
	{
		return true;
	}
	uint32_t count = node->mesh != LRD_NO_INDEX ? gltf->document->meshes[node->mesh].morph_count : 0;
	uint32_t given = lrd_json_length(&list);
	if (!lrd_json_is_array(&list, gltf->error) || !lrd_gltf_charge(gltf, count, sizeof(float), "morph weights"))
	{
		return false;
	}
	float *weights = LRD_IMPORT_NEW(gltf->import, float, count, "morph weights");
	if (weights == NULL)
	{
		return false;
	}
	for (lrd_json item = lrd_json_first(&list); item.value != NULL && item.index < count; item = lrd_json_next(&item))
	{
		if (!lrd_json_float(&item, &weights[item.index], gltf->error))
		{
			return false;
		}
	}
	node->weights = count != 0 ? weights : NULL;
	return given == count ||
		   lrd_import_warn(gltf->import, "morph-weights", 1, "%s: %u weights for %u morph targets; missing ones are 0",
			   node_label(gltf, at->index).text, given, count);
}

static bool read_skin(lrd_gltf *gltf, const lrd_json *at, lrd_document_node *node)
{
	if (!lrd_gltf_get_index(gltf, at, "skin", LRD_GLTF_SKINS, &node->skin))
	{
		return false;
	}
	bool skinned = node->mesh != LRD_NO_INDEX && gltf->meshes[node->mesh].skinned;
	if (node->skin == LRD_NO_INDEX || skinned)
	{
		return true;
	}
	node->skin = LRD_NO_INDEX;
	return lrd_import_warn(gltf->import, "skin-unused", 1,
		"%s: it has a skin, but no mesh with joints; the skin is ignored", node_label(gltf, at->index).text);
}

static bool read_node(lrd_gltf *gltf, const lrd_json *at, lrd_document_node *nodes)
{
	lrd_document_node *node = &nodes[at->index];
	lrd_gltf_extension light;
	return lrd_gltf_get_name(gltf, at, &node->name) &&
		   lrd_gltf_get_index(gltf, at, "mesh", LRD_GLTF_MESHES, &node->mesh) &&
		   lrd_gltf_get_index(gltf, at, "camera", LRD_GLTF_CAMERAS, &node->camera) &&
		   lrd_gltf_get_extension(gltf, at, "KHR_lights_punctual", &light) &&
		   lrd_gltf_get_index(gltf, &light.at, "light", LRD_GLTF_LIGHTS, &node->light) &&
		   read_transform(gltf, at, node) && read_children(gltf, at, nodes) && read_weights(gltf, at, node) &&
		   read_skin(gltf, at, node) && lrd_gltf_read_instances(gltf, at, node, at->index);
}

// Parents before children, breadth first from the roots. Whatever is not reached hangs in a cycle, since nobody has two
// parents.
static bool order_nodes(lrd_gltf *gltf)
{
	const lrd_document_node *nodes = gltf->document->nodes;
	uint32_t count = gltf->document->node_count, used = 0;
	uint32_t *order = LRD_IMPORT_SCRATCH(gltf->import, uint32_t, count, "nodes");
	uint32_t *roots = LRD_IMPORT_SCRATCH(gltf->import, uint32_t, count, "nodes");
	uint32_t *depths = LRD_IMPORT_SCRATCH(gltf->import, uint32_t, count, "nodes");
	if (order == NULL || roots == NULL || depths == NULL)
	{
		return false;
	}
	for (uint32_t i = 0; i < count; i++)
	{
		if (nodes[i].parent == LRD_NO_INDEX)
		{
			order[used++] = i;
			roots[i] = i;
			depths[i] = 1;
		}
	}
	for (uint32_t next = 0; next < used; next++)
	{
		const lrd_document_node *node = &nodes[order[next]];
		if (depths[order[next]] > LRD_IMPORT_MAX_NODE_DEPTH)
		{
			return lrd_fail(gltf->error, LRD_ERROR_LIMIT, "%s: more than %u nodes below each other",
				node_label(gltf, order[next]).text, LRD_IMPORT_MAX_NODE_DEPTH);
		}
		for (uint32_t c = 0; c < node->child_count; c++)
		{
			uint32_t child = node->children[c];
			order[used++] = child;
			roots[child] = roots[order[next]];
			depths[child] = depths[order[next]] + 1;
		}
	}
	gltf->node_roots = roots;
	for (uint32_t i = 0; used < count && i < count; i++)
	{
		if (depths[i] == 0)
		{
			return lrd_fail(gltf->error, LRD_ERROR_FORMAT, "%s is its own ancestor, or hangs below a node that is",
				node_label(gltf, i).text);
		}
	}
	return true;
}

bool lrd_gltf_read_nodes(lrd_gltf *gltf)
{
	const lrd_gltf_list *list = &gltf->lists[LRD_GLTF_NODES];
	lrd_document_node *nodes = LRD_IMPORT_NEW(gltf->import, lrd_document_node, list->count, "nodes");
	if (nodes == NULL)
	{
		return false;
	}
	for (uint32_t i = 0; i < list->count; i++)
	{
		nodes[i].parent = LRD_NO_INDEX;
		nodes[i].mesh = LRD_NO_INDEX;
		nodes[i].skin = LRD_NO_INDEX;
		nodes[i].light = LRD_NO_INDEX;
		nodes[i].camera = LRD_NO_INDEX;
	}
	gltf->document->nodes = nodes;
	gltf->document->node_count = list->count;
	for (lrd_json at = lrd_json_first(&list->array); at.value != NULL; at = lrd_json_next(&at))
	{
		if (!read_node(gltf, &at, nodes))
		{
			return false;
		}
	}
	return order_nodes(gltf);
}

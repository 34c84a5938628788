// Cooked models: what their bytes say is drawn is what the source draws. Nodes, every triangle with its corners'
// normals, tangents, texture coordinates, colours, weights and morph targets, materials and variants, meshlets, clips.

import { judgeClips } from './clips.mjs';
import { readModel } from './cookedfiles.mjs';
import { isSheared } from './gltfjson.mjs';
import { determinant } from './matrix.mjs';
import { judgeBounds, judgeMesh } from './meshes.mjs';
import { CookedFiles, geometryOfPart, worldMatrices } from './parts.mjs';
import { drawsOf, geometryOf, instanceCount, instanceMatrix, loadScene, shownNodes } from './scene.mjs';
import { cookUnder } from './trees.mjs';
import { expectedTriangles, pairTriangles } from './triangles.mjs';
import { expectClose, expectEqual } from './verdicts.mjs';

const MATRIX_TOLERANCE = 1e-5;
const SAMPLED_INSTANCES = 8;
const FLAG_DOUBLE_SIDED = 1 << 5;
const FLAG_ALPHA_MASKED = 1 << 6;

/// Which of the source's nodes each model node is, as { node, instance }: the model's are in depth-first order, a
/// node's instances before its children.
export function matchNodes(model, { json }, complaints)
{
	const matches = [];
	const children = new Set((json.nodes ?? []).flatMap((node) => node.children ?? []));
	const add = (node, instance, parent) =>
	{
		const found = model.nodes[matches.length];
		const what = instance === undefined ? `node ${node}` : `instance ${instance} of node ${node}`;
		expectEqual(
			complaints,
			`${what}, name and parent`,
			[found?.name, found?.parent],
			[json.nodes[node].name ?? '', parent],
		);
		return matches.push({ node, instance }) - 1;
	};
	const visit = (node, parent) =>
	{
		const here = add(node, undefined, parent);
		for (let i = 0; i < instanceCount(json, node); i++)
		{
			add(node, i, here);
		}
		(json.nodes[node].children ?? []).forEach((child) => visit(child, here));
	};
	(json.nodes ?? []).forEach((_, node) => !children.has(node) && visit(node, -1));
	expectEqual(complaints, 'nodes', model.nodes.length, matches.length);
	return matches;
}

/// Nodes at and below a sheared matrix: a model's nodes can't say it. (What stands still is drawn right all the same,
/// since it is baked.)
function shearedNodes({ json })
{
	const sheared = new Set();
	const visit = (index, above) =>
	{
		const here = above || isSheared(json.nodes[index]);
		here && sheared.add(index);
		(json.nodes[index].children ?? []).forEach((child) => visit(child, here));
	};
	(json.nodes ?? []).forEach((_, index) => visit(index, false));
	return sheared;
}

function judgeWorlds(worlds, matches, scene, complaints)
{
	const sheared = shearedNodes(scene);
	matches.forEach(({ node, instance }, n) =>
	{
		if (sheared.has(node))
		{
			return;
		}
		const matrix = instance === undefined ? scene.nodes[node].matrixWorld : instanceMatrix(scene, node, instance);
		const what = instance === undefined ? `node ${node}` : `instance ${instance} of node ${node}`;
		expectClose(
			complaints,
			`${what}, world matrix`,
			worlds[n],
			matrix.elements,
			MATRIX_TOLERANCE,
			Math.max(...matrix.elements.map(Math.abs)),
		);
	});
}

/// Names, default weights and per-node weights of a part's morph targets; and the materials it takes in variants.
function judgeUse(model, mesh, part, draw, { json }, complaints)
{
	const source = json.meshes[draw.mesh];
	const count = draw.primitive.targets?.length ?? 0;
	const fill = (weights) => Array.from({ length: count }, (_, i) => weights?.[i] ?? 0);
	const what = `part "${part.name}"`;
	expectEqual(
		complaints,
		`${what}, morph names`,
		mesh.morphs.map((morph) => morph.name),
		Array.from({ length: count }, (_, i) => source.extras?.targetNames?.[i] ?? ''),
	);
	expectClose(
		complaints,
		`${what}, default weights`,
		mesh.morphs.map((morph) => morph.weight),
		fill(source.weights),
	);
	expectClose(complaints, `${what}, weights`, part.weights, fill(json.nodes[draw.node].weights ?? source.weights));
	const mappings = draw.primitive.extensions?.KHR_materials_variants?.mappings ?? [];
	model.variants.forEach((variant, v) =>
	{
		const chosen = variant.choices
			.filter((choice) => model.parts[choice.part] === part)
			.map((choice) => choice.slot);
		expectEqual(
			complaints,
			`${what}, material in variant "${variant.name}"`,
			chosen,
			mappings.filter((mapping) => mapping.variants.includes(v)).map((mapping) => mapping.material),
		);
	});
}

function judgePart(model, mesh, part, worlds, { json }, complaints)
{
	const what = `part "${part.name}"`;
	const material = json.materials?.[part.slot];
	expectEqual(
		complaints,
		`${what}, mirrored`,
		part.mirrored,
		part.node !== null && !part.skinned && determinant(worlds[part.node]) < 0,
	);
	expectEqual(
		complaints,
		`${what}, material`,
		mesh.material,
		part.slot === null ? '' : model.materials[part.slot].stem,
	);
	expectEqual(complaints, `${what}, skinned`, mesh.skinned, part.skinned);
	expectEqual(
		complaints,
		`${what}, double sided`,
		(mesh.flags & FLAG_DOUBLE_SIDED) !== 0,
		material?.judged?.doubleSided ?? false,
	);
	expectEqual(
		complaints,
		`${what}, alpha masked`,
		(mesh.flags & FLAG_ALPHA_MASKED) !== 0,
		material?.judged?.alphaMode === 'MASK',
	);
}

export function groupBy(items, keyOf)
{
	const groups = new Map();
	for (const item of items)
	{
		const key = keyOf(item);
		groups.has(key) ? groups.get(key).push(item) : groups.set(key, [item]);
	}
	return groups;
}

/// Of many instances some are looked at triangle by triangle; where each is, judgeWorlds says.
export function isSampled(instance, count)
{
	return instance % Math.ceil(count / SAMPLED_INSTANCES) === 0;
}

/// The model's parts that are looked at, with their geometry. Every instance must have all of its mesh.
export function sampledParts(files, model, worlds, matches, scene, complaints)
{
	const parts = [];
	const counts = new Map();
	for (const part of model.parts)
	{
		const { node, instance } = matches[part.node] ?? {};
		counts.set(part.node, (counts.get(part.node) ?? 0) + 1);
		if (instance === undefined || isSampled(instance, instanceCount(scene.json, node)))
		{
			parts.push({ part, geometry: geometryOfPart(files, model, worlds, part, matches) });
		}
	}
	matches.forEach(({ node, instance }, n) =>
	{
		const first = instance === undefined ? n : n - instance;
		expectEqual(complaints, `instance ${instance} of node ${node}, parts`, counts.get(n), counts.get(first));
	});
	return parts;
}

/// Nodes that a part is placed by although their matrix is sheared: where they put it, the model can't say.
function misplacedNodes(parts, matches, scene)
{
	const sheared = shearedNodes(scene);
	const nodes = parts.filter(({ part }) => part.node !== null && !part.skinned).map(({ part }) => matches[part.node].node);
	return new Set(nodes.filter((node) => sheared.has(node)));
}

function judgeTriangles(files, model, worlds, matches, scene, report, complaints)
{
	const allParts = sampledParts(files, model, worlds, matches, scene, complaints);
	const misplaced = misplacedNodes(allParts, matches, scene);
	const parts = allParts.filter(({ part }) => !misplaced.has(matches[part.node]?.node));
	const draws = drawsOf(scene, isSampled)
		.filter((draw) => !misplaced.has(draw.node))
		.map((draw) => ({ draw, geometry: geometryOf(scene, draw) }));
	const scale = draws.reduce(
		(most, { geometry }) =>
			geometry.vertices.reduce((m, { position }) => Math.max(m, ...position.map(Math.abs)), most),
		0,
	);
	const expected = groupBy(draws, ({ draw }) => draw.primitive.material ?? null);
	const found = groupBy(parts, ({ part }) => part.slot);
	let missing = 0;
	for (const slot of new Set([...expected.keys(), ...found.keys()]))
	{
		const triangles = (expected.get(slot) ?? []).flatMap(({ draw, geometry }) => expectedTriangles(draw, geometry));
		missing += pairTriangles(found.get(slot) ?? [], triangles, scale, `material ${slot}`, complaints);
		const owners = new Map(
			triangles.filter((triangle) => triangle.taken).map((triangle) => [triangle.draw, triangle.part]),
		);
		owners.forEach((part, draw) => judgeUse(model, files.mesh(part.mesh), part, draw, scene, complaints));
	}
	const tells = ['degenerate-triangles', 'positions-overflow'];
	if (missing !== 0 && !report.warnings.some((warning) => tells.includes(warning.kind)))
	{
		complaints.push(`${missing} triangles were dropped without a word`);
	}
	parts.forEach(({ part, geometry }) => judgePart(model, geometry.mesh, part, worlds, scene, complaints));
	new Map(parts.map(({ part, geometry }) => [part.mesh, geometry.mesh])).forEach((mesh, stem) =>
		judgeMesh(stem, mesh, complaints),
	);
	judgeBounds(
		'the model',
		model.bounds,
		draws.flatMap(({ geometry }) => geometry.vertices.map((vertex) => vertex.placed)),
		complaints,
		false,
	);
}

/// Lights and cameras: a row for each shown node that has one.
function judgeLightsAndCameras(model, matches, { json }, complaints)
{
	const shown = shownNodes(json);
	const held = (get) =>
		(json.nodes ?? [])
			.map((node, index) => [index, get(node)])
			.filter(([index, item]) => item !== undefined && shown.has(index))
			.sort((a, b) => a[0] - b[0]);
	const lights = held((node) => node.extensions?.KHR_lights_punctual?.light).map(([node, light]) =>
	{
		const { type, intensity = 1, name = '' } = json.extensions.KHR_lights_punctual.lights[light];
		return [node, name, ['directional', 'point', 'spot'].indexOf(type), Math.fround(intensity)];
	});
	const cameras = held((node) => node.camera).map(([node, camera]) => [
		node,
		json.cameras[camera].name ?? '',
		['perspective', 'orthographic'].indexOf(json.cameras[camera].type),
	]);
	const byNode = (a, b) => a[0] - b[0];
	expectEqual(
		complaints,
		'lights',
		model.lights.map((light) => [matches[light.node].node, light.name, light.type, light.intensity]).sort(byNode),
		lights,
	);
	expectEqual(
		complaints,
		'cameras',
		model.cameras.map((camera) => [matches[camera.node].node, camera.name, camera.type]).sort(byNode),
		cameras,
	);
}

/// One model; complaints.
export async function judgeModel(tree, files, document)
{
	const complaints = [];
	const scene = await loadScene(document.file);
	const model = readModel(tree.read(document.stem, '.lmodel'));
	const worlds = worldMatrices(model);
	const matches = matchNodes(model, scene, complaints);
	judgeWorlds(worlds, matches, scene, complaints);
	judgeTriangles(files, model, worlds, matches, scene, document.report, complaints);
	judgeLightsAndCameras(model, matches, scene, complaints);
	return [...complaints, ...judgeClips(tree, model, scene, matches)];
}

async function judgeTree(tree, verdicts)
{
	const files = new CookedFiles(tree);
	for (const document of tree.models)
	{
		await verdicts.check(`cooked ${document.name}`, () => judgeModel(tree, files, document));
	}
}

// What else becomes of the same triangles: many small clusters, parts that keep their nodes, one for each primitive.
const WAYS = {
	clusters: { spatial_clusters: { target_triangles: 256, min_triangles: 64 } },
	separate: { placement: 'separate' },
	editable: { placement: 'editable' },
};

export async function judgeCooked(trees, verdicts)
{
	for (const tree of trees.all)
	{
		await judgeTree(tree, verdicts);
		for (const [name, model] of Object.entries(tree.name === 'bad' ? {} : WAYS))
		{
			await judgeTree(cookUnder(model, trees, tree, tree.models, name), verdicts);
		}
	}
}

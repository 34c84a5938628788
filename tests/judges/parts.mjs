// What larder's cooked model draws: its parts as vertices in world space, in the same terms as scene.mjs.

import { readMesh, readSkeleton } from './cookedfiles.mjs';
import { matrixOf, moveDirection, movePoint, multiply, normalMatrixOf } from './matrix.mjs';

/// World matrices of a model's nodes.
export function worldMatrices(model)
{
	const world = [];
	model.nodes.forEach((node, n) =>
	{
		const local = matrixOf(node.translation, node.rotation, node.scale);
		world[n] = node.parent < 0 ? local : multiply(world[node.parent], local);
	});
	return world;
}

/// Skinning matrices of the rest pose, as a renderer works them out: root * parents * local * inverse bind.
export function restPalette(skeleton)
{
	const globals = [];
	return skeleton.joints.map((joint, j) =>
	{
		const local = matrixOf(joint.translation, joint.rotation, joint.scale);
		globals[j] = multiply(joint.parent < 0 ? skeleton.root : globals[joint.parent], local);
		return multiply(globals[j], joint.inverseBind);
	});
}

/// Meshes and skeletons of a cooked tree, each read once.
export class CookedFiles
{
	#meshes = new Map();
	#skeletons = new Map();

	constructor(tree)
	{
		this.tree = tree;
	}

	mesh(stem)
	{
		return this.#once(this.#meshes, stem, () => readMesh(this.tree.read(stem, '.lmesh')));
	}

	skeleton(stem)
	{
		return this.#once(this.#skeletons, stem, () =>
		{
			const skeleton = readSkeleton(this.tree.read(stem, '.lskel'));
			return { ...skeleton, palette: restPalette(skeleton) };
		});
	}

	#once(map, stem, read)
	{
		if (!map.has(stem))
		{
			map.set(stem, read());
		}
		return map.get(stem);
	}
}

function influencesOf(joints, weights, skeletonRow, matches)
{
	const map = new Map();
	joints.forEach((joint, i) =>
	{
		const node = matches[skeletonRow.jointNodes[joint]].node;
		if (weights[i] > 0)
		{
			map.set(node, (map.get(node) ?? 0) + weights[i]);
		}
	});
	return map;
}

function skin(position, joints, weights, palette)
{
	const sum = [0, 0, 0];
	joints.forEach((joint, i) =>
		movePoint(palette[joint], position).forEach((value, c) =>
		{
			sum[c] += value * weights[i];
		}),
	);
	return sum;
}

/// A part's vertices and triangles. `matches`: model node -> { node, instance } of the source.
export function geometryOfPart(files, model, worlds, part, matches)
{
	const mesh = files.mesh(part.mesh);
	const world = part.node === null || part.skinned ? undefined : worlds[part.node];
	const normalMatrix = world && normalMatrixOf(world);
	const skeletonRow = part.skinned ? model.skeletons[part.skeleton] : undefined;
	const skeleton = skeletonRow && files.skeleton(skeletonRow.stem);
	const get = (semantic) => mesh.attributes.get(semantic);
	const vertices = Array.from({ length: mesh.vertexCount }, (_, v) =>
	{
		const position = get('position')(v);
		const normal = get('normal')(v);
		const [x, y, z, w] = get('tangent')(v);
		const joints = part.skinned ? get('joints')(v) : undefined;
		const weights = part.skinned ? get('weights')(v) : undefined;
		return {
			position: world ? movePoint(world, position) : position,
			skinned: part.skinned ? skin(position, joints, weights, skeleton.palette) : undefined,
			normal: world ? moveDirection(normalMatrix, normal) : normal,
			tangent: world ? [...moveDirection(world, [x, y, z]), part.mirrored ? -w : w] : [x, y, z, w],
			uv0: get('uv0')(v),
			uv1: get('uv1')?.(v) ?? [0, 0],
			color: get('color')(v),
			influences: part.skinned ? influencesOf(joints, weights, skeletonRow, matches) : undefined,
			morphs: mesh.morphs.map((morph) => morph.deltas.get(v) ?? { position: [0, 0, 0], normal: [0, 0, 0] }),
		};
	});
	// A mirrored part's front faces are clockwise as stored.
	const triangles = part.mirrored ? mesh.triangles.map(([a, b, c]) => [a, c, b]) : mesh.triangles;
	return { vertices, triangles, mesh };
}

// Poses: where every vertex of a model is while its clips play. larder's run time works that out from the cooked files
// (judge_poses, built with the tests: sampling, palettes, morph targets and nodes are liblarder's own), three from the
// source with its AnimationMixer, and they must agree.
//
// Skin weights are 8 bits where a skeleton is small: that alone moves a vertex whose joints part by more than all else
// together. So what must agree is three with the weights that larder stored, which other judges hold to a step of the
// source's; how far three with the source's own weights is off is printed beside it. What is skinned is cooked once more
// with weights of 16 bits, and then three with the source's own must agree, too.

import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { AnimationMixer, Group, LoopOnce, Matrix4, Mesh, Vector3 } from 'three';
import { mendRotations } from './clips.mjs';
import { groupBy, isSampled, matchNodes, sampledParts } from './cooked.mjs';
import { readClip, readModel } from './cookedfiles.mjs';
import { CookedFiles, worldMatrices } from './parts.mjs';
import { drawsOf, geometryOf, instanceMatrix, loadScene } from './scene.mjs';
import { cookUnder, filesBelow } from './trees.mjs';
import { expectedTriangles, pairTriangles } from './triangles.mjs';

const TIMES = 11;
const TOLERANCE = 1e-4; // of the model's size
const WIDE_STEP = 1 / 65535; // of a weight

function probeOf(larder)
{
	return join(dirname(larder), '../tests/judge_poses');
}

/// What larder says: for each clip and time, for each part, its positions.
function cookedPositions(larder, cooked, stem, model, files)
{
	const { stdout, stderr, status } = spawnSync(probeOf(larder), [cooked, stem], { maxBuffer: 1 << 30 });
	if (status !== 0)
	{
		throw new Error(`judge_poses: ${stderr}`);
	}
	const floats = new Float32Array(stdout.buffer.slice(stdout.byteOffset, stdout.byteOffset + stdout.length));
	let at = 0;
	const take = (count) => floats.subarray(at, (at += count));
	const clips = model.clips.map(() =>
		Array.from({ length: TIMES }, () => model.parts.map((part) => take(3 * files.mesh(part.mesh).vertexCount))),
	);
	if (at !== floats.length)
	{
		throw new Error(`judge_poses wrote ${floats.length} numbers, expected ${at}`);
	}
	return clips;
}

/// Which of the source's vertices each vertex of a part is: a Map to { draw, vertex }, by part.
function pairVertices(files, model, scene, complaints)
{
	const matches = matchNodes(model, scene, complaints);
	const parents = new Map();
	scene.json.nodes.forEach((node, n) => (node.children ?? []).forEach((child) => parents.set(child, n)));
	const isAtOrBelow = (node, above) => node === above || (parents.has(node) && isAtOrBelow(parents.get(node), above));
	const mayDraw = (part, draw) =>
	{
		const { node, instance } = matches[part.node] ?? {};
		return node === undefined || (isAtOrBelow(draw.node, node) && draw.instance === instance);
	};
	const draws = drawsOf(scene, isSampled).map((draw) => ({ draw, geometry: geometryOf(scene, draw) }));
	const parts = sampledParts(files, model, worldMatrices(model), matches, scene, complaints);
	const positions = draws.flatMap(({ geometry }) => geometry.vertices.map((v) => v.skinned ?? v.position));
	const scale = positions.reduce((most, position) => Math.max(most, ...position.map(Math.abs)), 0);
	const expected = groupBy(draws, ({ draw }) => draw.primitive.material ?? null);
	groupBy(parts, ({ part }) => part.slot).forEach((found, slot) =>
	{
		const triangles = (expected.get(slot) ?? []).flatMap(({ draw, geometry }) => expectedTriangles(draw, geometry));
		pairTriangles(found, triangles, scale, `material ${slot}`, complaints, mayDraw);
	});
	const sides = [0, 1, 2].map((axis) =>
		positions.reduce(([low, high], p) => [Math.min(low, p[axis]), Math.max(high, p[axis])], [Infinity, -Infinity]),
	);
	return {
		matches,
		parts,
		size: Math.hypot(...sides.map(([low, high]) => high - low)),
	};
}

/// What larder stored of a vertex's skin, in three's terms: [matrix, weight] of each joint, where the matrix takes the
/// mesh to the world when asked.
function storedInfluences(scene, { matches }, model, part, geometry, v, draw)
{
	const { bones, boneInverses } = draw.object.skeleton;
	const { jointNodes } = model.skeletons[part.skeleton];
	const joints = geometry.mesh.attributes.get('joints')(v);
	return geometry.mesh.attributes
		.get('weights')(v)
		.map((weight, i) => [bones.indexOf(scene.nodes[matches[jointNodes[joints[i]]].node]), weight])
		.filter(([, weight]) => weight > 0)
		.map(([bone, weight]) => [bones[bone], boneInverses[bone], weight]);
}

const palette = new Matrix4();
const moved = new Vector3();

function skin(position, influences)
{
	const sum = new Vector3();
	for (const [bone, inverse, weight] of influences)
	{
		moved.copy(position).applyMatrix4(palette.multiplyMatrices(bone.matrixWorld, inverse));
		sum.addScaledVector(moved, weight);
	}
	return sum;
}

/// A vertex as three's meshes morph it, before skins and nodes.
function morphed(object, vertex)
{
	return Mesh.prototype.getVertexPosition.call(object, vertex, new Vector3());
}

/// All vertices of a model that larder draws: { part, p, v } of larder's, and what they are in the source.
function listVertices(scene, pairing, model)
{
	return pairing.parts.flatMap(({ part, geometry }) =>
	{
		const p = model.parts.indexOf(part);
		return [...geometry.sources].map(([v, { draw, vertex }]) => ({
			part,
			p,
			v,
			draw,
			vertex,
			stored: part.skinned ? storedInfluences(scene, pairing, model, part, geometry, v, draw) : undefined,
		}));
	});
}

/// Where three has a vertex now: with the weights that larder stored, and with the source's.
function worldPositions(scene, { draw: { object, node, instance }, vertex, stored })
{
	const local = morphed(object, vertex);
	if (stored === undefined)
	{
		const world = instance === undefined ? object.matrixWorld : instanceMatrix(scene, node, instance);
		return { same: local.applyMatrix4(world) };
	}
	// three reads the first four of eight influences.
	const own =
		object.geometry.attributes.joints_1 === undefined
			? object.applyBoneTransform(vertex, local.clone()).applyMatrix4(object.matrixWorld)
			: undefined;
	return { same: skin(local, stored), own };
}

class Worst
{
	distance = 0;
	what = 'nothing';

	see(distance, what)
	{
		if (!(distance <= this.distance))
		{
			this.distance = distance;
			this.what = what();
		}
	}
}

/// What three moves: the scene, or all roots where there is none.
function rootOf({ gltf, nodes })
{
	const root = gltf.scene ?? new Group();
	nodes.filter((object) => gltf.scene === undefined && object.parent === null).forEach((object) => root.add(object));
	return root;
}

/// The largest distances between larder's vertices and three's over a clip: `same` and `own` as in worldPositions.
function compareClip(scene, animation, clip, poses, vertices)
{
	const root = rootOf(scene);
	const worst = { same: new Worst(), own: new Worst() };
	const delay = Math.max(0, ...animation.tracks.map((track) => -track.times[0]));
	animation.tracks.forEach((track) =>
	{
		mendRotations(track);
		track.times = track.times.map((time) => time + delay); // a clip that begins before 0 is moved as a whole
	});
	animation.resetDuration();
	for (let i = 0; i < TIMES; i++)
	{
		const mixer = new AnimationMixer(root);
		const action = mixer.clipAction(animation);
		action.setLoop(LoopOnce);
		action.clampWhenFinished = true;
		action.play();
		mixer.setTime(Math.fround((clip.duration * i) / (TIMES - 1)));
		root.updateMatrixWorld(true);
		for (const entry of vertices)
		{
			const found = moved.clone().fromArray(poses[i][entry.p], 3 * entry.v);
			const what = () => `part "${entry.part.name}", vertex ${entry.v} at ${i}/${TIMES - 1}`;
			const { same, own } = worldPositions(scene, entry);
			worst.same.see(found.distanceTo(same), what);
			own && worst.own.see(found.distanceTo(own), what);
		}
		mixer.stopAllAction();
		mixer.uncacheRoot(root);
	}
	return worst;
}

/// One model: { complaints, vertices, same, own }, the last two the largest distances as parts of the model's size.
/// `ownToo`: with the source's own weights three must agree as well.
export async function judgeModelPoses(larder, tree, document, ownToo = false)
{
	const complaints = [];
	const files = new CookedFiles(tree);
	const model = readModel(tree.read(document.stem, '.lmodel'));
	const scene = await loadScene(document.file);
	const pairing = pairVertices(files, model, scene, complaints);
	const vertices = listVertices(scene, pairing, model);
	const positions = cookedPositions(larder, tree.cooked, document.stem, model, files);
	const kept = scene.gltf.animations.filter((_, a) =>
		scene.json.animations[a].channels.some((channel) => channel.target.node !== undefined),
	);
	const result = { complaints, vertices: vertices.length, same: 0, own: 0 };
	model.clips.forEach((row, c) =>
	{
		const clip = readClip(tree.read(row.stem, '.lclip'));
		const { same, own } = compareClip(scene, kept[c], clip, positions[c], vertices);
		result.same = Math.max(result.same, same.distance / pairing.size);
		result.own = Math.max(result.own, own.distance / pairing.size);
		for (const { distance, what } of ownToo ? [same, own] : [same])
		{
			if (!(distance <= TOLERANCE * pairing.size))
			{
				const off = (distance / pairing.size).toExponential(2);
				complaints.push(`clip ${row.name}, ${what}: off by ${off} of the model's size`);
			}
		}
	});
	return result;
}

// What, in which of the made sources, which files, and the number that is damaged: where it lies, and by how much.
const DAMAGES = [
	['a joint that stands elsewhere', 'skins', '.lskel', () => 96 + 80, 0.01],
	['an inverse bind that does', 'skins', '.lskel', () => 96 + 16 + 48, 0.01],
	['a key with another value', 'skins', '.lclip', clipValues, 0.01],
	['a key at another time', 'skins', '.lclip', (bytes) => align(64 + 48 * bytes.readUInt32LE(28)) + 4, 0.05],
	['a turn that goes further', 'clips', '.lclip', clipValues, 0.01],
	['a morph target that pulls further', 'morphs', '.lmesh', (bytes) => lastEntry(bytes) + 4, 0.01],
	['a node that stands elsewhere', 'clips', '.lmodel', () => 128 + 16, 0.01],
];

function align(position)
{
	return (position + 15) & ~15;
}

function clipValues(bytes)
{
	return align(align(64 + 48 * bytes.readUInt32LE(28)) + 4 * bytes.readUInt32LE(32));
}

/// The last morph entry lies before the strings.
function lastEntry(bytes)
{
	return bytes.length - bytes.readUInt32LE(48) - 32;
}

/// Does the judge of poses bite? What larder's run time reads is damaged, and nothing that the judge reads.
async function judgePoseTeeth(larder, tree, verdicts)
{
	for (const [what, stem, extension, at, amount] of DAMAGES)
	{
		await verdicts.check(`notices ${what}`, async () =>
		{
			const folder = mkdtempSync(join(tmpdir(), 'larder-poses-'));
			try
			{
				cpSync(join(tree.cooked, stem), join(folder, stem), { recursive: true });
				cpSync(join(tree.cooked, `${stem}.lmodel`), join(folder, `${stem}.lmodel`));
				for (const file of filesBelow(folder).filter((path) => path.endsWith(extension)))
				{
					const bytes = readFileSync(file);
					const offset = at(bytes);
					bytes.writeFloatLE(bytes.readFloatLE(offset) + amount, offset);
					writeFileSync(file, bytes);
				}
				const damaged = { cooked: folder, read: (...name) => tree.read(...name) };
				const document = tree.models.find((model) => model.stem === stem);
				const complaints = await judgeModelPoses(larder, damaged, document)
					.then((result) => result.complaints)
					.catch((error) => [String(error)]); // a reader that refuses the file has noticed too
				return complaints.length !== 0 ? [] : [`the judge found nothing wrong in ${stem}`];
			}
			finally
			{
				rmSync(folder, { recursive: true, force: true });
			}
		});
	}
}

function isPosed(tree, document, needs = () => true)
{
	const { clips, parts } = readModel(tree.read(document.stem, '.lmodel'));
	return clips.length !== 0 && parts.some(needs);
}

/// Judge a model, and print how far it is off.
async function judgeAndPrint(larder, tree, document, ownToo)
{
	const { complaints, vertices, same, own } = await judgeModelPoses(larder, tree, document, ownToo);
	const weights = own === 0 ? '' : `; with the source's weights by ${own.toExponential(2)}`;
	console.log(
		`# ${document.name}: ${vertices} vertices, off by at most ${same.toExponential(2)} of the model's size${weights}`,
	);
	return complaints;
}

/// What is skinned, once more with weights of 16 bits.
async function judgeWidePoses(larder, trees, tree, verdicts)
{
	const skinned = tree.models.filter((document) => isPosed(tree, document, (part) => part.skinned));
	if (skinned.length === 0)
	{
		return;
	}
	const wide = cookUnder({ skin_weights: 'unorm16' }, trees, tree, skinned, 'unorm16');
	for (const { path } of skinned)
	{
		await verdicts.check(`poses ${wide.name}/${path}`, async () =>
		{
			const document = wide.models.find((model) => model.path === path);
			const { parts } = readModel(wide.read(document.stem, '.lmodel'));
			const files = new CookedFiles(wide);
			const narrow = parts.filter((part) => part.skinned && files.mesh(part.mesh).weightStep !== WIDE_STEP);
			return [
				...narrow.map((part) => `part "${part.name}" has weights of 8 bits`),
				...(await judgeAndPrint(larder, wide, document, true)),
			];
		});
	}
}

export async function judgePoses(larder, trees, verdicts)
{
	if (!existsSync(probeOf(larder)))
	{
		verdicts.skip('poses', `there is no ${probeOf(larder)}: it is built with the tests`);
		return;
	}
	for (const tree of trees.all)
	{
		for (const document of tree.models.filter((model) => isPosed(tree, model)))
		{
			await verdicts.check(`poses ${document.name}`, () => judgeAndPrint(larder, tree, document, false));
		}
		await judgeWidePoses(larder, trees, tree, verdicts);
	}
	await judgePoseTeeth(
		larder,
		trees.all.find(({ name }) => name === 'made'),
		verdicts,
	);
}

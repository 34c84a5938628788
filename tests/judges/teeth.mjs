// Do the judges bite? Cooked files of the judges' own sources are damaged in ways that keep them well-formed, and the
// judge of cooked models must complain of each. A judge that lets one pass proves nothing where it says ok.

import { judgeModel } from './cooked.mjs';
import { CookedFiles } from './parts.mjs';

/// A tree whose files are damaged as they are read.
class DamagedTree
{
	constructor(tree, extension, damage)
	{
		Object.assign(this, { tree, extension, damage });
	}

	read(stem, extension)
	{
		const bytes = Buffer.from(this.tree.read(stem, extension));
		return extension === this.extension ? this.damage(bytes) : bytes;
	}
}

function align(position)
{
	return (position + 15) & ~15;
}

/// Where the blocks of a .lmesh lie, by name.
function meshBlocks(bytes)
{
	const [vertexCount, lodCount, meshletCount, remapCount, triangleCount] = [20, 24, 28, 32, 36].map((at) =>
		bytes.readUInt32LE(at),
	);
	const strides = [128, 132, 136, 140].map((at) => bytes.readUInt32LE(at));
	const sizes = {
		lods: 16 * lodCount,
		meshlets: 64 * meshletCount,
		remap: 4 * remapCount,
		triangles: 3 * triangleCount,
		position: strides[0] * vertexCount,
		surface: strides[1] * vertexCount,
		uv1: strides[2] * vertexCount,
		skin: strides[3] * vertexCount,
		morphs: 32 * bytes.readUInt32LE(40),
		entries: 32 * bytes.readUInt32LE(44),
	};
	let position = 192;
	const blocks = {};
	for (const [name, size] of Object.entries(sizes))
	{
		blocks[name] = size === 0 ? undefined : align(position);
		position = size === 0 ? position : align(position) + size;
	}
	return blocks;
}

function changed(bytes, change)
{
	change(bytes);
	return bytes;
}

function addFloat(bytes, at, value)
{
	bytes.writeFloatLE(bytes.readFloatLE(at) + value, at);
}

function swap(bytes, a, b, size)
{
	const held = Buffer.from(bytes.subarray(a, a + size));
	bytes.copy(bytes, a, b, b + size);
	held.copy(bytes, b);
}

const inMesh = (block, change) => [
	'.lmesh',
	(bytes) => changed(bytes, () => meshBlocks(bytes)[block] !== undefined && change(bytes, meshBlocks(bytes)[block])),
];
const inModel = (change) => ['.lmodel', (bytes) => changed(bytes, change)];
const MODEL_NODES = 128;

function modelParts(bytes)
{
	return align(MODEL_NODES + 64 * bytes.readUInt32LE(64));
}

// What, in which of the made sources, and the damage.
const DAMAGES = [
	['a triangle turned round', 'transforms', ...inMesh('triangles', (bytes, at) => swap(bytes, at, at + 1, 1))],
	['a vertex moved by a thousandth', 'transforms', ...inMesh('position', (bytes, at) => addFloat(bytes, at, 1e-3))],
	[
		'a normal tilted',
		'transforms',
		...inMesh('surface', (bytes, at) => bytes.writeInt16LE(bytes.readInt16LE(at) ^ 0x1000, at)),
	],
	[
		'a bitangent turned round',
		'transforms',
		...inMesh('surface', (bytes, at) => bytes.writeUInt8(bytes[at + 6] ^ 1, at + 6)),
	],
	['a texture coordinate moved', 'transforms', ...inMesh('surface', (bytes, at) => addFloat(bytes, at + 8, 1e-4))],
	[
		'a colour changed',
		'accessors',
		...inMesh('surface', (bytes, at) => bytes.writeUInt8(bytes[at + 16] ^ 2, at + 16)),
	],
	['a second texture coordinate moved', 'accessors', ...inMesh('uv1', (bytes, at) => addFloat(bytes, at, 1))],
	['two joints exchanged', 'skins', ...inMesh('skin', (bytes, at) => swap(bytes, at, at + 1, 1))],
	[
		'a weight taken from one joint for another',
		'crowd',
		...inMesh('skin', (bytes, at) =>
			[8, 10].forEach((offset, i) =>
				bytes.writeUInt16LE(bytes.readUInt16LE(at + offset) + (i === 0 ? -200 : 200), at + offset),
			),
		),
	],
	['a morph target that pulls further', 'morphs', ...inMesh('entries', (bytes, at) => addFloat(bytes, at + 4, 1e-3))],
	[
		'a meshlet with a smaller sphere',
		'transforms',
		...inMesh('meshlets', (bytes, at) => bytes.writeFloatLE(bytes.readFloatLE(at + 28) * 0.9, at + 28)),
	],
	['a larger box', 'transforms', '.lmesh', (bytes) => changed(bytes, () => addFloat(bytes, 76, 1))],
	['a node moved', 'transforms', ...inModel((bytes) => addFloat(bytes, MODEL_NODES + 16, 0.01))],
	[
		'a part that forgets it is mirrored',
		'transforms',
		...inModel((bytes) =>
		{
			for (let part = modelParts(bytes), i = 0; i < bytes.readUInt32LE(68); i++, part += 48)
			{
				bytes.writeUInt32LE(bytes.readUInt32LE(part + 24) & ~2, part + 24);
			}
		}),
	],
	[
		'two material slots exchanged',
		'materials',
		...inModel((bytes) => swap(bytes, modelParts(bytes) + 16, modelParts(bytes) + 48 + 16, 4)),
	],
	[
		'two meshes exchanged',
		'transforms',
		...inModel((bytes) => swap(bytes, modelParts(bytes) + 8, modelParts(bytes) + 48 + 8, 8)),
	],
	['a joint moved', 'skins', '.lskel', (bytes) => changed(bytes, () => addFloat(bytes, 96 + 80, 0.1))],
	[
		'an inverse bind changed',
		'skins',
		'.lskel',
		(bytes) =>
			changed(bytes, () =>
				Array.from({ length: bytes.readUInt32LE(16) }, (_, joint) =>
					addFloat(bytes, 96 + 128 * joint + 16 + 52, 0.1),
				),
			),
	],
	[
		'a key moved in time',
		'clips',
		'.lclip',
		(bytes) => changed(bytes, () => addFloat(bytes, align(64 + 48 * bytes.readUInt32LE(28)) + 4, 0.05)),
	],
	[
		'a key with another value',
		'clips',
		'.lclip',
		(bytes) =>
			changed(bytes, () =>
				addFloat(bytes, align(align(64 + 48 * bytes.readUInt32LE(28)) + 4 * bytes.readUInt32LE(32)), 0.1),
			),
	],
	['a channel that steps', 'clips', '.lclip', (bytes) => changed(bytes, () => bytes.writeUInt16LE(1, 64 + 22))],
	[
		'a channel that moves another node',
		'skins',
		'.lclip',
		(bytes) => changed(bytes, () => bytes.writeInt32LE(0, 64 + 16)),
	],
];

export async function judgeTeeth(trees, verdicts)
{
	const tree = trees.all.find(({ name }) => name === 'made');
	for (const [what, source, extension, damage] of DAMAGES)
	{
		await verdicts.check(`notices ${what}`, async () =>
		{
			const damaged = new DamagedTree(tree, extension, damage);
			const complaints = await judgeModel(
				damaged,
				new CookedFiles(damaged),
				tree.models.find(({ stem }) => stem === source),
			);
			return complaints.length !== 0 ? [] : [`the judge found nothing wrong in ${source}`];
		});
	}
}

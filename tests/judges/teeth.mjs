// Do the judges bite? Cooked files of the judges' own sources are damaged in ways that keep them well-formed, and the
// judge of what they hold must complain of each. A judge that lets one pass proves nothing where it says ok.

import { judgeModel } from './cooked.mjs';
import { judgePixels } from './ktx.mjs';
import { CookedFiles } from './parts.mjs';
import { judgeSingle } from './single.mjs';
import { judgeModelTangents } from './tangents.mjs';

/// A tree whose files are damaged as they are read.
class DamagedTree
{
	constructor(tree, extension, damage)
	{
		Object.assign(this, { tree, extension, damage });
	}

	get cooked()
	{
		return this.tree.cooked;
	}

	info(files)
	{
		return this.tree.info(files);
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

/// Where a level of a KTX 2.0 file lies: the index begins at 80, 24 bytes a level.
function levelStart(bytes, level)
{
	return Number(bytes.readBigUInt64LE(80 + 24 * level));
}

/// Where a key's value lies.
function valueStart(bytes, key)
{
	return bytes.indexOf(`${key}\0`) + key.length + 1;
}

// What, which texture of single.mjs, and the damage.
const TEXTURE_DAMAGES = [
	['a bit of a block turned over', 'BC7', (bytes) => (bytes[levelStart(bytes, 0)] ^= 1)],
	['a bit of a block of normals turned over', 'BC5 normals', (bytes) => (bytes[levelStart(bytes, 0)] ^= 0x80)],
	['two levels of one size exchanged', 'BC1 with alpha', (bytes) => swap(bytes, 80 + 24 * 4, 80 + 24 * 5, 8)],
	['a level whose size is said wrong', 'BC7', (bytes) => (bytes[80 + 24 + 16] ^= 16)],
	['colours said to be linear', 'BC7', (bytes) => (bytes[bytes.readUInt32LE(48) + 14] = 1)],
	['another colour model', 'BC4', (bytes) => (bytes[bytes.readUInt32LE(48) + 12] = 132)],
	['another number of bits a sample', 'BC5', (bytes) => (bytes[bytes.readUInt32LE(48) + 4 + 24 + 2] = 31)],
	['a byte under Zstandard', 'Zstandard', (bytes) => (bytes[levelStart(bytes, 0) + 40] ^= 1)],
	['a harmonic of the other sign', 'cubemap', (bytes) => (bytes[valueStart(bytes, 'larder.harmonics.l2') + 39] ^= 0x80)],
	['a key by another name', 'cubemap', (bytes) => (bytes[valueStart(bytes, 'larder.harmonics.l2') - 2] = 0x33)],
	['two faces exchanged', 'strip', (bytes) => swap(bytes, levelStart(bytes, 0), levelStart(bytes, 0) + 4096, 4096)],
];

// What, of a texture of the made source "gamma", and the damage.
const PIXEL_DAMAGES = [
	['a texel of level 0 one code off', (bytes) => (bytes[levelStart(bytes, 0) + 5] ^= 1)],
	['a texel of a mip two codes off', (bytes) => (bytes[levelStart(bytes, 1) + 5] ^= 2)],
	['alpha of the last mip two codes off', (bytes) => (bytes[levelStart(bytes, 4) + 3] ^= 2)],
];

// What, and the damage, to tangents that were computed.
const TANGENT_DAMAGES = [
	[
		'a computed tangent tilted',
		...inMesh('surface', (bytes, at) => bytes.writeInt16LE(bytes.readInt16LE(at + 4) ^ 0x100, at + 4)),
	],
	[
		'a computed bitangent turned round',
		...inMesh('surface', (bytes, at) => bytes.writeUInt8(bytes[at + 6] ^ 1, at + 6)),
	],
];

async function judgeTangentTeeth(tree, verdicts)
{
	const document = tree.models.find(({ stem }) => stem === 'lantern');
	for (const [what, extension, damage] of TANGENT_DAMAGES)
	{
		await verdicts.check(`notices ${what}`, async () =>
		{
			const complaints = await judgeModelTangents(new DamagedTree(tree, extension, damage), document);
			return complaints.length !== 0 ? [] : ['the judge found nothing wrong in lantern'];
		});
	}
}

async function judgeTextureTeeth(trees, tree, verdicts)
{
	const notices = (what, judge) =>
		verdicts.check(`notices ${what}`, async () =>
		{
			// A reader that refuses the file has noticed too.
			const complaints = await Promise.resolve().then(judge).catch((error) => [String(error)]);
			return complaints.length !== 0 ? [] : ['the judge found nothing wrong'];
		});
	for (const [what, name, damage] of TEXTURE_DAMAGES)
	{
		await notices(what, () => judgeSingle(trees.single, name, (bytes) => changed(bytes, damage)));
	}
	await notices('a report that flatters', () => judgeSingle(trees.single, 'BC7', undefined, { psnr: 0.1 }));
	const document = tree.models.find(({ stem }) => stem === 'gamma');
	for (const [what, damage] of PIXEL_DAMAGES)
	{
		const damaged = new DamagedTree(tree, '.ktx2', (bytes) => changed(bytes, damage));
		await notices(what, () => judgePixels(damaged, document));
	}
}

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
	await judgeTangentTeeth(
		trees.all.find(({ name }) => name === 'courtyard'),
		verdicts,
	);
	await judgeTextureTeeth(trees, tree, verdicts);
}

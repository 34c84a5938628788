// Reads larder's cooked files from nothing but their documented layout (include/larder/*.h, src/format/*.h): a header,
// then blocks, each at the next multiple of 16, as long as the header's counts say. Shares no code with larder, which
// is the point.

const FLAGS_SKINNED = 1 << 0;

/// A walk over a file's header and blocks.
class Walk
{
	constructor(bytes, magic, headerSize)
	{
		// A copy of its own: views need aligned bytes.
		this.bytes = new Uint8Array(bytes);
		this.view = new DataView(this.bytes.buffer);
		this.position = headerSize;
		if (
			String.fromCharCode(...this.bytes.subarray(0, 4)) !== magic ||
			Number(this.view.getBigUint64(8, true)) !== this.bytes.length
		)
		{
			throw new Error(`not a ${magic} file of its own length`);
		}
	}

	u32(offset)
	{
		return this.view.getUint32(offset, true);
	}
	i32(offset)
	{
		return this.view.getInt32(offset, true);
	}
	f32(offset)
	{
		return this.view.getFloat32(offset, true);
	}
	floats(offset, count)
	{
		return Array.from({ length: count }, (_, i) => this.f32(offset + 4 * i));
	}

	/// The next block's offset.
	block(count, size)
	{
		if (count === 0)
		{
			return this.position;
		}
		const start = (this.position + 15) & ~15;
		this.position = start + count * size;
		if (this.position > this.bytes.length)
		{
			throw new Error(`a block of ${count} x ${size} bytes ends past the file`);
		}
		return start;
	}

	/// A block as rows.
	rows(count, size, read)
	{
		const start = this.block(count, size);
		return Array.from({ length: count }, (_, i) => read(start + i * size));
	}

	/// A block as a typed array.
	array(Type, count)
	{
		return new Type(this.bytes.buffer, this.block(count, Type.BYTES_PER_ELEMENT), count);
	}

	/// The string block, the last: a function from (offset, size) to text.
	strings(size)
	{
		const start = this.block(size, 1);
		if (this.position !== this.bytes.length)
		{
			throw new Error(`${this.bytes.length - this.position} bytes lie behind the last block`);
		}
		return (at, length) => Buffer.from(this.bytes.subarray(start + at, start + at + length)).toString('utf8');
	}
}

const SEMANTICS = ['position', 'normal', 'tangent', 'uv0', 'color', 'uv1', 'joints', 'weights'];

function snorm16(value)
{
	return Math.max(value / 32767, -1);
}

/// Cigolle et al. 2014: the octahedron's lower half is folded over its diagonals.
function unfold(u, v)
{
	const z = 1 - Math.abs(u) - Math.abs(v);
	const x = z < 0 ? (1 - Math.abs(v)) * (u < 0 ? -1 : 1) : u;
	const y = z < 0 ? (1 - Math.abs(u)) * (v < 0 ? -1 : 1) : v;
	const length = Math.hypot(x, y, z);
	return [x / length, y / length, z / length];
}

const FORMAT_WIDE_WEIGHTS = 10;

// By lrd_vertex_format.
const FORMATS = {
	1: (view, at) => [0, 4].map((i) => view.getFloat32(at + i, true)),
	2: (view, at) => [0, 4, 8].map((i) => view.getFloat32(at + i, true)),
	5: (view, at) => unfold(snorm16(view.getInt16(at, true)), snorm16(view.getInt16(at + 2, true))),
	6: (view, at) =>
	{
		const second = view.getInt16(at + 2, true);
		return [...unfold(snorm16(view.getInt16(at, true)), snorm16(second)), (second & 1) !== 0 ? -1 : 1];
	},
	7: (view, at) => [0, 1, 2, 3].map((i) => view.getUint8(at + i) / 255),
	8: (view, at) => [0, 1, 2, 3].map((i) => view.getUint8(at + i)),
	9: (view, at) => [0, 2, 4, 6].map((i) => view.getUint16(at + i, true)),
	10: (view, at) => [0, 2, 4, 6].map((i) => view.getUint16(at + i, true) / 65535),
};

function readBounds(walk, at)
{
	return {
		min: walk.floats(at, 3),
		max: walk.floats(at + 12, 3),
		centre: walk.floats(at + 24, 3),
		radius: walk.f32(at + 36),
	};
}

function readMeshlet(walk, at)
{
	return {
		vertexOffset: walk.u32(at),
		vertexCount: walk.u32(at + 4),
		triangleOffset: walk.u32(at + 8),
		triangleCount: walk.u32(at + 12),
		centre: walk.floats(at + 16, 3),
		radius: walk.f32(at + 28),
		coneAxis: walk.floats(at + 32, 3),
		coneCutoff: walk.f32(at + 44),
		coneApex: walk.floats(at + 48, 3),
	};
}

/// A meshlet's triangles as vertices of the streams.
function meshletTriangles(meshlet, remap, local)
{
	return Array.from({ length: meshlet.triangleCount }, (_, t) =>
		[0, 1, 2].map((corner) => remap[meshlet.vertexOffset + local[3 * (meshlet.triangleOffset + t) + corner]]),
	);
}

/// Morph targets as deltas of the vertices that move: Maps from vertex to { position, normal, tangent }.
function readMorphs(targets, entries)
{
	return targets.map((target) => ({
		...target,
		deltas: new Map(
			entries
				.slice(target.entryOffset, target.entryOffset + target.entryCount)
				.map((entry) => [entry.vertex, entry]),
		),
	}));
}

export function readMesh(bytes)
{
	const walk = new Walk(bytes, 'LMSH', 192);
	const [
		flags,
		vertexCount,
		lodCount,
		meshletCount,
		remapCount,
		triangleCount,
		morphCount,
		entryCount,
		stringSize,
		materialOffset,
		materialSize,
	] = Array.from({ length: 11 }, (_, i) => walk.u32(16 + 4 * i));
	const strides = [0, 1, 2, 3].map((stream) => walk.u32(128 + 4 * stream));
	const lods = walk.rows(lodCount, 16, (at) => ({
		meshletOffset: walk.u32(at),
		meshletCount: walk.u32(at + 4),
		triangleCount: walk.u32(at + 8),
	}));
	const meshlets = walk.rows(meshletCount, 64, (at) => readMeshlet(walk, at));
	const remap = walk.array(Uint32Array, remapCount);
	const local = walk.array(Uint8Array, 3 * triangleCount);
	const streams = strides.map((stride) => walk.block(stride === 0 ? 0 : vertexCount, stride));
	const targets = walk.rows(morphCount, 32, (at) => ({
		nameOffset: walk.u32(at),
		nameSize: walk.u32(at + 4),
		entryOffset: walk.u32(at + 8),
		entryCount: walk.u32(at + 12),
		weight: walk.f32(at + 16),
	}));
	const half = (at) => [0, 2, 4].map((i) => 2 * snorm16(walk.view.getInt16(at + i, true)));
	const entries = walk.rows(entryCount, 32, (at) => ({
		vertex: walk.u32(at),
		position: walk.floats(at + 4, 3),
		normal: half(at + 16),
		tangent: half(at + 24),
	}));
	const text = walk.strings(stringSize);
	const attributes = new Map();
	let weightStep = 0;
	for (let i = 0; i < walk.u32(144); i++)
	{
		const [semantic, format, stream, offset] = walk.bytes.subarray(148 + 4 * i, 152 + 4 * i);
		weightStep =
			SEMANTICS[semantic] === 'weights' ? 1 / (format === FORMAT_WIDE_WEIGHTS ? 65535 : 255) : weightStep;
		attributes.set(SEMANTICS[semantic], (vertex) =>
			FORMATS[format](walk.view, streams[stream] + vertex * strides[stream] + offset),
		);
	}
	meshlets.forEach((meshlet) =>
	{
		meshlet.triangles = meshletTriangles(meshlet, remap, local);
	});
	const finest = meshlets.slice(lods[0].meshletOffset, lods[0].meshletOffset + lods[0].meshletCount);
	return {
		flags,
		skinned: (flags & FLAGS_SKINNED) !== 0,
		vertexCount,
		bounds: readBounds(walk, 64),
		material: text(materialOffset, materialSize),
		attributes,
		weightStep,
		meshlets,
		triangles: finest.flatMap((meshlet) => meshlet.triangles),
		morphs: readMorphs(targets, entries).map((target) => ({
			...target,
			name: text(target.nameOffset, target.nameSize),
		})),
	};
}

const NONE = 0xffffffff;

function orNull(index)
{
	return index === NONE ? null : index;
}

function readTrs(walk, at)
{
	return { translation: walk.floats(at, 3), rotation: walk.floats(at + 12, 4), scale: walk.floats(at + 28, 3) };
}

export function readModel(bytes)
{
	const walk = new Walk(bytes, 'LMDL', 128);
	const [
		nodeCount,
		partCount,
		materialCount,
		clipCount,
		variantCount,
		choiceCount,
		lightCount,
		cameraCount,
		actorCount,
		jointNodeCount,
		skeletonCount,
		weightCount,
		stringSize,
	] = Array.from({ length: 13 }, (_, i) => walk.u32(64 + 4 * i));
	const span = (at) => [walk.u32(at), walk.u32(at + 4)];
	const model = {
		bounds: readBounds(walk, 16),
		nodes: walk.rows(nodeCount, 64, (at) => ({
			name: span(at),
			parent: walk.i32(at + 8),
			flags: walk.u32(at + 12),
			...readTrs(walk, at + 16),
		})),
		parts: walk.rows(partCount, 48, (at) => ({
			name: span(at),
			mesh: span(at + 8),
			slot: orNull(walk.u32(at + 16)),
			node: orNull(walk.u32(at + 20)),
			skinned: (walk.u32(at + 24) & 1) !== 0,
			mirrored: (walk.u32(at + 24) & 2) !== 0,
			weightsOffset: walk.u32(at + 28),
			weightCount: walk.u32(at + 32),
			skeleton: orNull(walk.u32(at + 36)),
		})),
		materials: walk.rows(materialCount, 16, (at) => ({ name: span(at), stem: span(at + 8) })),
		clips: walk.rows(clipCount, 16, (at) => ({ name: span(at), stem: span(at + 8) })),
		variants: walk.rows(variantCount, 16, (at) => ({
			name: span(at),
			choiceOffset: walk.u32(at + 8),
			choiceCount: walk.u32(at + 12),
		})),
		choices: walk.rows(choiceCount, 8, (at) => ({ part: walk.u32(at), slot: walk.u32(at + 4) })),
		lights: walk.rows(lightCount, 48, (at) => ({
			name: span(at),
			node: walk.u32(at + 8),
			type: walk.u32(at + 12),
			intensity: walk.f32(at + 28),
		})),
		cameras: walk.rows(cameraCount, 32, (at) => ({
			name: span(at),
			node: walk.u32(at + 8),
			type: walk.u32(at + 12),
		})),
	};
	walk.block(actorCount, 64);
	const jointNodes = walk.array(Uint32Array, jointNodeCount);
	model.skeletons = walk.rows(skeletonCount, 16, (at) => ({
		stem: span(at),
		jointNodes: jointNodes.subarray(walk.u32(at + 8), walk.u32(at + 8) + walk.u32(at + 12)),
	}));
	const weights = walk.array(Float32Array, weightCount);
	const text = walk.strings(stringSize);
	for (const row of Object.values(model).filter(Array.isArray).flat())
	{
		['name', 'mesh', 'stem']
			.filter((key) => row[key] !== undefined)
			.forEach((key) =>
			{
				row[key] = text(...row[key]);
			});
	}
	model.parts.forEach((part) =>
	{
		part.weights = [...weights.subarray(part.weightsOffset, part.weightsOffset + part.weightCount)];
	});
	model.variants.forEach((variant) =>
	{
		variant.choices = model.choices.slice(variant.choiceOffset, variant.choiceOffset + variant.choiceCount);
	});
	return model;
}

export function readSkeleton(bytes)
{
	const walk = new Walk(bytes, 'LSKL', 96);
	const joints = walk.rows(walk.u32(16), 128, (at) => ({
		name: [walk.u32(at), walk.u32(at + 4)],
		parent: walk.view.getInt16(at + 12, true),
		inverseBind: walk.floats(at + 16, 16),
		...readTrs(walk, at + 80),
	}));
	const text = walk.strings(walk.u32(20));
	joints.forEach((joint) =>
	{
		joint.name = text(...joint.name);
	});
	return { root: walk.floats(32, 16), joints };
}

const PATHS = ['translation', 'rotation', 'scale', 'weights'];
const INTERPOLATIONS = ['linear', 'step', 'cubic'];

export function readClip(bytes)
{
	const walk = new Walk(bytes, 'LCLP', 64);
	const [channelCount, timeCount, valueCount, stringSize, nameOffset, nameSize] = Array.from({ length: 6 }, (_, i) =>
		walk.u32(28 + 4 * i),
	);
	const channels = walk.rows(channelCount, 48, (at) => ({
		target: [walk.u32(at), walk.u32(at + 4)],
		joint: walk.i32(at + 12),
		node: walk.i32(at + 16),
		path: PATHS[walk.view.getUint16(at + 20, true)],
		interpolation: INTERPOLATIONS[walk.view.getUint16(at + 22, true)],
		components: walk.u32(at + 24),
		keyCount: walk.u32(at + 28),
		timesOffset: walk.u32(at + 32),
		valuesOffset: walk.u32(at + 36),
		skeleton: walk.u32(at + 40),
	}));
	const times = walk.array(Float32Array, timeCount);
	const values = walk.array(Float32Array, valueCount);
	const text = walk.strings(stringSize);
	channels.forEach((channel) =>
	{
		const size = channel.components * (channel.interpolation === 'cubic' ? 3 : 1);
		channel.target = text(...channel.target);
		channel.times = times.subarray(channel.timesOffset, channel.timesOffset + channel.keyCount);
		channel.values = values.subarray(channel.valuesOffset, channel.valuesOffset + channel.keyCount * size);
	});
	return { name: text(nameOffset, nameSize), duration: walk.f32(20), channels };
}

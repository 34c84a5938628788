// Sources that the judges make themselves: small ones for what public files seldom have, each a trap for somebody who
// reads glTF.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { PNG } from 'pngjs';
import { MeshoptEncoder } from './compression.mjs';
import { GltfBuilder } from './gltfbuilder.mjs';

/// Numbers that look random and are the same every time.
function* numbers(seed)
{
	for (let state = seed; ;)
	{
		state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
		yield state / 2 ** 32;
	}
}

function take(source, count)
{
	return Array.from({ length: count }, () => source.next().value);
}

function unit(vector)
{
	const length = Math.hypot(...vector);
	return vector.map((value) => value / length);
}

/// A bumpy grid of n x n vertices: positions, unit normals, tangents (w of both signs), uv, indices.
function patch(n, seed)
{
	const random = numbers(seed);
	const grid = Array.from({ length: n * n }, (_, i) => [i % n, Math.floor(i / n)]);
	const positions = grid.flatMap(([x, y]) => [x / n - 0.4, random.next().value * 0.3, y / n - 0.7]);
	const normals = grid.flatMap(() => unit([random.next().value - 0.5, 1, random.next().value - 0.5]));
	const tangents = grid.flatMap((_, i) =>
	{
		const [x, y, z] = normals.slice(3 * i, 3 * i + 3);
		return [...unit([y, -x, 0 * z]), i % 3 === 0 ? -1 : 1];
	});
	const indices = grid
		.filter(([x, y]) => x + 1 < n && y + 1 < n)
		.flatMap(([x, y]) =>
		{
			const a = y * n + x;
			return [a, a + n, a + 1, a + 1, a + n, a + n + 1];
		});
	return {
		count: n * n,
		positions,
		normals,
		tangents,
		uv: take(random, 2 * n * n).map((value) => value * 3 - 1),
		indices,
	};
}

/// A primitive of a patch with every plain attribute.
function primitiveOf(builder, source, extra = {})
{
	return {
		attributes: {
			POSITION: builder.position(source.positions),
			NORMAL: builder.vertices('VEC3', Float32Array.from(source.normals)),
			TANGENT: builder.vertices('VEC4', Float32Array.from(source.tangents)),
			TEXCOORD_0: builder.vertices('VEC2', Float32Array.from(source.uv)),
		},
		indices: builder.indices(Uint16Array.from(source.indices)),
		...extra,
	};
}

const TURN = unit([0.2, 0.5, -0.3, 0.8]);

/// Mirrors, uneven scales below turns, a sheared matrix; standing still (baked) and animated (not).
function transforms()
{
	const builder = new GltfBuilder();
	const mesh = builder.mesh([primitiveOf(builder, patch(5, 1))]);
	const mirrored = builder.node({ name: 'mirrored', mesh, scale: [-1, 1, 2], translation: [3, 0, 0] });
	const turned = builder.node({ name: 'turned', rotation: TURN, scale: [2, 0.5, 1], children: [mirrored] });
	const twice = builder.node({ name: 'twice', mesh, scale: [1, -3, 1], rotation: TURN });
	builder.node({ name: 'root', scale: [1, 1, -0.5], translation: [0, 10, 0], children: [turned, twice] });
	builder.node({ name: 'sheared', mesh, matrix: [1, 0, 0, 0, 0.5, 1, 0.2, 0, 0, 0.3, -1, 0, -4, 2, 1, 1] });
	const moved = builder.node({ name: 'moved', mesh, scale: [1, 1, 2], rotation: TURN });
	const mover = builder.node({ name: 'mover', scale: [-1, 2, 1], translation: [0, -5, 0], children: [moved] });
	builder.node({ name: 'placed', mesh, scale: [-2, 1, 1], translation: [7, 7, 7] });
	// Placed so often that it stays one mesh.
	const often = builder.mesh([primitiveOf(builder, patch(4, 20))], { name: 'often' });
	for (let i = 0; i < 12; i++)
	{
		const scale = [i % 2 === 0 ? 1 : -1, 1 + i / 3, 1];
		builder.node({ name: 'often', mesh: often, scale, translation: [i, i, 20] });
	}
	builder.animation('Move', [
		[
			mover,
			'translation',
			'LINEAR',
			[0.5, 1, 4],
			builder.accessor('VEC3', Float32Array.from([0, -5, 0, 1, 2, 3, 9, 9, 9])),
		],
		[moved, 'scale', 'STEP', [0, 2], builder.accessor('VEC3', Float32Array.from([1, 1, 2, 2, 2, 2]))],
	]);
	return builder;
}

/// Joints in any order, plain nodes between and above them, one mesh with two skins, mesh nodes whose transforms must
/// not count.
function skins()
{
	const builder = new GltfBuilder();
	const source = patch(6, 2);
	const random = numbers(7);
	const orders = [
		[0, 1, 2],
		[2, 0, 1],
		[1, 2, 0],
		[2, 1, 0],
	];
	const joints = Array.from({ length: source.count }, (_, i) => [...orders[i % 4], 0]).flat();
	const weights = Array.from({ length: source.count }, () =>
	{
		const [a, b] = take(random, 2).map((value) => Math.floor(1 + value * 120));
		return [a, 255 - a - b, b, 0];
	}).flat();
	const primitive = primitiveOf(builder, source);
	primitive.attributes.JOINTS_0 = builder.vertices('VEC4', Uint8Array.from(joints));
	primitive.attributes.WEIGHTS_0 = builder.vertices('VEC4', Uint8Array.from(weights), { normalized: true });
	const mesh = builder.mesh([primitive]);
	const tip = builder.node({ name: 'tip', translation: [0, 1, 0], rotation: TURN });
	const plain = builder.node({ name: 'plain', translation: [0.5, 0, 0], scale: [1, 2, 1], children: [tip] });
	const middle = builder.node({ name: 'joint', translation: [0, 1, 0], rotation: TURN, children: [plain] });
	const base = builder.node({ name: 'joint', translation: [0, 0.5, 0], children: [middle] });
	builder.node({ name: 'above', translation: [2, 0, 1], rotation: TURN, scale: [1.5, 1.5, 1.5], children: [base] });
	const bind = (shift) => [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, shift, -shift, 0.3, 1];
	builder.json.skins = [
		{
			name: 'one',
			joints: [tip, base, middle],
			inverseBindMatrices: builder.accessor('MAT4', Float32Array.from([bind(0.1), bind(-0.4), bind(0.7)].flat())),
		},
		{ name: 'other', joints: [middle, tip, base] }, // no inverse binds: identity
	];
	builder.node({ name: 'drawn', mesh, skin: 0, translation: [100, 0, 0], scale: [-1, 1, 1] });
	builder.node({ name: 'again', mesh, skin: 1 });
	builder.node({ name: 'without', mesh, translation: [-5, 0, 0], scale: [1, 1, -1] }); // no skin: an ordinary mesh
	const turns = [TURN, unit([1, 0, 0, 1]), unit([0, -1, 0.5, -1])];
	builder.animation('Bend', [
		[middle, 'rotation', 'LINEAR', [0, 1, 2], builder.accessor('VEC4', Float32Array.from(turns.flat()))],
		[plain, 'translation', 'LINEAR', [0, 2], builder.accessor('VEC3', Float32Array.from([0.5, 0, 0, 1, 1, 1]))],
	]);
	return builder;
}

/// More joints than a byte counts, and eight influences a vertex, of which the strongest four are kept.
function crowd()
{
	const builder = new GltfBuilder();
	const source = patch(6, 12);
	const random = numbers(13);
	const joints = Array.from({ length: 300 }, (_, i) =>
		builder.node({ name: `bone ${i % 7}`, translation: take(random, 3), rotation: unit(take(random, 4)) }),
	);
	const rows = Array.from({ length: source.count }, () =>
	{
		const start = Math.floor(random.next().value * 292);
		const weights = take(random, 8);
		const sum = weights.reduce((a, b) => a + b);
		return {
			joints: [0, 5, 2, 7, 1, 4, 3, 6].map((i) => start + i),
			weights: weights.map((weight) => weight / sum),
		};
	});
	const primitive = primitiveOf(builder, source);
	for (const set of [0, 1])
	{
		const part = ({ joints: all }) => all.slice(4 * set, 4 * set + 4);
		primitive.attributes[`JOINTS_${set}`] = builder.vertices('VEC4', Uint16Array.from(rows.flatMap(part)));
		primitive.attributes[`WEIGHTS_${set}`] = builder.vertices(
			'VEC4',
			Float32Array.from(rows.flatMap(({ weights }) => weights.slice(4 * set, 4 * set + 4))),
		);
	}
	builder.node({ name: 'all', children: [...joints] });
	builder.json.skins = [{ joints: joints.reverse() }];
	builder.node({ mesh: builder.mesh([primitive]), skin: 0 });
	return builder;
}

/// What breaks a rule and can be read all the same.
function mended()
{
	const builder = new GltfBuilder();
	const source = patch(5, 14);
	source.normals = source.normals.map((value, i) => (i < 3 ? 0 : value * (1 + (i % 4))));
	source.indices.push(3, 3, 4, 8, 9, 8);
	const node = builder.node({
		name: 'long',
		mesh: builder.mesh([primitiveOf(builder, source, { material: 0 })]),
		rotation: TURN.map((value) => value / 2),
	});
	builder.json.materials = [
		{ name: 'strong', pbrMetallicRoughness: { metallicFactor: 2, baseColorFactor: [1, -1, 0.5, 1] } },
	];
	builder.animation('Jump', [
		[
			node,
			'translation',
			'LINEAR',
			[0, 1, 1, 2],
			builder.accessor('VEC3', Float32Array.from([0, 0, 0, 1, 1, 1, 5, 5, 5, 6, 6, 6])),
		],
	]);
	return builder;
}

/// Targets that lack a position or a normal, a sparse one, weights of meshes and of nodes, weights animated.
function morphs()
{
	const builder = new GltfBuilder();
	const source = patch(4, 3);
	const random = numbers(9);
	const deltas = () => Float32Array.from(take(random, 3 * source.count), (value) => value - 0.5);
	const whole = builder.accessor('VEC3', deltas(), { bounds: true });
	const few = builder.sparse(builder.accessor('VEC3', new Float32Array(3 * source.count)), [
		[2, [0.5, 0, 0]],
		[9, [0, 0.25, -1]],
	]);
	Object.assign(builder.json.accessors[few], { min: [0, 0, -1], max: [0.5, 0.25, 0] });
	const targets = [{ POSITION: whole, NORMAL: builder.accessor('VEC3', deltas()) }, { POSITION: few }];
	const primitive = primitiveOf(builder, source, { targets });
	const flat = {
		attributes: { POSITION: builder.position(source.positions) },
		targets: targets.map(({ POSITION }) => ({ POSITION })),
	};
	const mesh = builder.mesh([primitive, flat], { weights: [0.25, 0.5], extras: { targetNames: ['Wide', 'Tall'] } });
	const first = builder.node({ name: 'first', mesh });
	builder.node({ name: 'second', mesh, weights: [1, 0], scale: [-1, 1, 1], translation: [3, 0, 0] });
	builder.animation('Breathe', [
		[first, 'weights', 'CUBICSPLINE', [0, 1, 3], builder.accessor('SCALAR', Float32Array.from(take(random, 18)))],
		[first, 'translation', 'CUBICSPLINE', [1, 2], builder.accessor('VEC3', Float32Array.from(take(random, 18)))],
	]);
	return builder;
}

/// Keys that go the long way round, negated neighbours, integers, a single key; each interpolation.
function clips()
{
	const builder = new GltfBuilder();
	const mesh = builder.mesh([primitiveOf(builder, patch(3, 4))]);
	const names = ['linear', 'step', 'cubic', 'integers', 'one key', 'half turn'];
	const nodes = names.map((name) => builder.node({ name, mesh }));
	const turn = (angle) => [0, Math.sin(angle / 2), 0, Math.cos(angle / 2)];
	const negative = (q) => q.map((value) => -value);
	const turns = [turn(0), negative(turn(1)), turn(2.5), turn(6), TURN];
	const times = [0, 0.5, 1.5, 1.75, 3];
	const output = (...rows) => builder.accessor('VEC4', Float32Array.from(rows.flat(Infinity)));
	const nil = [0, 0, 0, 0];
	const close = [turn(0), turn(0.4), turn(1), TURN, unit([0.4, 0.4, -0.2, 0.8])];
	builder.animation('Turn', [
		[nodes[0], 'rotation', 'LINEAR', times, output(turns)],
		[nodes[1], 'rotation', 'STEP', times, output(turns)],
		[
			nodes[2],
			'rotation',
			'CUBICSPLINE',
			times,
			output(close.map((q, i) => [[0.1 * i, 0, -0.2, 0.1], q, [0, 0.3, 0.1 * i, 0]])),
		],
		[
			nodes[3],
			'rotation',
			'LINEAR',
			times,
			builder.accessor(
				'VEC4',
				Int16Array.from(turns.flat(), (value) => Math.round(value * 32767)),
				{ normalized: true },
			),
		],
		[nodes[4], 'rotation', 'LINEAR', [1], output(TURN)],
		[nodes[5], 'rotation', 'LINEAR', [0, 1], output(turn(0), turn(3.1))],
	]);
	builder.animation('Spin', [
		[
			nodes[2],
			'rotation',
			'CUBICSPLINE',
			[0, 1, 2],
			output([turn(0.3), negative(turn(1.2)), turn(2)].map((q) => [nil, q, nil])),
		],
	]);
	builder.animation('', [
		[nodes[0], 'scale', 'LINEAR', [0.25, 0.5], builder.accessor('VEC3', Float32Array.from([1, 1, 1, 2, 0.5, -1]))],
	]);
	return builder;
}

/// Integers for floats, strides, sparse accessors, colours of three components, a second uv set, unused and shared
/// vertices.
function accessors()
{
	const builder = new GltfBuilder();
	const source = patch(5, 5);
	const scaled = (values, scale, Type) => Type.from(values, (value) => Math.round(value * scale));
	builder.json.extensionsUsed = ['KHR_mesh_quantization'];
	builder.json.extensionsRequired = ['KHR_mesh_quantization'];
	const quantized = {
		attributes: {
			POSITION: builder.vertices('VEC3', scaled(source.positions, 32767, Int16Array), {
				normalized: true,
				stride: 8,
				bounds: true,
			}),
			NORMAL: builder.vertices('VEC3', scaled(source.normals, 127, Int8Array), { normalized: true, stride: 4 }),
			TEXCOORD_0: builder.vertices('VEC2', scaled(source.uv.map(Math.abs), 20000, Uint16Array), {
				normalized: true,
			}),
			TEXCOORD_1: builder.vertices('VEC2', scaled(source.uv, 60, Int8Array), { stride: 4 }),
			COLOR_0: builder.vertices(
				'VEC3',
				Uint8Array.from(take(numbers(3), 3 * source.count), (value) => value * 255),
				{ normalized: true, stride: 4 },
			),
		},
		indices: builder.indices(Uint8Array.from(source.indices)),
	};
	builder.node({ name: 'quantized', mesh: builder.mesh([quantized]), scale: [2, 2, 2], rotation: TURN });
	const positions = builder.position(source.positions);
	builder.sparse(positions, [
		[0, [-3, 1, 0]],
		[7, [0, 2, 0]],
		[24, [5, 5, 5]],
	]);
	Object.assign(
		builder.json.accessors[positions],
		boundsWith(
			source.positions,
			new Map([
				[0, [-3, 1, 0]],
				[7, [0, 2, 0]],
				[24, [5, 5, 5]],
			]),
		),
	);
	const shared = {
		POSITION: positions,
		COLOR_0: builder.vertices('VEC4', Float32Array.from(take(numbers(5), 4 * source.count))),
		TEXCOORD_1: builder.vertices('VEC2', Float32Array.from(source.uv)),
	};
	const half = source.indices.length / 2;
	builder.node({
		name: 'shared',
		mesh: builder.mesh([
			{
				attributes: shared,
				indices: builder.indices(Uint32Array.from(source.indices.slice(0, half))),
				material: 0,
			},
			{
				attributes: {
					...shared,
					NORMAL: builder.vertices('VEC3', Float32Array.from(source.normals), { stride: 16 }),
				},
				indices: builder.indices(Uint32Array.from(source.indices.slice(half))),
				material: 1,
			},
		]),
	});
	builder.json.materials = [{ name: 'a' }, { name: 'b', doubleSided: true, alphaMode: 'MASK', alphaCutoff: 0.25 }];
	return builder;
}

function boundsWith(positions, changes)
{
	const rows = Array.from({ length: positions.length / 3 }, (_, i) =>
		(changes.get(i) ?? positions.slice(3 * i, 3 * i + 3)).map(Math.fround),
	);
	return {
		min: [0, 1, 2].map((c) => Math.min(...rows.map((row) => row[c]))),
		max: [0, 1, 2].map((c) => Math.max(...rows.map((row) => row[c]))),
	};
}

/// Every primitive mode; strips with stitches.
function modes()
{
	const builder = new GltfBuilder();
	const source = patch(6, 6);
	const attributes = {
		POSITION: builder.position(source.positions),
		NORMAL: builder.vertices('VEC3', Float32Array.from(source.normals)),
	};
	const row = [0, 6, 1, 7, 2, 8, 3, 9, 4, 10, 5, 11];
	const stitched = [...row, 11, 12, 12, 18, 13, 19, 14, 20, 15];
	const index = (list) => builder.indices(Uint16Array.from(list));
	builder.node({
		name: 'modes',
		mesh: builder.mesh([
			{ attributes, mode: 0 },
			{ attributes, mode: 5, indices: index(stitched) },
			{ attributes, mode: 1, indices: index([0, 1, 2, 3]) },
			{ attributes, mode: 6, indices: index([14, 7, 8, 9, 15, 21, 20, 19, 13, 7]) },
			{ attributes, mode: 5 },
			{ attributes: { POSITION: attributes.POSITION }, mode: 6 },
			{ attributes, mode: 4, indices: index(source.indices) },
		]),
		scale: [1, 1, -1],
	});
	return builder;
}

/// A picture as a data URI. `gamma`: what its gAMA chunk says; none when undefined.
function imageOf(seed, width, height, depth, gamma)
{
	const png = Object.assign(new PNG({ width, height }), { gamma });
	png.data.set(
		take(numbers(seed), 4 * width * height).map((value, i) => ((i >> 4) % depth === 0 ? 255 : value * 256)),
	);
	return `data:image/png;base64,${PNG.sync.write(png).toString('base64')}`;
}

/// Every extension of materials that larder reads, odd image sizes, one image in two uses, samplers, transforms.
function materials()
{
	const builder = new GltfBuilder();
	const source = patch(3, 8);
	const { json } = builder;
	json.images = [
		[11, 31, 17, 3],
		[12, 1, 9, 2],
		[13, 64, 64, 5],
		[14, 33, 32, 4],
	].map((row) => ({ uri: imageOf(...row) }));
	json.samplers = [
		{ wrapS: 33071, wrapT: 33648, magFilter: 9728 },
		{ magFilter: 9729, minFilter: 9987 },
	];
	json.textures = [0, 1, 2, 3].map((image) => ({ source: image, ...(image !== 3 && { sampler: image % 2 }) }));
	const slot = (index, extra) => ({ index, ...extra });
	const moved = (index, offset, scale, rotation, texCoord) => ({
		index,
		extensions: { KHR_texture_transform: { offset, scale, rotation, texCoord } },
	});
	json.materials = [
		{
			name: 'everything',
			alphaMode: 'BLEND',
			doubleSided: true,
			emissiveFactor: [0.1, 0.2, 0.3],
			pbrMetallicRoughness: {
				baseColorFactor: [0.1, 0.2, 0.3, 0.4],
				metallicFactor: 0.5,
				roughnessFactor: 0.6,
				baseColorTexture: moved(0, [0.5, -1], [2, 3], 0.7),
				metallicRoughnessTexture: slot(1),
			},
			normalTexture: slot(2, { scale: -0.5 }),
			occlusionTexture: slot(1, { strength: 0.3, texCoord: 1 }),
			emissiveTexture: slot(0),
			extensions: {
				KHR_materials_emissive_strength: { emissiveStrength: 7 },
				KHR_materials_transmission: { transmissionFactor: 0.4, transmissionTexture: slot(3) },
				KHR_materials_ior: { ior: 1.2 },
				KHR_materials_volume: {
					thicknessFactor: 2,
					thicknessTexture: slot(1),
					attenuationDistance: 3,
					attenuationColor: [0.2, 0.3, 0.4],
				},
				KHR_materials_anisotropy: {
					anisotropyStrength: 0.6,
					anisotropyRotation: 1.1,
					anisotropyTexture: slot(3),
				},
				KHR_materials_clearcoat: {
					clearcoatFactor: 0.7,
					clearcoatTexture: slot(3),
					clearcoatRoughnessFactor: 0.2,
					clearcoatRoughnessTexture: slot(1),
					clearcoatNormalTexture: slot(2, { scale: 0.25 }),
				},
				KHR_materials_sheen: {
					sheenColorFactor: [0.1, 0.5, 0.9],
					sheenColorTexture: slot(0),
					sheenRoughnessFactor: 0.3,
					sheenRoughnessTexture: slot(3),
				},
				KHR_materials_specular: {
					specularFactor: 0.2,
					specularTexture: slot(3),
					specularColorFactor: [1.5, 0.5, 0.1],
					specularColorTexture: slot(2),
				},
				KHR_materials_iridescence: {
					iridescenceFactor: 0.8,
					iridescenceIor: 1.7,
					iridescenceThicknessMinimum: 200,
					iridescenceThicknessMaximum: 300,
				},
				KHR_materials_dispersion: { dispersion: 0.5 },
			},
		},
		{
			name: 'mask',
			alphaMode: 'MASK',
			pbrMetallicRoughness: { baseColorTexture: moved(3, [0, 0], [1, 1], 0, 1) },
		},
		{ name: 'unlit', extensions: { KHR_materials_unlit: {} } },
		{},
	];
	json.extensionsUsed = [
		'KHR_texture_transform',
		'KHR_materials_unlit',
		...Object.keys(json.materials[0].extensions),
	];
	json.materials.forEach((_, material) =>
	{
		const primitive = primitiveOf(builder, source, { material });
		primitive.attributes.TEXCOORD_1 = builder.vertices('VEC2', Float32Array.from(source.uv));
		builder.node({ mesh: builder.mesh([primitive]), translation: [material, 0, 0] });
	});
	return builder;
}

/// Pictures that say how their values are encoded: in glTF the use decides, and what a file says of itself is ignored
/// (as Khronos' TextureEncodingTest has it).
function gamma()
{
	const builder = new GltfBuilder();
	builder.json.images = [
		[21, 16, 16, 3, 1],
		[22, 16, 16, 3, 0.55556],
		[23, 16, 16, 3, 0.45455],
	].map((row) => ({ uri: imageOf(...row) }));
	builder.json.textures = [0, 1, 2].map((source) => ({ source }));
	builder.json.materials = [
		{
			pbrMetallicRoughness: { baseColorTexture: { index: 0 }, metallicRoughnessTexture: { index: 0 } },
			normalTexture: { index: 1 },
			emissiveTexture: { index: 1 },
			emissiveFactor: [1, 1, 1],
			occlusionTexture: { index: 2 },
		},
	];
	builder.node({ mesh: builder.mesh([primitiveOf(builder, patch(3, 24), { material: 0 })]) });
	return builder;
}

/// A mesh that is both skinned and morphed.
function both()
{
	const builder = new GltfBuilder();
	const source = patch(4, 25);
	const target = { POSITION: builder.position(take(numbers(26), 3 * source.count)) };
	const primitive = primitiveOf(builder, source, { targets: [target] });
	const rows = (row) => Uint8Array.from(Array.from({ length: source.count }, (_, i) => row(i)).flat());
	primitive.attributes.JOINTS_0 = builder.vertices('VEC4', rows((i) => [i % 2, 1 - (i % 2), 0, 0]));
	primitive.attributes.WEIGHTS_0 = builder.vertices(
		'VEC4',
		rows((i) => [10 * i, 255 - 10 * i, 0, 0]),
		{ normalized: true },
	);
	const tip = builder.node({ name: 'tip', translation: [0, 1, 0], rotation: TURN });
	const base = builder.node({ name: 'base', scale: [1, 2, 1], children: [tip] });
	builder.json.skins = [{ joints: [tip, base] }];
	const drawn = builder.node({ name: 'drawn', mesh: builder.mesh([primitive]), skin: 0, weights: [0.3] });
	const weights = builder.accessor('SCALAR', Float32Array.from([0, 1, 0.5]));
	builder.animation('Pull', [[drawn, 'weights', 'STEP', [0, 1, 2], weights]]);
	return builder;
}

/// Two scenes of which the second counts, lights, cameras, equal names, variants.
function scenes()
{
	const builder = new GltfBuilder();
	const { json } = builder;
	json.extensionsUsed = ['KHR_lights_punctual', 'KHR_materials_variants'];
	json.materials = [{ name: 'red' }, { name: 'red' }, { name: 'Blue/Green' }];
	const mappings = [
		{ material: 1, variants: [0] },
		{ material: 2, variants: [1] },
	];
	const primitive = (extra) => primitiveOf(builder, patch(3, 9), { material: 0, ...extra });
	const mesh = builder.mesh([primitive(), primitive({ extensions: { KHR_materials_variants: { mappings } } })], {
		name: 'twin',
	});
	json.extensions = {
		KHR_materials_variants: { variants: [{ name: 'summer' }, { name: 'winter' }] },
		KHR_lights_punctual: {
			lights: [
				{ name: 'sun', type: 'directional', intensity: 3, color: [1, 0.5, 0.25] },
				{ type: 'point', range: 4 },
				{ name: 'spot', type: 'spot', intensity: 100, spot: { innerConeAngle: 0.2, outerConeAngle: 0.7 } },
				{ type: 'spot', spot: {} },
			],
		},
	};
	json.cameras = [
		{ name: 'eye', type: 'perspective', perspective: { yfov: 0.8, znear: 0.1 } },
		{ type: 'perspective', perspective: { yfov: 1, znear: 0.2, zfar: 50, aspectRatio: 1.5 } },
		{ name: 'plan', type: 'orthographic', orthographic: { xmag: 4, ymag: 2, znear: 0, zfar: 10 } },
	];
	const lights = [0, 1, 2, 3].map((light) =>
		builder.node({ name: 'lamp', rotation: TURN, extensions: { KHR_lights_punctual: { light } } }),
	);
	const cameras = [0, 1, 2].map((camera) => builder.node({ camera, translation: [camera, 0, 0] }));
	const shown = builder.node({ name: 'twin', mesh, children: [...lights.slice(0, 3), ...cameras] });
	const hidden = builder.node({ name: 'twin', mesh, translation: [50, 0, 0], children: [lights[3]] });
	json.scenes = [
		{ name: 'hidden', nodes: [hidden] },
		{ name: 'shown', nodes: [shown] },
	];
	json.scene = 1;
	return builder;
}

function requires(builder, ...names)
{
	builder.json.extensionsUsed = names;
	builder.json.extensionsRequired = names;
	return builder;
}

/// A patch whose every view is compressed by an extension. `version`: of the attribute codec; `filtered`: with filters,
/// quantised as they want it.
function packedPatch(builder, extension, seed, version, filtered)
{
	const source = patch(9, seed);
	const { count } = source;
	const pack = (elements, layout, options) =>
		builder.packed(extension, elements, { count, ...layout }, { version, ...options });
	const four = (array, size) => Float32Array.from({ length: 4 * count }, (_, i) => (i % 4 < size ? array[size * (i >> 2) + (i % 4)] : 0));
	const positions = filtered
		? MeshoptEncoder.encodeFilterExp(Float32Array.from(source.positions), count, 12, 15)
		: Float32Array.from(source.positions);
	const bounds = { min: [-9, -9, -9], max: [9, 9, 9] }; // roughly: nobody holds them to what is rounded
	const exact = boundsWith(source.positions, new Map());
	const indices = Uint16Array.from(source.indices);
	const uv = Int16Array.from(source.uv, (value) => Math.round(value * 16000));
	const colors = take(numbers(seed), 4 * count);
	const attributes = {
		POSITION: pack(
			positions,
			{ type: 'VEC3', componentType: 5126, ...(filtered ? bounds : exact) },
			{ stride: 12, ...(filtered && { filter: 'EXPONENTIAL' }) },
		),
		NORMAL: filtered
			? pack(
					MeshoptEncoder.encodeFilterOct(four(source.normals, 3), count, 8, 12),
					{ type: 'VEC3', componentType: 5122, normalized: true },
					{ stride: 8, viewStride: 8, filter: 'OCTAHEDRAL' },
				)
			: pack(
					Int8Array.from(four(source.normals, 3), (value) => Math.round(value * 127)),
					{ type: 'VEC3', componentType: 5120, normalized: true },
					{ stride: 4, viewStride: 4 },
				),
		TEXCOORD_0: pack(uv, { type: 'VEC2', componentType: 5122 }, { stride: 4 }),
		COLOR_0:
			filtered && extension === 'KHR_meshopt_compression'
				? pack(
						MeshoptEncoder.encodeFilterColor(Float32Array.from(colors), count, 4, 8),
						{ type: 'VEC4', componentType: 5121, normalized: true },
						{ stride: 4, filter: 'COLOR' },
					)
				: pack(
						Uint16Array.from(colors, (value) => value * 65535),
						{ type: 'VEC4', componentType: 5123, normalized: true },
						{ stride: 8 },
					),
	};
	return {
		attributes,
		indices: builder.packed(
			extension,
			indices,
			{ type: 'SCALAR', componentType: 5123, count: indices.length },
			{ stride: 2, mode: filtered ? 'TRIANGLES' : 'INDICES' },
		),
	};
}

/// Instances and a clip whose numbers are compressed too.
function packedMotion(builder, extension, node, mesh, version)
{
	const count = 40;
	const random = numbers(31);
	const turns = Float32Array.from(Array.from({ length: count }, () => unit(take(random, 4).map((v) => v - 0.5))).flat());
	const places = Float32Array.from(take(random, 3 * count).map((value) => value * 50));
	const rotations = builder.packed(
		extension,
		MeshoptEncoder.encodeFilterQuat(turns, count, 8, 16),
		{ type: 'VEC4', componentType: 5122, normalized: true, count },
		{ stride: 8, filter: 'QUATERNION', version },
	);
	const translations = builder.packed(
		extension,
		MeshoptEncoder.encodeFilterExp(places, count, 12, 20),
		{ type: 'VEC3', componentType: 5126, count },
		{ stride: 12, filter: 'EXPONENTIAL', version },
	);
	const attributes = { TRANSLATION: translations, ROTATION: rotations };
	builder.node({ name: 'crowd', mesh, extensions: { EXT_mesh_gpu_instancing: { attributes } } });
	builder.animation('Fly', [
		[node, 'translation', 'LINEAR', Array.from({ length: count }, (_, i) => i / 8), translations],
		[node, 'rotation', 'LINEAR', Array.from({ length: count }, (_, i) => i / 8), rotations],
	]);
}

/// Everything that EXT_meshopt_compression has: version 0 of its attributes, both kinds of indices, three filters.
function meshoptEXT()
{
	const name = 'EXT_meshopt_compression';
	const builder = requires(new GltfBuilder(), name, 'KHR_mesh_quantization', 'EXT_mesh_gpu_instancing');
	const plain = builder.mesh([packedPatch(builder, name, 41, 0, false)]);
	const filtered = builder.mesh([packedPatch(builder, name, 42, 0, true)]);
	builder.node({ name: 'plain', mesh: plain });
	const flown = builder.node({ name: 'filtered', mesh: filtered, translation: [5, 0, 0] });
	packedMotion(builder, name, flown, plain, 0);
	return builder;
}

/// What KHR_meshopt_compression adds: version 1 of its attributes, colours.
function meshoptKHR()
{
	const name = 'KHR_meshopt_compression';
	const builder = requires(new GltfBuilder(), name, 'KHR_mesh_quantization', 'EXT_mesh_gpu_instancing');
	const plain = builder.mesh([packedPatch(builder, name, 43, 1, false)]);
	const filtered = builder.mesh([packedPatch(builder, name, 44, 1, true), packedPatch(builder, name, 45, 0, true)]);
	builder.node({ name: 'plain', mesh: plain });
	const flown = builder.node({ name: 'filtered', mesh: filtered, translation: [5, 0, 0] });
	packedMotion(builder, name, flown, plain, 1);
	return builder;
}

/// Draco meshes of both encodings, quantised and not, of every kind of number; one that is skinned.
function draco()
{
	const builder = requires(new GltfBuilder(), 'KHR_draco_mesh_compression');
	const rows = (source, seed) => [
		['POSITION', 'POSITION', 3, Float32Array.from(source.positions)],
		['NORMAL', 'NORMAL', 3, Float32Array.from(source.normals)],
		['TANGENT', 'GENERIC', 4, Float32Array.from(source.tangents)],
		['TEXCOORD_0', 'TEX_COORD', 2, Float32Array.from(source.uv)],
		['COLOR_0', 'COLOR', 4, Uint8Array.from(take(numbers(seed), 4 * source.count), (value) => value * 255), true],
	];
	const [a, b, c] = [patch(9, 51), patch(6, 52), patch(7, 53)];
	const smooth = builder.draco(a.indices, rows(a, 54), { bits: 14 });
	const plain = builder.draco(b.indices, rows(b, 55), { method: 'MESH_SEQUENTIAL_ENCODING' });
	const bytes = (make) => Uint8Array.from(Array.from({ length: c.count }, (_, i) => make(i)).flat());
	const skinned = builder.draco(
		c.indices,
		[
			...rows(c, 56),
			['JOINTS_0', 'GENERIC', 4, Uint16Array.from(bytes((i) => [i % 2, 1 - (i % 2), 0, 0]))],
			['WEIGHTS_0', 'GENERIC', 4, bytes((i) => [5 * i, 255 - 5 * i, 0, 0]), true],
		],
		{ bits: 12 },
	);
	builder.node({ name: 'smooth', mesh: builder.mesh([smooth, plain]) });
	const tip = builder.node({ name: 'tip', translation: [0, 1, 0], rotation: TURN });
	const base = builder.node({ name: 'base', children: [tip] });
	builder.json.skins = [{ joints: [base, tip] }];
	builder.node({ name: 'skinned', mesh: builder.mesh([skinned]), skin: 0 });
	return builder;
}

/// Write every case into a folder.
export function makeSources(folder)
{
	mkdirSync(folder);
	const all = [
		...[transforms, skins, crowd, mended, morphs, both, clips, accessors, modes, materials, gamma, scenes],
		...[meshoptEXT, meshoptKHR, draco],
	];
	for (const make of all)
	{
		make().write(join(folder, `${make.name}.gltf`));
	}
}

// Builds glTF files from arrays: what made.mjs writes its cases with.

import { writeFileSync } from 'node:fs';
import { dracoEncoder, MeshoptEncoder } from './compression.mjs';

const COMPONENTS = new Map([
	[Int8Array, 5120],
	[Uint8Array, 5121],
	[Int16Array, 5122],
	[Uint16Array, 5123],
	[Uint32Array, 5125],
	[Float32Array, 5126],
]);
const DRACO_NAMES = new Map([
	[Int8Array, 'Int8'],
	[Uint8Array, 'UInt8'],
	[Int16Array, 'Int16'],
	[Uint16Array, 'UInt16'],
	[Float32Array, 'Float'],
]);
const SIZES = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4, MAT4: 16 };

export class GltfBuilder
{
	#chunks = [];
	#size = 0;
	#fallback = 0; // bytes of the buffer that compressed views stand for
	#fallbackName = '';

	constructor()
	{
		this.json = {
			asset: { version: '2.0', generator: 'larder judges' },
			scene: 0,
			scenes: [{ nodes: [] }],
			nodes: [],
			meshes: [],
			accessors: [],
			bufferViews: [],
			buffers: [],
		};
	}

	#view(array, extra)
	{
		const bytes = Buffer.from(array.buffer, array.byteOffset, array.byteLength);
		const padding = Buffer.alloc(-bytes.length & 3);
		this.json.bufferViews.push({ buffer: 0, byteOffset: this.#size, byteLength: bytes.length, ...extra });
		this.#chunks.push(bytes, padding);
		this.#size += bytes.length + padding.length;
		return this.json.bufferViews.length - 1;
	}

	/// An accessor over a view that is compressed by `extension`. elements: the bytes as they are to come out, or, for a
	/// filter, as they are before it. layout: type, componentType, count, normalized, min, max as an accessor has them.
	/// options: stride (bytes an element), mode, filter, version (of the attribute codec), viewStride (the view's own).
	packed(extension, elements, layout, options)
	{
		const { stride, mode = 'ATTRIBUTES', filter = 'NONE', version = 0, viewStride } = options;
		const bytes = new Uint8Array(elements.buffer, elements.byteOffset, elements.byteLength);
		const count = bytes.length / stride;
		const stream = MeshoptEncoder.encodeGltfBuffer(bytes, count, stride, mode, version);
		const encoded = this.json.bufferViews[this.#view(stream, {})];
		this.json.bufferViews.pop();
		const compression = { ...encoded, byteStride: stride, count, mode, ...(filter !== 'NONE' && { filter }) };
		const bufferView =
			this.json.bufferViews.push({
				buffer: 1,
				byteOffset: this.#fallback,
				byteLength: bytes.length,
				...(viewStride && { byteStride: viewStride }),
				extensions: { [extension]: compression },
			}) - 1;
		this.#fallback += (bytes.length + 3) & ~3;
		this.#fallbackName = extension;
		return this.json.accessors.push({ bufferView, ...layout }) - 1;
	}

	/// A primitive of a Draco mesh. attributes: rows of [semantic, Draco's type, components, typed array, normalized];
	/// options: method, bits of positions, normals and texture coordinates (0: as they are), strip.
	draco(indices, attributes, options)
	{
		const { method = 'MESH_EDGEBREAKER_ENCODING', bits = 0, ...extra } = options;
		const count = attributes[0][3].length / attributes[0][2];
		const mesh = new dracoEncoder.Mesh();
		const builder = new dracoEncoder.MeshBuilder();
		const encoder = new dracoEncoder.ExpertEncoder(mesh);
		builder.AddFacesToMesh(mesh, indices.length / 3, Uint32Array.from(indices));
		const ids = attributes.map(([, type, components, array]) =>
			builder[`Add${DRACO_NAMES.get(array.constructor)}Attribute`](
				mesh,
				dracoEncoder[type],
				count,
				components,
				array,
			),
		);
		encoder.SetTrackEncodedProperties(true);
		encoder.SetEncodingMethod(dracoEncoder[method]);
		encoder.SetSpeedOptions(5, 5);
		attributes.forEach(([, , , array], i) =>
			array instanceof Float32Array && bits !== 0 ? encoder.SetAttributeQuantization(ids[i], bits) : undefined,
		);
		const buffer = new dracoEncoder.DracoInt8Array();
		const size = encoder.EncodeToDracoBuffer(false, buffer);
		const stream = Int8Array.from({ length: size }, (_, i) => buffer.GetValue(i));
		const points = encoder.GetNumberOfEncodedPoints();
		const accessor = ([semantic, , components, array, normalized]) =>
			this.json.accessors.push({
				componentType: COMPONENTS.get(array.constructor),
				type: components === 1 ? 'SCALAR' : `VEC${components}`,
				count: points,
				...(normalized && { normalized }),
				...(semantic === 'POSITION' && { min: [-9, -9, -9], max: [9, 9, 9] }), // nobody holds a mesh to them
			}) - 1;
		const named = (make) => Object.fromEntries(attributes.map((row, i) => [row[0], make(row, i)]));
		return {
			attributes: named(accessor),
			indices:
				this.json.accessors.push({
					componentType: 5125,
					type: 'SCALAR',
					count: 3 * encoder.GetNumberOfEncodedFaces(),
				}) - 1,
			extensions: {
				KHR_draco_mesh_compression: {
					bufferView: this.#view(stream, {}),
					attributes: named((_, i) => ids[i]),
				},
			},
			...extra,
		};
	}

	/// An accessor of a typed array's numbers. options: normalized, bounds (min and max), target, stride (bytes an
	/// element, more than it needs).
	accessor(type, array, options = {})
	{
		const size = SIZES[type];
		const count = array.length / size;
		const accessor = { componentType: COMPONENTS.get(array.constructor), type, count };
		const { stride = 0, target } = options;
		const packed = stride === 0 ? array : new array.constructor((count * stride) / array.BYTES_PER_ELEMENT);
		for (let i = 0; stride !== 0 && i < count; i++)
		{
			packed.set(array.subarray(i * size, (i + 1) * size), (i * stride) / array.BYTES_PER_ELEMENT);
		}
		accessor.bufferView = this.#view(packed, { ...(stride && { byteStride: stride }), ...(target && { target }) });
		if (options.normalized)
		{
			accessor.normalized = true;
		}
		if (options.bounds)
		{
			const rows = Array.from({ length: count }, (_, i) => [...array.subarray(i * size, (i + 1) * size)]);
			accessor.min = Array.from({ length: size }, (_, c) => Math.min(...rows.map((row) => row[c])));
			accessor.max = Array.from({ length: size }, (_, c) => Math.max(...rows.map((row) => row[c])));
		}
		return this.json.accessors.push(accessor) - 1;
	}

	/// Replace some elements of an accessor: rows is an array of [index, values].
	sparse(accessor, rows)
	{
		const own = this.json.accessors[accessor];
		const size = SIZES[own.type];
		own.sparse = {
			count: rows.length,
			indices: { bufferView: this.#view(Uint16Array.from(rows.map(([index]) => index))), componentType: 5123 },
			values: { bufferView: this.#view(Float32Array.from(rows.flatMap(([, values]) => values.slice(0, size)))) },
		};
		return accessor;
	}

	position(numbers, options)
	{
		return this.accessor('VEC3', Float32Array.from(numbers), { bounds: true, target: 34962, ...options });
	}

	vertices(type, array, options)
	{
		return this.accessor(type, array, { target: 34962, ...options });
	}

	indices(array)
	{
		return this.accessor('SCALAR', array, { target: 34963 });
	}

	mesh(primitives, extra = {})
	{
		return this.json.meshes.push({ primitives, ...extra }) - 1;
	}

	/// A node; a root of the scene unless it is named as another's child later.
	node(node)
	{
		const index = this.json.nodes.push(node) - 1;
		const roots = this.json.scenes[0].nodes;
		(node.children ?? [])
			.filter((child) => roots.includes(child))
			.forEach((child) => roots.splice(roots.indexOf(child), 1));
		roots.push(index);
		return index;
	}

	/// An animation of [node, path, interpolation, times, output accessor] channels.
	animation(name, channels)
	{
		const samplers = channels.map(([, , interpolation, times, output]) => ({
			input: this.accessor('SCALAR', Float32Array.from(times), { bounds: true }),
			interpolation,
			output,
		}));
		const targets = channels.map(([node, path], sampler) => ({ sampler, target: { node, path } }));
		(this.json.animations ??= []).push({ name, samplers, channels: targets });
	}

	write(path)
	{
		const buffer = Buffer.concat(this.#chunks);
		this.json.buffers = [
			{ byteLength: buffer.length, uri: `data:application/octet-stream;base64,${buffer.toString('base64')}` },
		];
		if (this.#fallback !== 0)
		{
			const extensions = { [this.#fallbackName]: { fallback: true } };
			this.json.buffers.push({ byteLength: this.#fallback, extensions });
		}
		Object.keys(this.json)
			.filter((key) => Array.isArray(this.json[key]) && this.json[key].length === 0)
			.forEach((key) => delete this.json[key]);
		writeFileSync(path, JSON.stringify(this.json));
	}
}

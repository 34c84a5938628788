// Builds glTF files from arrays: what made.mjs writes its cases with.

import { writeFileSync } from 'node:fs';

const COMPONENTS = new Map([
	[Int8Array, 5120],
	[Uint8Array, 5121],
	[Int16Array, 5122],
	[Uint16Array, 5123],
	[Uint32Array, 5125],
	[Float32Array, 5126],
]);
const SIZES = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4, MAT4: 16 };

export class GltfBuilder
{
	#chunks = [];
	#size = 0;

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
		Object.keys(this.json)
			.filter((key) => Array.isArray(this.json[key]) && this.json[key].length === 0)
			.forEach((key) => delete this.json[key]);
		writeFileSync(path, JSON.stringify(this.json));
	}
}

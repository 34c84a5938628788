// BC6H and BC7, decoded a second time: written from the Khronos Data Format Specification 1.3, section 20 ("BPTC
// Compressed Texture Image Formats"), by another hand than larder's decoders, sharing no code with them and not made of
// theirs. Plain rather than fast.

/// Texel i of a partition into two subsets is bit i, into three bits 2i and 2i + 1 (tables "P2" and "P3").
const TWO_SUBSETS = Uint16Array.of(
	...[0xcccc, 0x8888, 0xeeee, 0xecc8, 0xc880, 0xfeec, 0xfec8, 0xec80, 0xc800, 0xffec, 0xfe80, 0xe800, 0xffe8],
	...[0xff00, 0xfff0, 0xf000, 0xf710, 0x008e, 0x7100, 0x08ce, 0x008c, 0x7310, 0x3100, 0x8cce, 0x088c, 0x3110],
	...[0x6666, 0x366c, 0x17e8, 0x0ff0, 0x718e, 0x399c, 0xaaaa, 0xf0f0, 0x5a5a, 0x33cc, 0x3c3c, 0x55aa, 0x9696],
	...[0xa55a, 0x73ce, 0x13c8, 0x324c, 0x3bdc, 0x6996, 0xc33c, 0x9966, 0x0660, 0x0272, 0x04e4, 0x4e40, 0x2720],
	...[0xc936, 0x936c, 0x39c6, 0x639c, 0x9336, 0x9cc6, 0x817e, 0xe718, 0xccf0, 0x0fcc, 0x7744, 0xee22],
);
const THREE_SUBSETS = Uint32Array.of(
	...[0xaa685050, 0x6a5a5040, 0x5a5a4200, 0x5450a0a8, 0xa5a50000, 0xa0a05050, 0x5555a0a0, 0x5a5a5050, 0xaa550000],
	...[0xaa555500, 0xaaaa5500, 0x90909090, 0x94949494, 0xa4a4a4a4, 0xa9a59450, 0x2a0a4250, 0xa5945040, 0x0a425054],
	...[0xa5a5a500, 0x55a0a0a0, 0xa8a85454, 0x6a6a4040, 0xa4a45000, 0x1a1a0500, 0x0050a4a4, 0xaaa59090, 0x14696914],
	...[0x69691400, 0xa08585a0, 0xaa821414, 0x50a4a450, 0x6a5a0200, 0xa9a58000, 0x5090a0a8, 0xa8a09050, 0x24242424],
	...[0x00aa5500, 0x24924924, 0x24499224, 0x50a50a50, 0x500aa550, 0xaaaa4444, 0x66660000, 0xa5a0a5a0, 0x50a050a0],
	...[0x69286928, 0x44aaaa44, 0x66666600, 0xaa444444, 0x54a854a8, 0x95809580, 0x96969600, 0xa85454a8, 0x80959580],
	...[0xaa141414, 0x96960000, 0xaaaa1414, 0xa05050a0, 0xa0a5a5a0, 0x96000000, 0x40804080, 0xa9a8a9a8, 0xaaaaaa44],
	0x2a4a5254,
);

/// The texels, as hexadecimal digits, whose index lacks its highest bit: of the second subset of two, the second and
/// the third of three. That of the first is texel 0.
const ANCHORS = {
	2: ['fffffffffffffffff282288f28228822ff6828ff28222ff66268ff22fffff22f'],
	3: [
		'33ff83ff88666533338f336a588685ff8f356a8ff3f5ffff3f55585a5a8dfc33',
		'f883ff38fffffff8f8f3f8f83f6affa8f3faa89a6f8f3668f3ffffffffff3ff8',
	],
};

/// By bits of an index: how much of the second endpoint it takes, in 64ths.
const WEIGHTS = {
	2: [0, 21, 43, 64],
	3: [0, 9, 18, 27, 37, 46, 55, 64],
	4: [0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64],
};

function mix(low, high, weight)
{
	return (low * (64 - weight) + high * weight + 32) >> 6;
}

function subsetOf(subsets, partition, texel)
{
	return subsets === 1
		? 0
		: subsets === 2
			? (TWO_SUBSETS[partition] >> texel) & 1
			: (THREE_SUBSETS[partition] >>> (2 * texel)) & 3;
}

function isAnchor(subsets, partition, texel)
{
	return texel === 0 || (subsets > 1 && ANCHORS[subsets].some((list) => parseInt(list[partition], 16) === texel));
}

/// A list of the subset and a list of the anchors' bits of every texel, kept for each partition.
const shapes = new Map();
function shapeOf(subsets, partition)
{
	const key = 64 * subsets + partition;
	let shape = shapes.get(key);
	if (shape === undefined)
	{
		const texels = Array.from({ length: 16 }, (_, texel) => texel);
		shape = {
			subset: texels.map((texel) => subsetOf(subsets, partition, texel)),
			short: texels.map((texel) => (isAnchor(subsets, partition, texel) ? 1 : 0)),
		};
		shapes.set(key, shape);
	}
	return shape;
}

/// The 128 bits of a block, taken from the lowest on.
class Bits
{
	words = new Uint32Array(5); // the last one stays 0

	constructor(bytes)
	{
		this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	}

	/// Begin at a byte of the bytes.
	start(offset)
	{
		for (let i = 0; i < 4; i++)
		{
			this.words[i] = this.view.getUint32(offset + 4 * i, true);
		}
		this.at = 0;
		return this;
	}

	/// At most 16 bits.
	take(count)
	{
		const word = this.at >> 5;
		const inside = this.at & 31;
		const above = inside === 0 ? 0 : this.words[word + 1] << (32 - inside);
		this.at += count;
		return ((this.words[word] >>> inside) | above) & ((1 << count) - 1);
	}
}

// BC7.

/// Subsets, bits of: partition, rotation, index selection, colours, alpha; low bits that each endpoint, each subset
/// has; bits of indices, of the second ones (table "Mode-dependent BPTC parameters").
const BC7_MODES = [
	[3, 4, 0, 0, 4, 0, 1, 0, 3, 0],
	[2, 6, 0, 0, 6, 0, 0, 1, 3, 0],
	[3, 6, 0, 0, 5, 0, 0, 0, 2, 0],
	[2, 6, 0, 0, 7, 0, 1, 0, 2, 0],
	[1, 0, 2, 1, 5, 6, 0, 0, 2, 3],
	[1, 0, 2, 0, 7, 8, 0, 0, 2, 2],
	[1, 0, 0, 0, 7, 7, 1, 0, 4, 0],
	[2, 6, 0, 0, 5, 5, 1, 0, 2, 0],
].map(([subsets, partition, rotation, selection, color, alpha, endpointBit, subsetBit, index, second]) => ({
	subsets,
	partition,
	rotation,
	selection,
	color,
	alpha,
	endpointBit,
	subsetBit,
	index,
	second,
}));

/// To 8 bits, the highest ones repeated below.
function widen(value, bits)
{
	const shifted = value << (8 - bits);
	return shifted | (shifted >> bits);
}

/// Four channels of each endpoint, two endpoints a subset, widened.
function takeEndpoints(bits, mode, endpoints)
{
	const count = 2 * mode.subsets;
	const channels = mode.alpha === 0 ? 3 : 4;
	for (let channel = 0; channel < 4; channel++)
	{
		for (let e = 0; e < count; e++)
		{
			const size = channel === 3 ? mode.alpha : mode.color;
			endpoints[4 * e + channel] = channel < channels ? bits.take(size) : 255;
		}
	}
	let lowBit = 0;
	for (let e = 0; e < count; e++)
	{
		const more = mode.endpointBit + mode.subsetBit;
		lowBit = mode.endpointBit !== 0 || (mode.subsetBit !== 0 && e % 2 === 0) ? bits.take(1) : lowBit;
		for (let channel = 0; channel < channels; channel++)
		{
			const size = (channel === 3 ? mode.alpha : mode.color) + more;
			endpoints[4 * e + channel] = widen((endpoints[4 * e + channel] << more) | lowBit, size);
		}
	}
}

const bc7Endpoints = new Int32Array(24);
const bc7Indices = new Int32Array(16);
const bc7Seconds = new Int32Array(16);

function takeIndices(bits, size, shape, indices)
{
	for (let i = 0; i < 16; i++)
	{
		indices[i] = bits.take(size - shape.short[i]);
	}
}

function decodeBc7(bits, texels)
{
	let number = 0;
	while (number < 8 && bits.take(1) === 0)
	{
		number++;
	}
	if (number === 8)
	{
		texels.fill(0); // reserved
		return;
	}
	const mode = BC7_MODES[number];
	const shape = shapeOf(mode.subsets, bits.take(mode.partition));
	const rotation = bits.take(mode.rotation);
	const selection = bits.take(mode.selection);
	takeEndpoints(bits, mode, bc7Endpoints);
	takeIndices(bits, mode.index, shape, bc7Indices);
	mode.second !== 0 && takeIndices(bits, mode.second, shape, bc7Seconds);
	const seconds = mode.second === 0 ? bc7Indices : bc7Seconds;
	const firstWeights = WEIGHTS[mode.index];
	const secondWeights = mode.second === 0 ? firstWeights : WEIGHTS[mode.second];
	for (let i = 0; i < 16; i++)
	{
		const pair = 8 * shape.subset[i];
		const first = firstWeights[bc7Indices[i]];
		const second = secondWeights[seconds[i]];
		for (let c = 0; c < 4; c++)
		{
			const weight = (c === 3) === (selection === 0) ? second : first;
			texels[4 * i + c] = mix(bc7Endpoints[pair + c], bc7Endpoints[pair + 4 + c], weight);
		}
		if (rotation !== 0)
		{
			const alpha = texels[4 * i + 3];
			texels[4 * i + 3] = texels[4 * i + rotation - 1];
			texels[4 * i + rotation - 1] = alpha;
		}
	}
}

// BC6H.

/// By the mode's bits: bits of the endpoint w, bits of the differences in red, green, blue (0: x is no difference),
/// and what follows the mode, as the specification lists it: r, g, b of the endpoints w, x, y, z, with the bits from
/// the one that is stored last to the one that is stored first (tables "Interpretation of BC6H mode").
const BC6H_MODES = {
	0b00: [10, [5, 5, 5],
		'gy4 by4 bz4 rw9:0 gw9:0 bw9:0 rx4:0 gz4 gy3:0 gx4:0 bz0 gz3:0 bx4:0 bz1 by3:0 ry4:0 bz2 rz4:0 bz3'],
	0b01: [7, [6, 6, 6],
		'gy5 gz4 gz5 rw6:0 bz0 bz1 by4 gw6:0 by5 bz2 gy4 bw6:0 bz3 bz5 bz4 rx5:0 gy3:0 gx5:0 gz3:0 bx5:0 by3:0 ry5:0 rz5:0'],
	0b00010: [11, [5, 4, 4],
		'rw9:0 gw9:0 bw9:0 rx4:0 rw10 gy3:0 gx3:0 gw10 bz0 gz3:0 bx3:0 bw10 bz1 by3:0 ry4:0 bz2 rz4:0 bz3'],
	0b00110: [11, [4, 5, 4],
		'rw9:0 gw9:0 bw9:0 rx3:0 rw10 gz4 gy3:0 gx4:0 gw10 gz3:0 bx3:0 bw10 bz1 by3:0 ry3:0 bz0 bz2 rz3:0 gy4 bz3'],
	0b01010: [11, [4, 4, 5],
		'rw9:0 gw9:0 bw9:0 rx3:0 rw10 by4 gy3:0 gx3:0 gw10 bz0 gz3:0 bx4:0 bw10 by3:0 ry3:0 bz1 bz2 rz3:0 bz4 bz3'],
	0b01110: [9, [5, 5, 5],
		'rw8:0 by4 gw8:0 gy4 bw8:0 bz4 rx4:0 gz4 gy3:0 gx4:0 bz0 gz3:0 bx4:0 bz1 by3:0 ry4:0 bz2 rz4:0 bz3'],
	0b10010: [8, [6, 5, 5],
		'rw7:0 gz4 by4 gw7:0 bz2 gy4 bw7:0 bz3 bz4 rx5:0 gy3:0 gx4:0 bz0 gz3:0 bx4:0 bz1 by3:0 ry5:0 rz5:0'],
	0b10110: [8, [5, 6, 5],
		'rw7:0 bz0 by4 gw7:0 gy5 gy4 bw7:0 gz5 bz4 rx4:0 gz4 gy3:0 gx5:0 gz3:0 bx4:0 bz1 by3:0 ry4:0 bz2 rz4:0 bz3'],
	0b11010: [8, [5, 5, 6],
		'rw7:0 bz1 by4 gw7:0 by5 gy4 bw7:0 bz5 bz4 rx4:0 gz4 gy3:0 gx4:0 bz0 gz3:0 bx5:0 by3:0 ry4:0 bz2 rz4:0 bz3'],
	0b11110: [6, [0, 0, 0],
		'rw5:0 gz4 bz0 bz1 by4 gw5:0 gy5 by5 bz2 gy4 bw5:0 gz5 bz3 bz5 bz4 rx5:0 gy3:0 gx5:0 gz3:0 bx5:0 by3:0 ry5:0 rz5:0'],
	0b00011: [10, [0, 0, 0], 'rw9:0 gw9:0 bw9:0 rx9:0 gx9:0 bx9:0'],
	0b00111: [11, [9, 9, 9], 'rw9:0 gw9:0 bw9:0 rx8:0 rw10 gx8:0 gw10 bx8:0 bw10'],
	0b01011: [12, [8, 8, 8], 'rw9:0 gw9:0 bw9:0 rx7:0 rw10:11 gx7:0 gw10:11 bx7:0 bw10:11'],
	0b01111: [16, [4, 4, 4], 'rw9:0 gw9:0 bw9:0 rx3:0 rw10:15 gx3:0 gw10:15 bx3:0 bw10:15'],
};

/// Every bit in the order of the block as [endpoint, channel, bit].
function layoutOf(text)
{
	return text.split(' ').flatMap((field) =>
	{
		const [last, first = last] = field.slice(2).split(':').map(Number);
		const step = last >= first ? 1 : -1;
		return Array.from({ length: Math.abs(last - first) + 1 }, (_, i) => [
			'wxyz'.indexOf(field[1]),
			'rgb'.indexOf(field[0]),
			first + i * step,
		]);
	});
}

const bc6hModes = new Map(
	Object.entries(BC6H_MODES).map(([code, [bits, differences, text]]) => [
		Number(code),
		{ bits, differences, layout: layoutOf(text), subsets: text.includes('ry') ? 2 : 1 },
	]),
);

function signExtend(value, bits)
{
	return (value << (32 - bits)) >> (32 - bits);
}

/// An endpoint to the range that is interpolated in.
function unquantize(value, bits, signed)
{
	if (!signed)
	{
		return bits >= 15 || value === 0 ? value : value === 2 ** bits - 1 ? 0xffff : ((value << 16) + 0x8000) >> bits;
	}
	const size = Math.abs(value);
	const wide =
		bits >= 16 || size === 0 ? size : size >= 2 ** (bits - 1) - 1 ? 0x7fff : ((size << 15) + 0x4000) >> (bits - 1);
	return value < 0 ? -wide : wide;
}

/// The bits of the half float that an interpolated value stands for.
function finish(value, signed)
{
	if (!signed)
	{
		return (value * 31) >> 6;
	}
	return value < 0 ? 0x8000 | ((-value * 31) >> 5) : (value * 31) >> 5;
}

function takeEndpoints6(bits, mode, signed)
{
	const endpoints = Array.from({ length: 2 * mode.subsets }, () => [0, 0, 0]);
	mode.layout.forEach(([endpoint, channel, bit]) => (endpoints[endpoint][channel] |= bits.take(1) << bit));
	for (let c = 0; c < 3; c++)
	{
		const size = mode.differences[c];
		endpoints.forEach((endpoint, e) =>
		{
			if (e > 0 && size !== 0)
			{
				endpoint[c] = (endpoints[0][c] + signExtend(endpoint[c], size)) & (2 ** mode.bits - 1);
			}
		});
	}
	return endpoints.map((endpoint) =>
		endpoint.map((value) => unquantize(signed ? signExtend(value, mode.bits) : value, mode.bits, signed)),
	);
}

function decodeBc6h(bits, halves, signed)
{
	let code = bits.take(2);
	code = code < 2 ? code : code | (bits.take(3) << 2);
	const mode = bc6hModes.get(code);
	if (mode === undefined)
	{
		halves.forEach((_, i) => (halves[i] = i % 4 === 3 ? 0x3c00 : 0)); // reserved
		return;
	}
	const endpoints = takeEndpoints6(bits, mode, signed);
	const shape = shapeOf(mode.subsets, mode.subsets === 2 ? bits.take(5) : 0);
	const size = mode.subsets === 2 ? 3 : 4;
	for (let i = 0; i < 16; i++)
	{
		const weight = WEIGHTS[size][bits.take(size - shape.short[i])];
		const low = endpoints[2 * shape.subset[i]];
		const high = endpoints[2 * shape.subset[i] + 1];
		for (let c = 0; c < 3; c++)
		{
			halves[4 * i + c] = finish(mix(low[c], high[c], weight), signed);
		}
		halves[4 * i + 3] = 0x3c00;
	}
}

/// A decoder of blocks of 16 bytes: (bytes, offset, texels) fills 16 RGBA texels, of 8 bits, or for BC6H the bits of
/// half floats.
export function bc7Decoder(bytes)
{
	const bits = new Bits(bytes);
	return (offset, texels) => decodeBc7(bits.start(offset), texels);
}

export function bc6hDecoder(bytes, signed)
{
	const bits = new Bits(bytes);
	return (offset, texels) => decodeBc6h(bits.start(offset), texels, signed);
}

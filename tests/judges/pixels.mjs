// Pixels worked out a second time: images decoded by other decoders, and mip levels filtered by the plainest code that
// does what larder's documentation says, in double precision: a windowed sinc or a box, exact for odd sizes, each level
// of the unrounded one before; linear light; alpha-weighted colours; unit normals.

import jpeg from 'jpeg-js';
import { PNG } from 'pngjs';

/// Decode to RGBA8: { width, height, data, exact }; null for what can't be judged here (16-bit, other formats).
/// `exact`: another decoder must give the same bytes.
export function decodeImage(bytes)
{
	const buffer = Buffer.from(bytes);
	if (buffer.length > 26 && buffer.readUInt32BE(0) === 0x89504e47)
	{
		return buffer[24] === 16 ? null : { ...PNG.sync.read(buffer), exact: true };
	}
	if (buffer.length > 3 && buffer.readUInt16BE(0) === 0xffd8)
	{
		return {
			...jpeg.decode(buffer, { useTArray: true, formatAsRGBA: true, maxMemoryUsageInMB: 1024 }),
			exact: false,
		};
	}
	return null;
}

function toLinear(code)
{
	const value = code / 255;
	return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}

function fromLinear(value)
{
	return value <= 0.0031308 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055;
}

const LINEAR = Float64Array.from({ length: 256 }, (_, code) => toLinear(code));

/// The modified Bessel function of the first kind, order 0: the sum of ((x/2)^k / k!)^2.
function besselI0(x)
{
	let sum = 1;
	for (let k = 1, power = x / 2; power * power > 1e-20 * sum; k++, power *= x / 2 / k)
	{
		sum += power * power;
	}
	return sum;
}

// Of the sinc's window: a Kaiser window, this many texels of the level that is made to each side.
const KAISER_ALPHA = 4;
const SINC_LOBES = 3;

/// How much a texel counts whose middle is so many texels of the level that is made away.
function windowedSinc(distance)
{
	const place = distance / SINC_LOBES;
	if (Math.abs(place) >= 1)
	{
		return 0;
	}
	const angle = Math.PI * distance;
	return (angle === 0 ? 1 : Math.sin(angle) / angle) * besselI0(KAISER_ALPHA * Math.sqrt(1 - place * place));
}

/// The texel that a sampler finds at an index past an edge.
const WRAPS = {
	repeat: (index, size) => ((index % size) + size) % size,
	clamp: (index, size) => Math.min(Math.max(index, 0), size - 1),
	mirror: (index, size) =>
	{
		const place = ((index % (2 * size)) + 2 * size) % (2 * size);
		return place < size ? place : 2 * size - 1 - place;
	},
};

/// How an axis of `size` texels is halved: for each texel of the next level which ones it takes, and their weights,
/// which sum to 1.
function halvingTaps(size, filter, wrap)
{
	if (size === 1)
	{
		return [{ texels: [0], weights: [1] }];
	}
	const next = size >> 1;
	const ratio = size / next;
	const reach = filter === 'sinc' ? SINC_LOBES * ratio : ratio / 2;
	return Array.from({ length: next }, (_, index) =>
	{
		const middle = (index + 0.5) * ratio;
		const texels = [];
		const weights = [];
		for (let texel = Math.floor(middle - reach); texel < middle + reach; texel++)
		{
			const weight =
				filter === 'sinc'
					? windowedSinc((texel + 0.5 - middle) / ratio)
					: Math.min(texel + 1, middle + reach) - Math.max(texel, middle - reach); // what they share
			if (Math.abs(weight) > 1e-12)
			{
				texels.push(WRAPS[wrap](texel, size));
				weights.push(weight);
			}
		}
		const sum = weights.reduce((total, weight) => total + weight, 0);
		return { texels, weights: weights.map((weight) => weight / sum) };
	});
}

function load(image, content, weighted)
{
	const texels = new Float64Array(image.data.length);
	for (let i = 0; i < texels.length; i += 4)
	{
		const alpha = image.data[i + 3] / 255;
		for (let c = 0; c < 3; c++)
		{
			const code = image.data[i + c];
			const value = content === 'color' ? LINEAR[code] : content === 'normal' ? (code / 255) * 2 - 1 : code / 255;
			texels[i + c] = weighted ? value * Math.max(alpha, 1e-12) : value;
		}
		texels[i + 3] = weighted ? Math.max(alpha, 1e-12) : alpha;
	}
	return { width: image.width, height: image.height, texels };
}

/// One axis halved. Texels along it lie `step` numbers apart, lines of it start at `lines`.
function halveAxis(from, taps, step, lines, toStep, toLines, to)
{
	taps.forEach(({ texels, weights }, index) =>
	{
		for (let line = 0; line < lines.length; line++)
		{
			const at = toLines[line] + index * toStep;
			for (let c = 0; c < 4; c++)
			{
				let sum = 0;
				for (let tap = 0; tap < texels.length; tap++)
				{
					sum += from[lines[line] + texels[tap] * step + c] * weights[tap];
				}
				to[at + c] = sum;
			}
		}
	});
	return to;
}

const multiples = (count, of) => Int32Array.from({ length: count }, (_, i) => i * of);

function halve({ width, height, texels }, { filter, wrapU, wrapV })
{
	const next = { width: Math.max(1, width >> 1), height: Math.max(1, height >> 1) };
	const low = halveAxis(
		texels,
		halvingTaps(height, filter, wrapV),
		4 * width,
		multiples(width, 4),
		4 * width,
		multiples(width, 4),
		new Float64Array(4 * width * next.height),
	);
	next.texels = halveAxis(
		low,
		halvingTaps(width, filter, wrapU),
		4,
		multiples(next.height, 4 * width),
		4,
		multiples(next.height, 4 * next.width),
		new Float64Array(4 * next.width * next.height),
	);
	return next;
}

const clampToUnit = (value) => Math.min(Math.max(value, 0), 1); // a sinc leaves it beside edges

function store({ texels }, content, weighted)
{
	const codes = new Float64Array(texels.length);
	for (let i = 0; i < texels.length; i += 4)
	{
		const colors = [texels[i], texels[i + 1], texels[i + 2]].map((value) =>
			weighted ? value / texels[i + 3] : value,
		);
		const length = content === 'normal' ? Math.hypot(...colors) : 1;
		for (let c = 0; c < 3; c++)
		{
			const value =
				content === 'color'
					? fromLinear(clampToUnit(colors[c]))
					: content === 'normal'
						? colors[c] / length / 2 + 0.5
						: colors[c];
			codes[i + c] = length > 1e-6 ? value * 255 : NaN; // NaN: opposite normals, which leave no direction
		}
		codes[i + 3] = clampToUnit(texels[i + 3]) * 255;
	}
	return codes;
}

/// Every further level of an image as unrounded 8-bit codes. content: 'color', 'data' or 'normal'; filter: 'sinc' or
/// 'box'; wraps: 'repeat', 'clamp' or 'mirror'.
export function* mipCodes(image, { content, weighted, filter, wrapU = 'repeat', wrapV = 'repeat' })
{
	let level = load(image, content, weighted);
	while (level.width > 1 || level.height > 1)
	{
		level = halve(level, { filter, wrapU, wrapV });
		yield { width: level.width, height: level.height, codes: store(level, content, weighted) };
	}
}

// Pixels worked out a second time: images decoded by other decoders, and mip levels filtered by the plainest code that
// does what larder's documentation says (box filter in linear light, exact for odd sizes; alpha-weighted colours; unit
// normals).

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

/// What texel `index` of the next level takes of `size` texels: [texel, weight] pairs.
function taps(size, index)
{
	if (size === 1)
	{
		return [[0, 1]];
	}
	if (size % 2 === 0)
	{
		return [
			[2 * index, 0.5],
			[2 * index + 1, 0.5],
		];
	}
	const half = (size - 1) / 2; // 2 half + 1 texels into half: each takes size / half of them, and slides
	return [
		[2 * index, (half - index) / size],
		[2 * index + 1, half / size],
		[2 * index + 2, (index + 1) / size],
	];
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

function halve({ width, height, texels })
{
	const next = { width: Math.max(1, width >> 1), height: Math.max(1, height >> 1) };
	next.texels = new Float64Array(4 * next.width * next.height);
	const columns = Array.from({ length: next.width }, (_, x) => taps(width, x));
	for (let y = 0; y < next.height; y++)
	{
		for (const [row, rowWeight] of taps(height, y))
		{
			for (let x = 0; x < next.width; x++)
			{
				for (const [column, columnWeight] of columns[x])
				{
					const weight = rowWeight * columnWeight;
					const from = 4 * (row * width + column);
					const to = 4 * (y * next.width + x);
					for (let c = 0; c < 4; c++)
					{
						next.texels[to + c] += texels[from + c] * weight;
					}
				}
			}
		}
	}
	return next;
}

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
					? fromLinear(colors[c])
					: content === 'normal'
						? colors[c] / length / 2 + 0.5
						: colors[c];
			codes[i + c] = length > 1e-6 ? value * 255 : NaN; // NaN: opposite normals, which leave no direction
		}
		codes[i + 3] = texels[i + 3] * 255;
	}
	return codes;
}

/// Every further level of an image as unrounded 8-bit codes. content: 'color', 'data' or 'normal'.
export function* mipCodes(image, content, weighted)
{
	let level = load(image, content, weighted);
	while (level.width > 1 || level.height > 1)
	{
		level = halve(level);
		yield { width: level.width, height: level.height, codes: store(level, content, weighted) };
	}
}

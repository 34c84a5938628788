// Block formats decoded by others: colours of BC1 and BC3 by the npm package decode-dxt, ASTC by Arm's own astcenc
// (from the npm package @gpu-tex-enc/astc), and the rest by a second implementation: BC3's alpha, which decode-dxt
// rounds down, BC4 and BC5 here (Khronos Data Format Specification 1.3, section 19, "RGTC Compressed Texture Image Formats"),
// BC6H and BC7 in bptc.mjs.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import decodeDxt from 'decode-dxt';
import { PNG } from 'pngjs';
import { bc6hDecoder, bc7Decoder } from './bptc.mjs';

const ASTCENC = join(
	createRequire(import.meta.url).resolve('@gpu-tex-enc/astc/package.json'),
	'../bin/linux-x64/astcenc-sse2',
);

/// There is a decoder of ASTC that runs on this machine.
export const hasAstcenc = process.platform === 'linux' && process.arch === 'x64' && existsSync(ASTCENC);

/// Texels out of a picture of whole blocks, `wide` texels a row.
function crop(texels, wide, width, height)
{
	const cropped = texels.slice(0, 4 * width * height);
	for (let y = 0; y < height; y++)
	{
		cropped.set(texels.subarray(4 * y * wide, 4 * (y * wide + width)), 4 * y * width);
	}
	return cropped;
}

/// Blocks of 4 x 4, each decoded to 16 RGBA texels.
function decodeEach(width, height, blockBytes, texels, decode)
{
	const across = Math.ceil(width / 4);
	const down = Math.ceil(height / 4);
	const block = texels.slice(0, 64);
	const whole = new texels.constructor(64 * across * down);
	for (let i = 0; i < across * down; i++)
	{
		decode(blockBytes * i, block);
		const corner = 16 * ((Math.floor(i / across) * 4 * across) + (i % across));
		for (let y = 0; y < 4; y++)
		{
			whole.set(block.subarray(16 * y, 16 * y + 16), corner + 16 * across * y);
		}
	}
	return crop(whole, 4 * across, width, height);
}

/// One channel of BC4 and BC5: unrounded codes, 0 to 255.
function decodeChannel(data, offset, texels, channel)
{
	const [low, high] = [data[offset], data[offset + 1]];
	const steps = low > high ? 7 : 5;
	let bits = 0n;
	for (let i = 7; i >= 2; i--)
	{
		bits = (bits << 8n) | BigInt(data[offset + i]);
	}
	for (let i = 0; i < 16; i++)
	{
		const code = Number((bits >> BigInt(3 * i)) & 7n);
		const step = code - 1;
		texels[4 * i + channel] =
			code < 2
				? data[offset + code]
				: step < steps
					? (low * (steps - step) + high * step) / steps
					: code === 6
						? 0
						: 255;
	}
}

function decodeRgtc(data, width, height, channels)
{
	const texels = new Float64Array(Math.max(64, 4 * width * height));
	return decodeEach(width, height, 8 * channels, texels, (offset, block) =>
	{
		block.fill(0);
		for (let channel = 0; channel < channels; channel++)
		{
			decodeChannel(data, offset + 8 * channel, block, channel);
		}
		for (let i = 3; i < 64; i += 4)
		{
			block[i] = 255;
		}
	});
}

/// BC3's alpha is coded as BC4 is.
function decodeBc3(data, width, height)
{
	const texels = decodeS3tc(data, width, height, 'dxt5');
	const room = new Float64Array(Math.max(64, texels.length));
	const alphas = decodeEach(width, height, 16, room, (offset, block) => decodeChannel(data, offset, block, 3));
	return texels.map((code, i) => (i % 4 === 3 ? Math.round(alphas[i]) : code));
}

function decodeS3tc(data, width, height, name)
{
	const [wide, high] = [width, height].map((side) => 4 * Math.ceil(side / 4));
	const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
	return crop(new Uint8Array(decodeDxt(view, wide, high, name)), wide, width, height);
}

export function floatOfHalf(half)
{
	const exponent = (half >> 10) & 31;
	const fraction = half & 1023;
	const size =
		exponent === 0 ? fraction * 2 ** -24 : exponent === 31 ? NaN : (1 + fraction / 1024) * 2 ** (exponent - 15);
	return half & 0x8000 ? -size : size;
}

// In astcenc's KTX files, by the header's "glFormat": which of a texel's channels red, green, blue, alpha are, as few
// as the picture needs. 4: one.
const KTX1_CHANNELS = { 0x1903: [0, 0, 0, 4], 0x8227: [0, 0, 0, 1], 0x1907: [0, 1, 2, 4], 0x1908: [0, 1, 2, 3] };
const HALF_ONE = 0x3c00;
const GL_HALF_FLOAT = 0x140b;

/// RGBA half floats of a KTX 1 file without mips: a header of 64 bytes, keys, the level's size, rows padded to 4 bytes.
function texelsOfKtx1(bytes, width, height)
{
	const channels = KTX1_CHANNELS[bytes.readUInt32LE(24)];
	if (bytes.readUInt32LE(16) !== GL_HALF_FLOAT || channels === undefined)
	{
		throw new Error('astcenc gave no half floats');
	}
	const count = 1 + Math.max(...channels.filter((channel) => channel < 4));
	const stride = Math.ceil((2 * count * width) / 4) * 4;
	const start = 64 + bytes.readUInt32LE(60) + 4;
	return Uint16Array.from({ length: 4 * width * height }, (_, i) =>
	{
		const channel = channels[i % 4];
		const [x, y] = [(i >> 2) % width, Math.floor((i >> 2) / width)];
		return channel === 4 ? HALF_ONE : bytes.readUInt16LE(start + stride * y + 2 * (count * x + channel));
	});
}

/// profile: 's' sRGB, 'H' HDR, which reads blocks of numbers within 0 to 1 too: as "linear", astcenc would decode them in
/// the mode "decode_unorm8", which is not what a GPU does unless asked.
function decodeAstc(data, width, height, side, profile)
{
	const folder = mkdtempSync(join(tmpdir(), 'larder-astc-'));
	try
	{
		const input = join(folder, 'in.astc');
		const output = join(folder, profile === 's' ? 'out.png' : 'out.ktx');
		const header = Buffer.alloc(16);
		header.writeUInt32LE(0x5ca1ab13, 0);
		[side, side, 1].forEach((extent, i) => header.writeUInt8(extent, 4 + i));
		[width, height, 1].forEach((extent, i) => header.writeUIntLE(extent, 7 + 3 * i, 3));
		writeFileSync(input, Buffer.concat([header, data]));
		const args = [`-d${profile}`, input, output, '-j', '1', '-silent'];
		const result = spawnSync(ASTCENC, args, { encoding: 'utf8' });
		if (result.status !== 0)
		{
			throw new Error(`astcenc: ${result.error?.message ?? result.stdout + result.stderr}`);
		}
		const bytes = readFileSync(output);
		return profile === 's' ? new Uint8Array(PNG.sync.read(bytes).data) : texelsOfKtx1(bytes, width, height);
	}
	finally
	{
		rmSync(folder, { recursive: true, force: true });
	}
}

const eights = (decoder) => (data, width, height) =>
	decodeEach(width, height, 16, new Uint8Array(Math.max(64, 4 * width * height)), decoder(data));
const halves = (signed) => (data, width, height) =>
	decodeEach(width, height, 16, new Uint16Array(Math.max(64, 4 * width * height)), bc6hDecoder(data, signed));

function makeDecoders()
{
	const decoders = new Map();
	const add = (formats, decode) => formats.forEach((format) => decoders.set(format, decode));
	add([131, 132, 133, 134], (...args) => decodeS3tc(...args, 'dxt1'));
	add([137, 138], decodeBc3);
	add([139], (...args) => decodeRgtc(...args, 1));
	add([141], (...args) => decodeRgtc(...args, 2));
	add([143], halves(false));
	add([144], halves(true));
	add([145, 146], eights(bc7Decoder));
	[
		[157, 4, 1000066000],
		[161, 5, 1000066002],
		[165, 6, 1000066004],
		[171, 8, 1000066007],
	].forEach(([unorm, side, float]) =>
	{
		add([unorm], (...args) => Float64Array.from(decodeAstc(...args, side, 'H'), (half) => 255 * floatOfHalf(half)));
		add([unorm + 1], (...args) => decodeAstc(...args, side, 's'));
		add([float], (...args) => decodeAstc(...args, side, 'H'));
	});
	return decoders;
}

const DECODERS = makeDecoders();

export function isAstc(format)
{
	return (format >= 157 && format <= 184) || (format >= 1000066000 && format <= 1000066013);
}

/// Texels of blocks of a VkFormat as RGBA: a Uint8Array, for BC4, BC5 and linear ASTC a Float64Array of unrounded
/// codes of 8 bits, for float formats the bits of half floats in a Uint16Array. Texels as they are when there are no blocks.
export function decodeBlocks(format, data, width, height)
{
	if (format === 37 || format === 43)
	{
		return data;
	}
	if (format === 97)
	{
		return new Uint16Array(data.slice().buffer);
	}
	const decode = DECODERS.get(format);
	if (decode === undefined)
	{
		throw new Error(`no judge decodes format ${format}`);
	}
	return decode(data, width, height);
}

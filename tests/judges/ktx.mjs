// Textures: the npm package ktx-parse reads every .ktx2 that larder writes and sees what larder says of it; the bytes
// lie where KTX 2.0 wants them; and the pixels are those of the source, with the mips that one gets by filtering them
// anew.

import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { read } from 'ktx-parse';
import { decodeImage, mipCodes } from './pixels.mjs';
import { readReference, slotsOf } from './reference.mjs';
import { filesBelow } from './trees.mjs';
import { expectEqual } from './verdicts.mjs';

const RGBA8_UNORM = 37;
const RGBA8_SRGB = 43;
const TRANSFER_LINEAR = 1;
const TRANSFER_SRGB = 2;

const SIGNED = 0x40;
const FLOAT = 0x80;
const ALPHA = 15;
const ALPHA_IS_LINEAR = 0x1f; // channel 15 with the qualifier "linear", which sRGB formats have on their alpha

const MODELS = { RGBSDA: 1, BC1: 128, BC3: 130, BC4: 131, BC5: 132, BC6H: 133, BC7: 134, ASTC: 162 };

/// What a descriptor must say of texels: the same bits for each of some channels.
function texels(count, bits, srgb, qualifiers = 0)
{
	const channels = [0, 1, 2, srgb ? ALPHA_IS_LINEAR : ALPHA].slice(0, count);
	return {
		model: MODELS.RGBSDA,
		extent: [1, 1],
		bytes: (count * bits) / 8,
		samples: channels.map((channel, i) => [i * bits, bits, channel | qualifiers]),
		srgb,
	};
}

/// What it must say of blocks; samples as [bits, channel].
function blocks(model, extent, samples, srgb = false)
{
	let offset = 0;
	const laid = samples.map(([bits, channel]) => [(offset += bits) - bits, bits, channel]);
	return { model: MODELS[model], extent, bytes: offset / 8, samples: laid, srgb };
}

/// The formats that larder writes, by VkFormat (Khronos Data Format Specification 1.3, "Compressed formats").
function formatRules()
{
	const rules = new Map();
	[
		[9, 1],
		[16, 2],
		[37, 4],
	].forEach(([format, count]) => rules.set(format, texels(count, 8, false)));
	rules.set(15, texels(1, 8, true)).set(43, texels(4, 8, true)).set(17, texels(2, 8, false, SIGNED));
	[
		[70, 1],
		[77, 2],
		[91, 4],
	].forEach(([format, count]) => rules.set(format, texels(count, 16, false)));
	[
		[76, 1, 16],
		[83, 2, 16],
		[97, 4, 16],
		[100, 1, 32],
		[103, 2, 32],
		[109, 4, 32],
	].forEach(([format, count, bits]) => rules.set(format, texels(count, bits, false, SIGNED | FLOAT)));
	for (const srgb of [false, true])
	{
		const next = srgb ? 1 : 0;
		const alpha = srgb ? ALPHA_IS_LINEAR : ALPHA;
		rules.set(131 + next, blocks('BC1', [4, 4], [[64, 0]], srgb));
		rules.set(133 + next, blocks('BC1', [4, 4], [[64, 1]], srgb)); // channel 1: with punch-through alpha
		rules.set(137 + next, blocks('BC3', [4, 4], [[64, alpha], [64, 0]], srgb));
		rules.set(145 + next, blocks('BC7', [4, 4], [[128, 0]], srgb));
		[
			[157, 4],
			[161, 5],
			[165, 6],
			[171, 8],
		].forEach(([format, side]) => rules.set(format + next, blocks('ASTC', [side, side], [[128, 0]], srgb)));
	}
	rules.set(139, blocks('BC4', [4, 4], [[64, 0]])).set(140, blocks('BC4', [4, 4], [[64, SIGNED]]));
	rules.set(141, blocks('BC5', [4, 4], [[64, 0], [64, 1]]));
	rules.set(142, blocks('BC5', [4, 4], [[64, SIGNED], [64, 1 | SIGNED]]));
	rules.set(143, blocks('BC6H', [4, 4], [[128, FLOAT]])).set(144, blocks('BC6H', [4, 4], [[128, FLOAT | SIGNED]]));
	[
		[1000066000, 4],
		[1000066002, 5],
		[1000066004, 6],
		[1000066007, 8],
	].forEach(([format, side]) => rules.set(format, blocks('ASTC', [side, side], [[128, FLOAT | SIGNED]])));
	return rules;
}

const FORMATS = formatRules();

// What an 8-bit code of a level may differ by from the exact value: half for rounding, and what f32 and look-up tables
// leave.
const CODE_TOLERANCE = 0.6;

// JPEG decoders differ in their inverse transforms and in how they widen chroma, so: luma, on the average, not byte for
// byte.
const JPEG_MEAN_TOLERANCE = 1.5;

const SCHEMES = ['none', 'basis_lz', 'zstd', 'zlib'];

const COLOR_SLOTS = new Set(['base_color', 'emissive', 'sheen_color', 'specular_color']);
const ALPHA_SLOTS = new Set(['sheen_roughness', 'specular']); // read alpha as data
const NORMAL_SLOTS = new Set(['normal', 'clearcoat_normal']);

// Of glTF's samplers.
const WRAP_NAMES = { 10497: 'repeat', 33071: 'clamp', 33648: 'mirror' };

function contentOf(slot)
{
	return COLOR_SLOTS.has(slot) ? 'color' : NORMAL_SLOTS.has(slot) ? 'normal' : 'data';
}

function leastCommonMultipleWith4(bytes)
{
	let multiple = bytes;
	while (multiple % 4 !== 0)
	{
		multiple += bytes;
	}
	return multiple;
}

/// Section 3.9.7 of KTX 2.0: levels lie smallest first, each at a multiple of the least common multiple of 4 and the
/// block's size, or one behind the other under supercompression.
function judgeLayout(bytes, texture, rule, complaints)
{
	const alignment = texture.supercompressionScheme === 0 ? leastCommonMultipleWith4(rule.bytes) : 1;
	let end = 0;
	for (let level = texture.levels.length - 1; level >= 0; level--)
	{
		const entry = 80 + 24 * level;
		const offset = Number(bytes.readBigUInt64LE(entry));
		const size = Number(bytes.readBigUInt64LE(entry + 8));
		if (
			offset % alignment !== 0 ||
			offset < end ||
			offset + size > bytes.length ||
			(end !== 0 && offset - end >= alignment)
		)
		{
			complaints.push(`level ${level} lies at ${offset}, the one before it in the file ends at ${end}`);
		}
		end = offset + size;
	}
	expectEqual(complaints, 'the end of level 0', end, bytes.length);
}

function judgeDescriptor(texture, rule, info, complaints)
{
	const descriptor = texture.dataFormatDescriptor[0];
	expectEqual(complaints, 'srgb', info.srgb, rule.srgb);
	expectEqual(complaints, 'colour model', descriptor.colorModel, rule.model);
	expectEqual(
		complaints,
		'transfer function',
		descriptor.transferFunction,
		rule.srgb ? TRANSFER_SRGB : TRANSFER_LINEAR,
	);
	expectEqual(
		complaints,
		'block',
		[...descriptor.texelBlockDimension].slice(0, 2).map((side) => side + 1),
		rule.extent,
	);
	expectEqual(complaints, 'bytes a block', descriptor.bytesPlane[0], rule.bytes);
	expectEqual(
		complaints,
		'samples',
		descriptor.samples.map((sample) => [sample.bitOffset, sample.bitLength + 1, sample.channelType]),
		rule.samples,
	);
}

/// Bytes of a level without supercompression.
function levelSize(texture, rule, level)
{
	const extent = (base) => Math.max(1, Math.floor(base / 2 ** level));
	const across = Math.ceil(extent(texture.pixelWidth) / rule.extent[0]);
	const down = Math.ceil(extent(texture.pixelHeight) / rule.extent[1]);
	const images = Math.max(1, texture.layerCount) * texture.faceCount * extent(texture.pixelDepth);
	return across * down * images * rule.bytes;
}

function judgeLevels(texture, rule, info, complaints)
{
	const sizes = texture.levels.map((_, level) => levelSize(texture, rule, level));
	expectEqual(
		complaints,
		'decoded sizes',
		texture.levels.map((level) => level.uncompressedByteLength),
		sizes,
	);
	expectEqual(
		complaints,
		'levels',
		info.levels.map((level) => level.size),
		texture.levels.map((level) => level.levelData.byteLength),
	);
	if (texture.supercompressionScheme === 0)
	{
		expectEqual(
			complaints,
			'sizes',
			info.levels.map((level) => level.size),
			sizes,
		);
	}
}

/// A file against what `larder info` says of it, and the format's rules.
export function judgeContainer(bytes, info)
{
	const complaints = [];
	const texture = read(bytes);
	const rule = FORMATS.get(texture.vkFormat);
	if (rule === undefined)
	{
		return [`format ${texture.vkFormat} is none that larder writes`];
	}
	expectEqual(complaints, 'format', info.vk_format, texture.vkFormat);
	expectEqual(
		complaints,
		'size',
		[info.width, info.height, info.depth],
		[texture.pixelWidth, texture.pixelHeight, texture.pixelDepth],
	);
	expectEqual(complaints, 'layers and faces', [info.layers, info.faces], [texture.layerCount, texture.faceCount]);
	expectEqual(complaints, 'supercompression', info.supercompression, SCHEMES[texture.supercompressionScheme]);
	expectEqual(complaints, 'universal', info.universal, 'none');
	expectEqual(complaints, 'orientation', info.orientation, texture.keyValue.KTXorientation);
	expectEqual(
		complaints,
		'offsets',
		info.levels.map((level) => level.offset),
		info.levels.map((_, level) => Number(bytes.readBigUInt64LE(80 + 24 * level))),
	);
	expectEqual(complaints, 'KTXwriter', String(texture.keyValue.KTXwriter).split(' ')[0], 'larder');
	expectEqual(complaints, 'KTXorientation', texture.keyValue.KTXorientation, 'rd');
	expectEqual(complaints, 'order of keys', Object.keys(texture.keyValue), Object.keys(texture.keyValue).sort());
	judgeLevels(texture, rule, info, complaints);
	judgeLayout(bytes, texture, rule, complaints);
	judgeDescriptor(texture, rule, info, complaints);
	return complaints;
}

/// The average difference in luma, in codes.
function meanLumaDifference(a, b)
{
	let sum = 0;
	for (let i = 0; i < a.length; i += 4)
	{
		sum += Math.abs(0.299 * (a[i] - b[i]) + 0.587 * (a[i + 1] - b[i + 1]) + 0.114 * (a[i + 2] - b[i + 2]));
	}
	return sum / (a.length / 4);
}

function judgeLevel0(texture, image, complaints)
{
	const found = texture.levels[0].levelData;
	expectEqual(complaints, 'size', [texture.pixelWidth, texture.pixelHeight], [image.width, image.height]);
	if (found.length !== image.data.length)
	{
		return;
	}
	if (!image.exact)
	{
		const mean = meanLumaDifference(found, image.data);
		if (mean > JPEG_MEAN_TOLERANCE)
		{
			complaints.push(`level 0's luma differs from the source's by ${mean.toFixed(3)} on the average`);
		}
		return;
	}
	const texel = found.findIndex((value, i) => value !== image.data[i]) >> 2;
	if (texel >= 0)
	{
		complaints.push(
			`level 0, texel (${texel % image.width}, ${Math.floor(texel / image.width)}): larder has ` +
				`${found.slice(4 * texel, 4 * texel + 4)}, the source ${[...image.data.slice(4 * texel, 4 * texel + 4)]}`,
		);
	}
}

/// How many texels reach the cutoff, compared as a GPU does: in f32.
function countReaching(codes, cutoff)
{
	let count = 0;
	for (let i = 3; i < codes.length; i += 4)
	{
		count += Math.fround(codes[i] / 255) >= Math.fround(cutoff);
	}
	return count;
}

/// The least distance from `wanted` texels that any scale of these alphas gives: equal alphas pass together.
function leastDistance(codes, wanted)
{
	const alphas = codes.filter((_, i) => i % 4 === 3).sort((a, b) => b - a);
	let least = Infinity;
	for (let passing = 0; passing <= alphas.length; passing++)
	{
		const cuts = passing === 0 || passing === alphas.length || alphas[passing] < alphas[passing - 1] - 1e-6;
		least = cuts ? Math.min(least, Math.abs(passing - wanted)) : least;
	}
	return least;
}

/// Coverage within 1/256 of level 0's, or as near as a scale can bring it.
function judgeCoverage(level, share, found, codes, cutoff, complaints)
{
	const texels = codes.length / 4;
	const reaching = countReaching(found, cutoff);
	const distance = Math.abs(reaching - share * texels);
	if (distance > texels / 256 && distance > leastDistance(codes, share * texels) + 1e-6)
	{
		complaints.push(
			`level ${level}: ${reaching} of ${texels} texels reach the cutoff, ${(share * texels).toFixed(2)} should`,
		);
	}
}

/// Colour is filtered by the sinc unless its alpha is coverage; the rest by the box.
function filterOf(use, data)
{
	const covers = use.weighted && data.some((value, i) => i % 4 === 3 && value !== 255);
	return use.content === 'color' && !covers ? 'sinc' : 'box';
}

/// Levels 1 and up, filtered anew from larder's level 0. Where alpha keeps its coverage its values are larder's choice,
/// and what counts is how many texels they let pass; where colours are alpha-weighted, those of texels without alpha
/// are nobody's.
function judgeMips(texture, use, complaints)
{
	const base = { width: texture.pixelWidth, height: texture.pixelHeight, data: texture.levels[0].levelData };
	const masks = use.cutoff !== undefined;
	const share = masks ? countReaching(base.data, use.cutoff) / (base.data.length / 4) : 0;
	let level = 0;
	for (const { width, codes } of mipCodes(base, { ...use, filter: filterOf(use, base.data) }))
	{
		const found = texture.levels[++level]?.levelData;
		if (found?.length !== codes.length)
		{
			complaints.push(`level ${level} has ${found?.length ?? 'no'} bytes, expected ${codes.length}`);
			return;
		}
		if (masks)
		{
			judgeCoverage(level, share, found, codes, use.cutoff, complaints);
		}
		const wrong = found.findIndex(
			(value, i) =>
				Math.abs(value - codes[i]) > CODE_TOLERANCE &&
				!(i % 4 === 3 && masks) &&
				!(i % 4 !== 3 && use.weighted && codes[i | 3] < 0.5),
		);
		if (wrong >= 0)
		{
			const texel = wrong >> 2;
			complaints.push(
				`level ${level}, texel (${texel % width}, ${Math.floor(texel / width)}), channel ${wrong % 4}: ` +
					`larder has ${found[wrong]}, filtering gives ${codes[wrong].toFixed(2)}`,
			);
			return;
		}
	}
}

/// Every texture of a model with the source's image, and how it is used: a Map by stem.
export async function usesOf(tree, document)
{
	const root = await readReference(document);
	const model = [...tree.info([join(tree.cooked, `${document.stem}.lmodel`)]).values()][0];
	const files = model.materials.map((material) => join(tree.cooked, `${material.stem}.lmat`));
	const infos = tree.info(files);
	const uses = new Map();
	root.listMaterials().forEach((material, index) =>
	{
		const cooked = infos.get(files[index]);
		for (const [slot, { texture, info }] of slotsOf(material))
		{
			const stem = cooked.textures[slot]?.stem;
			if (stem === undefined)
			{
				throw new Error(`material ${index} lost its ${slot} texture`);
			}
			const use = uses.get(stem) ?? {
				content: contentOf(slot),
				wrapU: WRAP_NAMES[info.getWrapS()], // the first use's count
				wrapV: WRAP_NAMES[info.getWrapT()],
				weighted: false,
				readsAlpha: false,
				cutoff: undefined,
				images: new Set(),
			};
			const mode = slot === 'base_color' ? material.getAlphaMode() : 'OPAQUE';
			use.weighted ||= mode !== 'OPAQUE';
			use.readsAlpha ||= ALPHA_SLOTS.has(slot);
			use.cutoff ??= mode === 'MASK' ? material.getAlphaCutoff() : undefined;
			use.images.add(texture.getImage());
			uses.set(stem, use);
		}
	});
	return uses;
}

function judgeUse(tree, stem, use)
{
	const complaints = [];
	const texture = read(tree.read(stem, '.ktx2'));
	expectEqual(complaints, 'format', texture.vkFormat, use.content === 'color' ? RGBA8_SRGB : RGBA8_UNORM);
	for (const bytes of use.images)
	{
		const image = decodeImage(bytes);
		if (image !== null)
		{
			judgeLevel0(texture, image, complaints);
		}
	}
	judgeMips(texture, use, complaints);
	return complaints.map((complaint) => `${stem}: ${complaint}`);
}

/// Images that were cooked on their own: level 0 alone, since their use is a guess from their names.
function judgeLooseImage(tree, path)
{
	const complaints = [];
	const image = decodeImage(readFileSync(join(tree.folder, path)));
	if (image !== null)
	{
		judgeLevel0(read(tree.read(path.replace(/\.[^.]*$/, ''), '.ktx2')), image, complaints);
	}
	return complaints;
}

async function judgeContainers(tree, verdicts)
{
	const files = filesBelow(tree.cooked).filter((file) => file.endsWith('.ktx2'));
	const infos = tree.info(files);
	for (const file of files)
	{
		await verdicts.check(`ktx ${tree.name}/${relative(tree.cooked, file)}`, () =>
			judgeContainer(readFileSync(file), infos.get(file)),
		);
	}
}

/// Every texture of a model: its pixels and mips.
export async function judgePixels(tree, document)
{
	return [...(await usesOf(tree, document))].flatMap(([stem, use]) => judgeUse(tree, stem, use));
}

export async function judgeKtx(trees, verdicts)
{
	for (const tree of trees.blocks)
	{
		await judgeContainers(tree, verdicts);
	}
	for (const tree of trees.all)
	{
		await judgeContainers(tree, verdicts);
		for (const document of tree.models)
		{
			await verdicts.check(`pixels ${document.name}`, () => judgePixels(tree, document));
		}
		for (const { path, state } of tree.report.sources)
		{
			if (state === 'cooked' && /\.(png|jpe?g)$/i.test(path))
			{
				await verdicts.check(`pixels ${tree.name}/${path}`, () => judgeLooseImage(tree, path));
			}
		}
	}
}

// What the cook's report says each texture lost, judged: level 0 as other decoders find it, against the source.

import { read } from 'ktx-parse';
import { decodeBlocks, floatOfHalf, hasAstcenc, isAstc } from './blocks.mjs';
import { usesOf } from './ktx.mjs';

const DECIBELS = 0.05;
const DEGREES = 0.02;

const BC4 = 139;
const BC5 = 141;

function decibels(meanSquare)
{
	return meanSquare > 0 ? -10 * Math.log10(meanSquare) : Infinity;
}

/// PSNR of the channels that the format holds, over texels that are seen, and of alpha, over all.
function lossOfBytes(source, found, channels, { weighted })
{
	let squares = 0;
	let alphaSquares = 0;
	let seen = 0;
	for (let i = 0; i < source.length; i += 4)
	{
		alphaSquares += (source[i + 3] - found[i + 3]) ** 2;
		if (weighted && (source[i + 3] === 0 || found[i + 3] === 0))
		{
			continue;
		}
		seen++;
		for (let c = 0; c < channels; c++)
		{
			squares += (source[i + c] - Math.round(found[i + c])) ** 2;
		}
	}
	return {
		psnr: decibels(squares / (Math.max(1, seen) * channels * 255 ** 2)),
		alpha_psnr: channels === 3 ? decibels(alphaSquares / ((source.length / 4) * 255 ** 2)) : Infinity,
	};
}

/// PSNR of x / (1 + x) of red, green and blue.
function lossOfHalves(source, found)
{
	const tone = Float64Array.from({ length: 65536 }, (_, half) =>
	{
		const value = Math.max(0, floatOfHalf(half));
		return value / (1 + value);
	});
	let squares = 0;
	for (let i = 0; i < source.length; i++)
	{
		squares += i % 4 === 3 ? 0 : (tone[source[i]] - tone[found[i]]) ** 2;
	}
	return { psnr: decibels(squares / ((source.length * 3) / 4)), alpha_psnr: Infinity };
}

function withZ([x, y])
{
	return [x, y, Math.sqrt(Math.max(0, 1 - x * x - y * y))];
}

const signed = (code) => (code / 255) * 2 - 1;

function normalOf(codes, i, channels)
{
	return channels.length === 3
		? channels.map((c) => signed(codes[i + c]))
		: withZ(channels.map((c) => signed(codes[i + c])));
}

/// Angles between the source's normals and those of the texture: channels of X, Y and, unless it is rebuilt, Z of both.
function lossOfNormals(source, found, sourceChannels, foundChannels)
{
	let sum = 0;
	let most = 0;
	for (let i = 0; i < source.length; i += 4)
	{
		const [ax, ay, az] = normalOf(source, i, sourceChannels);
		const [bx, by, bz] = normalOf(found, i, foundChannels);
		const across = Math.hypot(ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx);
		const degrees = (Math.atan2(across, ax * bx + ay * by + az * bz) * 180) / Math.PI;
		sum += degrees;
		most = Math.max(most, degrees);
	}
	return { mean_degrees: sum / (source.length / 4), max_degrees: most };
}

/// What level 0 of a texture (as ktx-parse reads it) lost of RGBA texels. `use`: { type, weighted, opaque }.
export function lossOf(texture, source, use)
{
	const { vkFormat: format, pixelWidth: width, pixelHeight: height } = texture;
	const found = decodeBlocks(format, texture.levels[0].levelData, width, height);
	if (source instanceof Uint16Array)
	{
		return lossOfHalves(source, found);
	}
	if (use.type === 'normal' && isAstc(format))
	{
		return lossOfNormals(source, found, [0, 1], [0, 3]); // the report takes the source's Z for rebuilt too
	}
	if (use.type === 'normal')
	{
		return lossOfNormals(source, found, [0, 1, 2], format === BC5 ? [0, 1] : [0, 1, 2]);
	}
	const wanted = use.opaque ? source.map((code, i) => (i % 4 === 3 ? 255 : code)) : source;
	return lossOfBytes(wanted, found, format === BC4 ? 1 : format === BC5 ? 2 : 3, use);
}

/// Complain where a report is not what was found. A loss that is none is null or not in it.
export function judgeReport(report, loss, complaints)
{
	for (const [key, value] of Object.entries(loss))
	{
		const said = report[key] ?? (report.exact || key === 'alpha_psnr' ? (key.endsWith('psnr') ? Infinity : 0) : NaN);
		const limit = key.endsWith('psnr') ? DECIBELS : DEGREES;
		if (said !== value && !(Math.abs(said - value) <= limit))
		{
			complaints.push(`${key}: the report says ${said}, other decoders find ${value.toFixed(4)}`);
		}
	}
}

/// Texels of a texture that was cooked without blocks.
export function plainTexels(texture)
{
	return decodeBlocks(texture.vkFormat, texture.levels[0].levelData, texture.pixelWidth, texture.pixelHeight);
}

const COLOR_TYPES = new Set(['albedo', 'emissive', 'ui']);

function judgeLoss(tree, plain, report, use)
{
	const stem = report.file.replace(/\.ktx2$/, '');
	const texture = read(tree.read(stem, '.ktx2'));
	const source = plainTexels(read(plain.read(stem, '.ktx2')));
	const complaints = [];
	judgeReport(report, lossOf(texture, source, { type: report.type, ...use }), complaints);
	return complaints;
}

/// A tree of blocks against the same one cooked to plain texels, which are judged against the sources themselves.
async function judgeTree(tree, plain, verdicts)
{
	const uses = new Map();
	for (const document of tree.models)
	{
		(await usesOf(tree, document)).forEach((use, stem) => uses.set(stem, use));
	}
	for (const report of tree.report.sources.flatMap((source) => source.textures ?? []))
	{
		const use = uses.get(report.file.replace(/\.ktx2$/, ''));
		const name = `loss ${tree.name}/${report.file}`;
		if (report.passed)
		{
			continue; // the source's own blocks
		}
		if (!hasAstcenc && report.format.startsWith('ASTC'))
		{
			verdicts.skip(name, 'there is no astcenc for this machine');
			continue;
		}
		await verdicts.check(name, () =>
			judgeLoss(
				tree,
				plain,
				report,
				use !== undefined
					? { weighted: use.weighted, opaque: !use.weighted && !use.readsAlpha }
					: { weighted: COLOR_TYPES.has(report.type), opaque: false },
			),
		);
	}
}

export async function judgeLosses(trees, verdicts)
{
	for (const tree of trees.blocks)
	{
		await judgeTree(tree, tree.plain, verdicts);
	}
}

// Textures that `larder texture` makes: each format by name, Zstandard, cubemaps, arrays. Their containers by
// ktx-parse, their levels under Zstandard by fzstd, their texels by the decoders of blocks.mjs, their harmonics by light.mjs.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decompress } from 'fzstd';
import { createDefaultContainer, read, write } from 'ktx-parse';
import { PNG } from 'pngjs';
import { decodeBlocks, floatOfHalf, hasAstcenc } from './blocks.mjs';
import { judgeContainer } from './ktx.mjs';
import { projectPanorama, readHdr, writeHdr } from './light.mjs';
import { judgeReport, lossOf, plainTexels } from './losses.mjs';
import { runJson } from './trees.mjs';

const SH_TOLERANCE = 0.01; // of a coefficient
const SH_FLOOR = 0.002; // of the largest one, for those near zero
const STRIP_TOLERANCE = 0.6; // codes
const HALF_TOLERANCE = 2 ** -10;

/// A picture whose colours drift, with detail and, when it says so, holes.
function picture(width, height, alpha)
{
	const png = new PNG({ width, height });
	for (let i = 0; i < width * height; i++)
	{
		const [x, y] = [i % width, Math.floor(i / width)];
		const wave = (a, b) => Math.round(127.5 + 100 * Math.sin(x * a + y * b) + 27 * Math.sin(x * y * 0.37 + a));
		png.data.set([wave(0.11, 0.07), wave(0.05, -0.13), wave(-0.2, 0.02), alpha ? wave(0.3, 0.3) : 255], 4 * i);
	}
	return png;
}

/// Tangent-space normals of bumps.
function normals(width, height)
{
	const png = new PNG({ width, height });
	for (let i = 0; i < width * height; i++)
	{
		const [x, y] = [0.6 * Math.sin((i % width) * 0.4), 0.5 * Math.cos(Math.floor(i / width) * 0.3)];
		const z = Math.sqrt(1 - x * x - y * y);
		png.data.set([...[x, y, z].map((value) => Math.round(value * 127.5 + 127.5)), 255], 4 * i);
	}
	return png;
}

/// A sky with a sun: no plane of symmetry, a range of 1 to 1000.
function sky(width, height)
{
	return writeHdr(width, height, (x, y) =>
	{
		const [u, v] = [(x + 0.5) / width, (y + 0.5) / height];
		const sun = 300 * Math.exp(-150 * ((u - 0.7) ** 2 + (v - 0.3) ** 2));
		return [0.5 + sun + v, 0.4 + 0.9 * sun + 0.3 * Math.sin(6.283 * u), 1.2 - v + 0.7 * sun];
	});
}

/// An array of RGBA8 with levels, by ktx-parse: another writer's file.
function arrayFile(width, height, layers, levels)
{
	const container = createDefaultContainer();
	Object.assign(container, { vkFormat: 37, pixelWidth: width, pixelHeight: height, layerCount: layers });
	container.levelCount = levels;
	Object.assign(container.dataFormatDescriptor[0], {
		colorModel: 1,
		texelBlockDimension: [0, 0, 0, 0],
		bytesPlane: [4, 0, 0, 0, 0, 0, 0, 0],
		transferFunction: 1,
		samples: [0, 1, 2, 15].map((channelType, i) => ({
			channelType,
			bitOffset: 8 * i,
			bitLength: 7,
			samplePosition: [0, 0, 0, 0],
			sampleLower: 0,
			sampleUpper: 255,
		})),
	});
	container.levels = Array.from({ length: levels }, (_, level) =>
	{
		const size = 4 * layers * Math.max(1, width >> level) * Math.max(1, height >> level);
		const levelData = Uint8Array.from({ length: size }, (_, i) => (i * 7 + level * 31) & 255);
		return { levelData, uncompressedByteLength: size };
	});
	container.keyValue = { KTXorientation: 'rd' };
	return write(container);
}

/// Runs `larder texture`; remembers what it made.
class Workshop
{
	constructor(larder, folder)
	{
		Object.assign(this, { larder, folder, made: new Map() });
		mkdirSync(folder);
	}

	put(name, bytes)
	{
		writeFileSync(join(this.folder, name), bytes);
	}

	/// { file, report, bytes }
	make(source, args)
	{
		const key = [source, ...args].join(' ');
		if (!this.made.has(key))
		{
			const file = join(this.folder, `${this.made.size}.ktx2`);
			const report = runJson(this.larder, ['texture', join(this.folder, source), '-o', file, '--json', ...args]);
			this.made.set(key, { file, report, bytes: readFileSync(file) });
		}
		return this.made.get(key);
	}

	info(file)
	{
		return runJson(this.larder, ['info', '--json', file]);
	}
}

const set = (...settings) => ['--set', settings.join(',')];

// Name, source, arguments, the VkFormat that must come of it.
const FLAT = [
	['opaque colour, fast', 'opaque.png', ['--quality', 'fast'], 132],
	['BC1 with alpha', 'color.png', set('format=bc1'), 134],
	['BC3', 'color.png', set('format=bc3'), 138],
	['BC7', 'color.png', [], 146],
	['BC7 of numbers', 'color.png', ['--type', 'metallic_roughness'], 145],
	['BC4', 'color.png', ['--type', 'occlusion'], 139],
	['BC5', 'color.png', ['--type', 'metallic_roughness', ...set('format=bc5')], 141],
	['BC5 normals', 'bumps.png', ['--type', 'normal'], 141],
	['BC7 normals', 'bumps.png', ['--type', 'normal', ...set('format=bc7')], 145],
	['BC6H', 'sky.hdr', [], 143],
	['ASTC 4x4 normals', 'bumps.png', ['--type', 'normal', '--target', 'mobile'], 157],
	['ASTC 4x4', 'color.png', set('format=astc4x4'), 158],
	['ASTC 5x5', 'color.png', set('format=astc5x5'), 162],
	['ASTC 6x6', 'color.png', ['--target', 'mobile'], 166],
	['ASTC 8x8 of numbers', 'color.png', ['--type', 'metallic_roughness', ...set('format=astc8x8')], 171],
	['ASTC 6x6 HDR', 'sky.hdr', ['--target', 'mobile'], 1000066004],
];

/// What the same source and type hold without blocks.
function plainOf(workshop, source, args)
{
	const type = args.indexOf('--type');
	const typed = type < 0 ? [] : args.slice(type, type + 2);
	return plainTexels(read(workshop.make(source, [...typed, '--target', 'raw']).bytes));
}

/// A workshop of which one texture is damaged as it comes, and its report changed.
class DamagedWorkshop
{
	constructor(workshop, key, damage, added)
	{
		Object.assign(this, { workshop, key, damage, added, folder: workshop.folder });
	}

	make(source, args)
	{
		const made = this.workshop.make(source, args);
		if ([source, ...args].join(' ') !== this.key)
		{
			return made;
		}
		const report = { ...made.report };
		Object.entries(this.added).forEach(([key, more]) => (report[key] += more));
		return { ...made, bytes: this.damage(Buffer.from(made.bytes)), report };
	}

	info(file)
	{
		return this.workshop.info(file);
	}
}

function judgeFlat(workshop, source, args, format)
{
	const complaints = [];
	const { file, report, bytes } = workshop.make(source, args);
	const texture = read(bytes);
	if (texture.vkFormat !== format)
	{
		return [`the format is ${texture.vkFormat}, expected ${format}`];
	}
	complaints.push(...judgeContainer(bytes, workshop.info(file)));
	const use = { type: report.type, weighted: report.type === 'albedo', opaque: false };
	judgeReport(report, lossOf(texture, plainOf(workshop, source, args), use), complaints);
	return complaints;
}

/// The same texture with and without Zstandard: equal but for how levels are stored.
function judgeZstd(plainBytes, packedBytes)
{
	const [plain, packed] = [plainBytes, packedBytes].map((bytes) => read(bytes));
	const complaints = packed.supercompressionScheme === 2 ? [] : ['the levels are not under Zstandard'];
	plain.levels.forEach(({ levelData }, level) =>
	{
		const found = decompress(packed.levels[level].levelData);
		if (Buffer.compare(Buffer.from(found), Buffer.from(levelData)) !== 0)
		{
			complaints.push(`level ${level} has other bytes under Zstandard`);
		}
		if (packed.levels[level].uncompressedByteLength !== levelData.length)
		{
			complaints.push(`level ${level}: uncompressedByteLength is ${packed.levels[level].uncompressedByteLength}`);
		}
	});
	return complaints;
}

function judgePacked(workshop, source, args)
{
	const packed = workshop.make(source, args);
	return [
		...judgeContainer(packed.bytes, workshop.info(packed.file)),
		...judgeZstd(workshop.make(source, args.slice(0, -2)).bytes, packed.bytes), // "--set" and Zstandard, which come last
	];
}

/// The key "larder.harmonics.l2" against the panorama that the cubemap was made of.
function judgeHarmonics(bytes, panorama)
{
	const value = read(bytes).keyValue['larder.harmonics.l2'];
	if (!(value instanceof Uint8Array) || value.length !== 4 * 27)
	{
		return [`larder.harmonics.l2 is ${value === undefined ? 'not there' : `${value.length} bytes, expected 108`}`];
	}
	const found = new Float32Array(value.slice().buffer);
	const expected = projectPanorama(panorama);
	const floor = SH_FLOOR * Math.max(...expected.map(Math.abs));
	return [...found].flatMap((number, i) =>
		Math.abs(number - expected[i]) <= Math.max(SH_TOLERANCE * Math.abs(expected[i]), floor)
			? []
			: [`harmonic ${i} is ${number}, projecting the panorama gives ${expected[i]}`],
	);
}

function judgeSky(workshop, source, args, faceSize)
{
	const { file, report, bytes } = workshop.make(source, args);
	const texture = read(bytes);
	const complaints = judgeContainer(bytes, workshop.info(file));
	const size = [texture.faceCount, texture.pixelWidth, texture.pixelHeight, texture.levels.length];
	const expected = [6, faceSize, faceSize, Math.log2(faceSize) + 1];
	if (JSON.stringify(size) !== JSON.stringify(expected))
	{
		complaints.push(`faces, size, levels: ${size}, expected ${expected}`);
	}
	complaints.push(...judgeHarmonics(bytes, readHdr(readFileSync(join(workshop.folder, source)))));
	const plain = read(workshop.make(source, ['--type', 'cubemap', '--target', 'raw']).bytes);
	judgeReport(report, lossOfFaces(texture, plain), complaints);
	return complaints;
}

/// Faces lie one below the other in a level's bytes: where sides are whole blocks, they are one tall picture.
function lossOfFaces(texture, plain)
{
	const tall = ({ vkFormat, pixelWidth, pixelHeight, levels }) => ({
		vkFormat,
		pixelWidth,
		pixelHeight: 6 * pixelHeight,
		levels,
	});
	return lossOf(tall(texture), plainTexels(tall(plain)), { type: 'cubemap' });
}

/// A strip's squares are the faces, +X -X +Y -Y +Z -Z.
function judgeStrip(workshop, source, args)
{
	const { file, bytes } = workshop.make(source, args);
	const texture = read(bytes);
	const complaints = judgeContainer(bytes, workshop.info(file));
	const strip = PNG.sync.read(readFileSync(join(workshop.folder, source)));
	const side = strip.height;
	const found = decodeBlocks(texture.vkFormat, texture.levels[0].levelData, side, 6 * side);
	for (let i = 0; i < found.length && complaints.length === 0; i++)
	{
		const texel = i >> 2;
		const face = Math.floor(texel / side ** 2);
		const [x, y] = [texel % side, Math.floor(texel / side) % side];
		const wanted = i % 4 === 3 ? 255 : strip.data[4 * (y * strip.width + face * side + x) + (i % 4)];
		if (Math.abs(codeOf(found, i) - wanted) > STRIP_TOLERANCE)
		{
			complaints.push(`face ${face}, texel (${x}, ${y}), channel ${i % 4}: ${codeOf(found, i)}, the strip has ${wanted}`);
		}
	}
	return complaints;
}

/// An sRGB code: of 8 bits, or of a half float in linear light.
function codeOf(texels, i)
{
	if (texels instanceof Uint8Array)
	{
		return texels[i];
	}
	const value = floatOfHalf(texels[i]);
	return 255 * (i % 4 === 3 ? value : value <= 0.0031308 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055);
}

/// An array in KTX 2.0 stays what it is.
function judgeArray(workshop, source)
{
	const { file, bytes } = workshop.make(source, []);
	const [before, after] = [read(readFileSync(join(workshop.folder, source))), read(bytes)];
	const complaints = judgeContainer(bytes, workshop.info(file));
	if (after.layerCount !== before.layerCount || after.levels.length !== before.levels.length)
	{
		complaints.push(`${after.layerCount} layers, ${after.levels.length} levels`);
	}
	before.levels.forEach(({ levelData }, level) =>
	{
		if (Buffer.compare(Buffer.from(levelData), Buffer.from(after.levels[level]?.levelData ?? [])) !== 0)
		{
			complaints.push(`level ${level} has other bytes than the source's`);
		}
	});
	return complaints;
}

/// The raw texels of a panorama: halves of what the file says.
function judgeHalves(workshop, source)
{
	const texture = read(workshop.make(source, ['--target', 'raw']).bytes);
	const found = plainTexels(texture);
	const { texels } = readHdr(readFileSync(join(workshop.folder, source)));
	const wrong = texels.findIndex((value, i) =>
	{
		const half = floatOfHalf(found[4 * Math.floor(i / 3) + (i % 3)]);
		return Math.abs(half - Math.min(value, 65504)) > HALF_TOLERANCE * value + 2 ** -24;
	});
	return texture.vkFormat !== 97 || wrong >= 0 ? [`format ${texture.vkFormat}; component ${wrong} differs`] : [];
}

function putSources(workshop, corpus)
{
	workshop.put('color.png', PNG.sync.write(picture(61, 35, true)));
	workshop.put('opaque.png', PNG.sync.write(picture(64, 40, false)));
	workshop.put('bumps.png', PNG.sync.write(normals(52, 36)));
	workshop.put('strip.png', PNG.sync.write(picture(192, 32, false)));
	workshop.put('sky.hdr', sky(256, 128));
	workshop.put('array.ktx2', arrayFile(20, 12, 3, 5));
	const files = {
		'square.hdr': 'tex/ray/dresden_square_1k.hdr',
		'astc.ktx2': 'tex/cts/astc_ldr_6x6_arraytex_7_mipmap.ktx2',
	};
	return Object.entries(files).filter(([name, path]) =>
	{
		const there = corpus !== undefined && existsSync(join(corpus, path));
		there && workshop.put(name, readFileSync(join(corpus, path)));
		return there;
	}).length;
}

// Others by name: what judges one, its source, its arguments, and what else the judge is told.
const OTHERS = [
	['cubemap', judgeSky, 'sky.hdr', ['--type', 'cubemap'], 64],
	['strip', judgeStrip, 'strip.png', ['--type', 'cubemap', '--target', 'raw']],
	['strip in 8 bits', judgeStrip, 'strip.png', ['--type', 'cubemap', ...set('format=rgba8')]],
	['array of another writer', judgeArray, 'array.ktx2', []],
	['Zstandard', judgePacked, 'color.png', set('supercompression=zstd')],
	['Zstandard, cubemap', judgePacked, 'sky.hdr', ['--type', 'cubemap', ...set('supercompression=zstd')]],
	['Zstandard, array', judgePacked, 'array.ktx2', set('supercompression=zstd')],
];
const OF_CORPUS = [
	['cubemap of a photographed panorama', judgeSky, 'square.hdr', ['--type', 'cubemap'], 256],
	['array of ASTC', judgeArray, 'astc.ktx2', []],
	['Zstandard, array of ASTC', judgePacked, 'astc.ktx2', set('supercompression=zstd')],
];
const ALL = [...FLAT.map(([name, ...rest]) => [name, judgeFlat, ...rest]), ...OTHERS, ...OF_CORPUS];

/// Judge one texture by its name; its bytes damaged and numbers of its report raised when those are said.
export function judgeSingle(workshop, name, damage = (bytes) => bytes, added = {})
{
	const [, judge, source, args, ...more] = ALL.find((row) => row[0] === name);
	return judge(new DamagedWorkshop(workshop, [source, ...args].join(' '), damage, added), source, args, ...more);
}

export async function judgeSingles(larder, corpus, trees, verdicts)
{
	const workshop = new Workshop(larder, join(trees.folder, 'single'));
	trees.single = workshop;
	const fromCorpus = putSources(workshop, corpus) === 2;
	await verdicts.check('texture halves of a .hdr', () => judgeHalves(workshop, 'sky.hdr'));
	for (const [name] of ALL)
	{
		if (!hasAstcenc && name.startsWith('ASTC'))
		{
			verdicts.skip(`texture ${name}`, 'there is no astcenc for this machine');
		}
		else if (!fromCorpus && OF_CORPUS.some((row) => row[0] === name))
		{
			verdicts.skip(`texture ${name}`, 'its source is in the corpus, and there is no CORPUS_DIR/tex');
		}
		else
		{
			await verdicts.check(`texture ${name}`, () => judgeSingle(workshop, name));
		}
	}
}

// A gallery: the same models from the same place by `larder view` and by three.js, and how different they look.
//
//   node gallery.mjs OUT_FOLDER --larder PROGRAM [--grid PROGRAM] [--size WxH] [--sky PANORAMA.exr] [--background RRGGBB]
//        [--corpus FOLDER] [--scenes FILE] [--sheet PICTURE.png] [--pairs N] [--only NAME] [SOURCE...]
//
// Models are the sources named, and those of a list of scenes (tests/golden/view/scenes says how one is written). Of each, OUT_FOLDER gets
// NAME.larder.png, NAME.three.png and NAME.difference.png (FLIP), and a line is printed: the mean of FLIP, NAME, the camera.
// What has been drawn already is not drawn again. With --sheet, larder-docs-grid puts all of them into one picture, N models a row.
// Where there is no Chromium, larder draws alone.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { findChromium } from './chromium.mjs';
import { cameraText, parseColor, ThreeRenderer } from './threerender.mjs';

const PIXELS_PER_DEGREE = 67;
const repository = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

/// Lines of NAME FILE CAMERA CLIP TIME, "-" for none. Files stand in the repository, or in the corpus.
export function readScenes(path, corpus)
{
	return readFileSync(path, 'utf8').split('\n').filter((line) => line !== '' && !line.startsWith('#')).map((line) =>
	{
		const [name, file, camera, clip, time] = line.split(/\s+/);
		const [yaw, pitch, distance, ...target] = camera.split(',').map(Number);
		return {
			name, file: file.startsWith('examples/') ? join(repository, file) : join(corpus, file),
			camera: { yaw, pitch, distance, target }, clip: clip === '-' ? undefined : clip, time: time === '-' ? 0 : Number(time),
		};
	});
}

function sceneOf(file)
{
	return { name: basename(file, extname(file)).replace(/[^\w.-]/g, '_'), file, camera: { yaw: 30, pitch: 20 }, time: 0 };
}

/// Runs it: { status, stderr }.
export function drawByLarder(larder, scene, picture, options)
{
	const clip = scene.clip === undefined ? [] : ['--clip', scene.clip, '--time', String(scene.time)];
	const camera = scene.camera.distance === undefined ? `fit:${scene.camera.yaw},${scene.camera.pitch}` : cameraText(scene.camera);
	return spawnSync(larder, ['view', '-q', scene.file, '--screenshot', picture, '--size', options.size, '--camera', camera,
		...clip, ...(options.sky === undefined ? [] : ['--sky', options.sky]), '--background', options.background], { encoding: 'utf8' });
}

/// The mean of FLIP, or why there is none.
export function compare(larder, names)
{
	const { stdout, status, stderr } = spawnSync(larder, ['compare', names.three, names.larder, '--json', '--set', `flip=${PIXELS_PER_DEGREE}`,
		'-o', names.difference], { encoding: 'utf8' });
	return status === 0 ? JSON.parse(stdout).flip.mean : stderr.trim();
}

async function drawScene(scene, options)
{
	const names = Object.fromEntries(['larder', 'three', 'difference'].map((by) => [by, join(options.out, `${scene.name}.${by}.png`)]));
	const notes = [];
	const known = join(options.out, `${scene.name}.json`);
	if (existsSync(known) && existsSync(names.three))
	{
		scene.camera = JSON.parse(readFileSync(known, 'utf8'));
	}
	else if (options.chromium !== undefined)
	{
		const [width, height] = options.size.split('x').map(Number);
		try
		{
			options.three ??= await ThreeRenderer.open(options.chromium);
			const { png, camera } = await options.three.render(scene.file, { ...scene, width, height, sky: options.sky, background: parseColor(options.background) });
			writeFileSync(names.three, png);
			writeFileSync(known, JSON.stringify(camera));
			scene.camera = camera;
		}
		catch (error)
		{
			notes.push(`three: ${error.message.split('\n')[0]}`);
		}
	}
	if (!existsSync(names.larder))
	{
		const { status, stderr } = drawByLarder(options.larder, scene, names.larder, options);
		status !== 0 && notes.push(`larder: ${stderr.trim().split('\n')[0]}`);
	}
	const have = (path) => existsSync(path);
	const flip = have(names.three) && have(names.larder) ? compare(options.larder, names) : undefined;
	console.log([typeof flip === 'number' ? flip.toFixed(4) : flip ?? '-', scene.name, scene.camera.distance === undefined ? '' : cameraText(scene.camera),
		...notes].join('\t'));
	return { scene, names, flip };
}

/// One picture of all.
function writeSheet(drawn, options, hasThree)
{
	const cell = (path) => (existsSync(path) ? path : '-');
	const cells = drawn.flatMap(({ scene, names, flip }) => (hasThree
		? [`${scene.name}: larder`, cell(names.larder), 'three.js', cell(names.three), `FLIP ${typeof flip === 'number' ? flip.toFixed(3) : '-'}`, cell(names.difference)]
		: [scene.name, cell(names.larder)]));
	const columns = (hasThree ? 3 : 1) * Number(options.pairs);
	const { status, stderr } = spawnSync(options.grid, [options.sheet, String(columns), ...cells], { encoding: 'utf8' });
	if (status !== 0)
	{
		throw new Error(stderr.trim());
	}
}

async function main()
{
	const texts = ['larder', 'grid', 'size', 'sky', 'background', 'corpus', 'scenes', 'sheet', 'pairs', 'only'];
	const { values, positionals: [out, ...sources] } = parseArgs({ allowPositionals: true,
		options: Object.fromEntries(texts.map((name) => [name, { type: 'string' }])) });
	if (out === undefined || values.larder === undefined)
	{
		console.error('usage: node gallery.mjs OUT_FOLDER --larder PROGRAM [options] [SOURCE...]');
		return 2;
	}
	const options = { size: '256x192', background: '3c4046', pairs: '1', sky: join(repository, 'examples/sky.exr'), corpus: join(repository, '../shared/corpus'), ...values, out };
	const scenes = [...(options.scenes === undefined ? [] : readScenes(options.scenes, options.corpus)), ...sources.map(sceneOf)]
		.filter(({ name }) => options.only === undefined || name === options.only);
	mkdirSync(out, { recursive: true });
	options.chromium = findChromium();
	const drawn = [];
	try
	{
		for (const scene of scenes)
		{
			drawn.push(await drawScene(scene, options));
		}
	}
	finally
	{
		await options.three?.close();
	}
	options.sheet !== undefined && writeSheet(drawn, options, options.chromium !== undefined);
	return 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url))
{
	process.exit(await main());
}

// three.js judges what `larder view` shows: the scenes of the golden images, from the same place, in the same light. Both draw with samples,
// filters and approximations of their own, so no picture is the same; what a mistake would make of them (a texture upside down, a turned normal, a
// skin in another pose, light from the wrong side) is beyond what is allowed: a fox, a robot and a man at rest instead of at a clip's time are
// 0.08 to 0.11 away.

import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { findChromium } from './chromium.mjs';
import { compare, drawByLarder, readScenes } from './gallery.mjs';
import { parseColor, ThreeRenderer } from './threerender.mjs';

const repository = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const LIMIT = 0.05; // of FLIP's mean; seen are 0.01 to 0.04
const BUSY_LIMIT = 0.1; // where every pixel is an edge of something; seen are 0.07 to 0.09
const BUSY = ['courtyard', 'fountain', 'grass'];
const SIZE = { width: 256, height: 192 };

async function judgeScene(larder, three, scene, folder)
{
	const options = { size: `${SIZE.width}x${SIZE.height}`, sky: join(repository, 'examples/sky.exr'), background: '3c4046' };
	const names = Object.fromEntries(['larder', 'three', 'difference'].map((by) => [by, join(folder, `${scene.name}.${by}.png`)]));
	const { png } = await three.render(scene.file, { ...scene, ...SIZE, sky: options.sky, background: parseColor(options.background) });
	writeFileSync(names.three, png);
	const { status, stderr } = drawByLarder(larder, scene, names.larder, options);
	if (status !== 0)
	{
		return [stderr.trim()];
	}
	const mean = compare(larder, names);
	const limit = BUSY.includes(scene.name) ? BUSY_LIMIT : LIMIT;
	return mean <= limit ? [] : [`FLIP's mean is ${mean}, at most ${limit} expected`];
}

export async function judgeViewed(larder, corpus, verdicts)
{
	const scenes = readScenes(join(repository, 'tests/golden/view/scenes'), corpus ?? '').filter(({ file }) => existsSync(file));
	const program = findChromium();
	if (program === undefined)
	{
		verdicts.skip('what is viewed', 'there is no Chromium for three.js to draw in');
		return;
	}
	const folder = mkdtempSync(join(tmpdir(), 'larder-viewed-'));
	let three;
	try
	{
		const any = drawByLarder(larder, scenes[0], join(folder, 'any.png'), { size: '16x16', background: '000000' });
		if (any.status !== 0)
		{
			verdicts.skip('what is viewed', any.stderr.trim().split('\n')[0]);
			return;
		}
		three = await ThreeRenderer.open(program);
		for (const scene of scenes)
		{
			await verdicts.check(`three.js shows ${scene.name} as larder does`, () => judgeScene(larder, three, scene, folder));
		}
	}
	catch (error)
	{
		verdicts.skip('what is viewed', error.message); // a browser that doesn't start says nothing of larder
	}
	finally
	{
		await three?.close();
		rmSync(folder, { recursive: true, force: true });
	}
}

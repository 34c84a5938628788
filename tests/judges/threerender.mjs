// Pictures of glTF files by three.js, drawn in a headless Chromium.
//
//   node threerender.mjs FILE PICTURE.png [--size WxH] [--camera YAW,PITCH[,DISTANCE,X,Y,Z]] [--sky PANORAMA.exr]
//        [--background RRGGBB] [--clip NAME_OR_NUMBER] [--time SECONDS]
//
// Prints the camera that was used, as `larder view --camera` takes it.

import { writeFileSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { findChromium, Page } from './chromium.mjs';

const here = dirname(fileURLToPath(import.meta.url));

/// Opens the page; close() ends it.
export class ThreeRenderer
{
	static async open(program, onMessage = () => {})
	{
		const renderer = new ThreeRenderer();
		const folders = { judges: here, three: resolve(here, 'node_modules/three') };
		renderer.page = await Page.open(program, folders, '/judges/threepage.html', onMessage);
		await renderer.page.call('isReady');
		return renderer;
	}

	/// `request` as threepage.js has it, with paths instead of URLs. Gives { png, camera }.
	async render(file, request)
	{
		const url = (prefix, path) =>
		{
			this.page.share(prefix, dirname(resolve(path)));
			return `/${prefix}/${encodeURIComponent(basename(path))}`;
		};
		const sky = request.sky === undefined ? undefined : url('sky', request.sky);
		const { png, camera } = await this.page.call('render', { ...request, url: url('model', file), sky });
		return { png: Buffer.from(png.slice(png.indexOf(',') + 1), 'base64'), camera };
	}

	close()
	{
		return this.page.close();
	}
}

/// As --camera of `larder view` takes it.
export function cameraText({ yaw, pitch, distance, target })
{
	const plain = (number) => Number(number.toFixed(6)).toString();
	return `orbit:${[yaw, pitch, distance, ...target].map(plain).join(',')}`;
}

export function parseColor(text)
{
	return [0, 2, 4].map((i) => Number.parseInt(text.slice(i, i + 2), 16) / 255);
}

function readCommandLine()
{
	const { values, positionals } = parseArgs({ allowPositionals: true, options: Object.fromEntries(
		['size', 'camera', 'sky', 'background', 'clip', 'time'].map((name) => [name, { type: 'string' }])) });
	const [yaw, pitch, distance, ...target] = (values.camera ?? '30,20').split(',').map(Number);
	const [width, height] = (values.size ?? '512x384').split('x').map(Number);
	return { positionals, request: {
		width, height, camera: { yaw, pitch, distance, target: target.length === 3 ? target : undefined }, sky: values.sky,
		background: values.background === undefined ? null : parseColor(values.background), clip: values.clip, time: Number(values.time ?? 0),
	} };
}

if (process.argv[1] === fileURLToPath(import.meta.url))
{
	const { positionals: [file, picture], request } = readCommandLine();
	const program = findChromium();
	if (picture === undefined || program === undefined)
	{
		console.error(picture === undefined ? 'usage: node threerender.mjs FILE PICTURE.png [options]' : 'threerender: no Chromium here');
		process.exit(2);
	}
	const renderer = await ThreeRenderer.open(program, (type, text) => console.error(`${type}: ${text}`));
	try
	{
		const { png, camera } = await renderer.render(file, request);
		writeFileSync(picture, png);
		console.log(cameraText(camera));
	}
	finally
	{
		await renderer.close();
	}
}

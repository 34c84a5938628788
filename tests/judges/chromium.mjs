// A page in a headless Chromium that judges may ask things: the browser is driven over its debugging pipe (Chrome DevTools
// Protocol), and the page loads its modules from a server that gives out nothing but the folders it is told of, to this machine
// alone. WebGL is drawn by SwiftShader, so that it draws the same on any machine.

import { spawn, spawnSync } from 'node:child_process';
import { createReadStream, existsSync, mkdtempSync, realpathSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join, normalize, sep } from 'node:path';

const PATIENCE = 120; // seconds

const types = {
	'.html': 'text/html', '.mjs': 'text/javascript', '.js': 'text/javascript', '.json': 'application/json', '.wasm': 'application/wasm',
	'.png': 'image/png', '.jpg': 'image/jpeg', '.jpeg': 'image/jpeg', '.webp': 'image/webp', '.gltf': 'model/gltf+json',
};

/// The program, or undefined where there is none.
export function findChromium()
{
	const names = process.env.CHROMIUM !== undefined ? [process.env.CHROMIUM] : ['chromium', 'chromium-browser', 'google-chrome'];
	return names.find((name) => spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0);
}

/// Serves folders: { prefix: folder }; /prefix/some/file is folder/some/file. What leads out of a folder is refused.
function serve(folders)
{
	const server = createServer((request, response) =>
	{
		const path = normalize(decodeURIComponent(new URL(request.url, 'http://localhost').pathname));
		const [, prefix, ...rest] = path.split(sep);
		const root = folders.get(prefix);
		const file = root === undefined ? '' : join(root, ...rest);
		if (root === undefined || !existsSync(file) || !statSync(file).isFile() || !realpathSync(file).startsWith(realpathSync(root)))
		{
			response.writeHead(404).end();
			return;
		}
		response.writeHead(200, { 'content-type': types[extname(file).toLowerCase()] ?? 'application/octet-stream' });
		createReadStream(file).pipe(response);
	});
	return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

/// Chromium that has stopped answering must not stop whoever asks.
function within(promise, what)
{
	let timer;
	const late = new Promise((resolve, reject) =>
	{
		timer = setTimeout(() => reject(new Error(`Chromium did not answer within ${PATIENCE} s: ${what}`)), PATIENCE * 1000);
	});
	return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/// Messages of the protocol, each ended by a zero byte, over pipes 3 and 4.
class Pipe
{
	#waiting = new Map();
	#last = 0;
	#rest = '';

	constructor(child, onEvent)
	{
		this.input = child.stdio[3];
		child.stdio[4].setEncoding('utf8');
		child.stdio[4].on('data', (text) =>
		{
			const messages = (this.#rest + text).split('\0');
			this.#rest = messages.pop();
			messages.forEach((message) => this.#take(JSON.parse(message), onEvent));
		});
		child.on('exit', (status) => this.#fail(new Error(`Chromium ended with status ${status}`)));
		this.input.on('error', () => {}); // its end is told by the above
	}

	#take(message, onEvent)
	{
		const waiting = this.#waiting.get(message.id);
		if (waiting === undefined)
		{
			onEvent(message);
			return;
		}
		this.#waiting.delete(message.id);
		message.error === undefined ? waiting.resolve(message.result) : waiting.reject(new Error(message.error.message));
	}

	#fail(error)
	{
		this.#waiting.forEach(({ reject }) => reject(error));
		this.#waiting.clear();
	}

	ask(method, params = {}, sessionId = undefined)
	{
		const id = ++this.#last;
		return within(new Promise((resolve, reject) =>
		{
			this.#waiting.set(id, { resolve, reject });
			this.input.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
		}), method);
	}
}

export class Page
{
	/// Folders that the page may read, by prefix; `path` is the page, as /prefix/page.html. `onMessage` hears what its console says.
	static async open(program, folders, path, onMessage = () => {})
	{
		const page = new Page();
		page.folders = new Map(Object.entries(folders));
		page.server = await serve(page.folders);
		page.profile = mkdtempSync(join(tmpdir(), 'larder-judge-'));
		page.child = spawn(program, [
			'--headless=new', '--no-sandbox', '--remote-debugging-pipe', `--user-data-dir=${page.profile}`, '--no-first-run',
			'--disable-background-networking', '--disable-component-update', '--disable-extensions', '--disable-sync', '--disable-dev-shm-usage',
			'--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist', '--force-color-profile=srgb', 'about:blank',
		], { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
		page.exited = new Promise((resolve) => page.child.on('exit', resolve));
		page.pipe = new Pipe(page.child, (event) => page.#hear(event, onMessage));
		try
		{
			const { targetId } = await page.pipe.ask('Target.createTarget', { url: 'about:blank' });
			({ sessionId: page.session } = await page.pipe.ask('Target.attachToTarget', { targetId, flatten: true }));
			await page.#send('Runtime.enable');
			await page.#send('Page.enable');
			const loaded = new Promise((resolve) => (page.onLoad = resolve));
			await page.#send('Page.navigate', { url: `http://127.0.0.1:${page.server.address().port}${path}` });
			await within(loaded, path);
		}
		catch (error)
		{
			await page.close();
			throw error;
		}
		return page;
	}

	#send(method, params)
	{
		return this.pipe.ask(method, params, this.session);
	}

	#hear({ method, params }, onMessage)
	{
		if (method === 'Page.loadEventFired')
		{
			this.onLoad?.();
		}
		else if (method === 'Runtime.consoleAPICalled')
		{
			onMessage(params.type, params.args.map((arg) => arg.value ?? arg.description).join(' '));
		}
		else if (method === 'Runtime.exceptionThrown')
		{
			onMessage('error', params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
		}
	}

	/// Another folder that the page may read.
	share(prefix, folder)
	{
		this.folders.set(prefix, folder);
	}

	/// What the page's function of that name, which may be asynchronous, makes of an argument; both are JSON.
	async call(name, argument)
	{
		const { result, exceptionDetails } = await this.#send('Runtime.evaluate', {
			expression: `window.${name}(${JSON.stringify(argument)})`, awaitPromise: true, returnByValue: true,
		});
		if (exceptionDetails !== undefined)
		{
			throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
		}
		return result.value;
	}

	async close()
	{
		const late = setTimeout(() => this.child.kill('SIGKILL'), 10000);
		this.pipe.ask('Browser.close').catch(() => {}); // it ends instead of answering
		await this.exited;
		clearTimeout(late);
		this.server.closeAllConnections();
		this.server.close();
		rmSync(this.profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }); // its helpers end a little later
	}
}

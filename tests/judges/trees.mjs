// Runs larder: cooks each folder of sources once, and asks `larder info` about sources and cooked files.

import { spawnSync } from 'node:child_process';
import {
	copyFileSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	readdirSync,
	rmSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readGltf } from './gltfjson.mjs';
import { makeSources } from './made.mjs';

const COURTYARD = join(dirname(fileURLToPath(import.meta.url)), '../../examples/courtyard/source');
const INFO_BATCH = 200; // files a call: a command line has room for more, but not for any number

/// Every file below a folder, as sorted absolute paths.
export function filesBelow(folder)
{
	return readdirSync(folder, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => join(entry.parentPath ?? entry.path, entry.name))
		.sort();
}

function run(program, args)
{
	const result = spawnSync(program, args, { encoding: 'utf8', maxBuffer: 1 << 30 });
	if (result.error !== undefined || result.signal !== null)
	{
		throw new Error(`${program} ${args.join(' ')}: ${result.error?.message ?? `ended by ${result.signal}`}`);
	}
	return result;
}

/// What a program prints, as JSON.
export function runJson(program, args)
{
	const { stdout, stderr } = run(program, args);
	try
	{
		return JSON.parse(stdout);
	}
	catch (error)
	{
		throw new Error(`${program} ${args.slice(0, 3).join(' ')}: no JSON came out: ${error.message}; ${stderr}`);
	}
}

/// A folder of sources, cooked: to texels as they are unless another target is said, so that pixels can be compared.
class Tree
{
	constructor(larder, name, folder, cooked, target = 'raw')
	{
		this.larder = larder;
		this.name = name;
		this.folder = folder;
		this.cooked = cooked;
		this.report = runJson(larder, ['cook', folder, '-o', cooked, '--target', target, '--json']);
		const reports = new Map(this.report.sources.map((source) => [source.path, source]));
		this.documents = filesBelow(folder)
			.filter((file) => /\.(gltf|glb)$/i.test(file))
			.map((file) => this.#document(file, reports));
	}

	#document(file, reports)
	{
		const path = relative(this.folder, file);
		return {
			file,
			path,
			stem: path.replace(/\.[^.]*$/, ''),
			name: `${this.name}/${path}`,
			report: reports.get(path),
		};
	}

	/// Documents that became models.
	get models()
	{
		return this.documents.filter((document) => document.report?.state === 'cooked');
	}

	/// What `larder info` says of files: a Map by path.
	info(files)
	{
		const found = new Map();
		for (let i = 0; i < files.length; i += INFO_BATCH)
		{
			const batch = files.slice(i, i + INFO_BATCH);
			const rows = [runJson(this.larder, ['info', '--json', ...batch])].flat();
			rows.forEach((row) => found.set(row.file, row));
		}
		return found;
	}

	/// The findings of `larder validate` over the cooked tree.
	validate()
	{
		return runJson(this.larder, ['validate', '--json', this.cooked]).findings;
	}

	/// The bytes of a cooked file, by stem and extension.
	read(stem, extension)
	{
		return readFileSync(join(this.cooked, stem + extension));
	}
}

/// Cook the last tree again, to a target's block formats.
function cookBlocks(larder, trees, target)
{
	const plain = trees.all.at(-1);
	const name = `${plain.name}.${target}`;
	trees.blocks.push(new Tree(larder, name, plain.folder, join(trees.folder, name), target));
	trees.blocks.at(-1).plain = plain;
}

/// A document with the files that it names, to another folder.
function copyDocument({ file, path }, folder)
{
	const { buffers = [], images = [] } = readGltf(file).json;
	const named = [...buffers, ...images].map(({ uri }) => uri).filter((uri) => uri && !uri.startsWith('data:'));
	const copy = (name) =>
	{
		const to = join(folder, dirname(path), name);
		if (!existsSync(join(dirname(file), name)))
		{
			return; // an image that is missing here is missing there
		}
		mkdirSync(dirname(to), { recursive: true });
		copyFileSync(join(dirname(file), name), to);
	};
	[basename(file), ...named.map(decodeURIComponent)].forEach(copy);
}

/// Some documents of a tree, cooked once more under other settings of models. The tree is called after its own and `name`.
export function cookUnder(model, trees, tree, documents, name)
{
	const sources = join(trees.folder, `${tree.name}.${name}.sources`);
	documents.forEach((document) => copyDocument(document, sources));
	writeFileSync(join(sources, 'larder.json'), JSON.stringify({ defaults: { model } }));
	return new Tree(tree.larder, `${tree.name}.${name}`, sources, join(trees.folder, `${tree.name}.${name}`));
}

/// Cook what the judges make, the courtyard and, where there is a corpus, its folders of glTF and of broken files.
export function cookTrees(larder, corpus, verdicts)
{
	const folder = mkdtempSync(join(tmpdir(), 'larder-judges-'));
	const trees = { folder, all: [], blocks: [] }; // blocks: cooked again to formats of GPUs
	try
	{
		makeSources(join(folder, 'made'));
		trees.all.push(new Tree(larder, 'made', join(folder, 'made'), join(folder, 'made.cooked')));
		trees.all.push(new Tree(larder, 'courtyard', COURTYARD, join(folder, 'courtyard')));
		for (const target of ['desktop', 'mobile'])
		{
			cookBlocks(larder, trees, target);
		}
		for (const name of ['gltf', 'bad'])
		{
			const source = corpus === undefined ? undefined : join(corpus, name);
			if (source !== undefined && existsSync(source))
			{
				trees.all.push(new Tree(larder, name, source, join(folder, name)));
				name === 'gltf' && cookBlocks(larder, trees, 'desktop');
			}
			else
			{
				verdicts.skip(
					`corpus ${name}`,
					`there is no folder ${source ?? `CORPUS_DIR/${name}`}; its files are not judged`,
				);
			}
		}
	}
	catch (error)
	{
		removeTrees(trees);
		throw error;
	}
	return trees;
}

export function removeTrees(trees)
{
	rmSync(trees.folder, { recursive: true, force: true });
}

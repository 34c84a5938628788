// The reference for documents: @gltf-transform, and where it keeps what larder calls a material's slots.

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Logger, NodeIO } from '@gltf-transform/core';
import { ALL_EXTENSIONS } from '@gltf-transform/extensions';
import { dracoDecoder, MeshoptDecoder, renameMeshopt } from './compression.mjs';
import { readGltf } from './gltfjson.mjs';

const io = new NodeIO()
	.registerExtensions(ALL_EXTENSIONS)
	.registerDependencies({ 'meshopt.decoder': MeshoptDecoder, 'draco3d.decoder': dracoDecoder })
	.setLogger(new Logger(Logger.Verbosity.SILENT));

/// Take every texture slot out of an object that reads one of these textures.
function dropSlots(object, textures)
{
	for (const [key, value] of Object.entries(object ?? {}))
	{
		if (typeof value !== 'object' || value === null)
		{
			continue;
		}
		textures.has(value.index) ? delete object[key] : dropSlots(value, textures);
	}
}

/// A .gltf's JSON and files. Images that are not there are left out with whatever reads them, as larder does; where
/// they are wanted, @gltf-transform gives up.
function readFiles(file)
{
	const { json } = readGltf(file);
	const resources = {};
	const missing = new Set();
	const load = (object, index) =>
	{
		if (object.uri === undefined || object.uri.startsWith('data:'))
		{
			return;
		}
		const path = join(dirname(file), decodeURIComponent(object.uri));
		existsSync(path) ? (resources[object.uri] = new Uint8Array(readFileSync(path))) : missing.add(index);
	};
	(json.images ?? []).forEach(load);
	const textures = (json.textures ?? []).map((texture, index) => (missing.has(texture.source) ? index : -1));
	dropSlots(json.materials, new Set(textures.filter((index) => index >= 0)));
	missing.forEach((image) => (json.images[image] = { mimeType: 'image/png', uri: 'data:image/png;base64,' }));
	(json.buffers ?? []).forEach(load);
	return { json, resources };
}

async function read(file)
{
	const whole = /\.gltf$/i.test(file) ? readFiles(file) : await io.readAsJSON(file);
	renameMeshopt(whole.json);
	return io.readJSON(whole);
}

/// A source as @gltf-transform reads it; read once.
export async function readReference(document)
{
	document.reference ??= await read(document.file);
	return document.reference.getRoot();
}

/// A material's extension, or null: `extensionOf(material, 'clearcoat')`.
export function extensionOf(material, name)
{
	return material.getExtension(`KHR_materials_${name}`);
}

// Slot -> where it is: extension or '', and the middle of the getters' names.
const SLOTS = {
	base_color: ['', 'BaseColor'],
	metallic_roughness: ['', 'MetallicRoughness'],
	normal: ['', 'Normal'],
	occlusion: ['', 'Occlusion'],
	emissive: ['', 'Emissive'],
	anisotropy: ['anisotropy', 'Anisotropy'],
	clearcoat: ['clearcoat', 'Clearcoat'],
	clearcoat_roughness: ['clearcoat', 'ClearcoatRoughness'],
	clearcoat_normal: ['clearcoat', 'ClearcoatNormal'],
	transmission: ['transmission', 'Transmission'],
	thickness: ['volume', 'Thickness'],
	sheen_color: ['sheen', 'SheenColor'],
	sheen_roughness: ['sheen', 'SheenRoughness'],
	specular: ['specular', 'Specular'],
	specular_color: ['specular', 'SpecularColor'],
};

/// The textures of a material: a Map from slot to { texture, info }.
export function slotsOf(material)
{
	const slots = new Map();
	for (const [slot, [extension, name]] of Object.entries(SLOTS))
	{
		const holder = extension === '' ? material : extensionOf(material, extension);
		const texture = holder?.[`get${name}Texture`]();
		if (texture)
		{
			slots.set(slot, { texture, info: holder[`get${name}TextureInfo`]() });
		}
	}
	return slots;
}

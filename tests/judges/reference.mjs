// The reference for documents: @gltf-transform, and where it keeps what larder calls a material's slots.

import { Logger, NodeIO } from '@gltf-transform/core';
import { ALL_EXTENSIONS } from '@gltf-transform/extensions';

const io = new NodeIO().registerExtensions(ALL_EXTENSIONS).setLogger(new Logger(Logger.Verbosity.SILENT));

/// A source as @gltf-transform reads it; read once.
export async function readReference(document)
{
	document.reference ??= await io.read(document.file);
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

// What a material of a source must come out as: every factor in larder's words and defaults.

import { extensionOf, slotsOf } from './reference.mjs';
import { expectClose, expectEqual } from './verdicts.mjs';

// larder's name: extension, getter, and what glTF says when the extension is not there.
const FACTORS = {
	base_color: ['', 'getBaseColorFactor'],
	metallic: ['', 'getMetallicFactor'],
	roughness: ['', 'getRoughnessFactor'],
	emissive: ['', 'getEmissiveFactor'],
	emissive_strength: ['emissive_strength', 'getEmissiveStrength', 1],
	normal_scale: ['', 'getNormalScale'],
	occlusion_strength: ['', 'getOcclusionStrength'],
	transmission: ['transmission', 'getTransmissionFactor', 0],
	ior: ['ior', 'getIOR', 1.5],
	dispersion: ['dispersion', 'getDispersion', 0],
	thickness: ['volume', 'getThicknessFactor', 0],
	attenuation_color: ['volume', 'getAttenuationColor', [1, 1, 1]],
	attenuation_distance: ['volume', 'getAttenuationDistance', 0],
	anisotropy: ['anisotropy', 'getAnisotropyStrength', 0],
	anisotropy_rotation: ['anisotropy', 'getAnisotropyRotation', 0],
	clearcoat: ['clearcoat', 'getClearcoatFactor', 0],
	clearcoat_roughness: ['clearcoat', 'getClearcoatRoughnessFactor', 0],
	clearcoat_normal_scale: ['clearcoat', 'getClearcoatNormalScale', 1],
	sheen_color: ['sheen', 'getSheenColorFactor', [0, 0, 0]],
	sheen_roughness: ['sheen', 'getSheenRoughnessFactor', 0],
	specular: ['specular', 'getSpecularFactor', 1],
	specular_color: ['specular', 'getSpecularColorFactor', [1, 1, 1]],
	iridescence: ['iridescence', 'getIridescenceFactor', 0],
	iridescence_ior: ['iridescence', 'getIridescenceIOR', 1.3],
	iridescence_thickness_min: ['iridescence', 'getIridescenceThicknessMinimum', 100],
	iridescence_thickness_max: ['iridescence', 'getIridescenceThicknessMaximum', 400],
};

/// Factors that are brought into 0..1, with a warning; specular_color and the others may be larger.
const WITHIN_1 = new Set([
	'base_color',
	'metallic',
	'roughness',
	'emissive',
	'occlusion_strength',
	'transmission',
	'attenuation_color',
	'anisotropy',
	'clearcoat',
	'clearcoat_roughness',
	'sheen_color',
	'sheen_roughness',
	'specular',
	'iridescence',
]);

/// A factor as larder keeps it. There is no infinity: 0 stands for an infinite distance.
function inLarder(name, value)
{
	if (Array.isArray(value))
	{
		return value.map((component) => inLarder(name, component));
	}
	return value === Infinity ? 0 : WITHIN_1.has(name) ? Math.min(1, Math.max(0, value)) : value;
}

/// Factors, alpha and flags of what `larder info` says of a material, in a source or cooked.
export function compareFactors(complaints, what, found, material)
{
	for (const [name, [extension, getter, fallback]] of Object.entries(FACTORS))
	{
		const holder = extension === '' ? material : extensionOf(material, extension);
		expectClose(
			complaints,
			`${what}, ${name}`,
			found[name],
			holder === null ? fallback : inLarder(name, holder[getter]()),
		);
	}
	expectEqual(complaints, `${what}, name`, found.name, material.getName());
	expectEqual(complaints, `${what}, alpha mode`, found.alpha_mode, material.getAlphaMode().toLowerCase());
	// Only masks read the cutoff; larder keeps it within 0..1.
	expectClose(complaints, `${what}, alpha cutoff`, found.alpha_cutoff, Math.min(material.getAlphaCutoff(), 1));
	expectEqual(complaints, `${what}, double sided`, found.double_sided, material.getDoubleSided());
	expectEqual(complaints, `${what}, unlit`, found.unlit, extensionOf(material, 'unlit') !== null);
}

const WRAPS = new Map([
	[10497, 'repeat'],
	[33071, 'clamp'],
	[33648, 'mirror'],
]);
const NEAREST = 9728;

/// Texture slots: which there are, UV set and transform; and `judge(slot, row, texture)` for what only sources or only
/// cooked files have.
export function compareSlots(complaints, what, found, material, judge)
{
	const expected = slotsOf(material);
	const slots = Object.keys(found.textures).filter((slot) => found.textures[slot].image !== null); // missing ones
	expectEqual(complaints, `${what}, textures`, slots.sort(), [...expected.keys()].sort());
	for (const [slot, { texture, info }] of expected)
	{
		const row = found.textures[slot];
		const transform = info.getExtension('KHR_texture_transform');
		if (row === undefined)
		{
			continue; // said already
		}
		expectEqual(complaints, `${what}, ${slot}, uv set`, row.uv_set, transform?.getTexCoord() ?? info.getTexCoord());
		expectClose(complaints, `${what}, ${slot}, offset`, row.offset, transform?.getOffset() ?? [0, 0]);
		expectClose(complaints, `${what}, ${slot}, scale`, row.scale, transform?.getScale() ?? [1, 1]);
		expectClose(complaints, `${what}, ${slot}, rotation`, row.rotation, transform?.getRotation() ?? 0);
		judge(slot, row, texture, info);
	}
}

/// Wraps and filter, which cooked materials carry.
export function compareSampler(complaints, what, row, info)
{
	expectEqual(
		complaints,
		`${what}, wrap`,
		[row.wrap_u, row.wrap_v],
		[WRAPS.get(info.getWrapS()), WRAPS.get(info.getWrapT())],
	);
	expectEqual(complaints, `${what}, filter`, row.filter, info.getMagFilter() === NEAREST ? 'point' : 'linear');
}

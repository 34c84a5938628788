// Readable: larder refuses exactly the files that it should, and tells of whatever else the Khronos glTF Validator
// calls an error.
//
// A file may be refused when it requires an extension that larder lacks, or when the validator finds an error after
// which its data can't be trusted. Every other error must come up as a warning of larder's, and the result must be
// sound.

import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, extname, join } from 'node:path';
import { readGltf } from './gltfjson.mjs';
import { expectEqual } from './verdicts.mjs';

const { validateBytes } = createRequire(import.meta.url)('gltf-validator');

const DRACO = 'KHR_draco_mesh_compression';

/// Extensions that a file may require of larder.
const READ = new Set([
	'KHR_texture_transform',
	'KHR_materials_emissive_strength',
	'KHR_materials_unlit',
	'KHR_materials_transmission',
	'KHR_materials_ior',
	'KHR_materials_volume',
	'KHR_materials_anisotropy',
	'KHR_materials_clearcoat',
	'KHR_materials_sheen',
	'KHR_materials_specular',
	'KHR_materials_iridescence',
	'KHR_materials_dispersion',
	'KHR_materials_pbrSpecularGlossiness',
	'KHR_materials_variants',
	'KHR_mesh_quantization',
	'KHR_lights_punctual',
	'EXT_texture_webp',
	'EXT_mesh_gpu_instancing',
	'EXT_meshopt_compression',
	'KHR_meshopt_compression',
	DRACO,
]);

/// larder can be built without libdraco, and says so.
function isWithoutDraco(report)
{
	return report.message?.includes('built without (LARDER_DRACO)') ?? false;
}

/// Errors after which there is nothing to read, or no telling what was meant.
const UNREADABLE = new Set([
	'GLB_INVALID_MAGIC',
	'GLB_CHUNK_TOO_BIG',
	'GLB_LENGTH_MISMATCH',
	'GLB_UNEXPECTED_END_OF_HEADER',
	'INVALID_JSON',
	'UNRESOLVED_REFERENCE',
	'BUFFER_VIEW_TOO_LONG',
	'VALUE_NOT_IN_RANGE',
	'NODE_LOOP',
	'INVALID_IBM_ACCESSOR_COUNT',
	'ACCESSOR_SPARSE_INDICES_NON_INCREASING',
]);

/// Errors that larder mends, and the kind of the warning that says so.
const MENDED = new Map([
	['ACCESSOR_MIN_MISMATCH', 'accessor-bounds'],
	['ACCESSOR_MAX_MISMATCH', 'accessor-bounds'],
	['ACCESSOR_ELEMENT_OUT_OF_MIN_BOUND', 'accessor-bounds'],
	['ACCESSOR_ELEMENT_OUT_OF_MAX_BOUND', 'accessor-bounds'],
	['MESH_PRIMITIVE_POSITION_ACCESSOR_WITHOUT_BOUNDS', 'accessor-bounds'],
	['ACCESSOR_WEIGHTS_NON_NORMALIZED', 'weights-renormalised'],
	['ACCESSOR_ANIMATION_SAMPLER_OUTPUT_NON_NORMALIZED_QUATERNION', 'quaternions-normalised'],
	['ROTATION_NON_UNIT', 'quaternions-normalised'],
	['ACCESSOR_ANIMATION_INPUT_NON_INCREASING', 'times-equal'],
	['MESH_PRIMITIVE_TOO_FEW_TEXCOORDS', 'uv-missing'],
	['MESH_PRIMITIVE_ATTRIBUTES_ACCESSOR_INVALID_FORMAT', 'attribute'], // only of attributes that larder leaves out
]);

/// Errors that ask for nothing: what the file says is unambiguous and is read as it stands.
const HARMLESS = new Set([
	'MESH_PRIMITIVE_INDEXED_SEMANTIC_CONTINUITY', // TEXCOORD_1 without TEXCOORD_0: kept as the second set
	'SKIN_IBM_ACCESSOR_WITH_BYTESTRIDE', // the stride is honoured
	'ANIMATION_SAMPLER_ACCESSOR_WITH_BYTESTRIDE',
	'ANIMATION_SAMPLER_INPUT_ACCESSOR_WITHOUT_BOUNDS', // the keys themselves are looked at
	'ACCESSOR_VECTOR3_NON_UNIT', // a normal is a direction (those of no length are mended, see below)
]);

/// The validator's word on a file: its errors, by code.
async function errorsOf(file)
{
	const report = await validateBytes(new Uint8Array(readFileSync(file)), {
		uri: basename(file),
		format: extname(file).slice(1).toLowerCase(),
		maxIssues: 0,
		externalResourceFunction: async (uri) =>
			new Uint8Array(await readFile(join(dirname(file), decodeURIComponent(uri)))),
	});
	return report.issues.messages.filter((message) => message.severity === 0);
}

function requiredExtensions(file)
{
	try
	{
		return readGltf(file).json.extensionsRequired ?? [];
	}
	catch
	{
		return []; // unreadable: the validator says so
	}
}

/// A byte order mark is the one thing that makes the JSON invalid and can be passed over.
function isByteOrderMark(error)
{
	return error.code === 'INVALID_JSON' && error.message.includes('BOM');
}

/// A factor that is out of range is brought into it; any other number that is, is what nothing can be made of.
function isFactor(error)
{
	return error.code === 'VALUE_NOT_IN_RANGE' && error.pointer.startsWith('/materials/');
}

function isUnreadable(error)
{
	return UNREADABLE.has(error.code) && !isByteOrderMark(error) && !isFactor(error);
}

/// The kind of the warning that an error which can be read must give; null: none, undefined: no rule says.
function warningFor(error)
{
	if (isByteOrderMark(error))
	{
		return 'byte-order-mark';
	}
	if (isFactor(error))
	{
		return 'range';
	}
	if (error.code === 'IO_ERROR' && error.pointer.startsWith('/images/'))
	{
		return 'image-missing';
	}
	if (error.code === 'ACCESSOR_VECTOR3_NON_UNIT' && error.message.endsWith(': 0.'))
	{
		return 'normals-repaired';
	}
	return HARMLESS.has(error.code) ? null : MENDED.get(error.code);
}

/// larder must have refused a file; `named`: what its message has to name.
function judgeRefusal(report, complaints, why, named)
{
	if (report.state !== 'failed')
	{
		complaints.push(`larder ${report.state} it, but ${why}`);
	}
	else if (!report.message || !report.message.includes(named))
	{
		complaints.push(`larder's message does not name ${named || 'a reason'}: ${report.message}`);
	}
}

function judgeAcceptance(report, errors, complaints)
{
	if (report.state !== 'cooked')
	{
		complaints.push(`larder ${report.state} it without a reason that the validator knows: ${report.message}`);
		return;
	}
	const warnings = new Set(report.warnings.map((warning) => warning.kind));
	for (const error of errors)
	{
		const kind = warningFor(error);
		if (kind === undefined)
		{
			complaints.push(`no rule says what larder does about ${error.code} at ${error.pointer}: ${error.message}`);
		}
		else if (kind !== null && !warnings.has(kind))
		{
			complaints.push(`larder does not warn of ${error.code} at ${error.pointer}: ${error.message}`);
		}
	}
}

async function judgeFile(document)
{
	const complaints = [];
	const report = document.report;
	const lacks = (name) => !READ.has(name) || (name === DRACO && isWithoutDraco(report));
	const lacking = requiredExtensions(document.file).find(lacks);
	const errors = await errorsOf(document.file);
	const unreadable = errors.find(isUnreadable);
	if (lacking !== undefined)
	{
		judgeRefusal(report, complaints, `it requires ${lacking}`, lacking);
	}
	else if (unreadable !== undefined)
	{
		judgeRefusal(report, complaints, `${unreadable.code} at ${unreadable.pointer}: ${unreadable.message}`, '');
	}
	else
	{
		judgeAcceptance(report, errors, complaints);
	}
	const oracle = `${document.file}.report.json`; // what the validator's own tests expect
	if (existsSync(oracle))
	{
		const expected = JSON.parse(readFileSync(oracle, 'utf8')).issues.messages.filter(
			(message) => message.severity === 0,
		);
		expectEqual(complaints, 'errors of the validator', codes(errors), codes(expected));
	}
	return complaints;
}

function codes(errors)
{
	return errors.map((error) => error.code).sort();
}

export async function judgeReadable(trees, verdicts)
{
	const failed = ({ report }) => report.state !== 'cooked' && !isWithoutDraco(report);
	await verdicts.check('made sources are cooked', () =>
		trees.all
			.find(({ name }) => name === 'made')
			.documents.filter(failed)
			.map(({ name, report }) => `${name}: ${report.message}`),
	);
	for (const tree of trees.all)
	{
		for (const document of tree.documents)
		{
			await verdicts.check(`readable ${document.name}`, () => judgeFile(document));
		}
		await verdicts.check(`sound ${tree.name}`, () =>
			tree.validate().map((finding) => `${finding.path}: ${finding.message}`),
		);
	}
}

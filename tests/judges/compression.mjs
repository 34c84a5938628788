// Decoders of compressed geometry, for the readers that the judges go by: neither three nor @gltf-transform has its own.
// Meshopt streams are decoded by meshoptimizer's npm package, Draco meshes by Google's; larder has other code for the
// first, and an older libdraco for the second.

import draco3d from 'draco3dgltf';
import { MeshoptDecoder, MeshoptEncoder } from 'meshoptimizer';
import { BufferAttribute, BufferGeometry } from 'three';

await Promise.all([MeshoptDecoder.ready, MeshoptEncoder.ready]);
export const dracoDecoder = await draco3d.createDecoderModule();
export const dracoEncoder = await draco3d.createEncoderModule();
export { MeshoptDecoder, MeshoptEncoder };

const EXT = 'EXT_meshopt_compression';
const KHR = 'KHR_meshopt_compression';

/// What @gltf-transform doesn't know by its newer name, it reads by the older: the streams are the same, and who decodes
/// them knows both.
export function renameMeshopt(json)
{
	const rename = (names) => names?.map((name) => (name === KHR ? EXT : name));
	json.extensionsUsed = rename(json.extensionsUsed);
	json.extensionsRequired = rename(json.extensionsRequired);
	for (const object of [...(json.buffers ?? []), ...(json.bufferViews ?? [])])
	{
		if (object.extensions?.[KHR] !== undefined)
		{
			object.extensions = { [EXT]: object.extensions[KHR] };
		}
	}
}

const DATA_TYPES = {
	Float32Array: 'DT_FLOAT32',
	Int8Array: 'DT_INT8',
	Uint8Array: 'DT_UINT8',
	Int16Array: 'DT_INT16',
	Uint16Array: 'DT_UINT16',
	Uint32Array: 'DT_UINT32',
};

/// An attribute's values as a typed array of that kind.
function attributeArray(decoder, mesh, id, Kind)
{
	const attribute = decoder.GetAttributeByUniqueId(mesh, id);
	const size = mesh.num_points() * attribute.num_components();
	const pointer = dracoDecoder._malloc(size * Kind.BYTES_PER_ELEMENT);
	const type = dracoDecoder[DATA_TYPES[Kind.name]];
	decoder.GetAttributeDataArrayForAllPoints(mesh, attribute, type, size * Kind.BYTES_PER_ELEMENT, pointer);
	const array = new Kind(dracoDecoder.HEAPU8.buffer, pointer, size).slice();
	dracoDecoder._free(pointer);
	return new BufferAttribute(array, attribute.num_components());
}

function indexArray(decoder, mesh)
{
	const size = 3 * mesh.num_faces();
	const pointer = dracoDecoder._malloc(4 * size);
	decoder.GetTrianglesUInt32Array(mesh, 4 * size, pointer);
	const array = new Uint32Array(dracoDecoder.HEAPU8.buffer, pointer, size).slice();
	dracoDecoder._free(pointer);
	return new BufferAttribute(array, 1);
}

/// What three's GLTFLoader asks of its DRACOLoader, which wants a browser's workers.
export const dracoLoader = {
	preload()
	{},
	decodeDracoFile(buffer, done, ids, types)
	{
		const decoder = new dracoDecoder.Decoder();
		const mesh = new dracoDecoder.Mesh();
		const bytes = new Int8Array(buffer);
		const status = decoder.DecodeArrayToMesh(bytes, bytes.length, mesh);
		if (!status.ok())
		{
			throw new Error(`Draco: ${status.error_msg()}`);
		}
		const geometry = new BufferGeometry();
		geometry.setIndex(indexArray(decoder, mesh));
		Object.entries(ids).forEach(([name, id]) =>
			geometry.setAttribute(name, attributeArray(decoder, mesh, id, globalThis[types[name]])),
		);
		dracoDecoder.destroy(mesh);
		dracoDecoder.destroy(decoder);
		done(geometry);
	},
};

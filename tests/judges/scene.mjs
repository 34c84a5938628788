// The reference for what is drawn: three's GLTFLoader, which has its own accessors, hierarchy, skinning and
// interpolation. Gives what a source's scene draws as vertices in world space, in plain arrays.

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Matrix3, Matrix4, Mesh, Vector3 } from 'three';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';
import { dracoLoader, MeshoptDecoder } from './compression.mjs';
import { readGltf } from './gltfjson.mjs';

globalThis.ProgressEvent ??= class extends Event {}; // a browser's, which the loader wants to tell of

function asDataUri(bytes)
{
	return `data:application/octet-stream;base64,${Buffer.from(bytes).toString('base64')}`;
}

/// three scales WEIGHTS_0 to add up to 1, of itself. Where there is a second set that is wrong, so a copy is kept as
/// "_weights".
function keepWeights(json)
{
	for (const { attributes } of (json.meshes ?? []).flatMap((mesh) => mesh.primitives))
	{
		if (attributes.JOINTS_1 !== undefined)
		{
			const accessor = { ...json.accessors[attributes.WEIGHTS_0] };
			// Or three would share the numbers.
			accessor.bufferView = json.bufferViews.push({ ...json.bufferViews[accessor.bufferView] }) - 1;
			attributes._WEIGHTS = json.accessors.push(accessor) - 1;
		}
	}
}

/// Which set of texture coordinates a material's tangents are laid along; undefined where it reads none.
function tangentSet({ normalTexture, extensions = {} })
{
	const { anisotropyStrength, anisotropyTexture } = extensions.KHR_materials_anisotropy ?? {};
	const texture = [normalTexture, extensions.KHR_materials_clearcoat?.clearcoatNormalTexture, anisotropyTexture].find(
		(found) => found !== undefined,
	);
	const none = anisotropyStrength ? 0 : undefined;
	return texture === undefined ? none : (texture.extensions?.KHR_texture_transform?.texCoord ?? texture.texCoord ?? 0);
}

/// A source's JSON with its buffers inside; without images, since nothing here looks at them.
function selfContained(file)
{
	const { json, binary } = readGltf(file);
	(json.buffers ?? []).forEach((buffer, b) =>
	{
		if (buffer.uri === undefined && binary !== undefined && b === 0)
		{
			buffer.uri = asDataUri(binary.subarray(0, buffer.byteLength));
		}
		else if (buffer.uri !== undefined && !buffer.uri.startsWith('data:'))
		{
			buffer.uri = asDataUri(readFileSync(join(dirname(file), decodeURIComponent(buffer.uri))));
		}
	});
	for (const material of json.materials ?? [])
	{
		// Set aside for judges; three need not know.
		material.judged = {
			doubleSided: material.doubleSided,
			alphaMode: material.alphaMode,
			tangentSet: tangentSet(material),
		};
		Object.keys(material)
			.filter((key) => key !== 'name' && key !== 'judged')
			.forEach((key) => delete material[key]);
	}
	delete json.images;
	delete json.textures;
	// Three would warn that it does not know it.
	json.extensionsUsed = json.extensionsUsed?.filter((name) => name !== 'KHR_materials_variants');
	keepWeights(json);
	return json;
}

/// Load a source: { json, gltf, nodes } where nodes[i] is the object of node i, with its world matrix in the rest pose.
export async function loadScene(file)
{
	const json = selfContained(file);
	const loader = new GLTFLoader().setMeshoptDecoder(MeshoptDecoder).setDRACOLoader(dracoLoader);
	const gltf = await loader.parseAsync(JSON.stringify(json), '');
	const nodes = await Promise.all((json.nodes ?? []).map((_, index) => gltf.parser.getDependency('node', index)));
	const children = new Set((json.nodes ?? []).flatMap((node) => node.children ?? []));
	nodes.forEach((object, index) =>
	{
		if (json.nodes[index].matrix !== undefined) // three takes it apart, which loses shear
		{
			object.matrix.fromArray(json.nodes[index].matrix);
			object.matrixAutoUpdate = false;
		}
		object.quaternion.normalize(); // what larder does about rotations of another length
	});
	nodes.filter((_, index) => !children.has(index)).forEach((object) => object.updateMatrixWorld(true));
	return { json, gltf, nodes };
}

/// The nodes of the scene that is shown: the default one, else the first.
export function shownNodes(json)
{
	const shown = new Set();
	const visit = (index) =>
	{
		shown.add(index);
		(json.nodes[index].children ?? []).forEach(visit);
	};
	(json.scenes?.[json.scene ?? 0]?.nodes ?? []).forEach(visit);
	return shown;
}

/// The objects that draw a node's primitives, in the mesh's order.
function primitiveObjects(object, isNode)
{
	if (object.isMesh || object.isLine || object.isPoints)
	{
		return [object];
	}
	return object.children.filter((child) => !isNode.has(child)).flatMap((child) => primitiveObjects(child, isNode));
}

/// How often EXT_mesh_gpu_instancing draws a node; 0: once, as usual.
export function instanceCount(json, index)
{
	const attributes = json.nodes[index].extensions?.EXT_mesh_gpu_instancing?.attributes;
	return attributes === undefined ? 0 : json.accessors[Object.values(attributes)[0]].count;
}

/// World matrix of a node's instance.
export function instanceMatrix({ nodes }, index, instance)
{
	const [object] = primitiveObjects(nodes[index], new Set(nodes));
	const local = new Matrix4();
	object.getMatrixAt(instance, local);
	return object.matrixWorld.clone().multiply(local);
}

/// Everything the scene draws: a node's primitive, once for each instance that `wanted(instance, count)` picks. Points
/// and lines, which larder leaves out, are not among it.
export function drawsOf(scene, wanted)
{
	const { json, nodes } = scene;
	const isNode = new Set(nodes);
	const draws = [];
	for (const index of shownNodes(json))
	{
		const { mesh } = json.nodes[index];
		const count = instanceCount(json, index);
		const instances =
			count === 0 ? [undefined] : Array.from({ length: count }, (_, i) => i).filter((i) => wanted(i, count));
		(mesh === undefined ? [] : json.meshes[mesh].primitives).forEach((primitive, p) =>
		{
			const object = primitiveObjects(nodes[index], isNode)[p];
			draws.push(
				...instances
					.filter(() => object.isMesh)
					.map((instance) => ({ node: index, mesh, primitive, object, instance })),
			);
		});
	}
	return draws;
}

function element(attribute, index)
{
	return Array.from({ length: attribute.itemSize }, (_, c) => attribute.getComponent(index, c));
}

function direction(attribute, index, matrix)
{
	const vector = new Vector3().fromBufferAttribute(attribute, index);
	return vector.lengthSq() < 1e-20 ? undefined : vector.applyMatrix3(matrix).normalize().toArray();
}

/// A vertex's strongest four influences as [joint, weight], weights adding up to 1; three itself reads the first four
/// of eight.
function influences({ attributes }, vertex)
{
	const all = [
		['skinIndex', attributes._weights === undefined ? 'skinWeight' : '_weights'],
		['joints_1', 'weights_1'],
	]
		.filter(([joints]) => attributes[joints] !== undefined)
		.flatMap(([joints, weights]) =>
			element(attributes[joints], vertex).map((joint, i) => [joint, attributes[weights].getComponent(vertex, i)]),
		);
	const kept = all.sort((a, b) => b[1] - a[1]).slice(0, 4);
	const sum = kept.reduce((total, [, weight]) => total + weight, 0);
	return kept.map(([joint, weight]) => [joint, weight / sum]).filter(([, weight]) => weight > 0);
}

function skinnedPosition(object, vertex, pairs, rest)
{
	if (object.geometry.attributes.joints_1 === undefined)
	{
		return object.applyBoneTransform(vertex, rest).applyMatrix4(object.matrixWorld).toArray();
	}
	const { bones, boneInverses } = object.skeleton;
	return pairs
		.reduce(
			(sum, [joint, weight]) =>
				sum.add(
					rest
						.clone()
						.applyMatrix4(boneInverses[joint])
						.applyMatrix4(bones[joint].matrixWorld)
						.multiplyScalar(weight),
				),
			new Vector3(),
		)
		.toArray();
}

/// Weights by node; a node that is named twice has the sum.
function byNode(pairs, joints)
{
	const map = new Map();
	pairs.forEach(([joint, weight]) => map.set(joints[joint], (map.get(joints[joint]) ?? 0) + weight));
	return map;
}

function morphDeltas(geometry, primitive, vertex)
{
	// Where a target lacks a delta, three gives the vertex's own value; it must move nothing.
	const delta = (kind, semantic, target, index) =>
		target[semantic] === undefined || geometry.morphAttributes[kind] === undefined
			? [0, 0, 0]
			: element(geometry.morphAttributes[kind][index], vertex);
	return (primitive.targets ?? []).map((target, index) => ({
		position: delta('position', 'POSITION', target, index),
		normal: geometry.attributes.normal === undefined ? [0, 0, 0] : delta('normal', 'NORMAL', target, index),
	}));
}

/// A vertex with its node's morph weights, or its mesh's, in the mesh's space.
function morphed(object, vertex)
{
	return Mesh.prototype.getVertexPosition.call(object, vertex, new Vector3());
}

/// A draw's vertices and triangles. position and normal are in world space, and skinned ones in the mesh's, with
/// `skinned` for the world; `placed` is where the world has it with its morph weights; what the source has not is
/// undefined. Front faces are counter-clockwise. `local`: all are in
/// the mesh's space.
export function geometryOf(scene, draw, local = false)
{
	const { json } = scene;
	const { geometry } = draw.object;
	const skinned = json.nodes[draw.node].skin !== undefined; // three asks whether any node gives the mesh a skin
	const world = skinned || local
		? new Matrix4()
		: draw.instance === undefined
			? draw.object.matrixWorld
			: instanceMatrix(scene, draw.node, draw.instance);
	const mirrored = world.determinant() < 0;
	const normalMatrix = new Matrix3().getNormalMatrix(world);
	const directionMatrix = new Matrix3().setFromMatrix4(world);
	const { position, normal, tangent, uv, uv1, color } = geometry.attributes;
	const joints = skinned ? json.skins[json.nodes[draw.node].skin].joints : undefined;
	const pairs = skinned ? Array.from({ length: position.count }, (_, v) => influences(geometry, v)) : undefined;
	const vertices = Array.from({ length: position.count }, (_, v) => ({
		position: new Vector3().fromBufferAttribute(position, v).applyMatrix4(world).toArray(),
		skinned: skinned
			? skinnedPosition(draw.object, v, pairs[v], new Vector3().fromBufferAttribute(position, v))
			: undefined,
		placed: skinned
			? skinnedPosition(draw.object, v, pairs[v], morphed(draw.object, v))
			: morphed(draw.object, v).applyMatrix4(world).toArray(),
		normal: normal && direction(normal, v, normalMatrix),
		// The bitangent is cross(normal, tangent) * w; a mirror turns the cross product round, so w has to turn too.
		tangent: tangent && [
			...(direction(tangent, v, directionMatrix) ?? [0, 0, 0]),
			tangent.getW(v) * (mirrored ? -1 : 1),
		],
		uv0: uv ? element(uv, v) : [0, 0],
		uv1: uv1 ? element(uv1, v) : [0, 0],
		color: color
			? [...element(color, v), 1].slice(0, 4).map((value) => Math.min(1, Math.max(0, value)))
			: [1, 1, 1, 1],
		influences: skinned ? byNode(pairs[v], joints) : undefined,
		morphs: morphDeltas(geometry, draw.primitive, v),
	}));
	const indices = geometry.index?.array ?? Uint32Array.from({ length: position.count }, (_, i) => i);
	const isList = (draw.primitive.mode ?? 4) === 4;
	const triangles = Array.from({ length: Math.floor(indices.length / 3) }, (_, t) =>
	{
		const [a, b, c] = indices.slice(3 * t, 3 * t + 3);
		return mirrored ? [a, c, b] : [a, b, c];
	}).filter(([a, b, c]) => isList || (a !== b && b !== c && c !== a)); // what stitches strips together draws nothing
	return { vertices, triangles, hasNormals: normal !== undefined };
}

// Documents: what `larder info` says of a source is what @gltf-transform reads in it. Where larder leaves something out
// or mends it, the rule is here, one for each case; nothing is forgiven in general.

import { join } from 'node:path';
import { isSheared, readGltf } from './gltfjson.mjs';
import { compareFactors, compareSampler, compareSlots } from './materials.mjs';
import { readReference } from './reference.mjs';
import { multiply, matrixOf } from './matrix.mjs';
import { expectClose, expectEqual } from './verdicts.mjs';

const TRIANGLES = 4;
const TRIANGLE_STRIP = 5;

const POSITION_TOLERANCE = 1e-5; // of the largest coordinate
const MATRIX_TOLERANCE = 1e-5;

/// The index of a property in a list; larder writes null where there is none.
function indexIn(list, property)
{
	return property === null ? null : list.indexOf(property);
}

/// What triangles a primitive has: strips and fans become lists, a strip's repeated corners and a list's leftover
/// indices draw nothing.
function triangleCount(primitive)
{
	const indices =
		primitive.getIndices()?.getArray() ??
		Uint32Array.from({ length: primitive.getAttribute('POSITION').getCount() }, (_, i) => i);
	if (primitive.getMode() === TRIANGLES)
	{
		return Math.floor(indices.length / 3);
	}
	let count = 0;
	for (let i = 0; i + 2 < indices.length; i++)
	{
		const [a, b, c] = [indices[primitive.getMode() === TRIANGLE_STRIP ? i : 0], indices[i + 1], indices[i + 2]];
		count += a !== b && b !== c && c !== a;
	}
	return count;
}

/// The attributes that larder keeps, of those a primitive has: two UV sets, one colour set; joints only with weights.
function attributeNames(primitive)
{
	const has = (semantic) => primitive.getAttribute(semantic) !== null;
	const names = [
		['position', 'POSITION'],
		['normal', 'NORMAL'],
		['tangent', 'TANGENT'],
		['uv0', 'TEXCOORD_0'],
		['uv1', 'TEXCOORD_1'],
		['color', 'COLOR_0'],
	]
		.filter(([, semantic]) => has(semantic))
		.map(([name]) => name);
	return has('JOINTS_0') && has('WEIGHTS_0') ? [...names, 'joints'] : names;
}

function boundsOf(accessor)
{
	const min = [Infinity, Infinity, Infinity];
	const max = [-Infinity, -Infinity, -Infinity];
	const element = [];
	for (let i = 0; i < accessor.getCount(); i++)
	{
		accessor.getElement(i, element).forEach((value, c) =>
		{
			min[c] = Math.min(min[c], value);
			max[c] = Math.max(max[c], value);
		});
	}
	return { min, max };
}

function comparePrimitive(complaints, what, found, primitive, root)
{
	const position = primitive.getAttribute('POSITION');
	const bounds = boundsOf(position);
	const scale = Math.max(...[...bounds.min, ...bounds.max].map(Math.abs));
	expectEqual(complaints, `${what}, vertices`, found.vertices, position.getCount());
	expectEqual(complaints, `${what}, triangles`, found.triangles, triangleCount(primitive));
	expectEqual(complaints, `${what}, attributes`, found.attributes, attributeNames(primitive));
	expectEqual(
		complaints,
		`${what}, material`,
		found.material,
		indexIn(root.listMaterials(), primitive.getMaterial()),
	);
	expectClose(complaints, `${what}, least position`, found.bounds.min, bounds.min, POSITION_TOLERANCE, scale);
	expectClose(complaints, `${what}, largest position`, found.bounds.max, bounds.max, POSITION_TOLERANCE, scale);
}

function compareMeshes(complaints, info, root)
{
	expectEqual(
		complaints,
		'meshes',
		info.meshes.map((mesh) => mesh.name),
		root.listMeshes().map((mesh) => mesh.getName()),
	);
	root.listMeshes().forEach((mesh, m) =>
	{
		const found = info.meshes[m];
		// No points and lines.
		const primitives = mesh.listPrimitives().filter((primitive) => primitive.getMode() >= TRIANGLES);
		const morphCount = Math.max(0, ...mesh.listPrimitives().map((primitive) => primitive.listTargets().length));
		const names = mesh.getExtras().targetNames ?? [];
		expectEqual(complaints, `mesh ${m}, primitives`, found.primitives.length, primitives.length);
		expectEqual(
			complaints,
			`mesh ${m}, morphs`,
			found.morphs,
			Array.from({ length: morphCount }, (_, i) => names[i] ?? ''),
		);
		expectClose(
			complaints,
			`mesh ${m}, weights`,
			found.weights,
			Array.from({ length: morphCount }, (_, i) => mesh.getWeights()[i] ?? 0),
		);
		primitives.forEach((primitive, p) =>
			comparePrimitive(complaints, `mesh ${m}, primitive ${p}`, found.primitives[p], primitive, root),
		);
	});
}

/// Node rotations come out of unit length, whatever the source has.
function unit(quaternion)
{
	const length = Math.hypot(...quaternion);
	return quaternion.map((value) => value / length);
}

function localMatrix(row)
{
	return row.matrix ?? matrixOf(row.translation, row.rotation, row.scale);
}

function compareNode(complaints, what, found, node, json, root)
{
	expectEqual(complaints, `${what}, name`, found.name, node.getName());
	expectEqual(complaints, `${what}, parent`, found.parent, indexIn(root.listNodes(), node.getParentNode()));
	expectEqual(complaints, `${what}, mesh`, found.mesh, indexIn(root.listMeshes(), node.getMesh()));
	expectEqual(complaints, `${what}, camera`, found.camera, indexIn(root.listCameras(), node.getCamera()));
	expectEqual(complaints, `${what}, skin`, found.skin, indexIn(root.listSkins(), node.getSkin()));
	if (found.matrix === undefined)
	{
		expectClose(complaints, `${what}, translation`, found.translation, node.getTranslation());
		expectClose(complaints, `${what}, rotation`, found.rotation, unit(node.getRotation()));
		expectClose(complaints, `${what}, scale`, found.scale, node.getScale());
		return;
	}
	// A matrix has many decompositions: what counts is that larder's makes it again, where there can be one.
	expectClose(complaints, `${what}, matrix`, found.matrix, json.matrix);
	if (!isSheared(json))
	{
		expectClose(
			complaints,
			`${what}, matrix of its parts`,
			matrixOf(found.translation, found.rotation, found.scale),
			json.matrix,
			MATRIX_TOLERANCE,
			Math.max(...json.matrix.map(Math.abs)),
		);
	}
}

function compareNodes(complaints, info, json, root)
{
	const nodes = root.listNodes();
	expectEqual(complaints, 'nodes', info.nodes.length, nodes.length);
	const world = (index) =>
	{
		const { parent } = info.nodes[index];
		return parent === null
			? localMatrix(info.nodes[index])
			: multiply(world(parent), localMatrix(info.nodes[index]));
	};
	// @gltf-transform's own world matrices lose shear, and keep rotations of another length.
	const worldOf = (node) =>
	{
		const parent = node.getParentNode();
		const local =
			json.nodes[nodes.indexOf(node)].matrix ??
			matrixOf(node.getTranslation(), unit(node.getRotation()), node.getScale());
		return parent === null ? local : multiply(worldOf(parent), local);
	};
	nodes.forEach((node, n) =>
	{
		const expected = worldOf(node);
		const instancing = node.getExtension('EXT_mesh_gpu_instancing');
		const count = Math.max(0, ...(instancing?.listAttributes() ?? []).map((attribute) => attribute.getCount()));
		compareNode(complaints, `node ${n}`, info.nodes[n], node, json.nodes[n], root);
		expectClose(
			complaints,
			`node ${n}, world matrix`,
			world(n),
			expected,
			MATRIX_TOLERANCE,
			Math.max(...expected.map(Math.abs)),
		);
		expectEqual(complaints, `node ${n}, instances`, info.nodes[n].instances, count);
	});
	expectEqual(
		complaints,
		'scenes',
		info.scenes,
		root
			.listScenes()
			.map((scene) => ({
				name: scene.getName(),
				roots: scene.listChildren().map((node) => nodes.indexOf(node)),
			})),
	);
	expectEqual(complaints, 'default scene', info.default_scene, indexIn(root.listScenes(), root.getDefaultScene()));
}

function compareMaterials(complaints, info, root)
{
	expectEqual(complaints, 'materials', info.materials.length, root.listMaterials().length);
	root.listMaterials().forEach((material, m) =>
	{
		const what = `material ${m}`;
		compareFactors(complaints, what, info.materials[m], material);
		compareSlots(complaints, what, info.materials[m], material, (slot, row, texture) =>
			expectEqual(complaints, `${what}, ${slot}, image`, row.image, root.listTextures().indexOf(texture)),
		);
	});
}

/// Cooked materials say the same as the source's, in its order, and carry the samplers.
function compareCookedMaterials(complaints, tree, document, root)
{
	const model = [...tree.info([join(tree.cooked, `${document.stem}.lmodel`)]).values()][0];
	const files = model.materials.map((material) => join(tree.cooked, `${material.stem}.lmat`));
	const infos = tree.info(files);
	expectEqual(
		complaints,
		'material slots',
		model.materials.map((slot) => slot.name),
		root.listMaterials().map((material) => material.getName()),
	);
	root.listMaterials().forEach((material, m) =>
	{
		const what = `cooked material ${m}`;
		const found = infos.get(files[m]);
		compareFactors(complaints, what, found, material);
		compareSlots(complaints, what, found, material, (slot, row, texture, info) =>
			compareSampler(complaints, `${what}, ${slot}`, row, info),
		);
	});
}

const IDENTITY = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];

function compareSkins(complaints, info, root)
{
	expectEqual(
		complaints,
		'skins',
		info.skins.map((skin) => skin.name),
		root.listSkins().map((skin) => skin.getName()),
	);
	root.listSkins().forEach((skin, s) =>
	{
		const binds = skin.getInverseBindMatrices();
		expectEqual(
			complaints,
			`skin ${s}, joints`,
			info.skins[s].joints,
			skin.listJoints().map((joint) => root.listNodes().indexOf(joint)),
		);
		info.skins[s].inverse_binds.forEach((matrix, j) =>
			expectClose(
				complaints,
				`skin ${s}, inverse bind ${j}`,
				matrix,
				binds === null ? IDENTITY : binds.getElement(j, []),
			),
		);
	});
}

const INTERPOLATIONS = { LINEAR: 'linear', STEP: 'step', CUBICSPLINE: 'cubic' };

function compareAnimations(complaints, info, root)
{
	expectEqual(
		complaints,
		'animations',
		info.animations.map((animation) => animation.name),
		root.listAnimations().map((animation) => animation.getName()),
	);
	root.listAnimations().forEach((animation, a) =>
	{
		// A channel without a node moves nothing (section 5.8) and is left out.
		const channels = animation.listChannels().filter((channel) => channel.getTargetNode() !== null);
		expectEqual(
			complaints,
			`animation ${a}, channels`,
			info.animations[a].channels,
			channels.map((channel) => ({
				node: root.listNodes().indexOf(channel.getTargetNode()),
				path: channel.getTargetPath(),
				interpolation: INTERPOLATIONS[channel.getSampler().getInterpolation()],
				keys: channel.getSampler().getInput().getCount(),
			})),
		);
		const ends = channels.map((channel) => channel.getSampler().getInput().getArray().at(-1));
		expectClose(complaints, `animation ${a}, duration`, info.animations[a].duration, Math.max(0, ...ends));
	});
}

function compareLights(complaints, info, root)
{
	root.listNodes().forEach((node, n) =>
	{
		const light = node.getExtension('KHR_lights_punctual');
		const index = info.nodes[n].light;
		if (light === null || index === null)
		{
			expectEqual(complaints, `node ${n}, light`, index !== null, light !== null);
			return;
		}
		const spot = light.getType() === 'spot';
		const found = info.lights[index];
		expectEqual(
			complaints,
			`light ${index}, name and type`,
			[found.name, found.type],
			[light.getName(), light.getType()],
		);
		expectClose(
			complaints,
			`light ${index}, colour and intensity`,
			[...found.color, found.intensity],
			[...light.getColor(), light.getIntensity()],
		);
		expectClose(complaints, `light ${index}, range`, found.range, light.getRange() ?? 0);
		expectClose(
			complaints,
			`light ${index}, cones`,
			[found.inner_cone, found.outer_cone],
			spot ? [light.getInnerConeAngle(), light.getOuterConeAngle()] : [0, 0],
		);
	});
}

function compareCameras(complaints, info, json, root)
{
	expectEqual(
		complaints,
		'cameras',
		info.cameras.map((camera) => [camera.name, camera.type]),
		root.listCameras().map((camera) => [camera.getName(), camera.getType()]),
	);
	root.listCameras().forEach((camera, c) =>
	{
		const found = info.cameras[c];
		const flat = camera.getType() === 'orthographic';
		const lens = flat
			? [camera.getYMag(), camera.getXMag() / camera.getYMag()]
			: [camera.getYFov(), camera.getAspectRatio() ?? 0];
		// A perspective without zfar is infinite, for which larder writes 0 and @gltf-transform 100.
		const far = json.cameras[c][camera.getType()].zfar ?? 0;
		expectClose(
			complaints,
			`camera ${c}`,
			[found.vertical, found.aspect, found.near, found.far],
			[...lens, camera.getZNear(), far],
		);
	});
}

/// @gltf-transform knows the variants that some primitive uses.
function compareVariants(complaints, info, root)
{
	for (const primitive of root.listMeshes().flatMap((mesh) => mesh.listPrimitives()))
	{
		for (const mapping of primitive.getExtension('KHR_materials_variants')?.listMappings() ?? [])
		{
			const lost = mapping
				.listVariants()
				.map((variant) => variant.getName())
				.filter((name) => !info.variants.includes(name));
			expectEqual(complaints, 'variants that were lost', lost, []);
		}
	}
}

async function judgeDocument(tree, document, info)
{
	const complaints = [];
	const root = await readReference(document);
	const { json } = readGltf(document.file);
	compareNodes(complaints, info, json, root);
	compareMeshes(complaints, info, root);
	compareMaterials(complaints, info, root);
	compareSkins(complaints, info, root);
	compareAnimations(complaints, info, root);
	compareLights(complaints, info, root);
	compareCameras(complaints, info, json, root);
	compareVariants(complaints, info, root);
	compareCookedMaterials(complaints, tree, document, root);
	return complaints;
}

export async function judgeDocuments(trees, verdicts)
{
	for (const tree of trees.all)
	{
		const infos = tree.info(tree.models.map((document) => document.file));
		for (const document of tree.models)
		{
			await verdicts.check(`document ${document.name}`, () =>
				judgeDocument(tree, document, infos.get(document.file)),
			);
		}
	}
}

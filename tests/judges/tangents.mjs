// Tangents that the cook computed, corner by corner, against the reference implementation of MikkTSpace (the npm package
// "mikktspace") over the same triangles as three reads them.
//
// A vertex stores its tangent in 16 bits a coordinate, and three's positions are rounded otherwise than larder's where a
// node moves them. So angles are asked for here; tests/test_geometry_tangents_judge.c asks for bits. And where directions
// around a vertex cancel, the last bit of a position decides: where larder has another tangent, and the reference itself
// has one when positions are rounded otherwise, that is left out; there may be few such corners.

import { createRequire } from 'node:module';
import { groupBy, isSampled, matchNodes, sampledParts } from './cooked.mjs';
import { readModel } from './cookedfiles.mjs';
import { dot } from './matrix.mjs';
import { CookedFiles, worldMatrices } from './parts.mjs';
import { drawsOf, geometryOf, loadScene } from './scene.mjs';
import { expectedTriangles, faceNormal, pairTriangles } from './triangles.mjs';

const { generateTangents } = createRequire(import.meta.url)('mikktspace');

const TOLERANCE = 0.05; // degrees
const UNSTABLE_SHARE = 1e-4; // of corners
const NUDGES = 4; // other roundings that are tried
const NUDGE = 5e-7; // of a number: as far as roundings of a chain of matrices reach
const FLAG_AUTHORED_TANGENTS = 1 << 3;
const UV_NAMES = ['uv', 'uv1'];

/// Which set of texture coordinates a draw's computed tangents are laid along; undefined where nothing reads any.
function tangentSet({ json }, { primitive, object })
{
	const set = json.materials?.[primitive.material]?.judged.tangentSet;
	return object.geometry.attributes[UV_NAMES[set]] === undefined ? undefined : set;
}

/// A number rounded otherwise, equal ones alike. Way 0: as it is.
function nudged(value, way)
{
	const noise = Math.sin(value * 12345.678 + way) * 43758.5453;
	return way === 0 ? value : value * (1 + NUDGE * (2 * (noise - Math.floor(noise)) - 1));
}

/// The reference's tangents, four numbers a corner, of positions and normals that are nudged.
function referenceOf({ vertices, triangles, hasNormals }, set, way)
{
	const flat = (get) =>
		Float32Array.from(
			triangles.flatMap((triangle) =>
			{
				const corners = triangle.map((vertex) => vertices[vertex]);
				return corners.flatMap((corner) => get(corner, corners));
			}),
		);
	return generateTangents(
		flat(({ position }) => position.map((value) => nudged(value, way))),
		flat(({ normal }, corners) =>
			(hasNormals ? (normal ?? [0, 0, 0]) : faceNormal(corners)).map((value) => nudged(value, way)),
		),
		flat((corner) => corner[`uv${set}`]),
	);
}

function isUnit(tangent)
{
	return Math.abs(Math.hypot(...tangent.slice(0, 3)) - 1) < 0.01;
}

function degreesBetween(a, b)
{
	const cosine = dot(a, b) / Math.hypot(...a.slice(0, 3)) / Math.hypot(...b.slice(0, 3));
	return (Math.acos(Math.min(1, Math.max(-1, cosine))) * 180) / Math.PI;
}

/// Whether the reference says something else when numbers are rounded otherwise.
function isUnstable(expected, others)
{
	return !isUnit(expected) || !others.every((other) => degreesBetween(expected, other) < TOLERANCE / 2);
}

/// The triangles of one draw that are drawn by one part, against the reference. What is found is added to `sum`.
function compareDraw(scene, draw, triangles, part, mesh, sum)
{
	const set = tangentSet(scene, draw);
	if (set === undefined || (mesh.flags & FLAG_AUTHORED_TANGENTS) !== 0)
	{
		return;
	}
	// Tangents are made in the space that the part is stored in.
	const source = geometryOf(scene, draw, part.node !== null && !part.skinned);
	const references = Array.from({ length: 1 + NUDGES }, (_, way) => referenceOf(source, set, way));
	const tangentOf = mesh.attributes.get('tangent');
	for (const triangle of triangles)
	{
		const corners = source.triangles[triangle.number];
		triangle.vertices.forEach((vertex, i) =>
		{
			const at = 12 * triangle.number + 4 * corners.indexOf(vertex);
			const [expected, ...others] = references.map((reference) => [...reference.subarray(at, at + 4)]);
			const found = tangentOf(triangle.drawn[i]);
			const off = isUnit(expected) ? degreesBetween(found, expected) : Infinity;
			const isTurned = found[3] * expected[3] > 0; // the reference's texture coordinates begin at the bottom
			sum.corners++;
			if ((off > TOLERANCE || isTurned) && isUnstable(expected, others))
			{
				sum.unstable++;
				return;
			}
			sum.turned += isTurned;
			sum.degrees = Math.max(sum.degrees, off);
		});
	}
}

/// One model: { complaints, corners, unstable, degrees, turned }.
async function compareModel(tree, document)
{
	const complaints = [];
	const files = new CookedFiles(tree);
	const model = readModel(tree.read(document.stem, '.lmodel'));
	const scene = await loadScene(document.file);
	const matches = matchNodes(model, scene, complaints);
	const parts = sampledParts(files, model, worldMatrices(model), matches, scene, complaints);
	const draws = drawsOf(scene, isSampled).map((draw) => ({ draw, geometry: geometryOf(scene, draw) }));
	const scale = draws.reduce(
		(most, { geometry }) =>
			geometry.vertices.reduce((m, { position }) => Math.max(m, ...position.map(Math.abs)), most),
		0,
	);
	const expected = groupBy(draws, ({ draw }) => draw.primitive.material ?? null);
	const sum = { complaints, corners: 0, unstable: 0, degrees: 0, turned: 0 };
	groupBy(parts, ({ part }) => part.slot).forEach((found, slot) =>
	{
		const triangles = (expected.get(slot) ?? []).flatMap(({ draw, geometry }) =>
			expectedTriangles(draw, geometry).map((triangle, number) => Object.assign(triangle, { number })),
		);
		pairTriangles(found, triangles, scale, `material ${slot}`, complaints);
		const drawn = triangles.filter((triangle) => triangle.taken);
		groupBy(drawn, ({ draw }) => draw).forEach((ofDraw, draw) =>
			groupBy(ofDraw, ({ part }) => part).forEach((ofPart, part) =>
				compareDraw(scene, draw, ofPart, part, files.mesh(part.mesh), sum),
			),
		);
	});
	return sum;
}

/// What is wrong with a model's tangents. `tell`: print how far they are off.
export async function judgeModelTangents(tree, document, tell)
{
	const { complaints, corners, unstable, degrees, turned } = await compareModel(tree, document);
	const what = `${corners} corners, ${unstable} of them unstable, at most ${degrees.toPrecision(3)} degrees off`;
	tell && corners !== 0 && console.log(`# ${document.name}: ${what}`);
	const isWrong = turned !== 0 || !(degrees <= TOLERANCE) || unstable > UNSTABLE_SHARE * corners;
	return isWrong ? [...complaints, `${what}; ${turned} bitangents turned round`] : complaints;
}

export async function judgeTangents(trees, verdicts)
{
	for (const tree of trees.all)
	{
		for (const document of tree.models)
		{
			await verdicts.check(`tangents ${document.name}`, () => judgeModelTangents(tree, document, true));
		}
	}
}

// Pairs the triangles that larder draws with those of the reference: each of larder's must be one of the source's, with
// the same corners in the same order (up to rotation), and each of the source's must be drawn unless it covers nothing.

import { cross, distance, dot, normalize, subtract } from './matrix.mjs';

const POSITION_TOLERANCE = 1e-5; // of the scene's largest coordinate: a few f32 roundings of a chain of matrices
const NORMAL_TOLERANCE = Math.PI / 180;
const UV_TOLERANCE = 1e-6;
const COLOR_TOLERANCE = 0.51 / 255;
const MORPH_DIRECTION_TOLERANCE = 2.1 / 32767; // stored halved as snorm16, per component
const NO_UV = [0, 0];
const NO_DELTA = { position: [0, 0, 0], normal: [0, 0, 0] };
const FLATTEST = 1e-6; // height over longest side below which a triangle may be called a line

function angle(a, b)
{
	return Math.acos(Math.min(1, Math.max(-1, dot(a, b))));
}

function largestDifference(a, b)
{
	let largest = 0;
	for (let i = 0; i < a.length; i++)
	{
		largest = Math.max(largest, Math.abs(a[i] - b[i]));
	}
	return largest;
}

function weightDifference(a, b)
{
	return Math.max(...[...a.keys(), ...b.keys()].map((node) => Math.abs((a.get(node) ?? 0) - (b.get(node) ?? 0))));
}

function magnitude(uv)
{
	return Math.max(1, Math.abs(uv[0]), Math.abs(uv[1]));
}

/// The largest difference of all: what differs, and by how many times what is allowed.
class Worst
{
	what = 'nothing';
	times = 0;

	see(what, times)
	{
		if (times > this.times || Number.isNaN(times))
		{
			this.what = what;
			this.times = Number.isNaN(times) ? Infinity : times;
		}
	}
}

/// See all that can differ between a corner of larder's and of the source's. `scale`: the scene's largest coordinate.
function compareCorners(found, expected, normal, context, worst)
{
	const uv1 = context.mesh.attributes.has('uv1') ? expected.uv1 : NO_UV;
	worst.see('position', distance(found.position, expected.position) / (POSITION_TOLERANCE * context.scale));
	worst.see('uv0', largestDifference(found.uv0, expected.uv0) / (UV_TOLERANCE * magnitude(expected.uv0)));
	worst.see('uv1', largestDifference(found.uv1, uv1) / (UV_TOLERANCE * magnitude(uv1)));
	worst.see('colour', largestDifference(found.color, expected.color) / COLOR_TOLERANCE);
	if (normal !== undefined) // a normal of no length is the cook's to mend
	{
		worst.see('normal', angle(found.normal, normal) / NORMAL_TOLERANCE);
	}
	if (expected.tangent !== undefined && context.hasNormals && dot(expected.tangent, expected.tangent) > 0.5)
	{
		worst.see('tangent', angle(found.tangent, expected.tangent) / NORMAL_TOLERANCE);
		worst.see('handedness', found.tangent[3] * expected.tangent[3] > 0 ? 0 : Infinity);
	}
	if (expected.influences !== undefined)
	{
		// Weights are rounded, so a vertex whose joints would put it to different places may move by that part of their
		// distance.
		const step = context.mesh.weightStep;
		worst.see('weights', weightDifference(found.influences, expected.influences) / (1.01 * step));
		worst.see('skinned position', distance(found.skinned, expected.skinned) / ((1e-3 + 4 * step) * context.scale));
	}
	expected.morphs.forEach((morph, m) =>
	{
		const delta = found.morphs[m] ?? NO_DELTA;
		worst.see(`morph ${m}, position`, largestDifference(delta.position, morph.position) / (1e-6 * context.scale));
		worst.see(`morph ${m}, normal`, largestDifference(delta.normal, morph.normal) / MORPH_DIRECTION_TOLERANCE);
	});
}

function centroid([a, b, c])
{
	return [0, 1, 2].map((axis) => (a.position[axis] + b.position[axis] + c.position[axis]) / 3);
}

export function faceNormal([a, b, c])
{
	return normalize(cross(subtract(b.position, a.position), subtract(c.position, a.position)));
}

/// A triangle so flat that f32 can't tell it from a line.
function coversNothing([a, b, c])
{
	const sides = [
		distance(a.position, b.position),
		distance(b.position, c.position),
		distance(c.position, a.position),
	];
	const doubledArea = Math.hypot(...cross(subtract(b.position, a.position), subtract(c.position, a.position)));
	return !(doubledArea > FLATTEST * Math.max(...sides) ** 2);
}

/// Finds triangles by where they lie: a grid over centroids.
class Grid
{
	#cells = new Map();

	constructor(cell)
	{
		this.cell = cell;
	}

	#key([x, y, z])
	{
		return `${x},${y},${z}`;
	}

	add(triangle)
	{
		const key = this.#key(centroid(triangle.corners).map((value) => Math.floor(value / this.cell)));
		this.#cells.has(key) ? this.#cells.get(key).push(triangle) : this.#cells.set(key, [triangle]);
	}

	/// Triangles whose centroid may be within a tenth of a cell of a point.
	*near(point)
	{
		const ranges = point.map((value) => [
			...new Set([-0.1, 0.1].map((part) => Math.floor(value / this.cell + part))),
		]);
		for (const x of ranges[0])
		{
			for (const y of ranges[1])
			{
				for (const z of ranges[2])
				{
					yield* this.#cells.get(this.#key([x, y, z])) ?? [];
				}
			}
		}
	}
}

function positionsAgree(corners, triangle, turn, tolerance)
{
	return corners.every(
		(corner, i) => distance(corner.position, triangle.corners[(i + turn) % 3].position) <= tolerance,
	);
}

/// A free reference triangle that agrees with one of larder's, or else the one most like it: { triangle, turn, worst },
/// where corner i of larder's is corner (i + turn) % 3 of the reference's.
function findPartner(corners, grid, context)
{
	const none = new Worst();
	none.see('place', Infinity);
	let best = { worst: none };
	for (const triangle of grid.near(centroid(corners)))
	{
		for (let turn = 0; turn < 3 && !triangle.taken && context.mayDraw(triangle.draw); turn++)
		{
			if (!positionsAgree(corners, triangle, turn, POSITION_TOLERANCE * context.scale))
			{
				continue;
			}
			const worst = new Worst();
			corners.forEach((corner, i) =>
			{
				const expected = triangle.corners[(i + turn) % 3];
				compareCorners(
					corner,
					expected,
					triangle.flatNormal ?? expected.normal,
					{ ...context, hasNormals: triangle.hasNormals },
					worst,
				);
			});
			best = worst.times < best.worst.times ? { triangle, turn, worst } : best;
			if (worst.times <= 1)
			{
				return best;
			}
		}
	}
	return best;
}

/// Reference triangles of a draw, to be found.
export function expectedTriangles(draw, { vertices, triangles, hasNormals })
{
	return triangles.map((triangle) =>
	{
		const corners = triangle.map((vertex) => vertices[vertex]);
		return {
			draw,
			corners,
			vertices: triangle,
			hasNormals,
			flatNormal: hasNormals ? undefined : faceNormal(corners),
			taken: false,
			part: undefined,
			drawn: undefined,
		};
	});
}

function place(corners)
{
	return corners.map((corner) => corner.position.map((value) => value.toPrecision(5)).join(' ')).join(', ');
}

/// Pair all triangles of one material. `found`: [{ part, geometry }], `expected`: triangles, which learn the part that
/// draws them and which of its vertices their corners are (`drawn`); the geometry learns of which { draw, vertex } each
/// of its vertices is (`sources`). `mayDraw(part, draw)`: some pairs are ruled out. Returns how many of the source's
/// triangles are not drawn.
export function pairTriangles(found, expected, scale, what, complaints, mayDraw = () => true)
{
	const grid = new Grid(Math.max(scale, 1e-30) * POSITION_TOLERANCE * 20);
	expected.forEach((triangle) => grid.add(triangle));
	for (const { part, geometry } of found)
	{
		const context = { scale, mesh: geometry.mesh, mayDraw: (draw) => mayDraw(part, draw) };
		geometry.sources = new Map();
		for (const triangle of geometry.triangles)
		{
			const corners = triangle.map((vertex) => geometry.vertices[vertex]);
			const partner = findPartner(corners, grid, context);
			if (partner.worst.times > 1)
			{
				complaints.push(
					`${what}, part "${part.name}": the triangle at (${place(corners)}) has no partner in the source: ` +
						`${partner.worst.what} differs by ${partner.worst.times.toPrecision(3)} times what is allowed`,
				);
				continue;
			}
			partner.triangle.taken = true;
			partner.triangle.part = part;
			partner.triangle.drawn = [0, 1, 2].map((corner) => triangle[(corner + 3 - partner.turn) % 3]);
			const { draw, vertices } = partner.triangle;
			triangle.forEach((vertex, i) =>
				geometry.sources.set(vertex, { draw, vertex: vertices[(i + partner.turn) % 3] }),
			);
		}
	}
	const missing = expected.filter((triangle) => !triangle.taken);
	const visible = missing.filter((triangle) => !coversNothing(triangle.corners));
	if (visible.length !== 0)
	{
		const [{ draw, corners }] = visible;
		complaints.push(
			`${what}: ${visible.length} of the source's ${expected.length} triangles are not drawn; ` +
				`the first is of node ${draw.node}, mesh ${draw.mesh}, at (${place(corners)})`,
		);
	}
	return missing.length;
}

// Compares tangents with those of the npm package "mikktspace" (the reference implementation, in WebAssembly).
//
//   node mikktspace.mjs FILE...
//
// A file is what tests/fixtures/tangents_judge.c writes: cases one after the other, little-endian. A case: u32 bytes of its name, the
// name, zeros up to a multiple of 4; u32 corners of its triangle list; floats for each corner: positions x 3, normals x 3, uv x 2, our
// tangents x 4; u32 for each corner: its vertex before, and its vertex in our mesh, split and welded. The last triangle of a case is
// not the mesh's, but the writer's. Cases of one name are told in one line. Exit status: 0 all agree, 1 some do not, 77 the package is
// not installed (beside this script, or on NODE_PATH).
//
// The reference's sign is for uv with their origin at the bottom, ours for the top, so w is compared negated. Where the reference
// gives no direction (zero or NaN, from contributions that cancel), any unit tangent is right. Splits are the same where two corners
// of one vertex have one vertex still exactly when the reference gave them the same tangent.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const LARGEST_DIFFERENCE = 1e-4; // of a component
const LARGEST_ANGLE = 0.01; // degrees

let generateTangents;
try
{
	({ generateTangents } = createRequire(import.meta.url)('mikktspace'));
}
catch
{
	console.log('the npm package "mikktspace" is not installed');
	process.exit(77);
}

function* readCases(path)
{
	const bytes = readFileSync(path);
	let offset = 0;
	const take = (size) =>
	{
		const part = bytes.buffer.slice(bytes.byteOffset + offset, bytes.byteOffset + offset + size);
		offset += size;
		return part;
	};
	const number = () => new Uint32Array(take(4))[0];
	while (offset < bytes.length)
	{
		const size = number();
		const name = Buffer.from(take(size)).toString();
		offset = Math.ceil(offset / 4) * 4;
		const count = number();
		const floats = (components) => new Float32Array(take(4 * components * count));
		yield { name, count, position: floats(3), normal: floats(3), uv: floats(2), tangent: floats(4),
			before: new Uint32Array(take(4 * count)), after: new Uint32Array(take(4 * count)) };
	}
}

function angleBetween(a, b)
{
	const cross = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
	return Math.atan2(Math.hypot(...cross), a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) * 180 / Math.PI;
}

// Corners of one vertex that the reference tells apart and we don't, or the other way round.
function countSplits(one, reference, defined)
{
	const seen = new Map(); // from vertices before and after to the reference's tangent, and from there to the vertex after
	let wrong = 0;
	for (let corner = 0; corner < one.count; corner++)
	{
		if (!defined[corner])
		{
			continue;
		}
		const tangent = Array.from(reference.subarray(4 * corner, 4 * corner + 4), (value) => value + 0).join();
		const pairs = [[`after ${one.before[corner]} ${one.after[corner]}`, tangent],
			[`tangent ${one.before[corner]} ${tangent}`, one.after[corner]]];
		wrong += pairs.some(([key, value]) => seen.has(key) && seen.get(key) !== value);
		pairs.forEach(([key, value]) => seen.set(key, value));
	}
	return wrong;
}

function compare(one)
{
	const reference = generateTangents(one.position, one.normal, one.uv);
	const result = { triangles: one.count / 3 - 1, cases: 1, angle: 0, difference: 0, directions: 0, signs: 0, undefined: 0, first: '' };
	const defined = new Uint8Array(one.count);
	for (let corner = 0; corner < one.count; corner++)
	{
		const r = reference.subarray(4 * corner, 4 * corner + 4);
		const t = one.tangent.subarray(4 * corner, 4 * corner + 4);
		const difference = Math.max(Math.abs(r[0] - t[0]), Math.abs(r[1] - t[1]), Math.abs(r[2] - t[2]));
		const isUnit = Math.abs(Math.hypot(t[0], t[1], t[2]) - 1) < 1e-4;
		defined[corner] = Math.abs(Math.hypot(r[0], r[1], r[2]) - 1) < 0.01;
		const signIsWrong = t[3] !== -r[3];
		let isWrong = !isUnit;
		if (defined[corner])
		{
			const angle = angleBetween(r, t);
			result.angle = Math.max(result.angle, angle);
			result.difference = Math.max(result.difference, difference);
			isWrong ||= !(difference <= LARGEST_DIFFERENCE && angle <= LARGEST_ANGLE);
		}
		result.undefined += !defined[corner];
		result.directions += isWrong;
		result.signs += signIsWrong;
		if ((isWrong || signIsWrong) && result.first === '')
		{
			result.first = `corner ${corner}: ours (${Array.from(t).join(', ')}), the reference's (${Array.from(r).join(', ')})`;
		}
	}
	result.splits = countSplits(one, reference, defined);
	return result;
}

function join(a, b)
{
	return a === undefined ? b : { triangles: a.triangles + b.triangles, cases: a.cases + b.cases, angle: Math.max(a.angle, b.angle),
		difference: Math.max(a.difference, b.difference), directions: a.directions + b.directions, signs: a.signs + b.signs,
		splits: a.splits + b.splits, undefined: a.undefined + b.undefined, first: a.first || b.first };
}

const results = new Map();
for (const path of process.argv.slice(2))
{
	for (const one of readCases(path))
	{
		results.set(one.name, join(results.get(one.name), compare(one)));
	}
}
let failed = 0;
let worst = 0;
for (const [name, r] of results)
{
	const wrong = r.directions + r.signs + r.splits;
	const meshes = r.cases === 1 ? '' : `${r.cases} meshes, `;
	console.log(`${name}: ${meshes}${r.triangles} triangles, at most ${r.angle.toFixed(6)} degrees (${r.difference.toExponential(1)}), ` +
		`${r.directions} directions, ${r.signs} signs, ${r.splits} splits differ, ${r.undefined} without a direction`);
	if (wrong > 0)
	{
		failed++;
		console.log(`  ${r.first}`);
	}
	worst = Math.max(worst, r.angle);
}
console.log(`${results.size} compared, ${failed} differ, at most ${worst.toFixed(6)} degrees`);
process.exit(failed > 0 ? 1 : 0);

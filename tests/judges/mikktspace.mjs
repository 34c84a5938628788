// Compares tangents with those of the npm package "mikktspace" (the reference implementation, in WebAssembly).
//
//   node mikktspace.mjs [--time] FILE...
//
// A file is what tests/test_geometry_tangents_judge.c writes, little-endian: u32 corner count, then floats: positions x 3,
// normals x 3, uv x 2, our tangents x 4, for every corner of a triangle list. Exit status: 0 all agree, 1 some do not, 77 the
// package is not installed (beside this script, or on NODE_PATH).
//
// The reference's sign is for uv with their origin at the bottom, ours for the top, so w is compared negated. Where the reference
// gives no direction (zero or NaN, from contributions that cancel), any unit tangent is right.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const TOLERANCE = 1e-4;

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

function readCase(path)
{
	const bytes = readFileSync(path);
	const count = bytes.readUInt32LE(0);
	let offset = 4;
	const floats = (components) =>
	{
		const array = new Float32Array(bytes.buffer.slice(bytes.byteOffset + offset, bytes.byteOffset + offset + 4 * components * count));
		offset += 4 * components * count;
		return array;
	};
	return { count, position: floats(3), normal: floats(3), uv: floats(2), tangent: floats(4) };
}

function compare(path)
{
	const one = readCase(path);
	const start = performance.now();
	const reference = generateTangents(one.position, one.normal, one.uv);
	const milliseconds = performance.now() - start;
	let worst = 0;
	let wrong = 0;
	let undefinedCount = 0;
	let first = -1;
	for (let corner = 0; corner < one.count; corner++)
	{
		const r = reference.subarray(4 * corner, 4 * corner + 4);
		const t = one.tangent.subarray(4 * corner, 4 * corner + 4);
		const length = Math.hypot(r[0], r[1], r[2]);
		let difference;
		if (!(Math.abs(length - 1) < 0.01))
		{
			undefinedCount++;
			difference = Math.abs(Math.hypot(t[0], t[1], t[2]) - 1) < 1e-4 ? 0 : 1;
		}
		else
		{
			difference = Math.max(Math.abs(r[0] - t[0]), Math.abs(r[1] - t[1]), Math.abs(r[2] - t[2]), Math.abs(-r[3] - t[3]));
		}
		worst = Math.max(worst, difference);
		if (!(difference <= TOLERANCE))
		{
			first = wrong++ === 0 ? corner : first;
		}
	}
	return { path, count: one.count, worst, wrong, undefinedCount, first, milliseconds, one, reference };
}

const paths = process.argv.slice(2).filter((argument) => argument !== '--time');
let failed = 0;
for (const path of paths)
{
	const r = compare(path);
	const time = process.argv.includes('--time') ? `, ${r.milliseconds.toFixed(0)} ms` : '';
	console.log(`${path}: ${r.count} corners, ${r.wrong} differ, worst ${r.worst.toExponential(2)}, ` +
		`${r.undefinedCount} without a direction${time}`);
	if (r.wrong > 0)
	{
		failed++;
		const at = (array, n) => `(${Array.from(array.subarray(n * r.first, n * r.first + n)).join(', ')})`;
		console.log(`  corner ${r.first}: ours ${at(r.one.tangent, 4)}, the reference's ${at(r.reference, 4)}`);
	}
}
process.exit(failed > 0 ? 1 : 0);

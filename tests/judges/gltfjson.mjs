// The plain JSON of a .gltf or .glb, for what readers of glTF put right or leave out before one sees it.

import { readFileSync } from 'node:fs';

/// { json, binary }: binary is a GLB's second chunk. Throws when it is no JSON.
export function readGltf(file)
{
	const bytes = readFileSync(file);
	const isGlb = bytes.length >= 20 && bytes.toString('latin1', 0, 4) === 'glTF';
	const jsonEnd = isGlb ? 20 + bytes.readUInt32LE(12) : bytes.length;
	const text = bytes.toString('utf8', isGlb ? 20 : 0, jsonEnd).replace(/^\uFEFF/, ''); // a byte order mark
	return { json: JSON.parse(text), binary: isGlb ? bytes.subarray(jsonEnd + 8) : undefined };
}

/// A node's matrix bends right angles: it is not a product of translation, rotation and scale.
export function isSheared({ matrix })
{
	const columns = matrix === undefined ? [] : [matrix.slice(0, 3), matrix.slice(4, 7), matrix.slice(8, 11)];
	return columns.some((a, i) =>
		columns
			.slice(i + 1)
			.some(
				(b) => Math.abs(a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) > 1e-4 * Math.hypot(...a) * Math.hypot(...b),
			),
	);
}

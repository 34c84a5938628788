// The little linear algebra that judges need: column-major 4 x 4 matrices and quaternions (xyzw) as plain arrays.

export function multiply(a, b)
{
	const product = new Array(16).fill(0);
	for (let column = 0; column < 4; column++)
	{
		for (let row = 0; row < 4; row++)
		{
			for (let k = 0; k < 4; k++)
			{
				product[4 * column + row] += a[4 * k + row] * b[4 * column + k];
			}
		}
	}
	return product;
}

export function matrixOf([tx, ty, tz], [x, y, z, w], [sx, sy, sz])
{
	return [
		(1 - 2 * (y * y + z * z)) * sx,
		2 * (x * y + z * w) * sx,
		2 * (x * z - y * w) * sx,
		0,
		2 * (x * y - z * w) * sy,
		(1 - 2 * (x * x + z * z)) * sy,
		2 * (y * z + x * w) * sy,
		0,
		2 * (x * z + y * w) * sz,
		2 * (y * z - x * w) * sz,
		(1 - 2 * (x * x + y * y)) * sz,
		0,
		tx,
		ty,
		tz,
		1,
	];
}

export function movePoint(m, [x, y, z])
{
	return [0, 1, 2].map((row) => m[row] * x + m[4 + row] * y + m[8 + row] * z + m[12 + row]);
}

/// The length of a difference.
export function distance(a, b)
{
	return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

export function cross(a, b)
{
	return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

export function subtract(a, b)
{
	return [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
}

export function dot(a, b)
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

export function normalize(v)
{
	const length = Math.hypot(v[0], v[1], v[2]);
	return [v[0] / length, v[1] / length, v[2] / length];
}

export function determinant(m)
{
	return dot(m.slice(0, 3), cross(m.slice(4, 7), m.slice(8, 11)));
}

/// How normals move: the inverse transpose of the upper 3 x 3, which is the cofactors over the determinant; as a 4 x 4.
export function normalMatrixOf(m)
{
	const columns = [m.slice(0, 3), m.slice(4, 7), m.slice(8, 11)];
	const scale = 1 / determinant(m);
	const cofactors = [0, 1, 2].map((c) =>
		cross(columns[(c + 1) % 3], columns[(c + 2) % 3]).map((value) => value * scale),
	);
	return [...cofactors[0], 0, ...cofactors[1], 0, ...cofactors[2], 0, 0, 0, 0, 1];
}

/// A direction through the upper 3 x 3, made unit length again.
export function moveDirection(m, [x, y, z])
{
	return normalize([0, 1, 2].map((row) => m[row] * x + m[4 + row] * y + m[8 + row] * z));
}

// Pictures of light: Radiance's .hdr read and written, and spherical harmonics of panoramas, worked out from nothing
// but what the documentation says (docs/formats.md, src/image/harmonics.h).

/// A panorama as .hdr, without run lengths: `colorAt(x, y)` gives red, green, blue.
export function writeHdr(width, height, colorAt)
{
	const header = `#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y ${height} +X ${width}\n`;
	const texels = Buffer.alloc(4 * width * height);
	for (let i = 0; i < width * height; i++)
	{
		const color = colorAt(i % width, Math.floor(i / width));
		const exponent = Math.ceil(Math.log2(Math.max(...color, 1e-30) * (256 / 255.5)));
		color.forEach((value, c) => (texels[4 * i + c] = Math.min(255, Math.floor((value / 2 ** exponent) * 256))));
		texels[4 * i + 3] = exponent + 128;
	}
	return Buffer.concat([Buffer.from(header), texels]);
}

function readRun(bytes, at, row, channel, width)
{
	for (let x = 0; x < width;)
	{
		const count = bytes[at++];
		const repeats = count > 128;
		for (let i = 0; i < (repeats ? count - 128 : count); i++)
		{
			row[4 * x++ + channel] = repeats ? bytes[at] : bytes[at++];
		}
		at += repeats ? 1 : 0;
	}
	return at;
}

/// A .hdr file whose rows are plain or in the newer run lengths: { width, height, texels } of red, green, blue.
export function readHdr(bytes)
{
	const blank = bytes.indexOf('\n\n');
	const end = bytes.indexOf('\n', blank + 2);
	const [, height, width] = /-Y (\d+) \+X (\d+)/.exec(bytes.toString('latin1', blank + 2, end)).map(Number);
	const texels = new Float64Array(3 * width * height);
	let at = end + 1;
	for (let y = 0; y < height; y++)
	{
		let row = bytes.subarray(at, at + 4 * width);
		if (row[0] === 2 && row[1] === 2 && row[2] * 256 + row[3] === width && width >= 8)
		{
			row = new Uint8Array(4 * width);
			at += 4;
			[0, 1, 2, 3].forEach((channel) => (at = readRun(bytes, at, row, channel, width)));
		}
		else
		{
			at += 4 * width;
		}
		for (let i = 0; i < 3 * width; i++)
		{
			const exponent = row[4 * Math.floor(i / 3) + 3];
			texels[3 * width * y + i] = exponent === 0 ? 0 : row[4 * Math.floor(i / 3) + (i % 3)] * 2 ** (exponent - 136);
		}
	}
	return { width, height, texels };
}

/// The nine real harmonics up to band 2, orthonormal, all constants positive.
function basis([x, y, z])
{
	const root = (value) => Math.sqrt(value / Math.PI);
	return [
		root(1) / 2,
		(root(3) / 2) * y,
		(root(3) / 2) * z,
		(root(3) / 2) * x,
		(root(15) / 2) * x * y,
		(root(15) / 2) * y * z,
		(root(5) / 4) * (3 * z * z - 1),
		(root(15) / 2) * x * z,
		(root(15) / 4) * (x * x - y * y),
	];
}

/// The radiance of a panorama projected: 9 x red, green, blue. Its middle is +Z, its right half +X, its top +Y.
export function projectPanorama({ width, height, texels })
{
	const sums = new Float64Array(27);
	for (let y = 0; y < height; y++)
	{
		const [top, bottom] = [y, y + 1].map((edge) => (Math.PI * edge) / height);
		const angle = ((Math.cos(top) - Math.cos(bottom)) * 2 * Math.PI) / width; // solid, of one texel
		const polar = (top + bottom) / 2;
		for (let x = 0; x < width; x++)
		{
			const longitude = ((x + 0.5) / width) * 2 * Math.PI - Math.PI;
			const direction = [
				Math.sin(polar) * Math.sin(longitude),
				Math.cos(polar),
				Math.sin(polar) * Math.cos(longitude),
			];
			basis(direction).forEach((value, i) =>
			{
				for (let c = 0; c < 3; c++)
				{
					sums[3 * i + c] += texels[3 * (width * y + x) + c] * value * angle;
				}
			});
		}
	}
	return sums;
}

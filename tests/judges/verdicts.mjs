// Verdicts: one line a check, and the sum.

export class Verdicts
{
	passed = 0;
	failed = 0;
	skipped = 0;

	/// Run a check; `body` returns complaints (an array of strings, empty when all is well) or throws.
	async check(name, body)
	{
		let complaints;
		try
		{
			complaints = await body();
		}
		catch (error)
		{
			complaints = [(error.stack ?? String(error)).split('\n').slice(0, 3).join(' ')];
		}
		if (complaints.length === 0)
		{
			this.passed++;
			console.log(`ok ${name}`);
			return;
		}
		this.failed++;
		const more = complaints.length > 3 ? ` (and ${complaints.length - 3} more)` : '';
		console.log(`not ok ${name}: ${complaints.slice(0, 3).join('; ')}${more}`);
	}

	skip(name, why)
	{
		this.skipped++;
		console.log(`skipped ${name}: ${why}`);
	}

	/// Print the sum; the exit status.
	finish()
	{
		console.log(`${this.passed} passed, ${this.failed} failed, ${this.skipped} skipped`);
		return this.failed === 0 && this.passed > 0 ? 0 : 1;
	}
}

/// Equal, or differing by less than `tolerance` times the larger magnitude (and times `scale`, for numbers near zero).
export function close(a, b, tolerance = 1e-6, scale = 1)
{
	return a === b || Math.abs(a - b) <= tolerance * Math.max(Math.abs(a), Math.abs(b), scale);
}

/// Complain unless two numbers, or two arrays of them, are close.
export function expectClose(complaints, what, found, expected, tolerance, scale)
{
	const a = [found].flat();
	const b = [expected].flat();
	if (a.length !== b.length || a.some((value, i) => !close(value, b[i], tolerance, scale)))
	{
		complaints.push(`${what}: larder says ${show(found)}, expected ${show(expected)}`);
	}
}

/// Complain unless two values are the same as JSON.
export function expectEqual(complaints, what, found, expected)
{
	if (JSON.stringify(found) !== JSON.stringify(expected))
	{
		complaints.push(`${what}: larder says ${show(found)}, expected ${show(expected)}`);
	}
}

function show(value)
{
	const text = JSON.stringify(Array.isArray(value) ? value.map(shorten) : shorten(value)) ?? 'nothing';
	return text.length > 160 ? `${text.slice(0, 160)}…` : text;
}

function shorten(value)
{
	return typeof value === 'number' ? Number(value.toPrecision(9)) : value;
}

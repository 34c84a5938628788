// Clips: every channel, sampled from the bytes of the .lclip by the plainest reading of glTF 2.0, Appendix C, against
// three's interpolants on the source. Keys that others give back may be missing; what the channel says at their times,
// and between them, must be there.

import { InterpolateDiscrete } from 'three';
import { readClip } from './cookedfiles.mjs';
import { expectEqual } from './verdicts.mjs';

// What keys may be dropped for is 1e-5 of how far a channel's values range, and of a radian; and roundings.
const VALUE_TOLERANCE = 2.1e-5; // of the channel's largest value
const ROTATION_TOLERANCE = 1.2e-5; // radians
const SAMPLED_KEYS = 100; // of a channel

function slerp(a, b, part)
{
	let cosine = a.reduce((sum, value, i) => sum + value * b[i], 0);
	const sign = cosine < 0 ? -1 : 1;
	cosine = Math.min(1, Math.abs(cosine));
	const whole = Math.acos(cosine);
	const [from, to] =
		whole < 1e-4
			? [1 - part, part]
			: [Math.sin((1 - part) * whole) / Math.sin(whole), Math.sin(part * whole) / Math.sin(whole)];
	return a.map((value, i) => from * value + sign * to * b[i]);
}

function cubic(before, after, components, part, step)
{
	const [t, t2, t3] = [part, part ** 2, part ** 3];
	return Array.from(
		{ length: components },
		(_, c) =>
			(2 * t3 - 3 * t2 + 1) * before[components + c] +
			step * (t3 - 2 * t2 + t) * before[2 * components + c] +
			(3 * t2 - 2 * t3) * after[components + c] +
			step * (t3 - t2) * after[c],
	);
}

/// A cooked channel at a time.
function sample(channel, time)
{
	const { components, times, interpolation } = channel;
	const keySize = components * (interpolation === 'cubic' ? 3 : 1);
	const key = (i) => [...channel.values.subarray(i * keySize, (i + 1) * keySize)];
	const value = (i) => (interpolation === 'cubic' ? key(i).slice(components, 2 * components) : key(i));
	const after = times.findIndex((keyTime) => keyTime > time);
	if (after <= 0)
	{
		return value(after === 0 ? 0 : times.length - 1);
	}
	const step = times[after] - times[after - 1];
	const part = (time - times[after - 1]) / step;
	switch (interpolation)
	{
		case 'step':
			return value(after - 1);
		case 'cubic':
			return cubic(key(after - 1), key(after), components, part, step);
		default:
			return channel.path === 'rotation'
				? slerp(value(after - 1), value(after), part)
				: value(after - 1).map((from, c) => from + (value(after)[c] - from) * part);
	}
}

/// Linear rotations that are not of unit length are made so, key by key, before anything lies between them.
function normalizeKeys(track)
{
	for (let i = 0; i < track.values.length; i += 4)
	{
		const length = Math.hypot(...track.values.subarray(i, i + 4));
		track.values.subarray(i, i + 4).forEach((value, c) =>
		{
			track.values[i + c] = value / length;
		});
	}
}

/// glTF lets cubic rotations go the long way, from a key to the negative of its neighbour. larder's format has the
/// short way alone (docs/formats.md, "Clip"): there such keys are negated whole, tangents and all.
function takeShortWay(track)
{
	const dotWith = (i, j) => [4, 5, 6, 7].reduce((sum, c) => sum + track.values[i + c] * track.values[j + c], 0);
	for (let i = 12; i < track.values.length; i += 12)
	{
		const sign = dotWith(i, i - 12) < 0 ? -1 : 1;
		track.values.subarray(i, i + 12).forEach((value, c) =>
		{
			track.values[i + c] = value * sign;
		});
	}
}

function interpolationOf(track)
{
	return track.createInterpolant.isInterpolantFactoryMethodGLTFCubicSpline
		? 'cubic'
		: track.getInterpolation() === InterpolateDiscrete
			? 'step'
			: 'linear';
}

/// What larder makes of a source's rotations before anything else; harmless twice.
export function mendRotations(track)
{
	if (track.name.endsWith('.quaternion'))
	{
		interpolationOf(track) === 'cubic' ? takeShortWay(track) : normalizeKeys(track);
	}
}

const PROPERTIES = {
	translation: 'position',
	rotation: 'quaternion',
	scale: 'scale',
	weights: 'morphTargetInfluences',
};

/// three's track of a channel: named by the object it moves.
function trackOf(scene, animation, { target })
{
	const node = scene.nodes[target.node];
	let name = node.name || node.uuid;
	if (target.path === 'weights')
	{
		node.traverse((object) =>
		{
			name =
				object.morphTargetInfluences && name === (node.name || node.uuid) ? object.name || object.uuid : name;
		});
	}
	return scene.gltf.animations[animation].tracks.find((track) => track.name === `${name}.${PROPERTIES[target.path]}`);
}

function differ(path, found, expected, scale)
{
	if (path === 'rotation')
	{
		const cosine =
			found.reduce((sum, value, i) => sum + value * expected[i], 0) /
			Math.hypot(...found) /
			Math.hypot(...expected);
		return 2 * Math.acos(Math.min(1, Math.abs(cosine))) > ROTATION_TOLERANCE;
	}
	return (
		found.length !== expected.length ||
		found.some((value, c) => Math.abs(value - expected[c]) > VALUE_TOLERANCE * scale)
	);
}

/// Times at, just before and between keys, from the first to the last, and some that are none of these.
function momentsOf({ times })
{
	const [start, end] = [times[0], times.at(-1)];
	const stride = Math.ceil(times.length / SAMPLED_KEYS);
	const keys = [...times].filter((_, k) => k % stride === 0);
	const between = keys.map((time, k) => (k === 0 ? time : (time + keys[k - 1]) / 2));
	return [...[0, 0.21, 0.47, 0.83, 1].map((part) => start + (end - start) * part), ...keys, ...between];
}

function judgeChannel(found, track, what, complaints)
{
	const single = found.keyCount === 1; // has nothing to interpolate
	expectEqual(complaints, `${what}, interpolation`, found.interpolation, single ? 'linear' : interpolationOf(track));
	// Keys at one time are moved apart by a millionth of a second.
	const meet = (time, other) => Math.abs(time - other) <= 1.5e-6;
	const isKey = (time) => track.times.some((other) => meet(time, other));
	if (
		found.keyCount > track.times.length ||
		!found.times.every(isKey) ||
		(!single && !(meet(found.times[0], track.times[0]) && meet(found.times.at(-1), track.times.at(-1))))
	)
	{
		complaints.push(`${what}: its ${found.keyCount} keys are not some of the source's ${track.times.length}`);
	}
	mendRotations(track);
	const interpolant = track.createInterpolant();
	const scale = Math.max(1e-6, ...track.values.map(Math.abs));
	for (const time of momentsOf(track))
	{
		const value = sample(found, time);
		const expected = [...interpolant.evaluate(time)];
		if (differ(found.path, value, expected, scale))
		{
			complaints.push(
				`${what} at ${time} s: larder's channel gives ${value.map((x) => x.toPrecision(6))}, ` +
					`three ${expected.map((x) => x.toPrecision(6))}`,
			);
			return;
		}
	}
}

function judgeTarget(found, model, matches, json, channel, what, complaints)
{
	const joints = found.joint < 0 ? undefined : model.skeletons[found.skeleton].jointNodes;
	expectEqual(complaints, `${what}, node`, matches[found.node].node, channel.target.node);
	expectEqual(complaints, `${what}, node's name`, found.target, json.nodes[channel.target.node].name ?? '');
	expectEqual(complaints, `${what}, joint`, joints === undefined ? found.node : joints[found.joint], found.node);
}

/// Every clip of a model. `matches`: model node -> { node, instance } of the source.
export function judgeClips(tree, model, scene, matches)
{
	const complaints = [];
	const { json } = scene;
	// Channels without a node are left out, and animations that have no other.
	const kept = (json.animations ?? [])
		.map((animation, index) => ({
			animation,
			index,
			channels: animation.channels.filter((channel) => channel.target.node !== undefined),
		}))
		.filter(({ channels }) => channels.length !== 0);
	expectEqual(complaints, 'clips', model.clips.length, kept.length);
	kept.forEach(({ animation, index, channels }, c) =>
	{
		const what = `clip ${model.clips[c].name}`;
		const clip = readClip(tree.read(model.clips[c].stem, '.lclip'));
		const ends = channels
			.map((channel) => json.accessors[animation.samplers[channel.sampler].input])
			.map((accessor) => accessor.max?.[0] ?? 0);
		const rows = channels.map(({ target }) =>
			clip.channels.filter((row) => matches[row.node].node === target.node && row.path === target.path),
		);
		expectEqual(complaints, `${what}, channels`, rows.flat().length, clip.channels.length);
		if (animation.name)
		{
			expectEqual(
				complaints,
				`${what}, names`,
				[clip.name, model.clips[c].name],
				[animation.name, animation.name],
			);
		}
		if (Math.abs(clip.duration - Math.max(...ends)) > 1e-6 * clip.duration && Math.max(...ends) > 0)
		{
			complaints.push(`${what}: it lasts ${clip.duration} s, the last key is at ${Math.max(...ends)} s`);
		}
		channels.forEach((channel, i) =>
		{
			const track = trackOf(scene, index, channel);
			const name = `${what}, node ${channel.target.node}, ${channel.target.path}`;
			if (rows[i].length === 0 || track === undefined)
			{
				complaints.push(`${name}: ${track === undefined ? 'three' : 'larder'} has no such channel`);
				return;
			}
			rows[i].forEach((row) =>
			{
				judgeTarget(row, model, matches, json, channel, name, complaints);
				judgeChannel(row, track, name, complaints);
			});
		});
	});
	return complaints;
}

// Cooked meshes by themselves: what culling relies on is true of their triangles.

import { cross, distance, dot, subtract } from './matrix.mjs';

const MESHLET_MAX_VERTICES = 64;
const MESHLET_MAX_TRIANGLES = 124;

/// Boxes and spheres hold what they should, and no more.
export function judgeBounds(what, bounds, points, complaints, tight)
{
	const scale = points.reduce((most, point) => Math.max(most, ...point.map(Math.abs)), 1e-30);
	for (const axis of points.length === 0 ? [] : [0, 1, 2])
	{
		const low = points.reduce((least, point) => Math.min(least, point[axis]), Infinity);
		const high = points.reduce((most, point) => Math.max(most, point[axis]), -Infinity);
		const slack = 1e-6 * scale;
		const loose = tight && (bounds.min[axis] < low - slack || bounds.max[axis] > high + slack);
		if (bounds.min[axis] > low + slack || bounds.max[axis] < high - slack || loose)
		{
			complaints.push(
				`${what}: its box says ${bounds.min[axis]} to ${bounds.max[axis]} on axis ${axis}, ` +
					`its points reach from ${low} to ${high}`,
			);
		}
	}
	const outside = points.find((point) => distance(point, bounds.centre) > bounds.radius * (1 + 1e-5) + 1e-6 * scale);
	if (outside !== undefined)
	{
		complaints.push(`${what}: (${outside}) lies outside its sphere`);
	}
}

// Eyes all around a meshlet, near and far.
const EYES = [-1, 0, 1]
	.flatMap((x) => [-1, 0, 1].flatMap((y) => [-1, 0, 1].map((z) => [x, y, z])))
	.flatMap((at) => [at.map((v) => v * 1.3), at.map((v) => v * 20)]);

/// A meshlet that its cone says can't be seen from an eye has no triangle that faces it.
function judgeCone(what, meshlet, positions, complaints)
{
	for (const eye of EYES.map((at) => at.map((value, axis) => meshlet.centre[axis] + value * meshlet.radius)))
	{
		const view = subtract(meshlet.coneApex, eye);
		const length = Math.hypot(...view);
		if (meshlet.coneCutoff >= 1 || !(dot(view, meshlet.coneAxis) >= meshlet.coneCutoff * length))
		{
			continue;
		}
		for (const triangle of meshlet.triangles)
		{
			const [a, b, c] = triangle.map((vertex) => positions[vertex]);
			const normal = cross(subtract(b, a), subtract(c, a));
			const towards = subtract(eye, a);
			if (dot(normal, towards) > 1e-4 * Math.hypot(...normal) * Math.hypot(...towards))
			{
				complaints.push(`${what}: its cone hides a triangle that faces (${eye})`);
				return;
			}
		}
	}
}

/// A mesh by itself: its bounds, the size of its meshlets, their spheres and cones.
export function judgeMesh(stem, mesh, complaints)
{
	const positions = Array.from({ length: mesh.vertexCount }, (_, v) => mesh.attributes.get('position')(v));
	judgeBounds(stem, mesh.bounds, positions, complaints, true);
	mesh.meshlets.forEach((meshlet, m) =>
	{
		const what = `${stem}, meshlet ${m}`;
		const points = meshlet.triangles.flat().map((vertex) => positions[vertex]);
		const largest = Math.max(1e-30, ...points.flat().map(Math.abs));
		if (meshlet.vertexCount > MESHLET_MAX_VERTICES || meshlet.triangleCount > MESHLET_MAX_TRIANGLES)
		{
			complaints.push(`${what}: ${meshlet.vertexCount} vertices, ${meshlet.triangleCount} triangles`);
		}
		if (points.some((point) => distance(point, meshlet.centre) > meshlet.radius * (1 + 1e-5) + 1e-6 * largest))
		{
			complaints.push(`${what}: a vertex lies outside its sphere`);
		}
		judgeCone(what, meshlet, positions, complaints);
	});
}

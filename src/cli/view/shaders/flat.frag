#version 450
#extension GL_GOOGLE_include_directive : require
#ifdef TABLE
#extension GL_EXT_nonuniform_qualifier : require
#endif
#include "common.glsl"
#include "maps.glsl"

// A texture as large as fits, over a checkerboard where it is not opaque.

layout(location = 0) in vec2 in_ndc;
layout(location = 0) out vec4 out_color;

void main()
{
#ifdef TABLE
	uint place = frame.shown.x;
#else
	const uint place = 0u;
#endif
	vec2 size = is_bound(place) ? vec2(textureSize(MAP(place), 0)) : vec2(1.0);
	float scale = min(frame.size.x / size.x, frame.size.y / size.y);
	vec2 at = vec2(0.5, -0.5) * in_ndc * frame.size.xy / (size * scale) + 0.5;
	vec2 pixel = gl_FragCoord.xy / 12.0;
	vec3 board = vec3(mod(floor(pixel.x) + floor(pixel.y), 2.0) < 1.0 ? 0.1 : 0.16);
	vec4 texel = is_bound(place) ? textureLod(MAP(place), at, max(0.0, -log2(scale))) : vec4(1.0);
	bool is_inside = all(greaterThanEqual(at, vec2(0.0))) && all(lessThanEqual(at, vec2(1.0)));
	bool is_light = max(texel.r, max(texel.g, texel.b)) > 1.0;
	out_color = is_inside ? vec4(mix(board, texel.rgb * frame.sky.z, clamp(texel.a, 0.0, 1.0)), 0.0) : vec4(vec3(0.03), 0.0);
	out_color.a = is_inside && is_light ? 1.0 : 0.0;
}

#version 450
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

layout(set = 0, binding = 5) uniform samplerCube sky;
layout(location = 0) in vec3 in_way;
layout(location = 0) out vec4 out_color;

void main()
{
	vec4 seen = vec4(textureLod(sky, vec3(in_way.xy, -in_way.z), frame.sky.w).rgb * frame.sky.z, 1.0);
	out_color = mix(seen, vec4(frame.background.rgb, 0.0), frame.background.w);
}

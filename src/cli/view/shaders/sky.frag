#version 450
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

layout(set = 0, binding = 5) uniform samplerCube sky;
layout(location = 0) in vec2 in_ndc;
layout(location = 0) out vec4 out_color;

void main()
{
	if (frame.background.w != 0.0)
	{
		out_color = vec4(frame.background.rgb, 0.0);
		return;
	}
	vec3 d = mat3(frame.unproject) * vec3(in_ndc, 1.0);
	out_color = vec4(textureLod(sky, vec3(d.xy, -d.z), frame.sky.w).rgb * frame.sky.y * frame.sky.z, 1.0);
}

#version 450
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// One triangle over the whole picture, at infinity, and where its pixels look.

layout(location = 0) out vec3 out_way;

void main()
{
	vec2 ndc = vec2(gl_VertexIndex == 1 ? 3.0 : -1.0, gl_VertexIndex == 2 ? 3.0 : -1.0);
	gl_Position = vec4(ndc, 0.0, 1.0);
	out_way = mat3(frame.unproject) * vec3(ndc, 1.0);
}

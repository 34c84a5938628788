#version 450
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
#define MATERIAL_ROW what.z
#include "material.glsl"

// Vertices are fetched here, by the table of the mesh's file: any layout that a cooked mesh may have is drawn by the same pipelines.

layout(constant_id = 1) const uint LAYERS = 0u;
layout(constant_id = 3) const uint MODE = 0u; // view_mode

layout(set = 0, binding = 2, std430) readonly buffer Palettes { mat4 palettes[]; };
layout(set = 0, binding = 4, std430) readonly buffer Morphs { float morphs[]; };
layout(set = 1, binding = 0, std430) readonly buffer Words { uint words[]; };

// The instance, as cli/view/draws.c writes it.
layout(location = 0) in vec4 world_0;
layout(location = 1) in vec4 world_1;
layout(location = 2) in vec4 world_2;
layout(location = 3) in vec4 world_3;
layout(location = 4) in vec4 position_scale;
layout(location = 5) in vec4 position_offset;
layout(location = 6) in uvec4 stream_base;   // words
layout(location = 7) in uvec4 stream_stride; // words
layout(location = 8) in uvec4 attributes_0;  // by semantic: format, stream << 8, words << 16
layout(location = 9) in uvec4 attributes_1;
layout(location = 10) in uvec4 what; // first matrix of the palette, first word of morphs + 1, material, colour of the debug view

layout(location = 0) out vec3 out_position;
layout(location = 1) out vec3 out_normal;
layout(location = 2) out vec4 out_tangent;
layout(location = 3) centroid out vec4 out_uv;
layout(location = 4) out vec4 out_color;
layout(location = 5) flat out uvec2 out_what;
layout(location = 6) flat out float out_scale;
layout(location = 7) out vec3 out_to_eye;

const uint POSITION_ = 0, NORMAL_ = 1, TANGENT_ = 2, UV0_ = 3, COLOR_ = 4, UV1_ = 5, JOINTS_ = 6, WEIGHTS_ = 7;

bool is(uint layer)
{
	return (LAYERS & layer) != 0u;
}

uint attribute_of(uint semantic)
{
	return semantic < 4u ? attributes_0[semantic] : attributes_1[semantic & 3u];
}

// lrd_vertex_format of a semantic; 0: there is none.
uint format_of(uint semantic)
{
	return attribute_of(semantic) & 255u;
}

uint of_stream(uvec4 values, uint stream)
{
	return stream < 2u ? (stream == 0u ? values.x : values.y) : (stream == 2u ? values.z : values.w);
}

uint place_of(uint semantic)
{
	uint row = attribute_of(semantic);
	uint stream = row >> 8 & 255u;
	return of_stream(stream_base, stream) + uint(gl_VertexIndex) * of_stream(stream_stride, stream) + (row >> 16);
}

// Of unit length; what has no direction has the other's.
vec3 direction_of(vec3 v, vec3 otherwise)
{
	float square = dot(v, v);
	return square > 0.0 ? v * inversesqrt(square) : otherwise;
}

vec3 decode_octahedral(vec2 p)
{
	vec3 n = vec3(p, 1.0 - abs(p.x) - abs(p.y));
	if (n.z < 0.0)
	{
		n.xy = (1.0 - abs(n.yx)) * vec2(n.x >= 0.0 ? 1.0 : -1.0, n.y >= 0.0 ? 1.0 : -1.0);
	}
	return normalize(n);
}

vec3 fetch_position()
{
	uint place = place_of(POSITION_);
	if (format_of(POSITION_) == 4u)
	{
		vec3 p = vec3(unpackUnorm2x16(words[place]), unpackUnorm2x16(words[place + 1u]).x);
		return p * position_scale.xyz + position_offset.xyz;
	}
	return vec3(uintBitsToFloat(words[place]), uintBitsToFloat(words[place + 1u]), uintBitsToFloat(words[place + 2u]));
}

vec2 fetch_uv(uint semantic)
{
	uint place = place_of(semantic);
	return format_of(semantic) == 3u ? unpackHalf2x16(words[place])
									 : vec2(uintBitsToFloat(words[place]), uintBitsToFloat(words[place + 1u]));
}

uvec4 fetch_joints()
{
	uint place = place_of(JOINTS_);
	uint first = words[place];
	if (format_of(JOINTS_) == 8u)
	{
		return uvec4(first, first >> 8, first >> 16, first >> 24) & 255u;
	}
	uint second = words[place + 1u];
	return uvec4(first & 65535u, first >> 16, second & 65535u, second >> 16);
}

vec4 fetch_weights()
{
	uint place = place_of(WEIGHTS_);
	return format_of(WEIGHTS_) == 7u ? unpackUnorm4x8(words[place])
									 : vec4(unpackUnorm2x16(words[place]), unpackUnorm2x16(words[place + 1u]));
}

mat4 skinning(uint palette)
{
	uvec4 joints = fetch_joints() + palette;
	vec4 weights = fetch_weights();
	return palettes[joints.x] * weights.x + palettes[joints.y] * weights.y + palettes[joints.z] * weights.z +
		   palettes[joints.w] * weights.w;
}

void main()
{
	vec3 position = fetch_position();
	vec3 normal = decode_octahedral(unpackSnorm2x16(words[place_of(NORMAL_)]));
	uint packed = words[place_of(TANGENT_)];
	vec3 tangent = decode_octahedral(unpackSnorm2x16(packed));
	float side = (packed & 0x10000u) != 0u ? -1.0 : 1.0;
	if (is(MORPHED) && what.y != 0u)
	{
		uint at = what.y - 1u + uint(gl_VertexIndex) * 9u;
		position += vec3(morphs[at], morphs[at + 1u], morphs[at + 2u]);
		normal = direction_of(normal + vec3(morphs[at + 3u], morphs[at + 4u], morphs[at + 5u]), normal);
		tangent = direction_of(tangent + vec3(morphs[at + 6u], morphs[at + 7u], morphs[at + 8u]), tangent);
	}
	mat4 placing = mat4(world_0, world_1, world_2, world_3), world = placing;
	if (is(SKINNED) && format_of(JOINTS_) != 0u && what.x != 0xffffffffu)
	{
		world = world * skinning(what.x);
	}
	mat3 turn = mat3(world);
	// The cofactors: the inverse transposed, but for a factor, and there even where the matrix flattens.
	mat3 cofactors = mat3(cross(turn[1], turn[2]), cross(turn[2], turn[0]), cross(turn[0], turn[1]));
	float mirror = dot(turn[0], cofactors[0]) < 0.0 ? -1.0 : 1.0;
	vec4 placed = world * vec4(position, 1.0);
	gl_Position = frame.view_projection * placed;
	out_position = placed.xyz;
	out_to_eye = mix(frame.back.xyz, frame.eye.xyz - placed.xyz, frame.eye.w);
	// What is flattened to a line, or along the normal or tangent, still gets ones that are numbers.
	out_normal = direction_of(cofactors * normal, direction_of(turn * normal, normal)) * mirror;
	out_tangent = vec4(direction_of(turn * tangent, tangent), side * mirror);
	vec2 uv0 = fetch_uv(UV0_);
	out_uv = vec4(uv0, format_of(UV1_) != 0u ? fetch_uv(UV1_) : uv0);
	// The material's colour comes in here, where it costs less than for each pixel, but in the view of the vertices' own.
	out_color = unpackUnorm4x8(words[place_of(COLOR_)]) * (MODE == 6u ? vec4(1.0) : M.base_color);
	out_what = what.zw;
	out_scale = (length(placing[0].xyz) + length(placing[1].xyz) + length(placing[2].xyz)) / 3.0;
}

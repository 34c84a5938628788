// Samples slots of larder's table, each invocation another one.
#version 450
#extension GL_EXT_nonuniform_qualifier : require

layout(local_size_x = 32) in;

layout(set = 0, binding = 0) uniform texture2D textures[];
layout(set = 0, binding = 0) uniform textureCube cubes[];
layout(set = 0, binding = 1) uniform sampler samplers[18];
layout(set = 1, binding = 0) buffer Seen
{
	vec4 seen[];
};
layout(push_constant) uniform Constants
{
	uint first; // slot of invocation 0
	uint cube;  // a slot that has a cubemap
	uint sampler_index;
};

void main()
{
	uint i = gl_GlobalInvocationID.x;
	uint slot = first + i;
	if (slot == cube)
	{
		seen[i] = textureLod(samplerCube(cubes[nonuniformEXT(slot)], samplers[sampler_index]), vec3(0, 0, 1), 0);
	}
	else
	{
		seen[i] = textureLod(sampler2D(textures[nonuniformEXT(slot)], samplers[sampler_index]), vec2(0.5), 0);
	}
}

// Samples what a set of descriptors of a renderer's own names.
#version 450

layout(local_size_x = 1) in;

layout(set = 0, binding = 0) uniform sampler2D image;
layout(set = 0, binding = 1) buffer Seen
{
	vec4 seen[];
};
layout(push_constant) uniform Constants
{
	vec2 uv;
};

void main()
{
	seen[0] = textureLod(image, uv, 0);
}

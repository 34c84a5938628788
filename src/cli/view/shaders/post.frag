#version 450

// From light to what a screen shows: tone mapping, sRGB, and the overlay on top.

layout(constant_id = 0) const int SAMPLES = 4;

layout(set = 0, binding = 0) uniform sampler2DMS light;
layout(set = 0, binding = 1, std430) readonly buffer Sheet { uint sheet[]; };
layout(push_constant) uniform Overlay { uvec2 overlay; }; // its width and height in pixels, at the upper left
layout(location = 0) in vec2 in_ndc;
layout(location = 0) out vec4 out_color;

// Khronos, "PBR Neutral Tone Mapper": colours up to 0.8 keep their hue and saturation.
vec3 neutral(vec3 color)
{
	const float start = 0.8 - 0.04, desaturation = 0.15;
	float least = min(color.r, min(color.g, color.b));
	color -= least < 0.08 ? least - 6.25 * least * least : 0.04;
	float peak = max(color.r, max(color.g, color.b));
	if (peak < start)
	{
		return color;
	}
	const float room = 1.0 - start;
	float squeezed = 1.0 - room * room / (peak + room - start);
	color *= squeezed / peak;
	return mix(color, vec3(squeezed), 1.0 - 1.0 / (desaturation * (peak - squeezed) + 1.0));
}

vec3 encode_srgb(vec3 c)
{
	return mix(c * 12.92, 1.055 * pow(c, vec3(1.0 / 2.4)) - 0.055, greaterThan(c, vec3(0.0031308)));
}

void main()
{
	ivec2 at = ivec2(gl_FragCoord.xy);
	vec3 sum = vec3(0.0);
	for (int i = 0; i < SAMPLES; ++i)
	{
		vec4 c = texelFetch(light, at, i); // alpha: how much of it is light, and not a colour to be shown as it is
		sum += mix(clamp(c.rgb, 0.0, 1.0), clamp(neutral(c.rgb), 0.0, 1.0), clamp(c.a, 0.0, 1.0));
	}
	vec3 shown = encode_srgb(sum / float(SAMPLES));
	if (all(lessThan(uvec2(at), overlay)))
	{
		vec4 text = unpackUnorm4x8(sheet[uint(at.y) * overlay.x + uint(at.x)]);
		shown = mix(shown, text.rgb, text.a);
	}
	out_color = vec4(shown, 1.0);
}

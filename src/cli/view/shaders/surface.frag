#version 450
#extension GL_GOOGLE_include_directive : require
#ifdef TABLE
#extension GL_EXT_nonuniform_qualifier : require
#endif
#include "common.glsl"
#include "brdf.glsl"
#define MATERIAL_ROW in_what.x
#include "material.glsl"
#include "maps.glsl"

// A surface as glTF 2.0 and its KHR_materials_* extensions describe it. What a material lacks is left out by specialisation.

layout(constant_id = 0) const uint SLOTS = 0u;  // bit i: lrd_material_slot i has a texture
layout(constant_id = 1) const uint LAYERS = 0u; // bits below
layout(constant_id = 2) const uint ALPHA = 0u;  // lrd_alpha_mode
layout(constant_id = 3) const uint MODE = 0u;   // view_mode

layout(set = 0, binding = 5) uniform samplerCube sky;
layout(set = 0, binding = 6) uniform sampler2D behind;
layout(set = 0, binding = 7) uniform sampler2D tables; // see tables.c

layout(location = 0) in vec3 in_position;
layout(location = 1) in vec3 in_normal;
layout(location = 2) in vec4 in_tangent;
layout(location = 3) centroid in vec4 in_uv;
layout(location = 4) in vec4 in_color; // the material's base colour is in it
layout(location = 5) flat in uvec2 in_what;
layout(location = 6) flat in float in_scale;
layout(location = 7) in vec3 in_to_eye;

// Alpha says how much of what is behind is covered by something that is tone mapped; see post.frag.
layout(location = 0) out vec4 out_color;

bool has(uint slot)
{
	return (SLOTS >> slot & 1u) != 0u;
}

bool is(uint layer)
{
	return (LAYERS & layer) != 0u;
}

// Of in_uv, at the middle of pixels: at the rim of a triangle a quad's pixels are sampled at places of their own, and differences
// between those are no gradient.
vec4 uv_dx, uv_dy;

// Drivers in software fetch every number of a uniform for each pixel anew, and compile that at length: what is the same for most
// materials is not read by the pipelines of those.
vec4 read_map(uint slot)
{
#ifdef TABLE
	uint place = M.maps[slot >> 2][slot & 3u];
#else
	uint place = slot;
#endif
	if (!is_bound(place))
	{
		return vec4(1.0);
	}
	if (!is(TURNED))
	{
		return textureGrad(MAP(place), in_uv.xy, uv_dx.xy, uv_dy.xy);
	}
	vec4 turn = M.transforms[2u * slot], move = M.transforms[2u * slot + 1u];
	bool is_second = move.z != 0.0;
	vec2 uv = is_second ? in_uv.zw : in_uv.xy, dx = is_second ? uv_dx.zw : uv_dx.xy, dy = is_second ? uv_dy.zw : uv_dy.xy;
	return textureGrad(MAP(place), vec2(dot(turn.xy, uv), dot(turn.zw, uv)) + move.xy, vec2(dot(turn.xy, dx), dot(turn.zw, dx)),
		vec2(dot(turn.xy, dy), dot(turn.zw, dy)));
}

vec3 read_normal(uint slot, float scale, vec3 t, vec3 b, vec3 n)
{
	vec2 xy = read_map(slot).rg * 2.0 - 1.0;
	float z = sqrt(max(0.0, 1.0 - dot(xy, xy)));
	return normalize(t * xy.x * scale + b * xy.y * scale + n * z);
}

// Directional albedos: x and y of GGX (scale and bias of f0), z of sheen's Charlie.
vec3 read_albedo(float cosine, float roughness)
{
	vec2 at = clamp(vec2(cosine, roughness), 0.0, 1.0) * float(ALBEDO_SIDE - 1) + vec2(float(MATT_SIDE) + 0.5, 0.5);
	return textureLod(tables, at / vec2(MATT_SIDE + ALBEDO_SIDE, MATT_SIDE), 0.0).rgb;
}

// Cubemaps are left-handed: docs/guide-textures.md, "Light".
vec3 mirrored_light(vec3 d, float roughness)
{
	return textureLod(sky, vec3(d.xy, -d.z), roughness * frame.sky.x).rgb;
}

// What a matt surface that faces there gets, by octahedron (Cigolle et al., JCGT 3(2), 2014).
vec3 matt_light(vec3 n)
{
	vec3 p = n / (abs(n.x) + abs(n.y) + abs(n.z));
	vec2 folded = (1.0 - abs(p.yx)) * vec2(p.x >= 0.0 ? 1.0 : -1.0, p.y >= 0.0 ? 1.0 : -1.0);
	vec2 at = ((p.z >= 0.0 ? p.xy : folded) * 0.5 + 0.5) * float(MATT_SIDE - 1) + 0.5;
	return textureLod(tables, at / vec2(MATT_SIDE + ALBEDO_SIDE, MATT_SIDE), 0.0).rgb;
}

struct Surface
{
	vec3 v, n, geometric, t, b;
	vec4 base;
	float metallic, roughness, occlusion;
	vec3 emissive;
	vec3 f0;
	float f90;
	vec3 diffuse;
	float ior;
	float transmission, thickness;
	float coat, coat_roughness;
	vec3 coat_normal;
	vec3 sheen;
	float sheen_roughness;
	float anisotropy;
	float alpha_t, alpha_b;
};

vec4 base_color()
{
	vec4 base = MODE == 6u ? M.base_color * in_color : in_color;
	if (has(BASE_COLOR))
	{
		vec4 map = read_map(BASE_COLOR);
		if (is(PREMULTIPLIED))
		{
			map.rgb = map.a > 0.0 ? map.rgb / map.a : vec3(0.0);
		}
		base *= map;
	}
	return base;
}

void frame_of(inout Surface s)
{
	s.v = normalize(in_to_eye);
	float side = gl_FrontFacing ? 1.0 : -1.0;
	vec3 n = normalize(in_normal);
	vec3 t = in_tangent.xyz - n * dot(n, in_tangent.xyz);
	t = dot(t, t) > 1e-12 ? normalize(t) : vec3(0.0);
	vec3 b = cross(n, t) * in_tangent.w;
	s.geometric = n * side;
	s.n = (has(NORMAL) ? read_normal(NORMAL, M.surface.z, t, b, n) : n) * side;
	s.coat_normal = (is(COAT) && has(CLEARCOAT_NORMAL) ? read_normal(CLEARCOAT_NORMAL, M.more.x, t, b, n) : n) * side;
	s.t = t * side;
	s.b = b * side;
}

void anisotropy_of(inout Surface s)
{
	s.anisotropy = 0.0;
	float alpha = s.roughness * s.roughness;
	s.alpha_t = s.alpha_b = alpha;
	if (is(ANISOTROPIC))
	{
		vec2 way = vec2(1.0, 0.0);
		s.anisotropy = M.coat.x;
		if (has(ANISOTROPY))
		{
			vec3 map = read_map(ANISOTROPY).rgb;
			way = map.rg * 2.0 - 1.0;
			way = dot(way, way) > 0.0 ? normalize(way) : vec2(1.0, 0.0);
			s.anisotropy *= map.b;
		}
		float c = cos(M.coat.y), d = sin(M.coat.y);
		way = vec2(c * way.x - d * way.y, d * way.x + c * way.y);
		s.t = normalize(s.t * way.x + s.b * way.y);
		s.b = normalize(cross(s.geometric, s.t));
		s.alpha_t = mix(alpha, 1.0, s.anisotropy * s.anisotropy);
	}
}

Surface read_surface()
{
	Surface s;
	s.base = base_color();
	frame_of(s);
	vec4 map = has(METALLIC_ROUGHNESS) ? read_map(METALLIC_ROUGHNESS) : vec4(1.0);
	s.metallic = clamp(M.surface.x * map.b, 0.0, 1.0);
	s.roughness = clamp(M.surface.y * map.g, 0.03, 1.0);
	s.occlusion = has(OCCLUSION) ? 1.0 + M.surface.w * (read_map(OCCLUSION).r - 1.0) : 1.0;
	s.emissive = is(EMITTING) ? M.emissive.rgb * (has(EMISSIVE) ? read_map(EMISSIVE).rgb : vec3(1.0)) : vec3(0.0);
	float specular = (is(SPECULAR_SET) ? M.specular.a : 1.0) * (has(SPECULAR) ? read_map(SPECULAR).a : 1.0);
	vec3 tint = (is(SPECULAR_SET) ? M.specular.rgb : vec3(1.0)) * (has(SPECULAR_COLOR) ? read_map(SPECULAR_COLOR).rgb : vec3(1.0));
	s.ior = is(SPECULAR_SET) ? M.volume.y : 1.5;
	float ratio = (s.ior - 1.0) / (s.ior + 1.0);
	s.f0 = mix(min(ratio * ratio * tint, vec3(1.0)) * specular, s.base.rgb, s.metallic);
	s.f90 = mix(specular, 1.0, s.metallic);
	s.diffuse = s.base.rgb * (1.0 - s.metallic);
	s.coat = is(COAT) ? M.coat.z * (has(CLEARCOAT) ? read_map(CLEARCOAT).r : 1.0) : 0.0;
	s.coat_roughness = clamp(M.coat.w * (has(CLEARCOAT_ROUGHNESS) ? read_map(CLEARCOAT_ROUGHNESS).g : 1.0), 0.03, 1.0);
	s.sheen = M.sheen.rgb * (has(SHEEN_COLOR) ? read_map(SHEEN_COLOR).rgb : vec3(1.0));
	s.sheen_roughness = clamp(M.sheen.a * (has(SHEEN_ROUGHNESS) ? read_map(SHEEN_ROUGHNESS).a : 1.0), 0.07, 1.0);
	s.transmission = is(TRANSMISSIVE) ? M.volume.x * (has(TRANSMISSION) ? read_map(TRANSMISSION).r : 1.0) : 0.0;
	s.thickness = M.volume.z * (has(THICKNESS) ? read_map(THICKNESS).g : 1.0) * in_scale;
	if (is(IRIDESCENT))
	{
		float film = M.iridescence.w;
		vec3 thin = thin_film(1.0, M.iridescence.y, clamp(dot(s.n, s.v), 1e-4, 1.0), film, s.f0);
		s.f0 = mix(s.f0, fresnel_to_f0(thin, s.f90, clamp(dot(s.n, s.v), 1e-4, 1.0)), M.iridescence.x * float(film > 0.0));
	}
	anisotropy_of(s);
	return s;
}

// --- Light from all around ---

vec3 reflected_way(Surface s, out float roughness)
{
	roughness = s.roughness;
	vec3 n = s.n;
	if (is(ANISOTROPIC))
	{
		// KHR_materials_anisotropy, "Image-Based Lighting": bend the normal along the direction of stretching.
		vec3 across = cross(cross(s.b, s.v), s.b);
		float bend = 1.0 - s.anisotropy * (1.0 - s.roughness);
		bend *= bend;
		n = normalize(mix(normalize(across), n, bend * bend));
	}
	// The rougher, the more of what is mirrored comes from nearer the normal than the mirrored eye. Against GGX integrated over
	// examples/sky.exr this is off by 10, 20 and 7 percent at a roughness of 0.5, 0.7 and 1, and the mirrored eye by 16, 63 and 41.
	return normalize(mix(reflect(-s.v, n), n, s.roughness * s.roughness));
}

// What shows through: the picture behind, where a refracted ray leaves, blurred by roughness.
vec3 seen_through(Surface s)
{
	vec3 sum;
	float ior = max(s.ior, 1.0);
	float spread = is(DISPERSIVE) ? (ior - 1.0) * 0.025 * M.volume.w : 0.0;
	float level = log2(frame.size.x) * s.roughness * clamp(ior * 2.0 - 2.0, 0.0, 1.0);
	vec3 way = vec3(0.0);
	for (int i = 0; i < 3; ++i)
	{
		if (i == 0 || is(DISPERSIVE))
		{
			way = refract(-s.v, s.n, 1.0 / (ior + spread * float(i - 1))) * s.thickness;
		}
		vec4 place = frame.view_projection * vec4(in_position + way, 1.0);
		vec2 at = vec2(0.5, -0.5) * (place.xy / place.w) + 0.5;
		vec4 seen = textureLod(behind, at, level);
		sum[i] = mix(before_neutral(seen.rgb), seen.rgb, seen.a)[i];
	}
	float depth = length(way);
	vec3 kept = pow(max(M.attenuation.rgb, 1e-6), vec3(depth * M.attenuation.w));
	return sum / frame.sky.z * kept * s.diffuse; // the picture behind is exposed already
}

vec3 from_around(Surface s, float n_v, vec3 albedo)
{
	float roughness;
	vec3 mirrored = mirrored_light(reflected_way(s, roughness), roughness);
	vec3 matt = matt_light(s.n);
	// Fdez-Aguera, "A Multiple-Scattering Microfacet Model for Real-Time Image-based Lighting", JCGT 8(1), 2019.
	vec3 single = s.f0 * albedo.x + s.f90 * albedo.y;
	float missing = 1.0 - (albedo.x + albedo.y);
	vec3 average = s.f0 + (1.0 - s.f0) / 21.0;
	vec3 several = single * average / (1.0 - missing * average) * missing;
	vec3 through = s.diffuse * matt * s.occlusion;
	if (is(TRANSMISSIVE))
	{
		through = mix(through, seen_through(s), s.transmission);
	}
	vec3 total = single + several;
	float passed = 1.0 - max(total.r, max(total.g, total.b));
	return (single * mirrored + several * matt) * s.occlusion + through * passed;
}

// --- Lights of the file ---

vec3 from_light(Surface s, vec3 l, vec3 light, float n_v, float sheen_left)
{
	vec3 h = normalize(s.v + l);
	float n_l = clamp(dot(s.n, l), 0.0, 1.0), n_h = clamp(dot(s.n, h), 0.0, 1.0), v_h = clamp(dot(s.v, h), 0.0, 1.0);
	vec3 sum = vec3(0.0);
	if (n_l > 0.0)
	{
		vec3 fresnel = s.f0 + (s.f90 - s.f0) * pow5(1.0 - v_h);
		float lobe;
		if (is(ANISOTROPIC))
		{
			lobe = ggx_anisotropic(s.alpha_t, s.alpha_b, dot(s.t, h), dot(s.b, h), n_h) *
				   smith_anisotropic(s.alpha_t, s.alpha_b, dot(s.t, s.v), dot(s.b, s.v), dot(s.t, l), dot(s.b, l), n_v, n_l);
		}
		else
		{
			float alpha = s.roughness * s.roughness;
			lobe = ggx(alpha, n_h) * smith(alpha, n_v, n_l);
		}
		float most = max(fresnel.r, max(fresnel.g, fresnel.b));
		vec3 matt = s.diffuse * (1.0 - s.transmission) / PI * (1.0 - most);
		sum = (matt + fresnel * lobe) * n_l * sheen_left;
		if (is(SHEEN))
		{
			sum += s.sheen * charlie(s.sheen_roughness, n_h) * n_l / (4.0 * max(n_l + n_v - n_l * n_v, 1e-4));
		}
	}
	if (is(COAT))
	{
		float c_l = clamp(dot(s.coat_normal, l), 0.0, 1.0), c_h = clamp(dot(s.coat_normal, h), 0.0, 1.0);
		float c_v = clamp(abs(dot(s.coat_normal, s.v)), 1e-4, 1.0), alpha = s.coat_roughness * s.coat_roughness;
		float fresnel = 0.04 + 0.96 * pow5(1.0 - v_h);
		sum = sum * (1.0 - s.coat * (0.04 + 0.96 * pow5(1.0 - c_v))) + s.coat * fresnel * ggx(alpha, c_h) * smith(alpha, c_v, c_l) * c_l;
	}
	return sum * light;
}

vec3 from_lights(Surface s, float n_v, float sheen_left)
{
	vec3 sum = vec3(0.0);
	for (uint i = 0u; i < LIGHTS_MOST; ++i)
	{
		Light light = frame.lights[i];
		if (light.direction.w < 0.0)
		{
			break;
		}
		vec3 way = light.direction.w == 0.0 ? -light.direction.xyz : light.position.xyz - in_position;
		float distance_squared = max(dot(way, way), 1e-8);
		vec3 l = way * inversesqrt(distance_squared);
		vec3 strength = light.color.rgb;
		if (light.direction.w != 0.0)
		{
			float part = light.position.w > 0.0 ? distance_squared / (light.position.w * light.position.w) : 0.0;
			strength *= clamp(1.0 - part * part, 0.0, 1.0) / distance_squared;
		}
		if (light.direction.w == 2.0)
		{
			float cone = clamp((dot(-l, light.direction.xyz) - light.more.x) / max(light.color.w - light.more.x, 1e-4), 0.0, 1.0);
			strength *= cone * cone;
		}
		sum += from_light(s, l, strength, n_v, sheen_left);
	}
	return sum;
}

vec3 lit(Surface s)
{
	float n_v = clamp(abs(dot(s.n, s.v)), 1e-4, 1.0);
	vec3 albedo = read_albedo(n_v, s.roughness);
	vec3 sum = from_around(s, n_v, albedo);
	float sheen_left = 1.0;
	if (is(SHEEN))
	{
		float reflected = read_albedo(n_v, s.sheen_roughness).z;
		sheen_left = 1.0 - max(s.sheen.r, max(s.sheen.g, s.sheen.b)) * reflected;
		vec3 light = mirrored_light(reflect(-s.v, s.n), s.sheen_roughness);
		sum = sum * sheen_left + s.sheen * reflected * light * s.occlusion;
	}
	sum += s.emissive;
	if (is(COAT))
	{
		float c_v = clamp(abs(dot(s.coat_normal, s.v)), 1e-4, 1.0);
		vec3 coat = read_albedo(c_v, s.coat_roughness);
		vec3 light = mirrored_light(reflect(-s.v, s.coat_normal), s.coat_roughness);
		sum = sum * (1.0 - s.coat * (0.04 + 0.96 * pow5(1.0 - c_v))) +
			  s.coat * (0.04 * coat.x + coat.y) * light * s.occlusion;
	}
	return is(LIT) ? sum + from_lights(s, n_v, sheen_left) : sum;
}

// --- What is shown instead ---

vec3 decode_srgb(vec3 c)
{
	return mix(c / 12.92, pow((c + 0.055) / 1.055, vec3(2.4)), greaterThan(c, vec3(0.04045)));
}

vec3 shown_instead(Surface s)
{
	switch (MODE)
	{
		case 1u:
			return s.base.rgb;
		case 2u:
			return decode_srgb(s.n * 0.5 + 0.5);
		case 3u:
			return decode_srgb(s.geometric * 0.5 + 0.5);
		case 4u:
			return decode_srgb(normalize(in_tangent.xyz) * 0.5 + 0.5) * (in_tangent.w < 0.0 ? 0.35 : 1.0);
		case 5u:
			return decode_srgb(vec3(fract(in_uv.xy), 0.0));
		case 6u:
			return in_color.rgb;
		case 7u:
			return decode_srgb(vec3(s.roughness));
		case 8u:
			return decode_srgb(vec3(s.metallic));
		case 9u:
			return decode_srgb(vec3(s.occlusion));
		case 10u:
			return s.emissive;
		case 11u:
			return decode_srgb(vec3(s.base.a));
		case 12u:
			return (gl_FrontFacing ? vec3(0.05, 0.5, 0.1) : vec3(0.7, 0.03, 0.02)) * (0.3 + 0.7 * abs(dot(s.geometric, s.v)));
		case 18u:
			return vec3(0.04, 0.022, 0.008);
		default: // a colour for each part, meshlet, level
			return unpackUnorm4x8(in_what.y).rgb * (0.35 + 0.65 * abs(dot(s.geometric, s.v)));
	}
}

void main()
{
	vec4 middle = interpolateAtOffset(in_uv, vec2(0.0));
	uv_dx = dFdx(middle);
	uv_dy = dFdy(middle);
	// Interpolating ones may come to a little less than one, and cutoffs often are what factors are.
	if (ALPHA == 1u && base_color().a < M.emissive.w - 0.001)
	{
		discard;
	}
	if (MODE == 0u && is(UNLIT))
	{
		vec4 base = base_color();
		out_color = vec4(base.rgb, ALPHA == 2u ? base.a : 0.0);
		return;
	}
	Surface s = read_surface();
	if (MODE != 0u)
	{
		out_color = vec4(shown_instead(s), 0.0);
		return;
	}
	// Half floats end at 65504, and what is beyond must not become infinite, which no filter survives.
	out_color = vec4(clamp(lit(s) * frame.sky.z, 0.0, 60000.0), ALPHA == 2u ? s.base.a : 1.0);
}

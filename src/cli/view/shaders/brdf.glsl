// Lobes and Fresnel terms: glTF 2.0, appendix B, and the specifications of its KHR_materials_* extensions.

#define PI 3.14159265359
#define ALBEDO_SIDE 32 // of what tables.c makes
#define MATT_SIDE 64

float pow5(float x)
{
	float square = x * x;
	return square * square * x;
}

// Trowbridge and Reitz's distribution; alpha is the square of the roughness.
float ggx(float alpha, float n_h)
{
	float square = alpha * alpha;
	float f = n_h * n_h * (square - 1.0) + 1.0;
	return square / (PI * f * f);
}

// Smith's shadowing and masking, correlated, over 4 n_v n_l.
float smith(float alpha, float n_v, float n_l)
{
	float square = alpha * alpha;
	float v = n_l * sqrt(n_v * n_v * (1.0 - square) + square);
	float l = n_v * sqrt(n_l * n_l * (1.0 - square) + square);
	return 0.5 / max(v + l, 1e-6);
}

float ggx_anisotropic(float at, float ab, float t_h, float b_h, float n_h)
{
	float both = at * ab;
	vec3 f = vec3(ab * t_h, at * b_h, both * n_h);
	float w = both / max(dot(f, f), 1e-12);
	return both * w * w / PI;
}

float smith_anisotropic(float at, float ab, float t_v, float b_v, float t_l, float b_l, float n_v, float n_l)
{
	float v = n_l * length(vec3(at * t_v, ab * b_v, n_v));
	float l = n_v * length(vec3(at * t_l, ab * b_l, n_l));
	return 0.5 / max(v + l, 1e-6);
}

// Estevez and Kulla, "Production Friendly Microfacet Sheen BRDF", 2017.
float charlie(float roughness, float n_h)
{
	float inverse = 1.0 / (roughness * roughness);
	float sine = sqrt(max(1.0 - n_h * n_h, 0.0078125));
	return (2.0 + inverse) * pow(sine, inverse) / (2.0 * PI);
}

// --- Belcour and Barla, "A Practical Extension to Microfacet Theory for the Modeling of Varying Iridescence", ACM TOG 36(4), 2017, as
// KHR_materials_iridescence has it ---

vec3 f0_to_ior(vec3 f0)
{
	vec3 root = sqrt(clamp(f0, 0.0, 0.9999));
	return (1.0 + root) / (1.0 - root);
}

vec3 ior_to_f0(vec3 above, float below)
{
	vec3 ratio = (above - below) / (above + below);
	return ratio * ratio;
}

// Colour matching functions in Fourier space, three Gaussians and one more for x, to linear Rec. 709.
vec3 sensitivity(float path, vec3 shift)
{
	float phase = 2.0 * PI * path * 1.0e-9;
	const vec3 height = vec3(5.4856e-13, 4.4201e-13, 5.2481e-13);
	const vec3 place = vec3(1.6810e+06, 1.7953e+06, 2.2084e+06);
	const vec3 width = vec3(4.3278e+09, 9.3046e+09, 6.6121e+09);
	vec3 xyz = height * sqrt(2.0 * PI * width) * cos(place * phase + shift) * exp(-phase * phase * width);
	xyz.x += 9.7470e-14 * sqrt(2.0 * PI * 4.5282e+09) * cos(2.2399e+06 * phase + shift.x) * exp(-4.5282e+09 * phase * phase);
	xyz /= 1.0685e-7;
	return mat3(3.2404542, -0.9692660, 0.0556434, -1.5371385, 1.8760108, -0.2040259, -0.4985314, 0.0415560, 1.0572252) * xyz;
}

vec3 thin_film(float outside, float film, float cosine, float thickness, vec3 base_f0)
{
	film = mix(outside, film, smoothstep(0.0, 0.03, thickness));
	float sine_squared = (outside / film) * (outside / film) * (1.0 - cosine * cosine);
	if (sine_squared > 1.0)
	{
		return vec3(1.0);
	}
	float inner = sqrt(1.0 - sine_squared);
	float r0 = (film - outside) / (film + outside);
	float r12 = r0 * r0 + (1.0 - r0 * r0) * pow5(1.0 - cosine);
	float t121 = 1.0 - r12;
	float phi21 = PI - (film < outside ? PI : 0.0);
	vec3 base_ior = f0_to_ior(base_f0);
	vec3 r1 = ior_to_f0(base_ior, film);
	vec3 r23 = r1 + (1.0 - r1) * pow5(1.0 - inner);
	vec3 phi23 = mix(vec3(0.0), vec3(PI), lessThan(base_ior, vec3(film)));
	float path = 2.0 * film * thickness * inner;
	vec3 phi = vec3(phi21) + phi23;
	vec3 r123 = clamp(r12 * r23, 1e-5, 0.9999);
	vec3 root = sqrt(r123);
	vec3 rs = t121 * t121 * r23 / (1.0 - r123);
	vec3 sum = r12 + rs;
	vec3 c = rs - t121;
	for (int m = 1; m <= 2; ++m)
	{
		c *= root;
		sum += c * 2.0 * sensitivity(float(m) * path, float(m) * phi);
	}
	return max(sum, vec3(0.0));
}

// The f0 whose Schlick curve gives this Fresnel term here.
vec3 fresnel_to_f0(vec3 f, float f90, float cosine)
{
	float x = min(pow5(1.0 - cosine), 0.9999);
	return clamp((f - f90 * x) / (1.0 - x), 0.0, 1.0);
}

// The light that post.frag's tone mapping shows as this colour: a colour that is to be seen as it is, behind glass.
vec3 before_neutral(vec3 shown)
{
	const float start = 0.8 - 0.04, desaturation = 0.15, room = 1.0 - start;
	vec3 c = clamp(shown, 0.0, 0.99);
	float squeezed = max(c.r, max(c.g, c.b));
	if (squeezed >= start)
	{
		float peak = room * room / (1.0 - squeezed) - room + start;
		float grey = 1.0 - 1.0 / (desaturation * (peak - squeezed) + 1.0);
		c = max((c - squeezed * grey) / (1.0 - grey) * (peak / squeezed), 0.0);
	}
	float least = min(c.r, min(c.g, c.b));
	return c + (least < 0.04 ? 0.4 * sqrt(least) - least : 0.04);
}

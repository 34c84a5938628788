// What the viewer's shaders share: the layouts of what cli/view/uniforms.c and materials.c write.

#define LIGHTS_MOST 32
#define SLOT_COUNT 15

// The order of lrd_material_slot.
#define BASE_COLOR 0
#define METALLIC_ROUGHNESS 1
#define NORMAL 2
#define OCCLUSION 3
#define EMISSIVE 4
#define ANISOTROPY 5
#define CLEARCOAT 6
#define CLEARCOAT_ROUGHNESS 7
#define CLEARCOAT_NORMAL 8
#define TRANSMISSION 9
#define THICKNESS 10
#define SHEEN_COLOR 11
#define SHEEN_ROUGHNESS 12
#define SPECULAR 13
#define SPECULAR_COLOR 14

// view_layer: what pipelines are made for, and what is left out of others.
const uint UNLIT = 1u, COAT = 2u, SHEEN = 4u, ANISOTROPIC = 8u, IRIDESCENT = 16u, TRANSMISSIVE = 32u, DISPERSIVE = 64u, EMITTING = 128u,
		   SPECULAR_SET = 256u, TURNED = 512u, PREMULTIPLIED = 1024u, LIT = 2048u, SKINNED = 4096u, MORPHED = 8192u;

struct Light
{
	vec4 position;  // w: range, 0: infinite
	vec4 direction; // that it shines in; w: type, -1: there are no more
	vec4 color;     // w: cosine of the inner cone
	vec4 more;      // x: cosine of the outer cone
};

// No shader branches on what is the same for all of a frame or a material: lavapipe compiles it anew for each value of a uniform number that
// a branch depends on, and whenever buffers change.
layout(set = 0, binding = 0, std140) uniform Frame
{
	mat4 view_projection;
	mat4 view;
	mat4 unproject; // from clip space, without the eye's place
	vec4 eye;       // w: 1: perspective
	vec4 back;      // towards the eye of an orthographic camera; w: 1 / pixels of height
	vec4 sky;        // last level, nothing, exposure, level of the background
	vec4 background; // w: 1: instead of the sky
	vec4 size;       // pixels, and their inverses
	uvec4 shown;     // place in the table of a texture that is shown by itself
	Light lights[LIGHTS_MOST];
} frame;

struct Material
{
	vec4 base_color;
	vec4 surface;    // metallic, roughness, scale of normals, strength of occlusion
	vec4 emissive;   // w: alpha cutoff
	vec4 volume;     // transmission, ior, thickness, dispersion
	vec4 attenuation; // w: 1 / distance
	vec4 coat;       // anisotropy, rotation, clearcoat, clearcoat roughness
	vec4 sheen;      // w: roughness
	vec4 specular;   // colour, w: specular
	vec4 iridescence; // factor, ior, thickness at 0, thickness at 1
	vec4 more;       // scale of clearcoat normals
	vec4 transforms[2 * SLOT_COUNT]; // u', v' from u, v: two by two; offset, uv set
	uvec4 maps[4];                   // places in the table, by slot
	vec4 unused[4];                  // rows begin where every device lets uniforms begin
};

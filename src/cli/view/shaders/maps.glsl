// Flat textures by number: those of a set by slot, those of the table by where and how they are sampled, as materials.c has it.

#ifdef TABLE
layout(set = 2, binding = 0) uniform texture2D textures[];
layout(set = 2, binding = 1) uniform sampler samplers[18]; // LRD_VULKAN_SAMPLER_COUNT

#define MAP(place) sampler2D(textures[(place) & 0xffffffu], samplers[(place) >> 24])

// Only what is bound may be looked up.
bool is_bound(uint place)
{
	return place != 0xffffffffu;
}
#else
layout(set = 2, binding = 0) uniform sampler2D maps[SLOT_COUNT];

#define MAP(place) maps[place]

bool is_bound(uint place)
{
	return true;
}
#endif

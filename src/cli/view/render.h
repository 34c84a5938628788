// cli/view/render.h: drawing a scene with Vulkan, into an image that is read back or shown in a window.

#ifndef CLI_VIEW_RENDER_H
#define CLI_VIEW_RENDER_H

#include "cli/view/view.h"
#include "cli/view/vulkan.h"

#define VIEW_FRAMES 2u // in flight

/// What a pipeline for surfaces is made for.
typedef struct view_pipeline_key
{
	uint32_t slots;  ///< bit i: lrd_material_slot i has a texture
	uint32_t layers; ///< view_layer, several
	uint32_t alpha;  ///< lrd_alpha_mode
	uint32_t mode;   ///< view_mode
	uint32_t sides;  ///< view_sides
} view_pipeline_key;

/// What a pipeline has code for: as in shaders/common.glsl.
typedef enum view_layer
{
	VIEW_LAYER_UNLIT = 1 << 0,
	VIEW_LAYER_COAT = 1 << 1,
	VIEW_LAYER_SHEEN = 1 << 2,
	VIEW_LAYER_ANISOTROPIC = 1 << 3,
	VIEW_LAYER_IRIDESCENT = 1 << 4,
	VIEW_LAYER_TRANSMISSIVE = 1 << 5,
	VIEW_LAYER_DISPERSIVE = 1 << 6,
	VIEW_LAYER_EMITTING = 1 << 7,
	VIEW_LAYER_SPECULAR = 1 << 8, ///< its colour, strength or index of refraction are not what they mostly are
	VIEW_LAYER_TURNED = 1 << 9,   ///< a texture has coordinates of the second set, or moved ones
	VIEW_LAYER_PREMULTIPLIED = 1 << 10,
	VIEW_LAYER_LIT = 1 << 11, ///< the file has lights
	VIEW_LAYER_SKINNED = 1 << 12,
	VIEW_LAYER_MORPHED = 1 << 13,
} view_layer;

typedef enum view_sides
{
	VIEW_SIDES_DOUBLE = 1 << 0,
	VIEW_SIDES_MIRRORED = 1 << 1, ///< front faces are clockwise
} view_sides;

typedef struct view_pipeline
{
	view_pipeline_key key;
	VkPipeline pipeline;
} view_pipeline;

/// Everything that pipelines are made of, and those that were made.
typedef struct view_pipelines
{
	VkDescriptorSetLayout frame_layout, mesh_layout, material_layout, post_layout;
	VkPipelineLayout layout, post_pipeline_layout;
	VkRenderPass first_pass; ///< clears
	VkRenderPass next_pass;  ///< goes on
	VkRenderPass post_pass;
	VkShaderModule surface_vertex, surface_fragment, whole_vertex, sky_vertex, sky_fragment, flat_fragment,
		post_fragment;
	VkPipeline sky, flat, post;
	bool has_table; ///< of all textures, in the place of a set for each material
	view_pipeline *surfaces;
	uint32_t surface_count, surface_room;
} view_pipelines;

/// `table` is the layout of lrd_gpu_vulkan_table; VK_NULL_HANDLE: materials have sets. False, which was said.
bool view_pipelines_make(view_pipelines *self, const view_vulkan *vk, VkDescriptorSetLayout table);
void view_pipelines_free(view_pipelines *self, const view_vulkan *vk);
/// One that was prepared. VK_NULL_HANDLE: it was not.
VkPipeline view_pipelines_get(const view_pipelines *self, const view_pipeline_key *key);

#define VIEW_SAMPLES 4
#define VIEW_COLOR_FORMAT VK_FORMAT_R16G16B16A16_SFLOAT
#define VIEW_DEPTH_FORMAT VK_FORMAT_D32_SFLOAT
#define VIEW_OUTPUT_FORMAT VK_FORMAT_R8G8B8A8_UNORM

/// What is drawn into.
typedef struct view_targets
{
	uint32_t width, height;
	view_image color, depth;
	view_image behind; ///< what transmissive surfaces see, with blurrier and blurrier levels
	view_image output; ///< as a screen shows it
	VkFramebuffer scene, post;
	view_buffer pixels; ///< the output, read back
	bool is_fresh;      ///< nothing was drawn yet
} view_targets;

bool view_targets_make(
	view_targets *self, const view_vulkan *vk, const view_pipelines *pipelines, uint32_t width, uint32_t height);
void view_targets_free(view_targets *self, const view_vulkan *vk);

/// What the shaders need of the sky.
typedef struct view_sky
{
	lrd_asset asset;
	uint32_t slot;
	float harmonics[27];
	float last_level;
	float background_level;
} view_sky;

/// The light of a studio, as the file of a cubemap. False, which was said.
bool view_sky_paint(lrd_buffer *studio, const view_options *options);
/// The one that the options name, or else the studio. False, which was said.
bool view_sky_open(
	view_sky *self, view_content *content, lrd_residents *residents, const view_options *options, lrd_bytes studio);
/// Show the content's cubemap instead, sharp. False, which was said.
bool view_sky_show(view_sky *self, view_content *content, lrd_residents *residents);
void view_sky_close(view_sky *self, view_content *content, lrd_residents *residents);

typedef struct view_frame
{
	VkCommandPool pool;
	VkCommandBuffer commands;
	VkFence fence;
	uint64_t number; ///< of what it recorded last; 0: nothing
	bool is_flying;
	VkDescriptorPool descriptors;
	uint32_t descriptor_room; ///< sets of materials
	view_buffer uniforms, instances, palettes, materials, morphs, sheet, tables;
	uint64_t blends; ///< view_renderer.blends, as of what its morphs hold
} view_frame;

/// What a camera sees of the world.
typedef struct view_sight
{
	float planes
		[5]
		[4]; ///< sides of what is seen, and the one behind which the eye is; their normals, of unit length, point inwards
	lrd_vec3 eye, back;
	float pixels_per_unit;
	bool is_orthographic;
} view_sight;

void view_sight_make(view_sight *self, const view_camera *camera, uint32_t width, uint32_t height);
/// Set a part's distance and depth. False: it is not seen.
bool view_sight_place(const view_sight *self, const view_scene *scene, view_part *part, const lrd_bounds *bounds);

/// What is drawn by one call.
typedef struct view_draw
{
	view_pipeline_key key;
	uint32_t part;
	uint32_t material; ///< row of the materials
	VkBuffer buffer;
	uint64_t offset; ///< of the mesh in its buffer
	uint64_t index_offset;
	uint32_t index_size;
	uint32_t first_index, index_count;
	uint32_t instance, instance_count;
	uint32_t lod;
	float depth;
	uint32_t color; ///< of a debug view
	bool is_late;   ///< blended or transmissive
} view_draw;

/// A draw's place among all: see order.c.
typedef struct view_ordered
{
	uint64_t high, low;
	uint32_t index;
} view_ordered;

/// What draws are gathered in: kept from frame to frame, and grown only when there is more to draw.
typedef struct view_gathering
{
	view_pipeline_key *keys; ///< of materials, by row
	VkDescriptorSet *sets;   ///< likewise; VK_NULL_HANDLE: not made yet
	uint32_t rows, row_room;
	view_draw *found;            ///< in the order of parts
	view_ordered *order, *spare; ///< as many
	uint32_t count, room;
} view_gathering;

/// Make what these draws need and there is not yet; `jobs` may be NULL. False, which was said.
bool view_pipelines_prepare(
	view_pipelines *self, const view_vulkan *vk, const lrd_jobs *jobs, const view_draw *draws, uint32_t draw_count);

typedef struct view_draw_stats
{
	uint32_t draws;
	uint32_t instances;
	uint64_t triangles;
	uint32_t culled; ///< parts
	uint32_t pipelines;
	uint32_t blended; ///< parts whose morphs were blended anew
} view_draw_stats;

/// Text over the picture, written by whoever likes before a frame: RGBA, its alpha covers.
typedef struct view_overlay
{
	uint32_t width, height; ///< 0: none
	const uint8_t *rgba;
} view_overlay;

typedef struct view_renderer
{
	const view_vulkan *vk;
	lrd_gpu_vulkan *gpu;
	lrd_store *store;
	lrd_residents *residents;
	view_pipelines pipelines;
	view_targets targets;
	view_frame frames[VIEW_FRAMES];
	uint64_t next_number; ///< of the frame that is recorded next; from 1
	uint64_t completed;   ///< the newest that is through
	VkSampler sky_sampler, behind_sampler, flat_sampler;
	view_image white;    ///< stands in where a slot has nothing
	view_image dark;     ///< a cube, likewise
	view_image tables;   ///< see tables.c
	uint16_t *texels;    ///< of the tables
	float harmonics[27]; ///< that they are made for
	bool has_tables;
	view_gathering gathering;
	view_draw *draws;
	uint32_t draw_count;
	uint64_t blends; ///< counts blended morphs
	view_draw_stats stats;
} view_renderer;

/// What a frame shows.
typedef struct view_picture
{
	const view_scene *scene;
	const view_camera *camera;
	const view_sky *sky;
	const view_options *options;
	view_mode mode;
	view_overlay overlay;
	uint32_t texture_slot; ///< a texture instead of a scene; LRD_GPU_NO_SLOT: none
	bool is_read_back;
	/// A window's image, to be shown after `wait` was signalled; signals `signal`. VK_NULL_HANDLE: no window.
	VkImage window_image;
	uint32_t window_width, window_height;
	VkSemaphore wait, signal;
} view_picture;

/// `uses_sets`: a set of descriptors for each material, even where there is a table of all textures. False, which was said.
bool view_renderer_make(view_renderer *self, const view_vulkan *vk, lrd_gpu_vulkan *gpu, lrd_store *store,
	lrd_residents *residents, uint32_t width, uint32_t height, bool uses_sets);
void view_renderer_free(view_renderer *self);
/// Another size of picture; waits until nothing is being drawn. False, which was said.
bool view_renderer_resize(view_renderer *self, uint32_t width, uint32_t height);
/// Find out how far the GPU is.
void view_renderer_poll(view_renderer *self);
/// Wait for the frame VIEW_FRAMES before the next. False: the device is lost.
bool view_renderer_make_room(view_renderer *self);
/// Wait for every frame. False: the device is lost.
bool view_renderer_wait(view_renderer *self);
/// Record and submit a frame: waits for the one VIEW_FRAMES before. False, which was said.
bool view_renderer_draw(view_renderer *self, const view_picture *picture);
/// What was read back of the last frame, once it is through: RGBA, rows from the top.
const uint8_t *view_renderer_pixels(const view_renderer *self);

/// Which parts are drawn, in which order, by what: into self->draws, with what shaders read of them in the frame's buffers. False,
/// which was said.
bool view_draws_gather(view_renderer *self, view_frame *frame, const view_picture *picture);
void view_draws_free(view_renderer *self);
/// The place of draw `index`, which draws this mesh.
view_ordered view_order_of(const view_draw *draw, uint32_t mesh, uint32_t index);
/// What is alike stays in order. Whichever of the two arrays has it sorted in the end.
const view_ordered *view_order_sort(view_ordered *from, view_ordered *to, uint32_t count);
/// Deltas of the scene's morphs into the frame's buffer; sets every part's `morph`. False, which was said.
bool view_morphs_write(view_renderer *self, view_frame *frame, const view_scene *scene);
/// All materials, each once, into the frame's buffer; `keys` by row, 0 being glTF's default. False, which was said.
bool view_materials_write(view_renderer *self, view_frame *frame, view_pipeline_key *keys, uint32_t rows);
/// What shaders read of a material. `row` has view_material_row_size() bytes, from one row to the next in a frame's buffer.
void view_material_write(const view_renderer *self, uint32_t material, void *row, view_pipeline_key *key);
size_t view_material_row_size(void);
/// Where a flat texture is, and how its material samples it. False: there is nothing there that could be looked up.
bool view_map_find(const view_renderer *self, uint32_t slot, VkImageView *view, VkSampler *sampler);
/// The same of a material's texture, with the number of the sampler. `material` may be NULL.
bool view_map_of(const view_renderer *self, const lrd_resident_material *material, uint32_t index, VkImageView *view,
	uint32_t *sampler);
#define VIEW_MATERIALS_USAGE (VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT)
#define VIEW_NO_MAP UINT32_MAX
/// A place in the table, as the shaders have it.
#define VIEW_MAP(slot, sampler) ((slot) | (sampler) << 24)
/// What is in a frame's uniform buffer.
void view_uniforms_write(const view_renderer *self, const view_picture *picture, void *uniforms);
size_t view_uniforms_size(void);

/// An image that shaders look up what they would take long to work out in: see tables.c.
#define VIEW_TABLES_WIDTH 96
#define VIEW_TABLES_HEIGHT 64
#define VIEW_TABLES_SIZE (VIEW_TABLES_WIDTH * VIEW_TABLES_HEIGHT * 4 * sizeof(uint16_t))
/// The part that is always the same. `texels` are half floats, four each.
void view_tables_integrate(uint16_t *texels);
/// The image anew, where the sky is another one than before.
void view_tables_record(view_renderer *self, view_frame *frame, const view_sky *sky);

#endif

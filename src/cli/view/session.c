// From a command line to a scene that can be drawn, and what has to happen between frames.

#include "cli/view/session.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PATIENCE_NS 60000000000u // the largest textures take seconds to be decoded

uint64_t view_now(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static bool is_software(const view_session *self)
{
	return self->vk.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
}

static bool open_device(view_session *self, const lrd_vulkan_device_desc *window)
{
	lrd_error error = { 0 };
	lrd_vulkan_device_desc desc = window != NULL ? *window : (lrd_vulkan_device_desc){ 0 };
	// Robust: joints of a bad file reach beyond palettes.
	const VkPhysicalDeviceFeatures features = { .robustBufferAccess = VK_TRUE,
		.samplerAnisotropy = VK_TRUE,
		.sampleRateShading = VK_TRUE,
		.shaderSampledImageArrayDynamicIndexing = VK_TRUE,
		.textureCompressionBC = VK_TRUE,
		.textureCompressionASTC_LDR = VK_TRUE };
	desc.application = "larder view";
	desc.device_name = self->options.device;
	desc.validation = self->options.validate;
	desc.features = &features;
	self->device = lrd_vulkan_device_create(&desc, &error);
	if (self->device == NULL)
	{
		cli_error("view: %s", error.message);
		return false;
	}
	if (!view_vulkan_load(&self->vk, self->device))
	{
		return false;
	}
	// A driver in software filters anisotropically at many times the cost.
	self->gpu = lrd_gpu_vulkan_create(
		&(lrd_gpu_vulkan_desc){
			.context = self->vk.context, .frames = VIEW_FRAMES, .max_anisotropy = is_software(self) ? 1.0f : 8.0f },
		&error);
	if (self->gpu == NULL)
	{
		cli_error("view: %s", error.message);
	}
	return self->gpu != NULL;
}

/// Drivers in software decode a block for each texel that they fetch: it is many times faster to have them decoded once.
static bool has_plain_format(void *user, uint32_t format)
{
	bool is_block = format >= LRD_TEXTURE_BC1_RGB_UNORM && format <= LRD_TEXTURE_BC7_SRGB;
	return !is_block && lrd_gpu_vulkan_interface(user).has_format(user, format);
}

/// Of what was decoded on purpose nobody has to hear: see has_plain_format.
static void log_residents(void *user, lrd_log_level level, const char *scope, const char *message)
{
	const view_session *self = user;
	static const char decoded[] = "the device does not sample BC";
	bool is_expected = is_software(self) && strncmp(message, decoded, sizeof decoded - 1) == 0;
	if (level > LRD_LOG_WARNING || (level == LRD_LOG_WARNING && !is_expected && !self->options.quiet))
	{
		fprintf(stderr, "larder: %s: %s\n", scope, message);
	}
}

static bool open_residents(view_session *self)
{
	lrd_error error = { 0 };
	lrd_gpu gpu = lrd_gpu_vulkan_interface(self->gpu);
	gpu.has_format = is_software(self) ? has_plain_format : gpu.has_format;
	const lrd_residents_desc desc = {
		.frames = VIEW_FRAMES, .tail_levels = VIEW_TAIL, .log = { log_residents, self->home }
	};
	// Under a budget of the command line's, which is there to see streaming, no pop is larger than a level.
	const lrd_stream_desc stream = {
		.budget = self->options.budget, .step = self->options.budget != 0, .log = { log_residents, self->home }
	};
	self->residents = lrd_residents_create(self->content.store, &gpu, &desc, &error);
	self->stream = self->residents != NULL ? lrd_stream_create(self->residents, &stream, &error) : NULL;
	if (self->stream == NULL)
	{
		cli_error("view: %s", error.message);
	}
	return self->stream != NULL;
}

/// Settings of the command line over a scene that was taken in.
static bool set_scene(view_session *self)
{
	const view_options *options = &self->options;
	if ((options->variant != NULL && !view_scene_set_variant(&self->scene, self->residents, options->variant)) ||
		(options->clip != NULL && !view_scene_set_clip(&self->scene, self->content.store, options->clip)))
	{
		return false;
	}
	self->scene.time = options->time;
	view_scene_pose(&self->scene, self->content.store);
	return true;
}

/// A texture by itself: flat, or all around where it is a cubemap.
static bool open_texture(view_session *self)
{
	lrd_error error = { 0 };
	const lrd_texture_view *texture = &lrd_texture_get(self->content.store, self->content.asset)->view;
	self->scene = (view_scene){ .variant = LRD_NO_INDEX, .clip = LRD_NO_INDEX, .bounds = { .radius = 1.0f } };
	const view_options *options = &self->options;
	const char *name = options->clip != NULL ? "clip" : options->variant != NULL ? "variant" : NULL;
	if (name != NULL)
	{
		cli_error("view: %s is a texture: --%s takes one of a model's", self->content.stem, name);
		return false;
	}
	if (texture->face_count == 6)
	{
		return view_sky_show(&self->sky, &self->content, self->residents);
	}
	self->texture_slot = lrd_residents_retain_texture(self->residents, self->content.asset, LRD_ROLE_COLOR, &error);
	if (self->texture_slot == LRD_GPU_NO_SLOT)
	{
		cli_error("view: %s", error.message);
	}
	return self->texture_slot != LRD_GPU_NO_SLOT;
}

static bool open_scene(view_session *self)
{
	if (self->content.kind == VIEW_CONTENT_MODEL)
	{
		bool good =
			view_scene_open(&self->scene, self->content.store, self->residents, self->content.asset) && set_scene(self);
		if (good && self->scene.part_count == 0 && !self->options.quiet)
		{
			fprintf(stderr, "%s: the model has no parts: there is nothing of it to see\n", self->content.stem);
		}
		return good;
	}
	return open_texture(self);
}

static void hear(void *user, const lrd_event *event)
{
	view_session *self = user;
	self->changes += (event->flags & LRD_EVENT_RELOADED) != 0;
}

static bool listen(view_session *self)
{
	lrd_error error = { 0 };
	bool good = lrd_store_listen(
		self->content.store, &(lrd_listener_desc){ .on_event = hear, .user = self->home }, &self->listener, &error);
	if (!good)
	{
		cli_error("view: %s", error.message);
	}
	return good;
}

/// All that depends on what is looked at.
static bool open_world(view_session *self)
{
	self->sky = (view_sky){ .slot = LRD_GPU_NO_SLOT }; // not that of the world before, which has a store of its own
	self->texture_slot = LRD_GPU_NO_SLOT;
	return view_content_open(&self->content, &self->options) && open_residents(self) && listen(self) &&
		   view_sky_open(&self->sky, &self->content, self->residents, &self->options,
			   (lrd_bytes){ self->studio.data, self->studio.size }) &&
		   open_scene(self);
}

static void close_world(view_session *self)
{
	if (self->residents != NULL)
	{
		view_scene_close(&self->scene, self->content.store, self->residents);
		if (self->texture_slot != LRD_GPU_NO_SLOT)
		{
			lrd_residents_release_texture(self->residents, self->texture_slot);
		}
	}
	if (self->content.store != NULL)
	{
		view_sky_close(&self->sky, &self->content, self->residents);
	}
	lrd_stream_destroy(self->stream);
	lrd_residents_destroy(self->residents);
	self->stream = NULL;
	self->residents = NULL;
	view_content_close(&self->content);
}

uint32_t view_session_most(const view_session *self)
{
	const VkPhysicalDeviceLimits *limits = &self->vk.properties.limits;
	const uint32_t most[] = { limits->maxFramebufferWidth, limits->maxFramebufferHeight,
		limits->maxViewportDimensions[0], limits->maxViewportDimensions[1] };
	uint32_t least = limits->maxImageDimension2D;
	for (size_t i = 0; i < sizeof most / sizeof *most; ++i)
	{
		least = most[i] < least ? most[i] : least;
	}
	return least;
}

static bool check_size(const view_session *self)
{
	uint32_t most = view_session_most(self);
	if (self->options.width > most || self->options.height > most)
	{
		cli_error("view: a picture of %ux%u is more than %s can draw: --size takes at most %u a side there",
			self->options.width, self->options.height, lrd_vulkan_device_name(self->device), most);
		return false;
	}
	return true;
}

typedef struct device_job
{
	lrd_job job;
	view_session *session;
	atomic_bool is_done;
	bool is_open;
} device_job;

static void open_device_job(lrd_job *job)
{
	device_job *self = (device_job *)job;
	self->is_open = open_device(self->session, NULL);
	atomic_store(&self->is_done, true);
}

static bool paint_studio(view_session *self)
{
	return self->options.sky != NULL || view_sky_paint(&self->studio, &self->options);
}

/// Both take their time and know nothing of each other. A window's device is made on the thread that has the window.
static bool open_device_and_studio(view_session *self, const lrd_vulkan_device_desc *window)
{
	device_job device = { .job = { .run = open_device_job }, .session = self };
	lrd_job_pool *pool = window == NULL ? self->options.pool : NULL;
	lrd_jobs jobs;
	if (pool != NULL)
	{
		jobs = lrd_job_pool_jobs(pool);
	}
	if (pool == NULL || !jobs.submit(jobs.user, &device.job))
	{
		return open_device(self, window) && paint_studio(self);
	}
	bool good = paint_studio(self);
	while (!atomic_load(&device.is_done))
	{
		nanosleep(&(struct timespec){ .tv_nsec = 100000 }, NULL);
	}
	return device.is_open && good;
}

bool view_session_open(view_session *self, const lrd_vulkan_device_desc *window)
{
	self->home = self;
	self->patience = PATIENCE_NS;
	self->sky.slot = LRD_GPU_NO_SLOT;
	self->texture_slot = LRD_GPU_NO_SLOT;
	float aspect = (float)self->options.width / (float)self->options.height;
	return open_device_and_studio(self, window) && check_size(self) && open_world(self) &&
		   view_renderer_make(&self->renderer, &self->vk, self->gpu, self->content.store, self->residents,
			   self->options.width, self->options.height, self->options.uses_sets) &&
		   view_camera_make(&self->camera, &self->options.camera, &self->scene, aspect, true);
}

void view_session_close(view_session *self)
{
	view_renderer_free(&self->renderer);
	close_world(self);
	lrd_buffer_free(&self->studio);
	lrd_gpu_vulkan_destroy(self->gpu);
	lrd_vulkan_device_destroy(self->device);
	lrd_job_pool_destroy(self->options.pool);
}

bool view_session_show(view_session *self, const char *path)
{
	view_session fresh = *self;
	fresh.residents = NULL;
	fresh.stream = NULL;
	fresh.content = (view_content){ 0 };
	fresh.scene = (view_scene){ 0 };
	fresh.calm = 0;
	fresh.uploads = fresh.starved = fresh.expected = 0;
	fresh.is_starved = fresh.was_starved = false;
	fresh.lost_clip = fresh.lost_variant = 0;
	fresh.options.path = path;
	fresh.options.model = fresh.options.clip = fresh.options.variant = NULL;
	if (!view_renderer_wait(&self->renderer))
	{
		return false;
	}
	if (!open_world(&fresh))
	{
		close_world(&fresh);
		return true;
	}
	close_world(self);
	float aspect = (float)self->renderer.targets.width / (float)self->renderer.targets.height;
	fresh.options.camera = (view_camera_desc){ .yaw = self->options.camera.yaw, .pitch = self->options.camera.pitch };
	view_camera_make(&fresh.camera, &fresh.options.camera, &fresh.scene, aspect, false);
	fresh.options.path = self->options.path; // the content keeps a copy of its own
	*self = fresh;
	self->renderer.store = self->content.store;
	self->renderer.residents = self->residents;
	return true;
}

void view_session_stream(const view_session *self, view_stream_line *line)
{
	lrd_stream_stats stats;
	lrd_stream_get_stats(self->stream, &stats);
	*line = (view_stream_line){ stats.budget, stats.report.demanded_bytes, stats.transitions, stats.report.limited };
}

/// A model that lacks the clip or the variant that was chosen may be followed by one that has it again.
static void keep_choices(view_session *self, const view_scene *old)
{
	const lrd_model_view *model = &self->scene.model->view;
	uint32_t clip = old->clip != LRD_NO_INDEX ? old->clip + 1 : self->lost_clip;
	uint32_t variant = old->variant != LRD_NO_INDEX ? old->variant + 1 : self->lost_variant;
	self->lost_clip = clip > model->clip_count ? clip : 0;
	self->lost_variant = variant > model->variant_count ? variant : 0;
	if (clip != 0 && self->lost_clip == 0)
	{
		view_scene_keep_clip(&self->scene, self->content.store, clip - 1);
	}
	if (variant != 0 && self->lost_variant == 0)
	{
		view_scene_set_variant_index(&self->scene, self->residents, variant - 1);
	}
}

/// A model that was loaded anew may have other parts: everything of it is taken in again, and what both have stays on the GPU.
static bool take_reload(view_session *self)
{
	bool has_news = self->taken != self->changes;
	self->taken = self->changes;
	if (has_news)
	{
		view_stand_in_renew(&self->content, &self->options);
	}
	if (has_news && self->content.kind == VIEW_CONTENT_MODEL)
	{
		view_scene_renew(&self->scene, self->content.store);
	}
	if (self->content.kind != VIEW_CONTENT_MODEL ||
		lrd_asset_generation(self->content.store, self->content.asset) == self->scene.generation)
	{
		return true;
	}
	uint32_t seen = self->scene.generation;
	view_scene old = self->scene;
	view_scene fresh;
	lrd_asset_renew(self->content.store, self->content.asset, &seen);
	if (!view_scene_open(&fresh, self->content.store, self->residents, self->content.asset))
	{
		view_scene_close(&fresh, self->content.store, self->residents);
		return false;
	}
	self->scene = fresh;
	self->scene.time = old.time;
	self->scene.is_playing = old.is_playing;
	keep_choices(self, &old);
	view_scene_pose(&self->scene, self->content.store);
	view_scene_close(&old, self->content.store, self->residents);
	return true;
}

bool view_session_update(view_session *self)
{
	lrd_store_update(self->content.store);
	view_renderer_poll(&self->renderer);
	if (!take_reload(self))
	{
		return false;
	}
	view_session_demand(self);
	lrd_stream_update(self->stream);
	lrd_residents_update(self->residents, self->renderer.next_number, self->renderer.completed);
	lrd_residents_stats stats;
	lrd_residents_get_stats(self->residents, &stats);
	if (stats.lost)
	{
		cli_error(
			"view: the device is lost: its driver gave up or was reset; start anew, or try another with --device");
	}
	view_session_watch(self, &stats);
	return !stats.lost;
}

view_picture view_session_picture(const view_session *self)
{
	return (view_picture){ .scene = &self->scene,
		.camera = &self->camera,
		.sky = &self->sky,
		.options = &self->options,
		.mode = self->options.mode,
		.texture_slot = self->texture_slot };
}

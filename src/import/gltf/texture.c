// import/gltf/texture.c: images (never decoded here), samplers and textures. Sections 3.8 and 5.18, 5.26, 5.29.

#include "import/gltf/gltf.h"

#include "base/path.h"

// OpenGL's names for what samplers say.
enum
{
	GL_FILTER_NEAREST = 9728,
	GL_FILTER_LINEAR = 9729,
	GL_FILTER_NEAREST_MIPMAP_NEAREST = 9984,
	GL_FILTER_LINEAR_MIPMAP_LINEAR = 9987,
	GL_WRAP_REPEAT = 10497,
	GL_WRAP_CLAMP_TO_EDGE = 33071,
	GL_WRAP_MIRRORED_REPEAT = 33648,
};

// An embedded image is copied out once, however many images share the view.
static bool read_view_image(lrd_gltf *gltf, const lrd_json *at, uint32_t index, lrd_document_image *image)
{
	lrd_gltf_view *view = &gltf->views[index];
	if (view->data == NULL)
	{
		return lrd_fail(gltf->error, LRD_ERROR_FORMAT, "%s: buffer %u has no data: neither a URI nor a BIN chunk",
			lrd_json_place(at).text, view->buffer);
	}
	if (view->image.data == NULL)
	{
		void *copy = NULL;
		if (lrd_gltf_charge(gltf, view->length, 1, lrd_json_place(at).text))
		{
			copy = lrd_import_room(gltf->import, view->length, 1, "image");
		}
		if (copy == NULL)
		{
			return false;
		}
		memcpy(copy, view->data, view->length);
		view->image = (lrd_bytes){ copy, view->length };
	}
	image->bytes = view->image;
	return true;
}

static bool read_data_image(lrd_gltf *gltf, const lrd_json *at, lrd_string uri, lrd_document_image *image)
{
	lrd_buffer decoded = { .allocator = gltf->import->allocator };
	lrd_string media_type = { NULL, 0 };
	bool ok = lrd_gltf_read_data_uri(gltf, at, uri, &decoded, &media_type);
	if (ok && image->media_type.size == 0)
	{
		ok = lrd_import_text(gltf->import, media_type, &image->media_type);
	}
	void *copy = ok ? lrd_import_room(gltf->import, decoded.size, 1, "image") : NULL;
	if (copy != NULL && decoded.size != 0)
	{
		memcpy(copy, decoded.data, decoded.size);
		image->bytes = (lrd_bytes){ copy, decoded.size };
	}
	lrd_buffer_free(&decoded);
	return copy != NULL;
}

static bool read_image(lrd_gltf *gltf, const lrd_json *at, lrd_document_image *image, bool *readable)
{
	lrd_string uri = { NULL, 0 }, media_type = { NULL, 0 };
	uint32_t view = LRD_NO_INDEX;
	if (!lrd_gltf_get_name(gltf, at, &image->name) || !lrd_json_get_text(at, "uri", &uri, gltf->error) ||
		!lrd_json_get_text(at, "mimeType", &media_type, gltf->error) ||
		!lrd_import_text(gltf->import, media_type, &image->media_type) ||
		!lrd_gltf_get_index(gltf, at, "bufferView", LRD_GLTF_VIEWS, &view))
	{
		return false;
	}
	lrd_gltf_label label = lrd_gltf_name("image", at->index, image->name);
	if (view != LRD_NO_INDEX)
	{
		*readable = true;
		return read_view_image(gltf, at, view, image);
	}
	if (uri.data == NULL)
	{
		return lrd_import_warn(
			gltf->import, "image-missing", 1, "%s has neither a uri nor a bufferView; left out", label.text);
	}
	if (lrd_gltf_is_data_uri(uri))
	{
		*readable = true;
		return read_data_image(gltf, at, uri, image);
	}
	const lrd_document_dependency *found = NULL;
	if (!lrd_gltf_find_uri(gltf, at, uri, NULL, &found))
	{
		return false;
	}
	image->path = found->path;
	*readable = !found->absent;
	return !found->absent ||
		   lrd_import_warn(gltf->import, "image-missing", 1,
			   "%s: the file \"%.*s\" is missing; textures of it are left out", label.text, LRD_STR_ARG(found->path));
}

static bool read_wrap(lrd_gltf *gltf, const lrd_json *at, const char *key, uint8_t *wrap)
{
	size_t number = GL_WRAP_REPEAT;
	if (!lrd_json_get_size(at, key, &number, gltf->error))
	{
		return false;
	}
	switch (number)
	{
	case GL_WRAP_REPEAT: *wrap = LRD_WRAP_REPEAT; return true;
	case GL_WRAP_CLAMP_TO_EDGE: *wrap = LRD_WRAP_CLAMP; return true;
	case GL_WRAP_MIRRORED_REPEAT: *wrap = LRD_WRAP_MIRROR; return true;
	default:
		*wrap = LRD_WRAP_REPEAT;
		return lrd_import_warn(
			gltf->import, "sampler", 1, "sampler %u: %s %zu is unknown; it repeats", at->index, key, number);
	}
}

static bool read_sampler(lrd_gltf *gltf, const lrd_json *at, lrd_document_texture *sampler)
{
	size_t magnify = GL_FILTER_LINEAR, minify = GL_FILTER_LINEAR_MIPMAP_LINEAR;
	if (!lrd_json_get_size(at, "magFilter", &magnify, gltf->error) ||
		!lrd_json_get_size(at, "minFilter", &minify, gltf->error) || !read_wrap(gltf, at, "wrapS", &sampler->wrap_u) ||
		!read_wrap(gltf, at, "wrapT", &sampler->wrap_v))
	{
		return false;
	}
	sampler->filter = magnify == GL_FILTER_NEAREST ? LRD_FILTER_POINT : LRD_FILTER_LINEAR;
	sampler->mipmaps = minify != GL_FILTER_NEAREST && minify != GL_FILTER_LINEAR;
	bool known =
		(magnify == GL_FILTER_NEAREST || magnify == GL_FILTER_LINEAR) &&
		(!sampler->mipmaps || (minify >= GL_FILTER_NEAREST_MIPMAP_NEAREST && minify <= GL_FILTER_LINEAR_MIPMAP_LINEAR));
	return known || lrd_import_warn(gltf->import, "sampler", 1,
						"sampler %u: a filter is unknown; taken as linear with mipmaps", at->index);
}

// The image: EXT_texture_webp's, else the plain one. What KHR_texture_basisu says can't be read.
static bool read_source(lrd_gltf *gltf, const lrd_json *at, const char *label, uint32_t *image)
{
	lrd_gltf_extension webp, basis;
	*image = LRD_NO_INDEX;
	if (!lrd_gltf_get_index(gltf, at, "source", LRD_GLTF_IMAGES, image) ||
		!lrd_gltf_get_extension(gltf, at, "EXT_texture_webp", &webp) ||
		!lrd_gltf_get_index(gltf, &webp.at, "source", LRD_GLTF_IMAGES, image) ||
		!lrd_gltf_get_extension(gltf, at, "KHR_texture_basisu", &basis))
	{
		return false;
	}
	return *image != LRD_NO_INDEX ||
		   lrd_import_warn(gltf->import, "texture-missing", 1, "%s has no image%s; left out", label,
			   basis.at.value != NULL ? " but the one of KHR_texture_basisu, which can't be read" : "");
}

static bool read_texture(lrd_gltf *gltf, const lrd_json *at, const lrd_document_texture *samplers, const bool *readable,
	lrd_document_texture *texture)
{
	lrd_string name = { NULL, 0 };
	uint32_t sampler = LRD_NO_INDEX, image = LRD_NO_INDEX;
	if (!lrd_json_get_text(at, "name", &name, gltf->error) ||
		!lrd_gltf_get_index(gltf, at, "sampler", LRD_GLTF_SAMPLERS, &sampler) ||
		!read_source(gltf, at, lrd_gltf_name("texture", at->index, name).text, &image))
	{
		return false;
	}
	*texture = sampler != LRD_NO_INDEX ? samplers[sampler] : (lrd_document_texture){ .mipmaps = true };
	texture->image = image != LRD_NO_INDEX && readable[image] ? image : LRD_NO_INDEX;
	return true;
}

bool lrd_gltf_read_textures(lrd_gltf *gltf)
{
	const lrd_gltf_list *image_list = &gltf->lists[LRD_GLTF_IMAGES];
	const lrd_gltf_list *sampler_list = &gltf->lists[LRD_GLTF_SAMPLERS];
	const lrd_gltf_list *texture_list = &gltf->lists[LRD_GLTF_TEXTURES];
	lrd_import *import = gltf->import;
	lrd_document_image *images = LRD_IMPORT_NEW(import, lrd_document_image, image_list->count, "images");
	lrd_document_texture *textures = LRD_IMPORT_NEW(import, lrd_document_texture, texture_list->count, "textures");
	lrd_document_texture *samplers = LRD_IMPORT_SCRATCH(import, lrd_document_texture, sampler_list->count, "samplers");
	bool *readable = LRD_IMPORT_SCRATCH(import, bool, image_list->count, "images");
	if (images == NULL || textures == NULL || samplers == NULL || readable == NULL)
	{
		return false;
	}
	for (lrd_json at = lrd_json_first(&image_list->array); at.value != NULL; at = lrd_json_next(&at))
	{
		if (!read_image(gltf, &at, &images[at.index], &readable[at.index]))
		{
			return false;
		}
	}
	for (lrd_json at = lrd_json_first(&sampler_list->array); at.value != NULL; at = lrd_json_next(&at))
	{
		if (!read_sampler(gltf, &at, &samplers[at.index]))
		{
			return false;
		}
	}
	for (lrd_json at = lrd_json_first(&texture_list->array); at.value != NULL; at = lrd_json_next(&at))
	{
		if (!read_texture(gltf, &at, samplers, readable, &textures[at.index]))
		{
			return false;
		}
	}
	gltf->document->images = images;
	gltf->document->image_count = image_list->count;
	gltf->document->textures = textures;
	gltf->document->texture_count = texture_list->count;
	return true;
}

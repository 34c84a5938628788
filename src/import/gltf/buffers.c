// import/gltf/buffers.c: buffers (GLB chunk, data URI, external file) and the views into them. Sections 3.6.1 and 5.10
// to 5.12. Views that are compressed are decoded in meshopt.c.

#include "import/gltf/gltf.h"

// Section 5.11: strides that vertex attributes may have.
#define MIN_STRIDE 4u
#define MAX_STRIDE 252u

// Bytes that a GLB's BIN chunk may have beyond byteLength: padding to 4.
#define MAX_PADDING 3u

static bool fail_short(lrd_gltf *gltf, const lrd_json *at, const char *source, size_t has, size_t needs)
{
	return lrd_fail(gltf->error, LRD_ERROR_FORMAT, "%s: %s has %zu bytes, byteLength says %zu", lrd_json_place(at).text,
		source, has, needs);
}

static bool take_bytes(lrd_gltf *gltf, const lrd_json *at, lrd_gltf_buffer *buffer, const char *source, lrd_bytes bytes)
{
	if (bytes.size < buffer->length)
	{
		return fail_short(gltf, at, source, bytes.size, buffer->length);
	}
	buffer->bytes = (lrd_bytes){ bytes.data, buffer->length };
	return true;
}

// A buffer without a URI is the GLB's first, or the placeholder that a compression leaves: then it has no bytes.
static bool read_binary_chunk(lrd_gltf *gltf, const lrd_json *at, lrd_gltf_buffer *buffer)
{
	if (at->index != 0 || !gltf->has_binary)
	{
		return true;
	}
	size_t size = gltf->binary.size;
	if (size > buffer->length + MAX_PADDING &&
		!lrd_import_warn(
			gltf->import, "glb", 1, "GLB: the BIN chunk has %zu bytes that no buffer covers", size - buffer->length))
	{
		return false;
	}
	return take_bytes(gltf, at, buffer, "the BIN chunk", gltf->binary);
}

static bool read_external(lrd_gltf *gltf, const lrd_json *at, lrd_gltf_buffer *buffer, lrd_string uri)
{
	const lrd_document_dependency *found = NULL;
	lrd_bytes bytes = { NULL, 0 };
	if (!lrd_gltf_find_uri(gltf, at, uri, &bytes, &found))
	{
		return false;
	}
	if (found->absent)
	{
		return lrd_fail(gltf->error, LRD_ERROR_NOT_FOUND, "%s: the file \"%.*s\" is missing", lrd_json_place(at).text,
			LRD_STR_ARG(found->path));
	}
	return take_bytes(gltf, at, buffer, "the file", bytes);
}

static bool read_buffer(lrd_gltf *gltf, const lrd_json *at, lrd_gltf_buffer *buffer)
{
	lrd_string uri = { NULL, 0 };
	buffer->owned.allocator = gltf->import->allocator;
	if (!lrd_json_get_size(at, "byteLength", &buffer->length, gltf->error) ||
		!lrd_json_get_text(at, "uri", &uri, gltf->error))
	{
		return false;
	}
	if (buffer->length == 0)
	{
		return lrd_fail(gltf->error, LRD_ERROR_FORMAT, "%s: byteLength is missing or 0", lrd_json_place(at).text);
	}
	if (!lrd_gltf_is_fallback(gltf, at, &buffer->fallback) || buffer->fallback)
	{
		return buffer->fallback;
	}
	if (uri.data == NULL)
	{
		return read_binary_chunk(gltf, at, buffer);
	}
	if (!lrd_gltf_is_data_uri(uri))
	{
		return read_external(gltf, at, buffer, uri);
	}
	lrd_string media_type;
	return lrd_gltf_read_data_uri(gltf, at, uri, &buffer->owned, &media_type) &&
		   take_bytes(gltf, at, buffer, "the data URI", (lrd_bytes){ buffer->owned.data, buffer->owned.size });
}

static bool read_view(lrd_gltf *gltf, const lrd_json *at, lrd_gltf_view *view)
{
	lrd_error *error = gltf->error;
	view->buffer = LRD_NO_INDEX;
	if (!lrd_gltf_get_index(gltf, at, "buffer", LRD_GLTF_BUFFERS, &view->buffer) ||
		!lrd_json_get_size(at, "byteOffset", &view->offset, error) ||
		!lrd_json_get_size(at, "byteLength", &view->length, error) ||
		!lrd_json_get_size(at, "byteStride", &view->stride, error))
	{
		return false;
	}
	if (view->buffer == LRD_NO_INDEX || view->length == 0)
	{
		return lrd_fail(error, LRD_ERROR_FORMAT, "%s: %s", lrd_json_place(at).text,
			view->buffer == LRD_NO_INDEX ? "buffer is missing" : "byteLength is missing or 0");
	}
	lrd_json stride = lrd_json_member(at, "byteStride");
	bool sound = view->stride >= MIN_STRIDE && view->stride <= MAX_STRIDE && view->stride % 4 == 0;
	if (stride.value != NULL && !sound)
	{
		return lrd_fail(error, LRD_ERROR_FORMAT, "%s: found %zu, expected a multiple of 4 from %u to %u",
			lrd_json_place(&stride).text, view->stride, MIN_STRIDE, MAX_STRIDE);
	}
	const lrd_gltf_buffer *buffer = &gltf->buffers[view->buffer];
	if (view->offset > buffer->length || view->length > buffer->length - view->offset)
	{
		return lrd_fail(error, LRD_ERROR_FORMAT, "%s: bytes %zu to %zu lie outside buffer %u, which has %zu",
			lrd_json_place(at).text, view->offset, view->offset + view->length, view->buffer, buffer->length);
	}
	view->data = buffer->bytes.data != NULL ? (const uint8_t *)buffer->bytes.data + view->offset : NULL;
	return true;
}

// What decoding may cost is measured by what there really is: files once, however many buffers name them; data URIs as
// text. What is compressed may come to more.
static void set_budget(lrd_gltf *gltf)
{
	bool compressed = lrd_gltf_declared(gltf, "KHR_meshopt_compression") ||
					  lrd_gltf_declared(gltf, "EXT_meshopt_compression") ||
					  lrd_gltf_declared(gltf, "KHR_draco_mesh_compression");
	gltf->multiple = compressed ? LRD_GLTF_DECOMPRESSED_MULTIPLE : LRD_GLTF_DECODED_MULTIPLE;
	for (size_t i = 0; i < gltf->import->external_count; i++)
	{
		gltf->source_size += gltf->import->externals[i].bytes.size;
	}
	size_t budget = 0;
	if (!lrd_mul_size(gltf->source_size, gltf->multiple, &budget) ||
		!lrd_add_size(budget, LRD_GLTF_DECODED_FLOOR, &budget))
	{
		budget = SIZE_MAX;
	}
	gltf->budget = budget;
}

bool lrd_gltf_read_buffers(lrd_gltf *gltf)
{
	const lrd_gltf_list *buffers = &gltf->lists[LRD_GLTF_BUFFERS];
	const lrd_gltf_list *views = &gltf->lists[LRD_GLTF_VIEWS];
	gltf->buffers = LRD_IMPORT_SCRATCH(gltf->import, lrd_gltf_buffer, buffers->count, "buffers");
	gltf->views = LRD_IMPORT_SCRATCH(gltf->import, lrd_gltf_view, views->count, "buffer views");
	if (gltf->buffers == NULL || gltf->views == NULL)
	{
		return false;
	}
	for (lrd_json at = lrd_json_first(&buffers->array); at.value != NULL; at = lrd_json_next(&at))
	{
		if (!read_buffer(gltf, &at, &gltf->buffers[at.index]))
		{
			return false;
		}
	}
	for (lrd_json at = lrd_json_first(&views->array); at.value != NULL; at = lrd_json_next(&at))
	{
		if (!read_view(gltf, &at, &gltf->views[at.index]))
		{
			return false;
		}
	}
	set_budget(gltf);
	for (lrd_json at = lrd_json_first(&views->array); at.value != NULL; at = lrd_json_next(&at))
	{
		if (!lrd_gltf_decompress_view(gltf, &at, &gltf->views[at.index]))
		{
			return false;
		}
	}
	return true;
}

void lrd_gltf_free_buffers(lrd_gltf *gltf)
{
	for (uint32_t i = 0; gltf->buffers != NULL && i < gltf->lists[LRD_GLTF_BUFFERS].count; i++)
	{
		lrd_buffer_free(&gltf->buffers[i].owned);
	}
}

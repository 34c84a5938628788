// import/gltf/meshopt.c: buffer views whose bytes are a stream of EXT_meshopt_compression or KHR_meshopt_compression:
// what they say of it, held to the rules of "JSON schema updates", and the view's bytes made from it.
//
// A compressed view is decoded once, when it is read: whatever reads views after that need not know.

#include "import/gltf/meshopt.h"
#include "import/gltf/gltf.h"

#include "base/path.h"

#define MAX_STRIDE 256u
#define CODEC_VERSION_1 0xa1 // first byte of a stream of attributes

static const char *const mode_names[LRD_MESHOPT_MODE_COUNT] = { "ATTRIBUTES", "TRIANGLES", "INDICES" };
static const char *const filter_names[LRD_MESHOPT_FILTER_COUNT] = { "NONE", "OCTAHEDRAL", "QUATERNION", "EXPONENTIAL",
	"COLOR" };

// Which of `names` a member says; `*chosen` stays as it is where there is none.
static bool get_choice(
	lrd_gltf *gltf, const lrd_json *object, const char *key, const char *const *names, uint32_t count, uint32_t *chosen)
{
	lrd_string text = { NULL, 0 };
	if (!lrd_json_get_text(object, key, &text, gltf->error) || text.data == NULL)
	{
		return lrd_json_member(object, key).value == NULL;
	}
	for (uint32_t i = 0; i < count; i++)
	{
		if (lrd_string_equal(text, lrd_string_from(names[i])))
		{
			*chosen = i;
			return true;
		}
	}
	return lrd_fail(gltf->error, LRD_ERROR_FORMAT, "%s/%s: found \"%.*s\", which no meshopt compression has",
		lrd_json_place(object).text, key, LRD_STR_ARG(text));
}

static bool fail_stride(lrd_gltf *gltf, const lrd_json *at, const char *of, size_t stride, const char *expected)
{
	return lrd_fail(gltf->error, LRD_ERROR_FORMAT, "%s: byteStride is %zu, with %s expected %s",
		lrd_json_place(at).text, stride, of, expected);
}

static bool check_filter(lrd_gltf *gltf, const lrd_json *at, const lrd_meshopt_stream *stream)
{
	size_t stride = stream->stride;
	const char *name = filter_names[stream->filter];
	switch (stream->filter)
	{
	case LRD_MESHOPT_OCTAHEDRAL:
	case LRD_MESHOPT_COLOR: return stride == 4 || stride == 8 || fail_stride(gltf, at, name, stride, "4 or 8");
	case LRD_MESHOPT_QUATERNION: return stride == 8 || fail_stride(gltf, at, name, stride, "8");
	case LRD_MESHOPT_NONE:
	case LRD_MESHOPT_EXPONENTIAL: // a multiple of 4, as that of every stream of attributes
	case LRD_MESHOPT_FILTER_COUNT: break;
	}
	return true;
}

static bool check_stream(lrd_gltf *gltf, const lrd_json *at, const lrd_meshopt_stream *stream)
{
	size_t stride = stream->stride;
	const char *name = mode_names[stream->mode];
	if (stream->mode == LRD_MESHOPT_ATTRIBUTES)
	{
		bool sound = stride != 0 && stride % 4 == 0 && stride <= MAX_STRIDE;
		return sound ? check_filter(gltf, at, stream)
					 : fail_stride(gltf, at, name, stride, "a multiple of 4 up to 256");
	}
	if (stream->filter != LRD_MESHOPT_NONE)
	{
		return lrd_fail(gltf->error, LRD_ERROR_FORMAT, "%s: filter %s goes with ATTRIBUTES alone, mode is %s",
			lrd_json_place(at).text, filter_names[stream->filter], name);
	}
	if (stride != 2 && stride != 4)
	{
		return fail_stride(gltf, at, name, stride, "2 or 4");
	}
	return stream->mode != LRD_MESHOPT_TRIANGLES || stream->count % 3 == 0 ||
		   lrd_fail(gltf->error, LRD_ERROR_FORMAT, "%s: count is %zu, with TRIANGLES expected a multiple of 3",
			   lrd_json_place(at).text, stream->count);
}

// The view is what the stream decodes to: as long, and in EXT_meshopt_compression with the same stride, if with any.
static bool check_view(
	lrd_gltf *gltf, const lrd_json *at, const lrd_gltf_view *view, const lrd_meshopt_stream *stream, bool same_stride)
{
	size_t size = 0;
	if (!lrd_mul_size(stream->count, stream->stride, &size) || size != view->length)
	{
		return lrd_fail(gltf->error, LRD_ERROR_FORMAT,
			"%s: count %zu times byteStride %zu is not the buffer view's byteLength of %zu", lrd_json_place(at).text,
			stream->count, stream->stride, view->length);
	}
	return !same_stride || view->stride == 0 || view->stride == stream->stride ||
		   lrd_fail(gltf->error, LRD_ERROR_FORMAT, "%s: byteStride is %zu, the buffer view's %zu",
			   lrd_json_place(at).text, stream->stride, view->stride);
}

// The encoded bytes, of another buffer as a rule.
static bool find_bytes(lrd_gltf *gltf, const lrd_json *at, lrd_meshopt_stream *stream)
{
	uint32_t index = LRD_NO_INDEX;
	size_t offset = 0;
	if (!lrd_gltf_get_index(gltf, at, "buffer", LRD_GLTF_BUFFERS, &index) ||
		!lrd_json_get_size(at, "byteOffset", &offset, gltf->error) ||
		!lrd_json_get_size(at, "byteLength", &stream->size, gltf->error))
	{
		return false;
	}
	if (index == LRD_NO_INDEX)
	{
		lrd_json missing = lrd_json_member(at, "buffer");
		return lrd_json_missing(&missing, gltf->error);
	}
	const lrd_gltf_buffer *buffer = &gltf->buffers[index];
	if (buffer->bytes.data == NULL)
	{
		return lrd_fail(gltf->error, LRD_ERROR_FORMAT, "%s: its bytes are those of buffer %u, which has no data%s",
			lrd_json_place(at).text, index, buffer->fallback ? ": it is a fallback" : "");
	}
	if (offset > buffer->length || stream->size > buffer->length - offset)
	{
		return lrd_fail(gltf->error, LRD_ERROR_FORMAT, "%s: bytes %zu to %zu lie outside buffer %u, which has %zu",
			lrd_json_place(at).text, offset, offset + stream->size, index, buffer->length);
	}
	stream->data = (const uint8_t *)buffer->bytes.data + offset;
	return true;
}

static bool read_stream(lrd_gltf *gltf, const lrd_json *at, lrd_meshopt_stream *stream)
{
	uint32_t mode = LRD_MESHOPT_MODE_COUNT, filter = LRD_MESHOPT_NONE;
	if (!lrd_json_get_size(at, "count", &stream->count, gltf->error) ||
		!lrd_json_get_size(at, "byteStride", &stream->stride, gltf->error) ||
		!get_choice(gltf, at, "mode", mode_names, LRD_MESHOPT_MODE_COUNT, &mode) ||
		!get_choice(gltf, at, "filter", filter_names, LRD_MESHOPT_FILTER_COUNT, &filter))
	{
		return false;
	}
	if (mode == LRD_MESHOPT_MODE_COUNT)
	{
		lrd_json missing = lrd_json_member(at, "mode");
		return lrd_json_missing(&missing, gltf->error);
	}
	stream->mode = (lrd_meshopt_mode)mode;
	stream->filter = (lrd_meshopt_filter)filter;
	return find_bytes(gltf, at, stream);
}

// What only the KHR extension has is unambiguous under the other's name too.
static bool warn_newer(lrd_gltf *gltf, const lrd_json *at, const lrd_meshopt_stream *stream)
{
	bool newer_codec =
		stream->mode == LRD_MESHOPT_ATTRIBUTES && stream->size != 0 && stream->data[0] == CODEC_VERSION_1;
	return (!newer_codec && stream->filter != LRD_MESHOPT_COLOR) ||
		   lrd_import_warn(gltf->import, "extension", 1, "%s: %s is of KHR_meshopt_compression; read all the same",
			   lrd_json_place(at).text, newer_codec ? "version 1 of the attribute codec" : "filter COLOR");
}

static bool decode(lrd_gltf *gltf, const lrd_json *at, const lrd_meshopt_stream *stream, lrd_gltf_view *view)
{
	lrd_json_pointer place = lrd_json_place(at);
	size_t least = lrd_meshopt_least(stream);
	if (stream->size < least)
	{
		return lrd_fail(gltf->error, LRD_ERROR_FORMAT, "%s: %zu elements take %zu encoded bytes at least, it has %zu",
			place.text, stream->count, least, stream->size);
	}
	if (!lrd_gltf_charge(gltf, stream->count, stream->stride, place.text))
	{
		return false;
	}
	uint8_t *bytes = LRD_IMPORT_SCRATCH(gltf->import, uint8_t, view->length, "a compressed buffer view");
	if (bytes == NULL)
	{
		return false;
	}
	const char *problem = lrd_meshopt_decode(stream, bytes);
	if (problem != NULL)
	{
		return lrd_fail(gltf->error, LRD_ERROR_FORMAT, "%s: what buffer view %u holds %s", place.text,
			(uint32_t)(view - gltf->views), problem);
	}
	view->data = bytes;
	view->lossy = stream->filter != LRD_MESHOPT_NONE;
	return true;
}

bool lrd_gltf_is_fallback(lrd_gltf *gltf, const lrd_json *buffer, bool *fallback)
{
	static const char *const names[] = { "KHR_meshopt_compression", "EXT_meshopt_compression" };
	*fallback = false;
	for (size_t i = 0; i < sizeof names / sizeof names[0] && !*fallback; i++)
	{
		lrd_gltf_extension extension;
		if (!lrd_gltf_get_extension(gltf, buffer, names[i], &extension) ||
			!lrd_json_get_bool(&extension.at, "fallback", fallback, gltf->error))
		{
			return false;
		}
	}
	return true;
}

bool lrd_gltf_decompress_view(lrd_gltf *gltf, const lrd_json *view_at, lrd_gltf_view *view)
{
	lrd_gltf_extension khr, ext;
	if (!lrd_gltf_get_extension(gltf, view_at, "KHR_meshopt_compression", &khr) ||
		!lrd_gltf_get_extension(gltf, view_at, "EXT_meshopt_compression", &ext))
	{
		return false;
	}
	bool is_ext = khr.at.value == NULL;
	const lrd_json *at = is_ext ? &ext.at : &khr.at;
	if (at->value == NULL)
	{
		return true;
	}
	lrd_meshopt_stream stream = { .count = 0 };
	return read_stream(gltf, at, &stream) && check_stream(gltf, at, &stream) &&
		   check_view(gltf, at, view, &stream, is_ext) && (!is_ext || warn_newer(gltf, at, &stream)) &&
		   (is_ext || ext.at.value == NULL ||
			   lrd_import_warn(gltf->import, "extension", 1, "%s: it has both meshopt extensions; the KHR one is read",
				   lrd_json_place(view_at).text)) &&
		   decode(gltf, at, &stream, view);
}

// import/gltf/container.c: from a file's bytes to JSON text and the BIN chunk. Section 4, "GLB File Format
// Specification".

#include "base/path.h"
#include "base/stream.h"
#include "import/gltf/gltf.h"

#define GLB_MAGIC 0x46546c67u // "glTF"
#define GLB_VERSION 2u
#define GLB_HEADER_SIZE 12u
#define GLB_CHUNK_HEADER_SIZE 8u
#define CHUNK_JSON 0x4e4f534au
#define CHUNK_BIN 0x004e4942u

bool lrd_gltf_is_binary(lrd_bytes source)
{
	return source.size >= 4 && memcmp(source.data, "glTF", 4) == 0;
}

typedef struct glb_chunks
{
	lrd_bytes json;
	lrd_bytes binary;
	bool has_json;
	bool has_binary;
} glb_chunks;

static bool take_chunk(lrd_gltf *gltf, lrd_reader *reader, glb_chunks *chunks)
{
	lrd_error *error = gltf->error;
	size_t offset = reader->position;
	size_t left = lrd_reader_left(reader);
	if (left < GLB_CHUNK_HEADER_SIZE)
	{
		return lrd_fail(error, LRD_ERROR_FORMAT, "GLB, byte %zu: %zu bytes left, expected a chunk header of %u", offset,
			left, GLB_CHUNK_HEADER_SIZE);
	}
	uint32_t length = lrd_read_u32(reader);
	uint32_t type = lrd_read_u32(reader);
	const uint8_t *data = lrd_read_bytes(reader, length);
	if (data == NULL)
	{
		return lrd_fail(error, LRD_ERROR_FORMAT,
			"GLB, byte %zu: a chunk of %u bytes does not fit the %zu that are left", offset, length,
			left - GLB_CHUNK_HEADER_SIZE);
	}
	if (!chunks->has_json && type != CHUNK_JSON)
	{
		return lrd_fail(
			error, LRD_ERROR_FORMAT, "GLB, byte %zu: found a chunk of type 0x%08x, expected JSON first", offset, type);
	}
	if (length % 4 != 0 &&
		!lrd_import_warn(gltf->import, "glb", 1, "GLB: the length of a chunk is no multiple of 4; read all the same"))
	{
		return false;
	}
	if (type == CHUNK_JSON && !chunks->has_json)
	{
		chunks->has_json = true;
		chunks->json = (lrd_bytes){ data, length };
		return true;
	}
	if (type == CHUNK_BIN && !chunks->has_binary)
	{
		chunks->has_binary = true;
		chunks->binary = (lrd_bytes){ data, length };
		return true;
	}
	return lrd_import_warn(gltf->import, "glb", 1, "GLB: ignored a further chunk of type 0x%08x", type);
}

static bool open_binary(lrd_gltf *gltf, lrd_bytes source, glb_chunks *chunks)
{
	lrd_error *error = gltf->error;
	if (source.size < GLB_HEADER_SIZE)
	{
		return lrd_fail(
			error, LRD_ERROR_FORMAT, "GLB: %zu bytes, expected a header of %u", source.size, GLB_HEADER_SIZE);
	}
	lrd_reader reader = lrd_reader_from(source.data, source.size);
	(void)lrd_read_u32(&reader); // the magic brought us here
	uint32_t version = lrd_read_u32(&reader);
	uint32_t length = lrd_read_u32(&reader);
	if (version != GLB_VERSION)
	{
		return lrd_fail(error, LRD_ERROR_UNSUPPORTED, "GLB: version %u, expected %u", version, GLB_VERSION);
	}
	if (length > source.size || length < GLB_HEADER_SIZE + GLB_CHUNK_HEADER_SIZE)
	{
		return lrd_fail(
			error, LRD_ERROR_FORMAT, "GLB: the header says %u bytes, the file has %zu", length, source.size);
	}
	if (length < source.size &&
		!lrd_import_warn(gltf->import, "glb", 1, "GLB: %zu bytes after the end were ignored", source.size - length))
	{
		return false;
	}
	reader.size = length;
	while (lrd_reader_left(&reader) > 0)
	{
		if (!take_chunk(gltf, &reader, chunks))
		{
			return false;
		}
	}
	return true;
}

// A byte order mark and NULs at the end are no JSON, but harmless, and exporters leave them.
static bool trim_text(lrd_gltf *gltf, lrd_string *text)
{
	if (text->size >= 3 && memcmp(text->data, "\xef\xbb\xbf", 3) == 0)
	{
		text->data += 3;
		text->size -= 3;
		if (!lrd_import_warn(gltf->import, "byte-order-mark", 1, "the JSON starts with a byte order mark; skipped"))
		{
			return false;
		}
	}
	while (gltf->is_binary && text->size > 0 && text->data[text->size - 1] == '\0')
	{
		text->size--;
	}
	return true;
}

// A .glb that holds JSON is read as such; one that holds neither is a damaged GLB.
static bool is_named_binary(const lrd_gltf *gltf, lrd_bytes source)
{
	bool named = lrd_string_equal_folded(lrd_path_extension(gltf->import->path), LRD_STR(".glb"));
	return named && (source.size == 0 || memchr("{ \t\r\n\xef", *(const uint8_t *)source.data, 6) == NULL);
}

bool lrd_gltf_open(lrd_gltf *gltf, lrd_bytes source, lrd_string *json)
{
	gltf->is_binary = lrd_gltf_is_binary(source);
	glb_chunks chunks = { .json = source };
	if (!gltf->is_binary && is_named_binary(gltf, source))
	{
		return lrd_fail(gltf->error, LRD_ERROR_FORMAT, "GLB: the file does not begin with \"glTF\"");
	}
	if (gltf->is_binary && !open_binary(gltf, source, &chunks))
	{
		return false;
	}
	gltf->binary = chunks.binary;
	gltf->has_binary = chunks.has_binary;
	*json = (lrd_string){ chunks.json.data, chunks.json.size };
	return trim_text(gltf, json);
}

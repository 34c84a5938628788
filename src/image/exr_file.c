// An EXR file in memory, given to OpenEXRCore through its callbacks; the library prints nothing and takes its memory
// from the caller's allocator (zlib inside it does not).

#include "base/error.h"
#include "image/exr.h"

static int64_t read_bytes(exr_const_context_t context, void *user, void *buffer, uint64_t size, uint64_t offset,
	exr_stream_error_func_ptr_t report)
{
	(void)context;
	(void)report;
	const lrd_exr_file *file = user;
	if (offset >= file->bytes.size)
	{
		return size == 0 ? 0 : -1;
	}
	uint64_t left = file->bytes.size - offset;
	uint64_t count = size < left ? size : left;
	memcpy(buffer, (const uint8_t *)file->bytes.data + offset, (size_t)count);
	return (int64_t)count;
}

static int64_t size_of_bytes(exr_const_context_t context, void *user)
{
	(void)context;
	return (int64_t)((const lrd_exr_file *)user)->bytes.size;
}

static void keep_message(exr_const_context_t context, exr_result_t code, const char *message)
{
	(void)code;
	void *user = NULL;
	if (context == NULL || exr_get_user_data(context, &user) != EXR_ERR_SUCCESS || user == NULL)
	{
		return;
	}
	lrd_exr_file *file = user;
	if (file->message[0] == 0 && message != NULL)
	{
		size_t length = strlen(message);
		length = length < sizeof file->message - 1 ? length : sizeof file->message - 1;
		memcpy(file->message, message, length);
		file->message[length] = 0;
		lrd_text_tidy(file->message);
	}
}

bool lrd_exr_fail(const lrd_exr_file *file, exr_result_t code, lrd_error *error)
{
	if (code == EXR_ERR_OUT_OF_MEMORY || file->memory.failed)
	{
		return lrd_fail(error, LRD_ERROR_MEMORY, "out of memory: decoder");
	}
	lrd_error_code kind = code == EXR_ERR_FEATURE_NOT_IMPLEMENTED ? LRD_ERROR_UNSUPPORTED : LRD_ERROR_FORMAT;
	const char *message = file->message[0] != 0 ? file->message : exr_get_default_error_message(code);
	return lrd_fail(error, kind, "%s", message);
}

bool lrd_exr_open(lrd_exr_file *file, lrd_bytes bytes, lrd_allocator allocator, lrd_error *error)
{
	*file = (lrd_exr_file){ .bytes = bytes };
	lrd_codec_memory_enter(&file->memory, allocator);
	exr_context_initializer_t desc = EXR_DEFAULT_CONTEXT_INITIALIZER;
	desc.error_handler_fn = keep_message;
	desc.alloc_fn = lrd_codec_malloc;
	desc.free_fn = lrd_codec_free;
	desc.user_data = file;
	desc.read_fn = read_bytes;
	desc.size_fn = size_of_bytes;
	// Strict, or windows that a damaged header lacks would be made up. A chunk that the table does not know is missing:
	// the library would search for it, and take what it finds.
	desc.flags = EXR_CONTEXT_FLAG_STRICT_HEADER | EXR_CONTEXT_FLAG_DISABLE_CHUNK_RECONSTRUCTION;
	exr_result_t code = exr_start_read(&file->context, "memory", &desc);
	if (code != EXR_ERR_SUCCESS)
	{
		lrd_exr_fail(file, code, error);
		lrd_exr_close(file);
		return false;
	}
	return true;
}

void lrd_exr_close(lrd_exr_file *file)
{
	exr_finish(&file->context);
	lrd_codec_memory_leave(&file->memory);
}

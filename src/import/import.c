// import/import.c: the public face: which reader a source goes to, and what an error is prefixed with.

#include "import/import.h"

#include "base/path.h"
#include "import/gltf/gltf.h"
#include "os/os.h"

bool lrd_import_knows(lrd_string path)
{
	lrd_string extension = lrd_path_extension(path);
	return lrd_string_equal_folded(extension, LRD_STR(".gltf")) || lrd_string_equal_folded(extension, LRD_STR(".glb"));
}

void lrd_document_free(lrd_document *document)
{
	if (document != NULL)
	{
		lrd_arena_destroy(document->arena);
	}
}

// The source's bytes: the caller's, or the file's, and then `owned` holds them.
static bool source_bytes(lrd_import *import, const lrd_import_desc *desc, lrd_buffer *owned, lrd_bytes *bytes)
{
	if (desc->memory.data != NULL)
	{
		*bytes = desc->memory;
		return true;
	}
	const char *native = desc->path;
	if (desc->root != NULL && !lrd_path_inside(import->scratch, import->root, import->path, &native, import->error))
	{
		return false;
	}
	if (!lrd_file_read(native, owned, import->error))
	{
		return false;
	}
	*bytes = (lrd_bytes){ owned->data, owned->size };
	return true;
}

static bool read_source(lrd_import *import, const lrd_import_desc *desc)
{
	lrd_buffer owned = { .allocator = desc->allocator };
	lrd_bytes bytes = { NULL, 0 };
	bool ok = source_bytes(import, desc, &owned, &bytes);
	if (ok && !lrd_import_knows(import->path) && !lrd_gltf_is_binary(bytes))
	{
		ok = lrd_fail(
			import->error, LRD_ERROR_UNSUPPORTED, "found a source of another kind, expected glTF 2.0 (.gltf, .glb)");
	}
	ok = ok && lrd_gltf_read(import, bytes);
	lrd_buffer_free(&owned);
	return ok;
}

lrd_document *lrd_import_file(const lrd_import_desc *desc, lrd_error *error)
{
	lrd_error problem = { .code = LRD_OK };
	lrd_import import;
	bool ok = lrd_import_begin(&import, desc, &problem) && read_source(&import, desc);
	lrd_document *document = lrd_import_end(&import, ok);
	if (document == NULL && error != NULL)
	{
		lrd_fail_in(&problem, "%s", desc->path != NULL ? desc->path : "import");
		lrd_text_tidy(problem.message);
		*error = problem;
	}
	return document;
}

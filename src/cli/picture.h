// cli/picture.h: image files for the commands that look at them: compare, extract, info.

#ifndef CLI_PICTURE_H
#define CLI_PICTURE_H

#include "cli/cli.h"
#include "larder/picture.h"

/// An image file in memory.
typedef struct cli_picture
{
	const char *path;
	lrd_bytes bytes;
	lrd_picture *picture;
	const lrd_picture_info *info;
} cli_picture;

/// False when it can't be read or is no image; `command` and the file are named in what is then said. cli_picture_close
/// must follow either way.
bool cli_picture_open(cli_picture *self, const char *command, const char *path);
void cli_picture_close(cli_picture *self);

/// Which image --level, --layer, --face and --slice name. False: not a number, which was said.
bool cli_take_place(const cli_arguments *arguments, const char *command, lrd_picture_decode_desc *place);

/// The value of --type, if there is one. False: no type, which was said.
bool cli_take_type(const cli_arguments *arguments, const char *command, bool *is_given, lrd_texture_type *type);

/// "KTX2 BC7_SRGB_BLOCK, level 2, 128 x 128".
void cli_put_picture(FILE *file, const lrd_picture_info *info, const lrd_picture_decode_desc *place);
/// The same as members of an object.
void cli_json_picture(cJSON *json, const lrd_picture_info *info, const lrd_picture_decode_desc *place);

/// Save pixels as the path's extension says: .png or .exr. What was said when it fails is said here.
bool cli_save_pixels(const char *command, const char *path, const lrd_pixels *pixels);
/// The extension is one of these.
bool cli_saves_to(const char *path);
bool cli_saves_to_png(const char *path);

/// Write the sheet of `larder info --picture`: levels side by side, faces, layers and slices in rows. Says what it left
/// out, and what fails.
bool cli_save_sheet(const char *path, const char *file);

/// The same of a mesh or a model: panels side by side, those that --show names (NULL: all that have something to show).
bool cli_save_mesh_sheet(const char *path, const char *file, const char *show);
/// Each name in a list "NAME,NAME" is that of a panel. False: one is not, which was said.
bool cli_knows_panels(const char *show);

#endif

// cli/cli.h: the larder program: one table of commands, from which parsing, help, completions and the man page all
// come. Every command lives in a file of its own and uses larder's public headers alone.

#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "larder/base.h"
#include "larder/jobs.h"
#include "larder/texture_cook.h"

#include <cjson/cJSON.h>
#include <stdio.h>

/// What the program ends with.
typedef enum cli_exit
{
	CLI_OK = 0,
	CLI_FAILED = 1,           ///< something that was asked for could not be done, or was found wrong
	CLI_BAD_COMMAND_LINE = 2, ///< nothing was tried
} cli_exit;

/// Options that a command may take. One set for all commands: a letter means the same everywhere.
typedef enum cli_option_id
{
	CLI_OUTPUT,
	CLI_ROOT,
	CLI_JOBS,
	CLI_FORCE,
	CLI_COMPRESSION,
	CLI_FORMAT,
	CLI_TARGET,
	CLI_TYPE,
	CLI_QUALITY,
	CLI_SET,
	CLI_LEVEL,
	CLI_LAYER,
	CLI_FACE,
	CLI_SLICE,
	CLI_PICTURE,
	CLI_SHOW,
	CLI_STORE,
	CLI_FREE,
	CLI_TIMES,
	CLI_MODEL,
	CLI_SCREENSHOT,
	CLI_SIZE,
	CLI_CAMERA,
	CLI_TURNTABLE,
	CLI_VIEW,
	CLI_CLIP,
	CLI_TIME,
	CLI_VARIANT,
	CLI_LOD,
	CLI_SKY,
	CLI_BACKGROUND,
	CLI_EXPOSURE,
	CLI_BUDGET,
	CLI_FRAMES,
	CLI_WATCH,
	CLI_DEVICE,
	CLI_SETS,
	CLI_VALIDATE,
	CLI_JSON,
	CLI_VERBOSE,
	CLI_QUIET,
	CLI_HELP,
	CLI_OPTION_COUNT
} cli_option_id;

typedef struct cli_option
{
	char letter;          ///< 0: none
	const char *name;     ///< without "--"
	const char *argument; ///< "FILE"; NULL: a switch
	const char *help;
} cli_option;

extern const cli_option cli_options[CLI_OPTION_COUNT];

/// A command line, taken apart.
typedef struct cli_arguments
{
	const char *values[CLI_OPTION_COUNT]; ///< NULL: not given; a switch that is given: its name
	const char *const *operands;
	uint32_t operand_count;
} cli_arguments;

typedef struct cli_command
{
	const char *name;
	const char *operands; ///< "SRC..."
	const char *summary;  ///< one line
	const char *text;     ///< what help says more
	uint64_t options;     ///< bit i: takes cli_options[i]
	uint32_t least;       ///< operands
	uint32_t most;
	cli_exit (*run)(const cli_arguments *arguments);
	bool may_omit_output; ///< an output is taken, but not needed
} cli_command;

#define CLI_TAKES(option) ((uint64_t)1 << (option))

extern const cli_command cli_commands[];
extern const uint32_t cli_command_count;

/// The command of that name, or NULL.
const cli_command *cli_find_command(const char *name);

/// Print what a command does, or what the program does (NULL).
void cli_print_help(const cli_command *command);

cli_exit cli_cook(const cli_arguments *arguments);
cli_exit cli_texture(const cli_arguments *arguments);
cli_exit cli_compare(const cli_arguments *arguments);
cli_exit cli_extract(const cli_arguments *arguments);
cli_exit cli_pack(const cli_arguments *arguments);
cli_exit cli_unpack(const cli_arguments *arguments);
cli_exit cli_list(const cli_arguments *arguments);
cli_exit cli_validate(const cli_arguments *arguments);
cli_exit cli_info(const cli_arguments *arguments);
cli_exit cli_replay(const cli_arguments *arguments);
cli_exit cli_view(const cli_arguments *arguments);
cli_exit cli_help(const cli_arguments *arguments);
cli_exit cli_version(const cli_arguments *arguments);
cli_exit cli_completion(const cli_arguments *arguments);

/// Print text that others chose, such as names of files and nodes: control characters, which a terminal might obey, and
/// bytes that are no UTF-8 as "\xNN".
void cli_put_text(FILE *file, lrd_string text);

/// "larder: MESSAGE" on stderr.
void cli_error(const char *format, ...) LRD_PRINTF(1, 2);

/// The first message of cli_error on this thread is also put into `text`, which begins empty, until this is called with NULL.
void cli_error_keep(char *text, size_t size);

/// What stderr heard from others is kept as if cli_error had said it, without being said again.
void cli_error_note(const char *format, ...) LRD_PRINTF(1, 2);

/// The value of -j as a job pool: "0" or none given means one worker a processor, "1" none at all (*pool is NULL, work
/// runs on this thread). False: not a number from 0 to 256, which was said.
bool cli_make_pool(const cli_arguments *arguments, lrd_job_pool **pool);

/// A whole file, aligned as the readers want it, to be given to free(); data is NULL on failure.
lrd_bytes cli_read_whole(const char *path, lrd_error *error);

/// The value of --target, if there is one. False: no target, which was said.
bool cli_take_target(const cli_arguments *arguments, lrd_target *target);

/// What became of a texture, on one line without its end.
void cli_put_texture(FILE *file, const lrd_texture_report *report);
/// The same as members of an object.
void cli_json_texture(cJSON *json, const lrd_texture_report *report);

/// "1.4 MB", in a buffer of its own for up to four uses at once.
const char *cli_bytes(uint64_t bytes);

/// stderr is a terminal.
bool cli_has_terminal(void);

// JSON. Building goes on after memory ran out; cli_json_print then says so.

cJSON *cli_json_string(cJSON *object, const char *name, lrd_string text);
cJSON *cli_json_number(cJSON *object, const char *name, double number);
/// As short as reads back the same f32. Null for what is not finite.
cJSON *cli_json_float(cJSON *object, const char *name, float number);
/// An array of f32; `object` may be an array, and `name` then NULL.
cJSON *cli_json_floats(cJSON *object, const char *name, const float *numbers, size_t count);
/// An index, or null for LRD_NO_INDEX.
cJSON *cli_json_index(cJSON *object, const char *name, uint32_t index);

/// Print and free; false, which was said, when memory ran out while building.
bool cli_json_print(cJSON *json);

#endif

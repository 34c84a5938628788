// The larder program: the tables of commands and options, and the way from a command line to a command.

#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const cli_option cli_options[CLI_OPTION_COUNT] = {
	[CLI_OUTPUT] = { 'o', "output", "PATH", "where to write" },
	[CLI_ROOT] = { 0, "root", "PATH",
		"the source root of files that are named one by one; default: the folder of each" },
	[CLI_JOBS] = { 'j', "jobs", "N", "threads that work; 0, the default: one a processor" },
	[CLI_FORCE] = { 'f', "force", NULL, "cook everything, also what is up to date" },
	[CLI_COMPRESSION] = { 'c', "compression", "KIND",
		"none, zstd or zstd:LEVEL with a level from 1 to 22; default zstd:9" },
	[CLI_FORMAT] = { 0, "format", "KIND", "lpack, the default, or json: one readable file with payloads in base64" },
	[CLI_TARGET] = { 0, "target", "NAME",
		"whose texture formats to cook to: desktop (BC1 to BC7), the default, mobile (ASTC), or raw (RGBA8, RGBA16F)" },
	[CLI_TYPE] = { 0, "type", "NAME",
		"what the image holds: albedo, normal, metallic_roughness, occlusion, emissive, mask, height, cubemap, lut, "
		"ui" },
	[CLI_QUALITY] = { 0, "quality", "NAME",
		"how long to search for good blocks: fast, best, or normal, which is the default" },
	[CLI_SET] = { 0, "set", "KEY=VALUE,...",
		"any texture setting that a sidecar may have, as max_size=512,wrap_u=clamp; of compare: amplify=8,flip=67" },
	[CLI_LEVEL] = { 0, "level", "N", "which mip level; 0, the default, is the finest" },
	[CLI_LAYER] = { 0, "layer", "N", "which layer of an array; default 0" },
	[CLI_FACE] = { 0, "face", "N", "which face of a cubemap, +x -x +y -y +z -z; default 0" },
	[CLI_SLICE] = { 0, "slice", "N", "which slice of a volume; default 0" },
	[CLI_PICTURE] = { 0, "picture", "PATH",
		"write a PNG of all that an image file holds: levels side by side, faces, layers and slices in rows; of a "
		"mesh, or a model with its meshes, what --show says" },
	[CLI_SHOW] = { 0, "show", "NAME,...",
		"what a picture of a mesh shows, of shaded, behind, textured, normals, tangents, uv, colors, weights, parts, "
		"meshlets, lods and morphs; default: all that there is" },
	[CLI_STORE] = { 0, "store", "PATH", "the cooked folder, or the bundle, that stands for all that was mounted" },
	[CLI_FREE] = { 0, "free", NULL, "let each thread go on as fast as it can, and look at no answer" },
	[CLI_TIMES] = { 0, "times", "N", "run it so often, each time with a new store; default 1" },
	[CLI_MODEL] = { 0, "model", "STEM", "which model, texture or mesh; default: the first model" },
	[CLI_SCREENSHOT] = { 0, "screenshot", "PATH", "write a PNG and end, without a window" },
	[CLI_SIZE] = { 0, "size", "SIZE", "WIDTHxHEIGHT in pixels, of the picture or the window; default 1280x720" },
	[CLI_CAMERA] = { 0, "camera", "PLACE",
		"fit, fit:YAW,PITCH, orbit:YAW,PITCH,DISTANCE[,X,Y,Z] around a point, eye:X,Y,Z,X,Y,Z from a point to a point, "
		"or file[:NAME], a camera of the model's; degrees and metres, a yaw of 0 sees the front; default fit:30,20" },
	[CLI_TURNTABLE] = { 0, "turntable", "N",
		"of --screenshot: N pictures all around, with the clip running through once: turn-000.png and so on" },
	[CLI_VIEW] = { 0, "view", "NAME",
		"what is shown: shaded, albedo, normal, geometry, tangent, uv, colors, roughness, metallic, occlusion, "
		"emissive, "
		"alpha, facing, parts, meshlets, lod, mip, wanted, overdraw" },
	[CLI_CLIP] = { 0, "clip", "NAME", "pose by this clip, a name or a number" },
	[CLI_TIME] = { 0, "time", "SECONDS", "of the clip; default 0" },
	[CLI_VARIANT] = { 0, "variant", "NAME", "materials of this variant, a name or a number" },
	[CLI_LOD] = { 0, "lod", "N", "this level of detail, the finest being 0; default: by the size on the screen" },
	[CLI_SKY] = { 0, "sky", "PATH",
		"light from a panorama or a cubemap file, or of a cubemap's stem in what is shown; default: a studio" },
	[CLI_BACKGROUND] = { 0, "background", "COLOR", "RRGGBB behind everything, or sky, the default" },
	[CLI_EXPOSURE] = { 0, "exposure", "STOPS", "brighter by powers of two; default 0" },
	[CLI_BUDGET] = { 0, "budget", "MIB", "memory for textures, in MiB; default 768" },
	[CLI_FRAMES] = { 0, "frames", "N", "end after N frames" },
	[CLI_WATCH] = { 0, "watch", NULL, "notice changes on disk, and show them" },
	[CLI_DEVICE] = { 0, "device", "NAME", "part of the name of the graphics device; default: the best" },
	[CLI_SETS] = { 0, "sets", NULL, "use no table of all textures, but a set of descriptors for each material" },
	[CLI_VALIDATE] = { 0, "validate", NULL,
		"run under Vulkan's validation layer; the exit status is 1 when it has anything to say" },
	[CLI_JSON] = { 0, "json", NULL, "print a report for programs on stdout" },
	[CLI_VERBOSE] = { 'v', "verbose", NULL,
		"list every source, texture, mesh and warning; of replay: every answer that differs" },
	[CLI_QUIET] = { 'q', "quiet", NULL, "print errors only" },
	[CLI_HELP] = { 'h', "help", NULL, "say what a command does" },
};

#define COMMON (CLI_TAKES(CLI_HELP))
#define MANY UINT32_MAX
#define PLACE (CLI_TAKES(CLI_LEVEL) | CLI_TAKES(CLI_LAYER) | CLI_TAKES(CLI_FACE) | CLI_TAKES(CLI_SLICE))

const cli_command cli_commands[] = {
	{ "cook", "SRC...", "turn sources into GPU-ready files",
		"Every source under SRC (a folder, or a single file) becomes cooked files under the output folder,\n"
		"in mirrored folders. Sources: .gltf, .glb, and images (.png .jpg .jpeg .webp .tga .bmp .psd .hdr\n"
		".exr .dds .ktx2) that no model owns. A file FILE.larder.json beside a source holds settings for\n"
		"it, larder.json in SRC those of a project. What did not change since the last cook is left alone;\n"
		"what no source yields any more is deleted. One source that fails does not stop the others, and\n"
		"keeps the files of its last good cook; the exit status is then 1.",
		COMMON | CLI_TAKES(CLI_OUTPUT) | CLI_TAKES(CLI_ROOT) | CLI_TAKES(CLI_TARGET) | CLI_TAKES(CLI_JOBS) |
			CLI_TAKES(CLI_FORCE) | CLI_TAKES(CLI_JSON) | CLI_TAKES(CLI_VERBOSE) | CLI_TAKES(CLI_QUIET),
		1, MANY, cli_cook, false },
	{ "texture", "IMAGE...", "cook one image to one texture",
		"Cooks an image, or the six faces of a cubemap (+X -X +Y -Y +Z -Z), to a KTX 2.0 file: filtered mips,\n"
		"block-compressed, as a cook of a whole tree would. What the image holds is told by --type, else guessed from "
		"its\n"
		"name (wall_n.png, wall_orm.png, ...), else it is colour. A cubemap may also be one panorama, cross or strip.\n"
		"Prints what came out and how far it is from the image.",
		COMMON | CLI_TAKES(CLI_OUTPUT) | CLI_TAKES(CLI_TYPE) | CLI_TAKES(CLI_QUALITY) | CLI_TAKES(CLI_TARGET) |
			CLI_TAKES(CLI_SET) | CLI_TAKES(CLI_JOBS) | CLI_TAKES(CLI_JSON) | CLI_TAKES(CLI_QUIET),
		1, 6, cli_texture, false },
	{ "compare", "A B", "say how far two image files are apart",
		"A and B are any image files, sources or cooked: an image beside its texture, or two textures. Prints PSNR, "
		"SSIM\n"
		"and the largest error of B against A, and of normals the angles between them: with --type normal, or when a\n"
		"file says that it holds them. A file that has one level only is held against --level of the other. With -o, "
		"a\n"
		"picture of the difference, amplified 8 times unless --set amplify=N says otherwise. --set flip=67: how "
		"different\n"
		"they look, too (FLIP, at that many pixels per degree of the eye's), and a picture of that.",
		COMMON | PLACE | CLI_TAKES(CLI_OUTPUT) | CLI_TAKES(CLI_TYPE) | CLI_TAKES(CLI_SET) | CLI_TAKES(CLI_JSON), 2, 2,
		cli_compare, true },
	{ "extract", "FILE", "decode one image of an image file to PNG or EXR",
		"FILE is any image file, source or cooked; PATH ends in .png or .exr. PNG has 16 bits a channel where the file "
		"has\n"
		"more than 8; light (HDR, EXR, BC6H) is tone mapped to it, and kept as it is in EXR. With --type normal, "
		"normals\n"
		"of two channels get their third.",
		COMMON | PLACE | CLI_TAKES(CLI_OUTPUT) | CLI_TAKES(CLI_TYPE) | CLI_TAKES(CLI_JSON) | CLI_TAKES(CLI_QUIET), 1, 1,
		cli_extract, false },
	{ "pack", "FOLDER", "seal a cooked folder in a bundle",
		"Writes one file that a game maps and reads in place, and a table of it, PATH.json, for people and tools. A "
		"folder\n"
		"whose files are not those of its manifest is refused. The same folder gives the same bytes.",
		COMMON | CLI_TAKES(CLI_OUTPUT) | CLI_TAKES(CLI_COMPRESSION) | CLI_TAKES(CLI_FORMAT) | CLI_TAKES(CLI_JOBS) |
			CLI_TAKES(CLI_JSON) | CLI_TAKES(CLI_QUIET),
		1, 1, cli_pack, false },
	{ "unpack", "BUNDLE", "write a bundle's files into a folder", "",
		COMMON | CLI_TAKES(CLI_OUTPUT) | CLI_TAKES(CLI_JSON) | CLI_TAKES(CLI_QUIET), 1, 1, cli_unpack, false },
	{ "list", "BUNDLE...", "list what is in a bundle", "", COMMON | CLI_TAKES(CLI_JSON), 1, MANY, cli_list, false },
	{ "validate", "PATH...", "prove cooked files, folders and bundles sound",
		"Checks structure, sizes, order, hashes, and that every asset that is named is there. Prints a line a finding; "
		"the\n"
		"exit status is 1 when there is any.",
		COMMON | CLI_TAKES(CLI_JSON) | CLI_TAKES(CLI_QUIET), 1, MANY, cli_validate, false },
	{ "info", "FILE...", "say what is in a source, an image, a cooked file or a bundle",
		"Of a mesh: its LODs, how full their meshlets are, the vertex layout, how it is quantised.\n"
		"Of a model: parts, nodes, materials, and the template by which an editor places it; of what it places often,\n"
		"the first few and how many more: --json has each.\n"
		"Of a clip: its channels, and what they come to.",
		COMMON | CLI_TAKES(CLI_PICTURE) | CLI_TAKES(CLI_SHOW) | CLI_TAKES(CLI_JSON), 1, MANY, cli_info, false },
	{ "replay", "TRACE", "run a recording of a store's calls again",
		"TRACE was recorded by a program that uses larder (lrd_store_desc.trace). Its calls are made again over the "
		"cooked\n"
		"files of --store, by as many threads, one call at a time in the order in which they ended. Answers that are "
		"not\n"
		"the recorded ones are listed, and the exit status is then 1. Whether an asset was ready at some moment, how "
		"much\n"
		"was loaded anew and the like may differ from run to run: that is counted apart, and is no failure.",
		COMMON | CLI_TAKES(CLI_STORE) | CLI_TAKES(CLI_FREE) | CLI_TAKES(CLI_TIMES) | CLI_TAKES(CLI_JSON) |
			CLI_TAKES(CLI_VERBOSE) | CLI_TAKES(CLI_QUIET),
		1, 1, cli_replay, false },
	{ "view", "PATH", "look at a source, a cooked tree or a bundle",
		"PATH is a source, which is cooked to memory, a cooked file, a cooked folder, or a bundle. Opens a window, or "
		"with\n"
		"--screenshot writes a picture, which needs no display: Vulkan's software driver (mesa-vulkan-drivers) will "
		"do.",
		COMMON | CLI_TAKES(CLI_MODEL) | CLI_TAKES(CLI_SCREENSHOT) | CLI_TAKES(CLI_SIZE) | CLI_TAKES(CLI_CAMERA) |
			CLI_TAKES(CLI_TURNTABLE) | CLI_TAKES(CLI_VIEW) | CLI_TAKES(CLI_CLIP) | CLI_TAKES(CLI_TIME) |
			CLI_TAKES(CLI_VARIANT) | CLI_TAKES(CLI_LOD) | CLI_TAKES(CLI_SKY) | CLI_TAKES(CLI_BACKGROUND) |
			CLI_TAKES(CLI_EXPOSURE) | CLI_TAKES(CLI_BUDGET) | CLI_TAKES(CLI_FRAMES) | CLI_TAKES(CLI_WATCH) |
			CLI_TAKES(CLI_DEVICE) | CLI_TAKES(CLI_SETS) | CLI_TAKES(CLI_VALIDATE) | CLI_TAKES(CLI_JOBS) |
			CLI_TAKES(CLI_JSON) | CLI_TAKES(CLI_QUIET),
		1, 1, cli_view, false },
	{ "completion", "SHELL", "print a completion script for bash or zsh",
		"bash: source <(larder completion bash)\nzsh:  source <(larder completion zsh)", COMMON, 1, 1, cli_completion,
		false },
	{ "help", "[COMMAND]", "say what larder, or a command, does", "", COMMON, 0, 1, cli_help, false },
	{ "version", "", "print the version", "", COMMON | CLI_TAKES(CLI_JSON), 0, 0, cli_version, false },
};

const uint32_t cli_command_count = sizeof cli_commands / sizeof *cli_commands;

const cli_command *cli_find_command(const char *name)
{
	for (uint32_t i = 0; i < cli_command_count; ++i)
	{
		if (strcmp(cli_commands[i].name, name) == 0)
		{
			return &cli_commands[i];
		}
	}
	return NULL;
}

static bool is_taken(const cli_command *command, uint32_t option)
{
	return (command->options & CLI_TAKES(option)) != 0;
}

static uint32_t find_long(const cli_command *command, const char *name, size_t size)
{
	for (uint32_t i = 0; i < CLI_OPTION_COUNT; ++i)
	{
		if (is_taken(command, i) && strlen(cli_options[i].name) == size &&
			strncmp(cli_options[i].name, name, size) == 0)
		{
			return i;
		}
	}
	return CLI_OPTION_COUNT;
}

static uint32_t find_letter(const cli_command *command, char letter)
{
	for (uint32_t i = 0; i < CLI_OPTION_COUNT; ++i)
	{
		if (is_taken(command, i) && cli_options[i].letter != 0 && cli_options[i].letter == letter)
		{
			return i;
		}
	}
	return CLI_OPTION_COUNT;
}

typedef struct parser
{
	const cli_command *command;
	char **words;
	int count;
	int next;
	cli_arguments arguments;
	const char **operands;
} parser;

/// An option with its value: "--name=value", "--name value", "-xvalue", "-x value".
static bool take_option(parser *self, uint32_t option, const char *attached, const char *word)
{
	if (option == CLI_OPTION_COUNT)
	{
		cli_error("%s: no such option: %s (see larder help %s)", self->command->name, word, self->command->name);
		return false;
	}
	const cli_option *what = &cli_options[option];
	if (what->argument == NULL)
	{
		if (attached != NULL)
		{
			cli_error("%s: --%s takes no value", self->command->name, what->name);
			return false;
		}
		self->arguments.values[option] = what->name;
		return true;
	}
	if (attached == NULL && self->next < self->count)
	{
		attached = self->words[self->next++];
	}
	if (attached == NULL || attached[0] == 0) // an empty folder would be the root of the file system
	{
		cli_error("%s: --%s needs a value: %s", self->command->name, what->name, what->argument);
		return false;
	}
	self->arguments.values[option] = attached;
	return true;
}

static bool take_long(parser *self, const char *word)
{
	const char *name = word + 2;
	const char *equals = strchr(name, '=');
	size_t size = equals != NULL ? (size_t)(equals - name) : strlen(name);
	return take_option(self, find_long(self->command, name, size), equals != NULL ? equals + 1 : NULL, word);
}

/// "-fv" is two switches, "-j2" a letter with its value.
static bool take_letters(parser *self, const char *word)
{
	for (const char *letter = word + 1; *letter != 0; ++letter)
	{
		uint32_t option = find_letter(self->command, *letter);
		bool has_value = option != CLI_OPTION_COUNT && cli_options[option].argument != NULL;
		if (!take_option(self, option, has_value && letter[1] != 0 ? letter + 1 : NULL, word))
		{
			return false;
		}
		if (has_value)
		{
			break;
		}
	}
	return true;
}

static bool parse(parser *self)
{
	bool only_operands = false;
	while (self->next < self->count)
	{
		const char *word = self->words[self->next++];
		if (only_operands || word[0] != '-' || word[1] == 0)
		{
			self->operands[self->arguments.operand_count++] = word;
		}
		else if (strcmp(word, "--") == 0)
		{
			only_operands = true;
		}
		else if (word[1] == '-' ? !take_long(self, word) : !take_letters(self, word))
		{
			return false;
		}
	}
	self->arguments.operands = self->operands;
	return true;
}

static bool has_right_count(const cli_command *command, uint32_t count)
{
	if (count < command->least)
	{
		cli_error("%s: %s is missing (see larder help %s)", command->name, command->operands, command->name);
		return false;
	}
	if (count > command->most)
	{
		cli_error("%s: too many operands (see larder help %s)", command->name, command->name);
		return false;
	}
	return true;
}

static cli_exit run_command(const cli_command *command, int count, char **words)
{
	parser self = { .command = command, .words = words, .count = count };
	self.operands = calloc((size_t)count + 1, sizeof *self.operands);
	if (self.operands == NULL)
	{
		cli_error("out of memory");
		return CLI_FAILED;
	}
	cli_exit result = CLI_BAD_COMMAND_LINE;
	if (parse(&self))
	{
		if (self.arguments.values[CLI_HELP] != NULL)
		{
			cli_print_help(command);
			result = CLI_OK;
		}
		else if (has_right_count(command, self.arguments.operand_count))
		{
			result = command->run(&self.arguments);
		}
	}
	free(self.operands);
	return result;
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : NULL;
	if (name == NULL)
	{
		cli_print_help(NULL);
		return CLI_BAD_COMMAND_LINE;
	}
	if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
	{
		name = "help";
	}
	else if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0)
	{
		name = "version";
	}
	const cli_command *command = cli_find_command(name);
	if (command == NULL)
	{
		cli_error("no such command: %s (see larder help)", name);
		return CLI_BAD_COMMAND_LINE;
	}
	cli_exit result = run_command(command, argc - 2, argv + 2);
	if (fflush(stdout) != 0 || ferror(stdout))
	{
		cli_error("stdout could not be written");
		return CLI_FAILED;
	}
	return (int)result;
}

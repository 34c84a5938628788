// larder help, version and completion: all made from the tables in main.c.

#include "cli/cli.h"
#include "larder/version.h"

#include <stdio.h>
#include <string.h>

#define HELP_WIDTH 100
#define HELP_INDENT 29 // columns before what an option does

/// Words up to the last column, the rest below them.
static void print_wrapped(const char *text)
{
	int column = HELP_INDENT;
	while (*text != 0)
	{
		int size = (int)strcspn(text, " ");
		if (column > HELP_INDENT && column + 1 + size > HELP_WIDTH)
		{
			printf("\n%*s", HELP_INDENT, "");
			column = HELP_INDENT;
		}
		column += printf("%s%.*s", column > HELP_INDENT ? " " : "", size, text);
		text += size;
		text += *text == ' ';
	}
	fputc('\n', stdout);
}

static void print_option(const cli_option *option)
{
	char flags[64];
	snprintf(flags, sizeof flags, "%c%c%s --%s%s%s", option->letter ? '-' : ' ', option->letter ? option->letter : ' ',
		option->letter ? "," : " ", option->name, option->argument ? " " : "",
		option->argument ? option->argument : "");
	printf("  %-26s ", flags);
	print_wrapped(option->help);
}

static void print_command_help(const cli_command *command)
{
	bool writes = (command->options & CLI_TAKES(CLI_OUTPUT)) != 0 && !command->may_omit_output;
	printf("larder %s - %s\n\nusage: larder %s [options] %s%s\n", command->name, command->summary, command->name,
		command->operands, writes ? " -o PATH" : "");
	if (command->text[0] != 0)
	{
		printf("\n%s\n", command->text);
	}
	printf("\noptions:\n");
	for (uint32_t i = 0; i < CLI_OPTION_COUNT; ++i)
	{
		if ((command->options & CLI_TAKES(i)) != 0)
		{
			print_option(&cli_options[i]);
		}
	}
}

void cli_print_help(const cli_command *command)
{
	if (command != NULL)
	{
		print_command_help(command);
		return;
	}
	printf("larder %s - game art to GPU-ready files, and back out again\n\nusage: larder COMMAND [options] "
		   "...\n\ncommands:\n",
		LRD_VERSION_STRING);
	for (uint32_t i = 0; i < cli_command_count; ++i)
	{
		printf("  %-12s %s\n", cli_commands[i].name, cli_commands[i].summary);
	}
	printf("\nlarder help COMMAND says more. Exit status: 0 all well, 1 something failed or was found wrong, 2 a bad "
		   "command line.\n");
}

cli_exit cli_help(const cli_arguments *arguments)
{
	const cli_command *command = NULL;
	if (arguments->operand_count != 0)
	{
		command = cli_find_command(arguments->operands[0]);
		if (command == NULL)
		{
			cli_error("no such command: %s", arguments->operands[0]);
			return CLI_BAD_COMMAND_LINE;
		}
	}
	cli_print_help(command);
	return CLI_OK;
}

cli_exit cli_version(const cli_arguments *arguments)
{
	if (arguments->values[CLI_JSON] == NULL)
	{
		printf("larder %s\n", LRD_VERSION_STRING);
		return CLI_OK;
	}
	cJSON *json = cJSON_CreateObject();
	cli_json_string(json, "version", LRD_STR(LRD_VERSION_STRING));
	return cli_json_print(json) ? CLI_OK : CLI_FAILED;
}

/// What an option takes, for those that take one of a few words.
static const char *const values[CLI_OPTION_COUNT] = {
	[CLI_COMPRESSION] = "none zstd",
	[CLI_FORMAT] = "lpack json",
	[CLI_TARGET] = "desktop mobile raw",
	[CLI_TYPE] = "albedo normal metallic_roughness occlusion emissive mask height cubemap lut ui",
	[CLI_QUALITY] = "fast normal best",
	[CLI_VIEW] =
		"shaded albedo normal geometry tangent uv colors roughness metallic occlusion emissive alpha facing parts "
		"meshlets lod mip wanted overdraw",
	[CLI_SHOW] = "shaded behind textured normals tangents uv colors weights parts meshlets lods morphs",
};

/// It takes several of them, with commas between.
static bool is_list(uint32_t option)
{
	return option == CLI_SHOW;
}

/// Words after a comma go on behind what is there.
static void print_bash_values(void)
{
	printf("\tcase ${COMP_WORDS[COMP_CWORD - 1]} in\n");
	for (uint32_t i = 0; i < CLI_OPTION_COUNT; ++i)
	{
		if (values[i] != NULL)
		{
			printf("\t--%s) COMPREPLY=($(compgen %s-W \"%s\" -- \"${word##*,}\"))\n\t\treturn ;;\n",
				cli_options[i].name, is_list(i) ? "-P \"$before\" " : "", values[i]);
		}
	}
	printf("\tesac\n");
}

static void print_words(const cli_command *command)
{
	for (uint32_t i = 0; i < CLI_OPTION_COUNT; ++i)
	{
		if ((command->options & CLI_TAKES(i)) != 0)
		{
			printf("--%s ", cli_options[i].name);
			if (cli_options[i].letter != 0)
			{
				printf("-%c ", cli_options[i].letter);
			}
		}
	}
}

static void print_bash(void)
{
	printf("# bash completion for larder: source <(larder completion bash)\n_larder()\n{\n"
		   "\tlocal word=${COMP_WORDS[COMP_CWORD]} options= before=\n"
		   "\t[[ $word != *,* ]] || before=${word%%,*},\n"
		   "\tif ((COMP_CWORD == 1)); then\n\t\tCOMPREPLY=($(compgen -W \"");
	for (uint32_t i = 0; i < cli_command_count; ++i)
	{
		printf("%s ", cli_commands[i].name);
	}
	printf("\" -- \"$word\"))\n\t\treturn\n\tfi\n");
	print_bash_values();
	printf("\tcase ${COMP_WORDS[1]} in\n");
	for (uint32_t i = 0; i < cli_command_count; ++i)
	{
		printf("\t%s) options=\"", cli_commands[i].name);
		print_words(&cli_commands[i]);
		printf("\" ;;\n");
	}
	printf("\tesac\n\tif [[ $word == -* ]]; then\n\t\tCOMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n\telse\n"
		   "\t\tmapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n\tfi\n}\n"
		   "complete -o filenames -F _larder larder\n");
}

/// Text between single quotes, where a quote of its own has to step outside.
static void print_quoted(const char *text)
{
	for (const char *c = text; *c != 0; ++c)
	{
		fputs(*c == '\'' ? "'\\''" : (const char[]){ *c, 0 }, stdout);
	}
}

static void print_zsh_option(uint32_t id, const char *dashes, const char *name)
{
	const cli_option *option = &cli_options[id];
	printf("\t\t\t'%s%s[", dashes, name);
	print_quoted(option->help);
	printf("]");
	if (values[id] != NULL)
	{
		printf(is_list(id) ? ":value:_values -s , value %s" : ":value:(%s)", values[id]);
	}
	else if (option->argument != NULL)
	{
		printf(strcmp(option->argument, "PATH") == 0 ? ":path:_files" : ":value: ");
	}
	printf("' \\\n");
}

static void print_zsh(void)
{
	printf("#compdef larder\n# zsh completion for larder: source <(larder completion zsh)\n_larder()\n{\n\tlocal -a "
		   "commands\n"
		   "\tcommands=(\n");
	for (uint32_t i = 0; i < cli_command_count; ++i)
	{
		printf("\t\t'%s:", cli_commands[i].name);
		print_quoted(cli_commands[i].summary);
		printf("'\n");
	}
	printf("\t)\n\tif ((CURRENT == 2)); then\n\t\t_describe command commands\n\t\treturn\n\tfi\n\tcase $words[2] in\n");
	for (uint32_t i = 0; i < cli_command_count; ++i)
	{
		printf("\t%s)\n\t\tshift words\n\t\t((CURRENT--))\n\t\t_arguments \\\n", cli_commands[i].name);
		for (uint32_t o = 0; o < CLI_OPTION_COUNT; ++o)
		{
			const cli_option *option = &cli_options[o];
			if ((cli_commands[i].options & CLI_TAKES(o)) != 0)
			{
				print_zsh_option(o, "--", option->name);
			}
			if ((cli_commands[i].options & CLI_TAKES(o)) != 0 && option->letter != 0)
			{
				print_zsh_option(o, "-", (const char[]){ option->letter, 0 });
			}
		}
		printf("\t\t\t'*:file:_files'\n\t\t;;\n");
	}
	// zsh runs a file that it found on its own, as _larder, to complete with; sourced, it is to be registered.
	printf(
		"\tesac\n}\nif [[ $funcstack[1] == _larder ]]; then\n\t_larder \"$@\"\nelse\n\tcompdef _larder larder\nfi\n");
}

cli_exit cli_completion(const cli_arguments *arguments)
{
	const char *shell = arguments->operands[0];
	if (strcmp(shell, "bash") == 0)
	{
		print_bash();
		return CLI_OK;
	}
	if (strcmp(shell, "zsh") == 0)
	{
		print_zsh();
		return CLI_OK;
	}
	cli_error("completion: bash or zsh, not %s", shell);
	return CLI_BAD_COMMAND_LINE;
}

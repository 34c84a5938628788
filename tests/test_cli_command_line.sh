#!/usr/bin/env bash
# The program's command line: commands, options, help, version, completions, exit statuses. test_cli_command_line.sh PROGRAM PROJECT
source "$(dirname "$0")/cli_common.sh"

commands=(cook texture compare extract pack unpack list validate info replay view completion help version)

without_a_command_it_helps()
{
	exits 2 "$larder"
	says out "usage: larder COMMAND"
}
it "without a command it prints help and exits with 2" without_a_command_it_helps

an_unknown_command()
{
	exits 2 "$larder" frobnicate
	says err "no such command: frobnicate"
	says_nothing out
	exits 2 "$larder" ""
	exits 2 "$larder" -- cook
	exits 2 "$larder" help frobnicate
}
it "an unknown command is refused with 2" an_unknown_command

help_lists_every_command()
{
	exits 0 "$larder" help
	for command in "${commands[@]}"; do
		grep -Eq "^  $command +[a-z]" out
	done
	(($(grep -Ec '^  [a-z]+ ' out) == ${#commands[@]}))
	says out "Exit status: 0"
	says_nothing err
}
it "help lists every command" help_lists_every_command

help_has_three_spellings()
{
	"$larder" help >a
	"$larder" --help >b
	"$larder" -h >c
	cmp a b
	cmp a c
}
it "help, --help and -h are the same" help_has_three_spellings

each_command_has_help()
{
	for command in "${commands[@]}"; do
		exits 0 "$larder" help "$command"
		cp out expected
		says out "usage: larder $command"
		exits 0 "$larder" "$command" --help
		cmp out expected
		exits 0 "$larder" "$command" -h
		cmp out expected
	done
}
it "each command's help is there as help COMMAND, --help and -h" each_command_has_help

# Every option that a command's help names.
options_of()
{
	"$larder" help "$1" | sed -nE 's/^  (-[a-z],)? +--([a-z]+).*/\2/p'
}

each_option_is_taken()
{
	for command in "${commands[@]}"; do
		options_of "$command" >options
		says options help
		while read -r option; do
			if "$larder" help "$command" | grep -Eq -- "--$option [A-Z][A-Z=,.]* "; then
				exits 0 "$larder" "$command" "--$option=1" --help
				exits 0 "$larder" "$command" "--$option" 1 --help
			else
				exits 0 "$larder" "$command" "--$option" --help
				exits 2 "$larder" "$command" "--$option=1" --help
				says err "takes no value"
			fi
		done <options
	done
}
it "each option that help names is taken, with a value where it has one" each_option_is_taken

each_letter_is_taken()
{
	for command in "${commands[@]}"; do
		"$larder" help "$command" | sed -nE 's/^  -([a-z]), --[a-z]+ ([A-Z]+)? .*/\1 \2/p' >letters
		while read -r letter value; do
			if [[ -n $value ]]; then
				exits 0 "$larder" "$command" "-${letter}1" --help
				exits 0 "$larder" "$command" "-$letter" 1 --help
			else
				exits 0 "$larder" "$command" "-${letter}h"
			fi
		done <letters
	done
}
it "each letter that help names is taken, joined or apart" each_letter_is_taken

unknown_options()
{
	for command in "${commands[@]}"; do
		exits 2 "$larder" "$command" --no-such-thing
		says err "$command: no such option: --no-such-thing"
		says_nothing out
		exits 2 "$larder" "$command" -Z
		exits 2 "$larder" "$command" --hel
	done
	exits 2 "$larder" list --output x bundle # an option of another command
}
it "unknown options are refused with 2" unknown_options

a_missing_or_empty_value()
{
	put_image source/a.tga 10
	exits 2 "$larder" cook source -o
	says err "--output needs a value"
	exits 2 "$larder" cook source --jobs
	exits 2 "$larder" cook source --output=
	says err "--output needs a value"
	exits 2 "$larder" cook source -o ""
	[[ ! -e /.larder ]]
}
it "an option's value may be neither missing nor empty" a_missing_or_empty_value

bad_numbers_of_jobs()
{
	put_image source/a.tga 10
	for jobs in -1 257 two 1x " 1" 99999999999999999999; do
		exits 2 "$larder" cook source -o cooked --jobs "$jobs"
		says err "from 0 to 256"
	done
	[[ ! -e cooked ]]
}
it "--jobs takes nothing but a number from 0 to 256" bad_numbers_of_jobs

operands_are_counted()
{
	for command in cook texture compare extract pack unpack list validate info replay view completion; do
		exits 2 "$larder" "$command"
		says err "is missing"
	done
	exits 2 "$larder" compare a
	exits 2 "$larder" compare a b c
	exits 2 "$larder" extract a b -o c.png
	exits 2 "$larder" pack a b -o c
	exits 2 "$larder" unpack a b -o c
	exits 2 "$larder" completion bash zsh
	exits 2 "$larder" help cook pack
	exits 2 "$larder" version now
	says err "too many operands"
}
it "missing and surplus operands are refused with 2" operands_are_counted

outputs_are_asked_for()
{
	mkdir -p some
	for command in cook texture extract pack unpack; do
		exits 2 "$larder" "$command" some
		says err "--output is missing"
	done
}
it "what writes a file wants an output" outputs_are_asked_for

words_after_two_dashes_are_operands()
{
	put_image ./--json/a.tga 20
	exits 0 "$larder" cook -o dashed -- --json
	[[ -f dashed/a.ktx2 ]]
	exits 2 "$larder" cook -- --json -o dashed # -o is an operand now
	says err "--output is missing"
}
it "what follows -- is an operand" words_after_two_dashes_are_operands

options_may_follow_operands()
{
	put_image source/a.tga 10
	exits 0 "$larder" cook source -qo late
	says_nothing out
	[[ -f late/a.ktx2 ]]
}
it "options may follow operands, and letters be joined" options_may_follow_operands

the_version()
{
	exits 0 "$larder" version
	grep -Eq '^larder [0-9]+\.[0-9]+\.[0-9]+$' out
	cp out expected
	exits 0 "$larder" --version
	cmp out expected
	exits 0 "$larder" -V
	cmp out expected
	[[ $(sed -n 's/.*LRD_VERSION_STRING "\(.*\)"/\1/p' "$project/include/larder/version.h") == "$(cut -d' ' -f2 expected)" ]]
}
it "version, --version and -V are that of the headers" the_version

the_version_as_json()
{
	exits 0 "$larder" version --json
	json_is out version "$("$larder" version | cut -d' ' -f2)"
}
it_json "version --json is JSON" the_version_as_json

a_full_disk()
{
	put_image source/a.tga 10
	"$larder" cook source -o cooked -q
	"$larder" pack cooked -o cooked.lpack -q
	for words in help "help cook" version "version --json" "completion bash" "completion zsh" "list cooked.lpack" \
		"list --json cooked.lpack" "info cooked.lpack" "info --json cooked/a.ktx2" "validate cooked" \
		"cook source -o cooked" "cook source -o cooked --json" "pack cooked -o again.lpack" "unpack cooked.lpack -o again"; do
		status=0
		# shellcheck disable=SC2086
		"$larder" $words >/dev/full 2>err || status=$?
		((status == 1)) || fail "larder $words > /dev/full exits with $status"
		says err "stdout could not be written"
	done
}
if [[ -c /dev/full ]]; then
	it "a stdout that is full gives 1" a_full_disk
else
	skip "a stdout that is full gives 1" "there is no /dev/full here"
fi

bash_completion()
{
	"$larder" completion bash >script.bash
	bash -n script.bash
	touch "wide file.gltf" wider.gltf
	bash -euc '
		source ./script.bash
		complete -p larder | grep -q _larder
		complete_words() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _larder || true; }
		complete_words larder ""
		[[ " ${COMPREPLY[*]} " == *" cook "* && " ${COMPREPLY[*]} " == *" validate "* ]]
		complete_words larder un
		[[ ${COMPREPLY[*]} == unpack ]]
		complete_words larder pack --comp
		[[ ${COMPREPLY[*]} == --compression ]]
		complete_words larder cook --comp
		((${#COMPREPLY[@]} == 0))
		complete_words larder cook wide
		((${#COMPREPLY[@]} == 2))
		[[ ${COMPREPLY[*]} == *"wide file.gltf"* ]]'
}
it "the bash completion knows commands, their options, and files with spaces" bash_completion

bash_completion_of_values()
{
	"$larder" completion bash >script.bash
	bash -euc '
		source ./script.bash
		complete_words() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _larder || true; }
		complete_words larder cook --target m
		[[ ${COMPREPLY[*]} == mobile ]]
		complete_words larder info a.lmesh --show sh
		[[ ${COMPREPLY[*]} == shaded ]]
		complete_words larder info a.lmesh --show shaded,uv,me
		[[ ${COMPREPLY[*]} == shaded,uv,meshlets ]]
		complete_words larder info --show ""
		((${#COMPREPLY[@]} > 5))
		said=$("$larder" help info)
		for name in "${COMPREPLY[@]}"; do
			[[ $said == *"$name"* ]]
		done'
}
export larder
it "the bash completion knows the values of options, in lists too" bash_completion_of_values

bash_completion_is_whole()
{
	"$larder" completion bash >script.bash
	bash -euc '
		source ./script.bash
		for command in "$@"; do
			COMP_WORDS=(larder "$command" -) COMP_CWORD=2
			_larder
			for option in $("$larder" help "$command" | sed -nE "s/^  (-[a-z],)? +(--[a-z]+).*/\2/p"); do
				[[ " ${COMPREPLY[*]} " == *" $option "* ]]
			done
		done' bash "${commands[@]}"
}
it "the bash completion has every option of every command" bash_completion_is_whole

# zsh_completes SETUP WORDS LINE: a shell on a terminal of its own is sent words and a tab, and told to show what its line then is.
zsh_completes()
{
	zsh -fc '
		zmodload zsh/zpty
		zpty shell zsh -f -i
		zpty -w shell "PS1= PROMPT= RPROMPT=; unsetopt zle_bracketed_paste; $1"
		zpty -w shell "show() { print -r -- \"<<\$BUFFER>>\"; BUFFER=; zle accept-line }; zle -N show; bindkey ^X show"
		zpty -w shell "print ready"
		zpty -r -m shell line "*ready*ready*"
		zpty -w -n shell "$2"$'"'\\t\\x18'"'
		zpty -r -m shell line "*<<*>>*" && print -r -- "$line"
		zpty -d shell' zsh "$1" "$2" >line
	says line "<<$3"
}

zsh_completion()
{
	mkdir -p functions
	"$larder" completion zsh >functions/_larder
	zsh -n functions/_larder
	local compinit='autoload -Uz compinit && compinit -u -D'
	for setup in "$compinit; source ./functions/_larder" "fpath=(./functions \$fpath); $compinit"; do
		zsh_completes "$setup" "larder unp" "larder unpack"
		zsh_completes "$setup" "larder pack --comp" "larder pack --compression"
		zsh_completes "$setup" "larder info --show shaded,lo" "larder info --show shaded,lods"
	done
}
if command -v zsh >/dev/null; then
	export -f zsh_completion zsh_completes says fail
	it "the zsh completion knows commands and their options, sourced or installed" bash -ec zsh_completion
else
	skip "the zsh completion knows commands and their options, sourced or installed" "there is no zsh here"
fi

another_shell()
{
	exits 2 "$larder" completion fish
	says err "bash or zsh"
}
it "a completion for another shell is refused with 2" another_shell

finish

#!/usr/bin/env bash
# A page's commands do what it shows: test_docs_console.sh SOURCE BIN PAGE, with the programs in BIN.
#
# Blocks are taken in order, in a folder where the repository's examples/ and the courtyard's sources as art/ are:
#   ```console          lines after "$ " are run, and what they print must be what follows them; "…" stands for any text,
#                       on a line of its own for any number of lines
#   ```json PATH        the block is written to PATH
# A command must succeed unless it ends in "; echo $?".
set -euo pipefail
source_dir=$1 bin=$2 page=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
cp -r "$source_dir/examples/courtyard/source" art
ln -s "$source_dir/examples" examples
export PATH="$bin:$PATH" LC_ALL=C.UTF-8

# Literal text as a pattern in which "…" is any text; on a line of its own, any number of lines.
pattern_of()
{
	local text=$1
	text=${text//$'\n…\n'/$'\n…'}
	text=${text/#$'…\n'/…}
	text=${text/%$'\n…'/…}
	sed 's/[][\\*?|()!+@]/\\&/g; s/…/*/g' <<<"$text"
}

commands=0
run()
{
	local line=$1 command=$2 expected=$3 printed status=0
	[[ -n $command ]] || return 0
	commands=$((commands + 1))
	printed=$(bash -c "$command" 2>&1 </dev/null) || status=$?
	if ((status != 0)); then
		printf 'not ok %s:%s: %s\nended with %s:\n%s\n' "$page" "$line" "$command" "$status" "$printed"
		exit 1
	fi
	# shellcheck disable=SC2053 # the right side is a pattern
	if [[ $printed != $(pattern_of "$expected") ]]; then
		printf 'not ok %s:%s: %s\nprinted:\n%s\n\nthe page says:\n%s\n' "$page" "$line" "$command" "$printed" "$expected"
		exit 1
	fi
}

block= number=0 command= expected= at=0 file=
end_command()
{
	run "$at" "$command" "${expected%$'\n'}"
	command= expected=
}
while IFS= read -r line; do
	number=$((number + 1))
	case $block:$line in
	:'```console') block=console ;;
	:'```json '*) block=json file=${line#'```json '}; mkdir -p "$(dirname "$file")"; : >"$file" ;;
	:'```'*) block=other ;;
	:*) ;;
	console:'```') end_command; block= ;;
	*:'```') block= ;;
	console:'$ '*) end_command; command=${line#'$ '} at=$number ;;
	console:'> '*) [[ -z $expected ]] && command+=$'\n'${line#'> '} || expected+=$line$'\n' ;;
	console:*) expected+=$line$'\n' ;;
	json:*) printf '%s\n' "$line" >>"$file" ;;
	esac
done <"$source_dir/$page"
((commands > 0)) || { echo "not ok $page shows no command"; exit 1; }
echo "ok $page: $commands commands print what it shows"

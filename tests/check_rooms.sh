#!/usr/bin/env bash
# Holds the source tree to its rules: a room includes only rooms that it names in its own CMakeLists.txt, which are above it; what ships with
# a game includes nothing of the cook; the program and the examples use public headers alone; os/ alone knows the platform; files stay short.
# check_rooms.sh PROJECT. Prints a line a violation.
set -uo pipefail
cd "$1" || exit 1

# From the sources of data to what uses them: a room may include only what stands before it.
order=(base os block image geometry motion sound format pack import cook store gpu stream)
cook_headers='cook|cook_memory|document|pack_write|picture|replay|texture_cook|write'
longest=800
violations=0

violation()
{
	echo "$*"
	violations=$((violations + 1))
}

rank()
{
	local i
	for i in "${!order[@]}"; do
		[[ ${order[i]} == "$1" ]] && echo "$i" && return
	done
	echo -1
}

# words_of KEYWORD FILE: what follows KEYWORD in larder_room(...), up to the next keyword.
words_of()
{
	sed 's/#.*//' "$2" | tr '\n\t()' '  \n\n' | awk -v keyword="$1" '
		/(^| )larder_room *$/ { inside = 1; next }
		inside {
			for (i = 1; i <= NF; ++i) {
				if ($i ~ /^(USES|SOURCES|LIBS|COOK_USES|COOK_SOURCES|COOK_LIBS)$/) taken = $i == keyword
				else if (taken) print $i
			}
			inside = 0
		}' | expand_lists "$2"
}

# A word ${list} stands for what `set(list ...)` in the same file says.
expand_lists()
{
	local word
	while read -r word; do
		if [[ $word =~ ^\$\{(.*)\}$ ]]; then
			sed 's/#.*//' "$1" | tr '\n\t()' '  \n\n' | awk -v name="${BASH_REMATCH[1]}" '
				after && $1 == name { for (i = 2; i <= NF; ++i) print $i }
				{ after = $NF == "set" }'
		else
			echo "$word"
		fi
	done
}

# includes_of PATH...: "FILE LINE INCLUDED" for each #include with quotes in these files, or below these folders.
includes_of()
{
	grep -rnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' --include='*.[ch]' "$@" /dev/null |
		sed -nE 's/^([^:]+):([0-9]+):[^"]*"([^"]+)".*/\1 \2 \3/p'
}

check_room()
{
	local room=$1 list=src/$1/CMakeLists.txt uses file line path other own
	uses=" $(words_of USES "$list" | tr '\n' ' ') $(words_of COOK_USES "$list" | tr '\n' ' ') "
	own=$(rank "$room")
	for other in $uses; do
		(($(rank "$other") >= 0)) || violation "$list: uses $other, which is no room"
		(($(rank "$other") < own)) || violation "$list: uses $other, which is not above $room"
	done
	while read -r file line path; do
		other=${path%%/*}
		if [[ $path != */* ]]; then
			violation "$file:$line: includes \"$path\" without its room"
		elif [[ $other != larder && $other != "$room" && $uses != *" $other "* ]]; then
			violation "$file:$line: includes \"$path\", but $list does not name $other in USES or COOK_USES"
		fi
	done < <(includes_of "src/$room")
}

# The sources of a room that ship with a game.
check_runtime()
{
	local room=$1 list=src/$1/CMakeLists.txt uses cook_uses files=() file line path
	uses=" $room $(words_of USES "$list" | tr '\n' ' ') "
	cook_uses=" $(words_of COOK_USES "$list" | tr '\n' ' ') "
	while read -r file; do
		[[ -f src/$room/$file ]] && files+=("src/$room/$file")
	done < <(words_of SOURCES "$list")
	((${#files[@]})) || return 0
	while read -r file line path; do
		if [[ $path =~ ^larder/($cook_headers)\.h$ ]]; then
			violation "$file:$line: ships with games, but includes \"$path\" of the cook"
		elif [[ $cook_uses == *" ${path%%/*} "* && $uses != *" ${path%%/*} "* ]]; then
			violation "$file:$line: ships with games, but includes \"$path\", which $list names in COOK_USES only"
		fi
	done < <(includes_of "${files[@]}")
}

# check_public FOLDER OWN: quotes only around larder/... and paths that match OWN or lie beside the file.
check_public()
{
	local file line path
	while read -r file line path; do
		[[ $path == larder/* || (-n $2 && $path == "$2"/*) || -f ${file%/*}/$path ]] ||
			violation "$file:$line: includes \"$path\"; only public headers (larder/...) are for it"
	done < <(includes_of "$1")
}

check_platform()
{
	local platforms='_WIN32|_WIN64|__CYGWIN__|__APPLE__|__MACH__|__linux__|__linux|__gnu_linux__|__unix__|__FreeBSD__|__ANDROID__'
	local headers='unistd|fcntl|dirent|pthread|dlfcn|poll|signal|termios|windows|sys/[a-z]+|linux/[a-z]+|mach/[a-z]+'
	local found
	while read -r found; do
		violation "$found: only src/os may ask for the platform"
	done < <(grep -rnE "^[[:space:]]*#[[:space:]]*(if|ifdef|ifndef|elif)\b.*\b($platforms)\b" src --include='*.[ch]' | grep -v '^src/os/')
	# The program asks for itself whether its stderr is a terminal.
	while read -r found; do
		violation "$found: only src/os may include the platform's headers"
	done < <(grep -rnE "^[[:space:]]*#[[:space:]]*include[[:space:]]*<($headers)\.h>" src --include='*.[ch]' |
		grep -vE '^src/os/|^src/cli/output\.c:[0-9]+:#include <unistd\.h>')
}

check_lengths()
{
	local file lines
	while read -r lines file; do
		((lines < longest)) || violation "$file: $lines lines; a name is missing somewhere (fewer than $longest)"
	done < <(find src include tests fuzz bench examples docs script cmake -name node_modules -prune -o -type f \
		\( -name '*.[ch]' -o -name '*.sh' -o -name '*.mjs' -o -name '*.cmake' -o -path 'script/*' -o -name CMakeLists.txt \) \
		-exec wc -l {} + | grep -v ' total$')
}

for folder in src/*/; do
	room=$(basename "$folder")
	if [[ $room == cli ]]; then
		continue
	elif (($(rank "$room") < 0)); then
		violation "src/$room: no room of that name is in the order of this check"
	else
		check_room "$room"
		check_runtime "$room"
	fi
done
check_public src/cli cli
check_public include ""
for folder in examples docs/snippets; do
	[[ -d $folder ]] && check_public "$folder" ""
done
check_platform
check_lengths

if ((violations)); then
	echo "not ok - $violations violations"
	exit 1
fi
echo "ok - rooms include what they name, and everything else is in its place"

#!/usr/bin/env bash
# That check_rooms.sh finds what it is for: a small tree that keeps the rules, then one violation after another. test_check_rooms.sh PROJECT
set -uo pipefail
check=$(realpath "$1")/tests/check_rooms.sh
scratch=$(mktemp -d "${TMPDIR:-/tmp}/larder-test-XXXXXX")
trap 'rm -rf "$scratch"' EXIT
failures=0

# put FILE LINE...
put()
{
	mkdir -p "$(dirname "$1")"
	printf '%s\n' "${@:2}" >"$1"
}

sound_tree()
{
	rm -rf "$scratch/tree"
	mkdir -p "$scratch/tree/"{include/larder,tests,fuzz,bench,examples,docs,script,cmake}
	cd "$scratch/tree" || exit 1
	put src/base/CMakeLists.txt 'larder_room(base SOURCES error.c)'
	put src/base/error.c '#include "base/error.h"'
	put src/base/error.h '#include "larder/base.h"'
	put src/os/CMakeLists.txt 'larder_room(os' '	USES base' '	SOURCES file.c)'
	put src/os/file.c '#include "base/error.h"' '#if defined(__linux__)' '#include <unistd.h>' '#endif'
	put src/format/CMakeLists.txt 'set(plain mesh.c)' 'larder_room(format USES base SOURCES ${plain}' \
		'	COOK_USES os COOK_SOURCES write.c) # geometry, says a comment'
	put src/format/mesh.c '#include "base/error.h"' '#include "larder/mesh.h"'
	put src/format/write.c '#include "os/os.h"' '#include "larder/write.h"'
	put src/cli/main.c '#include "cli/cli.h"' '#include "larder/cook.h"'
	put examples/shop/main.c '#include "shop.h"' '#include <larder/larder.h>'
	put examples/shop/shop.h '#include "larder/pack.h"'
	put include/larder/mesh.h '#include "larder/base.h"'
}

# finds SENTENCE TEXT FILE LINE...: with this file in the tree the check fails and says TEXT.
finds()
{
	sound_tree
	put "$3" "${@:4}"
	if bash "$check" "$scratch/tree" >said 2>&1 || ! grep -qF -- "$2" said; then
		echo "not ok - $1"
		sed 's/^/    /' said
		failures=$((failures + 1))
	else
		echo "ok - $1"
	fi
}

sound_tree
if bash "$check" "$scratch/tree" >said 2>&1; then
	echo "ok - a tree that keeps the rules passes"
else
	echo "not ok - a tree that keeps the rules passes"
	cat said
	failures=1
fi
finds "a room that is not named is found" 'src/os/file.c:2: includes "format/mesh.h"' \
	src/os/file.c '' '#include "format/mesh.h"'
finds "a room below is found, even where it is named" "uses format, which is not above os" \
	src/os/CMakeLists.txt 'larder_room(os USES base format SOURCES file.c)'
finds "a room that is none is found" "uses shop, which is no room" \
	src/os/CMakeLists.txt 'larder_room(os USES base shop SOURCES file.c)'
finds "a folder that is no room is found" "src/shop: no room" src/shop/CMakeLists.txt 'larder_room(shop)'
finds "a header without its room is found" 'includes "error.h" without its room' src/base/error.c '#include "error.h"'
finds "a cook header in what ships is found" 'src/format/mesh.c:1: ships with games' \
	src/format/mesh.c '#include "larder/write.h"'
finds "a room of the cook in what ships is found" 'names in COOK_USES only' src/format/mesh.c '#include "os/os.h"'
finds "a private header in the program is found" 'src/cli/main.c:1: includes "os/os.h"' \
	src/cli/main.c '#include "os/os.h"'
finds "a private header in an example is found" 'examples/shop/main.c:1: includes "base/error.h"' \
	examples/shop/main.c '#include "base/error.h"'
finds "a private header in a public one is found" 'include/larder/mesh.h:1: includes "base/error.h"' \
	include/larder/mesh.h '#include "base/error.h"'
finds "a question about the platform is found" "src/base/error.c:1:#ifdef __linux__: only src/os" \
	src/base/error.c '#ifdef __linux__'
finds "a header of the platform is found" "only src/os may include the platform's headers" \
	src/base/error.c '#include <sys/mman.h>'
finds "a long file is found" "src/base/error.c: 800 lines" src/base/error.c $(seq 800)

((failures == 0)) || exit 1

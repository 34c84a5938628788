#!/usr/bin/env bash
# An installed larder is found as README.md says: by find_package and by pkg-config, the run time alone and the cook half.
# test_docs_linking.sh SOURCE BUILD.
set -euo pipefail
source_dir=$1 build=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
prefix=$scratch/prefix
cmake --install "$build" --prefix "$prefix" >"$scratch/install.log" || { cat "$scratch/install.log"; exit 1; }

# The CMake lines are the ones that README.md shows.
mkdir "$scratch/game"
cd "$scratch/game"
cp "$source_dir/docs/snippets/readme.c" game.c
cp "$source_dir/docs/snippets/cook.c" tool.c
{
	echo 'cmake_minimum_required(VERSION 3.22)'
	echo 'project(game LANGUAGES C)'
	echo 'add_executable(game game.c)'
	echo 'add_executable(tool tool.c)'
	sed -n '/^```cmake$/,/^```$/p' "$source_dir/README.md" | grep -v '^```'
} >CMakeLists.txt
grep -q '^find_package(larder' CMakeLists.txt || { echo "not ok README.md shows no find_package(larder)"; exit 1; }
if cmake -G Ninja -S . -B build -DCMAKE_PREFIX_PATH="$prefix" >cmake.log 2>&1 && cmake --build build >>cmake.log 2>&1; then
	echo "ok find_package(larder)"
else
	cat cmake.log
	echo "not ok find_package(larder)"
	exit 1
fi

export PKG_CONFIG_PATH
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name larder.pc)")
compile()
{
	# shellcheck disable=SC2046 # flags are words
	if cc -std=c17 "$1" $(pkg-config --cflags --libs --static "$2") -o "$1.out" >pkg.log 2>&1; then
		echo "ok pkg-config $2"
	else
		cat pkg.log
		echo "not ok pkg-config $2"
		exit 1
	fi
}
compile game.c larder
compile tool.c larder-cook
[[ -s $prefix/share/man/man1/larder.1 ]] || { echo "not ok the manual page is not installed"; exit 1; }

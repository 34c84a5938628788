#!/usr/bin/env bash
# What is installed, and that a stranger's project builds with it: static, shared, and the run time alone. Builds larder anew each time.
# test_packaging.sh PROJECT [C-COMPILER]
set -uo pipefail
project=$(realpath "$1")
export CC=${2:-cc}
scratch=$(mktemp -d "${TMPDIR:-/tmp}/larder-test-XXXXXX")
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
failures=0
# Of the run time; that none of them is forgotten is a check below.
read -ra runtime_headers <<<"$(sed -n 's/^set(runtime_headers \(.*\))$/\1/p' "$project/cmake/install.cmake")"

# it SENTENCE FUNCTION [ARGUMENT...]: every command of the function must succeed.
it()
{
	local sentence=$1 said
	shift
	said=$(set -e; "$@" 2>&1)
	if (($? == 0)); then
		echo "ok - $sentence"
	else
		echo "not ok - $sentence"
		tail -n 40 <<<"$said" | sed 's/^/    /'
		failures=$((failures + 1))
	fi
}

generator=(-G "Unix Makefiles")
command -v ninja >/dev/null && generator=(-G Ninja)

# build NAME OPTION...: configured, built and installed into the folder NAME. Nothing but $target is built, where that is set.
build()
{
	local name=$1
	cmake "${generator[@]}" -S "$project" -B "build-$name" --install-prefix "$scratch/elsewhere" -DCMAKE_BUILD_TYPE=Debug -DLARDER_VECTORS=OFF \
		-DLARDER_TESTS=OFF -DLARDER_EXAMPLES=OFF "${@:2}"
	cmake --build "build-$name" --parallel "$(nproc)" ${target:+--target "$target"}
	cmake --install "build-$name" --prefix "$scratch/$name"
}

# The folder of a prefix that libraries are in: lib, lib64, lib/x86_64-linux-gnu.
libraries_of()
{
	dirname "$(find "$scratch/$1" -name 'liblarder.a' -o -name 'liblarder.so' | sed -n 1p)"
}

put_source()
{
	mkdir -p source
	printf '\0\0\2\0\0\0\0\0\0\0\0\0\1\0\1\0\40\50abcd' >source/wood.tga
}

# use_game GAME BUNDLE
use_game()
{
	[[ $("$1" "$2") == "texture wood.ktx2" ]]
}

# Without Vulkan's headers there is no larder-vulkan.
with_vulkan=false
pkg-config --exists 'vulkan >= 1.2.162' && with_vulkan=true

# use_renderer RENDERER: it starts without Vulkan's loader, and says what is missing where there is no driver.
use_renderer()
{
	if command -v readelf >/dev/null; then
		readelf -d "$1" >dynamic
		if grep -q 'NEEDED.*libvulkan' dynamic; then
			return 1
		fi
	fi
	"$1" | grep -E '^(device|none): '
	VK_DRIVER_FILES=/nonexistent VK_ICD_FILENAMES=/nonexistent "$1" | grep '^none: .*mesa-vulkan-drivers'
}

# consume NAME: the consumer, built by CMake against what build() installed there.
consume()
{
	rm -rf "consumer-$1"
	cmake "${generator[@]}" -S "$project/tests/consumer" -B "consumer-$1" -DCMAKE_PREFIX_PATH="$scratch/$1"
	cmake --build "consumer-$1"
	put_source
	if [[ -x consumer-$1/tool ]]; then
		rm -rf cooked
		"consumer-$1/tool" source cooked wood.lpack
	fi
	use_game "consumer-$1/game" wood.lpack
	if $with_vulkan && [[ $1 != runtime ]]; then # which is built where there is nothing but zstd
		use_renderer "consumer-$1/renderer"
	fi
}

# A machine that has zstd, but not what the cook half needs.
consume_without_cook_libraries()
{
	rm -rf consumer-bare
	cmake "${generator[@]}" -S "$project/tests/consumer" -B consumer-bare -DCMAKE_PREFIX_PATH="$scratch/static" \
		-DCMAKE_DISABLE_FIND_PACKAGE_OpenSSL=ON
	cmake --build consumer-bare
	[[ ! -x consumer-bare/tool ]]
	put_source
	use_game consumer-bare/game wood.lpack
	sed 's/find_package(larder 0.1/find_package(larder 0.1 COMPONENTS cook/' "$project/tests/consumer/CMakeLists.txt" >bare-wanted
	mkdir -p bare-cook
	cp "$project"/tests/consumer/*.c bare-cook
	mv bare-wanted bare-cook/CMakeLists.txt
	! cmake "${generator[@]}" -S bare-cook -B bare-cook/build -DCMAKE_PREFIX_PATH="$scratch/static" \
		-DCMAKE_DISABLE_FIND_PACKAGE_OpenSSL=ON >bare-cook/log 2>&1
	grep -q OpenSSL bare-cook/log
}

everything_is_installed()
{
	cd static
	[[ -x bin/larder && -f share/man/man1/larder.1 ]]
	[[ -f share/bash-completion/completions/larder && -f share/zsh/site-functions/_larder ]]
	cmp share/man/man1/larder.1 "$project/docs/larder.1"
	bin/larder completion bash | cmp - share/bash-completion/completions/larder
	bin/larder completion zsh | cmp - share/zsh/site-functions/_larder
	if $with_vulkan; then
		[[ -f $(libraries_of static)/liblarder-vulkan.a && -f $(libraries_of static)/pkgconfig/larder-vulkan.pc ]]
		diff -r include/larder "$project/include/larder" # none forgotten, none too many
	else
		diff -r -x gpu_vulkan.h include/larder "$project/include/larder"
	fi
	[[ -f $(libraries_of static)/liblarder-cook.a && -f $(libraries_of static)/pkgconfig/larder.pc ]]
}

headers_compile_alone()
{
	local header
	for header in static/include/larder/*.h; do
		printf '#include <larder/%s>\nextern int something;\n' "$(basename "$header")" >alone.c
		"$CC" -std=c11 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -Istatic/include alone.c
		if command -v "${CXX:-c++}" >/dev/null; then
			"${CXX:-c++}" -std=c++17 -Wall -Wextra -Werror -fsyntax-only -Istatic/include -x c++ alone.c
		fi
	done
}

pkg_config_static()
{
	local flags
	export PKG_CONFIG_PATH
	PKG_CONFIG_PATH=$(libraries_of static)/pkgconfig
	read -ra flags <<<"$(pkg-config --static --cflags --libs larder)"
	"$CC" "$project/tests/consumer/game.c" "${flags[@]}" -o game
	read -ra flags <<<"$(pkg-config --static --cflags --libs larder-cook)"
	"$CC" "$project/tests/consumer/tool.c" "${flags[@]}" -o tool
	put_source
	rm -rf cooked
	./tool source cooked wood.lpack
	use_game ./game wood.lpack
	if $with_vulkan; then
		read -ra flags <<<"$(pkg-config --static --cflags --libs larder-vulkan)"
		"$CC" "$project/tests/consumer/renderer.c" "${flags[@]}" -o renderer
		use_renderer ./renderer
	fi
	[[ $(pkg-config --modversion larder) == "$(static/bin/larder version | cut -d' ' -f2)" ]]
}

a_moved_prefix()
{
	rm -rf moved
	cp -r static moved
	mv static static.away
	consume moved
	PKG_CONFIG_PATH=$(libraries_of moved)/pkgconfig pkg-config --cflags --libs larder >flags
	mv static.away static
	grep -q "$scratch/moved" flags
	[[ $(<flags) != *"$scratch/static"* ]]
}

other_versions_are_refused()
{
	local version
	sed 's/find_package(larder 0.1/find_package(larder @/' "$project/tests/consumer/CMakeLists.txt" >wanted
	for version in 0.2 1.0 0.0.9; do
		mkdir -p "wants-$version"
		sed "s/@/$version/" wanted >"wants-$version/CMakeLists.txt"
		if cmake "${generator[@]}" -S "wants-$version" -B "wants-$version/build" -DCMAKE_PREFIX_PATH="$scratch/static" >said 2>&1; then
			echo "find_package took $version"
			return 1
		fi
		grep -q larder said
	done
}

runtime_alone()
{
	mkdir -p only-zstd
	cp "$(pkg-config --variable=pcfiledir libzstd)/libzstd.pc" only-zstd
	PKG_CONFIG_LIBDIR=$scratch/only-zstd build runtime -DLARDER_COOK=OFF
	[[ ! -e runtime/bin/larder && ! -e runtime/include/larder/cook.h ]]
	[[ -z $(find runtime -name '*cook*') ]]
	local header
	for header in "${runtime_headers[@]}"; do
		[[ -f runtime/include/larder/$header.h ]]
	done
	PKG_CONFIG_LIBDIR=$scratch/only-zstd consume runtime
}

the_program_alone_is_enough_to_install()
{
	target=larder-program build shared -DBUILD_SHARED_LIBS=ON
	[[ -s shared/share/bash-completion/completions/larder && -s shared/share/zsh/site-functions/_larder ]]
}

# The functions that the run time's public headers declare.
declared()
{
	local header
	for header in "${runtime_headers[@]}"; do
		cat "$project/include/larder/$header.h"
	done | tr '\n' ' ' | grep -oE 'LRD_API [^;()]*\blrd_[a-z0-9_]+ ?\(' | grep -oE 'lrd_[a-z0-9_]+ ?\($' | tr -d ' (' | LC_ALL=C sort -u
}

the_vulkan_library_exports_its_public_face()
{
	$with_vulkan || return 0
	nm -D --defined-only "$(libraries_of shared)/liblarder-vulkan.so" | awk '{ print $NF }' | LC_ALL=C sort -u >exported
	tr '\n' ' ' <"$project/include/larder/gpu_vulkan.h" | grep -oE 'LRD_API [^;()]*\blrd_[a-z0-9_]+ ?\(' |
		grep -oE 'lrd_[a-z0-9_]+ ?\($' | tr -d ' (' | LC_ALL=C sort -u >expected
	(($(wc -l <expected) > 15))
	diff expected exported
	! readelf -d "$(libraries_of shared)/liblarder-vulkan.so" | grep -q 'NEEDED.*libvulkan'
}

exports_are_the_public_face()
{
	nm -D --defined-only "$(libraries_of shared)/liblarder.so" | awk '{ print $NF }' | LC_ALL=C sort -u >exported
	declared >expected
	(($(wc -l <expected) > 30))
	diff expected exported
	nm -D --defined-only "$(libraries_of shared)/liblarder-cook.so" | awk '$NF !~ /^lrd_/' >foreign
	[[ ! -s foreign ]] || { cat foreign; false; }
}

the_runtime_needs_little()
{
	readelf -d "$(libraries_of shared)/liblarder.so" | sed -nE 's/.*NEEDED.*\[(.*)\]/\1/p' >needed
	grep -vE '^(libzstd\.so\.1|libc\.so\.6|libm\.so\.6|libpthread\.so\.0|ld-linux-.*)$' needed >surplus || true
	[[ ! -s surplus ]] || { cat surplus; false; }
	grep -q libzstd needed
	readelf -d "$(libraries_of shared)/liblarder.so" | grep -q 'SONAME.*\[liblarder\.so\.0\.1\]'
}

the_shared_program_runs()
{
	local whole
	whole=$(env -u LD_LIBRARY_PATH shared/bin/larder version)
	[[ $whole == larder* ]]
	ldd shared/bin/larder >libraries
	grep -q "liblarder-cook.so.* => $scratch/shared" libraries
}

it "it builds and installs" build static
it "the libraries, every header, the program, its manual and its completions are there" everything_is_installed
it "each installed header compiles alone, as C11 and as C++17" headers_compile_alone
it "find_package gives a game the run time, and a tool the cook" consume static
it "find_package gives a game the run time where the cook's libraries are missing" consume_without_cook_libraries
it "pkg-config --static gives the same" pkg_config_static
it "an installed tree may be moved" a_moved_prefix
it "find_package refuses other minor versions" other_versions_are_refused
it "the run time builds and installs alone, with nothing but zstd" runtime_alone
it "it installs as shared libraries where nothing was built but the program" the_program_alone_is_enough_to_install
it "find_package takes the shared libraries too" consume shared
it "the shared program finds its libraries" the_shared_program_runs
if command -v nm >/dev/null && command -v readelf >/dev/null; then
	it "the shared run time exports what its headers declare, and nothing else" exports_are_the_public_face
	it "the library for Vulkan exports what its header declares, and does not need Vulkan's loader" the_vulkan_library_exports_its_public_face
	it "the shared run time needs zstd and the C library, and nothing else" the_runtime_needs_little
else
	echo "ok - the shared run time exports what its headers declare, and nothing else # skip: no nm and readelf here"
fi

((failures == 0)) || exit 1

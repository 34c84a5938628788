#!/usr/bin/env bash
# Where a device has descriptor indexing, the viewer draws with one table of all textures; elsewhere with a set of descriptors for each material.
# Both draw the same. Mesa's software driver of Debian 12 has no descriptor indexing; SwiftShader, which comes with Chromium, has.
#
# test_view_table.sh LARDER PROJECT.
# shellcheck source=tests/cli_common.sh
source "$(dirname "${BASH_SOURCE[0]}")/cli_common.sh"

lantern=$project/examples/courtyard/source/lantern.glb
put_image grey.tga 60
validate=--validate

# draw PICTURE ARGUMENTS...: by the driver that was found; prints what textures were looked up by.
draw()
{
	"$larder" view -q --screenshot "$1" --size 96x72 $validate --json "${@:2}" >said.json || return
	sed -n 's/.*"textures_by":[^"]*"\([a-z]*\)".*/\1/p' said.json
}

# The first driver with a table, into the environment.
find_driver()
{
	local driver
	for driver in "${VK_ICD_FILENAMES-}" /usr/lib/chromium/vk_swiftshader_icd.json /opt/google/chrome/vk_swiftshader_icd.json; do
		if [[ $driver == "" ]]; then
			unset VK_ICD_FILENAMES
		else
			[[ -f $driver ]] || continue
			export VK_ICD_FILENAMES=$driver
		fi
		[[ $(validate='' draw any.png grey.tga 2>error) == table ]] && return
	done
	return 1
}

both_draw_the_same()
{
	[[ $(draw table.png "$@") == table ]] || fail "no table was used"
	[[ $(draw sets.png "$@" --sets) == sets ]] || fail "no sets were used"
	cmp table.png sets.png
}

if ! find_driver; then
	skip "a table of all textures draws what sets draw" "no Vulkan device here has descriptor indexing"
	finish
	exit
fi
if ! draw any.png grey.tga >/dev/null 2>error; then
	grep -q 'validation layer' error && validate='' # it is not installed
fi
it "a table of all textures draws what sets draw" both_draw_the_same "$lantern" --camera orbit:30,20,0.52,0,0.1805,0
it "a table of all textures draws what sets draw, in views of one thing" both_draw_the_same "$lantern" --view normal
it "a texture by itself is drawn by a table as by sets" both_draw_the_same grey.tga
corpus=$project/../shared/corpus/gltf/draco
for name in MultiUVTest/MultiUVTest TextureTransformFallback/KhrTextureTransformWithFallback; do
	says_it="a table of all textures draws what sets draw of $(basename $name)"
	if [[ -f $corpus/$name.gltf ]]; then
		it "$says_it" both_draw_the_same "$corpus/$name.gltf"
	else
		skip "$says_it" "there is no $corpus/$name.gltf"
	fi
done
finish

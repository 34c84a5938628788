#!/usr/bin/env bash
# What `larder view` answers to what it can't do. test_view_command_line.sh LARDER PROJECT.
# shellcheck source=tests/cli_common.sh
source "$(dirname "${BASH_SOURCE[0]}")/cli_common.sh"

put_triangle t.gltf first
# Whatever is drawn is under the validation layer where there is one, and that must have nothing to say: the exit status would tell.
validate=()
if "$larder" view t.gltf --screenshot probe.png --size 8x8 --validate >/dev/null 2>&1; then
	validate=(--validate)
fi

bad_options_are_refused_before_anything_is_tried()
{
	local options=(--size=0x10 --size=12 --size=5x+3 --size=99999x1 --camera=orbit:1,2 --camera=orbit:0,0,-1 --camera=eye:1,2,3 --camera=up
		--camera=orbit:a,b,c --view=nothing --background=red --background=12345 --background=##ff000 --screenshot=x.jpg --budget=0 --budget=x --lod=16 --frames=0
		--time=-1 --exposure=99 --turntable=3)
	for option in "${options[@]}"; do
		exits 2 "$larder" view t.gltf "$option"
		says err "larder: view: --"
		says_nothing out
	done
}

what_is_not_there_is_named()
{
	exits 1 "$larder" view nothing.glb --screenshot x.png
	says err "nothing.glb: there is no such file or folder"
	exits 1 "$larder" view t.gltf --model other --screenshot x.png
	says err 't.gltf has no model, texture or mesh "other"; it has t'
	exits 1 "$larder" view t.gltf --clip walk --screenshot x.png
	says err 'the model has no clip "walk"'
	exits 1 "$larder" view t.gltf --variant night --screenshot x.png
	says err 'the model has no variant "night"'
	exits 1 "$larder" view t.gltf --camera file:top --screenshot x.png
	says err 'the model has no camera "top"'
	exits 1 "$larder" view t.gltf --camera file --screenshot x.png
	says err 'the model has no camera'
	exits 1 "$larder" view t.gltf --sky none/such --screenshot x.png
	says err 'none/such: --sky takes an image file or the name of a cubemap in t.gltf, and there is neither'
	exits 1 "$larder" view t.gltf --device "no such card" --screenshot x.png
	says err 'no such card'
	[[ ! -e x.png ]]
}

what_there_is_is_named_instead()
{
	local lantern=$project/examples/courtyard/source/lantern.glb
	exits 1 "$larder" view "$lantern" --clip walk --screenshot x.png
	says err 'the model has no clip "walk"; it has Swing'
	"$larder" cook -q "$lantern" -o lantern
	exits 1 "$larder" view lantern --model candle --screenshot x.png
	says err 'lantern has no model, texture or mesh "candle"; it has lantern, lantern/image.BrassNormal, lantern/image.CandleGlow'
	exits 1 "$larder" view lantern --sky lantern/image.BrassNormal --screenshot x.png
	says err "lantern/image.BrassNormal: a sky is a cubemap"
	exits 1 "$larder" view lantern/lantern/material.CandleWax.lmat --screenshot x.png
	says err "lantern/lantern/material.CandleWax.lmat: a material can't be seen by itself"
	exits 1 "$larder" view lantern/lantern/image.BrassNormal.ktx2 --clip Swing --screenshot x.png
	says err "lantern/image.BrassNormal is a texture: --clip takes one of a model's"
	# What is damaged is named once.
	head -c 100 lantern/lantern.lmodel >short
	mv short lantern/lantern.lmodel
	exits 1 "$larder" view lantern --screenshot x.png -q
	[[ $(wc -l <err) == 1 ]]
	says err 'larder: view: model "lantern": lantern/lantern.lmodel: lmodel: the file has 100 bytes'
	[[ ! -e x.png ]]
}

what_has_nothing_to_draw_is_told()
{
	echo '{"asset":{"version":"2.0"},"nodes":[{}],"scenes":[{"nodes":[0]}]}' >bare.gltf
	exits 0 "$larder" view bare.gltf --screenshot bare.png --size 16x16
	says err "bare: the model has no parts: there is nothing of it to see"
	[[ -e bare.png ]]
}

files_that_are_no_model_are_refused()
{
	mkdir empty
	exits 1 "$larder" view empty --screenshot x.png
	says err "empty: there is no model, no texture and no mesh in it"
	echo '{"asset":' >broken.gltf
	exits 1 "$larder" view broken.gltf --screenshot x.png
	says err "broken.gltf"
	echo nothing >broken.lpack
	exits 1 "$larder" view broken.lpack --screenshot x.png
	says err "broken.lpack"
	echo nothing >stray.lmodel
	exits 1 "$larder" view stray.lmodel --screenshot x.png
	says err "stray.lmodel: not in a cooked tree"
	[[ ! -e x.png ]]
}

textures_that_cant_be_shown_are_not_shown_white()
{
	"$larder" texture -q "$project/examples/courtyard/source/WallAlbedo.jpg" -o packed.ktx2 --set supercompression=zstd
	printf '\003' | dd of=packed.ktx2 bs=1 seek=44 conv=notrunc status=none # zlib, which is read and not decompressed
	exits 1 "$larder" view packed.ktx2 --screenshot x.png
	says err "packed is stored as BC7_SRGB_BLOCK under zlib, which larder can't bring to a GPU"
	[[ ! -e x.png ]]
}

pictures_that_cant_be_written_are_said()
{
	mkfifo pipe.png
	exits 1 "$larder" view t.gltf --screenshot pipe.png --size 16x16
	says err "pipe.png: it is no regular file, and is not replaced by one"
	[[ -p pipe.png ]]
	exits 1 "$larder" view t.gltf --screenshot none/such/x.png --size 16x16
	says err "none/such/x.png"
}

sources_trees_bundles_and_cooked_files_show_the_same()
{
	"$larder" cook -q t.gltf -o tree
	"$larder" pack -q tree -o t.lpack
	local path
	for path in t.gltf tree t.lpack tree/t.lmodel; do
		exits 0 "$larder" view "$path" --screenshot x.png --size 48x48 --camera fit:0,0 -q "${validate[@]}"
		says_nothing err
		[[ ! -e first.png ]] || cmp first.png x.png
		mv x.png first.png
	done
}

statistics_are_json()
{
	exits 0 "$larder" view t.gltf --screenshot x.png --size 48x48 --json "${validate[@]}"
	json_is out shown t parts 1 draws 1 triangles 1 pictures 1 limited 0 validation_messages 0
}

without_a_driver_it_says_what_to_install()
{
	# The loader finds no drivers but those that it is told of.
	exits 1 env VK_ICD_FILENAMES=/dev/null VK_DRIVER_FILES=/dev/null "$larder" view t.gltf --screenshot x.png
	says err "mesa-vulkan-drivers"
	exits 1 env VK_ICD_FILENAMES=/nonexistent VK_DRIVER_FILES=/nonexistent "$larder" view t.gltf --screenshot x.png
	says err "mesa-vulkan-drivers"
	[[ $(wc -l <err) == 1 && ! -e x.png ]]
	if command -v xvfb-run >/dev/null; then
		status=0
		VK_ICD_FILENAMES=/nonexistent VK_DRIVER_FILES=/nonexistent xvfb-run -a "$larder" view t.gltf --frames 2 2>err || status=$?
		((status != 0))
		says err "mesa-vulkan-drivers"
	fi
}

a_window_shows_frames()
{
	exits 0 xvfb-run -a "$larder" view t.gltf --size 200x100 --frames 3 -q --json "${validate[@]}"
	json_is out pictures 3 shown t
}

it "bad options are refused before anything is tried" bad_options_are_refused_before_anything_is_tried
it "without a driver it says what to install" without_a_driver_it_says_what_to_install
if "$larder" view t.gltf --screenshot probe.png --size 8x8 >/dev/null 2>&1; then
	it "what is not there is named" what_is_not_there_is_named
	it "what there is is named instead" what_there_is_is_named_instead
	it "what has nothing to draw is told" what_has_nothing_to_draw_is_told
	it "files that are no model are refused" files_that_are_no_model_are_refused
	it "textures that can't be shown are not shown white" textures_that_cant_be_shown_are_not_shown_white
	it "pictures that can't be written are said" pictures_that_cant_be_written_are_said
	it "sources, trees, bundles and cooked files show the same" sources_trees_bundles_and_cooked_files_show_the_same
	it_json "statistics are JSON" statistics_are_json
	if command -v xvfb-run >/dev/null; then
		it_json "a window shows frames" a_window_shows_frames
	else
		skip "a window shows frames" "there is no xvfb-run"
	fi
else
	skip "the rest" "there is no Vulkan driver"
fi
finish

#!/usr/bin/env bash
# `larder view` on a device that fails: by a layer between it and the driver (fixtures/vulkan_fault_layer.c). Whatever fails, it ends with a
# picture or with a message, and everything that was made is destroyed. test_view_faults.sh LARDER PROJECT FOLDER_OF_THE_LAYER
layer=$(realpath "$3")
# shellcheck source=tests/cli_common.sh
source "$(dirname "${BASH_SOURCE[0]}")/cli_common.sh"
report=$scratch/report

# faulty FAULTS COMMAND...
faulty()
{
	local faults=$1
	shift
	env VK_ADD_LAYER_PATH="$layer" VK_INSTANCE_LAYERS=VK_LAYER_LARDER_fault LARDER_FAULTS="$faults" \
		LARDER_FAULTS_REPORT="$report" "$@"
}

# calls NAME: how often it was called in the last run.
calls()
{
	awk -v name="$1" '$1 == name { print $2 }' "$report"
}

# A square with a texture of 128 x 128, out of a tree, so that nothing is cooked again and again.
put_scene()
{
	local row
	row=$(printf '\\x%x0\\x80\\xf0\\xff' {0..15} | tr -d '\n')
	{
		printf '\0\0\2\0\0\0\0\0\0\0\0\0\200\0\200\0\40\50'
		for _ in {1..1024}; do
			printf '%b' "$row"
		done
	} >t.tga
	base64=$(printf '%b' '\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x80\x3f\0\0\0\0\0\0\0\0\0\0\x80\x3f\0\0\x80\x3f\0\0\0\0' \
		'\0\0\0\0\0\0\0\0\0\0\x80\x3f\0\0\0\0\0\0\x80\x3f\0\0\x80\x3f' | base64 -w 0)
	cat >t.gltf <<-END
		{"asset":{"version":"2.0"},
		"buffers":[{"byteLength":60,"uri":"data:application/octet-stream;base64,$base64"}],
		"bufferViews":[{"buffer":0,"byteLength":36},{"buffer":0,"byteOffset":36,"byteLength":24}],
		"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3","min":[0,0,0],"max":[1,1,0]},
			{"bufferView":1,"componentType":5126,"count":3,"type":"VEC2"}],
		"images":[{"uri":"t.tga"}],"textures":[{"source":0}],
		"materials":[{"name":"m","pbrMetallicRoughness":{"baseColorTexture":{"index":0}}}],
		"meshes":[{"name":"m","primitives":[{"attributes":{"POSITION":0,"TEXCOORD_0":1},"material":0}]}],
		"nodes":[{"name":"n","mesh":0}]}
	END
	"$larder" cook -q t.gltf -o tree
	shoot_under "" expected.png
}

# shoot_under FAULTS PICTURE OPTION...: the exit status is in $status, what was said in the file `said`.
shoot_under()
{
	local faults=$1 picture=$2
	shift 2
	rm -f "$picture" "$report"
	status=0
	faulty "$faults" "$larder" view tree --screenshot "$picture" --size 32x32 -j 1 "$@" >out 2>said || status=$?
}

# ends_well FAULTS: with a picture or a message.
ends_well()
{
	local faults=$1
	shoot_under "$faults" x.png "${@:2}"
	((status == 0 || status == 1)) || fail "$faults: exit status $status: $(head -n 20 said)"
	if ((status == 1)); then
		[[ -s said && ! -e x.png ]] || fail "$faults: it failed and said \"$(head -n 5 said)\""
	else
		[[ -s x.png ]] || fail "$faults: there is no picture"
	fi
	[[ ! -e $report ]] || awk -v faults="$faults" '$3 != 0 { print faults ": " $3 " left of " $1; bad = 1 } END { exit bad }' "$report"
}

# each_of NAME...: every call of each fails, one after another.
each_of()
{
	local name count i
	for name in "$@"; do
		shoot_under "" x.png
		count=$(calls "$name")
		((count > 0)) || fail "$name is never called"
		for ((i = 1; i <= count; ++i)); do
			ends_well "$name:$i"
		done
	done
}

memory_may_run_out_at_each_allocation()
{
	each_of AllocateMemory
	local count i
	count=$(calls AllocateMemory)
	for ((i = 1; i <= count; ++i)); do
		ends_well "AllocateMemory:$i+" # for good
	done
}

anything_that_is_made_may_fail()
{
	each_of CreateBuffer CreateImage CreateImageView CreateSampler CreateDescriptorPool CreateDescriptorSetLayout \
		CreatePipelineLayout CreateRenderPass CreateFramebuffer CreateShaderModule CreateFence CreateSemaphore \
		CreateGraphicsPipelines CreateDevice
}

any_step_may_fail()
{
	each_of AllocateDescriptorSets BindBufferMemory BindImageMemory MapMemory BeginCommandBuffer EndCommandBuffer
}

the_device_may_be_lost_at_any_time()
{
	local count i
	shoot_under "" x.png
	count=$(calls QueueSubmit)
	for ((i = 1; i <= count; ++i)); do
		shoot_under "QueueSubmit:$i" x.png
		if (($(calls QueueSubmit) >= i)); then # one more or less: it depends on what arrives together
			((status == 1)) || fail "exit status $status after losing the device at submit $i"
			says said "lost"
			[[ ! -e x.png ]]
		fi
	done
	for i in 1 2 3 5 8 13 21; do
		ends_well "GetSemaphoreCounterValue:$i"
	done
	ends_well WaitForFences:1
	ends_well QueueWaitIdle:1
	ends_well DeviceWaitIdle:1
}

what_the_device_has_no_memory_for_is_said()
{
	local last
	shoot_under "" x.png
	last=$(calls AllocateMemory)
	shoot_under "AllocateMemory:$last+" x.png # the viewer's own come first
	((status == 1))
	says said "t: the device has no memory for all of it: "
	says said "missing"
	[[ ! -e x.png ]]
}

what_is_short_of_memory_is_shown_coarser()
{
	shoot_under wide:128 x.png --size 96x96
	((status == 0)) || fail "exit status $status: $(cat said)"
	says said "textures are coarser than wanted"
	[[ -s x.png ]]
}

alike()
{
	"$larder" compare "$1" "$2" --set flip=67 >compared
	awk '/^FLIP/ { sub(/.*mean /, ""); found = $1 + 0 < 0.02 } END { exit !found }' compared || fail "$(cat compared)"
}

formats_that_the_device_lacks_are_decoded()
{
	# BC1 to BC7, on what says that it is a card of its own: one in software gets them decoded in any case, and nobody is told.
	shoot_under "type:2 hide:131-146" x.png
	((status == 0)) || fail "$(cat said)"
	says said "the device does not sample BC"
	says said "decoded to R8G8B8A8"
	alike expected.png x.png
	shoot_under "hide:37-43" x.png
	((status == 1))
	says said "the device can't sample R8G8B8A8_UNORM"
}

textures_that_are_too_large_are_shown_from_the_finest_level_that_fits()
{
	shoot_under image:16 x.png --size 16x16
	((status == 0)) || fail "$(cat said)"
	says said "128 x 128 texels are more than the device takes: it is shown from level 3 on"
	[[ -s x.png ]]
}

pictures_that_are_too_large_are_refused()
{
	shoot_under image:16 x.png --size 17x4
	((status == 1))
	says said "a picture of 17x4 is more than"
	says said "can draw: --size takes at most 16 a side"
	[[ ! -e x.png ]]
}

nothing_is_lost_of_what_was_made()
{
	shoot_under "" x.png
	((status == 0))
	awk '$3 != 0 { print $3 " left of " $1; bad = 1 } END { exit bad }' "$report"
	(($(calls CreateImage) > 3))
}

if ! "$larder" view "$project/examples/courtyard/source/lantern.glb" --screenshot probe.png --size 8x8 >/dev/null 2>&1; then
	skip "faults" "there is no Vulkan driver"
	finish
	exit
fi
put_scene
it "nothing is lost of what was made" nothing_is_lost_of_what_was_made
it "memory may run out at each allocation" memory_may_run_out_at_each_allocation
it "anything that is made may fail" anything_that_is_made_may_fail
it "any step may fail" any_step_may_fail
it "the device may be lost at any time" the_device_may_be_lost_at_any_time
it "what the device has no memory for is said" what_the_device_has_no_memory_for_is_said
it "what is short of memory is shown coarser" what_is_short_of_memory_is_shown_coarser
it "formats that the device lacks are decoded" formats_that_the_device_lacks_are_decoded
it "textures that are too large are shown from the finest level that fits" \
	textures_that_are_too_large_are_shown_from_the_finest_level_that_fits
it "pictures that are too large are refused" pictures_that_are_too_large_are_refused
finish

#!/usr/bin/env bash
# larder info: what it says of sources, cooked files and bundles, and of damaged ones. test_cli_info.sh PROGRAM PROJECT
source "$(dirname "$0")/cli_common.sh"

# A triangle with a skin of one joint, and a clip that moves it.
put_skinned()
{
	local one='\0\0\200\77' zero='\0\0\0\0'
	local vector="$zero$zero$zero" weight="$one$zero$zero$zero"
	local positions="$vector$one$zero$zero$one$one$zero" weights="$weight$weight$weight"
	local data
	data=$(printf '%b' "$positions$vector$weights$zero$one$vector$one$one$zero" | base64 -w0)
	cat >"$1" <<-END
		{"asset":{"version":"2.0"},
		"buffers":[{"byteLength":128,"uri":"data:application/octet-stream;base64,$data"}],
		"bufferViews":[{"buffer":0,"byteLength":36},{"buffer":0,"byteOffset":36,"byteLength":12},
		{"buffer":0,"byteOffset":48,"byteLength":48},{"buffer":0,"byteOffset":96,"byteLength":8},
		{"buffer":0,"byteOffset":104,"byteLength":24}],
		"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3","min":[0,0,0],"max":[1,1,0]},
		{"bufferView":1,"componentType":5121,"count":3,"type":"VEC4"},
		{"bufferView":2,"componentType":5126,"count":3,"type":"VEC4"},
		{"bufferView":3,"componentType":5126,"count":2,"type":"SCALAR","min":[0],"max":[1]},
		{"bufferView":4,"componentType":5126,"count":2,"type":"VEC3"}],
		"meshes":[{"name":"Owl","primitives":[{"attributes":{"POSITION":0,"JOINTS_0":1,"WEIGHTS_0":2}}]}],
		"nodes":[{"name":"Bone"},{"name":"Owl","mesh":0,"skin":0}],
		"skins":[{"name":"Rig","joints":[0]}],
		"animations":[{"name":"Fly","samplers":[{"input":3,"output":4}],
		"channels":[{"sampler":0,"target":{"node":0,"path":"translation"}}]}]}
	END
}

put_triangle source/fox.gltf Fox
put_skinned source/owl.gltf
put_image source/wood.tga 40
"$larder" cook source -o cooked -q && "$larder" pack cooked -o game.lpack -q || exit 1
kinds=(texture:ktx2 mesh:lmesh material:lmat model:lmodel skeleton:lskel clip:lclip)

# The first cooked file with this extension.
first_of()
{
	find cooked -name "*.$1" | LC_ALL=C sort | sed -n 1p
}

every_kind()
{
	local kind file
	for kind in "${kinds[@]}"; do
		file=$(first_of "${kind#*:}")
		exits 0 "$larder" info "$file"
		says out "file: $file"
		says out "kind: ${kind%:*}"
		says out "size: $(stat -c %s "$file")"
		says_nothing err
	done
}
it "info knows every kind of cooked file" every_kind

every_kind_as_json()
{
	local kind file
	for kind in "${kinds[@]}"; do
		file=$(first_of "${kind#*:}")
		exits 0 "$larder" info --json "$file"
		json_is out file "$file" kind "${kind%:*}"
	done
}
it_json "info --json is JSON for every kind of cooked file" every_kind_as_json

a_mesh()
{
	exits 0 "$larder" info --json cooked/fox/part.Fox.lmesh
	json_is out vertices 3 triangles 1 material fox/material.Fox bounds.max.1 1 raytracing_lod_bias 0 uv_density.length 1 uv_density.0 0
	json_is out lods.length 1 lods.0.triangles 1 lods.0.error 0 lods.0.meshlets 1 lods.0.cones 1 lods.0.vertices_a_meshlet 3
	json out layout >layout
	grep -q '"semantic": *"position"' layout
}
it_json "a mesh's counts, bounds, material and layout are said" a_mesh

a_table()
{
	exits 0 "$larder" info cooked/fox/part.Fox.lmesh
	sed -n '/^layout:/,/^lods:/p' out >table
	diff table - <<-'END'
		layout:
		       semantic  format           stream    offset  stride
		  [0]  position  f32x3            position       0      12
		  [1]  normal    oct_snorm16x2    surface        0      20
		  [2]  tangent   oct_tangent16x2  surface        4      20
		  [3]  uv0       f32x2            surface        8      20
		  [4]  color     unorm8x4         surface       16      20
		lods:
	END
	sed -n '/^lods:/,/^morphs:/p' out >table
	diff table - <<-'END'
		lods:
		       triangles  error  meshlets  cones  small_meshlets  triangles_a_meshlet  vertices_a_meshlet
		  [0]          1      0         1      1               0                    1                   3
		morphs: none
	END
	exits 0 "$larder" info cooked/owl.lmodel
	sed -n '/^nodes:/,$p' out >table
	diff table - <<-'END'
		nodes:
		       name  parent  translation  rotation  scale  joint  animated
		  [0]  Bone      -1  0 0 0        0 0 0 1   1 1 1    yes       yes
		  [1]  Owl       -1  0 0 0        0 0 0 1   1 1 1     no        no
	END
}
it "rows that are alike are printed as a table" a_table

a_table_of_other_letters()
{
	put_triangle letters/owl.gltf $'K\xc3\xa4uz\\u001bchen'
	exits 0 "$larder" cook letters -o letters-cooked -q
	exits 0 "$larder" info letters-cooked/owl.lmodel
	sed -n '/^materials:/,/^clips:/p' out >table
	diff table - <<-END
		materials:
		       name          stem
		  [0]  $(printf 'K\xc3\xa4uz')\x1bchen  owl/material.K_uz_chen
		clips: none
	END
}
it "a table's columns stand one below the other whatever letters a name has" a_table_of_other_letters

a_texture()
{
	exits 0 "$larder" info --json cooked/wood.ktx2
	json_is out width 2 levels.length 2 srgb true format BC7_SRGB_BLOCK universal none supercompression none
	json_is out orientation rd swizzle rgba premultiplied false
	json out levels.0.offset >finest
	json out levels.1.offset >smallest
	[[ $(<smallest) -lt $(<finest) ]]
}
it_json "a texture's size, levels, format and keys are said" a_texture

a_model()
{
	exits 0 "$larder" info --json cooked/fox.lmodel
	json_is out parts.length 1 parts.0.mesh fox/part.Fox parts.0.node null materials.0.name Fox nodes.0.name Fox
	exits 0 "$larder" info --json cooked/owl.lmodel
	json_is out skeletons.0.stem owl/skeleton.Rig skeletons.0.joints 1 clips.0.name Fly
}
it_json "a model's parts, materials, nodes, skeletons and clips are said" a_model

a_quantized_mesh()
{
	put_triangle quantized/fox.gltf Fox
	echo '{"model":{"quantize":true}}' >quantized/fox.gltf.larder.json
	exits 0 "$larder" cook quantized -o quantized-cooked -q
	exits 0 "$larder" info --json quantized-cooked/fox/part.Fox.lmesh
	json_is out quantized.bits 14 quantized.offset.0 0 layout.0.format unorm16x4 layout.3.format f16x2 bounds.max.1 1
	exits 0 "$larder" info --json cooked/fox/part.Fox.lmesh
	lacks out '"quantized"'
}
it_json "how positions are quantised is said, where they are" a_quantized_mesh

a_template()
{
	put_triangle placed/fox.gltf Fox
	local nodes='{"name":"Fox","mesh":0,"children":[2,1]},{"name":"Ear","mesh":0,"scale":[2,2,2]}'
	nodes+=',{"name":"Tail","children":[3]},{"name":"Tip","mesh":0,"translation":[0,0.5,1]}'
	sed -i "s/\"nodes\":.*/\"nodes\":[$nodes],\"scenes\":[{\"nodes\":[0]}]}/" placed/fox.gltf
	echo '{"model":{"placement":"editable"}}' >placed/fox.gltf.larder.json
	exits 0 "$larder" cook placed -o placed-cooked -q
	exits 0 "$larder" info placed-cooked/fox.lmodel
	sed -n '/^actors:/,/^collision:/p' out >tree
	diff tree - <<-'END'
		actors:
		  Fox  part 0, mesh fox/part.Fox
		    Tail
		      Tip  part 1, mesh fox/part.Fox, translation 0 0.5 1
		    Ear  part 2, mesh fox/part.Fox, scale 2 2 2
		collision: none
	END
	exits 0 "$larder" info cooked/fox.lmodel
	says out "actors: none"
}
it "a placement template is printed as a tree" a_template

# put_forest FILE: a hundred leaves on each of two branches, and one that is called otherwise in their midst.
put_forest()
{
	local nodes='{"name":"Oak","children":['
	put_triangle "$1" Leaf
	nodes+="$(seq -s, 2 101)]},{\"name\":\"Elm\",\"children\":[$(seq -s, 102 201)]}"
	for i in {2..201}; do
		nodes+=",{\"name\":\"$( ((i == 50)) && echo Nest || echo Leaf)\",\"mesh\":0,\"translation\":[$i,0,0]}"
	done
	sed -i "s/\"nodes\":.*/\"nodes\":[$nodes]}/" "$1"
}

what_is_placed_often()
{
	put_forest often/forest.gltf
	exits 0 "$larder" cook often -o often-cooked -q
	exits 0 "$larder" info often-cooked/forest.lmodel
	(($(wc -l <out) < 50))
	sed -n '/^parts:/,/^materials:/p' out | sed 's/  */ /g' >table
	diff table - <<-'END'
		parts:
		 name mesh slot node skeleton mirrored weights
		 [0] Leaf forest/part.Leaf 0 1 none no none
		 [1] Leaf forest/part.Leaf 0 2 none no none
		 [2] Leaf forest/part.Leaf 0 3 none no none
		 and 196 more like these
		 [48] Nest forest/part.Leaf 0 49 none no none
		materials:
	END
	(($(grep -c "and 96 more like these" out) == 1)) # nodes: 99 on the one branch
	(($(grep -c "and 97 more like these" out) == 1)) # and 100 on the other
	exits 0 "$larder" info often/forest.gltf
	says out "and 97 more like these"
	echo '{"model":{"placement":"editable"}}' >often/forest.gltf.larder.json
	exits 0 "$larder" cook often -o often-cooked -q
	exits 0 "$larder" info often-cooked/forest.lmodel
	sed -n '/^actors:/,/^collision:/p' out >tree
	says tree "    and 96 more like these"
	says tree "    and 97 more like these"
	says tree "    Nest  part 48"
	(($(wc -l <tree) == 13))
}
it "of what is placed often, the first are printed and the others counted" what_is_placed_often

all_as_json()
{
	put_forest often/forest.gltf
	exits 0 "$larder" cook often -o often-cooked -q
	exits 0 "$larder" info --json often-cooked/forest.lmodel
	json_is out parts.length 200 nodes.length 202
}
it_json "--json has each of them" all_as_json

motion()
{
	exits 0 "$larder" info --json cooked/owl/skeleton.Rig.lskel
	json_is out joints.0.name Bone joints.0.parent -1
	exits 0 "$larder" info --json cooked/owl/clip.Fly.lclip
	json_is out duration 1 channels.0.path translation channels.0.joint 0 channels.0.keys 2
	json_is out uniform true time_bytes 8 value_bytes 24
	json_is out kinds.length 1 kinds.0.path translation kinds.0.channels 1 kinds.0.constant 0 kinds.0.keys 2
}
it_json "a skeleton's joints and a clip's channels are said" motion

sources()
{
	exits 0 "$larder" info source/fox.gltf
	says out "kind: source"
	says out "name: Fox"
	(cd source && exits 0 "$larder" info fox.gltf owl.gltf && says out "file: owl.gltf")
	exits 0 "$larder" info "$scratch/source/fox.gltf"
}
it "info knows sources, wherever they are" sources

a_source_as_json()
{
	exits 0 "$larder" info --json source/fox.gltf
	json_is out kind source meshes.length 1 materials.0.name Fox
}
it_json "info --json is JSON for a source" a_source_as_json

a_bundle()
{
	exits 0 "$larder" info game.lpack
	says out "kind: bundle"
	says out "model: 2"
	exits 0 "$larder" info --json game.lpack
	json_is out entries "$(find cooked -type f ! -path '*/.larder/*' ! -name larder.manifest.json | wc -l)"
	json_is out kinds.skeleton 1
}
it_json "info sums up a bundle" a_bundle

several_files()
{
	exits 0 "$larder" info --json cooked/fox.lmodel source/fox.gltf game.lpack
	json_is out length 3 0.kind model 2.kind bundle
}
it_json "info --json of several files is an array" several_files

one_of_several()
{
	echo nonsense >nonsense.lmesh
	exits 1 "$larder" info cooked/fox.lmodel nonsense.lmesh cooked/wood.ktx2
	says out "file: cooked/fox.lmodel"
	says out "file: cooked/wood.ktx2"
	says err "nonsense.lmesh: "
	(($(wc -l <err) == 1))
	lacks out nonsense
}
it "one file that is no good gives 1, and the others are said" one_of_several

an_error_as_json()
{
	echo nonsense >nonsense.lmesh
	exits 1 "$larder" info --json nonsense.lmesh
	[[ -n $(json out error) ]]
	exits 1 "$larder" info --json missing.lmesh
	[[ $(json out error) == *"No such file"* ]]
}
it_json "info --json holds the reason of a failure" an_error_as_json

damaged_files()
{
	local kind file size at
	for kind in "${kinds[@]}"; do
		file=$(first_of "${kind#*:}")
		size=$(stat -c %s "$file")
		for at in 0 3 4 $((size / 2)) $((size - 1)); do
			head -c "$at" "$file" >"cut.${kind#*:}"
			exits 1 "$larder" info "cut.${kind#*:}"
			says err "cut.${kind#*:}: "
			says_nothing out
		done
		cp "$file" "hit.${kind#*:}"
		printf 'X' | dd of="hit.${kind#*:}" bs=1 seek=1 conv=notrunc status=none
		exits 1 "$larder" info "hit.${kind#*:}"
		says err "hit.${kind#*:}: "
		cp "$file" "long.${kind#*:}"
		printf '\0' >>"long.${kind#*:}"
		exits 1 "$larder" info "long.${kind#*:}"
	done
}
it "cut, overwritten and lengthened files of every kind give an error and 1" damaged_files

# Whatever a byte is changed to, the program ends by itself, with 0 or 1.
any_byte()
{
	local kind file size at status
	for kind in "${kinds[@]}"; do
		file=$(first_of "${kind#*:}")
		size=$(stat -c %s "$file")
		for at in 8 12 16 20 32 40 64 80 96 128 $((size - 8)); do
			((at < size)) || continue
			cp "$file" "byte.${kind#*:}"
			printf '\377' | dd of="byte.${kind#*:}" bs=1 seek="$at" conv=notrunc status=none
			status=0
			"$larder" info "byte.${kind#*:}" >out 2>err || status=$?
			((status <= 1)) || fail "$file, byte $at: status $status"
		done
	done
}
it "a changed byte never crashes it" any_byte

what_it_does_not_know()
{
	echo text >notes.txt
	exits 1 "$larder" info notes.txt
	says err "notes.txt: not a source, a cooked file or a bundle"
	exits 1 "$larder" info missing.lmesh
	says err "missing.lmesh: can't be read: No such file"
	exits 1 "$larder" info missing.gltf
	exits 1 "$larder" info missing.lpack
	exits 1 "$larder" info cooked
	says err "cooked: "
	echo '{"asset":' >broken.gltf
	exits 1 "$larder" info broken.gltf
	says err "broken.gltf: JSON, line 2"
}
it "what is missing, unknown, broken or a folder gives 1 and a reason" what_it_does_not_know

finish

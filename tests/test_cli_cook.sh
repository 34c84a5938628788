#!/usr/bin/env bash
# larder cook: what it makes and says, and its exit statuses. test_cli_cook.sh PROGRAM PROJECT
source "$(dirname "$0")/cli_common.sh"

put_tree()
{
	rm -rf source cooked
	put_triangle source/models/fox.gltf Fox
	put_triangle source/models/hare.gltf Hare
	put_image source/wood.tga 40
	echo "notes" >source/readme.txt
}

a_tree_is_cooked()
{
	put_tree
	exits 0 "$larder" cook source -o cooked
	(cd cooked && find . -type f ! -path './.larder/*' | sort) >files
	diff files - <<-END
		./larder.manifest.json
		./models/fox.lmodel
		./models/fox/material.Fox.lmat
		./models/fox/part.Fox.lmesh
		./models/hare.lmodel
		./models/hare/material.Hare.lmat
		./models/hare/part.Hare.lmesh
		./wood.ktx2
	END
	says out "cooked 3, up to date 0, failed 0, skipped 1"
	says err "cooked     models/fox.gltf"
	exits 0 "$larder" validate cooked
}
it "every source of a tree is cooked, in mirrored folders" a_tree_is_cooked

a_second_cook()
{
	put_tree
	exits 0 "$larder" cook source -o cooked
	exits 0 "$larder" cook source -o cooked
	says out "cooked 0, up to date 3"
	exits 0 "$larder" cook source -o cooked --force
	says out "cooked 3, up to date 0"
	exits 0 "$larder" cook -f source -o cooked
	says out "cooked 3, up to date 0"
}
it "a second cook does nothing, unless forced" a_second_cook

jobs_do_not_matter()
{
	put_tree
	cp "$project"/examples/courtyard/source/lantern.glb source
	for jobs in 1 2 7; do
		exits 0 "$larder" cook source -o "jobs$jobs" -j "$jobs" -q
	done
	exits 0 "$larder" cook source -o jobs0
	for jobs in 2 7 0; do
		diff -r -x .larder jobs1 "jobs$jobs"
	done
}
it "the same bytes come out whatever the number of threads" jobs_do_not_matter

hostile_names()
{
	put_tree
	cp source/models/fox.gltf source/$'esc\e[31m.gltf'
	cp source/models/fox.gltf source/$'bad\xff.gltf'
	exits 1 "$larder" cook source -o cooked
	says err 'failed     esc\x1b[31m.gltf: '
	says err 'failed     bad\xff.gltf: '
	grep -q $'\e' out err && return 1
	exits 1 "$larder" cook source -o cooked --json
	iconv -f UTF-8 -t UTF-8 out >/dev/null
}
it "control characters and broken UTF-8 in names reach neither the terminal nor JSON" hostile_names

a_single_file()
{
	put_tree
	exits 0 "$larder" cook source/models/fox.gltf -o single
	[[ -f single/fox.lmodel && ! -e single/hare.lmodel ]]
}
it "a source may be a single file" a_single_file

several_sources()
{
	put_tree
	put_triangle other/owl.gltf Owl
	exits 0 "$larder" cook source other -o several
	[[ -f several/models/fox.lmodel && -f several/owl.lmodel ]]
}
it "sources may be several" several_sources

one_failure()
{
	put_tree
	echo '{"asset":' >source/models/fox.gltf
	exits 1 "$larder" cook source -o cooked
	says out "cooked 2, up to date 0, failed 1"
	says err "failed     models/fox.gltf: "
	[[ -f cooked/models/hare.lmodel && -f cooked/wood.ktx2 && ! -e cooked/models/fox.lmodel ]]
	exits 1 "$larder" cook source -o cooked # still broken, still said
	says err "failed     models/fox.gltf: "
	put_triangle source/models/fox.gltf Fox
	exits 0 "$larder" cook source -o cooked
}
it "one source that fails gives 1, and the others are cooked" one_failure

verbose_lists_all()
{
	put_tree
	exits 0 "$larder" cook source -o cooked -v
	says err "skipped    readme.txt"
	exits 0 "$larder" cook source -o cooked --verbose
	says err "up to date models/fox.gltf"
	says err "warning    models/fox.gltf: models/fox/part.Fox: 1 primitive has no normals"
	exits 0 "$larder" cook source -o cooked
	says_nothing err # without it, only what was cooked is news
}
it "--verbose lists every source and every warning" verbose_lists_all

a_count_is_said_once()
{
	put_triangle source/a.gltf Two # numbers of its texture coordinates are none
	sed -i "s|base64,[^\"]*|&AADAfwAAwH8AAAAAAAAAAAAAAAAAAAAA|; s|\"byteLength\":36|\"byteLength\":60|g" source/a.gltf
	sed -i 's|"max":.1,1,0.}|&,{"bufferView":0,"byteOffset":36,"componentType":5126,"count":3,"type":"VEC2"}|' source/a.gltf
	sed -i 's|"POSITION":0|&,"TEXCOORD_0":1|' source/a.gltf
	exits 0 "$larder" cook source -o cooked
	says err "that are not finite became 0 (2 times)"
	put_triangle source/a.gltf Three # two of which have no area
	sed -i 's|"count":3|"count":9|; s|"byteLength":36|"byteLength":108|g' source/a.gltf
	sed -i "s|base64,[^\"]*|&$(printf 'A%.0s' {1..96})|" source/a.gltf
	exits 0 "$larder" cook source -o cooked
	grep -q ': 2 triangles without area were dropped$' err
}
it "a warning says how many there were, and once" a_count_is_said_once

quiet_says_errors_only()
{
	put_tree
	exits 0 "$larder" cook source -o cooked --quiet
	says_nothing out
	says_nothing err
	echo broken >source/wood.tga
	exits 1 "$larder" cook source -o cooked -q
	says_nothing out
	(($(wc -l <err) == 1))
	says err "failed     wood.tga: "
}
it "--quiet says errors and nothing else" quiet_says_errors_only

a_report_as_json()
{
	put_tree
	echo broken >source/wood.tga
	exits 1 "$larder" cook source -o cooked --json
	json_is out cooked 2 failed 1 skipped 1 sources.length 4 warnings 2 warning_occurrences 2
	says err "failed     wood.tga"
	json out sources >sources
	grep -q '"path": *"models/fox.gltf"' sources
	grep -q '"state": *"failed"' sources
}
it_json "--json reports as JSON on stdout" a_report_as_json

meshes_are_told()
{
	put_tree
	echo '{"model":{"quantize":true}}' >source/models/hare.gltf.larder.json
	exits 0 "$larder" cook source -o cooked -v
	says err "mesh       models/fox/part.Fox.lmesh: vertices 3, triangles 1; 1 meshlet of 1 triangle, 3 vertices, 1 cone; normals computed; tangents arbitrary"
	says err "mesh       models/hare/part.Hare.lmesh: vertices 3, triangles 1; 1 meshlet of 1 triangle, 3 vertices, 1 cone; positions of 14 bits, exact; normals"
	says out "2 meshes: vertices 6, triangles 2, meshlets 2"
	exits 0 "$larder" cook source -o cooked -v
	lacks err "mesh  "
	lacks out "meshes:"
	exits 0 "$larder" cook source -o cooked -f
	lacks err "mesh  "
	says out "2 meshes: "
}
it "--verbose says what became of each mesh that was cooked, and the sums of all are said" meshes_are_told

meshes_as_json()
{
	put_tree
	echo '{"model":{"quantize":true}}' >source/models/hare.gltf.larder.json
	exits 0 "$larder" cook source/models/hare.gltf -o cooked --json
	json_is out meshes.count 1 meshes.vertices 3 meshes.triangles 1 meshes.meshlets 1 sources.0.meshes.length 1
	json out sources.0.meshes.0 >mesh
	json_is mesh file hare/part.Hare.lmesh vertices_before 3 vertices 3 triangles_before 1 triangles 1 clusters 1 cluster 0
	json_is mesh normals computed normals_repaired 0 tangents arbitrary tangents_repaired 0 degenerate_triangles 0 overflowed_triangles 0 raytracing_lod_bias 0
	json_is mesh lods.length 1 lods.0.triangles 1 lods.0.meshlets 1 lods.0.error 0 fill.meshlets 1 fill.small_meshlets 0
	json_is mesh quantized_bits 14 uv_quantized false position_error 0 uv_error 0
	exits 0 "$larder" cook source/models/hare.gltf -o cooked --json
	json_is out meshes.count 0 sources.0.meshes.length 0
}
it_json "--json has all of every mesh" meshes_as_json

cut_meshes()
{
	rm -rf cut
	mkdir cut
	cp "$project"/examples/courtyard/source/lantern.glb cut
	exits 0 "$larder" cook cut -o cut-cooked --json
	json out meshes.vertices_before meshes.triangles_before meshes.triangles >whole
	echo '{"model":{"spatial_clusters":{"target_triangles":128,"min_triangles":16}}}' >cut/lantern.glb.larder.json
	exits 0 "$larder" cook cut -o cut-cooked --json
	json out meshes.vertices_before meshes.triangles_before meshes.triangles >pieces
	diff whole pieces
	exits 0 "$larder" cook cut -o cut-cooked -f -v
	says err "part.Handle.0.lmesh: vertices "
	says err ", triangles 128, cluster 1 of 4; "
	[[ -f cut-cooked/lantern/part.Handle.3.lmesh && ! -e cut-cooked/lantern/part.Handle.lmesh ]]
	exits 0 "$larder" validate cut-cooked
}
it_json "what was before a mesh was cut is counted once" cut_meshes

a_missing_source()
{
	exits 1 "$larder" cook no-such-folder -o missing
	says err "no-such-folder"
	says_nothing out
}
it "a source that is not there gives 1" a_missing_source

an_output_that_cannot_be()
{
	put_tree
	echo "a file" >occupied
	exits 1 "$larder" cook source -o occupied
	says err "larder: cook: "
	exits 1 "$larder" cook source -o occupied/below
	says err "larder: cook: "
	[[ $(cat occupied) == "a file" ]]
}
it "an output folder that can't be made gives 1" an_output_that_cannot_be

two_of_one_stem()
{
	put_tree
	cp source/models/fox.gltf source/models/FOX.gltf
	exits 1 "$larder" cook source -o stems
	says err "models/FOX.gltf"
	says err "models/fox.gltf"
	[[ ! -e stems/models/fox.lmodel && -f stems/models/hare.lmodel ]]
}
it "two sources that would write one path are both named, and neither is cooked" two_of_one_stem

what_is_gone_is_deleted()
{
	put_tree
	exits 0 "$larder" cook source -o cooked
	rm source/models/fox.gltf
	exits 0 "$larder" cook source -o cooked
	says out "pruned 3 files"
	[[ ! -e cooked/models/fox.lmodel && ! -e cooked/models/fox && -f cooked/models/hare.lmodel ]]
}
it "the files of a source that is gone are deleted" what_is_gone_is_deleted

placement_by_sidecar()
{
	put_tree
	sed -i 's/"nodes":\[{/"nodes":[{"name":"Second","mesh":0,"translation":[3,0,0]},{/' source/models/fox.gltf
	exits 0 "$larder" cook source -o cooked
	[[ $("$larder" info cooked/models/fox.lmodel | grep -c ' models/fox/part\.Fox ') == 1 ]]
	echo '{"model":{"placement":"separate"}}' >source/models/fox.gltf.larder.json
	exits 0 "$larder" cook source -o cooked
	[[ $("$larder" info cooked/models/fox.lmodel | grep -c ' models/fox/part\.Fox ') == 2 ]]
	echo '{"model":{"placment":"separate"}}' >source/models/fox.gltf.larder.json
	exits 1 "$larder" cook source -o cooked
	says err 'models/fox.gltf.larder.json'
	says err 'placment'
}
it "a sidecar's settings are followed, and its faults are errors" placement_by_sidecar

a_bar_on_a_terminal()
{
	put_tree
	script -qec "'$larder' cook source -o barred" /dev/null >seen
	says seen $'\r\033[K[##############################] 3/3'
	script -qec "'$larder' cook -f -q source -o barred" /dev/null >seen
	lacks seen '[#'
	exits 0 "$larder" cook -f source -o barred
	lacks err '[#'
	lacks err $'\r'
}
if command -v script >/dev/null; then
	it "a progress bar is drawn on a terminal, and only there" a_bar_on_a_terminal
else
	skip "a progress bar is drawn on a terminal, and only there" "there is no script(1) here"
fi

another_locale()
{
	put_tree
	cp "$project"/examples/courtyard/source/lantern.glb source
	LC_ALL=C exits 0 "$larder" cook source -o plain -q
	exits 0 "$larder" cook source -o german -q
	diff -r -x .larder plain german
	"$larder" info --json german/lantern.lmodel >german.json
	LC_ALL=C "$larder" info --json plain/lantern.lmodel >plain.json
	sed -i 's/german/plain/' german.json
	cmp german.json plain.json
	grep -q '[0-9]\.[0-9]' german.json
}
if [[ ${LC_ALL:-} == de_DE* ]]; then
	it "a locale with decimal commas changes nothing" another_locale
else
	skip "a locale with decimal commas changes nothing" "there is no de_DE.UTF-8 here"
fi

odd_file_names()
{
	put_triangle $'odd/w\xc3\xb6lf \'"$(x).gltf' Wolf
	put_image 'odd/-o.tga' 50
	exits 0 "$larder" cook odd -o odd-cooked
	[[ -f $'odd-cooked/w\xc3\xb6lf \'"$(x).lmodel' && -f odd-cooked/-o.ktx2 ]]
	exits 0 "$larder" validate odd-cooked
}
it "file names may have spaces, quotes and letters of other scripts" odd_file_names

broken_sources()
{
	put_tree
	exits 1 "$larder" cook "$corpus/bad" source -o broken
	[[ -f broken/models/fox.lmodel && -f broken/models/hare.lmodel && -f broken/wood.ktx2 ]]
	says err "failed     oiio/bomb.png"
	exits 0 "$larder" validate broken
}
corpus=$project/../shared/corpus
if [[ -d $corpus/bad ]]; then
	it "a folder of broken files fails file by file, and what is sound is cooked" broken_sources
else
	skip "a folder of broken files fails file by file, and what is sound is cooked" "there is no $corpus/bad here"
fi

damaged_lanterns()
{
	rm -rf damaged
	mkdir damaged
	local size
	size=$(stat -c %s "$project/examples/courtyard/source/lantern.glb")
	for part in 1 2 3 4 5 6 7; do
		head -c $((size * part / 8)) "$project/examples/courtyard/source/lantern.glb" >damaged/cut$part.glb
		cp "$project/examples/courtyard/source/lantern.glb" damaged/hit$part.glb
		printf '\377\377\377\377' | dd of=damaged/hit$part.glb bs=1 seek=$((part * 150)) conv=notrunc status=none
	done
	exits 1 "$larder" cook damaged -o damaged-cooked
	(($(grep -c '^failed     cut' err) == 7))
	(($(grep -c '^failed \|^cooked ' err) == 14))
	exits 0 "$larder" validate damaged-cooked
}
it "cut and overwritten sources fail one by one, or are cooked sound" damaged_lanterns

texture_of_a_source_onto_itself()
{
	cp "$project/examples/courtyard/source/LampGlow.png" glow.png
	exits 2 "$larder" texture glow.png -o glow.png
	says err "--output takes a path that ends in .ktx2, not glow.png"
	cmp glow.png "$project/examples/courtyard/source/LampGlow.png"
	mkdir -p folder.png
	exits 1 "$larder" texture folder.png -o glow.ktx2
	says err "folder.png: can't be read: Is a directory"
	exits 0 "$larder" texture glow.png -o GLOW.KTX2
}
it "a texture is written to .ktx2 files only" texture_of_a_source_onto_itself

finish

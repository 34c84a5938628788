#!/usr/bin/env bash
# larder info --picture of meshes and models: sheets, their panels, what is refused. test_cli_picture_mesh.sh PROGRAM PROJECT
source "$(dirname "$0")/cli_common.sh"

# width_of, height_of PNG: from its header.
width_of()
{
	printf '%d\n' "0x$(od -An -tx1 -j16 -N4 "$1" | tr -d ' ')"
}

height_of()
{
	printf '%d\n' "0x$(od -An -tx1 -j20 -N4 "$1" | tr -d ' ')"
}

# has_tiles PNG COUNT: a sheet of so many tiles, four to a row.
has_tiles()
{
	local found expected
	found="$((($(width_of "$1") - 8) / 520)) x $((($(height_of "$1") - 8) / 542))"
	expected="$(($2 < 4 ? $2 : 4)) x $((($2 + 3) / 4))"
	[[ $found == "$expected" ]] || fail "$1 has $found tiles, expected $expected, for $2"
}

# most FOLDER SECTION: of the meshes there, how many rows of `info` the one has that has most.
most()
{
	local mesh rows most=0
	for mesh in "$1"/*.lmesh; do
		rows=$("$larder" info "$mesh" | awk -v section="$2:" '/^[a-z]/ { inside = $1 == section } inside && /^ *\[/ { ++n } END { print n + 0 }')
		((rows <= most)) || most=$rows
	done
	echo "$most"
}

panels=(shaded behind textured normals tangents uv colors weights parts meshlets lods morphs)
"$larder" cook "$project/examples/courtyard/source" -o cooked -q || exit 1
put_triangle plain/one.gltf one
"$larder" cook plain -o cooked_plain -q || exit 1

a_sheet_of_what_there_is()
{
	exits 0 "$larder" info cooked_plain/one/part.one.lmesh --picture mesh.png
	says out "triangles: 1"
	says_nothing err
	has_tiles mesh.png 7 # shaded, behind, textured, normals; tangents, meshlets, lods
	exits 0 "$larder" info cooked_plain/one.lmodel --picture model.png
	has_tiles model.png 7
}
it "a mesh becomes a sheet of the panels that have something to show" a_sheet_of_what_there_is

models_with_all_they_are_made_of()
{
	exits 0 "$larder" info cooked/courtyard.lmodel --picture courtyard.png
	says_nothing err
	local lods morphs
	lods=$(most cooked/courtyard lods)
	morphs=$(most cooked/courtyard morphs)
	((lods > 3 && morphs == 3)) || fail "the courtyard has $lods LODs and $morphs morph targets"
	has_tiles courtyard.png $((10 + lods + morphs)) # all other panels, and one for each of these of the mesh that has most
	exits 0 "$larder" info cooked/lantern.lmodel --picture lantern.png --show parts,textured
	says_nothing err
	has_tiles lantern.png 2
	(cd cooked/courtyard && exits 0 "$larder" info ../lantern.lmodel --picture ../../again.png --show parts,textured)
	cmp lantern.png again.png # found from anywhere
	(cd cooked/lantern && exits 0 "$larder" info part.Candle.lmesh --picture ../../here.png --show textured)
	exits 0 "$larder" info "$PWD/cooked/lantern/part.Candle.lmesh" --picture there.png --show textured
	cmp here.png there.png
}
it "a model is drawn with its meshes and materials, from wherever it is named" models_with_all_they_are_made_of

panels_by_name()
{
	local panel
	"$larder" help info >help
	for panel in "${panels[@]}"; do
		says help "$panel"
		exits 0 "$larder" info cooked_plain/one.lmodel --picture "$panel.png" --show "$panel"
		has_tiles "$panel.png" 1
	done
	exits 0 "$larder" info cooked_plain/one.lmodel --picture some.png --show=uv,lods,shaded
	has_tiles some.png 3
	exits 0 "$larder" info cooked_plain/one.lmodel --picture once.png --show uv,uv,uv
	cmp once.png uv.png
}
it "--show picks panels, each once" panels_by_name

the_same_picture_again()
{
	exits 0 "$larder" info cooked/courtyard/part.Bronze.0.lmesh --picture first.png
	exits 0 "$larder" info cooked/courtyard/part.Bronze.0.lmesh --picture second.png
	cmp first.png second.png
	if cmp -s first.png mesh.png; then
		fail "two meshes look the same"
	fi
}
it "the same mesh gives the same bytes" the_same_picture_again

what_is_refused()
{
	exits 2 "$larder" info cooked_plain/one.lmodel --picture x.png --show bread
	says err 'no panel "bread"; expected shaded, behind, '
	exits 2 "$larder" info cooked_plain/one.lmodel --picture x.png --show shaded,
	exits 2 "$larder" info cooked_plain/one.lmodel --picture x.png --show ""
	exits 2 "$larder" info cooked_plain/one.lmodel --show shaded
	says err "--picture is missing"
	exits 2 "$larder" info cooked/courtyard/image.Foliage.ktx2 --picture x.png --show shaded
	says err "--show is of meshes and models, not of cooked/courtyard/image.Foliage.ktx2"
	exits 2 "$larder" info plain/one.gltf --picture x.png
	says err "plain/one.gltf is to be cooked first"
	exits 2 "$larder" info cooked/courtyard/clip.ClockTick.lclip --picture x.png
	says err "cooked/courtyard/clip.ClockTick.lclip is none"
	exits 2 "$larder" info cooked_plain/one.lmodel --picture x.jpg
	exits 1 "$larder" info cooked_plain/one.lmodel --picture no/such/folder/x.png
	head -c 300 cooked/courtyard/part.Bronze.0.lmesh >cut.lmesh
	exits 1 "$larder" info cut.lmesh --picture x.png
	[[ ! -e x.png ]]
}
it "what can't be drawn is refused, and nothing is written" what_is_refused

incomplete_trees()
{
	mkdir -p alone && cp cooked_plain/one.lmodel alone
	exits 1 "$larder" info alone/one.lmodel --picture x.png
	says err "alone/one.lmodel: one/part.one.lmesh: not found"
	mkdir -p alone/one && echo "no mesh" >alone/one/part.one.lmesh
	exits 1 "$larder" info alone/one.lmodel --picture x.png
	says err "one/part.one.lmesh: lmesh:"
	[[ ! -e x.png ]]
	cp cooked_plain/one/part.one.lmesh alone/one # its material is missing, which is no more than white
	exits 0 "$larder" info alone/one.lmodel --picture x.png
}
it "a model whose meshes are missing or damaged is refused by their names" incomplete_trees

finish

#!/usr/bin/env bash
# larder pack, unpack, list and validate: bundles there and back. test_cli_pack.sh PROGRAM PROJECT
source "$(dirname "$0")/cli_common.sh"

put_triangle source/models/fox.gltf Fox
put_triangle source/models/hare.gltf Hare
put_image source/wood.tga 40
put_image source/stone.tga 50
cp "$project/examples/courtyard/source/lantern.glb" source
"$larder" cook source -o cooked -q || exit 1

# Cooked files: not the manifest, nor the cook's own folder.
cooked_files()
{
	(cd "$1" && find . -type f ! -path './.larder/*' ! -name larder.manifest.json | sed 's|^\./||' | LC_ALL=C sort)
}

there_and_back()
{
	exits 0 "$larder" pack cooked -o game.lpack
	says out "game.lpack: $(cooked_files cooked | wc -l) entries"
	exits 0 "$larder" unpack game.lpack -o back
	says out "back: $(cooked_files cooked | wc -l) files"
	diff -r -x .larder -x larder.manifest.json cooked back
}
it "a tree that is packed and unpacked is the same tree" there_and_back

the_same_bytes()
{
	exits 0 "$larder" pack cooked -o one.lpack -j 1
	exits 0 "$larder" pack cooked -o seven.lpack --jobs 7
	cmp one.lpack seven.lpack
	cp one.lpack before
	exits 0 "$larder" pack cooked -o one.lpack # over itself
	cmp one.lpack before
	says out "taken over"
}
it "the same tree gives the same bundle, whatever the threads and what was there" the_same_bytes

the_listing()
{
	"$larder" pack cooked -o game.lpack -q
	exits 0 "$larder" list game.lpack
	awk '{ print $NF }' out >listed
	cooked_files cooked | diff - listed
	grep -Eq '^texture +[0-9]+ +[0-9]+ +wood.ktx2$' out
	grep -Eq "^model +$(stat -c %s cooked/lantern.lmodel) +[0-9]+ zstd  lantern.lmodel\$" out
	exits 0 "$larder" list game.lpack game.lpack
	(($(wc -l <out) == 2 * $(wc -l <listed)))
}
it "list names every file with its kind and size" the_listing

the_listing_as_json()
{
	"$larder" pack cooked -o game.lpack -q
	exits 0 "$larder" list --json game.lpack
	json_is out length 1 0.bundle game.lpack 0.entries.length "$(cooked_files cooked | wc -l)"
	local key
	key=$(json out 0.entries.0.key)
	json_is out 0.entries.0.sha256 "$(sha256sum "cooked/$key" | cut -d' ' -f1)"
	json_is out 0.entries.0.size "$(stat -c %s "cooked/$key")"
}
it_json "list --json has digests and sizes" the_listing_as_json

the_map_beside_it()
{
	"$larder" pack cooked -o game.lpack -q
	json_is game.lpack.json entries.length "$(cooked_files cooked | wc -l)"
}
it_json "a map for people lies beside the bundle" the_map_beside_it

the_json_bundle()
{
	exits 0 "$larder" pack cooked -o game.json --format json
	json_is game.json entries.length "$(cooked_files cooked | wc -l)"
	local key
	key=$(json game.json entries.0.key)
	json game.json entries.0.payload | base64 -d >payload
	cmp payload "cooked/$key"
	exits 0 "$larder" pack cooked -o plain.lpack --format lpack
	exits 0 "$larder" list plain.lpack
}
it_json "--format json writes one readable file with payloads in base64" the_json_bundle

compressions()
{
	for kind in none zstd zstd:1 zstd:19 zstd:22; do
		exits 0 "$larder" pack cooked -o "$kind.lpack" --compression "$kind" -q
		says_nothing out
		exits 0 "$larder" unpack "$kind.lpack" -o "back-$kind" -q
		diff -r -x .larder -x larder.manifest.json cooked "back-$kind"
		exits 0 "$larder" validate "$kind.lpack"
	done
	(($(stat -c %s none.lpack) > $(stat -c %s zstd.lpack)))
	"$larder" list none.lpack >listed
	lacks listed " zstd "
	exits 0 "$larder" pack cooked -o nine.lpack -c zstd:9
	cmp zstd.lpack nine.lpack # the default level
}
it "each compression gives the tree back" compressions

bad_compressions()
{
	for kind in zstd:0 zstd:23 zstd:-1 zstd: zstd:x zstd:3x zstd:99999999999999999999 lz4 NONE; do
		exits 2 "$larder" pack cooked -o refused.lpack --compression "$kind"
		says err "from 1 to 22"
	done
	exits 2 "$larder" pack cooked -o refused.lpack --format zip
	says err "lpack or json"
	[[ ! -e refused.lpack ]]
}
it "levels outside 1 to 22, other compressions and other formats are refused with 2" bad_compressions

reports_as_json()
{
	exits 0 "$larder" pack cooked -o game.lpack --json
	json_is out entries "$(cooked_files cooked | wc -l)" file_bytes "$(stat -c %s game.lpack)"
	exits 0 "$larder" unpack game.lpack -o back-json --json
	json_is out folder back-json
	exits 0 "$larder" validate cooked game.lpack --json
	json_is out bundles 1 findings.length 0
}
it_json "pack, unpack and validate report as JSON" reports_as_json

a_tree_that_changed()
{
	rm -rf changed
	cp -r cooked changed
	echo "more" >>changed/wood.ktx2
	exits 1 "$larder" pack changed -o changed.lpack
	says err "wood.ktx2"
	rm changed/wood.ktx2
	exits 1 "$larder" pack changed -o changed.lpack
	says err "wood.ktx2"
	[[ ! -e changed.lpack ]]
	exits 1 "$larder" pack source -o changed.lpack # not a cooked tree at all
	says err "larder.manifest.json"
}
it "a tree whose files are not those of its manifest is refused" a_tree_that_changed

an_old_bundle_survives()
{
	"$larder" pack cooked -o old.lpack -q
	cp old.lpack before
	cp -r cooked half
	rm half/wood.ktx2
	exits 1 "$larder" pack half -o old.lpack
	cmp old.lpack before
}
it "a pack that fails leaves the old bundle as it was" an_old_bundle_survives

damaged_bundles()
{
	"$larder" pack cooked -o whole.lpack -q
	local size command
	size=$(stat -c %s whole.lpack)
	head -c $((size / 2)) whole.lpack >cut.lpack
	: >empty.lpack
	cp whole.lpack table.lpack
	printf '\377' | dd of=table.lpack bs=1 seek=$((size - 60)) conv=notrunc status=none
	for bundle in cut empty table missing; do
		for command in list info validate "unpack -o damaged-back"; do
			# shellcheck disable=SC2086
			exits 1 "$larder" $command $bundle.lpack
			[[ -s err || $command == validate ]]
		done
	done
	[[ ! -e damaged-back ]]
}
it "cut, damaged and missing bundles are refused by every command" damaged_bundles

a_damaged_payload()
{
	"$larder" pack cooked -o payload.lpack -c none -q
	printf '\377\377' | dd of=payload.lpack bs=1 seek=100 conv=notrunc status=none
	exits 0 "$larder" list payload.lpack # the table is sound
	exits 1 "$larder" validate payload.lpack
	says out "not sound"
	says out "payload.lpack:"
	exits 1 "$larder" unpack payload.lpack -o payload-back
	says err "SHA-256"
}
it "a damaged payload is found by validate and refused by unpack" a_damaged_payload

sound_trees()
{
	"$larder" pack cooked -o game.lpack -q
	exits 0 "$larder" validate cooked game.lpack cooked/wood.ktx2 cooked/lantern.lmodel
	says out ": sound"
	exits 0 "$larder" validate cooked --quiet
	says_nothing out
}
it "validate proves folders, bundles and single files sound" sound_trees

unsound_trees()
{
	rm -rf unsound
	cp -r cooked unsound
	printf '\377' | dd of=unsound/lantern.lmodel bs=1 seek=40 conv=notrunc status=none
	rm unsound/models/fox/part.Fox.lmesh
	exits 1 "$larder" validate unsound
	says out "unsound/lantern.lmodel: "
	says out "part.Fox.lmesh"
	says out "not sound"
	exits 1 "$larder" validate unsound -q
	says out "unsound/lantern.lmodel: " # findings are what was asked for
	exits 1 "$larder" validate no-such-place
}
it "validate names what is damaged and what is missing" unsound_trees

unsound_as_json()
{
	rm -rf unsound
	cp -r cooked unsound
	printf '\377' | dd of=unsound/lantern.lmodel bs=1 seek=40 conv=notrunc status=none
	exits 1 "$larder" validate unsound --json
	[[ $(json out findings.0.path) == unsound/lantern.lmodel ]]
	[[ -n $(json out findings.0.message) ]]
}
it_json "validate --json lists its findings" unsound_as_json

places_that_cannot_be()
{
	exits 1 "$larder" pack cooked -o no/such/folder/game.lpack
	says err "no/such/folder/game.lpack"
	"$larder" pack cooked -o game.lpack -q
	echo "a file" >occupied
	exits 1 "$larder" unpack game.lpack -o occupied/below
	says err "occupied"
	exits 1 "$larder" unpack game.lpack -o occupied
	[[ $(cat occupied) == "a file" ]]
}
it "places that can't be written give 1" places_that_cannot_be

no_bundle_leads_outside()
{
	"$larder" pack cooked -o game.lpack -q
	mkdir -p guarded outside
	ln -sfn ../outside guarded/models
	exits 1 "$larder" unpack game.lpack -o guarded
	[[ -z $(ls outside) ]]
}
it "unpack does not follow a link out of its folder" no_bundle_leads_outside

finish

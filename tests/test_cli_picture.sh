#!/usr/bin/env bash
# larder compare, extract and info --picture: image files of every kind, looked at. test_cli_picture.sh PROGRAM PROJECT
source "$(dirname "$0")/cli_common.sh"

# put_ramp FILE WIDTH HEIGHT: an uncompressed 24-bit TGA, top down, whose colours grow with x and y.
put_ramp()
{
	local x y rows=
	for ((y = 0; y < $3; ++y)); do
		for ((x = 0; x < $2; ++x)); do
			rows+=$(printf '\\x%02x\\x%02x\\x%02x' $((x * 4)) $((y * 4)) $(((x + y) * 2)))
		done
	done
	{
		printf '\0\0\2\0\0\0\0\0\0\0\0\0'
		printf "\\x$(printf %02x "$2")\\0\\x$(printf %02x "$3")\\0\\30\\40"
		printf '%b' "$rows"
	} >"$1"
}

put_ramp ramp.tga 32 16
"$larder" texture ramp.tga -o ramp.ktx2 -q && "$larder" texture ramp.tga --target mobile -o ramp_astc.ktx2 -q || exit 1
"$larder" texture ramp.tga --type normal -o ramp_normal.ktx2 -q || exit 1
"$larder" texture ramp.tga --type mask -o ramp_mask.ktx2 -q || exit 1

differ()
{
	if cmp -s "$1" "$2"; then
		fail "$1 and $2 are the same"
	fi
}

# width_of, height_of PNG: from its header.
width_of()
{
	printf '%d\n' "0x$(od -An -tx1 -j16 -N4 "$1" | tr -d ' ')"
}

height_of()
{
	printf '%d\n' "0x$(od -An -tx1 -j20 -N4 "$1" | tr -d ' ')"
}

a_source_beside_itself()
{
	exits 0 "$larder" compare ramp.tga ramp.tga
	says out "ramp.tga: TGA RGB8, 32 x 16"
	says out "compared as stored codes"
	says out "PSNR: RGB equal, red equal"
	says out "max error: 0.000000"
	says_nothing err
}
it "an image equals itself" a_source_beside_itself

a_source_beside_its_texture()
{
	exits 0 "$larder" compare ramp.tga ramp.ktx2
	says out "ramp.ktx2: KTX2 BC7_SRGB_BLOCK, level 0, 32 x 16"
	grep -Eq '^PSNR: RGB [0-9]+\.[0-9]{2} dB, red ' out
	grep -Eq '^SSIM: luma 0\.9' out
	exits 0 "$larder" compare ramp.tga ramp_astc.ktx2
	says out "ASTC"
}
it "a texture is held against its source" a_source_beside_its_texture

comparing_as_json()
{
	exits 0 "$larder" compare ramp.tga ramp.ktx2 --json
	json_is out reference.container TGA image.container KTX2 compared_as codes equal false image.level 0
	json out psnr.rgb >psnr
	(($(cut -d. -f1 psnr) >= 35))
	exits 0 "$larder" compare --json ramp.tga ramp.tga
	json_is out equal true psnr.rgb null max_error.red 0
}
it_json "compare --json says the same" comparing_as_json

a_level_beside_its_extract()
{
	exits 0 "$larder" extract ramp.ktx2 --level 2 -o two.png
	says out "two.png: KTX2 BC7_SRGB_BLOCK, level 2, 8 x 4"
	[[ $(width_of two.png) == 8 && $(height_of two.png) == 4 ]]
	exits 0 "$larder" compare two.png ramp.ktx2 --level 2
	says out "PSNR: RGB equal"
	exits 1 "$larder" compare ramp.tga ramp.ktx2 --level 2
	says err "ramp.tga is 32 x 16, ramp.ktx2 is 8 x 4"
	exits 1 "$larder" compare ramp.tga two.png --level 1
	says err "neither file has more than one"
}
it "a level is held against an image of its size" a_level_beside_its_extract

the_difference()
{
	exits 0 "$larder" compare ramp.tga ramp_astc.ktx2 -o difference.png
	[[ $(width_of difference.png) == 32 ]]
	exits 0 "$larder" compare ramp.tga ramp_astc.ktx2 -o more.png --set amplify=64
	differ difference.png more.png
	exits 2 "$larder" compare ramp.tga ramp.ktx2 --set amplify=0
	says err "amplify=N"
	exits 2 "$larder" compare ramp.tga ramp.ktx2 --set size=3
	exits 2 "$larder" compare ramp.tga ramp.ktx2 -o difference.jpg
	says err ".png or .exr"
}
it "compare -o writes a picture of the difference, amplified" the_difference

flipping()
{
	exits 0 "$larder" compare ramp.tga ramp.tga --set flip=67
	says out "FLIP at 67 pixels per degree: mean 0.000000"
	exits 0 "$larder" compare ramp.tga ramp_astc.ktx2 --set amplify=4,flip=30 -o flip.png
	[[ $(width_of flip.png) == 32 ]]
	says out "FLIP at 30 pixels per degree: mean 0."
	exits 2 "$larder" compare ramp.tga ramp.ktx2 --set flip=0
	says err "flip=PIXELS_PER_DEGREE"
	exits 2 "$larder" compare ramp.tga ramp.ktx2 --set flip=67,
}
it "compare --set flip=67 says how different they look" flipping

flipping_as_json()
{
	exits 0 "$larder" compare ramp.tga ramp.tga --set flip=67 --json
	json_is out flip.mean 0 flip.pixels_per_degree 67
}
it_json "compare --set flip=67 --json says it too" flipping_as_json

normals()
{
	exits 0 "$larder" compare ramp_normal.ktx2 ramp_normal.ktx2
	says out "compared as normals"
	says out "angle: 0.0000 degrees, 0.000 at most"
	exits 0 "$larder" extract ramp_normal.ktx2 -o two_channels.png
	exits 0 "$larder" extract ramp_normal.ktx2 -o whole.png --type normal
	differ two_channels.png whole.png
	exits 0 "$larder" compare ramp_normal.ktx2 whole.png
	says out "angle: 0.0000 degrees"
	exits 0 "$larder" compare ramp_normal.ktx2 two_channels.png --type albedo
	lacks out angle
	exits 2 "$larder" compare ramp.tga ramp.tga --type bread
	says err "no such --type: bread"
}
it "normals are compared by angle, with their third channel rebuilt" normals

# The bit depth and colour kind of a PNG.
depth_of()
{
	od -An -tu1 -j24 -N2 "$1" | tr -s ' '
}

depths()
{
	exits 0 "$larder" extract ramp.ktx2 -o eight.png
	[[ $(depth_of eight.png) == " 8 6" ]]
	exits 0 "$larder" extract ramp_mask.ktx2 -o sixteen.png # BC4 has more than 8 bits
	[[ $(depth_of sixteen.png) == " 16 6" ]]
	exits 0 "$larder" compare ramp_mask.ktx2 sixteen.png
	says out "PSNR: red equal"
	exits 0 "$larder" extract ramp_mask.ktx2 -o mask.exr
	exits 0 "$larder" extract ramp.ktx2 -o light.exr
	exits 0 "$larder" compare light.exr ramp.ktx2
	says out "linear light: sRGB-encoded colours were decoded"
	says out "RMSLE"
	exits 0 "$larder" extract light.exr -o shown.png
	says err "tone mapped"
	[[ $(depth_of shown.png) == " 8 6" ]]
	exits 0 "$larder" extract light.exr -o shown.png -q
	says_nothing err
	says_nothing out
}
it "extract keeps what a format holds, and says when it can't" depths

extracting_as_json()
{
	exits 0 "$larder" extract ramp.ktx2 --level 1 -o one.png --json
	json_is out file one.png container KTX2 level 1 width 16 height 8 pixels unorm8 srgb true
}
it_json "extract --json says what was written" extracting_as_json

what_extract_refuses()
{
	exits 2 "$larder" extract ramp.ktx2
	says err "--output is missing"
	exits 2 "$larder" extract ramp.ktx2 -o ramp.jpg
	says err "ends in .png or .exr"
	exits 2 "$larder" extract ramp.ktx2 -o x.png --level two
	says err "--level takes a number"
	exits 2 "$larder" extract ramp.ktx2 -o x.png --face -1
	exits 1 "$larder" extract ramp.ktx2 -o x.png --level 6
	says err "ramp.ktx2: level 6 of a picture that has 6"
	exits 1 "$larder" extract ramp.ktx2 -o x.png --layer 1
	exits 1 "$larder" extract ramp.ktx2 -o x.png --slice 1
	exits 1 "$larder" extract missing.png -o x.png
	says err "missing.png: can't be read"
	echo "no image" >notes.txt
	exits 1 "$larder" extract notes.txt -o x.png
	says err "notes.txt: not an image"
	head -c 200 ramp.ktx2 >cut.ktx2
	exits 1 "$larder" extract cut.ktx2 -o x.png
	[[ ! -e x.png ]]
	exits 1 "$larder" extract ramp.ktx2 -o no/such/folder/x.png
	says err "no/such/folder/x.png"
}
it "extract refuses what it can't do, and writes nothing" what_extract_refuses

sheets()
{
	exits 0 "$larder" info ramp.ktx2 --picture sheet.png
	says out "type: albedo"
	[[ $(width_of sheet.png) == $((32 + 16 + 8 + 4 + 2 + 1 + 7 * 8)) && $(height_of sheet.png) == 32 ]]
	exits 0 "$larder" info ramp.tga --picture plain.png
	[[ $(width_of plain.png) == 32 && $(height_of plain.png) == 16 ]]
	exits 0 "$larder" compare ramp.tga plain.png
	says out "PSNR: RGB equal"
	exits 2 "$larder" info ramp.tga ramp.ktx2 --picture both.png
	says err "of one file"
	exits 2 "$larder" info ramp.tga --picture plain.exr
	exits 1 "$larder" info cut.ktx2 --picture cut.png
	[[ ! -e cut.png ]]
}
it "info --picture shows every level side by side" sheets

cubes()
{
	exits 0 "$larder" texture ramp_face.tga ramp_face.tga ramp_face.tga ramp_face.tga ramp_face.tga ramp_face.tga \
		-o cube.ktx2 --type cubemap -q
	exits 0 "$larder" info cube.ktx2 --picture cube.png
	(($(height_of cube.png) == 6 * (16 + 8) + 8))
	exits 0 "$larder" extract cube.ktx2 --face 5 --level 1 -o face.exr
	exits 0 "$larder" compare face.exr cube.ktx2 --face 5 --level 1
	says out "PSNR: RGB equal"
	exits 1 "$larder" extract cube.ktx2 --face 6 -o face.png
	says err "face 6 of a picture that has 6"
}
put_ramp ramp_face.tga 16 16
it "faces of cubemaps are in rows of the picture, and extracted one by one" cubes

info_on_images()
{
	exits 0 "$larder" info ramp.tga
	says out "kind: image"
	says out "container: TGA"
	says out "format: RGB8"
	says out "width: 32"
	says out "channels: rgb"
	says out "bits: 8"
	says out "color_space: srgb"
	exits 0 "$larder" extract ramp.ktx2 -o light.exr -q
	exits 0 "$larder" info light.exr
	says out "container: EXR"
	says out "bits: float"
	says out "color_space: linear"
	cp ramp.ktx2 texture.bin # known by content
	exits 0 "$larder" info texture.bin
	says out "kind: texture"
	exits 0 "$larder" info ramp_normal.ktx2
	says out "type: normal"
	says out "type_from: settings"
	says out "normal_channels: rg"
	head -c 300 light.exr >cut.exr
	exits 1 "$larder" info cut.exr
	says err "cut.exr: EXR"
}
it "info says what an image is" info_on_images

finish

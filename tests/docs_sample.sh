#!/usr/bin/env bash
# What the snippets of the guides work on: docs_sample.sh LARDER SOURCES FOLDER SKY makes FOLDER/cooked and
# FOLDER/courtyard.lpack, FOLDER/editable of the lantern alone, and of the panorama SKY FOLDER/sky.ktx2 and sky_zstd.ktx2.
set -euo pipefail
larder=$1 sources=$2 folder=$3 sky=$4
rm -rf "$folder/cooked" "$folder/jobs" "$folder/cook" "$folder/lantern" "$folder/editable" "$folder/patch"
mkdir -p "$folder/cook" "$folder/lantern"
"$larder" cook --quiet "$sources" --output "$folder/cooked"
"$larder" pack --quiet "$folder/cooked" --output "$folder/courtyard.lpack"
cp "$sources/lantern.glb" "$folder/lantern"
echo '{ "model": { "placement": "editable", "quantize": true } }' >"$folder/lantern/lantern.glb.larder.json"
"$larder" cook --quiet "$folder/lantern" --output "$folder/editable"
"$larder" texture --quiet "$sky" --type cubemap --output "$folder/sky.ktx2"
"$larder" texture --quiet "$sky" --type cubemap --set supercompression=zstd --output "$folder/sky_zstd.ktx2"
echo "ok the courtyard is cooked and packed"

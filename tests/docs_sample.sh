#!/usr/bin/env bash
# What the snippets of the guides work on: docs_sample.sh LARDER SOURCES FOLDER makes FOLDER/cooked and FOLDER/courtyard.lpack.
set -euo pipefail
larder=$1 sources=$2 folder=$3
rm -rf "$folder/cooked" "$folder/jobs" "$folder/cook"
mkdir -p "$folder/cook"
"$larder" cook --quiet "$sources" --output "$folder/cooked"
"$larder" pack --quiet "$folder/cooked" --output "$folder/courtyard.lpack"
echo "ok the courtyard is cooked and packed"

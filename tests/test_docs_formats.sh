#!/usr/bin/env bash
# docs/formats.md is what the program makes of the tables in the code: test_docs_formats.sh SOURCE PROGRAM.
set -euo pipefail
cd "$1"
if ! diff -u docs/formats.md <("$2" docs/generate); then
	echo "not ok docs/formats.md is not what the code says: build the target larder-docs"
	exit 1
fi
echo "ok docs/formats.md is what the code says"

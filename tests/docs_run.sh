#!/usr/bin/env bash
# Run a snippet's program: docs_run.sh PROGRAM [ARGUMENT...]. Its last line is "ok" or "not ok" and the program's name.
set -uo pipefail
if "$@"; then
	echo "ok $(basename "$1")"
else
	echo "not ok $(basename "$1")"
	exit 1
fi

#!/usr/bin/env bash
# Every block of C, or C++, of a page is, line for line, a piece of a program that is compiled and run: of docs/snippets or of examples.
# A block may stand less indented than the piece it is.
set -euo pipefail
cd "$1"

for page in *.md docs/*.md; do
	awk -v page="$page" '
	function fits(first, n, indent,   k)
	{
		for (k = 1; k <= n; ++k)
		{
			if (source[first + k - 1] != (block[k] == "" ? "" : indent block[k]))
			{
				return 0
			}
		}
		return 1
	}
	function is_known(n,   s, indent)
	{
		for (s = 1; s + n - 1 <= lines; ++s)
		{
			indent = source[s]
			if (length(indent) >= length(block[1]) && substr(indent, length(indent) - length(block[1]) + 1) == block[1])
			{
				indent = substr(indent, 1, length(indent) - length(block[1]))
				if (indent !~ /[^\t]/ && fits(s, n, indent))
				{
					return 1
				}
			}
		}
		return 0
	}
	FILENAME != page { source[++lines] = $0; next }
	!inside && /^```c(pp)?$/ { inside = 1; size = 0; start = FNR; next }
	inside && /^```$/ {
		inside = 0
		blocks++
		if (size == 0 || !is_known(size))
		{
			printf "not ok %s:%d: this block is no piece of a program in docs/snippets or examples\n", page, start
			bad = 1
		}
		next
	}
	inside { block[++size] = $0 }
	END {
		if (inside) { printf "not ok %s:%d: a block that does not end\n", page, start; bad = 1 }
		if (blocks > 0 && !bad) { printf "ok %s: %d blocks of C\n", page, blocks }
		exit bad
	}' docs/snippets/*.c docs/snippets/*.cpp examples/*.c "$page" || failed=1
done
[[ -z ${failed:-} ]]

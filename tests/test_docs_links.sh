#!/usr/bin/env bash
# Links of the pages lead somewhere: to a file that is there, and where they name a heading, to one of that page.
set -euo pipefail
cd "$1"

# A page's headings as the anchors that GitHub makes of them.
anchors()
{
	sed -n 's/^##*  *//p' "$1" | tr '[:upper:]' '[:lower:]' | sed 's/[^a-z0-9 _-]//g; s/ /-/g'
}

check()
{
	local page=$1 target=$2
	local file=${target%%#*} anchor=
	[[ $target == *#* ]] && anchor=${target#*#}
	local path=$page
	[[ -n $file ]] && path=$(dirname "$page")/$file
	if [[ ! -e $path ]]; then
		echo "not ok $page: there is no $target"
		return 1
	fi
	if [[ -n $anchor ]] && ! anchors "$path" | grep -qxF -- "$anchor"; then
		echo "not ok $page: $path has no heading for #$anchor"
		return 1
	fi
}

links=0
failed=0
for page in *.md docs/*.md examples/*/*.md; do
	while IFS= read -r target; do
		links=$((links + 1))
		check "$page" "$target" || failed=1
	done < <(grep -o '](\([^)]*\))' "$page" | sed 's/^](//; s/)$//' | grep -v '^[a-z]*://' || true)
done
((failed == 0)) || exit 1
((links > 20)) || { echo "not ok only $links links were found"; exit 1; }
echo "ok $links links lead somewhere"

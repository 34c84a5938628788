#!/usr/bin/env bash
# docs/dependencies.md names every package that script/bootstrap installs and every one that the judges use.
set -euo pipefail
cd "$1"
failed=0 count=0
packages()
{
	sed -n '/^packages=(/,/)$/p' script/bootstrap | sed 's/^packages=(//; s/)$//' | tr -s ' \t' '\n'
	grep -o 'packages+=([^)]*)' script/bootstrap | sed 's/packages+=(//; s/)$//' | tr ' ' '\n' | grep -v '[$"]'
	sed -n '/"devDependencies"/,/}/s/^\t\t"\([^"]*\)".*/\1/p' tests/judges/package.json
}
for package in $(packages); do
	count=$((count + 1))
	if ! grep -qE -- "(^|[ |,])${package//+/\\+}([ |,)]|\$)" docs/dependencies.md; then
		echo "not ok docs/dependencies.md does not name $package"
		failed=1
	fi
done
((failed == 0)) || exit 1
((count > 15)) || { echo "not ok only $count packages were found"; exit 1; }
echo "ok docs/dependencies.md names all $count packages"

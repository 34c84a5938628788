#!/usr/bin/env bash
# The manual page says what the program says: each command has a section, with each of its options and no others, and the page is
# well formed. test_docs_manual.sh SOURCE LARDER.
set -euo pipefail
larder=$2
page=$1/docs/larder.1

failed=0
fail()
{
	echo "not ok docs/larder.1: $*"
	failed=1
}

# A command's section of the page, with plain hyphens.
section()
{
	awk -v name="$1" '/^\.S[SH] /{ inside = ($0 == ".SS larder " name) } inside' "$page" | sed 's/\\-/-/g; s/\\f[BIRP]//g'
}

long_options()
{
	grep -oE -- '--[a-z]+' | sort -u
}

commands=$("$larder" help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
[[ $(wc -w <<<"$commands") -gt 5 ]] || fail "the commands could not be read from larder help"
for command in $commands; do
	text=$(section "$command")
	[[ -n $text ]] || { fail "there is no section .SS larder $command"; continue; }
	options=$("$larder" help "$command" | sed -n '/^options:/,$p' | grep -oE '^ +(-[a-zA-Z], )?--[a-z]+')
	heads=$(grep -A 1 -x '\.TP' <<<"$text" | grep -v '^\.TP' || true)
	said=$(long_options <<<"$heads")
	wanted=$(long_options <<<"$options")
	[[ $said == "$wanted" ]] || fail "larder $command has ${wanted//$'\n'/ }, its section says ${said//$'\n'/ }"
	for letter in $(grep -oE -- '-[a-zA-Z],' <<<"$options" | tr -d ','); do
		grep -qE -- "(^| )$letter \"" <<<"$heads" || fail "larder $command: $letter is missing"
	done
done
for named in $(sed -n 's/^\.SS larder //p' "$page"); do
	grep -qx "$named" <<<"$commands" || fail "larder $named is no command"
done

version=$("$larder" version)
grep -q "^\.TH LARDER 1 .*\"$version\"" "$page" || fail "its head does not say $version"
if command -v man >/dev/null && man --version >/dev/null 2>&1; then
	warnings=$(LC_ALL=C.UTF-8 MANWIDTH=100 man --warnings -l "$page" 2>&1 >/dev/null || true)
	[[ -z $warnings ]] || fail "$warnings"
else
	echo "skip man is not here: the page's form was not looked at"
fi
((failed == 0)) || exit 1
echo "ok docs/larder.1 says what larder help says"

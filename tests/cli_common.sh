# tests/cli_common.sh: what the tests of the program share. Sourced with the program's path as $1 and the project's folder as $2; leaves the
# test in a folder of its own, which is deleted at the end.
# shellcheck shell=bash
set -uo pipefail
unset LC_ALL LANG
if [[ $(locale -a 2>/dev/null) == *de_DE.[uU][tT][fF]* ]]; then
	export LC_ALL=de_DE.UTF-8 # decimal commas, and the system's messages in another language: nothing may depend on either
fi
larder=$(realpath "$1")
project=$(realpath "$2")
scratch=$(mktemp -d "${TMPDIR:-/tmp}/larder-test-XXXXXX")
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
failures=0

# it SENTENCE FUNCTION [ARGUMENT...]: every command of the function must succeed.
it()
{
	local sentence=$1 said
	shift
	said=$(set -e; "$@" 2>&1)
	if (($? == 0)); then
		echo "ok - $sentence"
	else
		echo "not ok - $sentence"
		sed 's/^/    /' <<<"$said"
		failures=$((failures + 1))
	fi
}

skip()
{
	echo "ok - $1 # skip: $2"
}

finish()
{
	if ((failures)); then
		echo "$failures failed"
		exit 1
	fi
	echo "ok"
}

fail()
{
	echo "$*" >&2
	return 1
}

# exits STATUS COMMAND...: runs it, stdout in the file `out`, stderr in `err`.
exits()
{
	local expected=$1 status=0
	shift
	"$@" >out 2>err || status=$?
	((status == expected)) || fail "exit status $status, expected $expected: $*
$(tail -n 5 out err)"
}

# says FILE TEXT: the file has a line with this text in it.
says()
{
	grep -qF -- "$2" "$1" || fail "$1 does not say \"$2\" but:
$(head -n 20 "$1")"
}

# lacks FILE TEXT. (A bare "! grep" would not end a function under set -e.)
lacks()
{
	if grep -qF -- "$2" "$1"; then
		fail "$1 says \"$2\""
	fi
}

says_nothing()
{
	[[ ! -s $1 ]] || fail "$1 should be empty, but says: $(head -n 5 "$1")"
}

json_reader=
if command -v node >/dev/null; then
	json_reader=node
elif command -v python3 >/dev/null; then
	json_reader=python3
fi

# json FILE PATH...: print what is at each path ("sources.0.state", "findings.length"), a line each; fails when the file is no JSON or has no
# such thing.
json()
{
	if [[ $json_reader == node ]]; then
		node -e '
			const whole = JSON.parse(require("fs").readFileSync(process.argv[1], "utf8"));
			for (const path of process.argv.slice(2)) {
				let at = whole;
				for (const key of path.split(".")) at = at[key];
				if (at === undefined) throw path;
				console.log(typeof at === "object" ? JSON.stringify(at) : String(at));
			}' "$@"
	else
		python3 -c '
import json, sys
whole = json.load(open(sys.argv[1], encoding="utf-8"))
for path in sys.argv[2:]:
	at = whole
	for key in path.split("."):
		at = len(at) if key == "length" else at[int(key)] if isinstance(at, list) else at[key]
	print(at if isinstance(at, str) else json.dumps(at))' "$@"
	fi 2>/dev/null || fail "$1 is no JSON with all of: ${*:2}"
}

# json_is FILE {PATH VALUE}...
json_is()
{
	local file=$1 paths=() values=()
	shift
	while (($#)); do
		paths+=("$1")
		values+=("$2")
		shift 2
	done
	[[ $(json "$file" "${paths[@]}") == "$(printf '%s\n' "${values[@]}")" ]] ||
		fail "$file: ${paths[*]}: found $(json "$file" "${paths[@]}" | tr '\n' ' '), expected ${values[*]}"
}

# it_json: like `it`, where there is something that reads JSON.
it_json()
{
	if [[ -n $json_reader ]]; then
		it "$@"
	else
		skip "$1" "neither node nor python3 is there to read JSON"
	fi
}

# put_triangle FILE NAME: a glTF of one triangle, whose node, mesh and material have this name.
put_triangle()
{
	local positions='AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAACAPwAAgD8AAAAA' # (0,0,0) (1,0,0) (1,1,0)
	mkdir -p "$(dirname "$1")"
	cat >"$1" <<-END
		{"asset":{"version":"2.0"},
		"buffers":[{"byteLength":36,"uri":"data:application/octet-stream;base64,$positions"}],
		"bufferViews":[{"buffer":0,"byteLength":36}],
		"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3","min":[0,0,0],"max":[1,1,0]}],
		"materials":[{"name":"$2"}],
		"meshes":[{"name":"$2","primitives":[{"attributes":{"POSITION":0},"material":0}]}],
		"nodes":[{"name":"$2","mesh":0}]}
	END
}

# put_image FILE BYTE: a 2 x 2 TGA all of one byte, as two hexadecimal digits.
put_image()
{
	local texel="\\x$2\\x$2\\x$2\\x$2"
	mkdir -p "$(dirname "$1")"
	printf '\0\0\2\0\0\0\0\0\0\0\0\0\2\0\2\0\40\50%b%b%b%b' "$texel" "$texel" "$texel" "$texel" >"$1"
}

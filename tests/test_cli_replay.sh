#!/usr/bin/env bash
# larder replay: recordings run again over a folder and over a bundle. test_cli_replay.sh PROGRAM PROJECT
source "$(dirname "$0")/cli_common.sh"

put_triangle source/models/fox.gltf Fox
put_image source/wood.tga 40
"$larder" cook source -o cooked -q || exit 1
"$larder" pack cooked -o game.lpack -q || exit 1
cat >good.trace <<'END'
larder trace 1
store 0 2
mount 0.1 "game.lpack"
1000 0 asset_find model "models/fox" = 0.1 +10
2000 0 asset_find texture "wood" = 1.1 +10
3000 1 retain_now 0.1 = yes +700
4000 0 retain_now 1.1 = yes +700
5000 0 asset_state 0.1 = loading +5
6000 0 store_update +20
7000 1 release 0.1 = yes +20
8000 0 release 1.1 = yes +20
9000000 0 store_close = 0 +9
end 9
END
sed 's/"wood" = 1.1/"woods" = 1.1/; /release 1.1/d; s/end 9/end 8/' good.trace >bad.trace

a_good_one()
{
	local place
	for place in cooked game.lpack; do
		exits 0 "$larder" replay good.trace --store "$place"
		says out "good.trace: 9 calls by 2 threads on 2 assets, recorded in 0"
		says out "0 answers differ, 1 more"
		says out "0 assets not released"
		lacks out "line "
		says_nothing err
	done
}
it "a recording runs again over a folder and over a bundle" a_good_one

differences()
{
	exits 1 "$larder" replay bad.trace --store cooked
	says out "line 7: retain_now woods: no, recorded yes"
	says out "1 answers differ, 1 more"
	lacks out "timing"
	exits 1 "$larder" replay bad.trace --store cooked --verbose
	says out "line 8: asset_state models/fox: ready, recorded loading (timing)"
	says err "woods"
	exits 1 "$larder" replay bad.trace --store cooked --quiet
	lacks out "differ"
	says out "line 7"
}
it "answers that differ are listed with their lines, and the status is 1" differences

many_differences()
{
	{
		head -n 5 good.trace
		for ((i = 0; i < 30; i++)); do
			echo "10000 0 asset_is_valid 0.1 = no +1"
		done
	} >many.trace
	exits 1 "$larder" replay many.trace --store cooked
	(($(grep -c '^line ' out) == 20))
	says out "and 10 more; --verbose lists them"
	says out "the recording ends before its program"
	exits 1 "$larder" replay many.trace --store cooked -v
	(($(grep -c '^line ' out) == 30))
}
it "of very many differences the first are listed" many_differences

free_and_often()
{
	exits 0 "$larder" replay good.trace --store cooked --free --times 5
	says out "good.trace: 45 calls"
	exits 0 "$larder" replay bad.trace --store cooked --free # no answer is looked at
	exits 0 "$larder" replay good.trace --store cooked --times=3
	says out "good.trace: 27 calls"
}
it "it can be run often, and freely" free_and_often

as_json()
{
	exits 1 "$larder" replay bad.trace --store cooked --json --verbose
	json_is out trace bad.trace calls 8 differences 1 timing 1 leaks 0 ended true \
		listed.length 2 listed.0.line 7 listed.0.stem woods listed.0.recorded yes listed.1.timing true stats.failures 1
}
it_json "--json has the same for programs" as_json

refusals()
{
	exits 2 "$larder" replay good.trace
	says err "--store is missing"
	for times in 0 -1 x 1000001 99999999999999999999; do
		exits 2 "$larder" replay good.trace --store cooked --times=$times
		says err "from 1 to 1000000"
	done
	exits 1 "$larder" replay missing.trace --store cooked
	says err "missing.trace"
	exits 1 "$larder" replay good.trace --store nowhere
	says err "nowhere"
	exits 1 "$larder" replay good.trace --store good.trace
	says err "good.trace"
	head -c 100 good.trace >cut.trace
	exits 1 "$larder" replay cut.trace --store cooked
	says err "cut.trace: line 5: it is cut off"
}
it "what can't be replayed is refused with the place" refusals

finish

#!/usr/bin/env bash
# Every call on a store is recorded: what the headers declare is in the table of calls, and the other way round.
# test_store_trace_calls.sh PROJECT
set -uo pipefail
cd "$1" || exit 1
failed=0

# Opening is the trace's own beginning; both ways to find are one call; the scheduler is no business of a replay; the first word of the rest is no call on a store.
declared=$(cat include/larder/{store,payload,ticket}.h | grep -oE '^LRD_API .*\blrd_[a-z_]+\(' | grep -oE 'lrd_[a-z_]+\($' | tr -d '(' | sed 's/^lrd_//' |
	grep -vxE 'state_name|store_open|asset_find_string|store_jobs' | sort)
recorded=$(grep -oE '^	X\([a-z_]+' src/store/trace_calls.h | sed 's/^	X(//' | sort)
[[ $(wc -w <<<"$declared") -gt 30 ]] || { echo "not ok - the headers could not be read"; exit 1; }
while read -r missing; do
	[[ -z $missing ]] || { echo "not ok - lrd_$missing is not recorded: src/store/trace_calls.h"; failed=1; }
done < <(comm -23 <(echo "$declared") <(echo "$recorded"))
while read -r surplus; do
	[[ -z $surplus ]] || { echo "not ok - $surplus is recorded, but no call"; failed=1; }
done < <(comm -13 <(echo "$declared") <(echo "$recorded"))
((failed == 0)) || exit 1
echo "ok - every call on a store is recorded"

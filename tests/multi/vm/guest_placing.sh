#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# guest_placing.sh: in a guest with a KNL's memory nodes, where memory of programs is that know nothing of Weir: under `weir run
# --memory`, and by OpenMP's allocators through our libmemkind. weir, uses_memory and omp_places are in /bin.
failed=0

# wants TEXT COMMAND...: the command is well, and says TEXT (an extended regular expression).
wants() {
  text=$1
  shift
  said=$("$@" 2>&1) || { echo "FAILED with status $?: $*: $said"; failed=1; }
  if echo "$said" | grep -Eq "$text"; then echo "ok: $* -> $(echo "$said" | grep -E "$text" | head -1)"; return; fi
  echo "FAILED: $*: no '$text' in: $said"
  failed=1
}

run() { /bin/weir run "$@"; }
number='[0-9]+\.[0-9]'
# All that a program writes is in the memory that is asked for; a few pages of its start may be elsewhere.
wants "33\.[0-9] of 33\.[0-9] MB in hbm" run --memory fast /bin/uses_memory heap
wants "33\.[0-9] of 33\.[0-9] MB in hbm" run --memory local-fast /bin/uses_memory heap
wants "33\.6 of 33\.6 MB allocations from 1 MiB in hbm.*; $number kB stacks in ddr" \
  run --memory fast --from 1MiB /bin/uses_memory heap
wants "33\.6 of 33\.6 MB allocations from 1 MiB in hbm" run --memory local-fast --from 1MiB /bin/uses_memory heap
wants "2\.1 of 2\.1 MB allocations from 1 MiB in hbm" run --memory fast --from 1MiB /bin/uses_memory locks-all
wants "2\.1 of 2\.1 MB allocations from 1 MiB in ddr0 \(.*hbm0 \(0\.[1-9]\)" run --memory interleave --from 1MiB /bin/uses_memory locks-all
wants "33\.[0-9] of 33\.[0-9] MB in ddr" run --memory ddr /bin/uses_memory heap
wants "8\.[0-9] of 8\.[0-9] MB in hbm" run --memory fast /bin/uses_memory statics
wants "^right" run --memory fast --from 64KiB /bin/uses_memory aligned grows threads forks loads statics maps

# Where OpenMP's allocators put it: what high_bw gives is in HBM, page by page, what default gives is not. The nodes of this
# guest's HBM have no processors, and higher numbers than those of ordinary memory.
wants "memkind: hbm: at most 4.* MiB in use, (.*) of \1 in its nodes" run --memkind /bin/omp_places 4
said=$(run --memkind /bin/omp_places 4 2> /dev/null)
echo "$said"
ordinary=0
for node in /sys/devices/system/node/node[0-9]*; do ordinary=$((ordinary + 1)); done
first_hbm=$ordinary
for node in /sys/devices/system/node/node[0-9]*; do
  [ -n "$(cat "$node/cpulist")" ] || { [ "${node##*node}" -ge "$first_hbm" ] || first_hbm=${node##*node}; }
done
echo "$said" | while read -r name pages where; do
  case $name in high_bw | default) ;; *) continue ;; esac
  for part in $where; do
    node=${part%%:*}
    if [ "$name" = high_bw ]; then [ "$node" -ge "$first_hbm" ]; else [ "$node" -lt "$first_hbm" ]; fi ||
      { echo "FAILED: $name: $pages pages, of them $part"; exit 1; }
  done
  echo "ok: $name: $pages pages: $where"
done || failed=1
exit $failed

# SPDX-License-Identifier: GPL-2.0-or-later
# -l of an alias with what stands behind its name.
. "$SUITE/lib.sh"
list() { expect "$1" "$SPILE" -l "$2"; }
list 0 'perf.sw.page_faults.sample(7)'
is 'perf.sw.page_faults.sample(7)'
list 0 'perf.sw.page_faults.counter("n")'
is 'perf.sw.page_faults.counter("n")'
list 0 'perf.sw.{page_faults,page_faults_min}.hz(7)'
is 'perf.sw.page_faults.hz(7)
perf.sw.page_faults_min.hz(7)'
list 0 'perf.sw.page_*.hz(7)'
is 'perf.sw.page_faults.hz(7)
perf.sw.page_faults_maj.hz(7)
perf.sw.page_faults_min.hz(7)'
list 1 'perf.sw.page_faults.nosuch(3)'
says "^semantic error: 'nosuch' cannot stand behind 'perf\.type\(1\)\.config\(2\)' \[E402\]$"
# These names have more components: listed they are all the same, a script has to say so.
expect 0 "$SPILE" -l 'perf.hw_cache.*'
prints '^perf\.hw_cache\.l1d\.read\.miss$'
expect 1 "$SPILE" -p2 -e 'probe perf.hw_cache.* {}'
says "^semantic error: 'hw_cache' cannot stand behind 'perf' \[E402\]$"
says '^    hint: \* at the end is one component of a name, \*\* is any number of them$'
expect 0 "$SPILE" -l 'perf.hw_cache.**'
prints '^perf\.hw_cache\.l1d\.read\.miss$'

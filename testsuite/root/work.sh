# SPDX-License-Identifier: GPL-2.0-or-later
# The quickstart's script in the kernel: a table, a histogram.
. "$SUITE/lib.sh"
gcc -g -O2 -o work "$TOP/examples/quickstart/work.c" || skip "no compiler"
expect 0 timeout 60 "$SPILE" --engine=kernel -c './work 1' "$TOP/examples/quickstart/work.stp" ./work
prints '^read +[0-9]+ +[0-9]+ +[0-9]+$'
prints '^sync +[0-9]+ +[0-9]+ +[0-9]+$'
prints '^inner loop: [1-9][0-9]* rounds over [1-9][0-9]* bytes$'
prints '^ +[0-9]+ +[0-9]+ #+$'

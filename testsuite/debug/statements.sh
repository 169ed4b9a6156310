# SPDX-License-Identifier: GPL-2.0-or-later
# Where lines begin: in functions, in what is inlined into them, in parts that were moved away, with and without rows that
# are marked as a statement's.
. "$SUITE/debug/lib"
program shapes shapes-gcc-O2-dwarf5 twin
list() { echo "--- $1"; "$SPILE" -L "process(\"$PWD/shapes\").$1" 2>&1 | sed -E "s,$PWD,@TMP@,g; s,@[^ \"]*/,@,g; s,process[^ ]*\)\.,,"; }

list 'statement("*@*:*")'
list 'statement("nosuch@*:1")'
list 'function("*").label("*")'
exit 0

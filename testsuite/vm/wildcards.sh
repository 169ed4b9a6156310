# SPDX-License-Identifier: GPL-2.0-or-later
# Wildcards, lists, optional and sufficient points, .call, and files by name.
. "$SUITE/lib.sh"
expect 0 "$SPILE" -c "dd if=$TOP/COPYING of=/dev/null status=none" -e 'global n probe kernel.function("vfs_re*") { n[ppfunc()]++ } probe end { println("vfs_read" in n) }'
is 1
quiet
expect 0 "$SPILE" -c "dd if=$TOP/COPYING of=/dev/null status=none" -e 'global n probe kernel.function("vfs_read@fs/read_write.c").call, kernel.function("nosuch_function")? { n++ } probe end { println(n > 0) }'
is 1
expect 0 "$SPILE" -c "dd if=$TOP/COPYING of=/dev/null status=none" -e 'global n probe kernel.function("vfs_read")!, kernel.function("nosuch_function") { n++ } probe end { println(n > 0) }'
is 1
expect 1 "$SPILE" -e 'probe kernel.function("vfs_raed") { exit() }'
says "did you mean 'vfs_read'"
expect 1 "$SPILE" -e 'probe kernel.function("vfs_read") { println($nosuch) exit() }'
says '^    note: visible here: .*\$count'

# One of several functions of a name; of set_root there are variables, too.
expect 0 "$SPILE" -c "dd if=/proc/kallsyms of=/dev/null bs=100 count=1 status=none" -e 'global n
probe kernel.function("s_start@kernel/kallsyms.c"), kernel.function("s_start@kernel/kallsyms.c").return { if (pid() == target()) println(pn()) }
probe kernel.function("set_root@fs/namei.c") { n++ }
probe end { println(n > 0) }'
prints '^kernel\.function\("s_start@kernel/kallsyms\.c:[0-9]+"\)$'
prints '^kernel\.function\("s_start@kernel/kallsyms\.c:[0-9]+"\)\.return$'
prints '^1$'
quiet

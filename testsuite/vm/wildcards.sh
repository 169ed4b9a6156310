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
says 'did you mean .*vfs_read'
expect 1 "$SPILE" -e 'probe kernel.function("vfs_read") { println($nosuch) exit() }'
says '\$count'

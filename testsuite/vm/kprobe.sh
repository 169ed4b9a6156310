# SPDX-License-Identifier: GPL-2.0-or-later
# Symbols of the kernel without debug information: entries, returns, addresses, arguments by their place.
. "$SUITE/lib.sh"
address=0x$(sed -n 's/ [Tt] vfs_write$//p' /proc/kallsyms)
expect 0 "$SPILE" -c "dd if=/dev/zero of=/dev/null bs=4321 count=1 status=none" -e "
probe kprobe.function(\"vfs_read\") { if (pid() == target() && ulong_arg(3) == 4321) println(ppfunc(), \" \", ulong_arg(3)) }
probe kprobe.function(\"vfs_read\").return { if (pid() == target() && returnval() == 4321) println(\"returns \", returnval()) }
probe kprobe.statement($address).absolute { if (pid() == target() && ulong_arg(3) == 4321) println(\"address\") }"
quiet
is 'vfs_read 4321
returns 4321
address'
expect 0 "$SPILE" -l 'kprobe.function("vfs_rea*")'
prints '^kprobe\.function\("vfs_read"\)$'
prints '^kprobe\.function\("vfs_readv"\)$'
expect 1 "$SPILE" -e 'probe kprobe.function("vfs_read") { println($count) }'
says 'kprobe points know symbols, but no variables'
expect 1 "$SPILE" -e 'probe kprobe.function("nosuchfunction") { println(1) }'

# SPDX-License-Identifier: GPL-2.0-or-later
# What @entry evaluates is evaluated where the function is entered, in functions of the script and of the library, too: the
# stack, the registers and the address are those of the entry, whatever hook the return gets.
. "$SUITE/lib.sh"
cat >entry.stp <<'STP'
function number() { return $count }
function words() { return sprintf("%d %d %d", number(), is_return(), register("rdx") == $count) }
function name(n) { return symname(stack(n)) }
probe kernel.function("vfs_read").return
{
	if (pid() != target() || $return != 777)
		next
	printf("%s < %s\n", @entry(name(0)), @entry(name(1)))
	printf("%s\n", tokenize(@entry(caller()), " "))
	printf("%d %d\n", @entry(stack(0)) == @entry(addr()), @entry(stack(1)) == @entry(caller_addr()))
	printf("%s %d\n", @entry(words()), is_return())
	print_syms(@entry(callers(1)))
	printf("%s\n", symdata(@entry(addr())))
}
probe kernel.function("vfs_read").return
{
	if (pid() == target() && @entry(name(1)) == "ksys_read" && $return == 777)
		printf("alone %d\n", $return)
}
probe kernel.function("vfs_rea[d]").return
{
	if (pid() == target() && $return == 777)
		printf("pattern %s, back in %s < %s\n", @entry(name(1)), name(0), substr(name(1), 0, 10))
}
STP
expect 0 "$SPILE" -v -c 'dd if=/dev/zero of=/dev/null bs=777 count=1 status=none' entry.stp
sed -E 's/0x[0-9a-f]+/N/g' out | sort >sorted
diff - sorted <<'OUT' || fail "something else is printed"
 N : ksys_read+N/N [kernel]
 N : vfs_read+N/N [kernel]
1 1
777 0 1 1
alone 777
ksys_read
pattern ksys_read, back in ksys_read < do_syscall
vfs_read < ksys_read
vfs_read+N/N [kernel]
OUT
says '^probe kernel.function\("vfs_read@fs/read_write.c:[0-9]+"\).return: fexit: BTF knows vfs_read$'
says '^probe kernel.function\("vfs_read@fs/read_write.c:[0-9]+"\).return: kprobe: registers are read$'

# Functions of one probe share arrays. The number of the outermost call is kept with the thread where the kernel can, what is called in it
# by its depth, and so are texts.
cat >nested.stp <<'STP'
probe kernel.function("ksys_read").return, kernel.function("vfs_read").return
{
	if (pid() == target() && $return == 777)
		printf("%s %s\n", symname(@entry(addr())), @entry(ppfunc()))
}
STP
expect 0 "$SPILE" -c 'dd if=/dev/zero of=/dev/null bs=777 count=2 status=none' nested.stp
is 'vfs_read vfs_read
ksys_read ksys_read
vfs_read vfs_read
ksys_read ksys_read'
expect 0 "$SPILE" --cost nested.stp
sed -n 's/^  array \(@[^:]*\): .* \(thread\|elements\).*/\1 \2/p' out | sort -u >arrays
if "$SPILE_RUN" --describe | grep -q ' task-storage'; then
	printf '%s\n' '@depth_1 thread' '@entry_1_1 elements' '@entry_1_2 elements' '@outer_1_1 thread' | diff - arrays || fail arrays
else
	printf '%s\n' '@depth_1 elements' '@entry_1_1 elements' '@entry_1_2 elements' | diff - arrays || fail arrays
fi

# The idle threads of all processors are thread 0, and are inside of this function most of the time: each has its own values.
expect 0 timeout 100 "$SPILE" -e 'global good, bad
probe kernel.function("schedule_idle").return {
	if (@entry(cpu()) == cpu()) good++
	else bad++
	if (good + bad > 200) exit()
}
probe end { println(bad, " ", good > 100) }'
is '0 1'

# SPDX-License-Identifier: GPL-2.0-or-later
# The kernels with full debug information that are installed: what one symbol gives, and what it costs.
. "$SUITE/debug/lib"
dbg_dump=$BUILD/testsuite/unit/dbg_dump

# returns WHERE FILE FUNCTION yes|no: does the function have a $return, where it is one that gcc has changed?
returns()
{
	nm "$2" | grep -q " t $3\.isra\.[0-9]*$" || return 0
	expect 0 "$SPILE" -r "$release" -L "$1.function(\"$3\").return"
	prints "function\(\"$3@.*\.return"
	[ "$(grep -c '\$return:' out)" = $([ $4 = yes ] && echo 1 || echo 0) ] || fail "$3: $(cat out)"
}

n=0
for vmlinux in /usr/lib/debug/boot/vmlinux-*; do
	release=${vmlinux##*/vmlinux-}
	[ -e "$vmlinux" ] && nm "$vmlinux" | grep -q ' T ksys_read$' || continue
	n=$((n + 1))
	expect 0 "$dbg_dump" kernel --kernel "$release" module
	prints "^kernel source=DWARF release=${release/+/\\+} kernel .*text_base=0x"
	expect 0 "$dbg_dump" kernel --kernel "$release" --inlines --stats vars ksys_read
	prints '^ksys_read@fs/read_write\.c:[0-9]+ extern .* ksys_read\+0 \.text$'
	prints '^  param \$fd:unsigned int \[reg5\] entry-arg$'
	prints '^  param \$buf:char\* \[reg4\] entry-arg$'
	prints '^  param \$count:size_t \[reg1\] entry-arg$'
	# One symbol does not read the whole: 60 MB is a fraction of the file. (Sanitizers have memory of their own.)
	rss=$(sed -n 's/.* ms, \([0-9]*\) kB/\1/p' err)
	ldd "$dbg_dump" | grep -q asan || [ "$rss" -lt 60000 ] || fail "$rss kB resident for one symbol"

	# Where its instructions begin: functions begin with a call of 5 bytes, newer ones with endbr64 before it, of 4 bytes.
	offset=5
	[[ $release == 6.1.* ]] || offset=9
	expect 0 "$SPILE" -r "$release" -l "kernel.function(\"vfs_read+$offset\")"
	is "kernel.function(\"vfs_read+0x$offset\")"
	expect 1 "$SPILE" -r "$release" -l 'kernel.function("vfs_read+3")'
	says '^    note: vfs_read\+0x3 is in the middle of an instruction$'
	says '^    hint: it begins at vfs_read\+0$'

	# Entries among the lines of many functions are attached in one call, as functions are; that of one function has its trampoline.
	expect 0 "$SPILE" -v -p3 -r "$release" -e 'probe kernel.statement("vfs_*@fs/read_write.c:*") { exit() }'
	says "^  kernel\.statement\(\"vfs_read@fs/read_write\.c:[0-9]+\"\): kprobe: a pattern's matches are attached in one call$"
	! grep -E '^  kernel.*: fentry: ' err || fail "a trampoline"
	expect 0 "$SPILE" -v -p3 -r "$release" -e 'probe kernel.statement("vfs_read@fs/read_write.c:*") { exit() }'
	says '^  kernel\.statement\("vfs_read@fs/read_write\.c:[0-9]+"\): fentry: BTF knows vfs_read$'

	# Results that no caller uses are left out by gcc, in modules as well, whose jumps between sections are relocations.
	returns kernel "$vmlinux" check_tty_count no
	modules=/usr/lib/debug/lib/modules/$release/kernel/fs
	returns 'module("btrfs")' $modules/btrfs/btrfs.ko* dev_extent_hole_check no
	returns 'module("xfs")' $modules/xfs/xfs.ko* xfs_dir2_sf_getdents yes

	# What a function calls is found wherever it is, also when the kernel is listed in parts.
	expect 0 "$SPILE" -r "$release" -l 'kernel.function("handle_level_irq@kernel/irq/chip.c").callee("*")'
	prints 'callee\("handle_irq_event@kernel/irq/handle\.c:[0-9]+"\)$'
	mv out one
	expect 0 "$SPILE" -r "$release" -l 'kernel.function("*@kernel/irq/c*.c").callee("*")'
	grep 'function("handle_level_irq@' out | diff one - >differ || fail "$(cat differ)"
	# Calls that are listed have no limit of their number, which a part would not tell; calls of calls do, and what is probed. (One kernel is enough: this takes seconds.)
	if [ $n = 1 ]; then
		expect 0 "$SPILE" -r "$release" -l 'kernel.function("*@mm/*.c").callee("*")'
		[ "$(wc -l <out)" -gt 18000 ] || fail "$(wc -l <out) calls in mm/"
		expect 0 "$SPILE" -r "$release" -l 'kernel.function("*@mm/*.c").callees(2)'
		says '^semantic error: more than 4096 functions are called there; a smaller depth has fewer \[E404\]$'
		expect 1 "$SPILE" -r "$release" -p2 -e 'probe kernel.function("*").callee("*") { }'
		says '^semantic error: more than 100000 calls are named; probe fewer functions, such as those of a folder \("\*@fs/\*.c"\) \[E404\]$'
	fi

	# A static inline function of a header is found where it was inlined, and told from others by its file.
	expect 0 "$dbg_dump" kernel --kernel "$release" --no-calls --inlines funcs get_current@current.h
	[ "$(grep -c ' inline in ' out)" -gt 100 ] || fail "few instances of get_current"
	prints '^get_current@arch/x86/include/asm/current\.h:[0-9]+ inline in '
	expect 0 "$dbg_dump" kernel --kernel "$release" funcs '*@fs/read_write.c'
	prints '^vfs_read@fs/read_write\.c:'
	grep -v '^[a-zA-Z0-9_]*@fs/read_write\.c:[0-9]' out >other && fail "$(head -n 3 other)"
	line=$(sed -n 's/^vfs_read@.*:\([0-9]*\) .*/\1/p' out)
	expect 0 "$dbg_dump" kernel --kernel "$release" funcs "*@read_write.c:$((line + 12))"
	prints '^vfs_read@'
	expect 0 "$dbg_dump" kernel --kernel "$release" ret vfs_read
	prints '^  returns ssize_t \[reg0\]$'

	expect 0 "$dbg_dump" kernel --kernel "$release" type 'struct tcphdr'
	prints '^  13 bits 1\+1 __u16 syn$'
	expect 0 "$dbg_dump" kernel --kernel "$release" type 'struct file'
	prints '^  [0-9]+ struct inode\* f_inode$'
	expect 0 "$dbg_dump" kernel --kernel "$release" global jiffies
	prints '\$jiffies:long unsigned int volatile mem: addr 0x'
	expect 0 "$dbg_dump" kernel --kernel "$release" similar vfs_raed
	prints '^vfs_read$'
	expect 0 "$dbg_dump" kernel --kernel "$release" fentry vfs_read
	prints '^vfs_read: 4 arguments$'

	expect 0 "$dbg_dump" kernel --kernel "$release" trace 'sched:sched_process_exec'
	prints '^sched:sched_process_exec$'
	prints '^  arg \$p:struct task_struct\*$'
	prints '^  field filename:char\[\] offset 8 size 4 data_loc$'
	expect 0 "$dbg_dump" kernel --kernel "$release" trace 'sched_wakeup' # of a class of events
	prints '^sched:sched_wakeup$'
	prints '^  field comm:char\[16\] '

	# -l, which knows shorter ways, has the points of -L; with a saved index, a damaged one, and a cut one.
	export XDG_CACHE_HOME=$PWD/cache
	mkdir -p cache
	expect 0 "$SPILE" -r "$release" -L 'kernel.function("vfs_*")'
	sed 's/ [$].*//' out >points
	[ "$(wc -l <points)" -gt 50 ] || fail "few functions"
	index=$(ls cache/spile/*.names) || fail "no index was saved"
	# A global function that a header defines inline, too, without the index and with it.
	for home in $PWD/none $PWD/cache; do
		XDG_CACHE_HOME=$home expect 0 "$SPILE" -r "$release" -l 'kernel.function("memchr")'
		prints '^kernel\.function\("memchr@include/linux/fortify-string\.h:[0-9]+"\)$'
		prints '^kernel\.function\("memchr@lib/string\.c:[0-9]+"\)$'
	done
	for damage in none some cut; do
		# In the middle are references and the DIEs that they mean.
		[ $damage != some ] || dd if="$index" of="$index" bs=4096 seek=600 count=100 conv=notrunc status=none
		[ $damage != cut ] || truncate -s 100000 "$index"
		expect 0 "$SPILE" -r "$release" -l 'kernel.function("vfs_*")'
		[ $damage = some ] || diff points out >differ || fail "index damaged: $damage; $(head -n 3 differ)"
	done
	rm -r cache
	unset XDG_CACHE_HOME
done
[ $n -gt 0 ] || skip "no kernel with debug information in /usr/lib/debug/boot"

expect 1 "$dbg_dump" kernel --kernel 0.0.0-none module
prints "no debug information for kernel 0\.0\.0-none \(looked at .*/usr/lib/debug/boot/vmlinux-0\.0\.0-none"
prints 'linux-image-0\.0\.0-none-dbg|kernel-debuginfo'
prints 'DEBUGINFOD_URLS'

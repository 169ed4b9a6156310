# SPDX-License-Identifier: GPL-2.0-or-later
# Names of older kernels, of functions, system calls and members: the hint says what became of them.
. "$SUITE/lib.sh"
hint() # SCRIPT HINT
{
	expect 1 "$SPILE" -p2 -e "$1"
	says "^ *hint: $2\$"
}
hint 'probe kernel.function("do_fork") { println(1) }' "did you mean 'kernel_clone'\\?"
hint 'probe kernel.function("_do_fork").return { println(1) }' "did you mean 'kernel_clone'\\?"
hint 'probe kernel.function("sys_read") { println(1) }' 'did you mean syscall\.read\?'
hint 'probe kernel.function("SyS_openat").return { println(1) }' 'did you mean syscall\.openat\?'
hint 'probe kernel.function("printk") { println(1) }' "did you mean '_printk'\\?"
hint 'probe kernel.function("__remove_from_page_cache") { println(1) }' "did you mean '__filemap_remove_folio'\\?"
hint 'probe kernel.trace("sched_switch") { println($prev->state) }' 'since Linux 5\.14 it is __state'
hint 'probe begin { println(@cast(0, "request", "kernel")->rq_disk) }' 'since Linux 5\.17 it is q->disk'
hint 'probe kernel.trace("sched_switch") { println($prev->se.load) }' 'a member of a structure is written with ->'
# What is there in no kernel is what is spelt like it.
hint 'probe kernel.function("vfs_raed") { println(1) }' "did you mean 'vfs_read'.*\\?"
hint 'probe begin { println(@cast(0, "bio", "kernel")->bi_op) }' "did you mean 'bi_opf'.*\\?"

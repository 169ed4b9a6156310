// SPDX-License-Identifier: GPL-2.0-or-later
// A script of a seed for each type of program that the kernel knows: what compiles, its verifier takes. One in ten has a big function
// that many places call, which the verifier follows once. Scripts are loaded, and not attached.
#define _GNU_SOURCE
#include "testsuite/meta/relate.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MAX_OWN = 14, MAX_CALLS = 4 };

static const struct hook {
	const char *name, *point;
	struct leaf leaves[MAX_OWN]; // ends with one without a text
} hooks[] = {
	{ "uprobe", "process(\"" META_PROGS "/calls\").function(\"add\")",
	  { { "$a", T_LONG, 2, false }, { "$b", T_LONG, 1, false }, { "user_string($a)", T_STR, 1, false }, { "$$parms", T_STR, 1, false }, { "ppfunc()", T_STR, 1, false } } },
	{ "uretprobe", "process(\"" META_PROGS "/calls\").function(\"add\").return",
	  { { "$return", T_LONG, 2, false }, { "@entry($a)", T_LONG, 1, false }, { "@entry(user_string($b))", T_STR, 1, false }, { "$$return", T_STR, 1, false } } },
	{ "uprobes", "process(\"" META_PROGS "/calls\").function(\"*\")", { { "ppfunc()", T_STR, 2, false }, { "uaddr()", T_LONG, 1, false } } },
	{ "uprobe of members", "process(\"" META_PROGS "/calls\").function(\"look\")",
	  { { "$o->in->bytes[pid() & 3]", T_LONG, 2, false },
	    { "($o->low + $o->mid)", T_LONG, 2, false },
	    { "@cast($o, \"outer\")->ref->small", T_LONG, 1, false },
	    { "@choose_defined($o->none, $o->as_bytes[1])", T_LONG, 1, false },
	    { "$o->next->high", T_LONG, 1, false },
	    { "user_string($o->name)", T_STR, 2, false },
	    { "$o->in$", T_STR, 1, false },
	    { "$$vars", T_STR, 1, false },
	    { "ptr_o = $o->next; println(ptr_o->mid, ptr_o->in->bytes[pid() & 1], user_string(ptr_o->name));", T_NONE, 1, false },
	    { "ptr_n = $o; for (ptr_i = 0; ptr_n && ptr_i < 4; ptr_i++) { println(ptr_n->high, ptr_n->in$); ptr_n = ptr_n->next }", T_NONE, 1, false },
	    { "pA[pid()] = $o; println(pA[pid()]->ref->small);", T_NONE, 1, false },
	    { "pB[$o->ref, cpu()]++; foreach ([ptr_k, ptr_c] in pB) { try { println(ptr_k->small, pB[ptr_k, ptr_c]) } catch { break } }", T_NONE, 1, false } } },
	{ "uretprobe of members", "process(\"" META_PROGS "/calls\").function(\"look\").return",
	  { { "@entry($o->ref->bytes[1])", T_LONG, 2, false },
	    { "@entry($o->mid)", T_LONG, 1, false },
	    { "@entry(user_string($o->name))", T_STR, 2, false },
	    { "(@defined($o->none) ? $o->none : @entry($u))", T_LONG, 1, false },
	    { "@entry($o->in$)", T_STR, 1, false } } },
	{ "usdt", "process(\"" META_PROGS "/marks\").provider(\"prog\").mark(\"step\")",
	  { { "$arg1", T_LONG, 2, false }, { "user_string($arg4)", T_STR, 1, false }, { "$$parms", T_STR, 1, false } } },
	{ "raw tracepoint", "kernel.trace(\"sys_enter\")", { { "$id", T_LONG, 2, false }, { "$regs->di", T_LONG, 2, false }, { "user_string($regs->si)", T_STR, 1, false } } },
	{ "tracepoint of tasks", "kernel.trace(\"sched_switch\")",
	  { { "$prev->pid", T_LONG, 2, false },
	    { "$next->sched_reset_on_fork", T_LONG, 1, false },
	    { "$next->comm$", T_STR, 1, false },
	    { "kernel_string($next->comm)", T_STR, 2, false },
	    { "$next->mm->total_vm", T_LONG, 1, false },
	    { "$prev->comm[$next->prio & 15]", T_LONG, 1, false },
	    { "$prev->se->load->weight", T_LONG, 1, false },
	    { "ptr_t = $next; println(ptr_t->pid, ptr_t->mm->total_vm, ptr_t->comm$);", T_NONE, 1, false },
	    { "ptr_t = $prev; for (ptr_i = 0; ptr_i < 5 && ptr_t->pid > 1; ptr_i++) { print(ptr_t->pid, \" \"); ptr_t = ptr_t->real_parent }", T_NONE, 1, false },
	    { "pA[$prev->pid] = $prev; if (pA[$next->pid]) println(pA[$next->pid]->prio);", T_NONE, 1, false },
	    { "pB[$prev->mm, cpu()]++; foreach ([ptr_k, ptr_c] in pB limit 3) println(ptr_k->total_vm, ptr_c);", T_NONE, 1, false } } },
	{ "tracepoint", "kernel.trace(\"syscalls:sys_enter_read\")", { { "$fd", T_LONG, 2, false }, { "$count", T_LONG, 2, false } } },
	{ "profile", "timer.profile", { { "stack_used()", T_LONG, 1, false }, { "symname(addr())", T_STR, 1, false }, { "user_mode()", T_LONG, 1, false } } },
	{ "perf", "perf.type(1).config(0)", { { "stack_used()", T_LONG, 1, false }, { "user_mode()", T_LONG, 1, false }, { "addr()", T_LONG, 1, false } } },
	{ "watched", "process(\"" META_PROGS "/calls\").data(\"sink\").write", { { "uaddr()", T_LONG, 1, false } } },
	{ "iter", "iter.task_file",
	  { { "$task->pid", T_LONG, 2, false },
	    { "kernel_string($task->comm)", T_STR, 1, false },
	    { "$fd", T_LONG, 1, false },
	    { "$file->f_inode->i_ino", T_LONG, 1, false },
	    { "d_name($file->f_path->dentry)", T_STR, 1, false } } },
	{ "netfilter", "netfilter.hook(\"NF_INET_LOCAL_IN\").pf(\"PF_INET\")",
	  { { "$skb->len", T_LONG, 2, false }, { "$skb->pkt_type", T_LONG, 1, false }, { "$hooknum", T_LONG, 1, false }, { "kernel_string($in->name)", T_STR, 1, false }, { "$state->pf", T_LONG, 1, false } } },
	{ "lsm", "lsm.file_open",
	  { { "$file->f_flags", T_LONG, 2, false }, { "d_name($file->f_path->dentry)", T_STR, 2, false }, { "$file->f_inode->i_ino", T_LONG, 1, false } } },
	{ "fentry", "kernel.function(\"vfs_read\")",
	  { { "$count", T_LONG, 2, false },
	    { "$file->f_flags", T_LONG, 1, false },
	    { "d_name($file->f_path->dentry)", T_STR, 1, false },
	    { "user_string_n($buf, 9)", T_STR, 1, false },
	    { "$$parms", T_STR, 1, false },
	    { "ptr_f = $file; if (ptr_f->f_flags & 1) println(ptr_f->f_inode->i_ino, ptr_f->f_path->dentry->d_flags);", T_NONE, 1, false },
	    { "ptr_d = $file->f_path->dentry; for (ptr_i = 0; ptr_i < 6 && ptr_d != ptr_d->d_parent; ptr_i++) { print(d_name(ptr_d), \"/\"); ptr_d = ptr_d->d_parent }", T_NONE, 1, false },
	    { "pA[tid()] = $file; println(pA[tid()]->f_inode->i_sb->s_dev);", T_NONE, 1, false } } },
	{ "fexit", "kernel.function(\"vfs_read\").return",
	  { { "$return", T_LONG, 2, false }, { "@entry($count)", T_LONG, 1, false }, { "@entry(execname())", T_STR, 1, false }, { "$$return", T_STR, 1, false } } },
	{ "kprobe", "kprobe.function(\"vfs_read\")", { { "stack_used()", T_LONG, 1, false }, { "int_arg(1)", T_LONG, 1, false }, { "register(\"di\")", T_LONG, 1, false } } },
	{ "kretprobe", "kprobe.function(\"vfs_read\").return", { { "returnval()", T_LONG, 1, false } } },
	{ "kprobes", "kernel.function(\"vfs_*\")", { { "ppfunc()", T_STR, 2, false }, { "addr()", T_LONG, 1, false } } },
	{ "several points", "perf.type(1).config(2).counter(\"faults\") { }\nprobe process(\"" META_PROGS "/calls\").function(\"add\") !, process(\"" META_PROGS "/calls\").function(\"text\"), process(\"" META_PROGS "/calls\").function(\"none\") ?",
	  { { "ppfunc()", T_STR, 2, false }, { "uaddr()", T_LONG, 1, false }, { "$$vars", T_STR, 1, false },
	    { "@perf(\"faults\")", T_LONG, 2, false }, { "(@perf(\"faults\") - @perf(\"faults\"))", T_LONG, 1, false } } },
	{ "uprobe of locals", "process(\"" META_PROGS "/calls\").statement(\"main@calls.c+5\")",
	  { { "@choose_defined($n, 3)", T_LONG, 1, false }, { "user_string($argv[$argc - 1])", T_STR, 1, false }, { "$$locals", T_STR, 2, false }, { "$$vars$", T_STR, 1, false }, { "$$parms$$", T_STR, 1, false } } },
	{ "timer", "timer.ms(100)", { { NULL, T_NONE, 0, false } } },
	{ "alias of a call", "syscall.openat",
	  { { "filename", T_STR, 1, false }, { "argstr", T_STR, 3, false }, { "flags_str", T_STR, 1, false }, { "dfd", T_LONG, 1, false }, { "mode", T_LONG, 1, false } } },
	{ "alias of addresses", "syscall.connect", { { "argstr", T_STR, 2, false }, { "uaddr_ip", T_STR, 1, false }, { "uaddr_af", T_STR, 1, false }, { "sockfd", T_LONG, 1, false } } },
	{ "alias of a result", "syscall.execve.return", { { "retstr", T_STR, 2, false }, { "name", T_STR, 1, false }, { "retval", T_LONG, 1, false } } },
	{ "alias of tasks", "scheduler.cpu_off", { { "task_execname(task_prev)", T_STR, 2, false }, { "idle", T_LONG, 1, false }, { "task_next", T_LONG, 1, false } } },
	{ "alias of signals", "signal.send", { { "sig_name", T_STR, 2, false }, { "pid_name", T_STR, 1, false }, { "sig_pid", T_LONG, 1, false }, { "si_code", T_STR, 1, false } } },
	{ "alias of files", "vfs.read", { { "devname", T_STR, 2, false }, { "pathname", T_STR, 2, false }, { "bytes_to_read", T_LONG, 1, false }, { "ino", T_LONG, 1, false } } },
	{ "alias of blocks", "ioblock.request", { { "devname", T_STR, 2, false }, { "bio_rw_str(rw)", T_STR, 1, false }, { "size", T_LONG, 1, false }, { "sector", T_LONG, 1, false } } },
	{ "alias of tcp", "tcp.sendmsg", { { "saddr", T_STR, 2, false }, { "dport", T_LONG, 1, false }, { "size", T_LONG, 1, false } } },
	{ "alias of udp", "udp.sendmsg", { { "saddr", T_STR, 1, false }, { "daddr", T_STR, 1, false }, { "dport", T_LONG, 1, false }, { "$sk->__sk_common->skc_family", T_LONG, 1, false } } },
	{ "alias of devices", "netdev.transmit", { { "dev_name", T_STR, 2, false }, { "length", T_LONG, 1, false }, { "$skb->dev->ifindex", T_LONG, 1, false } } },
	{ "alias of sockets", "socket.sendmsg", { { "sock_fam_num2str(family)", T_STR, 1, false }, { "sock_state_num2str(state)", T_STR, 1, false }, { "sock_flags_num2str(flags)", T_STR, 1, false }, { "size", T_LONG, 1, false } } },
	{ "alias of processes", "kprocess.exec", { { "filename", T_STR, 1, false }, { "args", T_STR, 2, false }, { "argstr", T_STR, 1, false } } },
	{ "alias of interrupts", "irq_handler.entry", { { "dev_name", T_STR, 1, false }, { "flags_str", T_STR, 2, false }, { "irq", T_LONG, 1, false } } },
	{ "alias of memory", "vm.kmalloc", { { "gfp_flag_name", T_STR, 2, false }, { "caller_function", T_STR, 1, false }, { "bytes_req", T_LONG, 1, false }, { "ptr", T_LONG, 1, false } } },
	{ "alias of faults", "vm.pagefault", { { "address", T_LONG, 2, false }, { "write_access", T_LONG, 1, false }, { "$vma->vm_flags", T_LONG, 1, false } } },
	{ "alias of work", "workqueue.execute", { { "symname(work_func)", T_STR, 2, false }, { "$work->func", T_LONG, 1, false } } },
	{ "alias of registers", "nd_syscall.read", { { "argstr", T_STR, 2, false }, { "fd", T_LONG, 1, false }, { "user_string_n(buf_uaddr, 20)", T_STR, 1, false } } },
	{ "alias of mappings", "syscall.mmap2", { { "argstr", T_STR, 2, false }, { "prot_str", T_STR, 1, false }, { "flags_str", T_STR, 1, false }, { "length", T_LONG, 1, false } } },
	{ "alias of handlers", "signal.handle", { { "sig_name", T_STR, 1, false }, { "sig_code", T_LONG, 1, false }, { "ka_addr", T_LONG, 1, false } } },
	{ "alias of written files", "vfs.write.return", { { "pathname", T_STR, 2, false }, { "retstr", T_STR, 1, false }, { "error_str", T_STR, 1, false }, { "bytes_written", T_LONG, 1, false } } },
	{ "alias of pages", "page_cache.add", { { "devname", T_STR, 1, false }, { "ino", T_LONG, 1, false }, { "index", T_LONG, 1, false } } },
	{ "start", "process(\"" META_PROGS "/calls\").begin", { { "cmdline_str()", T_STR, 1, false } } },
	{ "call of a program", "process(\"" META_PROGS "/calls\").syscall",
	  { { "$syscall", T_LONG, 2, false }, { "$arg2", T_LONG, 1, false }, { "user_string($arg1)", T_STR, 1, false }, { "sprintf(\"%5m|\", $arg2)", T_STR, 1, false } } },
	{ "exported", "process(\"" META_PROGS "/calls\").function(\"look\").exported",
	  { { "@cast(@cast($o, \"outer\")->ref, \"inner\")->small", T_LONG, 2, false },
	    { "@cast(&@cast($o, \"outer\", \"" META_PROGS "/calls\")->in, \"inner\", \"" META_PROGS "/calls\")->small", T_LONG, 1, false },
	    { "@cast(@cast($o->next, \"outer\")->next, \"outer\")->in$", T_STR, 1, false },
	    { "@var(\"sink@calls.c\", \"" META_PROGS "/calls\")", T_LONG, 1, false },
	    { "sprintf(\"%6m|%.3M\", $o->name, $o)", T_STR, 1, false },
	    { "user_string(@cast($o, \"outer\")->name)", T_STR, 1, false } } },
	{ "condition", "kernel.function(\"vfs_read\") if (gz + gz_other > 1)",
	  { { "@cast(@cast(task_current(), \"task_struct\")->real_parent, \"task_struct\")->pid", T_LONG, 2, false },
	    { "@cast(@cast($file, \"file\")->f_inode, \"inode\", \"kernel<linux/fs.h>\")->i_ino", T_LONG, 1, false },
	    { "kernel_string(@cast(@cast(task_current(), \"task_struct\")->group_leader, \"task_struct\")->comm)", T_STR, 1, false },
	    { "@var(\"jiffies\", \"kernel\")", T_LONG, 1, false },
	    { "sprintf(\"%8m|\", $file)", T_STR, 1, false } } },
	{ "condition of a return", "process(\"" META_PROGS "/calls\").function(\"look\").return if (gz_other || @count(gq) > 3)",
	  { { "$return", T_LONG, 1, false }, { "@entry(@cast($o->next, \"outer\")->mid)", T_LONG, 1, false }, { "@entry(sprintf(\"%4m\", $o))", T_STR, 1, false } } },
	{ "software event", "perf.sw.page_faults", { { "addr()", T_LONG, 1, false }, { "usymname(uaddr())", T_STR, 1, false } } },
	{ "callee", "process(\"" META_PROGS "/calls\").function(\"round_trip\").callee(\"look\")",
	  { { "$o->in->bytes[$u & 3]", T_LONG, 2, false }, { "user_string($o->name)", T_STR, 1, false }, { "$$parms$", T_STR, 1, false }, { "@choose_defined($nothing, $s)", T_LONG, 1, false } } },
	{ "stub", "process(\"" META_PROGS "/calls\").plt", { { "$$name", T_STR, 2, false }, { "pp()", T_STR, 1, false } } },
	{ "thread", "process(\"" META_PROGS "/calls\").thread.begin", { { "execname()", T_STR, 1, false } } },
	{ "randomized timer", "timer.ms(100).randomize(20)", { { NULL, T_NONE, 0, false } } },
	{ "read file", "procfs(\"meta\").read", { { "$value = sprint(pid());", T_NONE, 3, false }, { "$value .= execname();", T_NONE, 2, false } } },
	{ "written file", "procfs(\"meta\").write", { { "$value", T_STR, 3, false }, { "strtol($value, 10)", T_LONG, 2, false } } },
	{ "call of the kernel", "kernel.syscall(\"read\").any",
	  { { "$fd", T_LONG, 2, false }, { "user_string_n($buf, $count & 31)", T_STR, 2, false }, { "$$parms", T_STR, 1, false }, { "$arg6", T_LONG, 1, false } } },
	{ "tracepoints", "kernel.trace(\"sched_wak*\")", { { "$$name", T_STR, 1, false }, { "$$vars", T_STR, 2, false }, { "$$parms$", T_STR, 1, false } } },
	{ "returns", "kernel.function(\"vfs_*\").return", { { "$$return", T_STR, 2, false }, { "ppfunc()", T_STR, 1, false }, { "@entry(gettimeofday_ns())", T_LONG, 2, false } } },
	{ "aliases of returns", "syscall.open*.return", { { "retstr", T_STR, 2, false }, { "name", T_STR, 1, false }, { "@entry(pid())", T_LONG, 1, false } } },
	{ "statement", "kernel.statement(\"vfs_read@fs/read_write.c+4\")",
	  { { "$$vars", T_STR, 2, false }, { "@choose_defined($count, 3)", T_LONG, 2, false }, { "@choose_defined($file->f_pos, -1)", T_LONG, 1, false }, { "$$locals", T_STR, 1, false } } },
	{ "inlined", "kernel.function(\"task_curr\")?, kernel.function(\"cpu_curr\")?, kernel.function(\"fdget\").inline",
	  { { "$$parms", T_STR, 2, false }, { "@choose_defined($fd, 3)", T_LONG, 2, false }, { "pp()", T_STR, 1, false } } },
	{ "written members", "process(\"" META_PROGS "/calls\").function(\"look\") { $o->in->small = 1 }\nprobe process(\"" META_PROGS "/calls\").function(\"look\")",
	  { { "$o->in->small = pid(); $o->in->bytes[2] = $o->in->bytes[cpu() & 3];", T_NONE, 2, false },
	    { "$o->mid = $o->low - 1; $o->high++;", T_NONE, 2, false },
	    { "($o->as_int = cpu() + 3)", T_LONG, 1, false },
	    { "set_user_string_n($o->name, 3, execname());", T_NONE, 1, false } } },
	{ "label", "process(\"" META_PROGS "/ticks\").function(\"tick\").label(\"called\")", { { "pp()", T_STR, 1, false }, { "uaddr()", T_LONG, 1, false } } },
	{ "alias that asks", "asked = process(\"" META_PROGS "/calls\").function(\"add\") { asked_for = $a; if (@probewrite(asked_for)) println(\"written \", asked_for) }\nprobe asked",
	  { { "asked_for = $b;", T_NONE, 3, false }, { "asked_for", T_LONG, 1, false }, { "$b", T_LONG, 1, false } } },
	{ "epilogues", "last = process(\"" META_PROGS "/calls\").function(\"text\") { of_all = 1 }\nprobe before_last += last { println(of_all, of_text) }\nprobe middle += before_last { of_all++; of_text .= \"m\" }\nprobe middle",
	  { { "of_all = cpu();", T_NONE, 2, false }, { "of_text = execname();", T_NONE, 2, false }, { "of_all", T_LONG, 1, false }, { "user_string($s)", T_STR, 1, false } } },
	{ "line of a program", "process(\"" META_PROGS "/calls\").statement(\"round_trip@calls.c+10\")",
	  { { "$$vars", T_STR, 1, false },
	    { "@choose_defined($first->mid, 3)", T_LONG, 2, false },
	    { "@choose_defined($first->in->bytes[$i & 3], -1)", T_LONG, 1, false },
	    { "(@defined($far$) ? $far$ : \"none\")", T_STR, 1, false },
	    { "$$locals$$", T_STR, 1, false } } },
	{ "callees", "process(\"" META_PROGS "/calls\").function(\"main\").callees(2)", { { "$$parms", T_STR, 1, false }, { "ppfunc()", T_STR, 1, false } } },
	{ "return of a call of a program", "process(\"" META_PROGS "/calls\").syscall.return", { { "$return", T_LONG, 2, false }, { "$syscall", T_LONG, 2, false }, { "errno_str($return)", T_STR, 1, false } } },
	{ "return of a call of the kernel", "kernel.syscall(\"openat\").return",
	  { { "$return", T_LONG, 2, false }, { "@entry($dfd)", T_LONG, 1, false }, { "user_string(@entry($filename), \"none\")", T_STR, 1, false }, { "returnstr(1)", T_STR, 1, false } } },
	{ "perf of a program", "perf.type(1).config(0).process(\"" META_PROGS "/calls\")", { { "uaddr()", T_LONG, 1, false }, { "user_mode()", T_LONG, 1, false } } },
	{ "profile of a frequency", "timer.profile.freq.hz(97)", { { "addr()", T_LONG, 1, false }, { "user_mode()", T_LONG, 1, false } } },
	{ "end of a thread", "process(\"" META_PROGS "/calls\").thread.end, process(\"" META_PROGS "/calls\").end", { { "pp()", T_STR, 1, false } } },
	{ "library", "process(\"" META_PROGS "/calls\").library(\"libc.so.6\").function(\"malloc\")", { { "ulong_arg(1)", T_LONG, 2, false }, { "umodname(uaddr())", T_STR, 1, false } } },
	{ "iter of mappings", "iter.task_vma",
	  { { "$vma->vm_start", T_LONG, 2, false }, { "$vma->vm_file->f_inode->i_ino", T_LONG, 1, false }, { "$task->comm$", T_STR, 1, false }, { "d_name($vma->vm_file->f_path->dentry)", T_STR, 1, false } } },
	{ "marks", "process(\"" META_PROGS "/marks\").mark(\"*\")", { { "$$name", T_STR, 2, false }, { "$$provider", T_STR, 1, false }, { "$$vars", T_STR, 1, false }, { "@choose_defined($arg1, -1)", T_LONG, 2, false } } },
	{ "read or written", "process(\"" META_PROGS "/calls\").data(\"sink\").rw", { { "@var(\"sink\")", T_LONG, 2, false }, { "uaddr()", T_LONG, 1, false } } },
	{ "decision", "lsm.file_open", { { "$return = -1 - (cpu() & 1);", T_NONE, 3, false }, { "$file->f_flags", T_LONG, 1, false }, { "kernel_string($file->f_path->dentry->d_name->name)", T_STR, 1, false } } },
	{ "verdict", "netfilter.hook(\"NF_INET_LOCAL_OUT\").pf(\"PF_INET\")", { { "$verdict = 1;", T_NONE, 3, false }, { "$skb->len", T_LONG, 1, false }, { "$state->hook", T_LONG, 1, false } } },
	{ "switches", "process(\"" META_PROGS "/calls\").function(\"look\") if (gz > 1), process(\"" META_PROGS "/calls\").function(\"add\") if (!gz_other && @count(gq) > 2)",
	  { { "gz = !gz;", T_NONE, 2, false }, { "gz_other++;", T_NONE, 2, false }, { "gq <<< gz;", T_NONE, 2, false }, { "(gz += 3)", T_LONG, 1, false } } },
	{ "bits and arrays of the kernel", "kernel.trace(\"sched_process_fork\")",
	  { { "($parent->sched_reset_on_fork + $child->in_execve)", T_LONG, 2, false },
	    { "$child->cpus_mask->bits[cpu() & 3]", T_LONG, 2, false },
	    { "$parent->signal->rlim[cpu() & 7]->rlim_cur", T_LONG, 2, false },
	    { "$parent->signal->rlim[1]$", T_STR, 1, false },
	    { "$child->thread->tls_array[1]->dpl", T_LONG, 1, false },
	    { "@cast($parent->signal, \"signal_struct\", \"kernel\")->rlim[2]->rlim_max", T_LONG, 1, false },
	    { "@cast(&$parent->signal->rlim[cpu() & 1], \"rlimit\", \"kernel\")->rlim_cur", T_LONG, 1, false },
	    { "$parent->se$", T_STR, 1, false },
	    { "$child->pending$$", T_STR, 1, false },
	    { "@choose_defined(@var(\"runqueues\", \"kernel\")->nr_running, -1)", T_LONG, 1, false },
	    { "(@defined(@var(\"runqueues\", \"kernel\")) ? per_cpu_ptr(&@var(\"runqueues\", \"kernel\"), cpu()) : 0)", T_LONG, 1, false } } },
	{ "registers", "process(\"" META_PROGS "/calls\").function(\"text\").call",
	  { { "u_register(\"si\")", T_LONG, 1, false }, { "@uregister(4)", T_LONG, 1, false }, { "@uderef(4, uaddr())", T_LONG, 1, false }, { "print_regs();", T_NONE, 1, false },
	    { "user_string(pointer_arg(1))", T_STR, 2, false }, { "usymdata(uaddr())", T_STR, 1, false }, { "usymfileline(uaddr())", T_STR, 1, false }, { "umodname(uaddr())", T_STR, 1, false },
	    { "probing_32bit_app()", T_LONG, 1, false }, { "user_char($s)", T_LONG, 1, false } } },
	{ "registers of the kernel", "kprobe.function(\"vfs_write\")",
	  { { "@kregister(4)", T_LONG, 1, false }, { "@kderef(8, pointer_arg(1))", T_LONG, 1, false }, { "symfileline(addr())", T_STR, 1, false }, { "modname(addr())", T_STR, 1, false },
	    { "probefunc()", T_STR, 1, false }, { "kernel_string_n(task_current(), 5)", T_STR, 1, false }, { "sprint_backtrace()", T_STR, 1, false }, { "registers_valid()", T_LONG, 1, false } } },
	{ "data of the kernel", "kernel.data(\"jiffies_64\").write", { { "symname(addr())", T_STR, 1, false } } },
};

#define N_HOOKS SP_ARRAY_SIZE(hooks)
_Static_assert(N_HOOKS <= MAX_HOOKS, "a flag each");

static const struct leaf common[] = {
	{ "pid()", T_LONG, 1, false },
	{ "execname()", T_STR, 2, false },
	{ "cpu()", T_LONG, 1, false },
	{ "uid()", T_LONG, 1, false },
	{ "euid()", T_LONG, 1, false },
	{ "ppid()", T_LONG, 1, false },
	{ "randint(7)", T_LONG, 1, false },
	{ "jiffies()", T_LONG, 1, false },
	{ "gettimeofday_ns()", T_LONG, 1, false },
	{ "kernel_long(task_current())", T_LONG, 1, false },
	{ "@task(task_current())->tgid", T_LONG, 1, false },
	{ "task_execname(task_parent(task_current()))", T_STR, 1, false },
	{ "user_string(pid())", T_STR, 1, false },
	{ "user_string_n(tid(), 7)", T_STR, 1, false },
	{ "kernel_string(0)", T_STR, 1, false },
	{ "pn()", T_STR, 1, false },
	{ "@cast(@cast(task_current(), \"task_struct\", \"kernel\")->group_leader, \"task_struct\", \"kernel\")->pid", T_LONG, 1, false },
	{ "ktime_get_ns()", T_LONG, 1, false },
	{ "get_cycles()", T_LONG, 1, false },
	{ "@kderef(4, task_current())", T_LONG, 1, false },
	{ "@uderef(2, pid())", T_LONG, 1, false },
	{ "probe_type()", T_STR, 1, false },
	{ "(stap_pid() + egid() + HZ())", T_LONG, 1, false },
	{ "kernel_string_n(task_current(), 5, \"none\")", T_STR, 1, false },
	{ "printf(\"%4m|%8M|%.9m\\n\", task_current(), task_current(), task_parent(task_current()));", T_NONE, 1, false },
};

static const struct leaf stacks[] = {
	{ "backtrace()", T_STR, 2, false },
	{ "ubacktrace()", T_STR, 2, false },
	{ "stack(1)", T_LONG, 1, false },
	{ "ustack(1)", T_LONG, 1, false },
	{ "stack(pid() & 63)", T_LONG, 1, false },
	{ "ustack(cpu() & 63)", T_LONG, 1, false },
	{ "symname(stack(0))", T_STR, 1, false },
	{ "callers(3)", T_STR, 1, false },
	{ "ucallers(2)", T_STR, 1, false },
	{ "sprint_ubacktrace()", T_STR, 1, false },
	{ "print_backtrace();", T_NONE, 2, false },
	{ "print_ubacktrace();", T_NONE, 2, false },
	{ "print_stack(backtrace());", T_NONE, 1, false },
	{ "print_ustack(ubacktrace());", T_NONE, 1, false },
	{ "print_usyms(ubacktrace());", T_NONE, 1, false },
	{ "print_backtrace_fileline();", T_NONE, 1, false },
	{ "print_ubacktrace_brief();", T_NONE, 1, false },
};

// Of the library, with loops and state of their own.
static const struct leaf of_library[] = {
	{ "cgroup_path()", T_STR, 1, false },
	{ "cgroup_name()", T_STR, 1, false },
	{ "cmdline_str()", T_STR, 1, false },
	{ "cmdline_arg(cpu())", T_STR, 1, false },
	{ "env_var(\"PATH\")", T_STR, 1, false },
	{ "pexecname()", T_STR, 1, false },
	{ "pstrace(task_current())", T_STR, 1, false },
	{ "thread_indent(cpu() & 1)", T_STR, 1, false },
	{ "ctime(gettimeofday_s())", T_STR, 1, false },
	{ "strftime(\"%H:%M:%S\", gettimeofday_s())", T_STR, 1, false },
	{ "usecs_to_string(gettimeofday_us())", T_STR, 1, false },
	{ "ns_pid()", T_LONG, 1, false },
	{ "ns_tid()", T_LONG, 1, false },
	{ "pgrp()", T_LONG, 1, false },
	{ "sid()", T_LONG, 1, false },
	{ "is_sig_blocked(task_current(), tid() & 31)", T_LONG, 1, false },
	{ "local_clock_us()", T_LONG, 1, false },
	{ "pid2task(tid())", T_LONG, 1, false },
};

// What stands beside a handler: it shares globals and functions with it.
static const char *const others[] = {
	"timer.ms(300)",
	"timer.profile",
	"begin(5)",
	"error(3)",
	"process(\"" META_PROGS "/calls\").function(\"text\")",
	"process(\"" META_PROGS "/calls\").function(\"text\").return",
	"kernel.trace(\"sys_exit\")",
};

enum { MAX_LEAVES = MAX_OWN + SP_ARRAY_SIZE(common) + SP_ARRAY_SIZE(stacks) + SP_ARRAY_SIZE(of_library) + MAX_CALLS };

static unsigned make_leaves(const struct hook *h, bool has_stacks, bool has_library, struct leaf *leaves)
{
	unsigned n = 0;

	for (const struct leaf *l = h->leaves; l < h->leaves + MAX_OWN && l->text; l++)
		leaves[n++] = *l;
	memcpy(leaves + n, common, sizeof(common));
	n += (unsigned)SP_ARRAY_SIZE(common);
	if (has_stacks) {
		memcpy(leaves + n, stacks, sizeof(stacks));
		n += (unsigned)SP_ARRAY_SIZE(stacks);
	}
	if (has_library) {
		memcpy(leaves + n, of_library, sizeof(of_library));
		n += (unsigned)SP_ARRAY_SIZE(of_library);
	}
	return n;
}

// The smallest script of a hook, with the globals that conditions of points read.
static const char *small_script(struct sp_arena *arena, const struct hook *h, const char *body)
{
	return sp_arena_printf(arena, "global n, gz, gz_other, gq probe %s { n++; %s } probe begin { gq <<< gz + gz_other }", h->point, body);
}

// Calls of any of its functions that there can be here. false: one was refused without a diagnostic, and there is a report.
static bool add_calls(struct seed *seed, const struct hook *h, struct rng *rng, struct leaf *leaves, unsigned *n)
{
	struct trial t = { .label = h->name, .engine = ENGINE_LOAD, .release = seed->release };
	struct outcome o = { 0 };

	for (unsigned i = 0; i < MAX_CALLS && o.kind != OUTCOME_BROKEN; i++) {
		struct leaf l = library_call(seed, rng);

		t.script = small_script(&seed->arena, h, l.type == T_NONE ? l.text : sp_arena_printf(&seed->arena, "println(%s)", l.text));
		trial_run(&seed->lab, &t, &o);
		seed->n_comparisons++;
		if (o.kind == OUTCOME_RAN)
			leaves[(*n)++] = l;
		else if (o.kind == OUTCOME_BROKEN)
			sp_buf_printf(&seed->report, "seed %llu: %s\n--- it says\n%s\n", (unsigned long long)seed->number, t.script, sp_buf_str(&o.err));
		outcome_deinit(&o);
	}
	return o.kind != OUTCOME_BROKEN;
}

void usable_hooks(struct lab *lab, const char *release, const char *only, bool usable[MAX_HOOKS])
{
	struct sp_arena arena = { 0 };
	struct trial t = { .label = "a hook", .engine = ENGINE_LOAD, .release = release };
	struct outcome o;

	for (unsigned i = 0; i < N_HOOKS; i++) {
		if (only && !sp_streq(only, hooks[i].name))
			continue;
		t.script = small_script(&arena, &hooks[i], "");
		trial_run(lab, &t, &o);
		if (o.kind == OUTCOME_RAN)
			usable[i] = true;
		else
			printf("not here: %s: %s", hooks[i].name, sp_buf_str(&o.err));
		outcome_deinit(&o);
	}
	fflush(stdout); // children would write it again
	sp_arena_deinit(&arena);
}

static bool load_hook(struct seed *seed, unsigned i)
{
	static const unsigned long_strings[] = { 512, 1024, 4000 };
	const struct hook *h = &hooks[i];
	struct leaf leaves[MAX_LEAVES];
	struct script_wants wants = { .n_bodies = 1, .n_statements = 12, .leaves = leaves };
	struct rng second = rng_of(seed->number, "a second handler"), calls = rng_of(~seed->number, h->name);
	struct point point = { h->point, false }, other = { *pick(&second, others), false }, *points[] = { &point, &other };
	struct head heads[2] = { { .points = points, .n_points = 1 }, { .points = points + 1, .n_points = 1, .body = 1 } };
	struct variant v = { .label = h->name, .engine = ENGINE_LOAD };
	struct rng rng = rng_of(seed->number, h->name);
	struct script s;
	unsigned refused;
	bool good, has_stacks;

	if (chance(&rng, 10))
		wants.n_statements = 40;
	if (chance(&second, 25)) {
		wants.n_bodies = 2;
		wants.first_has_leaves = true;
	}
	wants.leaves_in_functions = wants.n_bodies == 1 && !sp_starts_with(h->name, "alias "); // whose variables are of the handler alone
	wants.has_big_function = chance(&rng, seed->rich ? 100 : 10);
	has_stacks = chance(&rng, seed->rich ? 100 : 30) && !sp_streq(h->name, "netfilter"); // which has none
	wants.n_leaves = make_leaves(h, has_stacks, chance(&rng, seed->rich ? 100 : 30), leaves);
	if (chance(&calls, seed->rich ? 100 : 40) && !add_calls(seed, h, &calls, leaves, &wants.n_leaves))
		return false;
	script_make(&s, &seed->arena, rng_of(seed->number, h->point), &wants);
	if (chance(&rng, 10))
		s.max_string = *pick(&rng, long_strings);
	if (seed->max_string)
		s.max_string = seed->max_string;
	v.layout.heads = heads;
	v.layout.n_heads = wants.n_bodies;
	v.no_optimization = chance(&rng, 25);
	if (seed->objects)
		v.object = sp_arena_printf(&seed->arena, "%s/%llu.%s.spo", seed->objects, (unsigned long long)seed->number, h->name);
	refused = seed->n_refused;
	good = relate_loads(seed, &s, &v);
	seed->n_loaded[i] += good && seed->n_refused == refused;
	return good;
}

bool relate_hooks(struct seed *seed)
{
	bool good = true;

	for (unsigned i = 0; i < N_HOOKS; i++)
		if (seed->hooks[i])
			good = load_hook(seed, i) && good;
	return good;
}

unsigned hook_of_object(const char *file)
{
	const char *name = strchr(file, '.') + 1;
	size_t len = (size_t)(strrchr(file, '.') - name);
	unsigned i = 0;

	while (i < N_HOOKS - 1 && (strlen(hooks[i].name) != len || memcmp(hooks[i].name, name, len) != 0))
		i++;
	return i;
}

void print_loaded(const unsigned long *n_loaded)
{
	for (unsigned i = 0; i < N_HOOKS; i++)
		if (n_loaded[i])
			printf("%6lu %s\n", n_loaded[i], hooks[i].name);
}

# SPDX-License-Identifier: GPL-2.0-or-later
# --from-bpftrace: what the common subset of bpftrace becomes, and what is said of the rest. The first result runs.
. "$SUITE/lib.sh"
cat >counts.bt <<'END'
#!/usr/bin/env bpftrace
/*
 * Counts what a loop does.
 */
#ifndef BPFTRACE_HAVE_BTF
#include <linux/fs.h>
#endif
#define SHIFT 3

BEGIN
{
	printf("%-6s %lld\n", "PID", 5); // two columns
	$i = 0;
	while ($i < 10) {
		@n[$i % 3 == 0 ? "even" : "odd"] = count();
		@total = sum($i << SHIFT);
		@sizes = hist($i);
		@lin["all"] = lhist($i, 0, 10, 5);
		if ($i == 7) { @seen[1] = $i; } else if ($i > 8) { @seen[2] = 1_000; }
		$i++;
	}
	print(@n, 1);
	clear(@n);
	delete(@seen[2]);
	exit();
}

END { clear(@seen); }
END
expect 0 "$SPILE" --from-bpftrace counts.bt
cat out
mv out counts.stp
echo "== run"
expect 0 "$SPILE" counts.stp
cat out
cat >kernel.bt <<'END'
kprobe:vfs_read, kprobe:vfs_write
/pid == $1 && comm != "x"/
{
	@start[tid] = nsecs;
	$f = (struct file *)arg0;
	$name = str($f->f_path.dentry->d_name.name);
	@c[comm, $name] = count();
	@h[kstack(3)] = sum((uint16)arg2);
}
kretprobe:vfs_read /@start[tid]/
{
	@us = avg((nsecs - @start[tid]) / 1000);
	delete(@start[tid]);
	$x = *arg0;
	printf("%s %d\n", buf(arg1, 4), retval);
}
tracepoint:syscalls:sys_enter_openat { printf("%s %s\n", comm, str(args->filename)); @a[ustack] = count(); }
tracepoint:task:task_rename { printf("%s\n", args.oldcomm); @last[pid] = args.newcomm; printf("%s", @last[pid]); }
usdt:/bin/x:p:m { join(arg0); @p = arg1; if (cat("x")) { exit(); } }
interval:s:5 { time("%H:%M\n"); zero(@h); print(@us); printf("%s\n", ntop(AF_INET, bswap($sport))); }
watchpoint:0x1:8:w { exit(); }
uprobe:/bin/bash:readline, kprobe:f { exit(); }
uretprobe:libc:getaddrinfo { printf("%d %s\n", (int32)retval, str(arg0, 8)); }
END
echo "== kernel"
expect 0 "$SPILE" --from-bpftrace kernel.bt
says '^WARNING: 3 pieces of kernel\.bt have no translation: comments in the script say why$'
cat out
# A file that is cut anywhere is translated as far as it goes.
for ((n = 0; n < $(wc -c <kernel.bt); n += 7)); do
	head -c "$n" kernel.bt >cut.bt
	"$SPILE" --from-bpftrace cut.bt >out 2>err || fail "exit status $? after $n bytes"
done
expect 1 "$SPILE" --from-bpftrace nosuch.bt
says 'nosuch\.bt'
# A file of bpftrace runs as it is.
cat >stats.bt <<'END'
BEGIN { @a = avg(3); @a = avg(6); @mi[1] = min(4); @mi[1] = min(2); @ma = max(8); @ma = max(7); @s = stats(7); exit(); }
END { printf("%d %s\n", $1, str($2)); }
END
echo "== stats.bt"
expect 0 "$SPILE" stats.bt 5 five
cat out
cat >stacks.bt <<'END'
kprobe:vfs_read { @[kstack(perf, 3), ustack(2), kstack(100)] = count(); printf("%s", ustack(1)); print(kstack(4)); print(ustack); strerror(1); }
END
echo "== stacks.bt"
expect 0 "$SPILE" --from-bpftrace stacks.bt
cat out
expect 1 "$SPILE" -p2 -r ./none stacks.bt
says '^WARNING: 1 piece of stacks\.bt has no translation: comments in the script say why \(--from-bpftrace prints it\)$'

# What newer scripts use: declared variables, loops over maps, tuples that are printed, pointers and sizes, arguments that were not given.
cat >newer.bt <<'END'
BEGIN
{
	let $n: uint64 = 2;
	let $unset;
	@x[1] = 5; @x[2] = 6; @two["a", $n] = 7; @two["b", 3] = 1;
	for ($kv : @x) { print($kv); printf("%d=%d\n", $kv.0, $kv.1); }
	for ($pair : @two) { printf("%s %d: %d\n", $pair.0.0, $pair.0.1, $pair.1); }
	for ($i : 0..2) { print(($i, "round")); }
	if (has_key(@two, "a", 2) && !has_key(@x, 3)) { printf("%d of %d\n", len(@x), len(@two)); }
	delete(@x, 1);
	zero(@x);
	print(@x);
	@most = max(4); @most = max(9); @average["t"] = avg(7);
	printf("%d %d %d\n", @most, @average["t"], (int8)300);
	printf("%d %d %s.\n", $1, $2, str($3));
	printf("%d %d\n", sizeof(uint32), sizeof(struct task_struct *));
	print(@x, 3, 2);
	exit();
}
END { clear(@two); }
END
expect 0 "$SPILE" newer.bt 4
cat out
cat >pointers.bt <<'END'
kprobe:vmlinux:vfs_read
{
	$p = (uint32 *)arg0;
	@a = *$p + $p[2] + *(int16 *)(arg1 + 8) + *((uint64 *)arg2) + *arg3;
	$f = (struct file *)arg0;
	@o = offsetof(struct file, f_pos) + sizeof(struct file) + (*$f).f_pos;
}
fexit:vfs_open { printf("%s %d\n", path(args.path), retval); }
fentry:filp_close { printf("%s\n", path(args.filp->f_path)); signal("KILL"); signal(9); }
tracepoint:syscalls:sys_enter_execve { join(args.argv); join(args.argv, ","); printf("%r %d\n", buf(args.filename, 8), *args.argv); }
iter:task { printf("%s %d\n", ctx->task->comm, ctx->task->pid); }
watchpoint:0x10000000:8:w { @w = count(); }
watchpoint:0xffffffff81000000:4:rw { cat("/proc/%d/maps", cpid); }
uprobe:/bin/x:cpp:"ns::f(int, char)", uprobe:/bin/x:g { printf("%d\n", *(int32 *)arg0); printf("%s", strftime("%H:%M", nsecs(boot))); }
kprobe:vfs_read+8 { @never = 1; }
watchpoint:0x1000:8:x { @never = 1; }
interval:s:1 { @t = (1, 2); @b = buf(1, 2); print(len(@a)); print(cgroupid("/nosuch")); signal("NOSUCH"); for ($x : @a) { print($x); } print(@t.1); }
END
expect 0 "$SPILE" --from-bpftrace pointers.bt
cat out
says '^WARNING: 9 pieces of pointers.bt have no translation: comments in the script say why$'
# What looks alike in both languages and is not: >> and exit(), loops in loops, names of loops, sums in parentheses, pointers that count
# elements, the order of averages, comments between points, how often events are taken, an address that is an array, macros, numbers.
cat >careful.bt <<'END'
#define ONE 1UL // of two
#define BOTH (ONE + pid)
#define NONE
#define SUM(a, b) (a + b)
BEGIN
{
	$k1 = 8; @k2 = 1; @x[1] = avg(5); @x[2] = avg(100);
	$p = (uint32 *)arg0; $q = (uint8 *)$p;
	unroll(3) { unroll(2) { $k1++; } }
	print(@x); printf("%d %x\n", $k1, (-8) >> 60);
	$sum = (len(@x) + len(@x)) / 2; $h = (*$p + *$p) / 2; $e = (*$p); $k1 >>= 3;
	if ($k1 > BOTH) { exit(); }
	@l = lhist($k1, 0, 1_000, 1e2);
	$c = (const char *)arg0; @e = *$c; $t = (const struct task_struct *)arg0;
	$n = $p + 1; $n = (uint64)$p + 1; $n = $q + 1; @d = *($q + 1); $p++; $p += 1;
	exit();
}
kprobe:vfs_read, // the first, {
kprobe:vfs_write /* and, the
   second */
// last /
/pid == 1/
{ @n = 1; }
software:page-faults, software:cs:7 { @f = count(); }
hardware:cache-misses, hardware:branches { @f = count(); }
uprobe:/usr//bin/*:main { exit(); @f++; }
uprobe:/bin/x:cpp:"f(int, char)" { @f++; }
tracepoint:tcp:tcp_probe { printf("%s %s", ntop(args.saddr), ntop(args.saddr_v6)); }
END
echo "== careful.bt"
expect 0 "$SPILE" --from-bpftrace careful.bt
cat out
says '^WARNING: 5 pieces of careful\.bt have no translation: comments in the script say why$'
# Two signs in a row are no `--`.
echo 'BEGIN { $v = 5; $w = - -$v + -(uint64)-$v; print(($v, $w)); exit(); }' >signs.bt
expect 0 "$SPILE" signs.bt
is '(5, 10)'
# Maps whose names the translation's own functions have for variables.
cat >taken.bt <<'END'
BEGIN { @length = 100; @i = 3; @x[1] = 5; @x[2] = 6; @x[3] = 7; print(@x, 2); print(len(@x)); exit(); }
END { clear(@x); }
END
expect 0 "$SPILE" taken.bt
is '@x[2]: 6
@x[3]: 7
3
@i: 3
@length: 100'
# The second letter of %rx and %rh is no text.
echo 'uprobe:/bin/x:f { printf("%rx|%rh|%r\n", buf(arg0, 4), buf(arg1, 4), buf(arg0, 2)); }' >bytes.bt
expect 0 "$SPILE" --from-bpftrace bytes.bt
prints '^  printf\("%\.\*M\|%\.\*M\|%\.\*M\\n", 4, ulong_arg\(1\), 4, ulong_arg\(2\), 2, ulong_arg\(1\)\)$'
# What is declared in front of a probe does not take that with it.
cat >declared.bt <<'END'
import "x";
let @q =
  lruhash(100);
BEGIN { @q[1] = 2; exit(); }
END
expect 0 "$SPILE" declared.bt
is '@q[1]: 2'
says '^WARNING: 2 pieces of declared\.bt have no translation'
expect 0 "$SPILE" --from-bpftrace declared.bt
prints '^// not translated \(how a map is kept\): let @q =   lruhash\(100\)$'
# A uprobe is of a function's own code: where an inlined copy begins, arg0 would be whatever the register holds.
cat >inlined.c <<'END'
volatile int sink;
static inline __attribute__((always_inline)) void work(int n) { sink += n; }
void (*volatile by_pointer)(int) = work;
int main(void) { work(3); work(4); by_pointer(7); return 0; }
END
gcc -g -O2 -o inlined inlined.c || fail "gcc"
echo 'uprobe:./inlined:work { printf("%d\n", arg0); }' >inlined.bt
expect 0 "$SPILE" -c ./inlined inlined.bt
is 7
# Where a member, or a variable that was assigned one, points to is as large as its type says.
cat >pointed.c <<'END'
struct pair { short a, b; };
struct point { int x; int *next; struct pair *pair; };
int numbers[] = { 11, 22, 33 };
struct pair pair = { -3, 9 };
volatile int sink;
__attribute__((noipa)) void look(struct point *p) { sink = p->x; }
int main(void) { look(&(struct point){ 5, numbers + 1, &pair }); return 0; }
END
gcc -g -O1 -o pointed pointed.c || fail "gcc"
cat >pointed.bt <<'END'
uprobe:./pointed:look {
	$p = (struct point *)arg0; $n = $p->next; $i = $p->pair;
	printf("%d %d %d %d\n", *$p->next, *$n, (*$p->pair).b, (*$i).a);
	printf("%d\n", *($n + 1));
}
END
expect 0 "$SPILE" -c ./pointed pointed.bt
is '22 22 9 -3'
says '^WARNING: 1 piece of pointed\.bt has no translation'
# Arrays of characters are texts, as keys and values, too: well-known ones, and those of the script's structures.
cat >characters.c <<'END'
struct named { int n; char name[8]; } named = { 3, "abc" };
volatile int sink;
__attribute__((noipa)) void look(struct named *p) { sink = p->n; }
int main(void) { look(&named); return 0; }
END
gcc -g -O1 -o characters characters.c || fail "gcc"
cat >characters.bt <<'END'
struct named { int n; char name[8]; };
uprobe:./characters:look {
	$p = (struct named *)arg0; $s = $p->name;
	@n[$p->name] = count(); print($s); printf("%s %s %c\n", $p->name, str($p->name), $p->name[1]);
	if ($p->name == "abc") { print(strlen($p->name)); }
}
END
expect 0 "$SPILE" -c ./characters characters.bt
is 'abc
abc abc b
3
@n[abc]: 1'
echo 'tracepoint:sched:sched_switch { @[args.next_comm, args.next_pid] = count(); } uprobe:/bin/x:f { @t[curtask->comm] = 1; }' >comm.bt
expect 0 "$SPILE" --from-bpftrace comm.bt
prints '^  map\[kernel_string\(\$next_comm, ""\), \$next_pid\]\+\+$'
prints '^  t\[text_at\(task_current\(\)->comm\)\] = 1$'
echo 'usdt:/bin/x:p:m { $v = arg0; @v = *$v + *arg1; }' >mark.bt
expect 0 "$SPILE" --from-bpftrace mark.bt
prints '^  v = @uderef\(8, v_\) \+ @uderef\(8, \$arg2\)$'
# A stack that is kept in a variable or a map is printed with names, as a value and as a key.
cat >kept.bt <<'END'
uprobe:./characters:look { @s[1] = ustack(2); @last = ustack; $v = ustack(2); @k[$v] = count(); print($v); printf("%s", @s[1]); print(@s[1]); }
END
expect 0 "$SPILE" -c ./characters kept.bt
[ "$(grep -c ' : look+' out) $(grep -c ' : main+' out)" = '6 6' ] || fail "stacks"
# An average, least or greatest of nothing is 0, and no error that ends the handler.
cat >nothing.bt <<'END'
BEGIN { @a[1] = avg(6); @m = max(0); clear(@m); if (@a[2] == 0 && @m < 5) { printf("%d %d\n", @a[1] + 1, @m); } exit(); }
END { clear(@a); clear(@m); }
END
expect 0 "$SPILE" nothing.bt
is '7 0'
quiet
# A place in a message is one of the translation.
echo 'BEGIN { @x = nosuch_name; }' >wrong.bt
expect 1 "$SPILE" -p2 wrong.bt
says '^    at wrong.bt, translated:[0-9]+:[0-9]+$'

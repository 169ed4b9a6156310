# SPDX-License-Identifier: GPL-2.0-or-later
# With embedded C in a handler, LLVM deletes what is not called any more before the rest is optimised: the sizes of functions were asked for
# by what had been deleted, which is other memory sooner or later.
. "$SUITE/lib.sh"
compgen -c clang | grep -Eq '^clang(-[0-9]+)?$' || skip "clang is not installed"
cat >x.stp <<'STP'
global ma
global qb[30]
global own
function followed(p:long)
{
	if (pid() < -1) {
		try {
			try {
			} catch {
			}
			printf("%#x %s %X %o\n", (uid() << euid()) * ~ppid(), "b", user_string(pid()) > "7" || "" <= "3 apples", @count(qb[""]));
		} catch {
			a <<= user_string_n((randint(7) < 2 ? jiffies() < kernel_long(task_current()) : gettimeofday_ns()) & 0xfff, 3, "none") =~ "((1)b+[a-c]?){1,3}";
		}
	}
	printdln("/", s . user_string_n(tid(), 7), user_string(pid()), user_string_n(tid(), 7));
	p = isinstr(tokenize(sprintf("<%x|%5s>", 5, "a"), ",;= "), ((kernel_string(0)) =~ "(1)" && (sprintf("<%x|%5s>", own[tid()], sprintf("%*d|", ((a) % 20), execname() =~ "^$" ? (jiffies() ? ga : 2) : jiffies() ^ ga))) =~ "(1)(1)?" ? matched(2) . matched(1) : "none"));
	printdln("/", (pid() ? kernel_string(0) : user_string(pid())) =~ "^$", s <= execname() ? user_string_n((1) & 0xfff, 3, "none") : ppid() ? user_string_n(tid(), 7) : "abd", ma[((kernel_long(task_current())) == ((p & 1) > strlen(pn())) != (kernel_long(task_current()))) & 3]--);
	qb["a"] <<< ma[(((fq(ma[0] >>> __string_byte(execname(), 3))) & 255) / 60)];
	foreach (k in ma) {
		if ("a" <= "\\d+'") {
			p += 10 + (k << k);
		}
	}
	n = 0; foreach ([nx, ny, nz] in xhA[*, "a", *]) n += @count(xhA[nx, ny, nz]) * 7 + nx; println(n);
}
function fq:long(p:long):3 { return 300 + (p & 7) }
function plain:string(p:string, q:long) %{ /* pure */
%}
global xhA[60]
probe process("@PROGS@/calls").function("look") {
	followed(strlen(plain(sprintf("%%%s%%", tokenize(sprint(@cast(@cast(task_current(), "task_struct", "kernel")->group_leader, "task_struct", "kernel")->pid), ",;= ")), @count(qb[((user_string(pid()) =~ "(1)+") ? "ab" : "sixteen bytes ..")]))));
	followed(!(1));
}
STP
sed -i "s|@PROGS@|$PROGS|" x.stp
MALLOC_PERTURB_=90 expect 0 "$SPILE" -w -g --no-cache --engine=kernel -p4 -o x.spo x.stp
is x.spo

# SPDX-License-Identifier: GPL-2.0-or-later
# A handler of many strings whose verification came to more than the kernel's 1,000,000 instructions: each way out of a search for a
# text was a path of its own.
. "$SUITE/lib.sh"
cat >many.stp <<'P'
global ga = 0x7fffffffffffffff
global gb
global gs = "a,b;c,d"
global ma[3]
global mb[30]
global ua
global um
function fa:long(fap:string, faq:string)
{
	faa = ga;
	fas = gs;
	printf("%.3s\n", "abc" <= gs ? sprintf("<%x|%5s>", faa, fap) : sprintd("-", ga, fas));
	return isinstr(sprint(faa, gs), str_replace("a", "a", gs));
}

probe begin(-10) {
	gb = 4;
	ma["a"] = 4;
	mb[1, 2] = 4;
	ua = 4;
	um["k"] = 4;
}

probe process(@1).data("sink").write {
	if (task_execname(task_parent(task_current())) . execname() <= s) {
		printf("%-9s| %s %-9s| %o\n", user_string_n(tid(), 7), sprintf("%d:%s", euid() | ppid(), sprintf("%d:%s", c, user_string_n(tid(), 7))), tokenize(sprintf("%d:%s", @task(task_current())->tgid, user_string_n(tid(), 7)), ",;= "), randint(7));
	}
	printf("%X\n", ([ma["a,b;c,d"] & 3, *] in mb));
	b = pn() >= tokenize(execname(), ",;= ");
	printdln("/", gettimeofday_ns() ^ user_string_n(tid(), 7) <= t, fa(gs, execname()), execname());
	if (execname() >= kernel_string(0) . gs) {
		if (pn() >= execname()) {
			log(gs);
		} else {
			s = execname();
		}
		--mb[3, 0];
		if (gb >= a == (s =~ "^.{3,5}$")) {
			println(user_string(pid()) =~ "^a");
		}
	} else {
		println(sprintf("<%x|%5s>", ppid() >>> gettimeofday_ns(), kernel_string(0)), " ", b);
	}
	for (i0 = 0; i0 < 3; i0++) {
		println(tokenize(t, ",;= ") =~ "[0-9]+");
		printdln("/", execname(), uaddr(), kernel_long(task_current()) + (7 & ppid()));
	}
	if ("two\nlines" =~ "^a") {
		s = matched(0) . sprint(ngroups());
	}
	log(kernel_string(0) !~ "^([^,]*),(.*)$" ? text_strn(gs, 20, 1) : t . gs);
	printdln("/", (b ? user_string_n(tid(), 7) : user_string_n(tid(), 7)) . gs, user_string_n(tid(), 7), gs);
	println(sprint(!cpu(), pn()));
	log(user_string(pid()) . "-12" . t);
	printdln("/", fa(user_string(pid()) . sprintf("<%x|%5s>", euid(), kernel_string(0)), sprintd("-", uaddr() != euid(), gs . kernel_string(0))), mb[3, 0], sprintf("<%x|%5s>", ga >>> pid(), gs));
	printf("%o %s\n", cpu() >= b || euid() != gb, user_string_n(tid(), 7));
	println((cpu() ? execname() : "") !~ "a", " ", ga--);
	printdln("/", kernel_long(task_current()) && jiffies() ? ma[user_string_n(tid(), 7)] : pid(), kernel_long(task_current()) > euid(), "abd" . s == s . execname());
	if ("-12" . gs =~ "([a-z]+)=([a-z]+)") {
		println(matched(0), " ", ngroups());
		log("-12");
	}
	t .= "b";
	ua = mb[3, 4];
	um["k"] = ga;
}

probe end { println("end") }
P
expect 0 "$SPILE" -w -u --suppress-handler-errors -c "$PROGS/calls 1" many.stp "$PROGS/calls"
prints '^end$'

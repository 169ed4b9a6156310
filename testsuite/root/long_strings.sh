# SPDX-License-Identifier: GPL-2.0-or-later
# Strings that are long: a loop of few rounds is not unrolled, and what goes through them word by word is called, for the
# verifier would follow too many paths.
. "$SUITE/lib.sh"
cat >long.stp <<'X'
global ga
global gb
global gs = "a,b;c,d"
global ma[30]
global own
global um
function fa:long(fap:long, faq:long, far:long)
{
	faa = faq
	fas = gs
	for (fai0 = 0; fai0 < 3; fai0++) {
		println(sprintf("%d:%s", faa, fas . "b"), " ", sprintf("%d:%s", faa && ga, ma[fai0 & 3]))
		um["k"] = ++own[tid()]
		fas = own[pid()] ? gs : fas
	}
	return far + 10 + (ga == gb)
}
function fb:string(fbp:long, fbq:long)
{
	return fbp || fbq || 10 ? (ga ? "-12" : "abc") . substr("7", 3, 1) : sprintd("-", gs <= gs, gs . gs)
}
function fc(fcp:long)
{
	fca = gb
	fcs = gs
	printf("%X %u %p %x\n", own[tid()], fa(__string_byte("two\nlines", ga & 3), ma[4] != sprintf("%d:%s", fca, gs), strlen(fcs)) > fcp, fca == fcp || (fcp ? 31 : 5), 0x8000000000000000 < 1 || gs == fcs)
	ma[([tid()] in own) & 3] .= text_strn(fcs . fcs . ma[1], 20, 1)
}
probe begin(-10) {
	ga = 4
	gb = 4
	ma[1] = "four"
	ma[2] = "b"
	own[0] = 4
	um["k"] = 4
}
probe process(@1).function("*") {
	b = pid()
	c = kernel_long(task_current())
	s = ppfunc()
	t = s
	try {
		gs .= ppfunc() . "ab" . ma[0] . (3 < @task(task_current())->tgid ? "a" . execname() : sprintf("<%x|%5s>", a, execname()))
		c <<= own[pid()]
		printf("%X\n", (ppid() ^ cpu()) << fa(cpu(), fa(ppid(), user_string(pid()) =~ "[0-9]+" ? own[pid()] : @task(task_current())->tgid ? pid() : pid(), gb), uid()))
	} catch {
		fc(own[tid()])
	}
	s = fb(c, -100)
	gb &= [gb > uaddr() & 3] in ma
	if (substr(fb(-2, c), 3, uaddr() & 3) =~ "e$|^s") {
		println(matched(0), " ", ngroups())
		printdln("/", own[tid()], own[pid()] << (0x8000000000000000 > ga), sprintf("<%x|%5s>", ++gb, kernel_long(task_current()) ? pn() : task_execname(task_parent(task_current()))))
	}
}
probe end { println("end ", um["k"]) }
X
cp "$PROGS/calls" . # nobody runs it
expect 0 timeout 100 "$SPILE" -u -w -D MAXSTRINGLEN=4000 -T 0.3 long.stp "$PWD/calls"
is 'end 4'

{
	echo 'global n probe begin { n = 1 } probe process(@1).function("*") { s = ppfunc() t = execname()'
	for ((i = 0; i < 40; i++)); do echo "if (n & $((1 << i % 8))) t = s . t; println(t, \" \", s . t, tokenize(t, \"$i\"))"; done
	echo '} probe end { println("end") }'
} >many.stp
expect 0 timeout 100 "$SPILE" -w -D MAXSTRINGLEN=4000 -T 0.3 many.stp "$PWD/calls"
is end

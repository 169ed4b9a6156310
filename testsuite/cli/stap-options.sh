# SPDX-License-Identifier: GPL-2.0-or-later
# SystemTap's options: what they do here; -v has one line about those that do nothing.
. "$SUITE/lib.sh"
one='probe begin { println("run") exit() }'

for option in -b '-B CONFIG_X=y' '-d kernel' --ldd --all-modules -q '-R /tmp' '--modinfo a=b' -P \
	--prologue-searching=never --unprivileged --runtime=kernel --tmpdir=/tmp --privilege=stapsys; do
	expect 0 "$SPILE" $option -e "$one"
	is run
	quiet
	expect 0 "$SPILE" $option -v -e "$one"
	name=${option%%[ =]*}
	says "^$name has no effect: [A-Za-z_';, ]+$"
	[ "$(grep -c 'no effect' err)" = 1 ] || fail "more than a line"
done

# What means something else in SystemTap is refused, with the way to have it.
for option in '-a s390' --use-server=host --target-namespaces=1; do
	expect 2 "$SPILE" $option -e "$one"
	name=${option%%[ =]*}
	says "^spile: $name is not supported: [-a-z].*"
	[ "$(wc -l <err)" = 1 ] || fail "more than a line"
done
expect 0 "$SPILE" --no-cache --rlimit-fsize=100000 --vp 00100 -e "$one"
says '^Pass 2: '
expect 2 "$SPILE" -F -e "$one"
says '^spile: -F needs -o: where does the output go\?$'
expect 0 "$SPILE" -a "$(uname -m)" -e "$one"
expect 2 "$SPILE" --rlimit-cpu=x -e "$one"
says "takes a number, not 'x'"
expect 2 "$SPILE" --vp 0a -e "$one"
says "^spile: --vp takes a digit for each of five passes, not '0a'$"
for option in --runtime=dyninst --dyninst; do
	expect 0 "$SPILE" $option -c true -e 'probe process("/bin/true").begin { println("user engine") }'
	is 'user engine'
	quiet
done
expect 2 "$SPILE" --runtime=other -e "$one"
says "^spile: --runtime is bpf, kernel or dyninst, not 'other'$"
expect 2 "$SPILE" --privilege=other -e "$one"
says "^spile: --privilege is stapusr, stapsys or stapdev, not 'other'$"
expect 2 "$SPILE" --prologue-searching=other -e "$one"
says "^spile: --prologue-searching is always, auto or never, not 'other'$"
expect 0 "$SPILE" --prologue-searching -e "$one"
expect 0 "$SPILE" --runtime=bpf --compatible=1.8 -e "$one"
quiet
expect 2 "$SPILE" --compatible=99 -e "$one"
says '^ERROR: --compatible=99: the newest version that spile knows is [0-9.]+$'

# SystemTap's limits that there is no need for, and unknown ones
expect 0 "$SPILE" -DMAXSKIPPED=5 -DMAPHASHBIAS=2 -e "$one"
is run
quiet
expect 0 "$SPILE" -v -DMAXSKIPPED=5 -DMAPHASHBIAS=2 -e "$one"
says '^-D MAXSKIPPED=5 has no effect: handlers that did not run are counted, and end no script$'
says '^-D MAPHASHBIAS=2 has no effect: '
expect 0 "$SPILE" -DNOSUCH=1 -e "$one"
says '^WARNING: -D NOSUCH=1 is ignored: there is no such limit$'
for wrong in 'X Y=1' '=1' '' 1X=2; do
	expect 2 "$SPILE" -D "$wrong" -e "$one"
	says "^ERROR: -D takes NAME=NUMBER, not '$wrong'\$"
done

# -c and -x
expect 2 "$SPILE" -p1 -c true -x 1 -e "$one"
says '^spile: a command \(-c\) and a process \(-x\) exclude each other$'

# -o: a format for strftime()
expect 0 "$SPILE" -o 'out-%Y-%%.txt' -e "$one"
grep -qx run out-20??-%.txt || fail "no output in out-YEAR-%.txt"

# Globals that nothing reads
unread='global n, a, s probe begin { n = 1 a[1] = 2 s <<< 3 exit() }'
expect 0 "$SPILE" -e "$unread"
is 'n=1
a[1]=2
s @count=1 @min=3 @max=3 @sum=3 @avg=3
value |-------------------------------------------------- count
    0 |                                                   0
    1 |                                                   0
    2 |@                                                  1
    4 |                                                   0
    8 |                                                   0'
for option in --hex-globals --compatible=4.9; do
	expect 0 "$SPILE" $option -e "$unread"
	is 'n=0x1
a[1]=0x2
s @count=0x1 @min=0x3 @max=0x3 @sum=0x3 @avg=0x3'
done
# Those that hold pointers show them as such.
expect 0 "$SPILE" -c "$PROGS/calls 1" -e "global p, n probe process(\"$PROGS/calls\").function(\"look\") { p = \$o n = \$u }"
prints '^p=0x[0-9a-f]+$'
prints '^n=[0-9]+$'
expect 0 "$SPILE" --no-global-var-display -e "$unread"
is ''

# -G: scalars of both types, with or without a value of their own; in a script and in what was compiled from it.
script='global n = 3, s, none, a probe begin { a[1] = 2 printf("%d %s %d %d\n", n, s, none, a[1]) exit() }'
expect 0 "$SPILE" -w -e "$script"
is '3  0 2'
expect 0 "$SPILE" -w -G n=-7 -G s='a text' -G none=0x10 -e "$script"
is '-7 a text 16 2'
expect 0 "$SPILE" -w -p4 -m given -e "$script"
expect 0 "$SPILE_RUN" -G n=9 -G s=other given.spo
is '9 other 0 2'
quiet
expect 0 "$SPILE" -w -p4 -m kept -G n=-7 -G s='a text' -G none=0x10 -e "$script"
expect 0 "$SPILE_RUN" kept.spo
is '-7 a text 16 2'
expect 0 "$SPILE_RUN" -G n=9 kept.spo
is '9 a text 16 2'
expect 2 "$SPILE" -w -D MAXSTRINGLEN=16 -p4 -G s=1234567890123456 -e "$script"
says '^ERROR: -G s=1234567890123456: the string has more than 15 bytes$'
for run in "$SPILE" "$SPILE_RUN"; do
	set -- -e "$script"
	[ "$run" != "$SPILE_RUN" ] || set -- given.spo
	expect 2 "$run" -w -G a=1 "$@"
	says '^ERROR: -G a=1: `a` is an array, and only scalars can be given a value$'
	expect 2 "$run" -w -G m=1 "$@"
	says '^ERROR: -G m=1: the script has no global variable of that name$'
	expect 2 "$run" -w -G n=x "$@"
	says '^ERROR: -G n=x: `x` is not a number$'
done

# A variable that is there and not used, as it may be on other kernels only, may be given a value.
expect 0 "$SPILE" -w -G debug=1 -e 'global debug = 0 probe begin { %( $# > 0 %? println(debug) %) println("begun") exit() }'
is begun
expect 0 "$SPILE" -w -G debug=1 -e 'global debug = 0 probe begin { %( $# > 0 %? println(debug) %) println("begun") exit() }' 1
is '1
begun'

# -s, -m
expect 0 "$SPILE" -s 3 -e "$one"
is run
expect 2 "$SPILE" -s 0 -e "$one"
says '^spile: -s takes a number of megabytes from 1 to 4095, not .0.$'
expect 0 "$SPILE" -s 1000 -e "$one"
is run
says '^WARNING: -s 1000: the buffer has 256 megabytes, the most there are$'
for name in named.ko named.spo named; do
	rm -f named.spo
	expect 0 "$SPILE" -m $name -p4 -e "$one"
	is named.spo
	[ -s named.spo ] || fail "-m $name has not made named.spo"
done
for name in ../x a/b . '' 'a b' .ko a.b.ko; do
	expect 2 "$SPILE" -m "$name" -p4 -e "$one"
	says '^spile: -m takes a name of letters, digits, - and _, not '
done

# --suppress-time-limits
long='probe begin { for (i = 0; i < 3000000; i++) n += i println(n) exit() }'
expect 1 "$SPILE" -e "$long"
says 'MAXACTION exceeded'
expect 0 "$SPILE" -D MAXACTION_INTERRUPTIBLE=3000001 -e "$long"
is 4499998500000
expect 2 "$SPILE" --suppress-time-limits -e "$long"
says '^spile: --suppress-time-limits needs guru mode \(-g\)$'
expect 0 "$SPILE" -g --suppress-time-limits -e "$long"
is 4499998500000

# --clean-cache ends when that is done, with or without a script.
expect 0 "$SPILE" --clean-cache
prints '^[0-9]+ files were removed$'
expect 0 "$SPILE" --clean-cache -e "$one"
prints '^[0-9]+ files were removed$'

# Options of a script's first line are one word for the kernel.
printf '#!%s -g -Gn=5\nglobal n\nprobe begin { println(n, argc, @1) exit() }\n' "$SPILE" >first.stp
expect 0 "$SPILE" '-g -Gn=5' first.stp word
is 51word
quiet
expect 2 "$SPILE" '-g -Gn=6' first.stp word # not what its first line says

# --max-overhead, --overload; the rest is in root/overload
for option in --max-overhead --overload; do
	for percent in 0 -1 101% 5x ''; do
		expect 2 "$SPILE" $option "$percent" -e "$one"
		says "^spile: $option takes a percentage up to 100, not '$percent'\$"
		expect 2 "$SPILE_RUN" $option="$percent" given.spo
		says "^spile-run: $option takes a percentage up to 100, not \`$percent\`\$"
	done
done
for define in STP_OVERLOAD_THRESHOLD=x STP_OVERLOAD_INTERVAL=0; do
	expect 2 "$SPILE" -D $define -e "$one"
	says "^spile: -D $define: it takes a number above 0\$"
done
expect 0 "$SPILE" -v -DSTP_NO_OVERLOAD -DSTP_OVERLOAD_INTERVAL=1000 -e "$one"
is run
! grep -q STP_ err || fail "-D STP_... is told"

# --suppress-handler-errors
expect 0 "$SPILE" --suppress-handler-errors -e 'global n probe begin { println(1 / n) } probe begin(1) { println("on") exit() }'
is on
says '^WARNING: division by 0'

# Options of $SYSTEMTAP_DIR/rc come before those of the command line.
mkdir rc
printf '# always\n-w  -Gn="$N 5" # not -W\n\n-DNOSUCH=1 -vv\n' >rc/rc
expect 2 env SYSTEMTAP_DIR=rc N= "$SPILE" -e "$one" --nosuch
says '^\(rc/rc gives these options, too: -w -Gn= 5 -DNOSUCH=1 -vv\)$'
expect 0 env SYSTEMTAP_DIR=rc N=2 "$SPILE" -v -Gm=3 -e 'global n = "", m = 0, unused probe begin { println(n, " ", m) exit() }'
is '2 5 3'
expect 2 env SYSTEMTAP_DIR=none "$SPILE" -e "$one" --nosuch
[ "$(wc -l <err)" = 2 ] || fail "more than is said of the option"
expect 0 env SYSTEMTAP_DIR=none "$SPILE" -e "$one"
is run
quiet
echo '-e "open' >rc/rc
expect 2 env SYSTEMTAP_DIR=rc "$SPILE" -e "$one"
says '^spile: rc/rc:1: cannot be split into options: -e "open$'
printf -- '-w\0 -v\n' >rc/rc # of which half would be obeyed
expect 2 env SYSTEMTAP_DIR=rc "$SPILE" -e "$one"
says '^spile: rc/rc:1: cannot be split into options: -w$'
# A pipe, whose other end somebody else may have, is not waited for.
rm rc/rc
mkfifo rc/rc
expect 0 timeout 30 env SYSTEMTAP_DIR=rc "$SPILE" -e "$one"
is run
says '^WARNING: rc/rc is not read: it is not a regular file$'

# Folders of scripts that are not there.
expect 0 "$SPILE" -I none -e "$one"
says '^WARNING: -I none: No such file or directory$'
expect 0 "$SPILE" -I rc/rc -e "$one"
says '^WARNING: -I rc/rc: Not a directory$'
expect 0 "$SPILE" -w -I none -e "$one"
quiet
expect 0 env SPILE_TAPSET=/none "$SPILE" -e "$one"
says '^WARNING: SPILE_TAPSET=/none: No such file or directory$'
expect 0 env SPILE_TAPSET= "$SPILE" -e "$one"
quiet
touch file
expect 2 "$SPILE" --sysroot file -e "$one"
says '^spile: --sysroot: cannot read file: Not a directory$'

# --compatible
versions='probe begin { println(%( systemtap_v >= "4.0" %? "new" %: "old" %)) exit() }'
expect 0 "$SPILE" --compatible=3.2 -e "$versions"
is old
expect 0 "$SPILE" --compatible 4.1 -e "$versions"
is new

# --skip-badvars: what there is not, and what cannot be read.
look="probe process(\"$PROGS/calls\").function(\"look\") { printf"
expect 0 "$SPILE" --engine=user --skip-badvars -c "$PROGS/calls 1" \
	-e "$look(\"%d %d %d\\n\", \$u, \$nosuch->x + 1, \$o->next->next->low) }"
is '200 1 0'
says "^WARNING: '\\\$nosuch->x' cannot be read here, and is 0 \[W206\]$"
expect 1 "$SPILE" --engine=user -c "$PROGS/calls 1" -e "$look(\"%d\\n\", \$o->next->next->low) }"
says '^ERROR: read fault at 0x'

# -t
times='[0-9]+min/[0-9]+avg/[0-9]+max ns'
expect 0 "$SPILE" --engine=user -t -c "$PROGS/calls 5" -e "global n probe begin { n = 1 }
probe process(\"$PROGS/calls\").function(\"add\") { n++ } probe never { n = 3 } probe end { println(n) }"
[ "$(head -n 2 out)" = '6
----- probe hit report:' ] || fail "another beginning"
prints "^begin, \\(<input>:1:10\\), hits: 1, time: $times$"
prints "^process\\(.*\\.function\\(\"add@.*\\), \\(<input>:2:1\\), hits: 5, time: $times$"
prints "^end, \\(<input>:2:[0-9]+\\), hits: 1, time: $times$"
[ "$(wc -l <out)" = 5 ] || fail "more lines"
expect 0 "$SPILE_RUN" given.spo -t
prints '^begin, .*hits: 1, time: '

# -v tells each hook once: who runs it, or who compiles it.
hook="probe process(\"$PROGS/calls\").function(\"add\") { println(1) }"
for pass in 4 5; do
	expect 0 "$SPILE" --engine=user -p$pass -m hook -v -c "$PROGS/calls 1" -e "$hook"
	[ "$(grep -c 'function("add@.*: breakpoint' err)" = 1 ] || fail "not one line about the hook with -p$pass"
done
expect 0 "$SPILE" --engine=user -v -c "$PROGS/calls 1" -e "global n probe process(\"$PROGS/calls\").function(\"*@calls.c\").call { n++ }"
[ "$(grep -c '^probe process' err)" = 3 ] || fail "not three of many hooks"
says '^and [0-9]+ more of the probe at <input>:1:10: breakpoint: the user engine$'

# $SYSTEMTAP_RELEASE is -r, which wins.
kernel_script='probe kernel.function("vfs_read") { println(1) }'
expect 1 env SYSTEMTAP_RELEASE=no-such-release "$SPILE" -p2 -e "$kernel_script"
says '^ERROR: no debug information for kernel no-such-release '
expect 1 env SYSTEMTAP_RELEASE=no-such-release "$SPILE" -r another-release -p2 -e "$kernel_script"
says '^ERROR: no debug information for kernel another-release '
expect 0 env SYSTEMTAP_RELEASE= "$SPILE" -e 'probe begin { println(1) exit() }'
is 1

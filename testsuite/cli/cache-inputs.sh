# SPDX-License-Identifier: GPL-2.0-or-later
# Every path that a compilation opens or looks for, as strace sees it, is an input of the result that is kept; but those here.
. "$SUITE/lib.sh"
command -v strace >/dev/null || skip "strace is not installed"
strace -o /dev/null true 2>/dev/null || skip "strace may trace nothing here"
grep -qE '^SP_CFLAGS = .*(fsanitize|coverage)' "$BUILD/Makefile" && skip "the build is instrumented"
export XDG_CACHE_HOME=$TMP/cache
mkdir cache
cat >exempt <<E
^$SPILE
^$TMP/script.stp$
^$TMP/x.spo$
^$TMP/\.[0-9a-f]*.tmp$
^$XDG_CACHE_HOME
^$HOME$
^$TMP$
/\.systemtap/rc$
^/proc/self(/|$)
^/proc/[0-9]*$
^/proc/[0-9]*/fd
^/proc$
^/proc/sys/kernel/(random/boot_id|kptr_restrict)$
^/proc/modules$
^/proc/sys/(kernel/(unprivileged_bpf_disabled|perf_event_paranoid|yama/ptrace_scope)|net/core/bpf_jit_(enable|harden))$
^/proc/(loadavg|meminfo|stat|cpuinfo|version_signature)$
^/sys/kernel/(notes|btf|btf/vmlinux|security/(lockdown|lsm))$
^/sys/kernel/(debug/)?tracing(/|$)
^//?(events|dynamic_events)(/|$)
^/sys/devices/system/cpu/
^/sys/bus/event_source/devices/
^/sys/fs/cgroup
^/etc/ld.so.preload$
^/usr/lib64$
^/dev/
^/tmp$
^/var/tmp$
\.so(\.[0-9]+)*$
/(glibc-hwcaps|tls|x86_64|x86-64-v[234]|haswell|avx512_1|aarch64|atomics)$
^/(usr/)?lib/[a-z0-9_-]*/\.\./lib$
E
# seen SCRIPT WORDS...: all paths that strace sees, but the parts of paths that realpath() asks about, are inputs.
seen()
{
	local name
	printf '%s\n' "$1" >script.stp
	shift
	rm -rf cache/spile
	sleep 0.1
	expect 0 strace -f -y -s 4096 -e trace=%file -o trace "$SPILE" -v -p4 -o x.spo "$@" script.stp
	name=$(basename cache/spile/*.result)
	[ -e "cache/spile/$name" ] || fail "nothing was kept: $*"
	expect 0 "$SPILE" cache show "$name"
	sed -n 's/^  [a-z ]\{11\} //p' out | sed 's/    (has changed)$//; s/    build-id .*//; s/ -> .*//; s,^[^/],'"$TMP/&," | sort -u >inputs
	grep -q 'has changed' out && fail "an input has changed already"
	# A call on a folder that is open: the folder's path is before the name.
	sed -nE 's/^[0-9]+ +[a-z0-9]+\((AT_FDCWD<[^>]*>, )?"([^"]+)".*/\2/p; s/^[0-9]+ +[a-z0-9]+\([0-9]+<([^>]*)>, "([^"/][^"]*)".*/\1\/\2/p' trace |
		sed 's,^[^/],'"$TMP/&," | sort -u >all
	[ "$(wc -l <all)" -gt 50 ] || fail "strace has seen nothing"
	# realpath() reads the parts of a path as links: the path without links is the input.
	sed -n 's/^  path  *//p' out | sed 's/ -> /\n/' | sed 's,^[^/],'"$TMP/&," |
		awk '{ while (sub("/[^/]*$", "") && $0 != "") print }' | sort -u >parents
	comm -23 all inputs | grep -vEf exempt | comm -23 - parents >left
	[ ! -s left ] || fail "these are looked at, and are no inputs: $(cat left)"
}

cp "$BUILD/testsuite/progs/ticks" prog
seen 'probe begin { exit() }'
seen 'probe process("./prog").function("*") { println($$vars) }'
seen 'probe process("./prog").begin, process("./prog").library("libc.so.6").function("malloc") { println(ubacktrace()) }'
strip -g prog
seen 'probe process("./prog").function("main") { println(1) } probe timer.s(1) { println(gettimeofday_s()) }'
seen 'probe process("ls").begin { println(1) }'
seen '%( CONFIG_BPF == "y" %? probe begin { exit() } %: probe end { println(2) } %)'
seen 'probe kernel.trace("sched_switch") { println($$parms) }'
seen 'probe syscall.openat ? { println(argstr) } probe begin { exit() }'
# What the C compiler opens or looks for, but: the parts of links that are inputs, folders (files in them are inputs), temporary files,
# and what has no part in types: translations, libraries, specs beside them, and programs that the linker's driver may run.
cat >>exempt <<E
^/etc(/alternatives(/[a-z]+)?)?$
^$(dirname "$TMP")$
^/usr(/(bin|local|[a-z0-9_]+-linux-gnu))?$
^/usr/(local/)?include(/[a-z0-9_-]+)*$
^/usr/bin/([a-z0-9_]+-linux-gnu-)?(as|gcc|cc|ld(\.bfd)?)(-[0-9]+)?$
^/usr/share/locale/
^/(usr/)?lib(64|32|x32)?(/|$).*(gcc|bfd-plugins|ldscripts|gconv|locale|\.\./lib)
/(specs|\.|-|<stdin>|g?nm|g?strip)$
/(cc|spile-)[A-Za-z0-9]{6}(\.|$)
E
if cc -v 2>&1 | grep -q '^gcc version'; then
	seen 'probe begin { println(&@cast(0, "struct stat", "<sys/stat.h>")->st_size) exit() }'
fi

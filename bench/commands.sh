# SPDX-License-Identifier: GPL-2.0-or-later
# bench/run reads this: commands, from their start to their end.

vmlinux=$(ls /usr/lib/debug/boot/vmlinux-6.1.*-cloud-amd64 2>/dev/null | tail -n 1)
release=${vmlinux##*/vmlinux-}

# raced WHAT GOAL-S GOAL-MB PEER-NAME [PEER COMMAND...]: the command in `ours` beside the peer's.
raced()
{
	local what=$1 goal_s=$2 goal_mb=$3 name=$4
	shift 4
	wanted "$what" || return 0
	[ $# = 0 ] || have "$1" "no $name" || set --
	race "$@"
	row "$what" s "$goal_s" "$our_s" "$name" "$their_s"
	row "" MB "$goal_mb" "$our_mb" "$name" "$their_mb"
}

seed_row()
{
	local peer=()
	local what="seed script, passes 1-4, offline vmlinux"
	local seed='probe kernel.function("ksys_read") { printf("ksys_read(%d): %d, %d\n", pid(), $fd, $count); exit(); }'
	wanted "$what" || return
	if [ -e "/lib/modules/$release/build/.config" ]; then
		peer=(stap --runtime=bpf -r "$release" -p4 -m seed -e "$seed")
	else
		note "systemtap did not compile: it needs linux-headers-$release"
	fi
	ours=("${cold[@]}" "$spile" -r "$release" -p4 -o "$work/seed.spo" -e "$seed")
	raced "$what" 0.15 120 systemtap "${peer[@]}"
}

# listed GOAL-COLD GOAL-WARM GOAL-MB OPTION POINT [PEER-NAME PEER COMMAND...]: what it takes to list a point.
listed()
{
	local cold_goal=$1 warm_goal=$2 mb_goal=$3 option=$4 point=$5
	shift 5
	wanted "$option $point" || return 0
	ours=("${cold[@]}" "$spile" -r "$release" "$option" "$point")
	raced "$option $point" "$cold_goal" "$mb_goal" "${@:-}"
	ours=("${warm[@]}" "$spile" -r "$release" "$option" "$point")
	"${ours[@]}" >/dev/null 2>&1
	race
	row "  the same, with a saved index" s "$warm_goal" "$our_s" "" -
}

# SystemTap takes minutes for every function of a kernel, so that row is ours alone.
list_rows()
{
	local point
	point='kernel.function("vfs_read")'
	listed 0.08 0.03 - -L "$point" "perf probe -V" perf probe -k "$vmlinux" -V vfs_read
	point='kernel.function("vfs_*")'
	listed 0.10 0.03 - -l "$point" "perf probe -F" perf probe -k "$vmlinux" -F 'vfs_*'
	point='kernel.function("*@fs/*.c")'
	listed 0.8 0.4 - -L "$point"
	point='kernel.statement("*@fs/read_write.c:*")'
	listed 0.3 0.15 - -L "$point"
	point='kernel.function("*")'
	listed 1.0 1.0 150 -L "$point"
	first_line_row "-L $point, its first line" -L "$point"
}

# A large program in C++: its debug information is 230 MB, compressed.
program_row()
{
	local point='process("/usr/bin/ceph-osd").function("*")'
	wanted "-l $point" || return 0
	"$spile" --no-cache -l 'process("/usr/bin/ceph-osd").function("OSD::init@OSD.cc")' >"$work/found" 2>/dev/null ||
		{ note "no large program was listed: apt-get install ceph-osd ceph-osd-dbg"; return; }
	ours=("${cold[@]}" "$spile" -l "$point")
	raced "-l $point" 5 500 ""
	ours=("${warm[@]}" "$spile" -l "$point")
	"${ours[@]}" >/dev/null 2>&1
	race
	row "  the same, listed before" s 0.3 "$our_s" "" -
}

# Lines are shown as they are found: what it takes until there is one.
first_line_row() # WHAT OPTION POINT
{
	wanted "$1" || return 0
	mkfifo "$work/lines"
	ours=("${cold[@]}" sh -c '"$@" >lines & read -r line <lines; kill $!' sh "$spile" -r "$release" "$2" "$3")
	race
	row "$1" s 0.05 "$our_s" "" -
}

start_rows()
{
	ours=("${cold[@]}" "$spile" -e 'probe begin { exit() }')
	raced "begin { exit() }, start to exit" 0.015 - bpftrace "$bpftrace" -e 'BEGIN { exit() }'
	"$spile" -p4 -o "$work/begin.spo" -e 'probe begin { exit() }' >/dev/null
	ours=("$build/spile-run" "$work/begin.spo")
	raced "  the same, compiled before, by spile-run" 0.003 6 ""
	ours=("${cold[@]}" "$spile" -p2 -e 'probe syscall.* { println(name, " ", argstr) }')
	raced "syscall.* with argstr, passes 1-2" 0.35 - ""
	[ "$(id -u)" = 0 ] || return
	ours=("${cold[@]}" "$spile" -c "cat /dev/null" -e 'probe syscall.openat { exit() }')
	raced "syscall.openat, start to first event" 0.10 - bpftrace \
		"$bpftrace" -c "/bin/cat /dev/null" -e 'tracepoint:syscalls:sys_enter_openat { exit() }'
}

# A script that is found in the cache takes 10 ms more, at most, than its object takes to be loaded, attached and ended.
cached_row()
{
	local script="probe process(\"$meter\").function(\"work\") { println(pid()) } probe begin { exit() }"
	wanted "a script found in the cache" || return 0
	"${warm[@]}" "$spile" -p4 -o "$work/cached.spo" -e "$script" >/dev/null || return 0
	ours=("${warm[@]}" "$spile" -e "$script")
	"${ours[@]}"
	race "$build/spile-run" "$work/cached.spo"
	row "a script found in the cache" s "$(awk -v run="${their_s% *}" 'BEGIN { print run + 0.01 }')" "$our_s" spile-run "$their_s"
}

command_rows()
{
	local ours=() our_s our_mb their_s their_mb
	if [ -n "$vmlinux" ]; then
		seed_row
		list_rows
	else
		note "nothing compiled against an offline kernel: apt-get install linux-image-cloud-amd64-dbg"
	fi
	program_row
	start_rows
	cached_row
}

# SPDX-License-Identifier: GPL-2.0-or-later
# Who can set which probe: privileges.table says that it works, or what is said to be missing.
. "$SUITE/lib.sh"
for tool in setpriv unshare; do
	command -v $tool >/dev/null || skip "no $tool (util-linux)"
done
# Files of its own: ordinary users see those of all processes, and other cases run the same programs.
room=$(mktemp -d "$PROGS/privileges.XXXXXX")
trap 'rm -rf "$room"' EXIT
chmod 755 "$room"
cp "$PROGS/calls" "$PROGS/marks" "$room"
ordinary() { setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps="$1" --ambient-caps="$1" "${@:2}"; }
as() # WHO COMMAND...
{
	case $1 in
	root) "${@:2}" ;;
	bpf) ordinary +bpf,+perfmon "${@:2}" ;;
	admin) ordinary +sys_admin "${@:2}" ;;
	nobody) ordinary -all "${@:2}" ;;
	namespace) ordinary -all unshare --user --map-root-user "${@:2}" ;;
	container) # without tracefs and debugfs
		unshare --mount sh -c 'umount -l /sys/kernel/debug/tracing /sys/kernel/tracing /sys/kernel/debug 2>/dev/null; exec "$@"' - "${@:2}" ;;
	esac
}
as bpf test -x "$room/calls" || skip "an ordinary user cannot reach $PROGS, or these capabilities are not to be had"
as namespace true 2>/dev/null || has_namespaces=no # as in a chroot
declare -A points=(
	[uprobe]="process(\"$room/calls\").function(\"add\")" [usdt]="process(\"$room/marks\").mark(\"step\")"
	[raw]='kernel.trace("sched_switch")' [tp]='kernel.trace("syscalls:sys_enter_read")' [syscall]='kernel.syscall("read")'
	[kprobe]='kprobe.function("vfs_read")' [fentry]='kernel.function("vfs_read")' [timer]='timer.ms(10)' [profile]='timer.profile'
	[perf]='perf.type(1).config(0)' [user]="process(\"$room/calls\").function(\"add\")" [end]="process(\"$room/calls\").end" )
wrong=0 rows=0
miss() { echo "$who | $probe: $1"; sed 's/^/	/' out err; wrong=1; }
"$SPILE_RUN" --describe >target
grep -q '^features .*\<uprobe-multi\>' target || has_multi=no
while IFS='|' read -r who probe wanted; do
	who=${who// /} probe=${probe// /} wanted=${wanted# } rows=$((rows + 1))
	case $probe in
	user) engine=user ;;
	uprobe | usdt) engine=kernel ;;
	*) engine=auto ;;
	esac
	# Where uprobes are events of tracefs, more is needed; root/capabilities has that.
	[ "$who:$engine:${has_multi-}" = bpf:kernel:no ] && continue
	[ "$who:${has_namespaces-}" = namespace:no ] && continue
	as $who timeout 60 "$SPILE" -v --engine=$engine -w -T 20 -c "sh -c '$room/calls 2; $room/marks; sleep 20'" \
		-e "probe ${points[$probe]} { println(\"hit\") exit() }" >out 2>err </dev/null
	status=$?
	if [[ $wanted == works* ]] && grep -qx hit out && [ $status = 0 ]; then
		continue
	fi
	case $wanted in
	works) wanted='this kernel has no kprobes .*' ;;
	works,*) wanted=${wanted#works, or } ;;
	esac
	grep -qE -- "($wanted)\$" err && [ $status = 3 ] || { grep -qE -- "($wanted)\$" err && [ $probe$status = tp1 ]; } ||
		miss "status $status, expected: $wanted"
done < <(grep -v '^#' "$SUITE/root/privileges.table")
[ $rows -gt 50 ] || fail "only $rows rows"
exit $wrong

# SPDX-License-Identifier: GPL-2.0-or-later
# The examples of spile(1) run: those behind `.\" example:` in the user engine, those behind `.\" example-kernel:` as far as they
# compile for a kernel that there is debug information of.
. "$SUITE/lib.sh"
gcc -g -O2 -o work "$TOP/examples/quickstart/work.c" || fail "work.c does not compile"
awk '/^\.\\" example(-kernel)?:/ { kind = $2; sub(/:/, "", kind); next }
     /^\.Bd / && kind { file = kind "." ++n; inside = 1; kind = ""; next }
     /^\.Ed/ { inside = 0 }
     inside { gsub(/\\e/, "\\"); print > file }' "$TOP/compiler/cli/spile.1"
[ -e example.1 ] || fail "no examples"
kernel=$(ls /usr/lib/debug/boot 2>/dev/null | sed -n 's/^vmlinux-//p' | tail -n 1)
compile() # but for -T, which a compiled script does not keep
{
	local args=()
	for ((; $#; )); do
		[ "$1" != -T ] || { shift 2; continue; }
		args+=("$1")
		shift
	done
	"$SPILE" -r "$kernel" -p4 -o x.spo "${args[@]}"
}
spile() # as the example calls it
{
	case "$mode $*" in
	example-kernel*" -L "* | example-kernel*" --vars "*) "$SPILE" -r "$kernel" "$@" ;;
	example-kernel*) compile "$@" ;;
	*) "$SPILE" --engine=user "$@" ;;
	esac
}
for example in example.* example-kernel.*; do
	mode=${example%%.*}
	[ "$mode" = example ] || [ -n "$kernel" ] || continue
	(. "./$example") >out 2>err || fail "exit status $?: $(cat "$example")"
	quiet
	[ -s out ] || fail "nothing was printed: $(cat "$example")"
done

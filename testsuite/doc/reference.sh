# SPDX-License-Identifier: GPL-2.0-or-later
# `spile --doc` knows every public name: functions and aliases of the library, forms of probe points, words and operators of the
# language, options, diagnostics, examples; it tells what was meant, and takes neither privileges nor the compiler's libraries.
. "$SUITE/lib.sh"
reference=$BUILD/tapsets-made/reference
sed -n 's/^= //p' "$reference" | cut -f2 | tr ' ' '\n' | sort -u >known
sed -n '/^[^= ]/p' "$reference" | head -n 1 >stray
[ ! -s stray ] || fail "a line that belongs to no entry: $(cat stray)"
{
	"$SPILE" --dump-functions | sed -E 's/^function ([@A-Za-z_0-9]+).*/\1/; s/[: (].*//'
	"$SPILE" --dump-probe-aliases | sed -E 's/^probe //; s/ .*//'
	cd "$TOP/compiler" || exit 1
	sed -nE 's/^TOK_KEY\([A-Z_]*, "(.*)"\)/\1/p' front/token.def
	sed -nE 's/^TOK_OP\([A-Z_]*, "(.*)"\)/\1/p' front/token.def | grep -vxE -- '->|\*\*|[],;()[{}]|\+=|-='
	sed -nE 's/^OPERATOR\([A-Z_]*, "(.*)"\)/\1/p' front/operator.def
	sed -nE 's/^DIAG\([A-Z_0-9]*, "([A-Z0-9]*)".*/\1/p' front/diag.def
	sed -nE 's/^OPTION\("([a-z-]*)".*/--\1/p' cli/option.def
	ls "$TOP"/examples/*/*.stp | sed 's,.*/,,; s/\.stp$//'
} | grep -vE '^$|^_|^(nd|dw|tp)_syscall\.' | sort -u | comm -23 - known >missing
[ ! -s missing ] || fail "no entry of $(tr '\n' ' ' <missing)"
# A form of a probe point that is not explained itself belongs to one that is.
"$SPILE" --dump-probe-types | sed -E 's/\([^)]*\)//g; s/\.\*$//' | sort -u |
	awk 'NR == FNR { is_known[$0] = 1; next }
	     { for (form = $0; !(form in is_known) && sub(/\.[^.]*$/, "", form);) ; if (!(form in is_known)) print }' known - >missing
[ ! -s missing ] || fail "no entry of $(tr '\n' ' ' <missing)"

expect 0 "$SPILE" --doc strlen
is 'strlen:long (string) - length of a string in bytes
    [function, spile-builtins(7)]'
expect 0 "$SPILE" --doc 'kernel.function("vfs_read").return'
prints '^kernel\.function\("NAME"\)\.return$'
expect 0 "$SPILE" --doc 'strlen(x)'
prints '^strlen:long'
expect 0 "$SPILE" --doc e502
prints '^E502: target variable without a value here$'
expect 0 "$SPILE" --doc l
prints '^-l point$'
expect 0 "$SPILE" --doc --stop-after=parse
prints '^--stop-after=pass$'
expect 0 "$SPILE" --doc foreach
prints '^foreach \(KEY in ARRAY\) STATEMENT'
expect 0 "$SPILE" --doc 'syscall.openat.return'
prints '^probe syscall\.openat\.return - '
expect 0 "$SPILE" --doc nd_syscall.openat
prints '^nd_syscall\.NAME, '
expect 0 "$SPILE" --doc vfs.block_sync_page.return
prints '^    Instead: '
expect 0 "$SPILE" --doc kstack
is 'kstack, in bpftrace
    Here: backtrace()
    [spile-bpftrace(7)]'
expect 0 "$SPILE" --doc 'task_*cpu'
is 'task_cpu:long (task) - the processor that it runs on, or ran on last
    [function, spile-task(7)]
task_rlimit_cpu:long (task) - its limit: seconds of a processor
    [function, spile-task(7)]'
expect 1 "$SPILE" --doc strlne
says "^spile: nothing is called 'strlne'; did you mean 'strlen'.*\?$"
expect 0 "$SPILE" --doc segment
says "^spile: nothing is called 'segment'"
prints '^probe tcp\.receive - a segment arrives$'
expect 0 "$SPILE" -i <<<'help strlen'
prints '^strlen:long'
LD_DEBUG=libs expect 0 "$SPILE" --doc strlen
! grep -qE 'calling init: .*lib(spile|LLVM|dw)' err || fail 'the compiler is loaded'

# What a build in the source's own folder makes is the same.
(cd "$TOP" && docs/reference.sh . "$BUILD/tapsets-made") | cmp - "$BUILD/tapsets-made/reference" || fail "another reference of an in-tree build"

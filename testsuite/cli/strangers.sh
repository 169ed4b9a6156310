# SPDX-License-Identifier: GPL-2.0-or-later
# Generated programs: parameters, locals and results of all classes are what the program has, or absent where they are optimised out.
# (make check-strangers has more of them.)
. "$SUITE/lib.sh"
[ "$(uname -m)" = x86_64 ] || skip "the options are for x86_64"
command -v python3 >/dev/null || skip "needs python3"
export SPILE
n=0

# right LEAST SEED FUNCTIONS COMPILER OPTION...
right()
{
	least=$1
	shift
	command -v "$3" >/dev/null || return 0
	case "$*" in *" -m32 "*) runs_32_bits || return 0 ;; esac
	"$SUITE/strangers/try" "$@" >out 2>err
	case $? in
	0) ;;
	77) return 0 ;;
	*) fail "$*" ;;
	esac
	[ "$(sed -n 's/ right,.*//p' out)" -ge "$least" ] || fail "$*: too few"
	n=$((n + 1))
}

right 150 2 40 gcc -O2 -flto # the code is described in units of "GNU GIMPLE"
right 200 2 40 clang-19 -O2 # a long double that the prologue stores
right 250 22 60 gcc -Os # constants without a sign
right 300 2 40 gcc -m32 -O0 # results in st(0)
right 200 1 40 clang-19 -m32 -O2 # what the caller has passed on the stack is copied late
right 150 3 40 clang-14 -m32 -O2 -gdwarf-4 # a register that has half of a number
right 180 1 40 rustc # a parameter whose address the prologue stores
right 180 4 40 rustc -O
[ $n -gt 0 ] || skip "no compiler"

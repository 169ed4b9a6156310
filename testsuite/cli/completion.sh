# SPDX-License-Identifier: GPL-2.0-or-later
# What bash completes, as its completion calls the function of the file that is installed; that zsh and fish can read theirs.
. "$SUITE/lib.sh"
mkdir bin
ln -s "$SPILE" bin/spile
ln -s "$SPILE_RUN" bin/spile-run
PATH=$PWD/bin:$PATH
compopt() { :; } # works within a completion alone
. "$TOP/packaging/completion/spile.bash"
# completes WANT COMMAND WORD...: the last word becomes these, one of which WANT matches.
completes()
{
	local want=$1
	shift
	COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
	case $1 in
	spile) _spile "$1" "${@: -1}" "${@: -2:1}" ;;
	spile-run) _spile_run "$1" "${@: -1}" "${@: -2:1}" ;;
	esac
	printf '%s\n' "${COMPREPLY[@]}" >out
	grep -qxE -- "$want" out || fail "$*: not completed to $want"
}
completes '--suppress-handler-errors' spile --supp
[ "$(wc -l <out)" = 2 ] || fail "too many"
completes '--flamegraph=' spile --fl
completes '-L' spile -
grep -qxE -- '-b|-B|--ldd|--modinfo=?' out && fail "options without effect"
completes 'pack' spile pa
completes 'opensnoop' spile opens
completes 'verify' spile pack ver
completes 'prune' spile cache p
completes 'timer\.profile' spile -l timer.pro
completes 'probe timer\.profile' spile -e 'probe timer.pro'
completes 'probe begin \{ print_backtrace\(' spile -e 'probe begin { print_backt'
completes "process\\(\"$PROGS/calls\"\\)\\.function\\(\"add.*" spile -l "process(\"$PROGS/calls\").function(\"ad"
completes '--describe' spile-run --de
completes '--require-signature' spile-run --
: >x.spo
completes 'x\.spo' spile-run x
completes 'x\.spo' spile pack sign x
expect 2 "$SPILE" complete nothing
says '^Usage: spile complete options '
expect 0 "$SPILE" complete script 'probe nosuch.famil'
quiet
is ''
for shell in zsh fish; do
	command -v $shell >/dev/null || continue
	for command in spile spile-run; do
		file=_$command
		[ $shell = zsh ] || file=$command.fish
		expect 0 $shell -n "$TOP/packaging/completion/$file"
		quiet
	done
done

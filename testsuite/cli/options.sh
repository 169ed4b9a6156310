# SPDX-License-Identifier: GPL-2.0-or-later
# What the command line takes and refuses.
. "$SUITE/lib.sh"
expect 0 "$SPILE" --version
prints '^spile .*[0-9]+\.[0-9]+'
prints 'SystemTap, up to version [0-9]+\.[0-9]+' # scripts that wrap stap look for "version N.N"
expect 0 "$SPILE" -V
expect 0 "$SPILE" --help
prints '^Usage: spile'
expect 0 "$SPILE" -h
for o in -e -I -D -G -g -w -W -u -r -c -x -p -o -m -k -T -v -l -L --explain --diag=json --dump --stop-after --engine; do
	prints "(^|[ ,])$o(\[?=|[] ,]|$)"
done
expect 2 "$SPILE"
says '^spile: a script is missing$'
says "^Try 'spile --help'\.$"
expect 2 "$SPILE" --no-such-option
says "^spile: unrecognized option '--no-such-option'$"
says "^Try 'spile --help'\.$"
expect 2 "$SPILE" -e
says "^spile: option requires an argument -- 'e'$"
says "^Try 'spile --help'\.$"
for second in -l -L --lines --doc; do
	expect 2 "$SPILE" -l 'timer.*' $second begin
	says '^spile: only one of -l, -L, -i, --pack and the like can be given$'
done
expect 0 "$SPILE" -l 'timer.*' --version
prints '^spile '
expect 2 "$SPILE" -p 6 -e 'probe begin { exit() }'
says "^spile: -p takes a pass from 1 to 5, not '6'$"
expect 2 "$SPILE" -p x -e 'probe begin { exit() }'
says "^spile: -p takes a pass from 1 to 5, not 'x'$"
expect 2 "$SPILE" -x notapid -e 'probe begin { exit() }'
says "^spile: -x takes a process id, not 'notapid'$"
expect 2 "$SPILE" -T soon -e 'probe begin { exit() }'
says "^spile: -T takes a number of seconds, not 'soon'$"
expect 2 "$SPILE" --engine=steam -e 'probe begin { exit() }'
says "^spile: --engine is auto, kernel or user, not 'steam'$"
expect 2 "$SPILE" --diag=xml -e 'probe begin { exit() }'
says "^spile: --diag is text or json, not 'xml'$"
for option in -l -L; do
	expect 2 "$SPILE" $option ''
	says "^spile: $option takes a probe point, or a name$"
done
expect 2 "$SPILE" --doc ''
says '^spile: --doc takes a name$'
expect 2 "$SPILE" --in "$PROGS/work" -e 'probe begin { exit() }'
says '^spile: --in is for --funcs, --lines, --vars and --types$'
expect 2 "$SPILE" --range -l 'timer.*'
says '^spile: --range is for --vars$'
expect 2 "$SPILE" --externs --lines handle_job --in "$PROGS/work"
says '^spile: --externs is for --vars$'
for version in '' newest; do
	expect 2 "$SPILE" --compatible=$version -e 'probe begin { exit() }'
	says "^ERROR: --compatible=$version: not a version of SystemTap, such as 1\.8$"
done
expect 2 "$SPILE" --dump=nosuch -e 'probe begin { exit() }'
says "^ERROR: there is no pass 'nosuch'; --list-passes names them$"
expect 0 "$SPILE_RUN" --version
expect 0 "$SPILE_RUN" --help
expect 2 "$SPILE_RUN"
says '^spile-run: which script is to be run\?$'
expect 2 "$SPILE_RUN" script.spo 5
says '^spile-run: one script is run, whose arguments spile -p4 takes$'
expect 2 "$SPILE_RUN" --no-such-option
says "^spile-run: unrecognized option '--no-such-option'\$"
says "^Try 'spile-run --help'\.\$"
expect 2 "$SPILE_RUN" -x
says "^spile-run: option requires an argument -- 'x'\$"
says "^Try 'spile-run --help'\.\$"
# What was meant: by its spelling, by a part of the name, by its other letter. What getopt_long(3) names itself is not said twice.
meant() # COMMAND OPTION HINT
{
	expect 2 "$1" "$2"
	[ "$(sed 1d err)" = "Did you mean '$3'?
Try '${1##*/} --help'." ] || fail "no '$3' for $1 $2"
}
meant "$SPILE" --dump-probe-typs --dump-probe-types
meant "$SPILE" --dump-probes --dump-probe-types
meant "$SPILE" --aliases --dump-probe-aliases
meant "$SPILE" --dump_functions --dump-functions
meant "$SPILE" --flamgraph=stacks.svg --flamegraph
meant "$SPILE" -X -x
meant "$SPILE_RUN" --suppress-handlers-errors --suppress-handler-errors
meant "$SPILE_RUN" --jsonn=1 --json
meant "$SPILE_RUN" -C -c
for wrong in -Z --no-such-option --remote-p --json=1 "-$(printf '\303\251')"; do
	expect 2 "$SPILE" "$wrong"
	! grep -q '^Did you mean' err || fail "$wrong: what is meant?"
	[ "$(grep -c "^Try 'spile --help'\.$" err)" = 1 ] || fail "$wrong: no help"
done
expect 2 "$SPILE" --remote-p
says "^spile: option '--remote-p' is ambiguous; possibilities: '--remote-parallel' '--remote-prefix'$"
# As getopt_long(3) takes them: letters together, an argument behind its letter, beginnings of names, options behind the script.
expect 0 "$SPILE" -vwe 'probe begin { println(4) exit() }' -T5
is 4
expect 0 "$SPILE" --eng=user -G n=3 -e 'global n = 1 probe begin { println(n) exit() }' --no-cache
is 3
expect 2 "$SPILE" pack sign -q
says "^spile pack sign: invalid option -- 'q'\$"
says '^Usage: '
# What a compiled script does not keep is said: its errors would end it, and nobody would know why.
expect 0 "$SPILE" -p4 -t -T 3 --suppress-handler-errors -o kept.spo -e 'probe begin { println(1) exit() }'
for o in -t -T --suppress-handler-errors; do
	says "^WARNING: the compiled script does not keep $o: it is an option of spile-run$"
done
expect 0 "$SPILE" -p4 -w --suppress-handler-errors -o kept.spo -e 'probe begin { println(1) exit() }'
quiet
expect 0 "$SPILE" -T 3 --suppress-handler-errors -k -e 'probe begin { println(1) exit() }'
[ "$(wc -l <err)" = 1 ] || fail "more than Keeping is said"

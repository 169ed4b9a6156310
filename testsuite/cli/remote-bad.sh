# SPDX-License-Identifier: GPL-2.0-or-later
# --remote to hosts with which something is wrong: each gets its message, and spile ends.
. "$SUITE/lib.sh"
export XDG_CACHE_HOME=$PWD/cache
hello='probe begin { println("hello") exit() }'
mkdir tmp full bin
ln -s "$SPILE_RUN" bin/spile-run
# remote STATUS COMMAND: runs the script at the host `a`, whose shell is this command.
remote() { expect "$1" timeout 60 "$SPILE" --remote-shell "$2" --remote a -e "$hello"; }
# shell NAME: such a shell; what stdin has is done before the COMMAND, $0.
shell()
{
	{
		printf '#!/bin/bash\nwhile [ $# -gt 2 ]; do shift; done\nexport TMPDIR=%s/tmp\nset -- "$2"\n' "$PWD"
		cat
	} >"$1"
	chmod +x "$1"
}

# No ssh, and none that answers.
remote 1 /nonexistent/ssh
says '^ERROR: a: cannot be reached: /nonexistent/ssh has ended with status 127$'
printf '#!/bin/sh\necho welcome\necho "this account is closed"\nexit 1\n' >closed
chmod +x closed
remote 1 ./closed
says '^ERROR: a: cannot be reached: \./closed has ended with status 1; it says: this account is closed$'
# One that never ends to greet.
remote 1 yes
says '^ERROR: a: says what is not understood$'
[ "$(wc -l <err)" = 1 ] || fail "more than that is said"
# One that knows what is to be said, and says it to get all memory, to write on the terminal, or for ever.
shell greedy <<'S'
read -r first
eval "$first"
case $GREEDY in
twice) printf '%sget runner %s\n' "$mark" "$(uname -m)" "$mark" "$(uname -m)" ;;
unasked) printf '%sruns\n%sdescribed\n' "$mark" "$mark" ;;
early) printf '%sget script\n' "$mark" ;;
colour) printf '%sfails \033]0;title\007 \302\233 \200 \303\244\n' "$mark" ;;
endless)
	printf '%s' "$mark"
	head -c 200000 /dev/zero | tr '\0' x
	;;
esac
exec cat >/dev/null
S
for GREEDY in twice:'get runner .*' unasked:runs early:'get script'; do
	GREEDY=${GREEDY%%:*} remote 1 ./greedy
	says "^ERROR: a: says what is not understood: ${GREEDY#*:}$"
done
GREEDY=colour remote 1 ./greedy
says '^ERROR: a: \\033\]0;title\\007 \\302\\233 \\200 ä$'
GREEDY=endless remote 1 ./greedy
says '^ERROR: a: says what is not understood$'
# A login shell of another sort.
if command -v fish >/dev/null; then
	shell strange <<<'exec fish -c "$1"'
	remote 0 ./strange
	is hello
fi

# No room for spile-run, or for the number of its process.
shell tight <<<'trap "" XFSZ; ulimit -f 1; exec sh -c "$1"'
remote 1 ./tight
says "^ERROR: a: spile-run cannot be written in $PWD/tmp/spile\.[A-Za-z0-9]+$"
if unshare -m mount -t tmpfs none full 2>/dev/null; then
	shell full.sh <<<'export PATH=$PWD/bin:$PATH TMPDIR=$PWD/full; exec unshare -m sh -c "mount -t tmpfs -o size=8k none full; exec sh -c \"\$0\"" "$1"'
	remote 1 ./full.sh
	is ''
	says 'spile\.[A-Za-z0-9]+/pid: '
	shell never.sh <<<'export TMPDIR=$PWD/full; exec unshare -m sh -c "mount -t tmpfs -o noexec none full; exec sh -c \"\$0\"" "$1"'
	remote 3 ./never.sh
	says '^ERROR: a: spile-run does not run there: .*/spile-run: Permission denied; install it there, or make spile-run-static here$'
fi
[ -z "$(ls -A tmp)" ] || fail "left there: $(ls -A tmp)"

# Gone while the script is compiled.
shell vanish <<<'export PATH=$PWD/bin:$PATH; exec 4<&0; sed "/described/q" < <(exec sh -c "$1" <&4); exit 255'
remote 1 ./vanish
says '^ERROR: a: is gone before the script has ended: \./vanish has ended with status 255$'
is_empty() { [ -z "$(ls -A tmp)" ]; }
wait_for 20 is_empty

# Another version of spile-run: one whose description is of tomorrow, and one that takes no script of today.
mkdir other
shell versions <<<'export PATH=$PWD/other:$PATH; exec sh -c "$1"'
printf '#!/bin/sh\necho "spile-target 9"\n' >other/spile-run
chmod +x other/spile-run
remote 4 ./versions
says '^ERROR: a: target description of version 9; versions up to 1 are understood$'
cat >other/spile-run <<S
#!/bin/bash
[ "\$*" = --describe ] && exec "$SPILE_RUN" --describe
printf '\377\377' | dd of="\${!#}" bs=1 seek=\$(("\$(grep -abo SPIL "\${!#}" | head -n 1 | cut -d: -f1)" + 4)) conv=notrunc status=none
exec "$SPILE_RUN" "\$@"
S
remote 4 ./versions
says '^ERROR: .*/script\.spo: made by a newer spile \(format version 65535, this runtime knows up to [0-9]+\): update spile-run, or compile the script again with the older spile$'
[ -z "$(ls -A tmp)" ] || fail "left there: $(ls -A tmp)"

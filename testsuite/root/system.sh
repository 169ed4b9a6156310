# SPDX-License-Identifier: GPL-2.0-or-later
# A handler in the kernel has a command run, and sends a signal.
cat >run.stp <<'STP'
probe process(@1).function("tick") { system("echo " . execname() . " >one; mv one done") }
STP
"$SPILE" -c "$BUILD/testsuite/progs/once" run.stp "$BUILD/testsuite/progs/once" || exit 1
for _ in $(seq 100); do [ -e done ] && break; sleep 0.1; done
[ "$(cat done)" = once ] || exit 1

for engine in kernel user; do
	"$SPILE" -g --engine=$engine -c "$BUILD/testsuite/progs/once" \
		-e 'probe process(@1).function("tick") { println(__raise(10)) }' "$BUILD/testsuite/progs/once" >out 2>err
	[ "$(cat out)" = 0 ] && grep -q 'signal 10' err || { cat out err; exit 1; }
done

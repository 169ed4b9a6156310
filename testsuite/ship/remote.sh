# SPDX-License-Identifier: GPL-2.0-or-later
# --remote to a guest: a script is compiled here for the kernel there, which is another one, and spile-run is sent to it.
. "$SUITE/lib.sh"
command -v qemu-system-x86_64 >/dev/null || skip "qemu-system-x86_64 is not installed"
release=$(ls /usr/lib/debug/boot 2>/dev/null | sed -n 's/^vmlinux-//p' | tail -n 1)
[ -n "$release" ] && [ -e "/boot/vmlinuz-$release" ] || skip "no kernel with debug information is installed"
. "$SUITE/sshd.sh"
port=$((20000 + $$ % 20000))
mkdir out-of-guest
sshd_conf /run/tmp >sshd.conf
cat >guest <<'E'
mkdir -p /run/sshd /run/tmp
/usr/sbin/sshd -D -f "$PWD/sshd.conf" -E /out/sshd.log &
until [ -e /out/end ]; do sleep 0.5; done
echo the guest ends
E
VM_SSH=$port VM_OUT=$PWD/out-of-guest VM_TIMEOUT=${VM_TIMEOUT:-500} "$TOP/testsuite/vm/run-in-vm" "$release" bash guest >guest.out 2>&1 &
guest=$!
trap 'touch out-of-guest/end; wait $guest' EXIT
known_host "[127.0.0.1]:$port" >known
wait_for 120 answers -p "$port" 127.0.0.1

cat >x.stp <<'S'
global reads
probe kernel.function("vfs_read") { if (pid() == target()) reads[$count]++ }
probe kernel.statement("vfs_read@fs/read_write.c:+6") { if (pid() == target() && $count == 4321) println("at a line: ", $count) }
probe end { println(reads[4321]) }
S
host=127.0.0.1:$port
expect 0 timeout 300 "$SPILE" --remote "ssh://$host" --json -c 'dd if=/dev/zero of=/dev/null bs=4321 count=1 status=none' x.stp
# Times, processes and CPUs are the guest's.
sed -E 's/"(time|cpu|pid|tid)":[0-9]+,//g; s/read_write\.c:[0-9]+/read_write.c:LINE/' out | diff - <(cat <<E
{"host":"$host","type":"print","probe":"kernel.statement(\"vfs_read@fs/read_write.c:LINE\")","comm":"dd","text":"at a line: 4321\n","fields":{"\$count":4321}}
{"host":"$host","type":"print","probe":"end","comm":"spile-run","text":"1\n","fields":{"reads":1}}
E
) >differ || fail "other objects: $(cat differ)"

# It ends there when it ends here, and nothing is left.
"$SPILE" --remote "ssh://$host" -e 'probe timer.ms(50) { println("tick") } probe end { println("end") }' >out 2>err &
spile=$!
wait_for 120 grep -q '^tick$' out
kill -TERM $spile
wait $spile || fail "status $? at SIGTERM"
prints '^end$'
expect 0 $SPILE_SSH -oBatchMode=yes -p "$port" 127.0.0.1 'ls -A /run/tmp | wc -l'
is 0

# The guest goes away in the middle: that is said, and this machine goes on.
"$SPILE" --remote "ssh://$host" --remote direct: -e 'probe timer.ms(50) { println("tick") }' >out 2>err &
spile=$!
wait_for 120 grep -q "^$host: tick$" out
wait_for 120 grep -q "^direct: tick$" out
touch out-of-guest/end
wait_for 120 grep -qE "^ERROR: $host: is gone before the script has ended: ssh " err
kill -TERM $spile
wait $spile
[ $? = 1 ] || fail "the status does not tell of the host that is gone"
wait $guest || fail "the guest ended with status $?: $(cat guest.out)"
trap - EXIT
grep -q '^the guest ends$' guest.out || fail "the guest says: $(cat guest.out)"

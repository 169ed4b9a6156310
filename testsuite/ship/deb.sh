# SPDX-License-Identifier: GPL-2.0-or-later
# The Debian packages: lintian has nothing to remark, what is installed compiles and runs, and a signed script as a service is started,
# reloaded, refused when it was changed, stopped and purged in a guest with systemd.
. "$SUITE/lib.sh"
[ "$(id -u)" = 0 ] || skip "only root can install packages"
ls "$BUILD"/deb/*.changes >/dev/null 2>&1 || fail "make check-deb makes the packages"
for tool in lintian minisign dpkg systemctl qemu-system-x86_64; do
	command -v "$tool" >/dev/null || skip "$tool is not installed"
done
release=$(ls /usr/lib/debug/boot 2>/dev/null | sed -n 's/^vmlinux-//p' | tail -n 1)
[ -n "$release" ] && [ -e "/boot/vmlinuz-$release" ] || skip "no kernel with debug information is installed"

# Who makes them is not the packages' own.
expect 0 lintian --allow-root --suppress-tags bogus-mail-host,bogus-mail-host-in-debian-changelog,root-in-contact "$BUILD"/deb/*.changes
is ''
[ "$(ls "$BUILD"/deb/*.deb | grep -vc dbgsym)" = 3 ] || fail "there are other packages than spile, spile-runtime, spile-tapsets-doc"
expect 0 dpkg-deb -f "$BUILD"/deb/spile-runtime_*.deb Depends
! grep -qi llvm out || fail "spile-runtime needs LLVM"
expect 0 dpkg-deb -f "$BUILD"/deb/spile_*.deb Depends
grep -q libllvm out || fail "spile has an LLVM of its own"

# What runs as the service in the guest.
minisign -G -W -p team.pub -s team.key >/dev/null
for word in tick tock; do
	cat >$word.stp <<S
global switches
probe kernel.trace("sched:sched_switch") { switches++ }
probe timer.ms(200) { println("$word") }
probe end { println("end of $word ", switches > 0) }
S
	mkdir -p $word
	expect 0 "$SPILE" -p4 -r "$release" -o $word/count.spo $word.stp
	expect 0 "$SPILE" pack sign $word/count.spo -s team.key
done
cat >guest <<'G'
set -u
rm -f /usr/sbin/policy-rc.d # a container's, by which packages start and stop nothing
# Triggers (mandb) would open more files than the server of the file system can have.
fail() { echo "guest: $*"; journalctl -b -u 'spile@*' -o cat --no-pager | tail -n 20; exit 1; }
said() { for i in $(seq 60); do journalctl -b -u spile@count -o cat --no-pager | grep -qx "$1" && return; sleep 1; done; fail "nothing says $1"; }
became() { for i in $(seq 60); do [ "$(systemctl is-active spile@count)" = "$1" ] && return; sleep 1; done; fail "the service is not $1"; }

dpkg -i --no-triggers "$BUILD"/deb/spile_*.deb "$BUILD"/deb/spile-runtime_*.deb "$BUILD"/deb/spile-tapsets-doc_*.deb >/dev/null || fail "dpkg -i"
cd /
spile -p4 -o /tmp/hello.spo -e 'probe begin { println("hello") exit() }' || fail "spile"
[ "$(spile-run /tmp/hello.spo)" = hello ] || fail "spile-run"
man -w spile-vfs >/dev/null 2>&1 || [ -e /usr/share/man/man7/spile-vfs.7.gz ] || fail "no reference of the library"

cd "$TMP"
cp team.pub /etc/spile/require-signature
cp tick/count.spo* /etc/spile
echo 'OPTIONS=--prometheus 9393' >/etc/spile/count.conf
systemctl enable --now spile@count 2>/dev/null || fail "systemctl enable --now"
said tick
[ "$(sed -n 's/^CapBnd:\t0*//p' "/proc/$(systemctl show -P MainPID spile@count)/status")" = c400000000 ] || fail "it has other capabilities"
exec 3<>/dev/tcp/127.0.0.1/9393 || fail "no metrics"
printf 'GET /metrics HTTP/1.0\r\n\r\n' >&3
grep -qE '^[a-z_]*switches[a-z_]* [0-9]+' <&3 || fail "no metric"
exec 3>&-

cp tock/count.spo* /etc/spile
systemctl reload spile@count || fail "systemctl reload"
said 'end of tick 1'
said tock

# One that somebody has changed does not run.
printf x >>/etc/spile/count.spo
systemctl restart spile@count
said 'ERROR: .*/etc/spile/count.spo.*sign.*'
cp tock/count.spo /etc/spile
systemctl restart spile@count
became active

dpkg -r --no-triggers spile spile-runtime >/dev/null || fail "dpkg -r"
became inactive
said 'end of tock 1'
dpkg -P --no-triggers spile-runtime spile spile-tapsets-doc >/dev/null || fail "dpkg -P"
[ -z "$(find /etc/systemd -name 'spile@*')" ] || fail "a link is left"
[ -e /etc/spile/count.spo ] || fail "a file of /etc/spile that no package has brought is gone"
[ -z "$(dpkg -l 'spile*' 2>/dev/null | grep '^i')" ] || fail "a package is left"
[ ! -e /usr/share/spile ] && [ ! -e /usr/bin/spile-run ] && [ ! -e /lib/systemd/system/spile@.service ] || fail "files are left"
echo all of it
G
expect 0 env VM_SYSTEMD=yes VM_TIMEOUT=${VM_TIMEOUT:-600} "$TOP/testsuite/vm/run-in-vm" "$release" "BUILD=$BUILD TMP=$PWD bash guest"
prints '^all of it$'

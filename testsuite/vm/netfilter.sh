# SPDX-License-Identifier: GPL-2.0-or-later
# netfilter.hook(): the handler sees each packet, and in guru mode it says what becomes of it.
. "$SUITE/lib.sh"
ip link set lo up
expect 1 "$SPILE" -p4 -e 'probe netfilter.hook("NF_INET_INGRESS").pf("NFPROTO_IPV4") { println(1) }'
says '^semantic error: hooks are NF_INET_PRE_ROUTING, NF_INET_LOCAL_IN, NF_INET_FORWARD, NF_INET_LOCAL_OUT and NF_INET_POST_ROUTING \[E404\]$'
expect 1 "$SPILE" -p4 -e 'probe netfilter.hook("NF_INET_LOCAL_IN").pf("NFPROTO_ARP") { println(1) }'
says '^semantic error: the kernel lets BPF programs see packets of IPv4 and IPv6 alone: "NFPROTO_IPV4", "NFPROTO_IPV6" \[E404\]$'
expect 1 "$SPILE" -p4 -e 'probe netfilter.hook("NF_INET_LOCAL_IN").pf("PF_INET").priority("x") { println(1) }'
says '^semantic error: a priority is a number, or a name such as NF_IP_PRI_FILTER \[E404\]$'
expect 1 "$SPILE" -p4 -e 'probe netfilter.hook("NF_INET_LOCAL_IN").pf("PF_INET").priority(0x7fffffff) { println(1) }'
says '^semantic error: the kernel lets no BPF program be the very first or the very last of a hook \[E404\]$'
case $(uname -r) in
6.1.*)
	expect 1 "$SPILE" -p4 -e 'probe netfilter.hook("NF_INET_LOCAL_IN").pf("PF_INET") { println(1) }'
	says "^    note: the kernel calls no BPF programs at netfilter's hooks: that takes Linux 6.4 or later$"
	exit 0
	;;
esac
expect 0 "$SPILE" -L 'netfilter.hook("NF_INET_LOCAL_IN").pf("PF_INET")'
is 'netfilter.hook("NF_INET_LOCAL_IN").pf("PF_INET") $skb:struct sk_buff* $in:struct net_device* $out:struct net_device* $hooknum:u8 $pf:u8 $state:struct nf_hook_state* $verdict:int'
expect 1 "$SPILE" -p4 -e 'probe netfilter.hook("NF_INET_LOCAL_IN").pf("PF_INET") { $verdict = 0 }'
says '^semantic error: \$verdict is written, which needs guru mode \[E521\]$'
expect 1 "$SPILE" -g -p4 -e 'probe netfilter.hook("NF_INET_LOCAL_IN").pf("PF_INET") { println($verdict) }'
says '^semantic error: \$verdict is what the handler says: it can be assigned by =, and not be read \[E522\]$'
cat >talk.py <<'P'
import socket
to = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
to.bind(('127.0.0.1', 0))
to.settimeout(3)
of = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for text in b'one', b'three', b'nineteen':
    of.sendto(text, to.getsockname())
got = []
try:
    while len(got) < 3:
        got.append(to.recv(99).decode())
except socket.timeout:
    pass
print(*got)
P
# Packets of 28 bytes and the text.
cat >see.stp <<'S'
global n
probe netfilter.hook("NF_INET_LOCAL_OUT").pf("NFPROTO_IPV4").priority("NF_IP_PRI_RAW") {
	if ($skb->len <= 36) n["out", $skb->len, $hooknum, $pf, kernel_string($out->name)]++
}
probe netfilter.pf("PF_INET").hook("NF_IP_LOCAL_IN").priority(-7) {
	if ($skb->len <= 36) n["in", $skb->len, $hooknum, $state->pf, kernel_string($in->name)]++
}
probe end { foreach ([what, len+, hook, pf, name] in n) printf("%s %d %d %d %s\n", what, len, hook, pf, name) }
S
expect 0 "$SPILE" -c 'python3 talk.py' see.stp
sort out >sorted
[ "$(cat sorted)" = "in 31 1 2 lo
in 33 1 2 lo
in 36 1 2 lo
one three nineteen
out 31 3 2 lo
out 33 3 2 lo
out 36 3 2 lo" ] || fail "$(cat sorted err)"
expect 0 "$SPILE" -v -g -c 'python3 talk.py' -e 'probe netfilter.hook("NF_INET_LOCAL_IN").pf("PF_INET") { if ($skb->len == 33) $verdict = 0 }'
is 'one nineteen'
says '^probe netfilter\.hook\("NF_INET_LOCAL_IN"\)\.pf\("PF_INET"\): netfilter hook: each packet that passes$'
expect 1 "$SPILE" -g -c 'python3 talk.py' -e 'probe netfilter.hook("NF_INET_LOCAL_IN").pf("PF_INET") { $verdict = $skb->len == 33 ? 2 : 1 }'
is 'one three nineteen'
says '^ERROR: \$verdict must be 0, NF_DROP, or 1, NF_ACCEPT: a BPF program cannot say more near identifier '
# What the current task is, programs of this kind are not told: they read it.
expect 0 "$SPILE" -c 'python3 talk.py' -e 'probe netfilter.hook("NF_INET_LOCAL_OUT").pf("PF_INET") { if ($skb->len == 33)
	printf("%s %d %d %d %d %d\n", execname(), pid() == target(), tid() == pid(), uid(), gid(), euid()) }'
prints '^python3 1 1 0 0 0$'
# The object looks for what it reads.
expect 0 "$SPILE" -p4 -o see.spo see.stp
expect 0 "$SPILE_RUN" -c 'python3 talk.py' see.spo
prints '^in 33 1 2 lo$'

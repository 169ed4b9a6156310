# SPDX-License-Identifier: GPL-2.0-or-later
# For kernels before Linux 5.12, whose atomic operations do not tell what was there, handlers have none that do: to load one there would fail.
. "$SUITE/lib.sh"
command -v python3 >/dev/null || skip "no python3"
cat >insns.py <<'P'
# Of the code of a compiled script: how many atomic operations fetch.
import struct, sys
data = open(sys.argv[1], "rb").read()
shoff, = struct.unpack_from("<Q", data, 40)
shnum, = struct.unpack_from("<H", data, 60)
fetching = 0
for i in range(shnum):
    kind, flags, addr, offset, size = struct.unpack_from("<IQQQQ", data, shoff + i * 64 + 4)
    if kind != 1 or not flags & 4:
        continue
    for at in range(offset, offset + size, 8):
        code, regs, off, imm = struct.unpack_from("<BBhi", data, at)
        fetching += code in (0xdb, 0xc3) and imm & 1
print(fetching)
P
script="global seen[100]
probe process(\"$PROGS/calls\").function(\"add\") { seen[user_string(\$a)] = user_string(\$b) }
probe process(\"$PROGS/calls\").function(\"add\").return { println(execname(), 1 / \$return) exit() }"
for release in 5.10 5.12; do
	atomics=
	[ $release = 5.10 ] || atomics=' atomics fentry'
	cat >target <<T
spile-target 1
arch x86_64
release $release.0
cpus 2
hz 250
features bpf uprobe raw-tracepoint ringbuf kernel-read bounded-loops global-data$atomics
T
	expect 0 "$SPILE" -w --target target -p4 -o $release.spo -e "$script"
	python3 insns.py $release.spo >$release
done
# Nor has it bpf_loop: texts are gone through in plain loops.
expect 0 "$SPILE" -w --target target -p4 -o texts.spo -e "global a
probe process(\"$PROGS/calls\").function(\"add\") { a .= substr(execname(), 1, 2) . tokenize(sprintf(\"%d,\", pid()), \",\") }"
[ "$(cat 5.10)" = 0 ] || fail "atomic operations that fetch: $(cat 5.10)"
[ "$(cat 5.12)" != 0 ] || fail "none for the kernels that have them"

# SPDX-License-Identifier: GPL-2.0-or-later
# The user engine and objdump agree on how long instructions are, in all of libc, also that of 32-bit programs, libcrypto and this program.
. "$SUITE/lib.sh"
command -v objdump >/dev/null || skip "no objdump"
for file in /lib32/libc.so.6 "$(ldd "$SPILE" | sed -n 's/.*=> \(.*libc\.so[^ ]*\).*/\1/p')" "$(ldd "$SPILE" | sed -n 's/.*=> \(.*libcrypto\.so[^ ]*\).*/\1/p')" \
	"$SPILE"; do
	[ -e "$file" ] || continue
	case $file in /lib32/*) bits=32 ;; *) bits=64 ;; esac
	# What objdump cannot read, and prefixes that it shows as an instruction of their own, are left out.
	objdump -d -w --insn-width=16 "$file" | awk -F '\t' 'NF >= 3 && $3 !~ /\(bad\)|^\.byte|^(rex|data16|addr32|cs|ds|es|fs|gs|ss|lock|repz|repnz)[.A-Z0-9]* *$/ {
		gsub(/ /, "", $2); if (!seen[$2]++) print $2 }' >codes
	"$BUILD/testsuite/unit/insn_lengths" $bits <codes >differ 2>n
	[ -s differ ] && { head -20 differ; fail "$file: $(wc -l <differ) of $(cat n) differ"; }
	[ "$(cat n)" -gt 10000 ] || fail "$file has only $(cat n) instructions"
done
exit 0

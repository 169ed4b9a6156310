# SPDX-License-Identifier: GPL-2.0-or-later
# Signatures of compiled scripts: what minisign signs, spile-run and `spile pack verify` take, and the other way round. What was
# changed, signed by somebody else or not signed is not run. The operator's rule in /etc holds always.
. "$SUITE/lib.sh"
export LC_ALL=C HOME=$TMP
grep -q SODIUM_SONAME "$BUILD/Makefile" || skip "built without libsodium"
command -v minisign >/dev/null || skip "minisign is not installed"
minisign -G -W -p a.pub -s a.key >/dev/null || fail "minisign -G"
minisign -G -W -p b.pub -s b.key >/dev/null
a=$(tail -n 1 a.pub) b=$(tail -n 1 b.pub)
ours=$(tail -n 1 a.pub | base64 -d | tail -c +3 | head -c 8 | od -An -tx1 | tr a-f A-F | awk '{ for (i = 8; i; i--) printf $i }')
theirs=$(tail -n 1 b.pub | base64 -d | tail -c +3 | head -c 8 | od -An -tx1 | tr a-f A-F | awk '{ for (i = 8; i; i--) printf $i }')
expect 0 "$SPILE" -p4 -o x.spo -e 'probe begin { println("it runs") exit() }'

# Not signed.
expect 1 "$SPILE_RUN" --require-signature "$a" x.spo
is ''
says '^ERROR: x\.spo is not run: x\.spo is not signed: there is no x\.spo\.minisig$'

# Signed by minisign.
minisign -S -W -s a.key -m x.spo -t 'for the fleet' >/dev/null || fail "minisign -S"
for key in "$a" a.pub; do
	expect 0 "$SPILE" pack verify x.spo -p "$key"
	quiet
	is 'x.spo is signed: for the fleet'
	expect 0 "$SPILE_RUN" --require-signature "$key" x.spo
	quiet
	is 'it runs'
done
expect 0 "$SPILE_RUN" -v --require-signature a.pub x.spo
says '^x\.spo is signed: for the fleet$'
{ echo '# both of them'; cat b.pub a.pub; } >both.pub
expect 0 "$SPILE_RUN" --require-signature both.pub x.spo

# By another key.
expect 1 "$SPILE_RUN" --require-signature "$b" x.spo
is ''
says "^ERROR: x\.spo is not run: it is signed with the key $ours, which is not the key $theirs\$"
expect 1 "$SPILE" pack verify x.spo -p b.pub
is ''
says "^ERROR: x\.spo: it is signed with the key $ours, which is not the key $theirs\$"
# By another key that says to be ours.
{ base64 -d <<<"$b" | head -c 2; base64 -d <<<"$a" | tail -c +3 | head -c 8; base64 -d <<<"$b" | tail -c 32; } | base64 -w 0 >liar.pub
expect 1 "$SPILE_RUN" --require-signature "$(cat liar.pub)" x.spo
is ''
says '^ERROR: x\.spo is not run: its signature is not one of this content: the file was changed behind it$'

# Each sort of change.
cp x.spo.minisig good
printf '\1' | dd of=x.spo bs=1 seek=$(($(stat -c %s x.spo) / 2)) conv=notrunc status=none
expect 1 "$SPILE_RUN" --require-signature "$a" x.spo
is ''
says '^ERROR: x\.spo is not run: its signature is not one of this content'
expect 0 "$SPILE" -p4 -o x.spo -e 'probe begin { println("it runs") exit() }'
expect 0 "$SPILE_RUN" --require-signature "$a" x.spo
changed() # MESSAGE SED-SCRIPT
{
	sed "$2" good >x.spo.minisig
	expect 1 "$SPILE_RUN" --require-signature "$a" x.spo
	is ''
	says "^ERROR: x\.spo is not run: $1"
	expect 1 "$SPILE" pack verify x.spo -p "$a"
}
changed 'the trusted comment of its signature was changed$' '3s/fleet/float/'
changed 'x\.spo\.minisig is not a signature of minisign: that has four lines, ' 4d
changed 'x\.spo\.minisig is not a signature of minisign: ' '4p'
changed 'x\.spo\.minisig is not a signature of minisign: ' '1s/^u/U/'
changed 'x\.spo\.minisig: line 2 is not a signature of minisign$' '2s/.$//'
changed 'x\.spo\.minisig: line 2 is not a signature of minisign$' '2s/^R/-/'
changed 'x\.spo\.minisig: line 4 is not a signature$' '4s/A*==$/===/'
changed 'x\.spo\.minisig: its trusted comment is not UTF-8, or has control characters$' '3s/fleet/\x1b[2J/'
changed 'x\.spo\.minisig: its trusted comment is not UTF-8, or has control characters$' '3s/fleet/\xff/'
cp good x.spo.minisig
minisign -S -l -W -s a.key -m x.spo >/dev/null && {
	expect 1 "$SPILE_RUN" --require-signature "$a" x.spo
	says '^ERROR: x\.spo is not run: x\.spo\.minisig was made without hashing the file \(by minisign before 0\.10, or with its option -l\): sign the file again$'
}

# Signed by spile, with a secret key that is not encrypted, and one that is.
expect 0 "$SPILE" pack sign x.spo -s a.key -t 'made here'
quiet
is ''
expect 0 minisign -V -m x.spo -P "$a"
prints '^Trusted comment: made here$'
expect 0 "$SPILE_RUN" --require-signature "$a" x.spo
is 'it runs'
# As minisign -G makes it, but with the least work for scrypt, which would take three seconds a time.
python3 - <<'P' || fail "no encrypted key"
import base64, hashlib
key = base64.b64decode(open("a.key").read().split("\n")[1])
operations, memory, salt = 32768, 1 << 24, bytes(range(32))
part = key[54:126] + hashlib.blake2b(b"Ed" + key[54:126], digest_size=32).digest()
stream = hashlib.scrypt(b"secret", salt=salt, n=1024, r=8, p=1, dklen=104)
key = b"EdScB2" + salt + operations.to_bytes(8, "little") + memory.to_bytes(8, "little") + bytes(x ^ y for x, y in zip(part, stream))
open("c.key", "w").write("untrusted comment: encrypted\n" + base64.b64encode(key).decode() + "\n")
P
echo secret | minisign -S -s c.key -m x.spo >/dev/null || fail "minisign does not take the encrypted key"
echo secret | "$SPILE" pack sign -s c.key x.spo >out 2>err || fail "an encrypted key"
quiet
expect 0 minisign -V -H -m x.spo -p a.pub
prints '^Trusted comment: timestamp:[0-9]+	file:x\.spo	hashed$'
expect 0 "$SPILE" pack verify -p a.pub x.spo
echo secreT | "$SPILE" pack sign -s c.key x.spo >out 2>err && fail "a wrong password"
says '^ERROR: c\.key: wrong password for that secret key$'
expect 2 "$SPILE" pack sign -s c.key x.spo </dev/null
says '^ERROR: c\.key: the secret key is encrypted, and there is no password on standard input$'
expect 1 "$SPILE" pack sign x.spo
says "^ERROR: cannot open $TMP/\.minisign/minisign\.key: No such file or directory$"
mkdir .minisign
cp a.key .minisign/minisign.key
expect 0 "$SPILE" pack sign x.spo
expect 0 "$SPILE" pack verify x.spo -p a.pub

# What is no key.
expect 1 "$SPILE_RUN" --require-signature a.key x.spo
says '^ERROR: a\.key: line 2 is not a public key of minisign$'
expect 1 "$SPILE_RUN" --require-signature "${a%?}" x.spo
says '^ERROR: cannot open '
expect 1 "$SPILE_RUN" --require-signature /dev/null x.spo
says '^ERROR: /dev/null: there is no public key in it$'
expect 1 "$SPILE" pack sign -s a.pub x.spo
says '^ERROR: a\.pub: line 2 is not a secret key of minisign$'
sed '2s/^....../RWRTYw/' a.key >odd.key
expect 1 "$SPILE" pack sign -s odd.key x.spo
says '^ERROR: odd\.key: its algorithms are not known$'
{ sed 1q a.key; sed -n 2p a.key | base64 -d | { head -c 70; head -c 1 /dev/zero; tail -c +2; } | base64 -w 0; } >damaged.key
expect 1 "$SPILE" pack sign -s damaged.key x.spo
says '^ERROR: damaged\.key: the secret key is damaged$'
expect 2 "$SPILE" pack sign -s a.key -t 'two
lines' x.spo
says '^ERROR: the comment is not one line of UTF-8 without control characters$'
expect 2 "$SPILE_RUN" --require-signature '' x.spo
expect 2 "$SPILE" pack verify x.spo
says '^Usage: spile pack sign '
expect 0 "$SPILE" pack sign --help
prints '^   or: spile pack verify FILE\.spo -p KEY$'

# The operator's rule, in a root of its own.
unshare -rm true 2>/dev/null || skip "no mount namespaces here: the rule in /etc was not tested"
cp a.pub rule
cat >rule.sh <<'S'
mount -t tmpfs none /etc && mkdir /etc/spile && "$@"
S
# ruled STATUS COMMAND-TO-MAKE-IT COMMAND...
ruled() { expect "$1" unshare -rm sh rule.sh sh -c "$2; shift; exec \"\$@\"" - - "${@:3}"; }
ruled 0 'cp rule /etc/spile/require-signature' "$SPILE_RUN" x.spo
is 'it runs'
ruled 0 'cp rule /etc/spile/require-signature' "$SPILE_RUN" --require-signature "$a" x.spo
ruled 1 'cp b.pub /etc/spile/require-signature' "$SPILE_RUN" --require-signature "$a" x.spo
is ''
says "^ERROR: x\.spo is not run: /etc/spile/require-signature lets nothing else run: it is signed with the key $ours, which is not the key $theirs\$"
ruled 1 'cp a.pub /etc/spile/require-signature' "$SPILE_RUN" --require-signature "$b" x.spo
ruled 1 ': >/etc/spile/require-signature' "$SPILE_RUN" x.spo
says '^ERROR: /etc/spile/require-signature: there is no public key in it$'
for bad in 'cp a.pub $f; chmod 666 $f' 'mkfifo -m 600 $f' 'mkdir $f'; do
	ruled 1 "f=/etc/spile/require-signature; $bad" "$SPILE_RUN" x.spo
	is ''
	says '^ERROR: /etc/spile/require-signature is not a file that root owns and only root can write to: nothing runs$'
done
cp x.spo y.spo
ruled 1 'cp rule /etc/spile/require-signature' "$SPILE_RUN" y.spo
says '^ERROR: y\.spo is not run: y\.spo is not signed: there is no y\.spo\.minisig$'

# SPDX-License-Identifier: GPL-2.0-or-later
# What the library has of programs' own libraries: memory, names of hosts, OpenSSL.
. "$SUITE/lib.sh"
own_programs heap
cat >heap.stp <<'S'
global mine, asked
probe malloc.alloc {
  if (pid() != target() || (bytes != 4711 && bytes != 3003 && bytes != 98765 && bytes != 777 && bytes != 640)) next
  printf("%s %d: %d%s\n", name, bytes, address != 0, old && (old in mine) ? ", of before" : "")
  delete mine[old]
  mine[address] = 1
}
probe malloc.free { if (pid() == target() && (address in mine)) { println("free") delete mine[address] } }
probe dns.lookup { if (pid() == target()) { asked++ if (name == "getaddrinfo" && host == "no host at all") println("asks for ", host, service) } }
probe dns.lookup.return { if (pid() == target()) printf("%s %s: %d %d\n", name, host, found, retval < 0) }
probe end { println(asked) }
S
want='malloc 4711: 1
calloc 3003: 1
realloc 98765: 1, of before
posix_memalign 777: 1
free
free
free
memalign 640: 1
free
getaddrinfo 127.0.0.1: 1 0
asks for no host at all
getaddrinfo no host at all: 0 1
gethostbyname 127.0.0.1: 1 0
3'
for engine in auto user; do
	expect 0 "$SPILE" --engine=$engine -c "$PROGS/heap" heap.stp
	is "$want"
done

ldconfig -p | grep -q 'libssl\.so\.3 ' && command -v openssl >/dev/null || skip "there is no OpenSSL 3"
cat >ssl.stp <<'S'
probe ssl.write { if (bytes == 20) printf("%s sends: %s\n", name, text_str(data)) }
probe ssl.read { if (bytes == 20) printf("%s gets: %s\n", name, text_str(data)) }
S
openssl req -x509 -newkey rsa:2048 -nodes -keyout key -out cert -days 2 -subj /CN=here 2>/dev/null || skip "openssl makes no certificate"
cat >talk.sh <<'S'
# It ends with its input: when what is sent has come.
for i in {1..300}; do [ -s got ] && break; sleep 0.1; done | openssl s_server -quiet -accept 127.0.0.1:44330 -key key -cert cert -naccept 1 >got 2>/dev/null &
for i in {1..60}; do
	sleep 0.5
	(echo "what nobody can see"; sleep 1) | openssl s_client -quiet -connect 127.0.0.1:44330 >/dev/null 2>&1 && break
done
wait
S
expect 0 "$SPILE" -c "bash talk.sh" ssl.stp
prints '^SSL_write(_ex)? sends: what nobody can see\\n$'
prints '^SSL_read(_ex)? gets: what nobody can see\\n$'

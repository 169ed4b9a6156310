# SPDX-License-Identifier: GPL-2.0-or-later
# Debug information in all the places where it can be: the same handler prints the same values.
. "$SUITE/debug/lib"
command -v gcc >/dev/null || skip "needs gcc"
cp "$SUITE/debug/fixtures/tree.c" .
left=

# reads NAME: the program's variables, and the table of its lines.
reads()
{
	cat >read.stp <<-STP
	probe process("./$1").function("add") { printf("%d %d %d\n", \$pair->left, \$mood, \$low) }
	probe process("./$1").statement("add@tree.c:11") { printf("%d\n", @var("last@tree.c")->left + \$sum) }
	STP
	expect 0 "$SPILE" --engine=user -c "./$1 1 2" read.stp
	is "$(printf '3 7 3\n64')"
	quiet
}

# has_none NAME TEXT: nothing but symbols, and a warning on stderr that says TEXT.
has_none()
{
	expect 0 "$SPILE" -L "process(\"./$1\").function(\"add\")"
	is "process(\"$PWD/$1\").function(\"add\")"
	says "$2"
}

compilers=gcc
! command -v clang >/dev/null || compilers="gcc clang"
for cc in $compilers; do
	for version in 4 5; do
		$cc -g -gdwarf-$version -o plain tree.c && reads plain

		$cc -g -gdwarf-$version -gsplit-dwarf -c tree.c && $cc -o split tree.o || fail "$cc: split DWARF"
		[ -f tree.dwo ] || fail "$cc makes no tree.dwo"
		reads split
		rm tree.dwo
		has_none split "WARNING: $PWD/split: debug information of it is in .*tree.dwo, which cannot be read, and not in $PWD/split.dwp, which does not exist"
		: >split.dwp
		has_none split "WARNING: $PWD/split.dwp is not used: $PWD/split.dwp is empty"
		cp tree.o split.dwp
		has_none split "WARNING: $PWD/split.dwp is not used: it has no index of units that can be read"
		says "WARNING: $PWD/split: debug information of it is in .*tree.dwo, which cannot be read, and not in $PWD/split.dwp"
		rm split.dwp

		$cc -g -gdwarf-$version -gz=zlib -o compressed tree.c || fail "$cc: -gz=zlib"
		readelf -t compressed | grep -q ZLIB || fail "$cc: nothing is compressed"
		reads compressed
		# The old way, in which sections have another name.
		if objcopy --compress-debug-sections=zlib-gnu plain gnu 2>/dev/null && readelf -SW gnu | grep -q '\.zdebug_line'; then
			reads gnu
			expect 0 "$SPILE" -l 'process("./gnu").statement("*@tree.c:'$(grep -n return tree.c | head -1 | cut -d: -f1)'")'
		fi
	done
done

# Kept apart, and found by name or by what the file was built from.
gcc -g -Wl,--build-id -o whole tree.c
objcopy --only-keep-debug whole apart.debug
strip -o apart whole
objcopy --add-gnu-debuglink=apart.debug apart
reads apart
mkdir .debug && mv apart.debug .debug && reads apart
id=$(readelf -n whole | sed -n 's/.*Build ID: //p')
strip -o bare whole
expect 1 "$SPILE" -L 'process("./bare").function("add")'
says "no debug information in $PWD/bare, /usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug"
# Of the usual places for its name, which are many, no more than their number.
mv .debug/apart.debug kept.debug
expect 1 "$SPILE" -vv -L 'process("./apart").function("add")'
says "without DWARF: no debug information in $PWD/apart, /usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug, and [4-9] other places \(-vv names them\); compile"
says "^  there is no debug information in $PWD/apart, .*, /usr/lib/debug$PWD/apart.debug, "
mv kept.debug .debug/apart.debug

# From a server, once: then it is in the user's cache.
if command -v python3 >/dev/null && ldconfig -p | grep -q 'libdebuginfod\.so\.1'; then
	mkdir -p "served/buildid/$id" && cp .debug/apart.debug "served/buildid/$id/debuginfo"
	python3 -u - >port 2>requests <<-'PY' &
	import functools, http.server
	handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory="served")
	server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
	print(server.server_address[1])
	server.serve_forever()
	PY
	server=$!
	trap 'kill $server' EXIT
	wait_for 20 test -s port
	export DEBUGINFOD_URLS=http://127.0.0.1:$(cat port)/ DEBUGINFOD_CACHE_PATH=$PWD/cache
	leaks=$ASAN_OPTIONS
	ASAN_OPTIONS=$leaks:detect_leaks=0 # what libcurl leaves behind
	reads bare
	reads bare
	[ "$(grep -c "GET /buildid/$id/debuginfo" requests)" = 1 ] || fail "asked the server: $(cat requests)"
	unset DEBUGINFOD_URLS
	ASAN_OPTIONS=$leaks
else
	left="$left, debuginfod needs libdebuginfod and python3"
fi

# MiniDebugInfo: names of functions alone, in a stripped file.
if command -v xz >/dev/null; then
	nm --format=posix --defined-only whole | awk '$2 ~ /^[Tt]$/ { print $1 }' >functions
	objcopy -S --keep-symbols=functions whole symbols
	xz symbols
	objcopy --add-section .gnu_debugdata=symbols.xz bare mini
	expect 0 "$SPILE" -l 'process("./mini").function("[am]*d*")'
	is "process(\"$PWD/mini\").function(\"add\")"
	expect 0 "$SPILE" --engine=user -c "./mini 1 2" -e 'probe process("./mini").function("add") { println(ppfunc()) }'
	is add
	for n in 10 100 300; do # cut, it is none
		head -c $n symbols.xz >cut.xz
		objcopy --add-section .gnu_debugdata=cut.xz bare cut
		expect 1 "$SPILE" -l 'process("./cut").function("add")'
		says 'nothing matches'
	done
else
	left="$left, MiniDebugInfo needs xz"
fi

# Shared by several programs.
if command -v dwz >/dev/null; then
	gcc -g -o one tree.c && cp one two && dwz -m common one two
	reads one
else
	left="$left, shared debug information needs dwz"
fi

# Compressed by another method, which not every libelf knows: libzstd is loaded. What was decompressed is kept, and made again when
# it is damaged.
if objcopy --compress-debug-sections=zstd whole packed 2>/dev/null && readelf -St packed | grep -q ZSTD &&
	ldconfig -p | grep -q 'libzstd\.so\.1'; then
	mkdir -p kept
	export XDG_CACHE_HOME=$PWD/kept
	reads packed
	[ -s "kept/spile/$id.debug" ] || fail "nothing is kept: $(ls -R kept)"
	reads packed
	rm -f kept/spile/*.result # the compiled script would be taken, and the copy would not be read
	printf damaged >"kept/spile/$id.debug"
	reads packed
	[ "$(stat -c %s "kept/spile/$id.debug")" -gt 1000 ] || fail "a damaged copy stays"
	chmod 777 kept/spile # then it is not used
	reads packed
else
	left="$left, sections compressed with zstd need a newer objcopy and libzstd"
fi

# Large, and compressed by zlib: decompressed by ISA-L where that is installed, else by zlib.
truncate -s 40M zeros
objcopy --add-section .debug_zeros=zeros whole zeroed && objcopy --compress-debug-sections=zlib zeroed large || fail "objcopy: zlib"
[ "$(stat -c %s large)" -lt 1000000 ] || fail "nothing is compressed"
mkdir -p none larger && : | gcc -shared -xc - -o none/libisal.so.2
export XDG_CACHE_HOME=$PWD/larger
for libraries in "" none; do
	rm -rf larger/*
	LD_LIBRARY_PATH=$libraries${libraries:+:}${LD_LIBRARY_PATH-} reads large
	[ -s "larger/spile/$id.debug" ] || fail "nothing is kept without '$libraries': $(ls -R larger)"
	cmp larger/spile/*.debug first 2>/dev/null || [ ! -e first ] || fail "two libraries, two copies"
	cp "larger/spile/$id.debug" first
done
# Bytes that are damaged or missing are told.
command -v python3 >/dev/null && python3 - <<-'PY' || fail "nothing to damage"
	import struct
	data = bytearray(open("large", "rb").read())
	shoff, = struct.unpack_from("<Q", data, 40)
	n, strndx = struct.unpack_from("<HH", data, 60)
	heads = [struct.unpack_from("<IIQQQQIIQQ", data, shoff + 64 * i) for i in range(n)]
	names = data[heads[strndx][4]:]
	for i in range(n):
	    name = names[heads[i][0]:].split(b"\0")[0].decode()
	    if name in (".debug_abbrev", ".debug_info"):
	        off, size = heads[i][4], heads[i][5]
	        damaged, cut = bytearray(data), bytearray(data)
	        damaged[off + size // 2 + 12] ^= 0x55
	        struct.pack_into("<Q", cut, shoff + 64 * i + 32, size - 40)
	        open("damaged" + name, "wb").write(damaged)
	        open("cut" + name, "wb").write(cut)
PY
for libraries in "" none; do
	for name in damaged.debug_abbrev cut.debug_abbrev damaged.debug_info cut.debug_info; do
		section=.${name#*.}
		rm -rf larger/*
		LD_LIBRARY_PATH=$libraries${libraries:+:}${LD_LIBRARY_PATH-} expect 1 "$SPILE" -L "process(\"./$name\").function(\"add\")"
		says "semantic error: $PWD/$name: broken debug information: $section cannot be decompressed \[E507\]"
		[ -z "$(ls larger/spile | grep -v '\.list$')" ] || fail "a part is kept: $(ls larger/spile)"
	done
done
[ -z "$left" ] || echo "not seen: ${left#, }" >&2
exit 0

# SPDX-License-Identifier: GPL-2.0-or-later
# Pipes, devices and folders where the owner of a program had files are not waited for or read without end: its libraries, their index, its
# source, and what a process has mapped, whose path may be that of another file by now.
. "$SUITE/lib.sh"
trap '[ -z "${pid-}" ] || kill "$pid"' EXIT
cat >lib.c <<'C'
int step(int n) { return n + 1; }
C
cat >prog.c <<'C'
#include <unistd.h>
int step(int n);
int work(int n)
{
	return step(n) - 1;
}
int main(void)
{
	for (;;)
		usleep(10000 + work(0));
}
C
gcc -g -O0 -shared -fPIC -o libstep.so lib.c && gcc -g -O0 -o prog "$PWD/prog.c" -L. -lstep -Wl,-rpath,"$PWD" || fail gcc
within() { expect "$1" timeout -k 2 30 "$SPILE" "${@:2}"; }
# put pipe|device|folder PATH
put()
{
	rm -rf "$2"
	case $1 in
	pipe) mkfifo "$2" ;;
	device) ln -s /dev/zero "$2" ;;
	folder) mkdir "$2" ;;
	esac
}
mkdir -p root/etc old
cp prog libstep.so old
within 0 -l 'process("./prog").library("*libstep.so").function("step")'
within 0 -l 'process("./prog").statement("work;return*")'
for what in pipe device folder; do
	put $what libstep.so
	within 1 -l 'process("./prog").library("*libstep.so").function("step")'
	says '^semantic error: nothing matches process\("\./prog"\)\.library\("\*libstep\.so"\)\.function\("step"\) \[E401\]$'
	says '^    note: the libraries of .*/prog are libc\.so\.6, ld-linux.*; not found: libstep\.so$'
	within 1 -l "process(\"$PWD/libstep.so\").function(\"step\")"
	says '^semantic error: .* is (not a regular file|a directory, not a file) \[E507\]$'
	put $what prog.c
	within 1 -l 'process("./prog").statement("work;return*")'
	says '^semantic error: nothing matches process\("\./prog"\)\.statement\("work;return\*"\) \[E401\]$'
	says '^    note: the source file .*/prog\.c is no file that can be read$'
	put $what root/etc/ld.so.cache
	within 1 --sysroot "$PWD/root" -l 'process("libnone.so").function("*")'
	says '^semantic error: libnone\.so is neither a program in PATH nor a library \[E507\]$'
done
# The kernel calls a file that was removed "PATH (deleted)", which anybody may make.
libc=$(ldd prog | sed -n 's/.*libc\.so\.6 => \([^ ]*\).*/\1/p')
for what in pipe device folder; do
	rm -rf prog* libstep* libs
	mkdir libs
	cp old/prog old/libstep.so .
	cp "$libc" libs
	LD_LIBRARY_PATH=libs ./prog &
	pid=$!
	wait_for 20 grep -q libstep.so "/proc/$pid/maps"
	for file in prog libstep.so "libs/${libc##*/}"; do
		put $what "$file"
		put $what "$file (deleted)"
	done
	within 0 --engine=user -x $pid -e 'probe process.function("work").return { print_ubacktrace() exit() }'
	prints '^Returning from: .* : work\+0x[0-9a-f]+/0x[0-9a-f]+ \[.*/prog \(deleted\)\]$' # the very file
	quiet
	kill $pid
	wait $pid 2>wait
	pid=
done
exit 0

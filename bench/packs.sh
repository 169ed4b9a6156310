# SPDX-License-Identifier: GPL-2.0-or-later
# bench/run reads this: one script for many builds.

# What a build of a program, or a kernel, that is added to a pack takes: the bytes of the first, and of the others the middle and the most.
packed() # WHAT SCRIPT LIMIT FOR...
{
	local what=$1 script=$2 goal=$3 first middle most
	shift 3
	ours=("${cold[@]}" "$spile" --pack -o "$work/many.spo" "$@" "$script")
	race
	[ -e "$work/many.spo" ] || return
	read -r first middle most < <("$spile" pack show --json "$work/many.spo" |
		sed -n 's/.*"stored":\([0-9]*\).*/\1/p' | { read -r first; sort -n | awk -v first="$first" '{ n[NR] = $1 } END { print first, n[int((NR + 1) / 2)], n[NR] }'; })
	row "$what" s - "$our_s" "" -
	row "  a target more, the middle one" bytes "$goal" "$middle" "the first" "$first"
	row "  a target more, the largest" bytes - "$most" "the first" "$first"
	rm "$work/many.spo"
}

# 20 builds of server.c that differ as those of a distribution do: other members and other code are before what is probed.
builds() # FOLDER OPTION...: the options of the builds, in turn
{
	local folder=$1 n to options
	shift
	options=("$@")
	for n in $(seq 20); do
		to=$folder/$(printf %02d "$n")
		mkdir -p "$to/root/srv"
		"$build/spile-run" --describe >"$to/target"
		${CC:-cc} -g "${options[n % $#]}" -DPAD="$n" -Wl,--build-id -o "$to/root/srv/server" "$work/server.c" || return
	done
}

pack_rows()
{
	local runs=1 kernels ours our_s our_mb their_s their_mb
	wanted "20 builds in a pack" || return
	cat >"$work/server.c" <<-'END'
		#include <stdlib.h>
		#include <string.h>
		struct request { char before[PAD]; int id; const char *name; struct { long length, offset; } range; struct request *next; };
		struct request *waiting; static int n_waiting; volatile long sink;
		#define NOP ".rept " STRING(PAD) "; nop; .endr"
		#define STRING(x) STRING_(x)
		#define STRING_(x) #x
		__attribute__((noinline)) void before(void) { __asm__(NOP); }
		__attribute__((noinline)) long checksum(const char *text, long length)
		{
			long sum = 0;
			for (long i = 0; i < length; i++)
				sum = sum * 31 + text[i];
			return sum;
		}
		__attribute__((noinline)) long handle(struct request *request, int flags)
		{
			long sum = checksum(request->name, request->range.length), rounds = 0;
			before();
			for (struct request *r = request; r; r = r->next, rounds++)
				sink += r->id ^ flags;
			n_waiting--;
			return sum + rounds;
		}
		int main(int argc, char **argv)
		{
			struct request request = { .id = argc, .name = argv[0], .range = { (long)strlen(argv[0]), 0 } };
			waiting = &request;
			n_waiting = 1;
			return (int)handle(&request, argc);
		}
	END
	cat >"$work/server.stp" <<-'END'
		global count, bytes, started
		probe process("/srv/server").function("handle") {
			started[tid()] = ktime_get_ns()
			count[user_string($request->name), $flags]++
			bytes <<< $request->range->length
			if ($request->next) printf("%d %s\n", $request->id, $request->range$)
		}
		probe process("/srv/server").function("checksum") { printf("%s %d\n", user_string($text), $length) }
		probe process("/srv/server").statement("handle@*:+4") { printf("%d %d %s\n", $sum, @var("n_waiting"), $$vars) }
		probe process("/srv/server").function("handle").return { println($return, ktime_get_ns() - started[tid()]) }
		probe end { foreach ([name, flags] in count- limit 10) println(name, flags, count[name, flags]) print(@hist_log(bytes)) }
	END
	builds "$work/same" -O2 && packed "20 builds in a pack, that differ in offsets" "$work/server.stp" 300 --for "$work/same"
	builds "$work/other" -O1 -O2 -O3 -Os && packed "20 builds in a pack, by -O1, -O2, -O3 and -Os" "$work/server.stp" - --for "$work/other"
	kernels=$(ls /usr/lib/debug/boot 2>/dev/null | sed -n 's/^vmlinux-/--for /p')
	[ "$(wc -l <<<"$kernels")" -ge 2 ] || { note "no kernels in a pack: one has debug information"; return; }
	cat >"$work/kernel.stp" <<-'END'
		global n
		probe kernel.function("vfs_read") { n[pid(), $file->f_flags]++ if ($count > 100000) println($file$, $$vars) }
		probe kernel.statement("vfs_read@fs/read_write.c:+6") { printf("%d %s\n", $count, $$vars) }
		probe kernel.function("tcp_sendmsg") { println($sk->__sk_common->skc_daddr, $size) }
		probe end { foreach ([p, f] in n- limit 10) println(p, f) }
	END
	packed "2 kernels in a pack, with locals and lines" "$work/kernel.stp" - $kernels
}


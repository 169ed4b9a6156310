# SPDX-License-Identifier: GPL-2.0-or-later
# The list of a process's mappings ends in its middle with an error, as where there is no memory for it, each time that it is read: what is probed
# stays probed, or a warning says that it was not read. Breakpoints of what came behind that were taken out in silence.
. "$SUITE/lib.sh"
! grep -q -e -fsanitize "$BUILD/Makefile" || skip "sanitizers come before what is preloaded"
gcc -O1 -shared -fPIC -o half.so -x c - -ldl <<'C' || fail gcc
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static FILE *last;
static int n_files, n_lines;
__attribute__((constructor)) static void begin(void)
{
	unsetenv("LD_PRELOAD");
}
static int is_maps(FILE *file)
{
	char path[32], link[32] = "";
	int pid, end = 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fileno(file));
	return readlink(path, link, sizeof(link) - 1) > 0 && sscanf(link, "/proc/%d/maps%n", &pid, &end) == 1 && end && pid != getpid();
}
ssize_t getline(char **line, size_t *size, FILE *file)
{
	ssize_t (*real)(char **, size_t *, FILE *) = (ssize_t (*)(char **, size_t *, FILE *))dlsym(RTLD_NEXT, "getline");
	if (!is_maps(file))
		return real(line, size, file);
	if (file != last || ftell(file) == 0)
		n_files++, n_lines = 0;
	last = file;
	if (n_files == atoi(getenv("HALF")) && n_lines++ == 1) {
		if (access("failed", F_OK))
			fclose(fopen("failed", "w"));
		errno = ENOMEM;
		return -1;
	}
	return real(line, size, file);
}
C
expect 0 "$SPILE" --engine=user -p4 -o calls.spo -e "global n probe process(\"$PROGS/calls\").function(\"add\") { n++ } probe end { println(n) }"
expect 0 "$SPILE_RUN" --engine=user -c "$PROGS/calls 3" calls.spo
cp out whole
n=0
for half in $(seq 100); do
	rm -f failed
	HALF=$half expect 0 env LD_PRELOAD=./half.so "$SPILE_RUN" --engine=user -c "$PROGS/calls 3" calls.spo
	[ -e failed ] || break
	n=$((n + 1))
	cmp -s out whole || says '^WARNING: cannot read /proc/[0-9]*/maps: Cannot allocate memory$'
done
[ $n -gt 3 ] || fail "the mappings are read $n times"

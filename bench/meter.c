// SPDX-License-Identifier: GPL-2.0-or-later
// What bench/run measures with.
//
//	meter run N COMMAND...	the best wall time (s) and the peak memory (MB) of N runs, the exit status of the last
//	meter calls N		N calls of getppid(2)
//	meter work N		N calls of a function of its own, work(), with a number and a string
//	meter hold OBJECT PROG	loads and attaches a program, waits for the end of stdin
//	meter progs PID		the BPF programs that a process holds: id, name, instructions, runs, ns in all
//	meter stats		as long as it lives, the kernel counts runs and ns; it ends with who has started it
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

long work(long i, const char *name);

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static int run(int n, char **command)
{
	double best = 0, most = 0;
	int status = 0;

	for (int i = 0; i < n; i++) {
		struct rusage usage;
		double start = now();
		pid_t pid = fork();

		if (pid < 0)
			return 1;
		if (pid == 0) {
			int null = open("/dev/null", O_RDWR);
			dup2(null, 0);
			dup2(null, 1);
			dup2(null, 2);
			execvp(command[0], command);
			_exit(127);
		}
		wait4(pid, &status, 0, &usage);
		double took = now() - start;
		if (i == 0 || took < best)
			best = took;
		if ((double)usage.ru_maxrss / 1024 > most)
			most = (double)usage.ru_maxrss / 1024;
	}
	printf("%.4f %.1f %d\n", best, most, WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
	return 0;
}

static int call(long n)
{
	for (long i = 0; i < n; i++)
		syscall(SYS_getppid);
	return 0;
}

__attribute__((noipa)) long work(long i, const char *name)
{
	return i + name[0];
}

static int call_work(long n)
{
	static const char *const names[] = { "one", "two", "three", "four" };
	long sum = 0;

	for (long i = 0; i < n; i++)
		sum += work(i % 8, names[i % 4]);
	return sum == 0;
}

static int drop(void *ctx, void *record, size_t size)
{
	(void)ctx, (void)record, (void)size;
	return 0;
}

// Until the end of stdin. Records are taken once a millisecond: a ring that nobody reads is full, and costs nothing.
static void wait_and_read(struct bpf_object *object)
{
	struct bpf_map *events = bpf_object__find_map_by_name(object, "events");
	struct ring_buffer *ring = ring_buffer__new(bpf_map__fd(events), drop, NULL, NULL);
	struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };

	while (poll(&input, 1, 1) == 0)
		ring_buffer__consume(ring);
	ring_buffer__free(ring);
}

static int hold(const char *path, const char *name)
{
	struct bpf_object *object = bpf_object__open_file(path, NULL);
	struct bpf_program *prog;

	if (!object) {
		fprintf(stderr, "meter: %s: %s\n", path, strerror(errno));
		return 1;
	}
	bpf_object__for_each_program(prog, object)
		bpf_program__set_autoload(prog, strcmp(bpf_program__name(prog), name) == 0);
	prog = bpf_object__find_program_by_name(object, name);
	if (!prog || bpf_object__load(object) || !bpf_program__attach(prog)) {
		fprintf(stderr, "meter: %s: %s\n", name, strerror(errno));
		return 1;
	}
	wait_and_read(object);
	return 0;
}

// Reads "prog_id" of one of the process's file descriptors; 0 when it is not a program.
static uint32_t prog_id(const char *fdinfo)
{
	char line[128];
	unsigned id = 0;
	FILE *f = fopen(fdinfo, "r");

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "prog_id: %u", &id) == 1)
			break;
	if (f)
		fclose(f);
	return id;
}

static int list_progs(const char *pid)
{
	char path[320];
	uint32_t seen[256];
	unsigned n_seen = 0;
	struct dirent *d;

	snprintf(path, sizeof(path), "/proc/%s/fdinfo", pid);
	DIR *dir = opendir(path);
	while (dir && (d = readdir(dir))) {
		struct bpf_prog_info info = { 0 };
		uint32_t size = sizeof(info);
		unsigned i = 0;

		snprintf(path, sizeof(path), "/proc/%s/fdinfo/%s", pid, d->d_name);
		uint32_t id = prog_id(path);
		while (i < n_seen && seen[i] != id)
			i++;
		if (id == 0 || i < n_seen || n_seen == sizeof(seen) / sizeof(seen[0]))
			continue; // links name their program, too
		seen[n_seen++] = id;
		int fd = bpf_prog_get_fd_by_id(id);
		if (fd >= 0 && bpf_obj_get_info_by_fd(fd, &info, &size) == 0)
			printf("%u %s %u %llu %llu\n", id, info.name, info.xlated_prog_len / 8,
			       (unsigned long long)info.run_cnt, (unsigned long long)info.run_time_ns);
		if (fd >= 0)
			close(fd);
	}
	if (dir)
		closedir(dir);
	return n_seen == 0;
}

static int count(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (bpf_enable_stats(BPF_STATS_RUN_TIME) < 0) {
		fprintf(stderr, "meter: the kernel does not count: %s\n", strerror(errno));
		return 1;
	}
	puts("counting");
	fflush(stdout);
	pause();
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 3 && strcmp(argv[1], "run") == 0)
		return run((int)strtol(argv[2], NULL, 10), argv + 3);
	if (argc == 3 && strcmp(argv[1], "calls") == 0)
		return call(strtol(argv[2], NULL, 10));
	if (argc == 3 && strcmp(argv[1], "work") == 0)
		return call_work(strtol(argv[2], NULL, 10));
	if (argc == 4 && strcmp(argv[1], "hold") == 0)
		return hold(argv[2], argv[3]);
	if (argc == 3 && strcmp(argv[1], "progs") == 0)
		return list_progs(argv[2]);
	if (argc == 2 && strcmp(argv[1], "stats") == 0)
		return count();
	fprintf(stderr, "usage: meter run N COMMAND... | calls N | work N | hold OBJECT PROG | progs PID | stats\n");
	return 2;
}

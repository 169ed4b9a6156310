// SPDX-License-Identifier: GPL-2.0-or-later
// What bench/run measures with.
//
//	meter run N COMMAND...	the best wall time (s) and the peak memory (MB) of N runs, the exit status of the last
//	meter calls N		N calls of getppid(2)
//	meter floor		attaches an empty program to the tracepoint of system calls, says "ready", waits for the end of stdin
//	meter progs PID		the BPF programs that a process holds: id, name, instructions, runs, ns in all
#include <bpf/bpf.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TRACEPOINT_ID "/sys/kernel/tracing/events/raw_syscalls/sys_enter/id"

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
	printf("%.4f %.0f %d\n", best, most, WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
	return 0;
}

static int call(long n)
{
	for (long i = 0; i < n; i++)
		syscall(SYS_getppid);
	return 0;
}

static int attach_floor(void)
{
	const struct bpf_insn empty[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .imm = 0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr), .sample_period = 1 };
	FILE *f = fopen(TRACEPOINT_ID, "r");
	unsigned long long id;

	if (!f || fscanf(f, "%llu", &id) != 1) {
		fprintf(stderr, "meter: %s: %s\n", TRACEPOINT_ID, strerror(errno));
		return 1;
	}
	fclose(f);
	attr.config = id;
	int prog = bpf_prog_load(BPF_PROG_TYPE_TRACEPOINT, "floor", "GPL", empty, 2, NULL);
	int event = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	if (prog < 0 || event < 0 || ioctl(event, PERF_EVENT_IOC_SET_BPF, prog) < 0 ||
	    ioctl(event, PERF_EVENT_IOC_ENABLE, 0) < 0) {
		fprintf(stderr, "meter: %s\n", strerror(errno));
		return 1;
	}
	puts("ready");
	fflush(stdout);
	while (getchar() != EOF)
		;
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

int main(int argc, char **argv)
{
	if (argc > 3 && strcmp(argv[1], "run") == 0)
		return run((int)strtol(argv[2], NULL, 10), argv + 3);
	if (argc == 3 && strcmp(argv[1], "calls") == 0)
		return call(strtol(argv[2], NULL, 10));
	if (argc == 2 && strcmp(argv[1], "floor") == 0)
		return attach_floor();
	if (argc == 3 && strcmp(argv[1], "progs") == 0)
		return list_progs(argv[2]);
	fprintf(stderr, "usage: meter run N COMMAND... | calls N | floor | progs PID\n");
	return 2;
}

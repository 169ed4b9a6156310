// SPDX-License-Identifier: GPL-2.0-or-later
// A program to probe: it handles jobs for some seconds. Built with -g -O2, and with nothing in it for the tracer's sake
// but noinline. work.stp watches it.
//
//	work [SECONDS]
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define NOINLINE __attribute__((noipa)) // the callee is not looked into: what it gets is really there

enum job_kind { JOB_READ, JOB_WRITE, JOB_SYNC };

struct job {
	int id;
	enum job_kind kind;
	const char *name;
	struct {
		uint32_t length;
		uint16_t rounds;
	} size;
};

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

// The loop's body: called `rounds` times a job.
NOINLINE uint32_t checksum(const unsigned char *bytes, uint32_t length, uint32_t sum)
{
	for (uint32_t i = 0; i < length; i++)
		sum = (sum << 5) ^ (sum >> 27) ^ bytes[i];
	return sum;
}

// Has arguments worth looking at, a result, and a duration that depends on the kind of the job.
NOINLINE int handle_job(const struct job *job, const unsigned char *bytes)
{
	uint32_t sum = (uint32_t)job->id;

	for (unsigned i = 0; i < job->size.rounds; i++)
		sum = checksum(bytes, job->size.length, sum);
	if (job->kind == JOB_SYNC) {
		struct timespec pause = { 0, 2000000 };
		nanosleep(&pause, NULL);
	}
	return (int)(sum & 0x7fff);
}

int main(int argc, char **argv)
{
	static const char *const names[] = { "read", "write", "sync" };
	static unsigned char bytes[4096];
	uint64_t end = now_ns() + (argc > 1 ? strtoull(argv[1], NULL, 10) : 5) * 1000000000u;
	struct timespec pause = { 0, 1000000 };
	int handled = 0, results = 0;

	for (unsigned i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)(i * 31);
	while (now_ns() < end) {
		struct job job = { .id = handled, .kind = handled % 10 == 9 ? JOB_SYNC : handled % 3 ? JOB_READ : JOB_WRITE };
		job.name = names[job.kind];
		job.size.length = 64u << (handled % 7);
		job.size.rounds = (uint16_t)(1 + handled % 5);
		results ^= handle_job(&job, bytes);
		handled++;
		nanosleep(&pause, NULL);
	}
	printf("work: %d jobs, result %d\n", handled, results);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
// ring FILE: reads 100 bytes of a file by io_uring, without the library for that: for the probe family io_uring.
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/io_uring.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct io_uring_params params = { 0 };
	static char bytes[100];
	int fd = argc == 2 ? open(argv[1], O_RDONLY) : -1;
	int ring = (int)syscall(SYS_io_uring_setup, 8, &params);

	if (fd < 0 || ring < 0)
		return 1;
	char *queue = mmap(NULL, params.sq_off.array + params.sq_entries * sizeof(unsigned), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_POPULATE, ring, IORING_OFF_SQ_RING);
	struct io_uring_sqe *requests = mmap(NULL, params.sq_entries * sizeof(*requests), PROT_READ | PROT_WRITE,
					     MAP_SHARED | MAP_POPULATE, ring, IORING_OFF_SQES);
	if (queue == MAP_FAILED || requests == MAP_FAILED)
		return 1;
	requests[0] = (struct io_uring_sqe){
		.opcode = IORING_OP_READ, .fd = fd, .addr = (unsigned long)bytes, .len = sizeof(bytes), .user_data = 4711
	};
	*(unsigned *)(queue + params.sq_off.array) = 0;
	__atomic_store_n((unsigned *)(queue + params.sq_off.tail), 1, __ATOMIC_RELEASE);
	syscall(SYS_io_uring_register, ring, IORING_REGISTER_EVENTFD, NULL, 1); // refused, and seen so
	return syscall(SYS_io_uring_enter, ring, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) != 1;
}

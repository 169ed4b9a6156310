# SPDX-License-Identifier: GPL-2.0-or-later
# A read into the middle of a buffer that is registered with io_uring: the list of the request's parts is the buffer's, whose pages it
# takes in part. It asks for 4096 bytes, not for the two pages that it touches.
. "$SUITE/lib.sh"
cat >fixed.c <<'C'
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/io_uring.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct io_uring_params p = { 0 };
	int ring = syscall(SYS_io_uring_setup, 4, &p), fd = open(argv[1], O_RDONLY | O_DIRECT);
	char *sq, *cq, *buffer = mmap(0, 1 << 20, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct iovec v = { buffer, 1 << 20 };
	struct io_uring_sqe *sqe;

	memset(buffer, 1, 1 << 20);
	if (ring < 0 || fd < 0 || syscall(SYS_io_uring_register, ring, IORING_REGISTER_BUFFERS, &v, 1))
		return 77;
	sq = mmap(0, p.sq_off.array + p.sq_entries * 4, 3, MAP_SHARED, ring, IORING_OFF_SQ_RING);
	sqe = mmap(0, p.sq_entries * sizeof(*sqe), 3, MAP_SHARED, ring, IORING_OFF_SQES);
	cq = mmap(0, p.cq_off.cqes + p.cq_entries * sizeof(struct io_uring_cqe), 3, MAP_SHARED, ring, IORING_OFF_CQ_RING);
	*sqe = (struct io_uring_sqe){ .opcode = IORING_OP_READ_FIXED, .fd = fd, .addr = (unsigned long)buffer + 8704, .len = 4096 };
	*(unsigned *)(sq + p.sq_off.array) = 0;
	__atomic_store_n((unsigned *)(sq + p.sq_off.tail), 1, __ATOMIC_RELEASE);
	syscall(SYS_io_uring_enter, ring, 1, 1, IORING_ENTER_GETEVENTS, 0, 0);
	return ((struct io_uring_cqe *)(cq + p.cq_off.cqes))->res == 4096 ? 0 : 77;
}
C
gcc -O1 -w -o fixed fixed.c 2>/dev/null || skip "needs gcc and linux/io_uring.h"
dd if=/dev/urandom of=file bs=64K count=1 conv=fsync 2>/dev/null
./fixed file || skip "this kernel or file system has no direct reads through io_uring"
expect 0 "$SPILE" -c './fixed file' -e 'probe ioblock.request { if (pid() == target()) println(size) }'
[ -s out ] || skip "the file is on no block device"
echo 4096 | diff - out || fail "other sizes"

// SPDX-License-Identifier: GPL-2.0-or-later
// files PATH: makes the file and does to it what can be done, with numbers that a test knows: for the probe families vfs and generic.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <unistd.h>

static char bytes[65536];

static int say(const char *what)
{
	fprintf(stderr, "files: %s: %s\n", what, strerror(errno));
	return 1;
}

static void read_and_write(int fd)
{
	struct iovec parts[2] = { { bytes, 100 }, { bytes + 100, 233 } };

	if (write(fd, bytes, 5001) != 5001 || writev(fd, parts, 2) != 333)
		say("write");
	lseek(fd, 1234, SEEK_SET);
	if (read(fd, bytes, 777) != 777 || readv(fd, parts, 2) != 333)
		say("read");
	if (pwrite(fd, bytes, 11, 20000) != 11 || pread(fd, bytes, 22, 100000) != 0)
		say("pwrite");
}

static void map(int fd)
{
	volatile char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (page == MAP_FAILED) {
		say("mmap");
		return;
	}
	page[1] = page[4097];
	munmap((void *)page, 8192);
}

// From the file into a pipe and back.
static void splices(int fd)
{
	off_t at = 0;
	int ends[2];

	if (pipe(ends) || sendfile(ends[1], fd, &at, 2222) != 2222 || splice(ends[0], NULL, fd, &at, 2222, 0) != 2222)
		say("splice");
	at = 1;
	if (splice(fd, &at, ends[1], NULL, 3333, 0) != 3333)
		say("splice");
	close(ends[0]);
	close(ends[1]);
}

int main(int argc, char **argv)
{
	int fd = argc == 2 ? open(argv[1], O_CREAT | O_RDWR | O_TRUNC, 0644) : -1;

	if (fd < 0)
		return say("open");
	read_and_write(fd);
	map(fd);
	splices(fd);
	fsync(fd);
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	close(fd);
	fd = open(argv[1], O_WRONLY);
	if (fd < 0 || read(fd, bytes, 1) != -1)
		return say("read");
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Takes memory in all ways that the C library has, and looks up hosts.
#define _GNU_SOURCE
#include <malloc.h>
#include <netdb.h>
#include <stdlib.h>

int main(void)
{
	struct addrinfo *list;
	void *aligned, *volatile first = malloc(4711), *volatile zeroed = calloc(3, 1001), *volatile grown = realloc(first, 98765);
	void *volatile other; // what is volatile is not optimised away

	if (posix_memalign(&aligned, 64, 777))
		return 1;
	free(aligned);
	free(zeroed);
	free(grown);
	other = aligned_alloc(64, 640);
	free(other);
	if (getaddrinfo("127.0.0.1", "4242", NULL, &list))
		return 1;
	freeaddrinfo(list);
	if (!getaddrinfo("no host at all", NULL, NULL, &list))
		return 1;
	return !gethostbyname("127.0.0.1");
}

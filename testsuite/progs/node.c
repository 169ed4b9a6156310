// SPDX-License-Identifier: GPL-2.0-or-later
// Has the marks of a Node.js that was built with them, and reaches each once.
#include <stdint.h>

#include "mark.h"

#define REQUEST(name, address, port, method, url, fd)                                                                  \
	MARK("node", name, "0", "8@%0 8@%1 8@%2 -4@%3 8@%4 8@%5 -4@%6", "nor"((uint64_t)0), "nor"((uint64_t)0),         \
	     "nor"(address), "nor"(port), "nor"(method), "nor"(url), "nor"(fd))
#define RESPONSE(name, address, port, fd)                                                                              \
	MARK("node", name, "0", "8@%0 8@%1 -4@%2 -4@%3", "nor"((uint64_t)0), "nor"(address), "nor"(port), "nor"(fd))

int main(void)
{
	const char *volatile near = "192.0.2.7", *volatile far = "192.0.2.9", *volatile get = "GET", *volatile post = "POST",
		   *volatile page = "/page", *volatile form = "/form";
	volatile int port = 50123, web = 8080, in = 17, out = 18;
	volatile char first = near[0]; // what no page is there for yet, a probe cannot read

	(void)first;
	REQUEST("http__server__request", near, port, get, page, in);
	REQUEST("http__client__request", far, web, post, form, out);
	RESPONSE("http__client__response", far, web, out);
	RESPONSE("http__server__response", near, port, in);
	return 0;
}

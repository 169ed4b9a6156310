// SPDX-License-Identifier: GPL-2.0-or-later
/** The requests of HTTP/1.0 and 1.1 that servers of this machine take. Their bytes are anybody's. */
#ifndef SP_RUNTIME_HTTP_REQUEST_H
#define SP_RUNTIME_HTTP_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

#define HTTP_MAX_BODY 256

enum http_method { HTTP_OTHER, HTTP_GET, HTTP_HEAD, HTTP_POST };

struct http_text {
	const char *at; // not ended by a NUL; NULL: there is none
	size_t len;
};

struct http_request {
	enum http_method method;
	struct http_text path; // without what follows a question mark
	struct http_text host, origin;
	struct http_text body; // none: no length was given
};

/** Returns 0 when the request is whole (its texts are in `bytes`), -1 when more bytes are to come, or the status of an answer to a
 *  wrong one: 400 or 413. */
int http_request_parse(const char *bytes, size_t len, struct http_request *ret);

bool http_text_is(struct http_text text, const char *other);
/** Is the host a name of this machine? A page from elsewhere may have given its own name this machine's address; then a browser here
 *  says that name. False: there is none, too. */
bool http_request_has_local_host(const struct http_request *request);
/** Does a page that the same server has given ask? False: nobody says so. */
bool http_request_has_own_origin(const struct http_request *request);

#endif

// SPDX-License-Identifier: GPL-2.0-or-later
/** Answers requests on 127.0.0.1: --prometheus, --web.
 *
 *  A thread of its own talks to clients, with limits on their number, on their requests, and on their time: none of them can keep the
 *  session from its work. The session makes texts, as only it may look at the script's variables; the last ones are kept. A client
 *  waits for the next text, or is sent all that are kept and those that follow; one that is slow misses some. */
#ifndef SP_RUNTIME_HTTP_SERVER_H
#define SP_RUNTIME_HTTP_SERVER_H

#include "runtime/base/buf.h"
#include "runtime/base/err.h"
#include "runtime/session/http_request.h"

#include <stdint.h>

struct http_server;
struct http_client;

struct http_answer {
	const char *status, *type; // "200 OK"
	const char *fields; // more of the head, each with its end of line; NULL: none
	const char *body; // copied
	size_t len;
};

struct http_site {
	const char *what; // for messages: "metrics"
	unsigned port; // 0: any
	bool sandbox; // the thread has no privileges
	size_t kept; // bytes of texts that are kept for clients to come, beside the last one
	/** In the server's thread. Calls one of http_answer(), http_refuse(), http_wait() and http_stream(). */
	void (*answer)(void *ctx, struct http_client *client, const struct http_request *request);
	void *ctx;
};

struct sp_err *http_server_open(const struct http_site *site, struct http_server **ret);
/** Clients of a stream have so many milliseconds to take what they have not got yet. NULL is fine. */
void http_server_close(struct http_server *server, unsigned patience_ms);

unsigned http_server_port(const struct http_server *server);

/** For the site, in the server's thread. */
void http_answer(struct http_client *client, const struct http_answer *answer);
/** The status is the answer's text, too. */
void http_refuse(struct http_client *client, const char *status);
/** A text of the session is the body, one that has just been made or the next one, which is asked for. */
void http_wait(struct http_client *client, const char *type);
/** The body is all texts that are kept, and those to come. */
void http_stream(struct http_client *client, const char *type, const char *fields);
/** Makes the session look, as clients that wait do. */
void http_server_ask(struct http_server *server);

/** For the session: is readable when it is to look. */
int http_server_fd(const struct http_server *server);
/** Takes note of that. False: nobody has asked. */
bool http_server_take(struct http_server *server);
/** Gives a text, which is emptied. */
void http_server_give(struct http_server *server, struct sp_buf *text);
/** How many clients have a stream. */
unsigned http_server_streams(const struct http_server *server);

#endif

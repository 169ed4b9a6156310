// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // accept4

#include "runtime/session/http_server.h"

#include "runtime/base/vec.h"
#include "runtime/machine/sandbox.h"
#include "runtime/session/timing.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define MAX_CLIENTS 8
#define MAX_REQUEST 4096
#define CLIENT_NS 10000000000ull // for a client to ask and to take its answer; a stream's: to take anything
#define SESSION_NS 4000000000ull // for the session to make a text
#define FRESH_NS 200000000ull // so long a text is given again
#define PAUSE_MS 100 // when no descriptor is left for a client, which goes on waiting

enum client_state { CLIENT_FREE, CLIENT_ASKS, CLIENT_WAITS, CLIENT_TAKES, CLIENT_STREAMS };

struct http_client {
	struct http_server *server;
	enum client_state state;
	int fd;
	bool is_head; // the answer has no body
	uint64_t deadline; // ns
	char request[MAX_REQUEST];
	size_t len;
	const char *type; // of a text that it waits for
	uint64_t next; // text of its stream
	struct sp_buf answer;
	size_t sent;
};

struct texts { // as SP_VEC(struct sp_buf)
	struct sp_buf *v;
	size_t n, cap;
};

struct http_server {
	struct http_site site;
	pthread_t thread;
	int listen_fd, ask_fd, wake_fd;
	unsigned port;
	struct http_client clients[MAX_CLIENTS]; // the thread's, as the next six are
	struct texts texts; // the last ones
	uint64_t first; // the number of the first of them
	size_t size; // of all but the last, in bytes
	uint64_t made_at; // ns, the last one; 0: there is none
	bool is_asked; // the session is making one
	bool is_closing;
	atomic_uint n_streams;
	pthread_mutex_t lock;
	struct texts given; // under the lock, as the next two are
	bool ends;
	uint64_t ends_at; // ns: streams end then at the latest
};

// ---- answers ---------------------------------------------------------------------------------------------------------

static void begin_answer(struct http_client *client, const char *status, const char *type, const char *fields)
{
	sp_buf_printf(&client->answer, "HTTP/1.1 %s\r\nContent-Type: %s\r\nConnection: close\r\nX-Content-Type-Options: nosniff\r\n%s", status, type,
		      fields ? fields : "");
}

void http_answer(struct http_client *client, const struct http_answer *answer)
{
	begin_answer(client, answer->status, answer->type, answer->fields);
	sp_buf_printf(&client->answer, "Content-Length: %zu\r\n\r\n", answer->len);
	if (!client->is_head)
		sp_buf_add(&client->answer, answer->body, answer->len);
	client->state = CLIENT_TAKES;
}

void http_refuse(struct http_client *client, const char *status)
{
	char body[80];

	snprintf(body, sizeof(body), "%s\n", status);
	http_answer(client, &(struct http_answer){ .status = status, .type = "text/plain; charset=utf-8", .body = body, .len = strlen(body),
						   .fields = sp_starts_with(status, "405") ? "Allow: GET, HEAD\r\n" : NULL });
}

static void answer_text(struct http_client *client)
{
	const struct http_server *server = client->server;
	const struct sp_buf *text = &server->texts.v[server->texts.n - 1];

	http_answer(client, &(struct http_answer){ .status = "200 OK", .type = client->type, .body = sp_buf_str(text), .len = text->len });
}

void http_wait(struct http_client *client, const char *type)
{
	client->type = type;
	if (client->server->made_at && sp_now_ns() - client->server->made_at < FRESH_NS)
		answer_text(client);
	else
		client->state = CLIENT_WAITS;
}

void http_stream(struct http_client *client, const char *type, const char *fields)
{
	struct http_server *server = client->server;

	begin_answer(client, "200 OK", type, fields);
	sp_buf_puts(&client->answer, "\r\n");
	client->next = server->first;
	client->state = client->is_head ? CLIENT_TAKES : CLIENT_STREAMS;
	if (client->is_head)
		return;
	atomic_fetch_add(&server->n_streams, 1);
	http_server_ask(server);
}

static const char *status_text(int status)
{
	return status == 413 ? "413 Content Too Large" : "400 Bad Request";
}

// ---- clients ---------------------------------------------------------------------------------------------------------

static void drop(struct http_client *client)
{
	if (client->state == CLIENT_STREAMS)
		atomic_fetch_sub(&client->server->n_streams, 1);
	close(client->fd);
	sp_buf_deinit(&client->answer);
	client->state = CLIENT_FREE;
	client->sent = client->len = 0;
	client->is_head = false;
}

// Without a limit that allows it nothing can be polled or accepted, and would be tried again at once.
static void pause_unless(int expected)
{
	if (errno != expected)
		poll(NULL, 0, PAUSE_MS);
}

static void accept_client(struct http_server *server)
{
	int fd = accept4(server->listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	for (size_t i = 0; fd >= 0 && i < MAX_CLIENTS; i++) {
		if (server->clients[i].state != CLIENT_FREE)
			continue;
		server->clients[i].state = CLIENT_ASKS;
		server->clients[i].fd = fd;
		server->clients[i].deadline = sp_now_ns() + CLIENT_NS;
		return;
	}
	if (fd >= 0)
		close(fd);
	else
		pause_unless(EAGAIN);
}

static void read_request(struct http_client *client)
{
	ssize_t n = read(client->fd, client->request + client->len, MAX_REQUEST - client->len);
	struct http_request request;
	int status;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		drop(client);
		return;
	}
	client->len += (size_t)n;
	status = http_request_parse(client->request, client->len, &request);
	client->is_head = request.method == HTTP_HEAD;
	if (!status)
		client->server->site.answer(client->server->site.ctx, client, &request);
	else if (status > 0)
		http_refuse(client, status_text(status));
	else if (client->len == MAX_REQUEST)
		http_refuse(client, "431 Request Header Fields Too Large");
}

// The next text of a stream. False: it has all.
static bool fill(struct http_client *client)
{
	const struct http_server *server = client->server;

	if (client->sent < client->answer.len)
		return true;
	sp_buf_clear(&client->answer);
	client->sent = 0;
	client->next = SP_MAX(client->next, server->first);
	if (client->next == server->first + server->texts.n)
		return false;
	const struct sp_buf *text = &server->texts.v[client->next++ - server->first];
	sp_buf_add(&client->answer, text->data, text->len);
	client->deadline = sp_now_ns() + CLIENT_NS;
	return true;
}

static void write_answer(struct http_client *client)
{
	ssize_t n = send(client->fd, client->answer.data + client->sent, client->answer.len - client->sent, MSG_NOSIGNAL);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	client->sent += n > 0 ? (size_t)n : 0;
	if (n > 0 && client->state == CLIENT_STREAMS)
		client->deadline = sp_now_ns() + CLIENT_NS;
	if (n > 0 && (client->sent < client->answer.len || client->state == CLIENT_STREAMS))
		return;
	shutdown(client->fd, SHUT_WR);
	drop(client);
}

static void work(struct http_client *client, short events)
{
	switch (client->state) {
	case CLIENT_ASKS:
		read_request(client);
		return;
	case CLIENT_TAKES:
		write_answer(client);
		return;
	case CLIENT_STREAMS:
		if (events == POLLOUT)
			write_answer(client);
		else
			drop(client);
		return;
	case CLIENT_FREE:
	case CLIENT_WAITS: // it has gone, or says more than it was asked for
		drop(client);
		return;
	}
}

// ---- the thread ------------------------------------------------------------------------------------------------------

static void keep(struct http_server *server, struct sp_buf *text)
{
	size_t n = 0;

	if (server->texts.n)
		server->size += server->texts.v[server->texts.n - 1].len;
	sp_vec_push(&server->texts, *text);
	while (server->size > server->site.kept) {
		server->size -= server->texts.v[n].len;
		sp_buf_deinit(&server->texts.v[n++]);
	}
	server->texts.n -= n;
	server->first += n;
	memmove(server->texts.v, server->texts.v + n, server->texts.n * sizeof(*server->texts.v));
}

static bool is_behind(const struct http_server *server)
{
	for (size_t i = 0; i < MAX_CLIENTS; i++)
		if (server->clients[i].state == CLIENT_STREAMS && server->clients[i].sent < server->clients[i].answer.len)
			return true;
	return false;
}

// Takes what the session has given. False: the server is to end.
static bool take_given(struct http_server *server)
{
	uint64_t count, ends_at;
	struct texts given;

	if (read(server->wake_fd, &count, sizeof(count)) < 0 && errno != EAGAIN && errno != EINTR)
		return false;
	pthread_mutex_lock(&server->lock);
	given = server->given;
	server->given = (struct texts){ 0 };
	server->is_closing = server->ends;
	ends_at = server->ends_at;
	pthread_mutex_unlock(&server->lock);
	sp_vec_each(text, &given)
		keep(server, text);
	if (given.n) {
		server->made_at = sp_now_ns();
		server->is_asked = false;
	}
	for (size_t i = 0; given.n && i < MAX_CLIENTS; i++)
		if (server->clients[i].state == CLIENT_WAITS)
			answer_text(&server->clients[i]);
	sp_vec_deinit(&given);
	for (size_t i = 0; i < MAX_CLIENTS; i++)
		if (server->clients[i].state == CLIENT_STREAMS)
			fill(&server->clients[i]);
	return !server->is_closing || (is_behind(server) && sp_now_ns() < ends_at);
}

static void notify(int fd)
{
	const uint64_t one = 1;
	ssize_t n;

	do
		n = write(fd, &one, sizeof(one));
	while (n < 0 && errno == EINTR);
}

// Ends those whose time is over, and asks the session for those that wait. Returns when there is more to do.
static uint64_t tend_client(struct http_client *client, uint64_t now)
{
	struct http_server *server = client->server;

	if (client->state == CLIENT_WAITS && now + CLIENT_NS - SESSION_NS >= client->deadline)
		http_refuse(client, "503 Service Unavailable");
	if (client->state == CLIENT_STREAMS && !fill(client))
		return UINT64_MAX;
	if (client->state != CLIENT_FREE && now >= client->deadline)
		drop(client);
	if (client->state == CLIENT_WAITS && !server->is_asked) {
		server->is_asked = true;
		http_server_ask(server);
	}
	return client->state == CLIENT_FREE    ? UINT64_MAX
	       : client->state == CLIENT_WAITS ? client->deadline - (CLIENT_NS - SESSION_NS)
					       : client->deadline;
}

// Returns the milliseconds until there is more to do; -1: nothing is.
static int tend(struct http_server *server)
{
	uint64_t now = sp_now_ns(), next = server->is_closing ? now + 10000000 : UINT64_MAX;

	for (size_t i = 0; i < MAX_CLIENTS; i++) {
		uint64_t due = tend_client(&server->clients[i], now);

		next = SP_MIN(next, due);
	}
	return next == UINT64_MAX ? -1 : next <= now ? 0 : (int)((next - now) / 1000000 + 1);
}

static short wanted_events(const struct http_client *client)
{
	switch (client->state) {
	case CLIENT_TAKES: return POLLOUT;
	case CLIENT_STREAMS: return client->sent < client->answer.len ? POLLIN | POLLOUT : POLLIN;
	case CLIENT_FREE:
	case CLIENT_ASKS:
	case CLIENT_WAITS: break;
	}
	return POLLIN;
}

static void *serve(void *arg)
{
	struct http_server *server = arg;
	struct pollfd polled[2 + MAX_CLIENTS];
	bool goes_on = true;

	if (server->site.sandbox)
		sandbox_drop_capabilities(0);
	while (goes_on) {
		int timeout = tend(server);
		bool is_full = true;

		for (size_t i = 0; i < MAX_CLIENTS; i++) {
			const struct http_client *client = &server->clients[i];

			is_full &= client->state != CLIENT_FREE;
			polled[2 + i] = (struct pollfd){ .fd = client->state == CLIENT_FREE ? -1 : client->fd, .events = wanted_events(client) };
		}
		polled[0] = (struct pollfd){ .fd = server->wake_fd, .events = POLLIN };
		polled[1] = (struct pollfd){ .fd = is_full || server->is_closing ? -1 : server->listen_fd, .events = POLLIN };
		if (poll(polled, SP_ARRAY_SIZE(polled), timeout) < 0) {
			pause_unless(EINTR);
			continue;
		}
		for (size_t i = 0; i < MAX_CLIENTS; i++)
			if (polled[2 + i].revents)
				work(&server->clients[i], polled[2 + i].revents);
		if (polled[0].revents || server->is_closing)
			goes_on = take_given(server);
		if (polled[1].revents)
			accept_client(server);
	}
	return NULL;
}

// ---- the session's side ------------------------------------------------------------------------------------------------

static struct sp_err *listen_on(struct http_server *server)
{
	unsigned port = server->site.port;
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port),
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(address);
	int yes = 1;

	server->listen_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (server->listen_fd < 0 || setsockopt(server->listen_fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) ||
	    bind(server->listen_fd, (struct sockaddr *)&address, sizeof(address)) || listen(server->listen_fd, MAX_CLIENTS) ||
	    getsockname(server->listen_fd, (struct sockaddr *)&address, &size))
		return sp_err_errno(errno, "%s cannot be served on port %u of 127.0.0.1", server->site.what, port);
	server->port = ntohs(address.sin_port);
	return NULL;
}

static struct sp_err *start(struct http_server *server)
{
	sigset_t all, old;
	int error;

	server->ask_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	server->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (server->ask_fd < 0 || server->wake_fd < 0)
		return sp_err_errno(errno, "%s cannot be served", server->site.what);
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	error = pthread_create(&server->thread, NULL, serve, server);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return error ? sp_err_errno(error, "%s cannot be served: no thread can be started", server->site.what) : NULL;
}

static void deinit_texts(struct texts *list)
{
	sp_vec_each(text, list)
		sp_buf_deinit(text);
	sp_vec_deinit(list);
}

static void deinit(struct http_server *server)
{
	for (size_t i = 0; i < MAX_CLIENTS; i++)
		if (server->clients[i].state != CLIENT_FREE)
			drop(&server->clients[i]);
	deinit_texts(&server->texts);
	deinit_texts(&server->given);
	pthread_mutex_destroy(&server->lock);
	if (server->listen_fd >= 0)
		close(server->listen_fd);
	if (server->ask_fd >= 0)
		close(server->ask_fd);
	if (server->wake_fd >= 0)
		close(server->wake_fd);
	free(server);
}

struct sp_err *http_server_open(const struct http_site *site, struct http_server **ret)
{
	struct http_server *server = sp_calloc(1, sizeof(*server));
	struct sp_err *err;

	server->listen_fd = server->ask_fd = server->wake_fd = -1;
	server->site = *site;
	for (size_t i = 0; i < MAX_CLIENTS; i++)
		server->clients[i].server = server;
	pthread_mutex_init(&server->lock, NULL);
	err = listen_on(server);
	err = err ? err : start(server);
	if (err)
		deinit(server);
	else
		*ret = server;
	return err;
}

void http_server_close(struct http_server *server, unsigned patience_ms)
{
	if (!server)
		return;
	pthread_mutex_lock(&server->lock);
	server->ends = true;
	server->ends_at = sp_now_ns() + (uint64_t)patience_ms * 1000000;
	pthread_mutex_unlock(&server->lock);
	notify(server->wake_fd);
	pthread_join(server->thread, NULL);
	deinit(server);
}

unsigned http_server_port(const struct http_server *server)
{
	return server->port;
}

void http_server_ask(struct http_server *server)
{
	notify(server->ask_fd);
}

int http_server_fd(const struct http_server *server)
{
	return server->ask_fd;
}

bool http_server_take(struct http_server *server)
{
	uint64_t count;

	return read(server->ask_fd, &count, sizeof(count)) > 0;
}

void http_server_give(struct http_server *server, struct sp_buf *text)
{
	pthread_mutex_lock(&server->lock);
	sp_vec_push(&server->given, *text);
	pthread_mutex_unlock(&server->lock);
	*text = (struct sp_buf){ 0 };
	notify(server->wake_fd);
}

unsigned http_server_streams(const struct http_server *server)
{
	return atomic_load(&server->n_streams);
}

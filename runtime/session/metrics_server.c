// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // accept4, memmem

#include "runtime/session/metrics_server.h"

#include "runtime/machine/sandbox.h"
#include "runtime/session/timing.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define MAX_CLIENTS 8
#define MAX_REQUEST 4096
#define CLIENT_NS 10000000000ull // for a client to ask and to take its answer
#define SESSION_NS 4000000000ull // for the session to make a text
#define FRESH_NS 200000000ull // so long a text is given again

enum client_state { CLIENT_FREE, CLIENT_ASKS, CLIENT_WAITS, CLIENT_TAKES };

struct client {
	enum client_state state;
	int fd;
	bool is_head; // the answer has no body
	uint64_t deadline; // ns
	char request[MAX_REQUEST + 1];
	size_t len;
	struct sp_buf answer;
	size_t sent;
};

struct metrics_server {
	pthread_t thread;
	int listen_fd, ask_fd, wake_fd;
	unsigned port;
	bool sandbox;
	struct client clients[MAX_CLIENTS]; // the thread's, as the next two are
	struct sp_buf text;
	uint64_t made_at; // ns; 0: there is no text
	bool is_asked; // the session is making one
	pthread_mutex_t lock;
	struct sp_buf given; // under the lock, as the next two are
	bool has_given, ends;
};

// ---- answers ---------------------------------------------------------------------------------------------------------

static void answer(struct client *client, const char *status, const char *type, const char *body, size_t len)
{
	sp_buf_printf(&client->answer,
		      "HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\nConnection: close\r\nX-Content-Type-Options: nosniff\r\n%s\r\n",
		      status, type, len, sp_starts_with(status, "405") ? "Allow: GET, HEAD\r\n" : "");
	if (!client->is_head)
		sp_buf_add(&client->answer, body, len);
	client->state = CLIENT_TAKES;
}

static void answer_short(struct client *client, const char *status)
{
	char body[80];

	snprintf(body, sizeof(body), "%s\n", status);
	answer(client, status, "text/plain; charset=utf-8", body, strlen(body));
}

static void answer_text(struct metrics_server *server, struct client *client)
{
	answer(client, "200 OK", "text/plain; version=0.0.4; charset=utf-8", sp_buf_str(&server->text), server->text.len);
}

// A web page from elsewhere may have given its own name this machine's address; then a browser here says that name.
static bool is_local_host(const char *host)
{
	static const char *const names[] = { "localhost", "127.0.0.1", "[::1]" };

	host += strspn(host, " \t");
	for (size_t i = 0; i < SP_ARRAY_SIZE(names); i++) {
		size_t len = strlen(names[i]);

		if (!strncasecmp(host, names[i], len) && strchr(": \t\r\n", host[len]))
			return true;
	}
	return false;
}

static bool has_foreign_host(const char *request)
{
	for (const char *line = strchr(request, '\n'); line; line = strchr(line + 1, '\n'))
		if (!strncasecmp(line + 1, "host:", 5))
			return !is_local_host(line + 6);
	return false;
}

// The request is complete.
static void take_request(struct metrics_server *server, struct client *client)
{
	const char *request = client->request, *path;
	size_t method = strcspn(request, " \r\n"), len;

	client->is_head = method == 4 && !memcmp(request, "HEAD", 4);
	path = request + method + strspn(request + method, " ");
	len = strcspn(path, " ?\r\n");
	if (strlen(request) != client->len || !memmem(path, strcspn(path, "\n"), " HTTP/1.", 8))
		answer_short(client, "400 Bad Request");
	else if (!client->is_head && (method != 3 || memcmp(request, "GET", 3) != 0))
		answer_short(client, "405 Method Not Allowed");
	else if (has_foreign_host(request))
		answer_short(client, "403 Forbidden");
	else if (len != strlen("/metrics") || memcmp(path, "/metrics", len) != 0)
		answer_short(client, "404 Not Found");
	else if (server->made_at && timing_now() - server->made_at < FRESH_NS)
		answer_text(server, client);
	else
		client->state = CLIENT_WAITS;
}

// ---- clients ---------------------------------------------------------------------------------------------------------

static void drop(struct client *client)
{
	close(client->fd);
	sp_buf_deinit(&client->answer);
	client->state = CLIENT_FREE;
	client->sent = client->len = 0;
	client->is_head = false;
}

static void accept_client(struct metrics_server *server)
{
	int fd = accept4(server->listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	for (size_t i = 0; fd >= 0 && i < MAX_CLIENTS; i++) {
		if (server->clients[i].state != CLIENT_FREE)
			continue;
		server->clients[i].state = CLIENT_ASKS;
		server->clients[i].fd = fd;
		server->clients[i].deadline = timing_now() + CLIENT_NS;
		return;
	}
	if (fd >= 0)
		close(fd);
}

static bool is_whole(const struct client *client)
{
	return memmem(client->request, client->len, "\r\n\r\n", 4) || memmem(client->request, client->len, "\n\n", 2);
}

static void read_request(struct metrics_server *server, struct client *client)
{
	ssize_t n = read(client->fd, client->request + client->len, MAX_REQUEST - client->len);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		drop(client);
		return;
	}
	client->len += (size_t)n;
	client->request[client->len] = '\0';
	if (is_whole(client))
		take_request(server, client);
	else if (client->len == MAX_REQUEST)
		answer_short(client, "431 Request Header Fields Too Large");
}

static void write_answer(struct client *client)
{
	ssize_t n = send(client->fd, client->answer.data + client->sent, client->answer.len - client->sent, MSG_NOSIGNAL);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	client->sent += n > 0 ? (size_t)n : 0;
	if (n > 0 && client->sent < client->answer.len)
		return;
	shutdown(client->fd, SHUT_WR);
	drop(client);
}

static void work(struct metrics_server *server, struct client *client)
{
	switch (client->state) {
	case CLIENT_ASKS:
		read_request(server, client);
		return;
	case CLIENT_TAKES:
		write_answer(client);
		return;
	case CLIENT_FREE:
	case CLIENT_WAITS: // it has gone, or says more than it was asked for
		drop(client);
		return;
	}
}

// ---- the thread ------------------------------------------------------------------------------------------------------

// Takes what the session has given. False: the server is to end.
static bool take_given(struct metrics_server *server)
{
	uint64_t count;
	bool has_given, ends;

	if (read(server->wake_fd, &count, sizeof(count)) < 0 && errno != EAGAIN && errno != EINTR)
		return false;
	pthread_mutex_lock(&server->lock);
	has_given = server->has_given;
	ends = server->ends;
	if (has_given) {
		sp_buf_deinit(&server->text);
		server->text = server->given;
		server->given = (struct sp_buf){ 0 };
		server->has_given = false;
	}
	pthread_mutex_unlock(&server->lock);
	if (!has_given)
		return !ends;
	server->made_at = timing_now();
	server->is_asked = false;
	for (size_t i = 0; i < MAX_CLIENTS; i++)
		if (server->clients[i].state == CLIENT_WAITS)
			answer_text(server, &server->clients[i]);
	return !ends;
}

static void notify(int fd)
{
	const uint64_t one = 1;
	ssize_t n;

	do
		n = write(fd, &one, sizeof(one));
	while (n < 0 && errno == EINTR);
}

// Asks the session for clients that wait, and ends those whose time is over. Returns the milliseconds until there is more to do; -1:
// nothing is.
static int tend(struct metrics_server *server)
{
	uint64_t now = timing_now(), next = UINT64_MAX;

	for (size_t i = 0; i < MAX_CLIENTS; i++) {
		struct client *client = &server->clients[i];

		if (client->state == CLIENT_WAITS && now + CLIENT_NS - SESSION_NS >= client->deadline)
			answer_short(client, "503 Service Unavailable");
		if (client->state != CLIENT_FREE && now >= client->deadline)
			drop(client);
		if (client->state == CLIENT_WAITS && !server->is_asked) {
			server->is_asked = true;
			notify(server->ask_fd);
		}
		if (client->state == CLIENT_WAITS)
			next = SP_MIN(next, client->deadline - (CLIENT_NS - SESSION_NS));
		else if (client->state != CLIENT_FREE)
			next = SP_MIN(next, client->deadline);
	}
	return next == UINT64_MAX ? -1 : next <= now ? 0 : (int)((next - now) / 1000000 + 1);
}

static void *serve(void *arg)
{
	struct metrics_server *server = arg;
	struct pollfd polled[2 + MAX_CLIENTS];
	bool goes_on = true;

	if (server->sandbox)
		sandbox_drop_capabilities(0);
	while (goes_on) {
		int timeout = tend(server);
		bool is_full = true;

		for (size_t i = 0; i < MAX_CLIENTS; i++) {
			const struct client *client = &server->clients[i];

			is_full &= client->state != CLIENT_FREE;
			polled[2 + i] = (struct pollfd){ .fd = client->state == CLIENT_FREE ? -1 : client->fd,
							 .events = client->state == CLIENT_TAKES ? POLLOUT : POLLIN };
		}
		polled[0] = (struct pollfd){ .fd = server->wake_fd, .events = POLLIN };
		polled[1] = (struct pollfd){ .fd = is_full ? -1 : server->listen_fd, .events = POLLIN };
		if (poll(polled, SP_ARRAY_SIZE(polled), timeout) <= 0)
			continue;
		for (size_t i = 0; i < MAX_CLIENTS; i++)
			if (polled[2 + i].revents)
				work(server, &server->clients[i]);
		if (polled[0].revents)
			goes_on = take_given(server);
		if (polled[1].revents)
			accept_client(server);
	}
	return NULL;
}

// ---- the session's side ------------------------------------------------------------------------------------------------

static struct sp_err *listen_on(struct metrics_server *server, unsigned port)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port),
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(address);
	int yes = 1;

	server->listen_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (server->listen_fd < 0 || setsockopt(server->listen_fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) ||
	    bind(server->listen_fd, (struct sockaddr *)&address, sizeof(address)) || listen(server->listen_fd, MAX_CLIENTS) ||
	    getsockname(server->listen_fd, (struct sockaddr *)&address, &size))
		return sp_err_errno(errno, "metrics cannot be served on port %u of 127.0.0.1", port);
	server->port = ntohs(address.sin_port);
	return NULL;
}

static struct sp_err *start(struct metrics_server *server)
{
	sigset_t all, old;
	int error;

	server->ask_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	server->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (server->ask_fd < 0 || server->wake_fd < 0)
		return sp_err_errno(errno, "metrics cannot be served");
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	error = pthread_create(&server->thread, NULL, serve, server);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return error ? sp_err_errno(error, "metrics cannot be served: no thread can be started") : NULL;
}

static void deinit(struct metrics_server *server)
{
	for (size_t i = 0; i < MAX_CLIENTS; i++)
		if (server->clients[i].state != CLIENT_FREE)
			drop(&server->clients[i]);
	sp_buf_deinit(&server->text);
	sp_buf_deinit(&server->given);
	pthread_mutex_destroy(&server->lock);
	if (server->listen_fd >= 0)
		close(server->listen_fd);
	if (server->ask_fd >= 0)
		close(server->ask_fd);
	if (server->wake_fd >= 0)
		close(server->wake_fd);
	free(server);
}

struct sp_err *metrics_server_open(unsigned port, bool sandbox, struct metrics_server **ret)
{
	struct metrics_server *server = sp_calloc(1, sizeof(*server));
	struct sp_err *err;

	server->listen_fd = server->ask_fd = server->wake_fd = -1;
	server->sandbox = sandbox;
	pthread_mutex_init(&server->lock, NULL);
	err = listen_on(server, port);
	err = err ? err : start(server);
	if (err)
		deinit(server);
	else
		*ret = server;
	return err;
}

void metrics_server_close(struct metrics_server *server)
{
	if (!server)
		return;
	pthread_mutex_lock(&server->lock);
	server->ends = true;
	pthread_mutex_unlock(&server->lock);
	notify(server->wake_fd);
	pthread_join(server->thread, NULL);
	deinit(server);
}

unsigned metrics_server_port(const struct metrics_server *server)
{
	return server->port;
}

int metrics_server_fd(const struct metrics_server *server)
{
	return server->ask_fd;
}

void metrics_server_give(struct metrics_server *server, struct sp_buf *text)
{
	pthread_mutex_lock(&server->lock);
	sp_buf_deinit(&server->given);
	server->given = *text;
	server->has_given = true;
	pthread_mutex_unlock(&server->lock);
	*text = (struct sp_buf){ 0 };
	notify(server->wake_fd);
}

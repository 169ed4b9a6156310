// SPDX-License-Identifier: GPL-2.0-or-later
// --web: a page shows the run while it lasts. What it shows is a stream of texts (Server-Sent Events), one a second while somebody
// looks; what it asks for is taken from the server's thread here, and done by the session.
//
// Who has the address has the run. It is told once, and 128 bits of it are random: they stand in the path, so that no request is without
// them, and no other server on this machine is sent them, as it would be with a cookie.
#include "runtime/base/json.h"
#include "runtime/session/http_server.h"
#include "runtime/session/rt.h"
#include "runtime/session/web_page.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

#define TOKEN_DIGITS 32
#define PERIOD_NS 1000000000
#define KEPT (8u << 20) // bytes of texts, for a page that is opened or loaded again
#define MAX_OUTPUT (64u << 10) // bytes of output in a text: the last ones
#define MAX_WISHES 16
#define PATIENCE_MS 2000 // for a page to take the end

// Nothing of the page comes from elsewhere, and nothing of what is shown can become a script or a part of the page's code.
#define FIELDS                                                                                                                     \
	"Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n"                 \
	"Cross-Origin-Opener-Policy: same-origin\r\n"
#define POLICY                                                                                                                     \
	"Content-Security-Policy: default-src 'none'; connect-src 'self'; img-src data:; script-src 'nonce-%s'; style-src 'nonce-%s'; " \
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'\r\n"

enum wish_kind { WISH_ON, WISH_OFF, WISH_PAUSE, WISH_CONTINUE, WISH_CLEAR, WISH_STOP };

struct wish {
	enum wish_kind kind;
	unsigned probe;
};

struct rt_web {
	struct http_server *server;
	const struct spilert_page *page;
	char token[TOKEN_DIGITS + 1];
	int timer_fd; // -1
	struct sp_buf output; // since the last text
	uint64_t written; // bytes of output altogether
	pthread_mutex_t lock;
	struct wish wishes[MAX_WISHES]; // under the lock, as the next one is
	unsigned n_wishes;
};

// ---- the page, in the server's thread -----------------------------------------------------------------------------------

static bool put_random(char *digits, size_t n)
{
	unsigned char bytes[TOKEN_DIGITS / 2];

	if (getrandom(bytes, n / 2, 0) != (ssize_t)(n / 2))
		return false;
	for (size_t i = 0; i < n / 2; i++)
		snprintf(digits + 2 * i, 3, "%02x", bytes[i]);
	return true;
}

static void answer_page(struct http_client *client, const struct spilert_page *parts)
{
	char nonce[TOKEN_DIGITS + 1];
	struct sp_buf page = { 0 }, fields = { 0 };

	if (!put_random(nonce, TOKEN_DIGITS)) {
		http_refuse(client, "500 Internal Server Error");
		return;
	}
	sp_buf_puts(&fields, FIELDS);
	sp_buf_printf(&fields, POLICY, nonce, nonce);
	sp_buf_puts(&page, parts->head);
	sp_buf_printf(&page, "<style nonce=\"%s\">\n", nonce);
	sp_buf_puts(&page, parts->style);
	sp_buf_puts(&page, "</style>\n");
	sp_buf_puts(&page, parts->body);
	sp_buf_printf(&page, "<script nonce=\"%s\">\n", nonce);
	sp_buf_puts(&page, parts->script);
	sp_buf_puts(&page, "</script>\n");
	http_answer(client, &(struct http_answer){ .status = "200 OK", .type = "text/html; charset=utf-8", .fields = sp_buf_str(&fields),
						   .body = sp_buf_str(&page), .len = page.len });
	sp_buf_deinit(&page);
	sp_buf_deinit(&fields);
}

// "on 3", "off 3", "pause"
static bool read_wish(struct http_text text, struct wish *ret)
{
	static const char *const names[] = { [WISH_ON] = "on ", [WISH_OFF] = "off ", [WISH_PAUSE] = "pause", [WISH_CONTINUE] = "continue",
					     [WISH_CLEAR] = "clear", [WISH_STOP] = "stop" };

	for (unsigned i = 0; i < SP_ARRAY_SIZE(names); i++) {
		size_t len = strlen(names[i]);
		char number[12] = "", *end;
		size_t n_digits = text.len - SP_MIN(len, text.len);
		bool wants_number = i <= WISH_OFF;

		if (text.len < len || memcmp(text.at, names[i], len) != 0 || n_digits >= sizeof(number) || wants_number != (n_digits > 0))
			continue;
		memcpy(number, text.at + len, n_digits);
		*ret = (struct wish){ (enum wish_kind)i, (unsigned)strtoull(number, &end, 10) };
		return !*end && (!n_digits || (*number >= '0' && *number <= '9'));
	}
	return false;
}

static void take_wish(struct rt_web *web, struct http_client *client, const struct http_request *request)
{
	struct wish wish;
	bool has_room;

	if (!request->body.at || !read_wish(request->body, &wish)) {
		http_refuse(client, request->body.at ? "400 Bad Request" : "411 Length Required");
		return;
	}
	pthread_mutex_lock(&web->lock);
	has_room = web->n_wishes < MAX_WISHES;
	if (has_room)
		web->wishes[web->n_wishes++] = wish;
	pthread_mutex_unlock(&web->lock);
	http_server_ask(web->server);
	if (has_room)
		http_answer(client, &(struct http_answer){ .status = "200 OK", .type = "text/plain; charset=utf-8", .fields = FIELDS, .body = "" });
	else
		http_refuse(client, "503 Service Unavailable");
}

// What follows "/TOKEN/" in the path. The time that this takes says nothing of the token. False: it is another one.
static bool find_rest(const struct rt_web *web, struct http_text path, struct http_text *ret)
{
	unsigned differs = 0;

	if (path.len < TOKEN_DIGITS + 2 || path.at[0] != '/' || path.at[TOKEN_DIGITS + 1] != '/')
		return false;
	for (size_t i = 0; i < TOKEN_DIGITS; i++)
		differs |= (unsigned char)(path.at[1 + i] ^ web->token[i]);
	*ret = (struct http_text){ path.at + TOKEN_DIGITS + 2, path.len - TOKEN_DIGITS - 2 };
	return !differs;
}

static void answer(void *ctx, struct http_client *client, const struct http_request *request)
{
	struct rt_web *web = ctx;
	bool reads = request->method == HTTP_GET || request->method == HTTP_HEAD, writes = request->method == HTTP_POST;
	struct http_text rest;

	if (!http_request_has_local_host(request) || ((writes || request->origin.at) && !http_request_has_own_origin(request)) ||
	    !find_rest(web, request->path, &rest))
		http_refuse(client, "403 Forbidden");
	else if (reads && !rest.len)
		answer_page(client, web->page);
	else if (reads && http_text_is(rest, "events"))
		http_stream(client, "text/event-stream; charset=utf-8", FIELDS);
	else if (writes && http_text_is(rest, "wish"))
		take_wish(web, client, request);
	else if (!rest.len || http_text_is(rest, "events") || http_text_is(rest, "wish"))
		http_refuse(client, "405 Method Not Allowed");
	else
		http_refuse(client, "404 Not Found");
}

// ---- the session ---------------------------------------------------------------------------------------------------------

struct sp_err *rt_web_open(struct spilert *rt)
{
	struct http_site site = { .what = "the page", .port = (unsigned)SP_MAX(rt->opts.web, 0), .sandbox = rt->opts.sandbox, .kept = KEPT,
				  .answer = answer };
	char address[80];

	if (!rt->opts.web || !rt->opts.page)
		return NULL;
	site.ctx = rt->web = sp_calloc(1, sizeof(*rt->web));
	rt->web->timer_fd = -1;
	rt->web->page = rt->opts.page;
	pthread_mutex_init(&rt->web->lock, NULL);
	if (!put_random(rt->web->token, TOKEN_DIGITS))
		return sp_err_errno(errno, "the page cannot be served: there are no random numbers");
	SP_TRY(http_server_open(&site, &rt->web->server));
	snprintf(address, sizeof(address), "http://127.0.0.1:%u/%s/", http_server_port(rt->web->server), rt->web->token);
	if (rt->opts.served)
		rt->opts.served(rt->opts.log_ctx, address);
	return NULL;
}

struct sp_err *rt_web_start(struct spilert *rt)
{
	const struct itimerspec period = { { PERIOD_NS / 1000000000, PERIOD_NS % 1000000000 }, { 0, 1 } };

	rt->watch.began = sp_now_ns();
	return attach_timerfd(CLOCK_MONOTONIC, 0, &period, &rt->web->timer_fd);
}

int rt_web_fd(const struct spilert *rt, unsigned index)
{
	return index == 0 ? rt->web->timer_fd : index == 1 ? http_server_fd(rt->web->server) : -1;
}

static void fulfil(struct spilert *rt, const struct wish *wish)
{
	switch (wish->kind) {
	case WISH_ON:
	case WISH_OFF: spilert_switch_probe(rt, wish->probe, wish->kind == WISH_ON); break;
	case WISH_PAUSE:
	case WISH_CONTINUE: spilert_pause(rt, wish->kind == WISH_PAUSE); break;
	case WISH_CLEAR: spilert_reset_variables(rt); break;
	case WISH_STOP: spilert_stop(rt); break;
	}
}

void rt_web_look(struct spilert *rt)
{
	struct wish wishes[MAX_WISHES];
	unsigned n;

	attach_timerfd_take(rt->web->timer_fd);
	http_server_take(rt->web->server);
	pthread_mutex_lock(&rt->web->lock);
	n = rt->web->n_wishes;
	memcpy(wishes, rt->web->wishes, sizeof(wishes));
	rt->web->n_wishes = 0;
	pthread_mutex_unlock(&rt->web->lock);
	for (unsigned i = 0; i < n; i++)
		fulfil(rt, &wishes[i]);
	if (http_server_streams(rt->web->server))
		rt_web_give(rt);
}

// ---- texts ---------------------------------------------------------------------------------------------------------------

static void put_output(struct sp_buf *lines, struct rt_web *web)
{
	if (!web->output.len)
		return;
	sp_json_begin(lines, NULL, '{');
	sp_json_text(lines, "type", "output");
	sp_json_unsigned(lines, "from", web->written - web->output.len);
	sp_json_unsigned(lines, "to", web->written);
	sp_json_bytes(lines, "text", sp_buf_str(&web->output), web->output.len);
	sp_json_end(lines, '}');
	sp_buf_putc(lines, '\n');
	sp_buf_clear(&web->output);
}

// An event's lines begin with "data:"; an empty one ends it.
static void give(struct spilert *rt, const char *state)
{
	struct sp_buf lines = { 0 }, event = { 0 };

	rt_web_put(&lines, rt, state);
	put_output(&lines, rt->web);
	for (const char *at = sp_buf_str(&lines), *end; (end = strchr(at, '\n')); at = end + 1) {
		sp_buf_puts(&event, "data:");
		sp_buf_add(&event, at, (size_t)(end + 1 - at));
	}
	sp_buf_putc(&event, '\n');
	sp_buf_deinit(&lines);
	http_server_give(rt->web->server, &event);
}

void rt_web_give(struct spilert *rt)
{
	if (rt->web)
		give(rt, spilert_is_paused(rt) ? "paused" : "running");
}

// The last bytes are kept, from the beginning of a line on.
void rt_web_text(struct spilert *rt, const char *text, size_t len)
{
	struct sp_buf *output = &rt->web->output;

	rt->web->written += len;
	sp_buf_add(output, text, len);
	if (output->len > 2 * MAX_OUTPUT) {
		const char *from = output->data + output->len - MAX_OUTPUT, *line = memchr(from, '\n', MAX_OUTPUT);

		from = line ? line + 1 : from;
		output->len -= (size_t)(from - output->data);
		memmove(output->data, from, output->len + 1);
	}
}

void rt_web_message(struct spilert *rt, enum sp_log_level level, const char *text)
{
	const char *word = sp_log_word(level);

	if (!rt->web)
		return;
	rt_web_text(rt, word, strlen(word));
	rt_web_text(rt, text, strlen(text));
	rt_web_text(rt, "\n", 1);
}

void rt_web_end(struct spilert *rt)
{
	if (!rt->web || !rt->web->server)
		return;
	give(rt, "ended");
	http_server_close(rt->web->server, PATIENCE_MS);
	rt->web->server = NULL;
}

void rt_web_close(struct spilert *rt)
{
	if (!rt->web)
		return;
	http_server_close(rt->web->server, 0);
	if (rt->web->timer_fd >= 0)
		close(rt->web->timer_fd);
	sp_buf_deinit(&rt->web->output);
	pthread_mutex_destroy(&rt->web->lock);
	free(rt->web);
	rt->web = NULL;
}

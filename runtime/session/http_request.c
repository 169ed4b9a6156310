// SPDX-License-Identifier: GPL-2.0-or-later
// RFC 9112. Bodies have a length: nobody who asks here sends them in chunks.
#define _GNU_SOURCE // memmem

#include "runtime/session/http_request.h"

#include "runtime/base/util.h"

#include <string.h>
#include <strings.h>

#define BAD_REQUEST 400
#define CONTENT_TOO_LARGE 413

bool http_text_is(struct http_text text, const char *other)
{
	return text.at && sp_is_word(text.at, text.len, other);
}

static bool is_named(struct http_text text, const char *name)
{
	return text.len == strlen(name) && !strncasecmp(text.at, name, text.len);
}

// Up to a byte, which is taken, too; without it all that is left.
static struct http_text cut(struct http_text *from, char end)
{
	const char *found = memchr(from->at, end, from->len);
	struct http_text ret = { from->at, found ? (size_t)(found - from->at) : from->len };
	size_t taken = ret.len + (found ? 1 : 0);

	from->at += taken;
	from->len -= taken;
	return ret;
}

static struct http_text cut_line(struct http_text *from)
{
	struct http_text line = cut(from, '\n');

	if (line.len && line.at[line.len - 1] == '\r')
		line.len--;
	return line;
}

static struct http_text without_blanks(struct http_text text)
{
	while (text.len && (*text.at == ' ' || *text.at == '\t'))
		text.at++, text.len--;
	while (text.len && (text.at[text.len - 1] == ' ' || text.at[text.len - 1] == '\t'))
		text.len--;
	return text;
}

// "GET /path?query HTTP/1.1"
static bool take_first_line(struct http_text line, struct http_request *ret)
{
	static const char *const methods[] = { [HTTP_GET] = "GET", [HTTP_HEAD] = "HEAD", [HTTP_POST] = "POST" };
	struct http_text method = cut(&line, ' '), target = cut(&line, ' ');

	for (unsigned i = HTTP_GET; i <= HTTP_POST; i++)
		if (http_text_is(method, methods[i]))
			ret->method = (enum http_method)i;
	ret->path = cut(&target, '?');
	return method.len && ret->path.len && line.len == strlen("HTTP/1.1") && sp_starts_with(line.at, "HTTP/1.");
}

static bool take_length(struct http_text value, size_t *ret)
{
	*ret = 0;
	for (size_t i = 0; i < value.len; i++) {
		if (value.at[i] < '0' || value.at[i] > '9')
			return false;
		*ret = SP_MIN(*ret * 10 + (size_t)(value.at[i] - '0'), (size_t)HTTP_MAX_BODY + 1);
	}
	return value.len;
}

struct fields {
	struct http_request *request;
	struct http_text length;
};

// What is said twice may be understood in two ways.
static bool take_field(struct fields *fields, struct http_text line)
{
	struct http_text name = cut(&line, ':'), value = without_blanks(line);
	struct http_text *to = is_named(name, "host")		  ? &fields->request->host
			       : is_named(name, "origin")	  ? &fields->request->origin
			       : is_named(name, "content-length") ? &fields->length
								  : NULL;

	if (!name.len || name.at + name.len == line.at || name.at[name.len - 1] == ' ' || is_named(name, "transfer-encoding"))
		return false;
	if (to && to->at)
		return false;
	if (to)
		*to = value;
	return true;
}

static bool find_head(const char *bytes, size_t len, size_t *ret)
{
	static const char *const ends[] = { "\r\n\r\n", "\n\n" };
	const char *first = NULL;

	for (size_t i = 0; i < SP_ARRAY_SIZE(ends); i++) {
		const char *end = memmem(bytes, len, ends[i], strlen(ends[i]));

		if (end && (!first || end < first)) {
			first = end;
			*ret = (size_t)(end - bytes) + strlen(ends[i]);
		}
	}
	return first;
}

int http_request_parse(const char *bytes, size_t len, struct http_request *ret)
{
	struct fields fields = { .request = ret };
	struct http_text head = { bytes, 0 };
	size_t head_len = 0, body_len = 0;

	*ret = (struct http_request){ .method = HTTP_OTHER };
	if (!find_head(bytes, len, &head_len))
		return -1;
	head.len = head_len;
	if (memchr(bytes, '\0', head_len) || !take_first_line(cut_line(&head), ret))
		return BAD_REQUEST;
	for (struct http_text line = cut_line(&head); line.len; line = cut_line(&head))
		if (!take_field(&fields, line))
			return BAD_REQUEST;
	if (fields.length.at && !take_length(fields.length, &body_len))
		return BAD_REQUEST;
	if (body_len > HTTP_MAX_BODY)
		return CONTENT_TOO_LARGE;
	if (len - head_len < body_len)
		return -1;
	ret->body = (struct http_text){ fields.length.at ? bytes + head_len : NULL, body_len };
	return 0;
}

// ---- who asks ----------------------------------------------------------------------------------------------------------

bool http_request_has_local_host(const struct http_request *request)
{
	static const char *const names[] = { "localhost", "127.0.0.1", "[::1]" };
	struct http_text host = request->host;

	for (size_t i = 0; host.at && i < SP_ARRAY_SIZE(names); i++) {
		size_t len = strlen(names[i]);

		if (host.len >= len && !strncasecmp(host.at, names[i], len) && (host.len == len || host.at[len] == ':'))
			return true;
	}
	return false;
}

bool http_request_has_own_origin(const struct http_request *request)
{
	static const char scheme[] = "http://";
	size_t len = strlen(scheme);
	struct http_text origin = request->origin, host = request->host;

	return origin.at && host.at && origin.len == len + host.len && !memcmp(origin.at, scheme, len) &&
	       !strncasecmp(origin.at + len, host.at, host.len);
}

// SPDX-License-Identifier: GPL-2.0-or-later
// The door of requests to --web and --prometheus: what is understood lies in the bytes, and more bytes do not make a wrong request right.
#include "runtime/session/http_request.h"
#include "testsuite/fuzz/near.h"

#include <stdlib.h>

static void check_text(const struct http_text *text, const char *bytes, size_t len)
{
	if (!text->at ? text->len != 0 : text->at < bytes || text->len > len || text->at > bytes + len - text->len)
		abort();
}

static void check(const char *bytes, size_t len)
{
	struct http_request request, less;
	int status = http_request_parse(bytes, len, &request);

	if (status != 0 && status != -1 && status != 400 && status != 413)
		abort();
	if (len && status <= 0 && http_request_parse(bytes, len - 1, &less) > 0)
		abort();
	if (status)
		return;
	check_text(&request.path, bytes, len);
	check_text(&request.host, bytes, len);
	check_text(&request.origin, bytes, len);
	check_text(&request.body, bytes, len);
	if (request.body.len > HTTP_MAX_BODY || (http_request_has_own_origin(&request) && !request.host.at) ||
	    (http_request_has_local_host(&request) && !request.host.at))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_near(data, size, check);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/session/web_page.h"

#include "runtime/base/util.h"

#include "runtime/session/web/page.inc" // made of the files there

SP_EXPORT const struct spilert_page spilert_page = {
	.head = web_page_head, .body = web_page_body, .style = web_page_style, .script = web_page_script,
};

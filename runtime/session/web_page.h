// SPDX-License-Identifier: GPL-2.0-or-later
/** The page of --web, whose parts are files of runtime/session/web/. */
#ifndef SP_RUNTIME_WEB_PAGE_H
#define SP_RUNTIME_WEB_PAGE_H

#include "runtime/include/spilert.h"

struct spilert_page {
	const char *head, *body; // HTML
	const char *style; // CSS
	const char *script; // ECMAScript
};

#endif

// SPDX-License-Identifier: GPL-2.0-or-later
/** The page of --web, whose parts are files of runtime/session/web/. */
#ifndef SP_RUNTIME_WEB_PAGE_H
#define SP_RUNTIME_WEB_PAGE_H

extern const char web_page_head[], web_page_body[]; // HTML
extern const char web_page_style[]; // CSS
extern const char web_page_script[]; // ECMAScript

#endif

// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/print/xml.h"

#include <ctype.h>

void xml_put_text(struct sp_buf *out, const char *text, size_t len)
{
	for (size_t i = 0, size; i < len; i += size) {
		unsigned char c = (unsigned char)text[i];

		size = sp_utf8_len(text + i);
		if (!size || size > len - i || iscntrl(c) || sp_starts_with(text + i, "\xef\xbf\xbe") || sp_starts_with(text + i, "\xef\xbf\xbf")) {
			sp_buf_puts(out, "\xef\xbf\xbd");
			size = 1;
		} else if (c == '&') {
			sp_buf_puts(out, "&amp;");
		} else if (c == '<') {
			sp_buf_puts(out, "&lt;");
		} else if (c == '>') {
			sp_buf_puts(out, "&gt;");
		} else if (c == '"') {
			sp_buf_puts(out, "&quot;");
		} else {
			sp_buf_add(out, text + i, size);
		}
	}
}

void xml_put_short(struct sp_buf *out, const char *text, size_t room)
{
	size_t len = strlen(text);

	if (len <= room) {
		xml_put_text(out, text, len);
		return;
	}
	if (room < 4)
		return;
	room -= 2;
	while (room && ((unsigned char)text[room] & 0xc0) == 0x80) // in the middle of a character
		room--;
	xml_put_text(out, text, room);
	sp_buf_puts(out, "..");
}

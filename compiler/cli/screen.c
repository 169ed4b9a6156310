// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/cli/screen.h"

#include "runtime/base/env.h"
#include "runtime/base/util.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

// Of ECMA-48 and xterm, which every terminal of today follows.
#define OTHER_SCREEN "\033[?1049h\033[?25l" // and without a cursor
#define FIRST_SCREEN "\033[?25h\033[?1049l"
#define HOME "\033[H"
#define REST_OF_LINE "\033[K"
#define REST_OF_SCREEN "\033[J"
#define REVERSE "\033[7m"
#define PLAIN "\033[0m"

#define LOOK_MS 20 // how often a terminal that takes nothing is asked again: poll(2) says that there is room for half of a line's end

size_t screen_put(struct screen *screen, const char *text, size_t len)
{
	size_t done = 0;

	for (unsigned idle_ms = 0; done < len;) {
		ssize_t n = write(screen->fd, text + done, len - done);

		if (n > 0) {
			done += (size_t)n;
			idle_ms = 0;
			continue;
		}
		if ((n < 0 && errno != EAGAIN && errno != EINTR) || idle_ms >= screen->patience_ms)
			break;
		usleep(LOOK_MS * 1000);
		idle_ms += LOOK_MS;
	}
	return done;
}

int screen_open(struct screen *screen, const char *option)
{
	const char *term = sp_env("TERM");

	*screen = (struct screen){ .fd = -1 };
	if (!term || !strcmp(term, "dumb") || !isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
		fprintf(stderr, "spile: %s needs a terminal, for input and output, that can move its cursor\n", option);
		return 2;
	}
	screen->fd = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (screen->fd < 0 || tcgetattr(screen->fd, &screen->before)) {
		fprintf(stderr, "spile: %s: /dev/tty: %s\n", option, strerror(errno));
		return 2;
	}
	return 0;
}

void screen_take(struct screen *screen)
{
	struct termios raw = screen->before;

	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	raw.c_cc[VSUSP] = _POSIX_VDISABLE; // a stopped session would leave its screen behind
	raw.c_cc[VMIN] = 0;
	raw.c_cc[VTIME] = 0;
	tcsetattr(screen->fd, TCSANOW, &raw);
	screen_put(screen, OTHER_SCREEN, strlen(OTHER_SCREEN));
}

// Stopping by a key is what nobody but screen_take() takes away.
static bool is_taken(const struct screen *screen)
{
	struct termios now;

	return !tcgetattr(screen->fd, &now) && now.c_cc[VSUSP] == _POSIX_VDISABLE;
}

void screen_leave(struct screen *screen, unsigned patience_ms)
{
	screen->patience_ms = patience_ms;
	if (is_taken(screen))
		screen_put(screen, FIRST_SCREEN, strlen(FIRST_SCREEN));
}

void screen_close(struct screen *screen)
{
	if (screen->fd < 0)
		return;
	tcsetattr(screen->fd, TCSANOW, &screen->before);
	close(screen->fd);
	screen->fd = -1;
	sp_buf_deinit(&screen->frame);
}

void screen_begin(struct screen *screen)
{
	struct winsize size = { 0 };

	ioctl(screen->fd, TIOCGWINSZ, &size);
	screen->rows = size.ws_row ? size.ws_row : 24;
	screen->columns = size.ws_col ? size.ws_col : 80;
	screen->row = 0;
	sp_buf_clear(&screen->frame);
	sp_buf_puts(&screen->frame, HOME);
}

unsigned screen_rows_left(const struct screen *screen)
{
	return screen->rows - screen->row;
}

// At most `columns` characters; what would move the cursor is a space or a point. Returns how many.
static unsigned put_clipped(struct sp_buf *out, const char *text, size_t len, unsigned columns)
{
	unsigned n = 0;

	for (size_t i = 0; i < len && n < columns; n++) {
		size_t size = (unsigned char)text[i] < 0x80 ? 1 : sp_utf8_len(text + i);

		if (text[i] == '\t')
			sp_buf_putc(out, ' ');
		else if (!size || size > len - i || (size == 1 && ((unsigned char)text[i] < ' ' || text[i] == 0x7f)))
			sp_buf_putc(out, '.');
		else
			sp_buf_add(out, text + i, size);
		i += size && size <= len - i ? size : 1;
	}
	return n;
}

void screen_line(struct screen *screen, const char *text, size_t len, bool in_reverse)
{
	unsigned n;

	if (screen->row >= screen->rows)
		return;
	if (screen->row++)
		sp_buf_puts(&screen->frame, "\r\n");
	if (in_reverse)
		sp_buf_puts(&screen->frame, REVERSE);
	n = put_clipped(&screen->frame, text, len, screen->columns);
	if (in_reverse) {
		sp_buf_fill(&screen->frame, ' ', screen->columns - n);
		sp_buf_puts(&screen->frame, PLAIN);
	} else if (n < screen->columns) {
		sp_buf_puts(&screen->frame, REST_OF_LINE);
	}
}

void screen_printf(struct screen *screen, bool in_reverse, const char *fmt, ...)
{
	struct sp_buf text = { 0 };
	va_list args;

	va_start(args, fmt);
	sp_buf_vprintf(&text, fmt, args);
	va_end(args);
	screen_line(screen, sp_buf_str(&text), text.len, in_reverse);
	sp_buf_deinit(&text);
}

bool screen_end(struct screen *screen)
{
	if (screen->row < screen->rows)
		sp_buf_puts(&screen->frame, REST_OF_SCREEN);
	return screen_put(screen, screen->frame.data, screen->frame.len) == screen->frame.len;
}

int screen_key(struct screen *screen)
{
	char key, more[2];

	if (read(screen->fd, &key, 1) != 1)
		return SCREEN_NONE;
	if (key != '\033')
		return (unsigned char)key;
	if (read(screen->fd, more, 2) != 2 || more[0] != '[')
		return SCREEN_NONE;
	return more[1] == 'A' ? SCREEN_UP : more[1] == 'B' ? SCREEN_DOWN : SCREEN_NONE;
}

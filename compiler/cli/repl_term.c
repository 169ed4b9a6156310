// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/cli/repl_term.h"

#include "compiler/include/spile.h"
#include "runtime/base/util.h"

#include <signal.h>
#include <stdio.h>
#include <readline/history.h>
#include <readline/readline.h>

// The callbacks of readline get no argument for this.
static struct {
	struct repl_term term;
	struct sp_buf candidates; // for Tab, a line each
	size_t n_taken; // how many bytes of these readline has got
} terminal;

// The next candidate, to be freed by readline, which calls this until it returns NULL; `state` is 0 at first.
static char *next_candidate(const char *word SP_UNUSED, int state)
{
	const char *at;
	size_t len;

	if (!state)
		terminal.n_taken = 0;
	at = sp_buf_str(&terminal.candidates) + terminal.n_taken;
	len = strcspn(at, "\n");
	terminal.n_taken += len + 1;
	return len ? sp_strndup(at, len) : NULL;
}

static char **complete(const char *word, int start, int end)
{
	rl_attempted_completion_over = 1;
	rl_completion_append_character = '\0';
	sp_buf_clear(&terminal.candidates);
	terminal.term.complete(terminal.term.ctx, word, start, end, &terminal.candidates);
	return rl_completion_matches(word, next_candidate);
}

static void on_interrupt(int signal SP_UNUSED)
{
}

// Ctrl-C drops what has been typed.
static int drop_line(void)
{
	terminal.term.drop_input(terminal.term.ctx);
	rl_crlf();
	rl_set_prompt(REPL_TERM_PROMPT);
	rl_replace_line("", 0);
	rl_on_new_line();
	rl_redisplay();
	return 0;
}

void repl_term_init(const struct repl_term *term)
{
	struct sigaction action = { .sa_handler = on_interrupt };

	terminal.term = *term;
	rl_readline_name = "spile";
	rl_basic_word_break_characters = (char *)" \t\n,;{}!";
	rl_completer_quote_characters = NULL;
	rl_attempted_completion_function = complete;
	rl_catch_signals = 0;
	rl_signal_event_hook = drop_line;
	sigaction(SIGINT, &action, NULL);
	using_history();
	printf("spile %s. `help` lists the commands, Tab completes, Ctrl-D leaves.\n", SPILE_VERSION);
}

void repl_term_deinit(void)
{
	sp_buf_deinit(&terminal.candidates);
}

const char *repl_term_line(void)
{
	return rl_line_buffer;
}

char *repl_term_read(const char *prompt)
{
	char *line = readline(prompt);

	if (line && line[strspn(line, " \t")])
		add_history(line);
	return line;
}

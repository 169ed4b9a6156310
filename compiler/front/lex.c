// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE 1 // memmem
#include "compiler/front/lex.h"

#include <inttypes.h>

// The rest of a file with so many errors is not read.
#define LEX_MAX_ERRORS 20

struct lexer {
	struct diag_ctx *dc; // NULL: silent
	struct sp_arena *arena;
	struct token_list *out;
	uint32_t file;
	const char *text;
	size_t len, pos;
	bool at_line_start;
	bool after_blank;
	bool stopped; // a comment or embedded code has no end: nothing sensible can follow
	unsigned n_errors, n_warnings;
	uint8_t operators_from[128]; // by first character: the first of the operators[] that begin with it
};

static const struct {
	const char *name, *text;
} kinds[] = {
#define TOK(kind, text) { #kind, text },
#define TOK_OP(kind, text) { #kind, text },
#define TOK_KEY(kind, text) { #kind, text },
#include "token.def"
#undef TOK
#undef TOK_OP
#undef TOK_KEY
};

static const struct spelling {
	enum tok_kind kind;
	uint32_t len;
	char text[12];
} operators[] = {
#define TOK_OP(kind, text) { TOK_##kind, sizeof(text) - 1, text },
#include "token.def"
#undef TOK_OP
};

static const struct spelling keywords[] = {
#define TOK_KEY(kind, text) { TOK_##kind, sizeof(text) - 1, text },
#include "token.def"
#undef TOK_KEY
};

void token_list_deinit(struct token_list *list)
{
	sp_vec_deinit(list);
}

bool token_is_keyword(enum tok_kind kind)
{
	return kind >= keywords[0].kind && kind <= keywords[SP_ARRAY_SIZE(keywords) - 1].kind;
}

static bool is_operator(enum tok_kind kind)
{
	return kind >= operators[0].kind && kind <= operators[SP_ARRAY_SIZE(operators) - 1].kind;
}

const char *token_kind_text(enum tok_kind kind)
{
	static const char *const quoted[] = {
#define TOK_OP(kind, text) [TOK_##kind] = "'" text "'",
#define TOK_KEY(kind, text) [TOK_##kind] = "'" text "'",
#include "token.def"
#undef TOK_OP
#undef TOK_KEY
	};

	return is_operator(kind) || token_is_keyword(kind) ? quoted[kind] : kinds[kind].text;
}

// Enough of a text to recognize it, on one line.
static void put_shortened(const char *text, size_t len, struct sp_buf *out)
{
	size_t shown = SP_MIN(len, (size_t)40);

	while (shown > 0 && shown < len && ((unsigned char)text[shown] & 0xc0) == 0x80)
		shown--;
	for (size_t i = 0; i < shown; i++)
		sp_buf_putc(out, (unsigned char)text[i] < ' ' ? ' ' : text[i]);
	if (shown < len)
		sp_buf_puts(out, "...");
}

void token_describe(const struct token *token, struct sp_buf *out)
{
	sp_buf_puts(out, token_kind_text(token->kind));
	if (is_operator(token->kind) || token->kind == TOK_END || token->kind == TOK_BROKEN)
		return;
	if (token_is_keyword(token->kind)) {
		sp_buf_puts(out, " (a keyword)");
		return;
	}
	sp_buf_puts(out, token->kind == TOK_STRING ? " \"" : " '");
	if (token->kind == TOK_NUMBER)
		sp_buf_printf(out, "%" PRIu64, token->number);
	else
		put_shortened(token->text, token->len, out);
	sp_buf_putc(out, token->kind == TOK_STRING ? '"' : '\'');
}

static struct span span_from(const struct lexer *lex, size_t start)
{
	return (struct span){ lex->file, start, lex->pos - start };
}

#define report(lex, span, id, ...)                                                                 \
	((lex)->n_errors++, (lex)->dc ? diag((lex)->dc, (span), (id), __VA_ARGS__) : NULL)
#define hint(lex, d, ...) ((d) ? diag_hint((lex)->dc, (d), __VA_ARGS__) : (void)0)

static struct token *emit(struct lexer *lex, enum tok_kind kind, size_t start)
{
	struct token token = {
		.kind = kind,
		.starts_line = lex->at_line_start,
		.is_glued = !lex->after_blank,
		.span = span_from(lex, start),
		.text = lex->text + start,
		.len = lex->pos - start,
	};

	token_push(lex->out, token);
	lex->at_line_start = lex->after_blank = false;
	return &sp_vec_last(lex->out);
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_name_start(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}

static bool is_name_char(char c)
{
	return is_name_start(c) || is_digit(c);
}

static char peek(const struct lexer *lex, size_t ahead)
{
	return lex->pos + ahead < lex->len ? lex->text[lex->pos + ahead] : '\0';
}

static bool looking_at(const struct lexer *lex, const char *text)
{
	size_t len = strlen(text);

	return lex->len - lex->pos >= len && !memcmp(lex->text + lex->pos, text, len);
}

static void skip_line(struct lexer *lex)
{
	while (lex->pos < lex->len && lex->text[lex->pos] != '\n')
		lex->pos++;
}

static void skip_comment(struct lexer *lex)
{
	size_t start = lex->pos;
	const char *end;

	lex->pos += 2;
	end = memmem(lex->text + lex->pos, lex->len - lex->pos, "*/", 2);
	if (end) {
		for (const char *c = lex->text + start; c < end; c++)
			lex->at_line_start |= *c == '\n';
		lex->pos = end + 2 - lex->text;
		return;
	}
	struct diag *d = report(lex, span_from(lex, start), DIAG_COMMENT_OPEN, "this comment has no end");

	hint(lex, d, "close it with */");
	lex->pos = lex->len;
	lex->stopped = true;
}

static void skip_blanks(struct lexer *lex)
{
	while (lex->pos < lex->len && !lex->stopped) {
		char c = lex->text[lex->pos];

		if (c == '\n')
			lex->at_line_start = true;
		if (c == ' ' || (c >= '\t' && c <= '\r'))
			lex->pos++;
		else if (c == '#' || looking_at(lex, "//"))
			skip_line(lex);
		else if (looking_at(lex, "/*"))
			skip_comment(lex);
		else
			return;
		lex->after_blank = true;
	}
}

static void lex_number(struct lexer *lex)
{
	const char *digits = lex->text + lex->pos;
	size_t start = lex->pos, len;
	unsigned base = 10;
	uint64_t value = 0;
	bool bad = false, too_big = false;

	while (is_name_char(peek(lex, 0)) && peek(lex, 0) != '$')
		lex->pos++;
	len = lex->pos - start;
	if (len > 1 && digits[0] == '0') {
		char kind = digits[1] | 32;
		unsigned prefix = kind == 'x' || kind == 'b' ? 2 : 1;

		base = kind == 'x' ? 16 : kind == 'b' ? 2 : 8;
		digits += prefix;
		len -= prefix;
	}
	bad = len == 0;
	for (size_t i = 0; i < len; i++) {
		char c = digits[i];
		unsigned digit = is_digit(c) ? c - '0' :
				 (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : 99;

		if (digit >= base)
			bad = true;
		too_big |= __builtin_mul_overflow(value, base, &value);
		too_big |= __builtin_add_overflow(value, digit, &value);
	}
	if (bad) {
		struct diag *d = report(lex, span_from(lex, start), DIAG_NUMBER_BAD,
					"'%.*s' is not a number", (int)SP_MIN(lex->pos - start, (size_t)60),
					lex->text + start);

		if (base == 8)
			hint(lex, d, "a number that begins with 0 is octal: its digits are 0 to 7");
		else if (base == 10 && start >= 6 && !strncmp(lex->text + start - 6, "timer.", 6))
			hint(lex, d, "the unit comes first: timer.s(10), timer.ms(10)");
		else if (base == 10)
			hint(lex, d, "a name cannot begin with a digit, and numbers have no suffixes");
	} else if (too_big) {
		struct diag *d = report(lex, span_from(lex, start), DIAG_NUMBER_BAD,
					"this number does not fit into 64 bits");

		hint(lex, d, "the largest is 18446744073709551615 (0xffffffffffffffff, the same as -1)");
	}
	emit(lex, bad || too_big ? TOK_BROKEN : TOK_NUMBER, start)->number = value;
}

static int hex_digit(char c)
{
	if (is_digit(c))
		return c - '0';
	c |= 32;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// \0, \x0 and \000: allowed, but the string ends there.
static char zero_escape(struct lexer *lex, size_t start)
{
	if (lex->dc && lex->n_warnings++ < LEX_MAX_ERRORS)
		diag(lex->dc, span_from(lex, start), DIAG_ESCAPE_ZERO, "the string ends at this zero byte");
	return '\0';
}

// The character that an escape stands for; `pos` is behind the backslash. C's escapes (C11 6.4.4.4), but \x has two digits at most.
static char lex_escape(struct lexer *lex)
{
	static const char letters[] = "abefnrtv", values[] = "\a\b\033\f\n\r\t\v";
	size_t start = lex->pos - 1;
	char c = lex->text[lex->pos++];
	const char *known = c ? strchr(letters, c) : NULL;
	int value;

	if (known)
		return values[known - letters];
	if (c == '\\' || c == '"' || c == '\'' || c == '?' || c == '\n')
		return c;
	if (c >= '0' && c <= '7') {
		value = c - '0';
		for (int i = 0; i < 2 && peek(lex, 0) >= '0' && peek(lex, 0) <= '7'; i++)
			value = value * 8 + lex->text[lex->pos++] - '0';
		return (value & 0xff) ? value : zero_escape(lex, start);
	}
	if (c == 'x' && hex_digit(peek(lex, 0)) >= 0) {
		value = hex_digit(lex->text[lex->pos++]);
		if (hex_digit(peek(lex, 0)) >= 0)
			value = value * 16 + hex_digit(lex->text[lex->pos++]);
		return value ? value : zero_escape(lex, start);
	}
	if (lex->dc && lex->n_warnings++ < LEX_MAX_ERRORS) {
		struct diag *d = diag(lex->dc, span_from(lex, start), DIAG_ESCAPE,
				      "unknown escape '\\%c' in a string", c);

		diag_hint(lex->dc, d, "write \\\\%c for a backslash and %c", c, c);
	}
	return c;
}

static void lex_string(struct lexer *lex)
{
	size_t start = lex->pos++;
	struct sp_buf text = { 0 };
	struct token *token;

	while (lex->pos < lex->len && lex->text[lex->pos] != '"' && lex->text[lex->pos] != '\n') {
		char c = lex->text[lex->pos++];

		if (c == '\\' && lex->pos < lex->len)
			c = lex_escape(lex);
		sp_buf_putc(&text, c);
	}
	if (peek(lex, 0) != '"') {
		struct diag *d = report(lex, span_from(lex, start), DIAG_STRING_OPEN,
					"this string has no end");

		hint(lex, d, "close it with a double quote on the same line; write \\\" for a quote inside");
		emit(lex, TOK_BROKEN, start);
	} else {
		lex->pos++;
		token = emit(lex, TOK_STRING, start);
		token->text = sp_arena_strndup(lex->arena, sp_buf_str(&text), text.len);
		token->len = text.len;
	}
	sp_buf_deinit(&text);
}

static void lex_embedded(struct lexer *lex)
{
	size_t start = lex->pos, code = start + 2;
	const char *end = memmem(lex->text + code, lex->len - code, "%}", 2);
	struct token *token;

	if (!end) {
		lex->pos = code;
		struct diag *d = report(lex, span_from(lex, start), DIAG_EMBEDDED_OPEN,
					"this embedded code has no end");

		hint(lex, d, "close it with %%}");
		emit(lex, TOK_BROKEN, start);
		lex->stopped = true;
		return;
	}
	lex->pos = end + 2 - lex->text;
	token = emit(lex, TOK_EMBEDDED, start);
	token->text = lex->text + code;
	token->len = end - token->text;
}

// $1 or @1; `pos` is at the $ or @.
static void lex_argument(struct lexer *lex, enum tok_kind kind)
{
	size_t start = lex->pos++;
	uint64_t number = 0;

	while (is_digit(peek(lex, 0))) {
		number = SP_MIN(number * 10 + (peek(lex, 0) - '0'), (uint64_t)UINT32_MAX);
		lex->pos++;
	}
	emit(lex, kind, start)->number = number;
}

static void lex_name(struct lexer *lex)
{
	size_t start = lex->pos;
	struct token *token;

	while (is_name_char(peek(lex, 0)))
		lex->pos++;
	token = emit(lex, lex->text[start] == '$' ? TOK_TARGET : TOK_NAME, start);
	for (size_t i = 0; i < SP_ARRAY_SIZE(keywords); i++) {
		const struct spelling *keyword = &keywords[i];

		if (keyword->len == token->len && keyword->text[0] == token->text[0] &&
		    !memcmp(token->text, keyword->text, token->len))
			token->kind = keyword->kind;
	}
}

static void lex_dollar_or_at(struct lexer *lex)
{
	bool is_at = peek(lex, 0) == '@';
	size_t start = lex->pos;

	if (is_digit(peek(lex, 1))) {
		lex_argument(lex, is_at ? TOK_ARG_STRING : TOK_ARG_TOKENS);
	} else if (peek(lex, 1) == '#') {
		lex->pos += 2;
		emit(lex, is_at ? TOK_ARG_COUNT_STRING : TOK_ARG_COUNT, start);
	} else if (!is_at) {
		lex_name(lex);
	} else {
		do
			lex->pos++;
		while (is_name_char(peek(lex, 0)) && peek(lex, 0) != '$');
		if (lex->pos - start == 1) {
			struct diag *d = report(lex, span_from(lex, start), DIAG_TEXT_STRAY, "'@' without a name");

			if (peek(lex, 0) == '[')
				hint(lex, d, "an array has a name and is declared: global a; a[execname()]++");
			emit(lex, TOK_BROKEN, start);
		} else {
			emit(lex, TOK_AT, start);
		}
	}
}

// Reports a run of bytes that are not ASCII as one mistake.
static void lex_not_ascii(struct lexer *lex)
{
	size_t start = lex->pos, end, len;
	const char *bad = NULL;
	struct diag *d;

	for (end = start; (unsigned char)lex->text[end] >= 0x80; end += SP_MAX(len, 1u)) {
		len = sp_utf8_len(lex->text + end);
		if (!len && !bad)
			bad = lex->text + end;
	}
	lex->pos = end;
	if (bad) {
		d = report(lex, span_from(lex, start), DIAG_TEXT_NOT_ASCII, "the byte 0x%02x is not UTF-8",
			   (unsigned char)*bad);
		hint(lex, d, "in a string, write any byte as three octal digits, as in \\351");
	} else {
		d = report(lex, span_from(lex, start), DIAG_TEXT_NOT_ASCII,
			   "'%.*s' can only stand in strings and comments",
			   (int)SP_MIN(end - start, (size_t)40), lex->text + start);
		hint(lex, d, "typographic quotes and dashes come from copied text: use \" and -");
	}
	emit(lex, TOK_BROKEN, start);
}

static void lex_stray(struct lexer *lex)
{
	size_t start = lex->pos++;
	struct diag *d = report(lex, span_from(lex, start), DIAG_TEXT_STRAY, "'%c' means nothing here",
				lex->text[start]);

	if (lex->text[start] == '\'')
		hint(lex, d, "strings take double quotes");
	emit(lex, TOK_BROKEN, start);
}

static void lex_operator(struct lexer *lex)
{
	size_t start = lex->pos;

	if (looking_at(lex, "%{")) {
		lex_embedded(lex);
		return;
	}
	if ((unsigned char)lex->text[start] >= 0x80) {
		lex_not_ascii(lex);
		return;
	}
	for (size_t i = lex->operators_from[(unsigned char)lex->text[start]]; i < SP_ARRAY_SIZE(operators); i++) {
		const struct spelling *op = &operators[i];

		if (lex->text[start] == op->text[0] && (op->len == 1 || looking_at(lex, op->text))) {
			lex->pos += op->len;
			emit(lex, op->kind, start);
			return;
		}
	}
	lex_stray(lex);
}

static void lex_token(struct lexer *lex)
{
	char c = peek(lex, 0);

	if (is_digit(c))
		lex_number(lex);
	else if (c == '$' || c == '@')
		lex_dollar_or_at(lex);
	else if (is_name_start(c))
		lex_name(lex);
	else if (c == '"')
		lex_string(lex);
	else
		lex_operator(lex);
}

// Refuses a file that is not text as a whole: its tokens would only give nonsense errors.
static bool is_binary(struct lexer *lex)
{
	for (size_t i = 0; i < lex->len; i++) {
		unsigned char c = lex->text[i];
		struct span span = { lex->file, i, 1 };
		struct diag *d;

		if (c >= ' ' ? c != 0x7f : (c >= '\t' && c <= '\r') || c == 0x1b)
			continue;
		d = c ? report(lex, span, DIAG_TEXT_BAD_BYTE, "the control character 0x%02x is in the script", c) :
			report(lex, span, DIAG_TEXT_BAD_BYTE, "a NUL byte is in the script");
		if (lex->len > 4 && !memcmp(lex->text, "\177ELF", 4))
			hint(lex, d, "this is an ELF file, not a script");
		else if (sp_starts_with(lex->text, "SPILPACK"))
			hint(lex, d, "this is a pack, not a script: spile-run runs it");
		else if (c)
			hint(lex, d, "inside strings write \\%03o", c);
		else
			hint(lex, d, "scripts are text files");
		return true;
	}
	return false;
}

void lex_file(struct source_map *sources, uint32_t file, struct sp_arena *arena, struct diag_ctx *dc,
	      struct token_list *ret)
{
	const struct source_file *source = source_file(sources, file);
	struct lexer lex = {
		.dc = dc, .arena = arena, .out = ret, .file = file, .text = source->text,
		.len = source->len, .at_line_start = true, .after_blank = true,
	};

	memset(lex.operators_from, SP_ARRAY_SIZE(operators), sizeof(lex.operators_from));
	for (size_t i = SP_ARRAY_SIZE(operators); i-- > 0;)
		lex.operators_from[(unsigned char)operators[i].text[0]] = (uint8_t)i;
	if (is_binary(&lex))
		lex.pos = lex.len;
	else if (looking_at(&lex, "\xef\xbb\xbf"))
		lex.pos += 3;
	for (;;) {
		skip_blanks(&lex);
		if (lex.stopped || lex.pos >= lex.len)
			break;
		if (lex.n_errors >= LEX_MAX_ERRORS) {
			report(&lex, ((struct span){ file, lex.pos, 1 }), DIAG_TOO_MANY,
			       "too many errors in this file: the rest is not read");
			break;
		}
		lex_token(&lex);
	}
	lex.pos = lex.len;
	if (lex.n_errors)
		emit(&lex, TOK_BROKEN, lex.pos);
	emit(&lex, TOK_END, lex.pos);
}

void lex_dump(struct sp_buf *out, const struct token_list *list, struct source_map *sources)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct token *token = &list->v[i];
		struct source_place place = source_place(sources, token->span);

		sp_buf_printf(out, "%u:%u %s", place.line, place.column, kinds[token->kind].name);
		if (token->kind == TOK_NUMBER || token->kind == TOK_ARG_TOKENS || token->kind == TOK_ARG_STRING) {
			sp_buf_printf(out, " %" PRIu64, token->number);
		} else if (token->kind == TOK_STRING || token->kind == TOK_EMBEDDED) {
			sp_buf_puts(out, " \"");
			sp_buf_quoted(out, token->text, token->len);
			sp_buf_putc(out, '"');
		} else if (token->kind == TOK_NAME || token->kind == TOK_TARGET || token->kind == TOK_AT) {
			sp_buf_putc(out, ' ');
			sp_buf_add(out, token->text, token->len);
		}
		sp_buf_putc(out, '\n');
	}
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/cli/sign_command.h"

#include "compiler/cli/cli.h"
#include "runtime/base/cleanup.h"
#include "runtime/base/env.h"
#include "runtime/base/file.h"
#include "runtime/base/minisign_sign.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <termios.h>
#include <time.h>

#define MAX_FILE (256u << 20)
#define MAX_PASSWORD 1024

static const char usage[] =
	"Usage: spile pack sign FILE.spo [-s SECRET.key] [-t COMMENT]\n"
	"           write FILE.spo.minisig, a signature of FILE.spo, and of COMMENT, with a secret key that `minisign -G` made:\n"
	"           $MINISIGN_CONFIG_DIR/minisign.key or ~/.minisign/minisign.key unless given\n"
	"   or: spile pack verify FILE.spo -p KEY\n"
	"           is FILE.spo.minisig a signature of FILE.spo by KEY, a public key of minisign or a file of such keys?\n";

// ---- verify ----------------------------------------------------------------------------------------------------------

static struct sp_err *verify(const char *path, const char *key)
{
	sp_cleanup(sp_minisign_signature_deinit) struct sp_minisign_signature signature = { 0 };
	sp_cleanup(sp_minisign_keys_deinit) struct sp_minisign_keys keys = { 0 };
	sp_cleanup(sp_buf_deinit) struct sp_buf bytes = { 0 };
	struct sp_err *err;

	SP_TRY(sp_file_read(path, MAX_FILE, &bytes));
	SP_TRY(sp_minisign_keys_of(key, &keys));
	SP_TRY(sp_minisign_signature_of(path, &signature));
	err = sp_minisign_verify(&signature, &keys, sp_buf_str(&bytes), bytes.len);
	if (err)
		return sp_err_wrap(err, "%s", path);
	printf("%s is signed: %s\n", path, signature.comment);
	return NULL;
}

// ---- sign ------------------------------------------------------------------------------------------------------------

static struct sp_err *key_path(const char *given, struct sp_buf *ret)
{
	const char *folder = sp_env("MINISIGN_CONFIG_DIR"), *home = sp_env_home();

	if (given)
		sp_buf_puts(ret, given);
	else if (folder)
		sp_buf_printf(ret, "%s/minisign.key", folder);
	else if (home)
		sp_buf_printf(ret, "%s/.minisign/minisign.key", home);
	else
		return sp_err_new(SP_ERR_USAGE, "which secret key (-s)?");
	return NULL;
}

// A line of standard input, which a terminal does not show.
static bool read_password(char text[MAX_PASSWORD])
{
	struct termios old, quiet;
	bool is_terminal = tcgetattr(STDIN_FILENO, &old) == 0;
	ssize_t n, len = 0;

	if (is_terminal) {
		fputs("Password of the secret key: ", stderr);
		quiet = old;
		quiet.c_lflag &= ~(tcflag_t)ECHO;
		tcsetattr(STDIN_FILENO, TCSAFLUSH, &quiet);
	}
	do {
		n = read(STDIN_FILENO, text + len, 1);
		len += SP_MAX(n, 0);
	} while ((n > 0 && text[len - 1] != '\n' && len < MAX_PASSWORD - 1) || (n < 0 && errno == EINTR));
	text[len] = '\0';
	text[strcspn(text, "\n")] = '\0';
	if (is_terminal) {
		tcsetattr(STDIN_FILENO, TCSAFLUSH, &old);
		fputc('\n', stderr);
	}
	return len > 0;
}

static struct sp_err *open_secret(struct sp_minisign_secret *secret)
{
	char password[MAX_PASSWORD];
	struct sp_err *err;

	if (!sp_minisign_secret_is_encrypted(secret))
		return sp_minisign_secret_open(secret, NULL);
	if (!read_password(password))
		return sp_err_new(SP_ERR_USAGE, "the secret key is encrypted, and there is no password on standard input");
	err = sp_minisign_secret_open(secret, password);
	explicit_bzero(password, sizeof(password));
	return err;
}

static struct sp_err *read_secret(const char *path, struct sp_minisign_secret *ret)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf text = { 0 };
	struct sp_err *err;

	SP_TRY(sp_file_read(path, SP_MINISIGN_MAX_TEXT, &text));
	err = sp_minisign_secret_parse(path, sp_buf_str(&text), text.len, ret);
	if (text.data)
		explicit_bzero(text.data, text.len);
	if (err)
		return err;
	err = open_secret(ret);
	return err ? sp_err_wrap(err, "%s", path) : NULL;
}

static void default_comment(const char *path, struct sp_buf *ret)
{
	const char *slash = strrchr(path, '/');

	sp_buf_printf(ret, "timestamp:%lld\tfile:%s\thashed", (long long)time(NULL), slash ? slash + 1 : path);
}

static struct sp_err *write_signature(const char *path, const struct sp_buf *text)
{
	sp_cleanup(sp_minisign_signature_deinit) struct sp_minisign_signature signature = { 0 };
	sp_cleanup(sp_buf_deinit) struct sp_buf name = { 0 };
	struct sp_err *err = sp_minisign_signature_parse("the signature", sp_buf_str(text), text->len, &signature);

	if (err) { // a comment with a newline, or from a strange file name
		sp_err_free(err);
		return sp_err_new(SP_ERR_USAGE, "the comment is not one line of UTF-8 without control characters");
	}
	if (text->len > SP_MINISIGN_MAX_TEXT)
		return sp_err_new(SP_ERR_USAGE, "the comment is too long");
	sp_buf_printf(&name, "%s" SP_MINISIGN_ENDING, path);
	return sp_file_replace(AT_FDCWD, sp_buf_str(&name), sp_buf_str(text), text->len, 0666);
}

static struct sp_err *sign(const char *path, const char *secret_path, const char *comment)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf bytes = { 0 }, text = { 0 }, own_comment = { 0 }, key = { 0 };
	sp_cleanup(sp_minisign_secret_deinit) struct sp_minisign_secret secret = { 0 };
	struct sp_err *err;

	SP_TRY(sp_file_read(path, MAX_FILE, &bytes));
	if (!comment)
		default_comment(path, &own_comment);
	SP_TRY(key_path(secret_path, &key));
	SP_TRY(read_secret(sp_buf_str(&key), &secret));
	err = sp_minisign_sign(&secret, sp_buf_str(&bytes), bytes.len, "signature of a compiled script of spile",
			       comment ? comment : sp_buf_str(&own_comment), &text);
	if (err)
		return sp_err_wrap(err, "%s", sp_buf_str(&key));
	return write_signature(path, &text);
}

// ---- the command -----------------------------------------------------------------------------------------------------

static int wrong_usage(void)
{
	fputs(usage, stderr);
	return 2;
}

static int report(struct sp_err *err)
{
	int status = err ? sp_err_exit_status(err) : 0;

	cli_report(err);
	return status == 3 ? 1 : status; // a file that cannot be read is no privilege that probes need
}

int sign_command(int argc, char **argv)
{
	static const struct option longs[] = { { "help", no_argument, NULL, 'h' }, { 0 } };
	const char *secret = NULL, *key = NULL, *comment = NULL;
	bool signs = sp_streq(argv[0], "sign");
	int option;

	argv[0] = (char *)(signs ? "spile pack sign" : "spile pack verify"); // for messages
	while ((option = getopt_long(argc, argv, signs ? "s:t:h" : "p:h", longs, NULL)) >= 0) {
		switch (option) {
		case 's':
			secret = optarg;
			break;
		case 't':
			comment = optarg;
			break;
		case 'p':
			key = optarg;
			break;
		case 'h':
			fputs(usage, stdout);
			return 0;
		default:
			return wrong_usage();
		}
	}
	if (optind != argc - 1 || (!signs && !key))
		return wrong_usage();
	return report(signs ? sign(argv[optind], secret, comment) : verify(argv[optind], key));
}

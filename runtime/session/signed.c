// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/session/signed.h"

#include "runtime/base/cleanup.h"
#include "runtime/base/minisign.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

static struct sp_err *read_rule(int fd, struct sp_minisign_keys *keys)
{
	char text[SP_MINISIGN_MAX_TEXT];
	size_t len = 0;
	ssize_t n;

	while ((n = read(fd, text + len, sizeof(text) - len)) > 0)
		len += (size_t)n;
	if (n < 0)
		return sp_err_errno(errno, "cannot read " SIGNED_RULE);
	if (len == sizeof(text))
		return sp_err_new(SP_ERR_FORMAT, SIGNED_RULE " is too long");
	return sp_minisign_keys_parse(SIGNED_RULE, text, len, keys);
}

// The operator's keys; none when there is no rule. A rule that cannot be read lets nothing run.
static struct sp_err *operator_keys(struct sp_minisign_keys *keys)
{
	sp_cleanup_close int fd = open(SIGNED_RULE, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct sp_err *err;
	struct stat st;

	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
		return NULL;
	if (fd < 0 || fstat(fd, &st))
		err = sp_err_errno(errno, "cannot read " SIGNED_RULE ", which says whose scripts may run");
	else if (!S_ISREG(st.st_mode) || st.st_uid || (st.st_mode & (S_IWGRP | S_IWOTH)))
		err = sp_err_new(SP_ERR_SYSTEM, SIGNED_RULE " is not a file that root owns and only root can write to: nothing runs");
	else
		err = read_rule(fd, keys);
	if (err && err->code == SP_ERR_PRIVILEGE)
		err->code = SP_ERR_SYSTEM;
	return err;
}

struct sp_err *signed_check(const char *path, const void *bytes, size_t size, const char *keys, const struct sp_log *log)
{
	sp_cleanup(sp_minisign_keys_deinit) struct sp_minisign_keys own = { 0 }, operators = { 0 };
	sp_cleanup(sp_minisign_signature_deinit) struct sp_minisign_signature signature = { 0 };
	struct sp_err *err;

	SP_TRY(operator_keys(&operators));
	if (keys)
		SP_TRY(sp_minisign_keys_of(keys, &own));
	if (!operators.v.n && !own.v.n)
		return NULL;
	err = sp_minisign_signature_of(path, &signature);
	if (!err && operators.v.n) {
		err = sp_minisign_verify(&signature, &operators, bytes, size);
		err = err ? sp_err_wrap(err, SIGNED_RULE " lets nothing else run") : NULL;
	}
	if (!err && own.v.n)
		err = sp_minisign_verify(&signature, &own, bytes, size);
	if (err)
		return sp_err_wrap(err, "%s is not run", path);
	sp_log(log, SP_LOG_INFO, "%s is signed: %s", path, signature.comment);
	return NULL;
}

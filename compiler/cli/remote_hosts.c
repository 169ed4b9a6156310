// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/cli/remote_hosts.h"

#include "compiler/cli/cli.h"
#include "runtime/base/cleanup.h"
#include "runtime/base/file.h"

#define MAX_HOSTS_FILE (1u << 20)

// Why these bytes name no host; NULL: they do. What begins with a dash would be an option of ssh, and the commands of its
// configuration (ProxyCommand) have the name put into them.
static const char *fault_of(const char *address)
{
	const char *at = strrchr(address, '@'), *host = at ? at + 1 : address;

	for (const char *c = address; *c; c++)
		if ((unsigned char)*c <= ' ' || *c == 0x7f)
			return "it has a blank or a control character in it";
	if (strpbrk(address, "'\"`;&<>|(){}") || strpbrk(host, "$\\"))
		return "it has a character in it that a shell would take for its own";
	if (!*host || at == address)
		return "a name is missing";
	if (*address == '-' || *host == '-')
		return "it begins with a dash";
	return NULL;
}

// Takes ":22" from the end. Several colons are an IPv6 address, which has a port only behind brackets.
static char *take_port(char *address)
{
	char *colon = strrchr(address, ':'), *end = colon ? colon + 1 : NULL;

	if (!colon || (strchr(address, ':') != colon && colon[-1] != ']') || !*end || end[strspn(end, "0123456789")] || strlen(end) > 5)
		return NULL;
	*colon = '\0';
	return sp_strdup(end);
}

static void drop_brackets(char *address)
{
	char *open = strchr(address, '['), *end = address + strlen(address) - 1;

	if (!open || *end != ']')
		return;
	*end = '\0';
	memmove(open, open + 1, strlen(open));
}

// Two hosts of one name, such as one that is given twice, must be told apart.
static char *label_of(const struct remote_hosts *hosts, const char *name)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf label = { 0 };
	unsigned number = 1;
	bool is_taken;

	do {
		is_taken = false;
		sp_buf_clear(&label);
		sp_buf_puts(&label, name);
		if (number++ > 1)
			sp_buf_printf(&label, "#%u", number - 1);
		sp_vec_each(host, &hosts->list)
			is_taken |= sp_streq(host->label, sp_buf_str(&label));
	} while (is_taken);
	return sp_buf_take(&label);
}

// `where`: what messages begin with.
static int add(struct remote_hosts *hosts, const char *where, const char *text)
{
	bool is_ssh = sp_starts_with(text, "ssh://");
	sp_cleanup_free char *address = sp_strdup(is_ssh ? text + strlen("ssh://") : text);
	size_t len = strlen(address);
	const char *fault;
	char *port, *label;

	if (sp_streq(text, "direct:") || sp_streq(text, "direct://")) {
		label = label_of(hosts, "direct");
		sp_vec_push(&hosts->list, (struct remote_host){ .label = label });
		return 0;
	}
	if (is_ssh && len && address[len - 1] == '/')
		address[len - 1] = '\0';
	port = take_port(address);
	drop_brackets(address);
	fault = fault_of(address);
	if (!is_ssh && (strstr(text, "://") || sp_starts_with(text, "unix:") || sp_starts_with(text, "libvirt:")))
		fault = "there are ssh://[USER@]HOST[:PORT] and direct: only";
	if (fault) {
		fprintf(stderr, "spile: %s'%s' is no host: %s\n", where, text, fault);
		free(port);
		return 2;
	}
	label = label_of(hosts, is_ssh ? text + strlen("ssh://") : text);
	sp_vec_push(&hosts->list, (struct remote_host){ .label = label, .address = sp_take(address), .port = port });
	return 0;
}

// A host a line; blanks around it, empty lines, and what is behind a # do not count.
static int add_file(struct remote_hosts *hosts, const char *path)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf text = { 0 };
	struct sp_err *err = sp_file_read(path, MAX_HOSTS_FILE, &text);
	char *line = text.data, *next, where[4200];

	if (err)
		return cli_report(err);
	if (text.len && strlen(text.data) != text.len) {
		fprintf(stderr, "spile: %s is no list of hosts: it has bytes that are no text\n", path);
		return 2;
	}
	for (unsigned number = 1; line && *line; line = next, number++) {
		size_t len = strcspn(line, "\n");

		next = line + len + (line[len] ? 1 : 0);
		line[len] = '\0';
		line += strspn(line, " \t\r");
		line[strcspn(line, "#")] = '\0';
		for (len = strlen(line); len && strchr(" \t\r", line[len - 1]); len--)
			line[len - 1] = '\0';
		snprintf(where, sizeof(where), "%s:%u: ", path, number);
		if (*line && add(hosts, where, line))
			return 2;
	}
	return 0;
}

int remote_hosts_read(const struct remote_options *options, struct remote_hosts *ret)
{
	int status = 0;

	*ret = (struct remote_hosts){ 0 };
	for (size_t i = 0; i < options->hosts.n && !status; i++)
		status = add(ret, "--remote: ", options->hosts.v[i]);
	if (options->hosts_file && !status)
		status = add_file(ret, options->hosts_file);
	if (!status && !ret->list.n) {
		fprintf(stderr, "spile: %s names no host\n", options->hosts_file);
		status = 2;
	}
	if (status)
		remote_hosts_deinit(ret);
	return status;
}

void remote_hosts_deinit(struct remote_hosts *hosts)
{
	sp_vec_each(host, &hosts->list) {
		free(host->label);
		free(host->address);
		free(host->port);
	}
	sp_vec_deinit(&hosts->list);
}

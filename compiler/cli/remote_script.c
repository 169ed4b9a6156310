// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/cli/remote_script.h"

// 3: the connection's input, 4: its output. `head` of some systems takes more than it prints, so whoever sends waits to be asked.
static const char beginning[] =
	"umask 077\n"
	"exec 3<&0 4>&1 </dev/null\n"
	"tell() { printf '%s%s\\n' \"$mark\" \"$*\" >&4; }\n"
	"get() { tell get \"$@\"; read -r size <&3 && head -c \"$size\" <&3; }\n"
	"fails() { tell fails \"$@\"; exit 1; }\n"
	"folder=\n"
	"trap 'test -z \"$folder\" || rm -rf \"$folder\"' EXIT\n"
	"trap 'exit 1' HUP INT TERM PIPE\n"
	"folder=$(mktemp -d \"${TMPDIR:-/tmp}/spile.XXXXXXXXXX\") || fails \"no folder can be made in ${TMPDIR:-/tmp}\"\n";

static const char search[] =
	"PATH=$PATH:/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin\n"
	"run=$(command -v spile-run) || {\n"
	"	run=$folder/spile-run\n"
	"	get runner \"$(uname -m)\" >\"$run\" || fails \"spile-run cannot be written in $folder\"\n"
	"	chmod 700 \"$run\"\n"
	"}\n";

// spile-run is started by a shell of its own, whose process it becomes: so its number is known, and no signal is ignored in it, as
// shells do for what they run in the background. The subshell waits for lines, or for the end of the input, which comes at the latest
// when spile has been told of the end; it is not killed, as a shell may lose a signal that comes when it has just begun. It outlives the
// shell ($$) when that is killed (the kernel sends SIGHUP then if something was stopped), and removes the folder: whoever started the shell
// may not have waited for it yet, for which its number is there, and its executable is not. It has what it needs open: what cleans up
// folders for temporary files may have been at this one.
static const char run[] =
	"\"$run\" --describe >\"$folder/machine\" 2>\"$folder/why\" || {\n"
	"	tell cannot \"$(head -n 1 \"$folder/why\")\"\n"
	"	exit 1\n"
	"}\n"
	"tell machine\n"
	"cat \"$folder/machine\" >&4\n"
	"tell described\n"
	"eval \"set -- $(get arguments)\"\n"
	"get script >\"$folder/script.spo\" || fails \"the script cannot be written in $folder\"\n"
	": >\"$folder/pid\"\n"
	"exec 5<\"$folder/pid\" 6>\"$folder/ended\" 7<\"$folder/ended\"\n"
	"(\n"
	"	trap - EXIT INT TERM PIPE\n"
	"	trap '' HUP\n"
	"	word=\n"
	"	has_ended() { word=$word$(cat <&7); test \"$word\"; }\n"
	"	has_shell() { test -e /proc/$$/exe; }\n"
	"	wait_for() { for second; do has_ended || ! kill -0 \"$pid\" || sleep 1; done; }\n"
	"	read -r line <&3\n"
	"	gone=$?\n"
	"	until pid=$(cat <&5); test \"$pid\" || has_ended || ! has_shell; do sleep 1; done\n"
	"	has_ended && exit\n"
	"	kill -INT \"$pid\"\n"
	"	test $gone = 0 && read -r line <&3 && kill -TERM \"$pid\"\n"
	"	test $gone = 0 && read -r line <&3\n"
	"	wait_for 1 2 3 4 5 6 7 8 9 10\n"
	"	has_ended || kill -TERM \"$pid\"\n"
	"	wait_for 1 2 3 4 5\n"
	"	has_ended || kill -KILL \"$pid\"\n"
	"	has_shell || rm -rf \"$folder\"\n"
	") >/dev/null 2>&1 4>&- 6>&- &\n"
	"watcher=$!\n"
	"tell runs\n"
	"sh -c 'echo $$ >\"$0\" || exit 1; exec \"$@\"' \"$folder/pid\" \"$run\" \"$@\" \"$folder/script.spo\" 3<&- 4>&- 5<&- 6>&- 7<&-\n"
	"status=$?\n"
	"echo ended >&6\n"
	"tell ended \"$status\"\n"
	"wait \"$watcher\"\n";

void remote_script_quote(struct sp_buf *out, const char *text)
{
	sp_buf_putc(out, '\'');
	for (; *text; text++) {
		if (*text == '\'')
			sp_buf_puts(out, "'\\''");
		else
			sp_buf_putc(out, *text);
	}
	sp_buf_puts(out, "' ");
}

static void assign(struct sp_buf *out, const char *name, const char *value)
{
	sp_buf_printf(out, "%s=", name);
	remote_script_quote(out, value);
	sp_buf_putc(out, '\n');
}

void remote_script(struct sp_buf *out, const char *mark, const char *runner)
{
	assign(out, "mark", mark);
	sp_buf_puts(out, beginning);
	if (runner)
		assign(out, "run", runner);
	else
		sp_buf_puts(out, search);
	sp_buf_puts(out, run);
}

void remote_script_command(struct sp_buf *out, size_t size)
{
	sp_buf_printf(out, "exec sh -c 'eval \"$(head -c %zu)\"'", size);
}

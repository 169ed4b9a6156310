# SPDX-License-Identifier: GPL-2.0-or-later
# C reads elements of the kernel's arrays by an index that the script gives: what the verifier would follow by itself with a constant.
. "$SUITE/lib.sh"
compgen -c clang | grep -Eq '^clang(-[0-9]+)?$' || skip "clang is not installed"
cat >index.stp <<'S2'
function by_index:long (i:long) %{
	struct css_set *c = current->cgroups;
	struct cgroup_subsys_state *state = c->subsys[(int)STAP_ARG_i];
	STAP_RETVALUE = (long)state ^ (long)state->id << 1 ^ (long)state->cgroup;
%}
function by_constant:long () %{
	struct css_set *c = current->cgroups;
	STAP_RETVALUE = (long)c->subsys[0] ^ (long)c->subsys[0]->id << 1 ^ (long)c->subsys[0]->cgroup;
	STAP_RETVALUE ^= (long)c->subsys[1] ^ (long)c->subsys[1]->id << 1 ^ (long)c->subsys[1]->cgroup;
%}
function letter:long (i:long) %{ STAP_RETVALUE = current->comm[(int)STAP_ARG_i & 15]; %}
global n
probe kernel.trace("sys_enter") {
	if (pid() != target()) next
	both = by_index(n++)
	both ^= by_index(n++)
	printf("%d %d %c%c\n", both == by_constant(), both != 0, letter(n - 2), letter(n - 1))
	exit()
}
S2
expect 0 "$SPILE" -g -c true index.stp
prints '^1 1 [a-z][a-z]$'
quiet

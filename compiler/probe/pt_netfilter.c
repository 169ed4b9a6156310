// SPDX-License-Identifier: GPL-2.0-or-later
// netfilter.hook("NF_INET_LOCAL_IN").pf("NFPROTO_IPV4").priority("NF_IP_PRI_FILTER"): the handler is a function of netfilter's, which
// sees each packet that passes the hook. $state and $skb are what the kernel hands over; sema/bind_netfilter.c makes $in, $out, $hooknum
// and $pf members of $state. $verdict is what becomes of the packet.
#include "compiler/probe/point_util.h"

#include <errno.h>
#include <linux/netfilter.h>
#include <linux/netfilter_ipv4.h>
#include <stdlib.h>

#define CONTEXT "struct bpf_nf_ctx"

static const struct named {
	const char *name;
	int64_t number;
} families[] = {
	{ "NFPROTO_IPV4", NFPROTO_IPV4 }, { "PF_INET", NFPROTO_IPV4 }, { "AF_INET", NFPROTO_IPV4 },
	{ "NFPROTO_IPV6", NFPROTO_IPV6 }, { "PF_INET6", NFPROTO_IPV6 }, { "AF_INET6", NFPROTO_IPV6 },
}, hooks[] = {
	{ "PRE_ROUTING", NF_INET_PRE_ROUTING }, { "LOCAL_IN", NF_INET_LOCAL_IN }, { "FORWARD", NF_INET_FORWARD },
	{ "LOCAL_OUT", NF_INET_LOCAL_OUT }, { "POST_ROUTING", NF_INET_POST_ROUTING },
}, priorities[] = {
	// The kernel lets no BPF program be the very first or last.
	{ "FIRST", (int64_t)INT32_MIN + 1 }, { "RAW_BEFORE_DEFRAG", -450 }, { "CONNTRACK_DEFRAG", -400 }, { "RAW", -300 },
	{ "SELINUX_FIRST", -225 }, { "CONNTRACK", -200 }, { "MANGLE", -150 }, { "NAT_DST", -100 }, { "FILTER", 0 },
	{ "SECURITY", 50 }, { "NAT_SRC", 100 }, { "SELINUX_LAST", 225 }, { "CONNTRACK_HELPER", 300 }, { "LAST", INT32_MAX - 1 },
};

static bool netfilter_matches(const struct ast_point *point)
{
	return sp_streq(point->parts[0].name, "netfilter") && (point_part(point, "hook") || point_part(point, "pf"));
}

static bool find_named(const struct named *all, size_t n, const char *name, int64_t *ret)
{
	for (size_t i = 0; i < n; i++)
		if (sp_streq(all[i].name, name)) {
			*ret = all[i].number;
			return true;
		}
	return false;
}

// The name behind its prefix; NULL: it has none of these.
static const char *without_prefix(const char *name, const char *prefix, const char *ipv4, const char *ipv6)
{
	return sp_starts_with(name, prefix) ? name + strlen(prefix) : sp_starts_with(name, ipv4) ? name + strlen(ipv4) :
	       sp_starts_with(name, ipv6)   ? name + strlen(ipv6) : NULL;
}

static bool find_hook(const char *text, int64_t *ret)
{
	const char *name = without_prefix(text, "NF_INET_", "NF_IP_", "NF_IP6_");

	return name && find_named(hooks, SP_ARRAY_SIZE(hooks), name, ret);
}

static bool find_priority(const char *text, int64_t *ret)
{
	const char *name = without_prefix(text, "NF_IP_PRI_", "NF_IP_PRI_", "NF_IP6_PRI_");
	char *end;

	if (name)
		return find_named(priorities, SP_ARRAY_SIZE(priorities), name, ret);
	errno = 0;
	*ret = strtoll(text, &end, 0);
	return !errno && end != text && !*end;
}

static bool refuse(struct point_env *env, const struct ast_point_part *part, const char *what)
{
	diag(env->dc, part->span, DIAG_POINT_VALUE, "%s", what);
	return false;
}

static bool find_args(struct point_env *env, const struct ast_point *point, union sp_hook_args *ret)
{
	const struct ast_point_part *hook = point_part(point, "hook"), *pf = point_part(point, "pf"),
				    *priority = point_part(point, "priority");
	int64_t hook_number, pf_number, priority_number = 0;

	if (!find_named(families, SP_ARRAY_SIZE(families), pf->arg->string.text, &pf_number))
		return refuse(env, pf, "the kernel lets BPF programs see packets of IPv4 and IPv6 alone: \"NFPROTO_IPV4\", \"NFPROTO_IPV6\"");
	if (!find_hook(hook->arg->string.text, &hook_number))
		return refuse(env, hook, "hooks are NF_INET_PRE_ROUTING, NF_INET_LOCAL_IN, NF_INET_FORWARD, NF_INET_LOCAL_OUT and NF_INET_POST_ROUTING");
	if (priority && priority->arg->kind == AST_NUMBER)
		priority_number = priority->arg->number;
	else if (priority && !find_priority(priority->arg->string.text, &priority_number))
		return refuse(env, priority, "a priority is a number, or a name such as NF_IP_PRI_FILTER");
	if (priority_number <= INT32_MIN || priority_number >= INT32_MAX)
		return refuse(env, priority, "the kernel lets no BPF program be the very first or the very last of a hook");
	ret->netfilter.pf = (uint32_t)pf_number;
	ret->netfilter.hook = (uint32_t)hook_number;
	ret->netfilter.priority = priority_number;
	return true;
}

static bool netfilter_resolve(struct point_env *env, const struct ast_point *point, struct sites *sites, const char **why_ret)
{
	union sp_hook_args args = { 0 };
	struct dbg_module *kernel;
	const struct c_type *context;
	struct sp_buf text = { 0 };
	struct sp_err *err;
	struct site *site;

	if (!find_args(env, point, &args))
		return false;
	err = dbg_kernel(env->dbg, &kernel);
	if (err) {
		point_report(env, point->span, DIAG_MODULE_UNREADABLE, err);
		return false;
	}
	context = dbg_find_type(kernel, CONTEXT);
	context = context ? dbg_complete_type(context) : NULL;
	if (!context || !context->n_members) {
		*why_ret = "the kernel calls no BPF programs at netfilter's hooks: that takes Linux 6.4 or later\n"
			   "kernel.function(\"nf_hook_slow\") and the aliases netfilter.* see packets go by";
		return true;
	}
	site = point_add_site(env, &pt_netfilter, point, sites);
	ast_print_point(&text, &(struct ast_point){ .parts = point->parts, .n_parts = point->n_parts });
	site->point = point_take(env, &text);
	site->kind = SP_SITE_NETFILTER;
	site->prog_kind = SP_PROG_NETFILTER;
	site->space = SPACE_KERNEL;
	site->module = kernel;
	site->context = context;
	site->args = args;
	site->why = "netfilter hook: each packet that passes";
	return true;
}

static bool netfilter_find_var(struct point_env *env, struct site *site, const struct ast_expr *target, struct site_value *ret,
			       bool *needs_entry_ret)
{
	uint64_t bit_off;
	const struct c_member *member = c_type_member(site->context, target->target.name + 1, &bit_off);

	(void)needs_entry_ret;
	ret->space = SPACE_KERNEL;
	ret->module = site->module;
	if (sp_streq(target->target.name, "$verdict")) {
		ret->base = SITE_BASE_CONST;
		ret->number = NF_ACCEPT;
		ret->base_type = dbg_find_type(site->module, "int");
		ret->is_result = true;
		return true;
	}
	if (!member) {
		struct diag *d = diag(env->dc, target->op_span, DIAG_VAR_UNKNOWN, "there is no %s in a netfilter hook", target->target.name);

		diag_note(env->dc, d, SPAN_NONE, "visible here: $skb $in $out $hooknum $pf $state $verdict");
		return false;
	}
	ret->base = SITE_BASE_CTX;
	ret->ctx_off = (uint32_t)(bit_off / 8);
	ret->ctx_size = 8;
	ret->base_type = member->type;
	ret->field = sp_arena_printf(env->arena, CONTEXT ".%s:8:%u", member->name, ret->ctx_off);
	return true;
}

static void netfilter_list_vars(struct point_env *env, struct site *site, struct sp_buf *out)
{
	(void)env, (void)site;
	sp_buf_puts(out, " $skb:struct sk_buff* $in:struct net_device* $out:struct net_device* $hooknum:u8 $pf:u8 "
			 "$state:struct nf_hook_state* $verdict:int");
}

const struct point_family pt_netfilter = {
	.name = "netfilter",
	.needs_kernel = true,
	.patterns = "netfilter.hook(string).pf(string)\nnetfilter.pf(string).hook(string)\n"
		    "netfilter.hook(string).pf(string).priority(string)\nnetfilter.pf(string).hook(string).priority(string)\n"
		    "netfilter.hook(string).pf(string).priority(number)\nnetfilter.pf(string).hook(string).priority(number)",
	.matches = netfilter_matches,
	.resolve = netfilter_resolve,
	.find_var = netfilter_find_var,
	.list_vars = netfilter_list_vars,
};

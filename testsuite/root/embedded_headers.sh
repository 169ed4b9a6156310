# SPDX-License-Identifier: GPL-2.0-or-later
# The kernel's macros that embedded C finds: each can be compiled with the types of the kernel that runs, and loaded. At an address
# where there is no memory all members are 0.
. "$SUITE/lib.sh"
compgen -c clang | grep -Eq '^clang(-[0-9]+)?$' || skip "clang is not installed"
cat >headers.stp <<'S'
%{
#include <linux/fs.h>
#include <linux/skbuff.h>
%}
function files:long (p:long) %{
	struct file *file = (struct file *)STAP_ARG_p;
	struct inode *inode = file_inode(file);
	STAP_RETVALUE = MINOR(inode->i_sb->s_dev) + i_size_read(inode) + (d_inode(file_dentry(file)) == inode) + atomic_read(&inode->i_count) +
		list_empty(&inode->i_sb->s_inodes) + atomic64_read(&inode->i_version);
%}
function packets:long (p:long) %{
	struct sk_buff __user *skb = (struct sk_buff __force *)STAP_ARG_p;
	STAP_RETVALUE = ip_hdr(skb)->protocol + ipv6_hdr(skb)->nexthdr + ntohs(tcp_hdr(skb)->dest) + ntohs(udp_hdr(skb)->source) +
		refcount_read(&skb->users) + tcp_sk(skb->sk)->snd_cwnd + inet_sk(skb->sk)->inet_sport;
%}
function tasks:long (p:long) %{
	struct task_struct *task = (struct task_struct *)STAP_ARG_p;
	struct list_head *at;
	int n = 0;
	list_for_each(at, &task->children)
		if (++n > 3)
			break;
	if (!list_empty(&task->children))
		n += list_first_entry(&task->children, struct task_struct, sibling)->pid;
	STAP_RETVALUE = n + from_kgid_munged(current_user_ns(), current_gid()) + __kuid_val(current_euid()) + from_kuid(NULL, current_cred()->suid) +
		refcount_read(&task->usage) + clamp_t(int, n, 0, 3) + BITS_PER_LONG + (PAGE_SIZE & PAGE_MASK) + msecs_to_jiffies(10) + jiffies_to_usecs(2) +
		atomic_long_read(&task->mm->pgtables_bytes);
%}
function others:long (p:long) %{
	struct task_struct *task = (struct task_struct *)STAP_ARG_p, *other;
	int n = 0, m = 0, k = 0;
	hlist_for_each_entry(other, &task->thread_pid->tasks[1], pid_links[1])
		if (++n > 3)
			break;
	hlist_for_each_entry_rcu(other, &task->thread_pid->tasks[1], pid_links[1])
		if (++m > 3)
			break;
	list_for_each_entry_rcu(other, &task->children, sibling)
		if (++k > 3)
			break;
	STAP_RETVALUE = n == m && k < 5;
%}
function text:string () %{ scnprintf(STAP_RETVALUE, MAXSTRINGLEN, "%d", IS_MODULE(CONFIG_NOSUCH)); %}
probe kernel.trace("sys_enter") {
	if (pid() != target()) next
	println(files(0), " ", packets(0), " ", tasks(task_current()) > 0, " ", others(task_current()), " ", text())
	exit()
}
S
expect 0 timeout 60 "$SPILE" -w -g -c true headers.stp
is '1 0 1 1 0'
quiet
expect 0 timeout 60 "$SPILE" -w -g -p4 -o headers.spo headers.stp

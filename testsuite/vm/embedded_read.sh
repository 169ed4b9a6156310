# SPDX-License-Identifier: GPL-2.0-or-later
# Embedded C follows the kernel's pointers as SystemTap's does, and reads what `$file->...` reads. Where there is no memory, it reads 0.
. "$SUITE/lib.sh"
compgen -c clang | grep -Eq '^clang(-[0-9]+)?$' || skip "clang is not installed"
cat >read.stp <<'S'
%{
#include <linux/fs.h>
%}
function members:long (p:long) %{
	struct file *f = (struct file *)STAP_ARG_p;
	struct inode *i = f->f_inode;
	STAP_RETVALUE = f->f_flags + i->i_sb->s_blocksize_bits + i->i_sb->s_type->fs_flags;
%}
function copied:long (p:long) %{
	struct path at = ((struct file *)STAP_ARG_p)->f_path;
	STAP_RETVALUE = (long)at.dentry->d_parent ^ (long)at.mnt->mnt_sb;
%}
function bytes:long (p:long, n:long) %{
	unsigned char *s = (void *)(long)STAP_ARG_p;
	for (int i = 0; i < 8; i++)
		if (i < STAP_ARG_n)
			STAP_RETVALUE = STAP_RETVALUE * 256 + s[i];
%}
function name:string (p:long) %{
	strlcpy(STAP_RETVALUE, ((struct file *)STAP_ARG_p)->f_path.dentry->d_name.name, MAXSTRINGLEN);
%}
function parents:long (p:long) %{
	struct dentry *d = ((struct file *)STAP_ARG_p)->f_path.dentry;
	for (int i = 0; i < 20 && d != d->d_parent; i++) {
		d = d->d_parent;
		STAP_RETVALUE++;
	}
%}
function children:long (t:long) %{
	struct task_struct *task = (struct task_struct *)STAP_ARG_t, *child;
	int n = 0;
	list_for_each_entry(child, &task->children, sibling) {
		if (n++ >= 50)
			break;
	}
	STAP_RETVALUE = n;
%}
function children_by_dwarf:long (t) {
	head = &@cast(t, "task_struct")->children
	for (at = @cast(head, "list_head")->next; at != head && n < 50; at = @cast(at, "list_head")->next) n++
	return n
}
function ids:string () %{
	snprintf(STAP_RETVALUE, MAXSTRINGLEN, "%d %d", from_kuid_munged(current_user_ns(), current_uid()), __kgid_val(current_egid()));
%}
function config:string () %{
#if IS_ENABLED(CONFIG_XFS_FS) && !IS_BUILTIN(CONFIG_XFS_FS) && defined(CONFIG_SMP) && !IS_ENABLED(CONFIG_NOSUCH)
	snprintf(STAP_RETVALUE, MAXSTRINGLEN, "%d %d", jiffies_to_msecs(HZ), CONFIG_HZ == HZ);
#endif
%}
function either:long (p:long, own:long) %{
	long mine = 7, *which = STAP_ARG_own ? &mine : (long *)&((struct file *)STAP_ARG_p)->f_mapping;
	STAP_RETVALUE = *which;
%}
function parents_by_dwarf:long (d) {
	for (i = 0; i < 20 && d != @cast(d, "dentry")->d_parent; i++) d = @cast(d, "dentry")->d_parent
	return i
}
probe kernel.function("vfs_write") {
	if (pid() != target()) next
	sb = $file->f_inode->i_sb
	println(members($file) == $file->f_flags + @cast(sb, "super_block")->s_blocksize_bits + @cast(sb, "super_block")->s_type->fs_flags)
	println(copied($file) == ($file->f_path->dentry->d_parent ^ $file->f_path->mnt->mnt_sb))
	for (i = 0; i < 3; i++) n = n * 256 + kernel_char($file->f_path->dentry->d_name->name + i)
	println(bytes($file->f_path->dentry->d_name->name, 3) == n, " ", name($file), " ", n > 0)
	println(parents($file) == parents_by_dwarf($file->f_path->dentry), parents($file) > 0)
	println(either($file, 0) == $file->f_mapping, either($file, 1))
	init = task_parent(pid2task(1))
	println(children(init) == children_by_dwarf(init), children(init) > 1, " ", ids() == sprintf("%d %d", uid(), egid()), " ", config())
	println(bytes(16, 8), members(0))
	exit()
}
S
mkdir -p one/two
expect 0 "$SPILE" -g -c 'dd if=/dev/zero of=one/two/words bs=1 count=1 status=none' read.stp
is '1
1
1 words 1
11
17
11 1 1000 1
00'
quiet

# Members of sockets have names that are macros of the kernel's headers, and what a packet has is asked of small functions there.
command -v /usr/bin/python3 >/dev/null || skip "python3 is not installed"
ip link set lo up
cat >net.py <<'P'
import socket
server = socket.create_server(("127.0.0.1", 4711))
client = socket.create_connection(("127.0.0.1", 4711))
peer, _ = server.accept()
client.send(b"x" * 100)
peer.recv(40)
P
cat >net.stp <<'S'
%{
#include <linux/skbuff.h>
#include <net/inet_sock.h>
%}
function socket_of:string (p:long) %{
	struct sock *sk = (struct sock *)STAP_ARG_p;
	snprintf(STAP_RETVALUE, MAXSTRINGLEN, "%d %d %x %d %x %d %d", sk->sk_family, sk->sk_state, ntohl(sk->sk_daddr), inet_sk(sk)->inet_num,
		 ntohl(inet_sk(sk)->inet_rcv_saddr), ntohs(sk->sk_dport) == ntohs(inet_sk(sk)->inet_dport), sock_net(sk) == current->nsproxy->net_ns);
%}
function queue_of:string (p:long) %{
	struct sock *sk = (struct sock *)STAP_ARG_p;
	struct sk_buff *skb = skb_peek(&sk->sk_receive_queue);
	snprintf(STAP_RETVALUE, MAXSTRINGLEN, "%d %d %d %d", skb_queue_len(&sk->sk_receive_queue), skb_queue_empty(&sk->sk_receive_queue),
		 skb ? skb->len : -1, skb ? skb_headlen(skb) + skb->data_len - (int)skb->len : -1);
%}
probe kernel.function("tcp_recvmsg") {
	if (pid() != target()) next
	println(socket_of($sk))
	println(queue_of($sk))
}
S
expect 0 "$SPILE" -g -c "/usr/bin/python3 net.py" net.stp
is '2 1 7f000001 4711 7f000001 1 1
1 0 100 0'

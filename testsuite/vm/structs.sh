# SPDX-License-Identifier: GPL-2.0-or-later
# Members of the kernel's structures, as `$x->...` and as embedded C, which clang has compiled from the kernel's headers, reads them: plain
# ones, bit-fields, those of anonymous members, elements of arrays, what pointers lead to. Some are known to the program, too.
. "$SUITE/lib.sh"
. "$SUITE/examples.sh"
compgen -c clang | grep -Eq '^clang(-[0-9]+)?$' || skip "clang is not installed"
command -v python3 >/dev/null || skip "python3 is not installed"
n=0

# both TYPE POINTER MEMBER...: in the file body a statement for each of `->MEMBER`, as C writes it, and in the file functions one that reads it in C.
both()
{
	local type=$1 pointer=$2 member
	shift 2
	for member; do
		n=$((n + 1))
		echo "function by_c_$n:long (p:long) %{ STAP_RETVALUE = (long)((struct $type *)STAP_ARG_p)->$member; %}" >>functions
		echo "same(\"$type->$member\", @cast($pointer, \"$type\", \"kernel\")->${member//./->}, by_c_$n($pointer))" >>body
	done
}
# compared POINT CONDITION COMMAND [STATEMENT TEXT]: runs the statements once, and one that prints what the program knows.
compared()
{
	{
		echo '%{
#include <linux/fs.h>
#include <linux/tcp.h>
#include <linux/skbuff.h>
#include <linux/sched/signal.h>
#include <linux/blkdev.h>
%}'
		cat functions
		echo 'global count, differ
function same(what, a, b) { count++; if (a != b) { differ++; printf("%s: %d, by C %d\n", what, a, b) } }'
		echo "probe $1 { if (!($2)) next"
		cat body
		echo "${4-} exit() } probe end { println(count - differ, \" of \", count) }"
	} >structs.stp
	expect 0 "$SPILE" -g -c "$3" structs.stp
	quiet
	local all
	all=$(wc -l <body)
	is "${5+$5
}$all of $all"
	rm functions body
}

both file '$file' f_flags f_mode f_pos f_inode 'f_path.dentry' f_mapping
both inode '$file->f_inode' i_mode i_size i_nlink i_ino i_blkbits 'i_uid.val' i_flags i_mapping 'i_data.nrpages' i_rdev
both super_block '$file->f_inode->i_sb' s_blocksize s_magic 's_id[0]' 's_id[2]' 's_uuid.b[5]' s_time_gran s_flags
both dentry '$file->f_path->dentry' d_parent 'd_name.len' 'd_iname[1]' d_inode
head -c 12345 /dev/zero >known && chmod 640 known
compared 'kernel.function("vfs_read")' 'pid() == target() && $count == 77' 'dd if=known of=/dev/null bs=77 count=1 status=none' \
	'println($file->f_inode->i_size, sprintf(" %o ", $file->f_inode->i_mode), $file->f_inode->i_nlink)' '12345 100640 1'

both task_struct 'task_current()' pid tgid flags static_prio prio in_execve sched_reset_on_fork in_iowait 'comm[1]' 'se.on_rq' 'signal' \
	exit_signal 'thread_pid' 'children.next' nr_cpus_allowed 'cpus_mask.bits[0]'
both signal_struct '@cast(task_current(), "task_struct", "kernel")->signal' nr_threads 'rlim[7].rlim_cur' 'rlim[3].rlim_max' is_child_subreaper \
	oom_score_adj 'shared_pending.signal.sig[0]'
both mm_struct '@cast(task_current(), "task_struct", "kernel")->mm' mmap_base task_size total_vm start_code brk arg_start map_count
compared 'kernel.function("vfs_read")' 'pid() == target() && $count == 77' 'dd if=known of=/dev/null bs=77 count=1 status=none'

cat >talk.py <<'PY'
import socket
server = socket.create_server(("127.0.0.1", 5555))
client = socket.create_connection(("127.0.0.1", 5555), source_address=("127.0.0.1", 6666))
client.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
client.send(b"text")
PY
ip link set lo up || exit 1
both sock '$sk' '__sk_common.skc_family' '__sk_common.skc_num' '__sk_common.skc_dport' '__sk_common.skc_daddr' '__sk_common.skc_state' \
	'__sk_common.skc_reuse' '__sk_common.skc_ipv6only' sk_type sk_protocol sk_userlocks sk_sndbuf sk_rcvbuf '__sk_common.skc_flags' sk_shutdown \
	sk_kern_sock sk_no_check_tx sk_uid.val
both tcp_sock '$sk' mss_cache nonagle snd_nxt rcv_nxt srtt_us snd_cwnd thin_lto repair 'rx_opt.wscale_ok' 'rx_opt.snd_wscale' \
	'rx_opt.rcv_wscale' 'rx_opt.mss_clamp' 'inet_conn.icsk_rto' 'inet_conn.icsk_retransmits' 'inet_conn.icsk_ca_state' 'inet_conn.icsk_ack.pingpong'
compared 'kernel.function("tcp_sendmsg")' 'pid() == target() && $size == 4' 'python3 talk.py' \
	'println($sk->__sk_common->skc_num, " ", ntohs($sk->__sk_common->skc_dport), " ", ($sk->__sk_common->skc_flags >> @enum("SOCK_KEEPOPEN")) & 1)' '6666 5555 1'

both sk_buff '$skb' len data_len mac_len hdr_len protocol pkt_type ip_summed cloned nohdr fclone peeked head_frag transport_header network_header \
	head data tail end truesize 'users.refs.counter' dev skb_iif hash priority 'cb[0]' 'cb[9]' encapsulation csum_level
compared 'kernel.function("tcp_v4_rcv")' '$skb->len == 36' 'python3 talk.py' 'println($skb->len - 32)' 4

known_disk
both bio '$bio' 'bi_iter.bi_sector' 'bi_iter.bi_size' bi_opf bi_vcnt bi_max_vecs bi_bdev bi_flags bi_status '__bi_remaining.counter' bi_io_vec bi_end_io
both block_device '$bio->bi_bdev' bd_start_sect bd_nr_sectors bd_dev bd_openers.counter
compared 'kernel.function("submit_bio")' 'pid() == target() && $bio->bi_iter->bi_size == 65536' \
	"dd if=$loop of=/dev/null bs=64k skip=12 count=1 iflag=direct status=none" 'println($bio->bi_iter->bi_sector, " ", $bio->bi_opf & 255)' '1536 0'

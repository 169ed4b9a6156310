# SPDX-License-Identifier: GPL-2.0-or-later
# The probes of nfs, nfsd and sunrpc: a server of this machine for itself, and a program that uses its files by versions 3 and 4.
. "$SUITE/lib.sh"
command -v python3 >/dev/null || skip "python3 is not installed"
exec 9>/run/network-of-cases
flock 9 # cases run at the same time
ip link set lo up || exit 1
for module in nfsd nfs nfsv2 nfsv3 nfsv4; do
	modprobe $module || skip "there is no module $module"
done
mkdir -p /mnt
use="sh -c 'python3 $SUITE/vm/nfs_use.py /mnt/x.3 && python3 $SUITE/vm/nfs_use.py /mnt/x.4'"
printf '%s\n' "$use" >use.sh
cat >values.stp <<'S'
global told
probe nfs.proc.{read_setup,write_setup} {
  if (!told[name]++) printf("%s %s %d %d: %d %d %s at %d\n", name, server_ip, prot, version, count, size, units, offset)
}
probe nfs.proc.{read_done,write_done} { if (!told[name]++) printf("%s %s %d %d: %d\n", name, server_ip, prot, version, status == count) }
probe nfs.proc.create { if (filename == "first" || filename == "plain") printf("%s %s %d %d %s %d %o\n", name, server_ip, prot, version, filename, filelen, mode & 0777) }
probe nfs.proc.remove { if (filename == "second") printf("%s %s %s %d\n", name, server_ip, filename, filelen) }
probe nfs.fop.{read_iter,write_iter} {
  if (!told[name . devname]++) printf("%s %s: %s %d at %d, %d %s\n", name, devname, file_name, count, pos, size, units)
}
probe nfs.fop.{read_iter,write_iter}.return { if (!told[name]++) printf("%s %s %d\n", name, retstr, size) }
probe nfs.fop.llseek { if (!told[whence_str]++) printf("%s %d %s\n", name, offset, whence_str) }
probe nfs.fop.lock { if (!told[name]++) printf("%s %d: %d, %d to %d\n", name, cmd, lock_type, fl_start, fl_end) }
S
cat >server.stp <<'S'
global told
probe nfsd.proc.{read,write} {
  if (!told[name]++) printf("%s %s %d %d: %d at %d for %d:%d\n", name, ip_ntop(client_ip), proto, version, count, offset % 4096, uid, gid)
}
probe nfsd.proc3.write.return { if (!told[name]++) printf("%s %s %d\n", name, retstr, count) }
probe nfsd.proc3.lookup.return { told[name . " " . retstr]++ }
probe nfsd.proc.{lookup,remove} { if (filename == "second" || filename == "nosuch") told[name . " " . filename]++ }
probe nfsd.proc.rename { if (!told[name]++) printf("%s %s %s %s %d\n", name, ip_ntop(client_ip), filename, tname, tlen) }
probe nfsd.create { if (filename == "folder" && !told[name]++) printf("%s %s %s %s\n", name, ip_ntop(client_ip), filename, ftype(type)) }
probe nfsd.unlink { if (filename == "second" && !told[name]++) printf("%s %s %s %d\n", name, ip_ntop(client_ip), filename, type == -040000) }
probe nfsd.createv3 { if (filename == "first") printf("%s %s %o %s\n", name, filename, iap_mode & 0777, nfs3_cmode(createmode)) }
probe sunrpc.clnt.create_client { if (prog == 100003 && !told[name . sprintf("%d", vers)]++) printf("%s %s %s %d %d %d\n", name, servername, progname, vers, prot, port) }
probe sunrpc.svc.register { if (prot == 6 && !told[name]++) printf("%s %s %s %d\n", name, sv_name, progname, port > 0) }
probe sunrpc.svc.destroy { if (sv_prog == 100003) printf("%s %s %s %d\n", name, sv_name, sv_progname, rpcbadfmt) }
probe sunrpc.svc.process { if (rq_prog == 100003 && rq_vers == 3 && rq_proc == 12 && !told[name]++) printf("%s %s %s %d\n", name, sv_name, ip_ntop(peer_ip), rq_prot) }
probe sunrpc.clnt.call_sync { if (prog == 100003 && vers == 3 && proc == 12 && !told[name]++) printf("%s %s %s %s %d\n", name, servername, progname, procname, port) }
probe end { foreach (name+ in told) if (isinstr(name, " ")) println(name) }
S
expect 0 "$SPILE" -c "python3 $SUITE/vm/nfs.py /mnt/x sh use.sh" values.stp
quiet
sort out >client
expect 0 "$SPILE" -c "python3 $SUITE/vm/nfs.py /mnt/x sh use.sh" server.stp
quiet
sort client out >sorted
sort >wanted <<'S'
nfs.fop.llseek 5 SEEK_SET
nfs.fop.llseek 7 SEEK_END
nfs.fop.lock 7: 1, 20 to 29
nfs.fop.read_iter 127.0.0.1:/: first 4321 at 0, 4321 bytes
nfs.fop.read_iter 127.0.0.1:/mnt/x: first 4321 at 0, 4321 bytes
nfs.fop.read_iter.return 4321 4321
nfs.fop.write_iter 127.0.0.1:/: first 10000 at 0, 10000 bytes
nfs.fop.write_iter 127.0.0.1:/mnt/x: first 10000 at 0, 10000 bytes
nfs.fop.write_iter.return 10000 10000
nfs.proc3.create 127.0.0.1 6 3 first 5 640
nfs.proc3.create 127.0.0.1 6 3 plain 5 600
nfs.proc3.read_done 127.0.0.1 6 3: 1
nfs.proc3.read_setup 127.0.0.1 6 3: 4096 4096 bytes at 0
nfs.proc3.remove 127.0.0.1 second 6
nfs.proc3.write_done 127.0.0.1 6 3: 1
nfs.proc3.write_setup 127.0.0.1 6 3: 4096 4096 bytes at 0
nfs.proc4.create 127.0.0.1 6 4 plain 5 600
nfs.proc4.read_done 127.0.0.1 6 4: 1
nfs.proc4.read_setup 127.0.0.1 6 4: 4096 4096 bytes at 0
nfs.proc4.remove 127.0.0.1 second 6
nfs.proc4.write_done 127.0.0.1 6 4: 1
nfs.proc4.write_setup 127.0.0.1 6 4: 4096 4096 bytes at 0
nfsd.create 127.0.0.1 folder 040000 (ISDIR)
nfsd.createv3 first 640 UNCHECKED
nfsd.proc3.lookup nosuch
nfsd.proc3.lookup.return NFS_ERR_NOENT
nfsd.proc3.lookup.return NFS_OK
nfsd.proc3.read 127.0.0.1 6 3: 4096 at 0 for 0:0
nfsd.proc3.remove second
nfsd.proc3.rename 127.0.0.1 first second 6
nfsd.proc3.write 127.0.0.1 6 3: 4096 at 0 for 0:0
nfsd.proc3.write.return NFS_OK 4096
nfsd.proc4.lookup nosuch
nfsd.proc4.read 127.0.0.1 6 4: 4096 at 0 for 0:0
nfsd.proc4.remove second
nfsd.proc4.rename 127.0.0.1 first second 6
nfsd.proc4.write 127.0.0.1 6 4: 4096 at 0 for 0:0
nfsd.unlink 127.0.0.1 second 1
sunrpc.clnt.call_sync 127.0.0.1 nfs REMOVE 2049
sunrpc.clnt.create_client 127.0.0.1 nfs 3 6 2049
sunrpc.clnt.create_client 127.0.0.1 nfs 4 6 2049
sunrpc.svc.destroy nfsd nfsd 0
sunrpc.svc.process nfsd 127.0.0.1 6
sunrpc.svc.register lockd lockd 1
S
diff sorted wanted || fail "other values"

# What fires. Silent are: version 2, which the server does not speak; what only old kernels have, or kernels that are short of memory
# (writepage, release_page); what a server says that is busy or away (delay, drop, restart_call), or copies for itself (proc4.commit).
expect 0 "$SPILE" --dump-probe-aliases
grep -oE '^(nfs|nfsd|sunrpc)\.[a-z0-9_.]+' out | sort -u |
	grep -vxE 'nfs\.(proc2\..*|proc4?\.commit(\.return)?|aop\.(readpages?|writepage|release_page)(\.return)?)' |
	grep -vxE 'nfsd\.proc2\..*|sunrpc\.(sched\.delay|svc\.drop|clnt\.restart_call)(\.return)?' >names
grep '^nfs\.' names >client_names
grep -v '^nfs\.' names >server_names
fired client.stp $(cat client_names)
fired server.stp $(cat server_names)
expect 0 "$SPILE" -c "python3 $SUITE/vm/nfs.py /mnt/x sh use.sh" client.stp
quiet
all_fired client.stp
expect 0 "$SPILE" -c "python3 $SUITE/vm/nfs.py /mnt/x sh use.sh" server.stp
quiet
all_fired server.stp
# What there is none of has numbers, too.
expect 0 "$SPILE" -e 'probe oneshot { print(xid_from_clnt(0), prog_from_clnt(0), vers_from_clnt(0), prot_from_clnt(0), port_from_clnt(0), port_from_xprt(0), proc_from_msg(0)) }'
is 0000000

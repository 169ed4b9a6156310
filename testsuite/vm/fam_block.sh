# SPDX-License-Identifier: GPL-2.0-or-later
# The probe families ioblock, ioblock_trace, ioscheduler, ioscheduler_trace and scsi: each alias fires, and their variables tell
# what dd has asked of a disk of the module scsi_debug.
. "$SUITE/lib.sh"

family 'ioblock\.|ioblock_trace\.|ioscheduler\.|ioscheduler_trace\.|scsi\.'
cat >values.stp <<'S'
global rq
probe ioblock.request { if (pid() == target()) printf("%s %s %s %d at %d, %d, disk %d, begins %d, inode %d\n", name, devname, bio_rw_str(rw), size, sector, vcnt > 0, bdev == bdev_contains, p_start_sect, ino) }
probe ioblock_trace.request { if (pid() == target()) printf("%s %d %s\n", name, q == @cast(bdev, "block_device", "kernel")->bd_disk->queue, devname) }
probe ioblock.end { if (sector == 2400 || sector == 4660) printf("%s %s %s %d of %d at %d: %d\n", name, devname, bio_rw_str(rw), bytes_done, size, sector, error) }
probe ioscheduler_trace.elv_issue_request { if (disk_major == 8 && (rq_flags & 255) < 2) { rq = $rq printf("%s %s %d:%d %s\n", name, elevator_name, disk_major, disk_minor, rq_flags & 1 ? "W" : "R") } }
probe scsi.ioentry { if (disk_major == 8) printf("scsi.ioentry %d:%d %s\n", disk_major, disk_minor, device_state_str) }
probe scsi.iodispatching { if (rq && rq == req_addr) printf("scsi.iodispatching %d:%d:%d %s %s %d\n", channel, dev_id, lun, device_state_str, data_direction_str, request_bufflen) }
probe scsi.iodone { if (rq && rq == req_addr) printf("scsi.iodone %d:%d:%d %s timer %d\n", channel, dev_id, lun, data_direction_str, scsi_timer_pending) }
probe scsi.iocompleted { if (rq && rq == req_addr) { rq = 0 printf("scsi.iocompleted %d:%d:%d %s %d\n", channel, dev_id, lun, data_direction_str, goodbytes) } }
probe scsi.set_state { printf("%s -> %s\n", old_state_str, state_str) }
probe scsi.ioexecute { if (pid() == target()) printf("scsi.ioexecute %d:%d:%d %s %d\n", channel, dev_id, lun, data_direction_str, request_bufflen > 0) }
S
compile -- values.stp
compiled

modprobe scsi_debug dev_size_mb=16 virtual_gb=0 || skip "there is no module scsi_debug"
modprobe -a sd_mod sr_mod mq-deadline 2>/dev/null
wait_for 20 ls /sys/bus/pseudo/drivers/scsi_debug/adapter0/host*/target*/*/block/
disk=$(ls /sys/bus/pseudo/drivers/scsi_debug/adapter0/host*/target*/*/block/)
device=$(echo /sys/bus/pseudo/drivers/scsi_debug/adapter0/host*/target*/*:*/block)
device=${device%/block}
echo mq-deadline >/sys/block/$disk/queue/scheduler
wait_for 20 test -b /dev/$disk

# A disk whose sector 0x1234 cannot be read, which is busy now and then, and is taken offline and back again; a CD drive.
cat >work.sh <<S
echo 4 >/sys/block/$disk/queue/nr_requests; echo 64 >/sys/block/$disk/queue/max_sectors_kb
dd if=/dev/$disk of=/dev/null bs=4k count=500 status=none
dd if=/dev/zero of=/dev/$disk bs=4k count=50 oflag=direct status=none
dd if=/dev/$disk of=/dev/null bs=8M count=2 iflag=direct status=none
dd if=/dev/zero of=/dev/$disk bs=1M count=8 status=none
sync
cd /sys/bus/pseudo/drivers/scsi_debug
echo 2 >opts
dd if=/dev/$disk of=/dev/null bs=512 skip=4660 count=1 iflag=direct status=none 2>/dev/null
echo 0x8000 >opts; echo 3 >every_nth
dd if=/dev/$disk of=/dev/null bs=4k count=20 iflag=direct status=none
echo 0 >opts; echo 0 >every_nth
echo offline >$device/state; echo running >$device/state
echo 1 >$device/rescan
S
cat >silent <<'S'
ioblock_trace.bounce every device reaches all memory here
ioscheduler.elv_add_request.kp gone since 5.0
scsi.ioentry.scsilib gone since 5.0
scsi.ioentry.mq_prep gone since 5.15
scsi.ioentry.sr there is no CD drive
S
family_fires "bash work.sh"

# known STATUS COMMAND: what it makes the probes print, each line once, is on stdin.
known()
{
	made "$1" -c "$2" -- values.stp
	sed "s/ $disk / DISK /; s/ $disk$/ DISK/" out | sort -u >values
	diff - values || fail "wrong values"
}
known 0 "exec dd if=/dev/$disk of=/dev/null bs=12288 skip=100 count=1 iflag=direct status=none" <<'S'
elv_issue_request mq-deadline 8:0 R
ioblock.end DISK R 12288 of 12288 at 2400: 0
ioblock.request DISK R 12288 at 2400, 1, disk 1, begins 0, inode 0
ioblock_trace.request 1 DISK
scsi.iocompleted 0:0:0 FROM_DEVICE 12288
scsi.iodispatching 0:0:0 RUNNING FROM_DEVICE 12288
scsi.iodone 0:0:0 FROM_DEVICE timer 1
scsi.ioentry 8:0 RUNNING
S
quiet
known 0 "exec dd if=/dev/zero of=/dev/$disk bs=12288 seek=100 count=1 oflag=direct conv=notrunc status=none" <<'S'
elv_issue_request mq-deadline 8:0 W
ioblock.end DISK W 12288 of 12288 at 2400: 0
ioblock.request DISK W 12288 at 2400, 1, disk 1, begins 0, inode 0
ioblock_trace.request 1 DISK
scsi.iocompleted 0:0:0 TO_DEVICE 12288
scsi.iodispatching 0:0:0 RUNNING TO_DEVICE 12288
scsi.iodone 0:0:0 TO_DEVICE timer 1
scsi.ioentry 8:0 RUNNING
S
quiet
# ENODATA is what the kernel makes of an error of the medium.
echo 2 >/sys/bus/pseudo/drivers/scsi_debug/opts
known 1 "exec dd if=/dev/$disk of=/dev/null bs=512 skip=4660 count=1 iflag=direct status=none" <<'S'
elv_issue_request mq-deadline 8:0 R
ioblock.end DISK R 0 of 512 at 4660: -61
ioblock.request DISK R 512 at 4660, 1, disk 1, begins 0, inode 0
ioblock_trace.request 1 DISK
scsi.iocompleted 0:0:0 FROM_DEVICE 0
scsi.iodispatching 0:0:0 RUNNING FROM_DEVICE 512
scsi.iodone 0:0:0 FROM_DEVICE timer 1
scsi.ioentry 8:0 RUNNING
S
echo 0 >/sys/bus/pseudo/drivers/scsi_debug/opts
made 0 -c "exec bash -c 'echo offline >$device/state; echo running >$device/state; echo 1 >$device/rescan; true'" -- values.stp
prints '^RUNNING -> OFFLINE$'
prints '^OFFLINE -> RUNNING$'
prints '^scsi\.ioexecute 0:0:0 FROM_DEVICE 1$'

# SPDX-License-Identifier: GPL-2.0-or-later
# The probe families irq_handler, softirq and workqueue: each alias fires, and their variables agree with what the kernel says.
. "$SUITE/lib.sh"

family 'irq_handler\.|softirq\.|workqueue\.'
cat >values.stp <<'S'
global entries, names, softirqs, works
probe irq_handler.entry { entries[irq, action] = flags names[irq] = dev_name if (flags_str != irqflags_str(flags) || handler != $action->handler) println("wrong") }
probe irq_handler.exit { if ([irq, action] in entries && (flags != entries[irq, action] || (ret != 0 && ret != 1 && ret != 2))) println("wrong") }
probe softirq.entry { softirqs[vec_nr] = action if (h != vec + vec_nr * 8) println("wrong") }
probe workqueue.execute { if (wq_thread == task_current() && isinstr(execname(), "kworker")) works[symname(work_func)]++ }
probe workqueue.create { printf("%s %d\n", task_execname(wq_thread), cpu == -1) }
probe workqueue.destroy { println("destroyed ", task_execname(wq_thread) != "") }
probe end {
  foreach (irq in names) printf("irq %d %s\n", irq, names[irq])
  foreach (nr in softirqs) printf("softirq %d %s\n", nr, symname(softirqs[nr]))
}
S
compile -- values.stp
compiled

# A work queue's threads are made for its new priority, and end when it has the old one again.
cat >work.sh <<'S'
for nice in -7 0 -7 0; do echo $nice >/sys/devices/virtual/workqueue/writeback/nice; sleep 0.3; done
ls -lR /usr/include >/dev/null
sync
sleep 1
S
family_fires "bash work.sh"

made 0 -c "bash work.sh" -- values.stp
quiet
! grep -q '^wrong' out || fail "handlers' variables disagree"
prints '^kworker/u[0-9]+:[0-9]+ 1$'
prints '^destroyed 1$'
prints '^irq [0-9]+ virtio[0-9]+-requests\.0$'
prints '^softirq 1 run_timer_softirq$'
prints '^softirq 7 (run_rebalance_domains|sched_balance_softirq)$'
prints '^softirq 9 rcu_core_si$'
prints '^works\["vmstat_update"\] *= *[0-9]+$'

-- The cases of golden/algebra on a recorded profile: perf record -F 1999 -e
-- cpu-clock -g of a program with recursion and kernel frames (own measurement, CC0-1.0).
\pset null NULL
CREATE TEMP TABLE wl_perf AS SELECT $$
wl;__libc_start_call_main;main;phase1;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs 3
wl;__libc_start_call_main;main;phase1;qs;qs;qs;qs;qs;qs;qs;qs;asm_sysvec_apic_timer_interrupt_[k];sysvec_apic_timer_interrupt_[k];__irq_exit_rcu_[k];handle_softirqs_[k] 1
wl;__libc_start_call_main;main;phase1;qs;qs;qs;qs;qs;qs;qs 55
wl;__libc_start_call_main;main;phase1;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs 68
wl;__libc_start_call_main;main;phase1;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs 54
wl;__libc_start_call_main;main;phase1;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs 63
wl;__libc_start_call_main;main;phase1;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs 1
wl;__libc_start_call_main;main;phase1;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs 3
wl;__libc_start_call_main;main;phase1;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs 68
wl;[unknown];_int_free 1
wl;__libc_start_call_main;main;phase1;qs;qs 57
wl;__libc_start_call_main;main;phase1;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs 25
wl;[unknown];read;entry_SYSCALL_64_after_hwframe_[k];do_syscall_64_[k];ksys_read_[k];vfs_read_[k] 1
wl;__libc_start_call_main;main;phase2;odd;even;odd;even;odd;even;odd;hash 1
wl;__libc_start_call_main;main;phase1;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs 75
wl;__libc_start_call_main;main;phase1;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs 70
wl;__libc_start_call_main;main;phase1;hash 417
wl;__libc_start_call_main;main;phase1;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs 1
wl;__libc_start_call_main;main;phase1;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs 2
wl;__libc_start_call_main;main;phase1;fill 12
wl;__libc_start_call_main;main;phase1;qs;qs;qs;qs;qs 69
wl;__libc_start_call_main;main;phase1;qs;qs;qs;qs 49
wl;__libc_start_call_main;main;phase1;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs 62
wl;__libc_start_call_main;main;phase1;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs 32
wl;[unknown];read;entry_SYSCALL_64_after_hwframe_[k];do_syscall_64_[k];ksys_read_[k];vfs_read_[k];read_zero_[k] 6
wl;__libc_start_call_main;main;phase1;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs 40
wl;__libc_start_call_main;main;phase2;odd;even;odd;even;odd;even;hash 1
wl;__libc_start_call_main;main;phase1;qs;qs;qs;qs;qs;qs 60
wl;[unknown];read;entry_SYSCALL_64_after_hwframe_[k];do_syscall_64_[k] 6
wl;__libc_start_call_main;main;phase1;qs 52
wl;[unknown];intel_check_word.constprop.0 1
wl;__libc_start_call_main;main;phase2;even;odd;even;odd;even;odd;even;odd;even;odd;even;odd;even;odd;even;odd;even;odd;even;odd;even;odd;even;odd;even;odd;even;odd;even;odd;even;odd;even;odd;even;odd;even;odd;even;odd;even;odd;even;odd;even;hash 1
wl;__libc_start_call_main;main;phase1;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs 65
wl;__libc_start_call_main;main;phase1;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs 14
wl;__libc_start_call_main;main;phase1;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs 24
wl;__libc_start_call_main;main;phase1;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs 65
wl;__libc_start_call_main;main;phase1;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs 79
wl;__libc_start_call_main;main;phase1;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs 73
wl;__libc_start_call_main;main;phase1;qs;qs;qs;qs;qs;qs;qs;qs 58
wl;__libc_start_call_main;main;phase1;hash;asm_sysvec_apic_timer_interrupt_[k];sysvec_apic_timer_interrupt_[k];__irq_exit_rcu_[k];handle_softirqs_[k];run_timer_softirq_[k];_raw_spin_unlock_irq_[k] 1
wl;_IO_fread 4
wl;[unknown];read;entry_SYSCALL_64_after_hwframe_[k];do_syscall_64_[k];ksys_read_[k];fdget_pos_[k] 1
wl;[unknown];read 4
wl;__libc_start_call_main;main;phase1;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs 7
wl;__libc_start_call_main;main;phase1;qs;qs;qs;qs;qs;qs;qs;qs;qs 61
wl;__libc_start_call_main;main;phase1;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs 55
wl;__libc_start_call_main;main;phase1;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs 2
wl;__libc_start_call_main;main;phase1;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs 7
wl;__libc_start_call_main;main;phase1;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs 67
wl;__libc_start_call_main;main;phase1;hash;asm_sysvec_apic_timer_interrupt_[k];irqentry_exit_to_user_mode_[k];schedule_[k];__schedule_[k];finish_task_switch.isra.0_[k] 1
wl;__libc_start_call_main;main;phase1;qs;qs;qs 54
wl;[unknown];__GI___libc_open;entry_SYSCALL_64_after_hwframe_[k];do_syscall_64_[k];x64_sys_call_[k] 1
wl;__libc_start_call_main;main;phase2;odd;even;odd;even;odd;even;odd;even;odd;even;odd;hash 1
wl;__libc_start_call_main;main;phase2;odd;even;odd;even;odd;even;odd;even;odd;even;hash 1
$$::flamegraph AS f;
SELECT total(f), nstacks(f), nnodes(f), nframes(f), depth(f) FROM wl_perf;
SELECT v.name, md5(flamegraph_to_folded(value)) = md5 AS md5, nstacks(value) = stacks AS stacks, total(value) = v.total AS total, @-@ value = v.total AS norm
FROM wl_perf, LATERAL (VALUES
	('prune_5_percent', prune(f, 0.05), '20cf3d343dfdac2d66a62b60b19dbdb5', 31, 2002::float8),
	('transform_frame_totals', frame_totals(f), '532bc48c2f7a4c651336cf5d2232a8a5', 33, 10034::float8),
	('transform_k_context_0_wl', k_context(f, 0), 'e636dc4c8ef59213c8126ce7073d2ca6', 15, 2002::float8)) v(name, value, md5, stacks, total);
-- nodes_wl_perf: 134 nodes, the largest 40 of them
SELECT count(*) = 134 AS nodes FROM wl_perf, nodes(f);
WITH golden(stack, depth, self, total) AS (VALUES
	('wl', 1, 0, 2002),
	('wl;__libc_start_call_main', 2, 0, 1977),
	('wl;__libc_start_call_main;main', 3, 0, 1977),
	('wl;__libc_start_call_main;main;phase1', 4, 0, 1972),
	('wl;__libc_start_call_main;main;phase1;qs', 5, 52, 1541),
	('wl;__libc_start_call_main;main;phase1;qs;qs', 6, 57, 1489),
	('wl;__libc_start_call_main;main;phase1;qs;qs;qs', 7, 54, 1432),
	('wl;__libc_start_call_main;main;phase1;qs;qs;qs;qs', 8, 49, 1378),
	('wl;__libc_start_call_main;main;phase1;qs;qs;qs;qs;qs', 9, 69, 1329),
	('wl;__libc_start_call_main;main;phase1;qs;qs;qs;qs;qs;qs', 10, 60, 1260),
	('wl;__libc_start_call_main;main;phase1;qs;qs;qs;qs;qs;qs;qs', 11, 55, 1200),
	('wl;__libc_start_call_main;main;phase1;qs;qs;qs;qs;qs;qs;qs;qs', 12, 58, 1145),
	('wl;__libc_start_call_main;main;phase1;qs;qs;qs;qs;qs;qs;qs;qs;qs', 13, 61, 1086),
	('wl;__libc_start_call_main;main;phase1;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs', 14, 68, 1025),
	('wl;__libc_start_call_main;main;phase1;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs', 15, 67, 957),
	('wl;__libc_start_call_main;main;phase1;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs', 16, 55, 890),
	('wl;__libc_start_call_main;main;phase1;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs', 17, 70, 835),
	('wl;__libc_start_call_main;main;phase1;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs', 18, 65, 765),
	('wl;__libc_start_call_main;main;phase1;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs', 19, 79, 700),
	('wl;__libc_start_call_main;main;phase1;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs', 20, 65, 621),
	('wl;__libc_start_call_main;main;phase1;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs', 21, 68, 556),
	('wl;__libc_start_call_main;main;phase1;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs', 22, 75, 488),
	('wl;__libc_start_call_main;main;phase1;hash', 5, 417, 419),
	('wl;__libc_start_call_main;main;phase1;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs', 23, 73, 413),
	('wl;__libc_start_call_main;main;phase1;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs', 24, 62, 340),
	('wl;__libc_start_call_main;main;phase1;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs', 25, 63, 278),
	('wl;__libc_start_call_main;main;phase1;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs', 26, 54, 215),
	('wl;__libc_start_call_main;main;phase1;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs', 27, 40, 161),
	('wl;__libc_start_call_main;main;phase1;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs', 28, 32, 121),
	('wl;__libc_start_call_main;main;phase1;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs', 29, 24, 89),
	('wl;__libc_start_call_main;main;phase1;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs', 30, 25, 65),
	('wl;__libc_start_call_main;main;phase1;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs', 31, 14, 40),
	('wl;__libc_start_call_main;main;phase1;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs', 32, 7, 26),
	('wl;[unknown]', 2, 0, 21),
	('wl;__libc_start_call_main;main;phase1;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs', 33, 7, 19),
	('wl;[unknown];read', 3, 4, 18),
	('wl;[unknown];read;entry_SYSCALL_64_after_hwframe_[k]', 4, 0, 14),
	('wl;[unknown];read;entry_SYSCALL_64_after_hwframe_[k];do_syscall_64_[k]', 5, 6, 14),
	('wl;__libc_start_call_main;main;phase1;fill', 5, 12, 12),
	('wl;__libc_start_call_main;main;phase1;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs;qs', 34, 3, 12))
SELECT count(*) AS golden, count(*) FILTER (WHERE n.depth = g.depth AND n.self = g.self AND n.total = g.total) AS found, count(*) FILTER (WHERE f ->> g.stack::stackpath = g.total AND f -> g.stack::stackpath = g.self) AS by_operator FROM wl_perf CROSS JOIN golden g LEFT JOIN LATERAL (SELECT * FROM nodes(f) m WHERE m.stack = g.stack::stackpath) n ON true;
-- the same by a naive computation over rows
SELECT count(*) AS frames, count(*) FILTER (WHERE frame_total(f, fr) <> wanted) AS wrong_total FROM wl_perf, LATERAL (SELECT fr, sum(value) AS wanted FROM stacks(f), LATERAL (SELECT DISTINCT fr FROM unnest(frames(stack)) fr) d GROUP BY fr) x;
SELECT split_by_root.frame, total(value) FROM wl_perf, split_by_root(f);

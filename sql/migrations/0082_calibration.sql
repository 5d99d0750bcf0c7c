-- 0082_calibration.sql - constants refitted. Written by `make calibrate`, not by hand.
--
-- Intervals between sources from 43 and 54 families of runs, and whole runs, 2026-11-29.
--
-- A row that somebody edited or removed in the database stays as it is, as it does when the seed is
-- applied; where there is no seed yet, it brings the same figures.

create temp table calibrated on commit drop as
select v.key, v.scope, v.low, v.value, v.high, v.source, v.source_date
from (values
    ('calendar_ratio', '', 1.225::numeric, 1.225::numeric, 1.587::numeric, 'median and 10th to 90th percentile of 29 published whole runs over their plans (sql/seed/measurement_whole_run.csv, sha256 9f62ec9fe47a), make calibrate', date '2026-11-29'),
    ('step_interval_factor', 'stated', 0.853::numeric, null::numeric, 1.530::numeric, '10% and 90% of measured over predicted of 43 families of dense runs on NVIDIA GPUs, each family weighing the same, with attention kernels, overlaps, compilation, optimizer and widths of gradients and weights taken as not stated: those of sql/seed/measurement_training.csv and tests/accuracy/unseen.csv', date '2026-11-29'),
    ('step_interval_factor', 'unstated', 0.808::numeric, null::numeric, 1.464::numeric, '10% and 90% of measured over predicted of 54 families of dense runs on NVIDIA GPUs, each family weighing the same, with their stack, attention kernels, overlaps, compilation, optimizer and widths of gradients and weights taken as not stated: those of sql/seed/measurement_training.csv and tests/accuracy/unseen.csv', date '2026-11-29')
) as v (key, scope, low, value, high, source, source_date)
    join assumption a on a.key = v.key and a.scope = v.scope
    join seed_row s on s.table_name = 'assumption' and s.content = to_jsonb(a)
        and s.key = jsonb_build_object('key', a.key, 'scope', a.scope);

update assumption a
set low = c.low, value = c.value, high = c.high, source = c.source, source_date = c.source_date,
    date_basis = 'collected'
from calibrated c
where a.key = c.key and a.scope = c.scope;

update seed_row s
set content = to_jsonb(a)
from assumption a join calibrated c on a.key = c.key and a.scope = c.scope
where s.table_name = 'assumption' and s.key = jsonb_build_object('key', a.key, 'scope', a.scope);

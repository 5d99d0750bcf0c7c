-- 0088_calibration.sql - intervals of TPUs and between sources, calendar ratio.
--
-- Constants of TPUs; intervals between sources with 62 sources in no fit, 2026-11-29. The assumptions ka and kz of scope tpu and the scope mixture
-- of step_interval_factor come with the seed.
--
-- A row that somebody edited or removed in the database stays as it is, as it does when the seed is
-- applied; where there is no seed yet, it brings the same figures.

create temp table calibrated on commit drop as
select v.key, v.scope, v.low, v.value, v.high, v.source, v.source_date
from (values
    ('calendar_ratio', '', 1.226::numeric, 1.226::numeric, 1.638::numeric, 'median and 10th to 90th percentile of 29 published whole runs over their plans (sql/seed/measurement_whole_run.csv, sha256 9f62ec9fe47a), make calibrate', date '2026-11-29'),
    ('step_interval_factor', 'tpu', 0.832::numeric, null::numeric, 1.263::numeric, 'low: 10% of measured over predicted of MaxText''s 16 runs on v4, v5e and v5p (https://github.com/AI-Hypercomputer/maxtext/tree/e591f30cb/src/maxtext/configs/tpu); those of Llama 3.1 on v6e, 11, and v7x, 4, are 0.87 to 1.17 (https://github.com/AI-Hypercomputer/tpu-recipes, training/trillium and training/ironwood); high: that of divided runs', date '2026-11-29'),
    ('step_interval_factor', 'stated', 0.853::numeric, null::numeric, 1.530::numeric, '10% and 90% of measured over predicted of 46 families of dense runs on NVIDIA GPUs, each family weighing the same, with attention kernels, overlaps, compilation, optimizer and widths of gradients and weights taken as not stated: those of sql/seed/measurement_training.csv and tests/accuracy/unseen.csv', date '2026-11-29'),
    ('step_interval_factor', 'unstated', 0.806::numeric, null::numeric, 1.430::numeric, '10% and 90% of measured over predicted of 58 families of dense runs on NVIDIA GPUs, each family weighing the same, with their stack, attention kernels, overlaps, compilation, optimizer and widths of gradients and weights taken as not stated: those of sql/seed/measurement_training.csv and tests/accuracy/unseen.csv', date '2026-11-29'),
    ('step_interval_factor', 'searched', 0.939::numeric, 1.231::numeric, 2.117::numeric, '10% and 90% of measured over predicted of 44 families of dense runs on NVIDIA GPUs, each family weighing the same, with attention kernels, overlaps, compilation, optimizer and widths of gradients and weights, how the work is divided, recomputation and, half of the times, their stack taken as not stated: those of sql/seed/measurement_training.csv and tests/accuracy/unseen.csv', date '2026-11-29'),
    ('step_interval_factor', 'searched_division', 0.910::numeric, 1.201::numeric, 2.027::numeric, '10% and 90% of measured over predicted of 39 families of dense runs on NVIDIA GPUs, each family weighing the same, with attention kernels, overlaps, compilation, optimizer and widths of gradients and weights, how the work is divided and, half of the times, their stack taken as not stated: those of sql/seed/measurement_training.csv and tests/accuracy/unseen.csv', date '2026-11-29'),
    ('step_interval_factor', 'searched_recompute', 0.861::numeric, 1.050::numeric, 1.658::numeric, '10% and 90% of measured over predicted of 45 families of dense runs on NVIDIA GPUs, each family weighing the same, with attention kernels, overlaps, compilation, optimizer and widths of gradients and weights, recomputation and, half of the times, their stack taken as not stated: those of sql/seed/measurement_training.csv and tests/accuracy/unseen.csv', date '2026-11-29')
) as v (key, scope, low, value, high, source, source_date)
    join assumption a on a.key = v.key and a.scope = v.scope
    join seed_row s on s.table_name = 'assumption' and s.content = to_jsonb(a)
        and s.key = jsonb_build_object('key', a.key, 'scope', a.scope);

update assumption a
set low = c.low, value = c.value, high = c.high, source = c.source, source_date = c.source_date,
    date_basis = 'collected'
from calibrated c
where a.key = c.key and a.scope = c.scope;

update assumption a
set note = v.note
from (values
    ('unstated', 'Made without a family, the interval holds 80% of its runs in the mean over families. Software of one''s own takes 0.8 to 1.9 times as long as the estimate in the median of a source.')
) as v (scope, note)
    join calibrated c on c.key = 'step_interval_factor' and c.scope = v.scope
where a.key = c.key and a.scope = c.scope;

update seed_row s
set content = to_jsonb(a)
from assumption a join calibrated c on a.key = c.key and a.scope = c.scope
where s.table_name = 'assumption' and s.key = jsonb_build_object('key', a.key, 'scope', a.scope);

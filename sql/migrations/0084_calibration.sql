-- 0084_calibration.sql - constants refitted, by `make calibrate`, and intervals between sources.
--
-- Training constants, intervals between sources and whole runs, 2026-11-29. The scopes searched,
-- searched_division and searched_recompute of step_interval_factor come with the seed.
--
-- A row that somebody edited or removed in the database stays as it is, as it does when the seed is
-- applied; where there is no seed yet, it brings the same figures.

create temp table calibrated on commit drop as
select v.key, v.scope, v.low, v.value, v.high, v.source, v.source_date
from (values
    ('eta1', '', 0.7303::numeric, 0.7416::numeric, 0.7553::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('eta8', '', 0.7052::numeric, 0.7321::numeric, 0.7596::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('cb', '', 2.071::numeric, 2.36::numeric, 2.503::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('ce', '', 0.8775::numeric, 0.9139::numeric, 1.004::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('cq', '', 1.262::numeric, 1.282::numeric, 1.343::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('ka', '', 0.818::numeric, 0.8256::numeric, 0.8697::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('kz', '', 0.4561::numeric, 0.4794::numeric, 0.5248::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('kg', '', 0.5814::numeric, 0.6073::numeric, 0.6463::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('am', '', 0.007::numeric, 0.01115::numeric, 0.01158::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('an', '', 0.007::numeric, 0.007212::numeric, 0.007234::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('af', '', 0.002::numeric, 0.002491::numeric, 0.002789::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('ts', '', 0.03213::numeric, 0.03457::numeric, 0.03589::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('cs', '', 0.4684::numeric, 0.5008::numeric, 0.5283::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('e_nv', '', 0.6705::numeric, 0.6749::numeric, 0.6883::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('xtp', '', 0.2929::numeric, 0.3155::numeric, 0.3373::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('atp', '', 4.735e-05::numeric, 5.544e-05::numeric, 5.607e-05::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('e_net', '', 0.7079::numeric, 0.7313::numeric, 0.7426::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('xdp', '', 0.1992::numeric, 0.245::numeric, 0.2586::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('x3', '', 0.2337::numeric, 0.2382::numeric, 0.2571::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('co', '', 1.514::numeric, 1.581::numeric, 1.605::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('xa', '', 0.5758::numeric, 0.5874::numeric, 0.6117::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('cw', '', 1::numeric, 1.01::numeric, 1.011::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('fg', '', 0.4972::numeric, 0.5244::numeric, 0.5296::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('kf', '', 0.6896::numeric, 0.6917::numeric, 0.7014::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('step_interval_factor', 'dense', 0.875::numeric, null::numeric, 1.130::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('step_interval_factor', 'divided', 0.874::numeric, null::numeric, 1.264::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('step_interval_factor', 'moe', 0.798::numeric, null::numeric, 1.252::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('kdp', '', 0.4431::numeric, 0.6139::numeric, 0.6794::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('xpp', '', 0.4859::numeric, 0.5378::numeric, 0.5648::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('al', '', 5.025e-06::numeric, 5.154e-06::numeric, 5.411e-06::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('sa', '', 617.6::numeric, 637.5::numeric, 697.9::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('gz', '', 0.5494::numeric, 0.5876::numeric, 0.5989::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('xts', '', 0.8953::numeric, 0.9407::numeric, 0.9512::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('xtq', '', 0.5991::numeric, 0.6007::numeric, 0.6047::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('calendar_ratio', '', 1.226::numeric, 1.226::numeric, 1.587::numeric, 'median and 10th to 90th percentile of 29 published whole runs over their plans (sql/seed/measurement_whole_run.csv, sha256 9f62ec9fe47a), make calibrate', date '2026-11-29'),
    ('cm', '', 1.961::numeric, 1.979::numeric, 2.02::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('step_interval_factor', 'stated', 0.853::numeric, null::numeric, 1.530::numeric, '10% and 90% of measured over predicted of 44 families of dense runs on NVIDIA GPUs, each family weighing the same, with attention kernels, overlaps, compilation, optimizer and widths of gradients and weights taken as not stated: those of sql/seed/measurement_training.csv and tests/accuracy/unseen.csv', date '2026-11-29'),
    ('step_interval_factor', 'unstated', 0.809::numeric, null::numeric, 1.464::numeric, '10% and 90% of measured over predicted of 56 families of dense runs on NVIDIA GPUs, each family weighing the same, with their stack, attention kernels, overlaps, compilation, optimizer and widths of gradients and weights taken as not stated: those of sql/seed/measurement_training.csv and tests/accuracy/unseen.csv', date '2026-11-29')
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
    ('stated', 'Made without a family, the interval holds 77% of its runs in the mean over families.'),
    ('unstated', 'Made without a family, the interval holds 79% of its runs in the mean over families. Software of one''s own takes 0.8 to 1.9 times as long as the estimate in the median of a source.')
) as v (scope, note)
    join calibrated c on c.key = 'step_interval_factor' and c.scope = v.scope
where a.key = c.key and a.scope = c.scope;

update seed_row s
set content = to_jsonb(a)
from assumption a join calibrated c on a.key = c.key and a.scope = c.scope
where s.table_name = 'assumption' and s.key = jsonb_build_object('key', a.key, 'scope', a.scope);

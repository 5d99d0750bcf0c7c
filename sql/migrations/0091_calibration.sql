-- 0091_calibration.sql - constants refitted. Written by `make calibrate`, not by hand.
--
-- Least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate; Median and 10th to 90th percentile of 29 published whole runs over their plans (sql/seed/measurement_whole_run.csv, sha256 9f62ec9fe47a), make calibrate, 2026-11-29.
--
-- A row that somebody edited or removed in the database stays as it is, as it does when the seed is
-- applied; where there is no seed yet, it brings the same figures.

create temp table calibrated on commit drop as
select v.key, v.scope, v.low, v.value, v.high, v.source, v.source_date
from (values
    ('eta1', '', 0.732::numeric, 0.7431::numeric, 0.7555::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('eta8', '', 0.7061::numeric, 0.7338::numeric, 0.7612::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('cb', '', 2.085::numeric, 2.376::numeric, 2.526::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('ce', '', 0.8768::numeric, 0.9135::numeric, 1.003::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('cq', '', 1.263::numeric, 1.28::numeric, 1.341::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('ka', '', 0.8184::numeric, 0.8259::numeric, 0.8703::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('ke', '', 1.013::numeric, 1.063::numeric, 1.071::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('kz', '', 0.4558::numeric, 0.4792::numeric, 0.5248::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('kg', '', 0.5819::numeric, 0.6076::numeric, 0.6465::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('am', '', 0.007::numeric, 0.01116::numeric, 0.01159::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('an', '', 0.007::numeric, 0.007213::numeric, 0.007235::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('ts', '', 0.03215::numeric, 0.03459::numeric, 0.03589::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('cs', '', 0.4681::numeric, 0.5004::numeric, 0.5284::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('e_nv', '', 0.6703::numeric, 0.6748::numeric, 0.6882::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('xtp', '', 0.2932::numeric, 0.3157::numeric, 0.3375::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('xts', '', 0.8953::numeric, 0.9409::numeric, 0.9515::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('xtq', '', 0.5992::numeric, 0.6008::numeric, 0.6048::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('atp', '', 4.742e-05::numeric, 5.553e-05::numeric, 5.619e-05::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('e_net', '', 0.7077::numeric, 0.7298::numeric, 0.7411::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('xdp', '', 0.1994::numeric, 0.2452::numeric, 0.2588::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('x3', '', 0.2351::numeric, 0.2416::numeric, 0.2566::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('co', '', 1.515::numeric, 1.582::numeric, 1.605::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('kdp', '', 0.4435::numeric, 0.6144::numeric, 0.68::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('xpp', '', 0.4865::numeric, 0.5386::numeric, 0.5646::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('al', '', 5.024e-06::numeric, 5.157e-06::numeric, 5.413e-06::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('sa', '', 616.8::numeric, 637.2::numeric, 697.8::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('cm', '', 1.957::numeric, 1.976::numeric, 2.015::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('gz', '', 0.549::numeric, 0.5876::numeric, 0.5992::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('cw', '', 1::numeric, 1.01::numeric, 1.01::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('fg', '', 0.4969::numeric, 0.5243::numeric, 0.5301::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('kf', '', 0.6895::numeric, 0.6916::numeric, 0.7014::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('xa', '', 0.574::numeric, 0.5856::numeric, 0.6108::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('step_interval_factor', 'dense', 0.875::numeric, null::numeric, 1.131::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('step_interval_factor', 'divided', 0.872::numeric, null::numeric, 1.265::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('step_interval_factor', 'moe', 0.792::numeric, null::numeric, 1.253::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('calendar_ratio', '', 1.227::numeric, 1.227::numeric, 1.636::numeric, 'median and 10th to 90th percentile of 29 published whole runs over their plans (sql/seed/measurement_whole_run.csv, sha256 9f62ec9fe47a), make calibrate', date '2026-11-29')
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

-- 0060_calibration.sql - constants refitted. Written by `make calibrate`, not by hand.
--
-- Least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 1d811d00f2db), make calibrate; Median and 10th to 90th percentile of 29 published whole runs over their plans (sql/seed/measurement_whole_run.csv, sha256 9811a7ef5ef6), make calibrate, 2026-11-27.
--
-- A row that somebody edited or removed in the database stays as it is, as it does when the seed is
-- applied; where there is no seed yet, it brings the same figures.

create temp table calibrated on commit drop as
select v.key, v.scope, v.low, v.value, v.high, v.source, v.source_date
from (values
    ('eta1', '', 0.7241::numeric, 0.7373::numeric, 0.7566::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 1d811d00f2db), make calibrate', date '2026-11-27'),
    ('eta8', '', 0.697::numeric, 0.7303::numeric, 0.7552::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 1d811d00f2db), make calibrate', date '2026-11-27'),
    ('cb', '', 2.013::numeric, 2.319::numeric, 2.529::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 1d811d00f2db), make calibrate', date '2026-11-27'),
    ('ce', '', 0.8674::numeric, 0.933::numeric, 1.031::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 1d811d00f2db), make calibrate', date '2026-11-27'),
    ('cq', '', 1.271::numeric, 1.297::numeric, 1.378::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 1d811d00f2db), make calibrate', date '2026-11-27'),
    ('ka', '', 0.8217::numeric, 0.8444::numeric, 0.8911::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 1d811d00f2db), make calibrate', date '2026-11-27'),
    ('ke', '', 0.999::numeric, 1.048::numeric, 1.069::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 1d811d00f2db), make calibrate', date '2026-11-27'),
    ('kz', '', 0.4513::numeric, 0.4736::numeric, 0.5077::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 1d811d00f2db), make calibrate', date '2026-11-27'),
    ('kg', '', 0.5958::numeric, 0.6214::numeric, 0.6544::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 1d811d00f2db), make calibrate', date '2026-11-27'),
    ('am', '', 0.007::numeric, 0.01104::numeric, 0.01147::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 1d811d00f2db), make calibrate', date '2026-11-27'),
    ('an', '', 0.007::numeric, 0.007169::numeric, 0.007178::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 1d811d00f2db), make calibrate', date '2026-11-27'),
    ('af', '', 0.002::numeric, 0.002482::numeric, 0.002779::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 1d811d00f2db), make calibrate', date '2026-11-27'),
    ('ts', '', 0.03173::numeric, 0.0344::numeric, 0.03592::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 1d811d00f2db), make calibrate', date '2026-11-27'),
    ('cs', '', 0.4668::numeric, 0.5056::numeric, 0.5373::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 1d811d00f2db), make calibrate', date '2026-11-27'),
    ('e_nv', '', 0.6718::numeric, 0.6751::numeric, 0.6848::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 1d811d00f2db), make calibrate', date '2026-11-27'),
    ('xtp', '', 0.2958::numeric, 0.3211::numeric, 0.3536::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 1d811d00f2db), make calibrate', date '2026-11-27'),
    ('xtq', '', 0.6036::numeric, 0.6434::numeric, 0.6488::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 1d811d00f2db), make calibrate', date '2026-11-27'),
    ('atp', '', 4.684e-05::numeric, 5.557e-05::numeric, 5.642e-05::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 1d811d00f2db), make calibrate', date '2026-11-27'),
    ('e_net', '', 0.6914::numeric, 0.7178::numeric, 0.7319::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 1d811d00f2db), make calibrate', date '2026-11-27'),
    ('xdp', '', 0.1973::numeric, 0.2596::numeric, 0.2781::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 1d811d00f2db), make calibrate', date '2026-11-27'),
    ('x3', '', 0.2278::numeric, 0.2337::numeric, 0.2542::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 1d811d00f2db), make calibrate', date '2026-11-27'),
    ('co', '', 1.511::numeric, 1.577::numeric, 1.612::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 1d811d00f2db), make calibrate', date '2026-11-27'),
    ('kdp', '', 0.4436::numeric, 0.6098::numeric, 0.6763::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 1d811d00f2db), make calibrate', date '2026-11-27'),
    ('xpp', '', 0.4811::numeric, 0.5445::numeric, 0.5748::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 1d811d00f2db), make calibrate', date '2026-11-27'),
    ('al', '', 5.122e-06::numeric, 5.254e-06::numeric, 5.504e-06::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 1d811d00f2db), make calibrate', date '2026-11-27'),
    ('sa', '', 582.1::numeric, 606.2::numeric, 683.3::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 1d811d00f2db), make calibrate', date '2026-11-27'),
    ('cm', '', 1.944::numeric, 1.966::numeric, 2.008::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 1d811d00f2db), make calibrate', date '2026-11-27'),
    ('gz', '', 0.5721::numeric, 0.6155::numeric, 0.6175::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 1d811d00f2db), make calibrate', date '2026-11-27'),
    ('cw', '', 1::numeric, 1.008::numeric, 1.009::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 1d811d00f2db), make calibrate', date '2026-11-27'),
    ('fg', '', 0.4953::numeric, 0.5205::numeric, 0.5258::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 1d811d00f2db), make calibrate', date '2026-11-27'),
    ('kf', '', 0.6909::numeric, 0.6932::numeric, 0.7023::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 1d811d00f2db), make calibrate', date '2026-11-27'),
    ('xa', '', 0.5695::numeric, 0.5838::numeric, 0.6088::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 1d811d00f2db), make calibrate', date '2026-11-27'),
    ('step_interval_factor', 'dense', 0.875::numeric, null::numeric, 1.132::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 1d811d00f2db), make calibrate', date '2026-11-27'),
    ('step_interval_factor', 'divided', 0.875::numeric, null::numeric, 1.259::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 1d811d00f2db), make calibrate', date '2026-11-27'),
    ('step_interval_factor', 'moe', 0.793::numeric, null::numeric, 1.262::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 1d811d00f2db), make calibrate', date '2026-11-27'),
    ('calendar_ratio', '', 1.101::numeric, 1.250::numeric, 1.829::numeric, 'median and 10th to 90th percentile of 29 published whole runs over their plans (sql/seed/measurement_whole_run.csv, sha256 9811a7ef5ef6), make calibrate', date '2026-11-27')
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

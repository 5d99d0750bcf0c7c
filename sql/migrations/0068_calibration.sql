-- 0068_calibration.sql - constants refitted. Written by `make calibrate`, not by hand.
--
-- Least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 1d811d00f2db), make calibrate; Median and 10th to 90th percentile of 29 published whole runs over their plans (sql/seed/measurement_whole_run.csv, sha256 9f62ec9fe47a), make calibrate, 2026-11-28.
--
-- A row that somebody edited or removed in the database stays as it is, as it does when the seed is
-- applied; where there is no seed yet, it brings the same figures.

create temp table calibrated on commit drop as
select v.key, v.scope, v.low, v.value, v.high, v.source, v.source_date
from (values
    ('eta1', '', 0.7246::numeric, 0.7378::numeric, 0.7572::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 1d811d00f2db), make calibrate', date '2026-11-28'),
    ('eta8', '', 0.6969::numeric, 0.7303::numeric, 0.7552::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 1d811d00f2db), make calibrate', date '2026-11-28'),
    ('cb', '', 2.013::numeric, 2.318::numeric, 2.528::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 1d811d00f2db), make calibrate', date '2026-11-28'),
    ('ce', '', 0.8676::numeric, 0.9336::numeric, 1.032::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 1d811d00f2db), make calibrate', date '2026-11-28'),
    ('ka', '', 0.822::numeric, 0.8447::numeric, 0.8915::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 1d811d00f2db), make calibrate', date '2026-11-28'),
    ('ke', '', 0.9994::numeric, 1.048::numeric, 1.069::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 1d811d00f2db), make calibrate', date '2026-11-28'),
    ('kz', '', 0.4509::numeric, 0.4732::numeric, 0.507::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 1d811d00f2db), make calibrate', date '2026-11-28'),
    ('kg', '', 0.5956::numeric, 0.6212::numeric, 0.6542::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 1d811d00f2db), make calibrate', date '2026-11-28'),
    ('an', '', 0.007::numeric, 0.00717::numeric, 0.007178::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 1d811d00f2db), make calibrate', date '2026-11-28'),
    ('ts', '', 0.03173::numeric, 0.03441::numeric, 0.03593::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 1d811d00f2db), make calibrate', date '2026-11-28'),
    ('cs', '', 0.4655::numeric, 0.5044::numeric, 0.5357::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 1d811d00f2db), make calibrate', date '2026-11-28'),
    ('e_nv', '', 0.6716::numeric, 0.6749::numeric, 0.6847::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 1d811d00f2db), make calibrate', date '2026-11-28'),
    ('xtp', '', 0.2961::numeric, 0.3214::numeric, 0.3539::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 1d811d00f2db), make calibrate', date '2026-11-28'),
    ('xtq', '', 0.6038::numeric, 0.6437::numeric, 0.649::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 1d811d00f2db), make calibrate', date '2026-11-28'),
    ('atp', '', 4.689e-05::numeric, 5.566e-05::numeric, 5.651e-05::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 1d811d00f2db), make calibrate', date '2026-11-28'),
    ('e_net', '', 0.6938::numeric, 0.7203::numeric, 0.7344::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 1d811d00f2db), make calibrate', date '2026-11-28'),
    ('xdp', '', 0.1976::numeric, 0.26::numeric, 0.2786::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 1d811d00f2db), make calibrate', date '2026-11-28'),
    ('x3', '', 0.2283::numeric, 0.2343::numeric, 0.2547::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 1d811d00f2db), make calibrate', date '2026-11-28'),
    ('co', '', 1.512::numeric, 1.578::numeric, 1.614::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 1d811d00f2db), make calibrate', date '2026-11-28'),
    ('kdp', '', 0.4426::numeric, 0.6087::numeric, 0.6756::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 1d811d00f2db), make calibrate', date '2026-11-28'),
    ('xpp', '', 0.4815::numeric, 0.5448::numeric, 0.5748::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 1d811d00f2db), make calibrate', date '2026-11-28'),
    ('al', '', 5.124e-06::numeric, 5.257e-06::numeric, 5.51e-06::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 1d811d00f2db), make calibrate', date '2026-11-28'),
    ('sa', '', 582.2::numeric, 606.3::numeric, 683::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 1d811d00f2db), make calibrate', date '2026-11-28'),
    ('fg', '', 0.4953::numeric, 0.5204::numeric, 0.5258::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 1d811d00f2db), make calibrate', date '2026-11-28'),
    ('step_interval_factor', 'divided', 0.876::numeric, null::numeric, 1.260::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 1d811d00f2db), make calibrate', date '2026-11-28'),
    ('calendar_ratio', '', 1.250::numeric, 1.250::numeric, 1.573::numeric, 'median and 10th to 90th percentile of 29 published whole runs over their plans (sql/seed/measurement_whole_run.csv, sha256 9f62ec9fe47a), make calibrate', date '2026-11-28')
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

-- 0047_calibration.sql - constants refitted. Written by `make calibrate`, not by hand.
--
-- Least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate; Median and 10th to 90th percentile of 29 published whole runs over their plans (sql/seed/measurement_whole_run.csv, sha256 4c4b41531541), make calibrate, 2026-11-27.
--
-- A row that somebody edited or removed in the database stays as it is, as it does when the seed is
-- applied; where there is no seed yet, it brings the same figures.

create temp table calibrated on commit drop as
select v.key, v.scope, v.low, v.value, v.high, v.source, v.source_date
from (values
    ('eta1', '', 0.7158::numeric, 0.728::numeric, 0.746::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('eta8', '', 0.69::numeric, 0.7251::numeric, 0.7545::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('cb', '', 1.853::numeric, 2.135::numeric, 2.302::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('ce', '', 0.827::numeric, 0.905::numeric, 1.004::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('cq', '', 1.262::numeric, 1.286::numeric, 1.348::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('ka', '', 0.6426::numeric, 0.6733::numeric, 0.7103::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('ga', '', 0.6855::numeric, 0.6878::numeric, 0.6972::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('kz', '', 0.4459::numeric, 0.4523::numeric, 0.5315::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('kg', '', 0.5817::numeric, 0.6096::numeric, 0.6631::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('am', '', 0.007::numeric, 0.01112::numeric, 0.01159::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('an', '', 0.007::numeric, 0.007167::numeric, 0.007176::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('af', '', 0.002::numeric, 0.002529::numeric, 0.002726::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('ts', '', 0.0313::numeric, 0.03395::numeric, 0.03598::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('cs', '', 0.4661::numeric, 0.4987::numeric, 0.53::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('e_nv', '', 0.668::numeric, 0.6714::numeric, 0.6809::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('xtp', '', 0.2941::numeric, 0.3221::numeric, 0.3565::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('xtq', '', 0.6049::numeric, 0.6442::numeric, 0.6491::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('atp', '', 4.779e-05::numeric, 5.704e-05::numeric, 5.814e-05::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('e_net', '', 0.6878::numeric, 0.7133::numeric, 0.7285::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('xdp', '', 0.1968::numeric, 0.2646::numeric, 0.2847::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('x3', '', 0.2231::numeric, 0.2287::numeric, 0.2424::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('co', '', 1.513::numeric, 1.57::numeric, 1.608::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('kdp', '', 0.4412::numeric, 0.6015::numeric, 0.6704::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('xpp', '', 0.4839::numeric, 0.5524::numeric, 0.592::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('al', '', 5.171e-06::numeric, 5.308e-06::numeric, 5.486e-06::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('sa', '', 559.9::numeric, 577.8::numeric, 654::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('hd', '', 0.3701::numeric, 0.3762::numeric, 0.3884::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('cm', '', 1.931::numeric, 1.958::numeric, 2::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('gz', '', 0.4689::numeric, 0.4745::numeric, 0.5076::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('cw', '', 1::numeric, 1.005::numeric, 1.007::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('fg', '', 0.4902::numeric, 0.5258::numeric, 0.5362::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('kf', '', 0.683::numeric, 0.6857::numeric, 0.7045::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('xa', '', 0.5641::numeric, 0.5811::numeric, 0.6091::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('step_interval_factor', 'dense', 0.868::numeric, null::numeric, 1.244::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('step_interval_factor', 'moe', 0.797::numeric, null::numeric, 1.336::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('calendar_ratio', '', 1.158::numeric, 1.362::numeric, 2.054::numeric, 'median and 10th to 90th percentile of 29 published whole runs over their plans (sql/seed/measurement_whole_run.csv, sha256 4c4b41531541), make calibrate', date '2026-11-27')
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

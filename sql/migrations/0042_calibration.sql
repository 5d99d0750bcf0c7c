-- 0042_calibration.sql - constants refitted. Written by `make calibrate`, not by hand.
--
-- Least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate; Median and shortest 80 % interval of 29 published whole runs over their plans (sql/seed/measurement_whole_run.csv, sha256 4c4b41531541), make calibrate, 2026-11-27.
--
-- A row that somebody edited or removed in the database stays as it is, as it does when the seed is
-- applied; where there is no seed yet, it brings the same figures.

create temp table calibrated on commit drop as
select v.key, v.scope, v.low, v.value, v.high, v.source, v.source_date
from (values
    ('eta1', '', 0.7253::numeric, 0.7351::numeric, 0.7541::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('eta8', '', 0.7222::numeric, 0.7504::numeric, 0.7747::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('cb', '', 1.746::numeric, 1.937::numeric, 2.108::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('ce', '', 0.8261::numeric, 0.9082::numeric, 1.002::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('cq', '', 1.251::numeric, 1.272::numeric, 1.31::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('ka', '', 0.6381::numeric, 0.6622::numeric, 0.6967::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('ga', '', 0.6869::numeric, 0.689::numeric, 0.6981::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('kz', '', 0.4404::numeric, 0.4527::numeric, 0.5281::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('kg', '', 0.553::numeric, 0.5828::numeric, 0.6582::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('am', '', 0.007::numeric, 0.01111::numeric, 0.01158::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('an', '', 0.007::numeric, 0.007166::numeric, 0.007175::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('af', '', 0.002::numeric, 0.002531::numeric, 0.002726::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('ts', '', 0.03135::numeric, 0.03382::numeric, 0.0358::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('cs', '', 0.4669::numeric, 0.4959::numeric, 0.5267::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('e_nv', '', 0.6718::numeric, 0.6749::numeric, 0.6847::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('xtp', '', 0.2806::numeric, 0.2995::numeric, 0.3306::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('xtq', '', 0.6033::numeric, 0.6426::numeric, 0.6491::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('atp', '', 4.521e-05::numeric, 5.181e-05::numeric, 5.257e-05::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('e_net', '', 0.6921::numeric, 0.7156::numeric, 0.7274::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('xdp', '', 0.1951::numeric, 0.2464::numeric, 0.2624::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('x3', '', 0.2237::numeric, 0.2299::numeric, 0.2447::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('co', '', 1.51::numeric, 1.566::numeric, 1.607::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('kdp', '', 0.4421::numeric, 0.5922::numeric, 0.661::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('xpp', '', 0.4695::numeric, 0.5186::numeric, 0.5557::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('al', '', 5.139e-06::numeric, 5.261e-06::numeric, 5.501e-06::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('sa', '', 575::numeric, 596.8::numeric, 667.9::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('hd', '', 0.3698::numeric, 0.3783::numeric, 0.3917::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('cm', '', 1.946::numeric, 1.989::numeric, 2.028::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('gz', '', 0.471::numeric, 0.4764::numeric, 0.5066::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('cw', '', 0.984::numeric, 1.105::numeric, 1.174::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('fg', '', 0.493::numeric, 0.5277::numeric, 0.5377::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('kf', '', 0.6746::numeric, 0.6772::numeric, 0.7032::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('xa', '', 0.5697::numeric, 0.5865::numeric, 0.6173::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('step_interval_factor', 'dense', 0.867::numeric, null::numeric, 1.220::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('step_interval_factor', 'moe', 0.799::numeric, null::numeric, 1.418::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('calendar_ratio', '', 1.163::numeric, 1.370::numeric, 1.704::numeric, 'median and shortest 80 % interval of 29 published whole runs over their plans (sql/seed/measurement_whole_run.csv, sha256 4c4b41531541), make calibrate', date '2026-11-27')
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

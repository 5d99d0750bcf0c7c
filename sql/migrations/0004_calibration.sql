-- 0004_calibration.sql - training constants refitted. Written by `make calibrate`, not by hand.
--
-- Least squares on 451 published runs of 26 sources (tests/accuracy/training.csv, sha256 39e5ad855b4d), make calibrate, 2026-11-21.
--
-- A row that somebody edited or removed in the database stays as it is, as it does when the seed is
-- applied; where there is no seed yet, it brings the same figures.

create temp table calibrated on commit drop as
select v.key, v.scope, v.low, v.value, v.high, v.source, v.source_date
from (values
    ('eta1', '', 0.729::numeric, 0.7381::numeric, 0.7517::numeric, 'least squares on 451 published runs of 26 sources (tests/accuracy/training.csv, sha256 39e5ad855b4d), make calibrate', date '2026-11-21'),
    ('eta8', '', 0.7452::numeric, 0.7485::numeric, 0.7669::numeric, 'least squares on 451 published runs of 26 sources (tests/accuracy/training.csv, sha256 39e5ad855b4d), make calibrate', date '2026-11-21'),
    ('cb', '', 2.092::numeric, 2.242::numeric, 2.368::numeric, 'least squares on 451 published runs of 26 sources (tests/accuracy/training.csv, sha256 39e5ad855b4d), make calibrate', date '2026-11-21'),
    ('ce', '', 0.908::numeric, 0.9233::numeric, 1.006::numeric, 'least squares on 451 published runs of 26 sources (tests/accuracy/training.csv, sha256 39e5ad855b4d), make calibrate', date '2026-11-21'),
    ('cq', '', 1.294::numeric, 1.307::numeric, 1.324::numeric, 'least squares on 451 published runs of 26 sources (tests/accuracy/training.csv, sha256 39e5ad855b4d), make calibrate', date '2026-11-21'),
    ('ka', '', 0.6116::numeric, 0.6229::numeric, 0.6435::numeric, 'least squares on 451 published runs of 26 sources (tests/accuracy/training.csv, sha256 39e5ad855b4d), make calibrate', date '2026-11-21'),
    ('ga', '', 0.3036::numeric, 0.3068::numeric, 0.3121::numeric, 'least squares on 451 published runs of 26 sources (tests/accuracy/training.csv, sha256 39e5ad855b4d), make calibrate', date '2026-11-21'),
    ('kz', '', 0.4333::numeric, 0.4444::numeric, 0.466::numeric, 'least squares on 451 published runs of 26 sources (tests/accuracy/training.csv, sha256 39e5ad855b4d), make calibrate', date '2026-11-21'),
    ('kg', '', 0.5849::numeric, 0.5852::numeric, 0.6::numeric, 'least squares on 451 published runs of 26 sources (tests/accuracy/training.csv, sha256 39e5ad855b4d), make calibrate', date '2026-11-21'),
    ('am', '', 0.007::numeric, 0.007525::numeric, 0.00753::numeric, 'least squares on 451 published runs of 26 sources (tests/accuracy/training.csv, sha256 39e5ad855b4d), make calibrate', date '2026-11-21'),
    ('cs', '', 0.4988::numeric, 0.5198::numeric, 0.5264::numeric, 'least squares on 451 published runs of 26 sources (tests/accuracy/training.csv, sha256 39e5ad855b4d), make calibrate', date '2026-11-21'),
    ('e_nv', '', 0.692::numeric, 0.6943::numeric, 0.6992::numeric, 'least squares on 451 published runs of 26 sources (tests/accuracy/training.csv, sha256 39e5ad855b4d), make calibrate', date '2026-11-21'),
    ('xtp', '', 0.2956::numeric, 0.3041::numeric, 0.3165::numeric, 'least squares on 451 published runs of 26 sources (tests/accuracy/training.csv, sha256 39e5ad855b4d), make calibrate', date '2026-11-21'),
    ('atp', '', 4.099e-05::numeric, 4.411e-05::numeric, 4.439e-05::numeric, 'least squares on 451 published runs of 26 sources (tests/accuracy/training.csv, sha256 39e5ad855b4d), make calibrate', date '2026-11-21'),
    ('e_net', '', 0.7226::numeric, 0.7278::numeric, 0.7412::numeric, 'least squares on 451 published runs of 26 sources (tests/accuracy/training.csv, sha256 39e5ad855b4d), make calibrate', date '2026-11-21'),
    ('xdp', '', 0.2104::numeric, 0.2175::numeric, 0.2197::numeric, 'least squares on 451 published runs of 26 sources (tests/accuracy/training.csv, sha256 39e5ad855b4d), make calibrate', date '2026-11-21'),
    ('x3', '', 0.2454::numeric, 0.2478::numeric, 0.2518::numeric, 'least squares on 451 published runs of 26 sources (tests/accuracy/training.csv, sha256 39e5ad855b4d), make calibrate', date '2026-11-21'),
    ('co', '', 1.516::numeric, 1.539::numeric, 1.545::numeric, 'least squares on 451 published runs of 26 sources (tests/accuracy/training.csv, sha256 39e5ad855b4d), make calibrate', date '2026-11-21'),
    ('xa', '', 0.6::numeric, 0.6249::numeric, 0.6261::numeric, 'least squares on 451 published runs of 26 sources (tests/accuracy/training.csv, sha256 39e5ad855b4d), make calibrate', date '2026-11-21'),
    ('step_interval_factor', 'dense', 0.879::numeric, null::numeric, 1.203::numeric, 'least squares on 451 published runs of 26 sources (tests/accuracy/training.csv, sha256 39e5ad855b4d), make calibrate', date '2026-11-21'),
    ('step_interval_factor', 'moe', 0.542::numeric, null::numeric, 1.564::numeric, 'least squares on 451 published runs of 26 sources (tests/accuracy/training.csv, sha256 39e5ad855b4d), make calibrate', date '2026-11-21')
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

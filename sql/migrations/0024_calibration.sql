-- 0024_calibration.sql - constants refitted. Written by `make calibrate`, not by hand.
--
-- Least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate; Median and shortest 80 % interval of 26 published whole runs over their plans (sql/seed/measurement_whole_run.csv, sha256 74dfd32072d6), make calibrate, 2026-11-23.
--
-- A row that somebody edited or removed in the database stays as it is, as it does when the seed is
-- applied; where there is no seed yet, it brings the same figures.

create temp table calibrated on commit drop as
select v.key, v.scope, v.low, v.value, v.high, v.source, v.source_date
from (values
    ('eta1', '', 0.7088::numeric, 0.7224::numeric, 0.7395::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('eta8', '', 0.6892::numeric, 0.7255::numeric, 0.7538::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('cb', '', 1.943::numeric, 2.261::numeric, 2.465::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('ce', '', 0.8034::numeric, 0.8791::numeric, 0.971::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('cq', '', 1.22::numeric, 1.241::numeric, 1.348::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('ka', '', 0.6383::numeric, 0.6697::numeric, 0.7052::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('ga', '', 0.6851::numeric, 0.6877::numeric, 0.6967::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('kz', '', 0.4456::numeric, 0.4505::numeric, 0.5272::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('kg', '', 0.5686::numeric, 0.5943::numeric, 0.6739::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('am', '', 0.007::numeric, 0.01184::numeric, 0.01337::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('cs', '', 0.4674::numeric, 0.5063::numeric, 0.5401::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('e_nv', '', 0.6673::numeric, 0.6708::numeric, 0.6797::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('xtp', '', 0.2933::numeric, 0.3215::numeric, 0.359::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('xtq', '', 0.6031::numeric, 0.6404::numeric, 0.6468::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('atp', '', 4.781e-05::numeric, 5.984e-05::numeric, 6.131e-05::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('e_net', '', 0.6815::numeric, 0.7091::numeric, 0.7253::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('xdp', '', 0.2024::numeric, 0.2873::numeric, 0.3109::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('x3', '', 0.2206::numeric, 0.2265::numeric, 0.2408::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('co', '', 1.548::numeric, 1.696::numeric, 1.747::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('kdp', '', 0.4193::numeric, 0.5936::numeric, 0.6557::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('xpp', '', 0.477::numeric, 0.5443::numeric, 0.5908::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('al', '', 5.221e-06::numeric, 5.389e-06::numeric, 5.593e-06::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('sa', '', 572.1::numeric, 595.8::numeric, 664.4::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('hd', '', 0.3716::numeric, 0.3757::numeric, 0.3864::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('cm', '', 1.868::numeric, 1.886::numeric, 2::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('gz', '', 0.4724::numeric, 0.4784::numeric, 0.5088::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('xa', '', 0.5469::numeric, 0.5633::numeric, 0.6::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('step_interval_factor', 'dense', 0.867::numeric, null::numeric, 1.245::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('step_interval_factor', 'moe', 0.668::numeric, null::numeric, 1.727::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('calendar_ratio', '', 0.982::numeric, 1.345::numeric, 1.649::numeric, 'median and shortest 80 % interval of 26 published whole runs over their plans (sql/seed/measurement_whole_run.csv, sha256 74dfd32072d6), make calibrate', date '2026-11-23')
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

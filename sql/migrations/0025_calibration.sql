-- 0025_calibration.sql - constants refitted. Written by `make calibrate`, not by hand.
--
-- Least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate; Median and shortest 80 % interval of 26 published whole runs over their plans (sql/seed/measurement_whole_run.csv, sha256 74dfd32072d6), make calibrate, 2026-11-23.
--
-- A row that somebody edited or removed in the database stays as it is, as it does when the seed is
-- applied; where there is no seed yet, it brings the same figures.

create temp table calibrated on commit drop as
select v.key, v.scope, v.low, v.value, v.high, v.source, v.source_date
from (values
    ('eta1', '', 0.712::numeric, 0.7247::numeric, 0.7424::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('eta8', '', 0.6896::numeric, 0.7269::numeric, 0.7554::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('cb', '', 1.869::numeric, 2.16::numeric, 2.332::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('ce', '', 0.8029::numeric, 0.8829::numeric, 0.9689::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('cq', '', 1.225::numeric, 1.246::numeric, 1.349::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('ka', '', 0.6429::numeric, 0.6737::numeric, 0.7111::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('ga', '', 0.6853::numeric, 0.6874::numeric, 0.697::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('kz', '', 0.4468::numeric, 0.4531::numeric, 0.5325::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('kg', '', 0.5649::numeric, 0.594::numeric, 0.6731::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('am', '', 0.007::numeric, 0.01115::numeric, 0.01161::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('an', '', 0.006838::numeric, 0.006867::numeric, 0.007::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('af', '', 0.002::numeric, 0.002525::numeric, 0.002727::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('ts', '', 0.03134::numeric, 0.03391::numeric, 0.03588::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('cs', '', 0.4678::numeric, 0.4998::numeric, 0.5315::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('e_nv', '', 0.6679::numeric, 0.6714::numeric, 0.6805::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('xtp', '', 0.2969::numeric, 0.3251::numeric, 0.3614::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('xtq', '', 0.6047::numeric, 0.6432::numeric, 0.6482::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('atp', '', 4.818e-05::numeric, 5.703e-05::numeric, 5.843e-05::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('e_net', '', 0.685::numeric, 0.7105::numeric, 0.7258::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('xdp', '', 0.197::numeric, 0.2655::numeric, 0.2867::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('x3', '', 0.2215::numeric, 0.227::numeric, 0.2409::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('co', '', 1.512::numeric, 1.568::numeric, 1.606::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('kdp', '', 0.439::numeric, 0.5954::numeric, 0.66::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('xpp', '', 0.4833::numeric, 0.5526::numeric, 0.5917::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('al', '', 5.176e-06::numeric, 5.311e-06::numeric, 5.482e-06::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('sa', '', 556.9::numeric, 575.1::numeric, 653::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('hd', '', 0.3703::numeric, 0.3751::numeric, 0.3867::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('cm', '', 1.875::numeric, 1.892::numeric, 2::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('gz', '', 0.4699::numeric, 0.4755::numeric, 0.5078::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('xa', '', 0.5495::numeric, 0.5651::numeric, 0.6::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('step_interval_factor', 'dense', 0.867::numeric, null::numeric, 1.242::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('step_interval_factor', 'moe', 0.728::numeric, null::numeric, 1.370::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('calendar_ratio', '', 0.993::numeric, 1.310::numeric, 1.685::numeric, 'median and shortest 80 % interval of 26 published whole runs over their plans (sql/seed/measurement_whole_run.csv, sha256 74dfd32072d6), make calibrate', date '2026-11-23')
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

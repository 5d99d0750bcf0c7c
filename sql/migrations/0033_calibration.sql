-- 0033_calibration.sql - constants refitted. Written by `make calibrate`, not by hand.
--
-- Least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate; Median and shortest 80 % interval of 26 published whole runs over their plans (sql/seed/measurement_whole_run.csv, sha256 de1a4744fa81), make calibrate, 2026-11-23.
--
-- A row that somebody edited or removed in the database stays as it is, as it does when the seed is
-- applied; where there is no seed yet, it brings the same figures.

create temp table calibrated on commit drop as
select v.key, v.scope, v.low, v.value, v.high, v.source, v.source_date
from (values
    ('eta1', '', 0.7134::numeric, 0.7262::numeric, 0.7415::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('eta8', '', 0.69::numeric, 0.7271::numeric, 0.7555::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('cb', '', 1.874::numeric, 2.166::numeric, 2.333::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('ce', '', 0.8014::numeric, 0.8739::numeric, 0.9535::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('cq', '', 1.226::numeric, 1.247::numeric, 1.348::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('ka', '', 0.6423::numeric, 0.6731::numeric, 0.7101::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('ga', '', 0.6853::numeric, 0.6875::numeric, 0.697::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('kz', '', 0.446::numeric, 0.4524::numeric, 0.5311::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('kg', '', 0.5641::numeric, 0.593::numeric, 0.6722::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('am', '', 0.007::numeric, 0.01115::numeric, 0.0116::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('an', '', 0.006838::numeric, 0.006865::numeric, 0.007::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('af', '', 0.002::numeric, 0.002529::numeric, 0.002728::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('ts', '', 0.03118::numeric, 0.03376::numeric, 0.03571::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('cs', '', 0.4654::numeric, 0.4979::numeric, 0.529::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('e_nv', '', 0.6674::numeric, 0.6709::numeric, 0.6807::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('xtp', '', 0.297::numeric, 0.3252::numeric, 0.3619::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('xtq', '', 0.6048::numeric, 0.6444::numeric, 0.649::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('atp', '', 4.823e-05::numeric, 5.712e-05::numeric, 5.87e-05::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('e_net', '', 0.684::numeric, 0.7096::numeric, 0.7247::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('xdp', '', 0.1974::numeric, 0.2662::numeric, 0.2879::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('x3', '', 0.2221::numeric, 0.2278::numeric, 0.2417::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('co', '', 1.515::numeric, 1.571::numeric, 1.608::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('kdp', '', 0.4327::numeric, 0.595::numeric, 0.6592::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('xpp', '', 0.4836::numeric, 0.5528::numeric, 0.5921::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('al', '', 5.184e-06::numeric, 5.315e-06::numeric, 5.585e-06::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('sa', '', 557.2::numeric, 574.6::numeric, 651.3::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('hd', '', 0.3702::numeric, 0.3751::numeric, 0.3869::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('cm', '', 1.879::numeric, 1.894::numeric, 2::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('gz', '', 0.4697::numeric, 0.4753::numeric, 0.5077::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('xa', '', 0.5499::numeric, 0.5656::numeric, 0.6::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('step_interval_factor', 'moe', 0.729::numeric, null::numeric, 1.371::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 2c353e92856c), make calibrate', date '2026-11-23'),
    ('calendar_ratio', '', 0.990::numeric, 1.376::numeric, 1.685::numeric, 'median and shortest 80 % interval of 26 published whole runs over their plans (sql/seed/measurement_whole_run.csv, sha256 de1a4744fa81), make calibrate', date '2026-11-23')
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

-- 0049_calibration.sql - constants refitted. Written by `make calibrate`, not by hand.
--
-- Least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 313a162bef81), make calibrate; Median and 10th to 90th percentile of 29 published whole runs over their plans (sql/seed/measurement_whole_run.csv, sha256 4c4b41531541), make calibrate, 2026-11-27.
--
-- A row that somebody edited or removed in the database stays as it is, as it does when the seed is
-- applied; where there is no seed yet, it brings the same figures.

create temp table calibrated on commit drop as
select v.key, v.scope, v.low, v.value, v.high, v.source, v.source_date
from (values
    ('eta1', '', 0.7257::numeric, 0.7389::numeric, 0.7579::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 313a162bef81), make calibrate', date '2026-11-27'),
    ('eta8', '', 0.6966::numeric, 0.7335::numeric, 0.7598::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 313a162bef81), make calibrate', date '2026-11-27'),
    ('cb', '', 2.006::numeric, 2.318::numeric, 2.531::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 313a162bef81), make calibrate', date '2026-11-27'),
    ('ce', '', 0.8452::numeric, 0.9118::numeric, 1.019::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 313a162bef81), make calibrate', date '2026-11-27'),
    ('cq', '', 1.28::numeric, 1.308::numeric, 1.379::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 313a162bef81), make calibrate', date '2026-11-27'),
    ('ka', '', 0.7779::numeric, 0.8079::numeric, 0.8909::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 313a162bef81), make calibrate', date '2026-11-27'),
    ('kz', '', 0.4507::numeric, 0.4917::numeric, 0.5128::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 313a162bef81), make calibrate', date '2026-11-27'),
    ('kg', '', 0.5907::numeric, 0.617::numeric, 0.6558::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 313a162bef81), make calibrate', date '2026-11-27'),
    ('am', '', 0.007::numeric, 0.01112::numeric, 0.01158::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 313a162bef81), make calibrate', date '2026-11-27'),
    ('an', '', 0.007::numeric, 0.007167::numeric, 0.007176::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 313a162bef81), make calibrate', date '2026-11-27'),
    ('af', '', 0.002::numeric, 0.002526::numeric, 0.00283::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 313a162bef81), make calibrate', date '2026-11-27'),
    ('ts', '', 0.03187::numeric, 0.03459::numeric, 0.03612::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 313a162bef81), make calibrate', date '2026-11-27'),
    ('cs', '', 0.4681::numeric, 0.5086::numeric, 0.5401::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 313a162bef81), make calibrate', date '2026-11-27'),
    ('e_nv', '', 0.6669::numeric, 0.6703::numeric, 0.68::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 313a162bef81), make calibrate', date '2026-11-27'),
    ('xtp', '', 0.2977::numeric, 0.3232::numeric, 0.3568::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 313a162bef81), make calibrate', date '2026-11-27'),
    ('atp', '', 4.679e-05::numeric, 5.543e-05::numeric, 5.628e-05::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 313a162bef81), make calibrate', date '2026-11-27'),
    ('e_net', '', 0.6896::numeric, 0.7151::numeric, 0.7291::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 313a162bef81), make calibrate', date '2026-11-27'),
    ('xdp', '', 0.1968::numeric, 0.2593::numeric, 0.2777::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 313a162bef81), make calibrate', date '2026-11-27'),
    ('x3', '', 0.2235::numeric, 0.2293::numeric, 0.248::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 313a162bef81), make calibrate', date '2026-11-27'),
    ('co', '', 1.504::numeric, 1.559::numeric, 1.592::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 313a162bef81), make calibrate', date '2026-11-27'),
    ('xa', '', 0.5682::numeric, 0.5821::numeric, 0.6088::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 313a162bef81), make calibrate', date '2026-11-27'),
    ('cw', '', 1::numeric, 1.008::numeric, 1.01::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 313a162bef81), make calibrate', date '2026-11-27'),
    ('fg', '', 0.4937::numeric, 0.5205::numeric, 0.5268::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 313a162bef81), make calibrate', date '2026-11-27'),
    ('kf', '', 0.6907::numeric, 0.6932::numeric, 0.703::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 313a162bef81), make calibrate', date '2026-11-27'),
    ('step_interval_factor', 'dense', 0.879::numeric, null::numeric, 1.241::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 313a162bef81), make calibrate', date '2026-11-27'),
    ('step_interval_factor', 'moe', 0.789::numeric, null::numeric, 1.288::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 313a162bef81), make calibrate', date '2026-11-27'),
    ('kdp', '', 0.441::numeric, 0.6001::numeric, 0.6664::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 313a162bef81), make calibrate', date '2026-11-27'),
    ('xpp', '', 0.4779::numeric, 0.5404::numeric, 0.5742::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 313a162bef81), make calibrate', date '2026-11-27'),
    ('al', '', 5.167e-06::numeric, 5.288e-06::numeric, 5.467e-06::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 313a162bef81), make calibrate', date '2026-11-27'),
    ('sa', '', 575.1::numeric, 599.3::numeric, 668.9::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 313a162bef81), make calibrate', date '2026-11-27'),
    ('gz', '', 0.5455::numeric, 0.5777::numeric, 0.5899::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 313a162bef81), make calibrate', date '2026-11-27'),
    ('xtq', '', 0.6033::numeric, 0.6431::numeric, 0.649::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 313a162bef81), make calibrate', date '2026-11-27'),
    ('calendar_ratio', '', 1.147::numeric, 1.349::numeric, 2.043::numeric, 'median and 10th to 90th percentile of 29 published whole runs over their plans (sql/seed/measurement_whole_run.csv, sha256 4c4b41531541), make calibrate', date '2026-11-27'),
    ('cm', '', 1.94::numeric, 1.963::numeric, 2.006::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 313a162bef81), make calibrate', date '2026-11-27')
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

-- 0042_calibration.sql - constants refitted. Written by `make calibrate`, not by hand.
--
-- Least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate; Median and 10th to 90th percentile of 29 published whole runs over their plans (sql/seed/measurement_whole_run.csv, sha256 4c4b41531541), make calibrate, 2026-11-27.
--
-- A row that somebody edited or removed in the database stays as it is, as it does when the seed is
-- applied; where there is no seed yet, it brings the same figures.

create temp table calibrated on commit drop as
select v.key, v.scope, v.low, v.value, v.high, v.source, v.source_date
from (values
    ('eta1', '', 0.7142::numeric, 0.7266::numeric, 0.7447::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('eta8', '', 0.69::numeric, 0.7247::numeric, 0.7539::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('cb', '', 1.865::numeric, 2.149::numeric, 2.321::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('ce', '', 0.8087::numeric, 0.8871::numeric, 0.9755::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('cq', '', 1.266::numeric, 1.289::numeric, 1.348::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('ka', '', 0.6424::numeric, 0.6731::numeric, 0.7104::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('ga', '', 0.6857::numeric, 0.6879::numeric, 0.6974::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('kz', '', 0.446::numeric, 0.4531::numeric, 0.5326::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('kg', '', 0.5598::numeric, 0.5898::numeric, 0.6631::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('am', '', 0.007::numeric, 0.01112::numeric, 0.01158::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('an', '', 0.007::numeric, 0.007166::numeric, 0.007174::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('af', '', 0.002::numeric, 0.002529::numeric, 0.002725::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('ts', '', 0.03138::numeric, 0.034::numeric, 0.03605::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('cs', '', 0.4658::numeric, 0.498::numeric, 0.529::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('e_nv', '', 0.6684::numeric, 0.6717::numeric, 0.6811::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('xtp', '', 0.2925::numeric, 0.3199::numeric, 0.354::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('xtq', '', 0.6052::numeric, 0.6443::numeric, 0.6489::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('atp', '', 4.776e-05::numeric, 5.663e-05::numeric, 5.776e-05::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('e_net', '', 0.6863::numeric, 0.7117::numeric, 0.7268::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('xdp', '', 0.1973::numeric, 0.2655::numeric, 0.2859::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('x3', '', 0.2222::numeric, 0.2278::numeric, 0.2416::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('co', '', 1.516::numeric, 1.573::numeric, 1.613::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('kdp', '', 0.4411::numeric, 0.5983::numeric, 0.6654::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('xpp', '', 0.4815::numeric, 0.5489::numeric, 0.592::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('al', '', 5.173e-06::numeric, 5.309e-06::numeric, 5.479e-06::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('sa', '', 559.9::numeric, 577.9::numeric, 655.3::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('hd', '', 0.3701::numeric, 0.3782::numeric, 0.3905::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('cm', '', 1.931::numeric, 1.971::numeric, 2.011::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('gz', '', 0.4692::numeric, 0.4748::numeric, 0.5078::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('cw', '', 1::numeric, 1.008::numeric, 1.01::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('fg', '', 0.4902::numeric, 0.5234::numeric, 0.5344::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('kf', '', 0.6763::numeric, 0.6791::numeric, 0.7045::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('xa', '', 0.5641::numeric, 0.5811::numeric, 0.6129::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('step_interval_factor', 'dense', 0.867::numeric, null::numeric, 1.244::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('step_interval_factor', 'moe', 0.796::numeric, null::numeric, 1.381::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 e570cee01164), make calibrate', date '2026-11-27'),
    ('calendar_ratio', '', 1.157::numeric, 1.360::numeric, 2.051::numeric, 'median and 10th to 90th percentile of 29 published whole runs over their plans (sql/seed/measurement_whole_run.csv, sha256 4c4b41531541), make calibrate', date '2026-11-27')
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

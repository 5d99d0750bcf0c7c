-- 0055_calibration.sql - constants refitted. Written by `make calibrate`, not by hand.
--
-- Least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 27bf49c53255), make calibrate; Median and 10th to 90th percentile of 29 published whole runs over their plans (sql/seed/measurement_whole_run.csv, sha256 4c4b41531541), make calibrate, 2026-11-27.
--
-- A row that somebody edited or removed in the database stays as it is, as it does when the seed is
-- applied; where there is no seed yet, it brings the same figures.

create temp table calibrated on commit drop as
select v.key, v.scope, v.low, v.value, v.high, v.source, v.source_date
from (values
    ('eta1', '', 0.724::numeric, 0.7373::numeric, 0.7563::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 27bf49c53255), make calibrate', date '2026-11-27'),
    ('eta8', '', 0.6969::numeric, 0.7302::numeric, 0.7552::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 27bf49c53255), make calibrate', date '2026-11-27'),
    ('cb', '', 2.015::numeric, 2.32::numeric, 2.533::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 27bf49c53255), make calibrate', date '2026-11-27'),
    ('ce', '', 0.8708::numeric, 0.936::numeric, 1.036::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 27bf49c53255), make calibrate', date '2026-11-27'),
    ('cq', '', 1.275::numeric, 1.301::numeric, 1.378::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 27bf49c53255), make calibrate', date '2026-11-27'),
    ('ka', '', 0.8214::numeric, 0.8441::numeric, 0.8911::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 27bf49c53255), make calibrate', date '2026-11-27'),
    ('ke', '', 0.9992::numeric, 1.048::numeric, 1.069::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 27bf49c53255), make calibrate', date '2026-11-27'),
    ('kz', '', 0.4512::numeric, 0.4737::numeric, 0.5075::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 27bf49c53255), make calibrate', date '2026-11-27'),
    ('kg', '', 0.5915::numeric, 0.6176::numeric, 0.6548::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 27bf49c53255), make calibrate', date '2026-11-27'),
    ('am', '', 0.007::numeric, 0.01112::numeric, 0.01158::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 27bf49c53255), make calibrate', date '2026-11-27'),
    ('an', '', 0.007::numeric, 0.007169::numeric, 0.007177::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 27bf49c53255), make calibrate', date '2026-11-27'),
    ('af', '', 0.002::numeric, 0.002526::numeric, 0.00283::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 27bf49c53255), make calibrate', date '2026-11-27'),
    ('ts', '', 0.0319::numeric, 0.03462::numeric, 0.03616::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 27bf49c53255), make calibrate', date '2026-11-27'),
    ('cs', '', 0.4675::numeric, 0.5066::numeric, 0.538::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 27bf49c53255), make calibrate', date '2026-11-27'),
    ('e_nv', '', 0.6721::numeric, 0.6754::numeric, 0.6851::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 27bf49c53255), make calibrate', date '2026-11-27'),
    ('xtp', '', 0.2949::numeric, 0.3197::numeric, 0.352::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 27bf49c53255), make calibrate', date '2026-11-27'),
    ('xtq', '', 0.6034::numeric, 0.6429::numeric, 0.6487::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 27bf49c53255), make calibrate', date '2026-11-27'),
    ('atp', '', 4.672e-05::numeric, 5.534e-05::numeric, 5.617e-05::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 27bf49c53255), make calibrate', date '2026-11-27'),
    ('e_net', '', 0.6899::numeric, 0.7152::numeric, 0.7294::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 27bf49c53255), make calibrate', date '2026-11-27'),
    ('xdp', '', 0.1971::numeric, 0.2596::numeric, 0.2782::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 27bf49c53255), make calibrate', date '2026-11-27'),
    ('x3', '', 0.2228::numeric, 0.2285::numeric, 0.2472::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 27bf49c53255), make calibrate', date '2026-11-27'),
    ('co', '', 1.507::numeric, 1.563::numeric, 1.597::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 27bf49c53255), make calibrate', date '2026-11-27'),
    ('kdp', '', 0.4417::numeric, 0.6004::numeric, 0.6666::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 27bf49c53255), make calibrate', date '2026-11-27'),
    ('xpp', '', 0.4798::numeric, 0.5426::numeric, 0.5743::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 27bf49c53255), make calibrate', date '2026-11-27'),
    ('al', '', 5.165e-06::numeric, 5.287e-06::numeric, 5.463e-06::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 27bf49c53255), make calibrate', date '2026-11-27'),
    ('sa', '', 581.4::numeric, 605.8::numeric, 682.8::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 27bf49c53255), make calibrate', date '2026-11-27'),
    ('cm', '', 1.944::numeric, 1.966::numeric, 2.009::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 27bf49c53255), make calibrate', date '2026-11-27'),
    ('gz', '', 0.5724::numeric, 0.6153::numeric, 0.6172::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 27bf49c53255), make calibrate', date '2026-11-27'),
    ('cw', '', 1::numeric, 1.008::numeric, 1.01::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 27bf49c53255), make calibrate', date '2026-11-27'),
    ('fg', '', 0.4951::numeric, 0.5214::numeric, 0.527::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 27bf49c53255), make calibrate', date '2026-11-27'),
    ('kf', '', 0.6906::numeric, 0.693::numeric, 0.7024::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 27bf49c53255), make calibrate', date '2026-11-27'),
    ('xa', '', 0.5692::numeric, 0.5831::numeric, 0.609::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 27bf49c53255), make calibrate', date '2026-11-27'),
    ('step_interval_factor', 'dense', 0.878::numeric, null::numeric, 1.233::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 27bf49c53255), make calibrate', date '2026-11-27'),
    ('step_interval_factor', 'moe', 0.788::numeric, null::numeric, 1.287::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 27bf49c53255), make calibrate', date '2026-11-27'),
    ('calendar_ratio', '', 1.146::numeric, 1.351::numeric, 2.047::numeric, 'median and 10th to 90th percentile of 29 published whole runs over their plans (sql/seed/measurement_whole_run.csv, sha256 4c4b41531541), make calibrate', date '2026-11-27')
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

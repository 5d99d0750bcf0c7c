-- 0049_calibration.sql - constants refitted. Written by `make calibrate`, not by hand.
--
-- Least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 313a162bef81), make calibrate; Median and 10th to 90th percentile of 29 published whole runs over their plans (sql/seed/measurement_whole_run.csv, sha256 4c4b41531541), make calibrate, 2026-11-27.
--
-- A row that somebody edited or removed in the database stays as it is, as it does when the seed is
-- applied; where there is no seed yet, it brings the same figures.

create temp table calibrated on commit drop as
select v.key, v.scope, v.low, v.value, v.high, v.source, v.source_date
from (values
    ('eta1', '', 0.7257::numeric, 0.7389::numeric, 0.7582::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 313a162bef81), make calibrate', date '2026-11-27'),
    ('eta8', '', 0.6969::numeric, 0.7341::numeric, 0.7606::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 313a162bef81), make calibrate', date '2026-11-27'),
    ('cb', '', 2::numeric, 2.312::numeric, 2.524::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 313a162bef81), make calibrate', date '2026-11-27'),
    ('ce', '', 0.8678::numeric, 0.9333::numeric, 1.033::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 313a162bef81), make calibrate', date '2026-11-27'),
    ('cq', '', 1.276::numeric, 1.304::numeric, 1.378::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 313a162bef81), make calibrate', date '2026-11-27'),
    ('ka', '', 0.7786::numeric, 0.8085::numeric, 0.8911::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 313a162bef81), make calibrate', date '2026-11-27'),
    ('kz', '', 0.4512::numeric, 0.4919::numeric, 0.5133::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 313a162bef81), make calibrate', date '2026-11-27'),
    ('kg', '', 0.5931::numeric, 0.6194::numeric, 0.6571::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 313a162bef81), make calibrate', date '2026-11-27'),
    ('am', '', 0.007::numeric, 0.01112::numeric, 0.01158::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 313a162bef81), make calibrate', date '2026-11-27'),
    ('an', '', 0.007::numeric, 0.007168::numeric, 0.007176::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 313a162bef81), make calibrate', date '2026-11-27'),
    ('af', '', 0.002::numeric, 0.002527::numeric, 0.00283::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 313a162bef81), make calibrate', date '2026-11-27'),
    ('ts', '', 0.03181::numeric, 0.03451::numeric, 0.03603::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 313a162bef81), make calibrate', date '2026-11-27'),
    ('cs', '', 0.4681::numeric, 0.5085::numeric, 0.54::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 313a162bef81), make calibrate', date '2026-11-27'),
    ('e_nv', '', 0.6666::numeric, 0.67::numeric, 0.6797::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 313a162bef81), make calibrate', date '2026-11-27'),
    ('xtp', '', 0.2983::numeric, 0.3239::numeric, 0.3576::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 313a162bef81), make calibrate', date '2026-11-27'),
    ('atp', '', 4.689e-05::numeric, 5.557e-05::numeric, 5.642e-05::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 313a162bef81), make calibrate', date '2026-11-27'),
    ('e_net', '', 0.6894::numeric, 0.715::numeric, 0.7291::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 313a162bef81), make calibrate', date '2026-11-27'),
    ('xdp', '', 0.197::numeric, 0.2598::numeric, 0.2783::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 313a162bef81), make calibrate', date '2026-11-27'),
    ('x3', '', 0.2233::numeric, 0.2291::numeric, 0.2477::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 313a162bef81), make calibrate', date '2026-11-27'),
    ('co', '', 1.506::numeric, 1.562::numeric, 1.596::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 313a162bef81), make calibrate', date '2026-11-27'),
    ('xa', '', 0.5671::numeric, 0.5811::numeric, 0.6077::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 313a162bef81), make calibrate', date '2026-11-27'),
    ('cw', '', 1::numeric, 1.008::numeric, 1.009::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 313a162bef81), make calibrate', date '2026-11-27'),
    ('fg', '', 0.4931::numeric, 0.5192::numeric, 0.5256::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 313a162bef81), make calibrate', date '2026-11-27'),
    ('kf', '', 0.6913::numeric, 0.6938::numeric, 0.7032::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 313a162bef81), make calibrate', date '2026-11-27'),
    ('step_interval_factor', 'dense', 0.878::numeric, null::numeric, 1.242::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 313a162bef81), make calibrate', date '2026-11-27'),
    ('step_interval_factor', 'moe', 0.788::numeric, null::numeric, 1.288::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 313a162bef81), make calibrate', date '2026-11-27'),
    ('kdp', '', 0.4411::numeric, 0.6008::numeric, 0.6671::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 313a162bef81), make calibrate', date '2026-11-27'),
    ('xpp', '', 0.4781::numeric, 0.5408::numeric, 0.5743::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 313a162bef81), make calibrate', date '2026-11-27'),
    ('al', '', 5.165e-06::numeric, 5.288e-06::numeric, 5.467e-06::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 313a162bef81), make calibrate', date '2026-11-27'),
    ('sa', '', 574.5::numeric, 598.3::numeric, 669.3::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 313a162bef81), make calibrate', date '2026-11-27'),
    ('gz', '', 0.5457::numeric, 0.5777::numeric, 0.5899::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 313a162bef81), make calibrate', date '2026-11-27'),
    ('xtq', '', 0.6038::numeric, 0.6439::numeric, 0.6495::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 313a162bef81), make calibrate', date '2026-11-27'),
    ('calendar_ratio', '', 1.147::numeric, 1.349::numeric, 2.040::numeric, 'median and 10th to 90th percentile of 29 published whole runs over their plans (sql/seed/measurement_whole_run.csv, sha256 4c4b41531541), make calibrate', date '2026-11-27'),
    ('cm', '', 1.937::numeric, 1.958::numeric, 2.002::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 313a162bef81), make calibrate', date '2026-11-27')
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

-- 0018_calibration.sql - constants refitted. Written by `make calibrate`, not by hand.
--
-- Least squares on 831 published runs of 32 sources (tests/accuracy/steps.csv, sha256 b89d556f52f6), make calibrate; Median and shortest 80 % interval of 26 published whole runs over their plans (tests/accuracy/whole_runs.csv, sha256 558ef50a9bae), make calibrate, 2026-11-23.
--
-- A row that somebody edited or removed in the database stays as it is, as it does when the seed is
-- applied; where there is no seed yet, it brings the same figures.

create temp table calibrated on commit drop as
select v.key, v.scope, v.low, v.value, v.high, v.source, v.source_date
from (values
    ('eta1', '', 0.7072::numeric, 0.7209::numeric, 0.7379::numeric, 'least squares on 831 published runs of 32 sources (tests/accuracy/steps.csv, sha256 b89d556f52f6), make calibrate', date '2026-11-23'),
    ('eta8', '', 0.6892::numeric, 0.7258::numeric, 0.7538::numeric, 'least squares on 831 published runs of 32 sources (tests/accuracy/steps.csv, sha256 b89d556f52f6), make calibrate', date '2026-11-23'),
    ('cb', '', 1.952::numeric, 2.273::numeric, 2.482::numeric, 'least squares on 831 published runs of 32 sources (tests/accuracy/steps.csv, sha256 b89d556f52f6), make calibrate', date '2026-11-23'),
    ('ce', '', 0.8023::numeric, 0.8771::numeric, 0.9686::numeric, 'least squares on 831 published runs of 32 sources (tests/accuracy/steps.csv, sha256 b89d556f52f6), make calibrate', date '2026-11-23'),
    ('cq', '', 1.218::numeric, 1.239::numeric, 1.348::numeric, 'least squares on 831 published runs of 32 sources (tests/accuracy/steps.csv, sha256 b89d556f52f6), make calibrate', date '2026-11-23'),
    ('ka', '', 0.6387::numeric, 0.6702::numeric, 0.7059::numeric, 'least squares on 831 published runs of 32 sources (tests/accuracy/steps.csv, sha256 b89d556f52f6), make calibrate', date '2026-11-23'),
    ('ga', '', 0.6855::numeric, 0.688::numeric, 0.6971::numeric, 'least squares on 831 published runs of 32 sources (tests/accuracy/steps.csv, sha256 b89d556f52f6), make calibrate', date '2026-11-23'),
    ('kz', '', 0.4461::numeric, 0.4511::numeric, 0.528::numeric, 'least squares on 831 published runs of 32 sources (tests/accuracy/steps.csv, sha256 b89d556f52f6), make calibrate', date '2026-11-23'),
    ('kg', '', 0.5347::numeric, 0.5646::numeric, 0.6724::numeric, 'least squares on 831 published runs of 32 sources (tests/accuracy/steps.csv, sha256 b89d556f52f6), make calibrate', date '2026-11-23'),
    ('am', '', 0.007::numeric, 0.01184::numeric, 0.01339::numeric, 'least squares on 831 published runs of 32 sources (tests/accuracy/steps.csv, sha256 b89d556f52f6), make calibrate', date '2026-11-23'),
    ('cs', '', 0.4674::numeric, 0.506::numeric, 0.5398::numeric, 'least squares on 831 published runs of 32 sources (tests/accuracy/steps.csv, sha256 b89d556f52f6), make calibrate', date '2026-11-23'),
    ('e_nv', '', 0.6675::numeric, 0.671::numeric, 0.6798::numeric, 'least squares on 831 published runs of 32 sources (tests/accuracy/steps.csv, sha256 b89d556f52f6), make calibrate', date '2026-11-23'),
    ('xtp', '', 0.2938::numeric, 0.3219::numeric, 0.3597::numeric, 'least squares on 831 published runs of 32 sources (tests/accuracy/steps.csv, sha256 b89d556f52f6), make calibrate', date '2026-11-23'),
    ('xtq', '', 0.6027::numeric, 0.6399::numeric, 0.6465::numeric, 'least squares on 831 published runs of 32 sources (tests/accuracy/steps.csv, sha256 b89d556f52f6), make calibrate', date '2026-11-23'),
    ('atp', '', 4.78e-05::numeric, 5.976e-05::numeric, 6.121e-05::numeric, 'least squares on 831 published runs of 32 sources (tests/accuracy/steps.csv, sha256 b89d556f52f6), make calibrate', date '2026-11-23'),
    ('e_net', '', 0.6886::numeric, 0.7187::numeric, 0.7357::numeric, 'least squares on 831 published runs of 32 sources (tests/accuracy/steps.csv, sha256 b89d556f52f6), make calibrate', date '2026-11-23'),
    ('xdp', '', 0.2039::numeric, 0.2891::numeric, 0.3128::numeric, 'least squares on 831 published runs of 32 sources (tests/accuracy/steps.csv, sha256 b89d556f52f6), make calibrate', date '2026-11-23'),
    ('x3', '', 0.2206::numeric, 0.2265::numeric, 0.2406::numeric, 'least squares on 831 published runs of 32 sources (tests/accuracy/steps.csv, sha256 b89d556f52f6), make calibrate', date '2026-11-23'),
    ('co', '', 1.551::numeric, 1.7::numeric, 1.751::numeric, 'least squares on 831 published runs of 32 sources (tests/accuracy/steps.csv, sha256 b89d556f52f6), make calibrate', date '2026-11-23'),
    ('kdp', '', 0.4218::numeric, 0.6213::numeric, 0.6987::numeric, 'least squares on 831 published runs of 32 sources (tests/accuracy/steps.csv, sha256 b89d556f52f6), make calibrate', date '2026-11-23'),
    ('xpp', '', 0.4762::numeric, 0.5423::numeric, 0.5907::numeric, 'least squares on 831 published runs of 32 sources (tests/accuracy/steps.csv, sha256 b89d556f52f6), make calibrate', date '2026-11-23'),
    ('al', '', 5.2e-06::numeric, 5.378e-06::numeric, 5.626e-06::numeric, 'least squares on 831 published runs of 32 sources (tests/accuracy/steps.csv, sha256 b89d556f52f6), make calibrate', date '2026-11-23'),
    ('sa', '', 569.8::numeric, 593.5::numeric, 662.9::numeric, 'least squares on 831 published runs of 32 sources (tests/accuracy/steps.csv, sha256 b89d556f52f6), make calibrate', date '2026-11-23'),
    ('hd', '', 0.3716::numeric, 0.3769::numeric, 0.3875::numeric, 'least squares on 831 published runs of 32 sources (tests/accuracy/steps.csv, sha256 b89d556f52f6), make calibrate', date '2026-11-23'),
    ('cm', '', 1.873::numeric, 1.89::numeric, 2::numeric, 'least squares on 831 published runs of 32 sources (tests/accuracy/steps.csv, sha256 b89d556f52f6), make calibrate', date '2026-11-23'),
    ('gz', '', 0.4727::numeric, 0.4787::numeric, 0.509::numeric, 'least squares on 831 published runs of 32 sources (tests/accuracy/steps.csv, sha256 b89d556f52f6), make calibrate', date '2026-11-23'),
    ('xa', '', 0.5475::numeric, 0.5605::numeric, 0.6::numeric, 'least squares on 831 published runs of 32 sources (tests/accuracy/steps.csv, sha256 b89d556f52f6), make calibrate', date '2026-11-23'),
    ('step_interval_factor', 'dense', 0.867::numeric, null::numeric, 1.248::numeric, 'least squares on 831 published runs of 32 sources (tests/accuracy/steps.csv, sha256 b89d556f52f6), make calibrate', date '2026-11-23'),
    ('step_interval_factor', 'moe', 0.660::numeric, null::numeric, 1.734::numeric, 'least squares on 831 published runs of 32 sources (tests/accuracy/steps.csv, sha256 b89d556f52f6), make calibrate', date '2026-11-23'),
    ('calendar_ratio', '', 0.980::numeric, 1.348::numeric, 1.638::numeric, 'median and shortest 80 % interval of 26 published whole runs over their plans (tests/accuracy/whole_runs.csv, sha256 558ef50a9bae), make calibrate', date '2026-11-23')
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

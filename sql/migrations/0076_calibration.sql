-- 0076_calibration.sql - constants refitted. Written by `make calibrate`, not by hand.
--
-- Least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate; median and 10th to 90th percentile of 29 published whole runs over their plans (sql/seed/measurement_whole_run.csv, sha256 9f62ec9fe47a), make calibrate, 2026-11-29. The assumptions kg16, and eta1 and cb of scope tpu, come with the seed.
--
-- A row that somebody edited or removed in the database stays as it is, as it does when the seed is
-- applied; where there is no seed yet, it brings the same figures.

create temp table calibrated on commit drop as
select v.key, v.scope, v.low, v.value, v.high, v.source, v.source_date
from (values
    ('eta8', '', 0.696::numeric, 0.729::numeric, 0.7539::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('cb', '', 1.998::numeric, 2.3::numeric, 2.5::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('ce', '', 0.8728::numeric, 0.9337::numeric, 1.03::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('cq', '', 1.25::numeric, 1.271::numeric, 1.344::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('ka', '', 0.817::numeric, 0.8404::numeric, 0.8887::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('ke', '', 0.9992::numeric, 1.048::numeric, 1.07::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('kz', '', 0.4548::numeric, 0.4786::numeric, 0.5197::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('kg', '', 0.5879::numeric, 0.6148::numeric, 0.6531::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('af', '', 0.002::numeric, 0.00248::numeric, 0.002777::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('ts', '', 0.0319::numeric, 0.03462::numeric, 0.03599::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('cs', '', 0.4662::numeric, 0.501::numeric, 0.5308::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('e_nv', '', 0.6674::numeric, 0.6717::numeric, 0.6872::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('atp', '', 4.882e-05::numeric, 5.881e-05::numeric, 5.957e-05::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('e_net', '', 0.6955::numeric, 0.7227::numeric, 0.737::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('xdp', '', 0.1989::numeric, 0.263::numeric, 0.2818::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('xa', '', 0.5702::numeric, 0.5832::numeric, 0.6088::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('cw', '', 1::numeric, 1.009::numeric, 1.011::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('kf', '', 0.6908::numeric, 0.6931::numeric, 0.7022::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('step_interval_factor', 'moe', 0.805::numeric, null::numeric, 1.258::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('kdp', '', 0.4415::numeric, 0.6118::numeric, 0.6777::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('xpp', '', 0.4845::numeric, 0.5488::numeric, 0.5804::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('al', '', 5.131e-06::numeric, 5.268e-06::numeric, 5.528e-06::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('sa', '', 586.2::numeric, 609.7::numeric, 686::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('gz', '', 0.5546::numeric, 0.5961::numeric, 0.6034::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('xts', '', 0.8961::numeric, 0.9512::numeric, 0.962::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('xtq', '', 0.5967::numeric, 0.5992::numeric, 0.6061::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('calendar_ratio', '', 1.220::numeric, 1.220::numeric, 1.668::numeric, 'median and 10th to 90th percentile of 29 published whole runs over their plans (sql/seed/measurement_whole_run.csv, sha256 9f62ec9fe47a), make calibrate', date '2026-11-29'),
    ('cm', '', 1.946::numeric, 1.967::numeric, 2.01::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-29'),
    ('step_interval_factor', 'tpu', 0.847::numeric, null::numeric, 1.263::numeric, 'low: 10% of measured over predicted of MaxText''s 16 runs on v4, v5e and v5p (https://github.com/AI-Hypercomputer/maxtext/tree/e591f30cb/src/maxtext/configs/tpu); those of Llama 3.1 on v6e, 2, and v7x, 5, are 0.94 to 1.32 (https://github.com/AI-Hypercomputer/tpu-recipes, training/trillium and training/ironwood); high: that of divided runs', date '2026-11-29'),
    ('step_interval_factor', 'stated', 0.886::numeric, null::numeric, 1.300::numeric, '10% and 90% of measured over predicted of 33 families of dense runs on NVIDIA GPUs, each family weighing the same: those of sql/seed/measurement_training.csv and tests/accuracy/unseen.csv', date '2026-11-29'),
    ('step_interval_factor', 'unstated', 0.839::numeric, null::numeric, 1.421::numeric, '10% and 90% of measured over predicted of 42 families of dense runs on NVIDIA GPUs with their stack taken as not stated, each family weighing the same: those of sql/seed/measurement_training.csv and tests/accuracy/unseen.csv', date '2026-11-29')
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

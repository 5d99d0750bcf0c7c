-- 0071_tensor_overlap.sql - whether a run overlapped the exchanges of tensor parallelism with products, and
-- whether its norms were single operations of PyTorch, whether its attention kernels were written for the GPU; the
-- constants refitted with the first two.
--
-- The assumption that reads the first, xts, comes with the seed.

alter table measurement
    add column tensor_overlap numeric,
    add column torch_compile numeric,
    add column native_attention numeric;
alter table own_measurement
    add column tensor_overlap numeric,
    add column torch_compile numeric,
    add column native_attention numeric;

comment on column measurement.tensor_overlap is
    'Whether products ran while tensor-parallel GPUs exchanged parts of them (tp_comm_overlap, AsyncTP): 0 or 1; null: not stated';
comment on column own_measurement.tensor_overlap is
    'Whether products ran while tensor-parallel GPUs exchanged parts of them (tp_comm_overlap, AsyncTP): 0 or 1; null: not stated';
comment on column measurement.torch_compile is
    'Whether norms and gates were fused kernels, of torch.compile or the software''s own: 0 or 1; null: not stated';
comment on column own_measurement.torch_compile is
    'Whether norms and gates were fused kernels, of torch.compile or the software''s own: 0 or 1; null: not stated';
comment on column measurement.native_attention is
    'Whether attention ran kernels written for the GPU (cuDNN, FlashAttention 3 or 4) under PyTorch: 0 or 1; null: not stated';
comment on column own_measurement.native_attention is
    'Whether attention ran kernels written for the GPU (cuDNN, FlashAttention 3 or 4) under PyTorch: 0 or 1; null: not stated';

update seed_row
set content = content || '{"tensor_overlap": null, "torch_compile": null, "native_attention": null}'
where table_name = 'measurement';

-- Least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate; Median and 10th to 90th percentile of 29 published whole runs over their plans (sql/seed/measurement_whole_run.csv, sha256 9f62ec9fe47a), make calibrate, 2026-11-28.
--
-- A row that somebody edited or removed in the database stays as it is, as it does when the seed is
-- applied; where there is no seed yet, it brings the same figures.

create temp table calibrated on commit drop as
select v.key, v.scope, v.low, v.value, v.high, v.source, v.source_date
from (values
    ('eta1', '', 0.7268::numeric, 0.7401::numeric, 0.7566::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-28'),
    ('eta8', '', 0.6963::numeric, 0.729::numeric, 0.7538::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-28'),
    ('cb', '', 1.996::numeric, 2.298::numeric, 2.498::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-28'),
    ('ce', '', 0.8687::numeric, 0.9339::numeric, 1.031::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-28'),
    ('cq', '', 1.25::numeric, 1.272::numeric, 1.344::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-28'),
    ('ka', '', 0.8166::numeric, 0.8399::numeric, 0.8882::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-28'),
    ('ke', '', 0.9993::numeric, 1.048::numeric, 1.07::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-28'),
    ('kz', '', 0.4547::numeric, 0.4785::numeric, 0.5188::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-28'),
    ('kg', '', 0.5944::numeric, 0.6198::numeric, 0.6532::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-28'),
    ('am', '', 0.007::numeric, 0.01103::numeric, 0.01146::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-28'),
    ('an', '', 0.007::numeric, 0.007168::numeric, 0.007176::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-28'),
    ('af', '', 0.002::numeric, 0.00248::numeric, 0.002776::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-28'),
    ('ts', '', 0.03191::numeric, 0.03464::numeric, 0.03605::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-28'),
    ('cs', '', 0.4662::numeric, 0.5022::numeric, 0.5322::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-28'),
    ('e_nv', '', 0.6703::numeric, 0.6746::numeric, 0.6878::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-28'),
    ('xtp', '', 0.2892::numeric, 0.3159::numeric, 0.3478::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-28'),
    ('xts', '', 0.8961::numeric, 0.9465::numeric, 0.9569::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-28'),
    ('xtq', '', 0.5947::numeric, 0.5971::numeric, 0.6039::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-28'),
    ('atp', '', 4.912e-05::numeric, 5.937e-05::numeric, 6.016e-05::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-28'),
    ('e_net', '', 0.6954::numeric, 0.7223::numeric, 0.7366::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-28'),
    ('xdp', '', 0.1988::numeric, 0.2627::numeric, 0.2814::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-28'),
    ('x3', '', 0.2299::numeric, 0.2357::numeric, 0.2556::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-28'),
    ('co', '', 1.516::numeric, 1.583::numeric, 1.615::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-28'),
    ('kdp', '', 0.4415::numeric, 0.6092::numeric, 0.6733::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-28'),
    ('xpp', '', 0.4847::numeric, 0.5491::numeric, 0.5802::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-28'),
    ('al', '', 5.133e-06::numeric, 5.27e-06::numeric, 5.529e-06::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-28'),
    ('sa', '', 587.5::numeric, 611.1::numeric, 687.5::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-28'),
    ('cm', '', 1.947::numeric, 1.968::numeric, 2.01::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-28'),
    ('gz', '', 0.5559::numeric, 0.5973::numeric, 0.6034::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-28'),
    ('cw', '', 1::numeric, 1.008::numeric, 1.009::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-28'),
    ('fg', '', 0.4955::numeric, 0.5207::numeric, 0.526::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-28'),
    ('kf', '', 0.6908::numeric, 0.6931::numeric, 0.7023::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-28'),
    ('xa', '', 0.5701::numeric, 0.5843::numeric, 0.6095::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-28'),
    ('step_interval_factor', 'dense', 0.877::numeric, null::numeric, 1.138::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-28'),
    ('step_interval_factor', 'divided', 0.875::numeric, null::numeric, 1.262::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-28'),
    ('step_interval_factor', 'moe', 0.794::numeric, null::numeric, 1.258::numeric, 'least squares on 831 published runs of 32 sources (sql/seed/measurement_training.csv, sha256 720bb131dc81), make calibrate', date '2026-11-28'),
    ('calendar_ratio', '', 1.221::numeric, 1.221::numeric, 1.665::numeric, 'median and 10th to 90th percentile of 29 published whole runs over their plans (sql/seed/measurement_whole_run.csv, sha256 9f62ec9fe47a), make calibrate', date '2026-11-28')
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

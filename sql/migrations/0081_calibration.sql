-- 0081_calibration.sql - constants refitted. Written by `make calibrate`, not by hand.
--
-- Least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate, 2026-11-29.
--
-- A row that somebody edited or removed in the database stays as it is, as it does when the seed is
-- applied; where there is no seed yet, it brings the same figures.

create temp table calibrated on commit drop as
select v.key, v.scope, v.low, v.value, v.high, v.source, v.source_date
from (values
    ('e_mem', '', 0.7672::numeric, 0.8424::numeric, 0.925::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('f_gddr', '', 0.9478::numeric, 1.069::numeric, 1.205::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('f_wo', '', 0.5177::numeric, 0.6169::numeric, 0.735::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('e_gemm', '', 0.5919::numeric, 0.6891::numeric, 0.8023::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('f_fp8', '', 0.7114::numeric, 0.8586::numeric, 1.036::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('f_fp4', '', 0.43::numeric, 0.6074::numeric, 0.8581::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('f_amd', '', 0.344::numeric, 0.5644::numeric, 0.9262::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('e_attn', '', 0.2891::numeric, 0.4942::numeric, 0.8448::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('e_link', '', 0.3902::numeric, 0.4766::numeric, 0.5823::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('l_gemm', '', 0.508::numeric, 0.6831::numeric, 0.9186::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('l_power', '', 0.1702::numeric, 0.3087::numeric, 0.5601::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('l_score', '', 13.49::numeric, 22.03::numeric, 35.97::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('a_nv', '', 3.052::numeric, 5.474::numeric, 9.819::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('a_pcie', '', 53.64::numeric, 100.1::numeric, 187::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('o_moe', '', 13.14::numeric, 22.06::numeric, 37.02::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('o_shared', '', 4.796::numeric, 11.2::numeric, 26.16::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('o_shared', 'tensorrt_llm_fp8', 31.55::numeric, 64.19::numeric, 130.6::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('o_mla', '', 11.39::numeric, 20.38::numeric, 36.46::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('f_experts', '', 0.2781::numeric, 0.505::numeric, 0.9168::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('o_quant', '', 5.39::numeric, 9.933::numeric, 18.3::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('b_req', '', 2.956::numeric, 5.213::numeric, 9.193::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('c_route', '', 2.661::numeric, 4.84::numeric, 8.803::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('c_pre', '', 1.191::numeric, 1.964::numeric, 3.24::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('o_engine', 'vllm', 40.74::numeric, 53.47::numeric, 70.17::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('o_engine', 'tensorrt_llm', 35.34::numeric, 46.3::numeric, 60.65::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('o_engine', 'sglang', 41.02::numeric, 57.86::numeric, 81.59::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('o_engine', 'llama_cpp', 69.28::numeric, 96.95::numeric, 135.7::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('o_engine', 'compiled', 36.05::numeric, 49.57::numeric, 68.18::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('o_block', '', 10.34::numeric, 21.36::numeric, 44.12::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('o_widen', '', 11.69::numeric, 25.72::numeric, 56.58::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('o_eager', '', 190.8::numeric, 398.1::numeric, 830.8::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('interval_factor', 'offline_dense', null::numeric, 1.179::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('interval_factor', 'offline_moe', null::numeric, 1.186::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('interval_factor', 'served_moe', null::numeric, 1.183::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('o_engine', 'unspecified', null::numeric, 49.78::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29')
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

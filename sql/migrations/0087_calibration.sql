-- 0087_calibration.sql - constants refitted. Written by `make calibrate`, not by hand.
--
-- Least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate, 2026-11-29.
--
-- A row that somebody edited or removed in the database stays as it is, as it does when the seed is
-- applied; where there is no seed yet, it brings the same figures.

create temp table calibrated on commit drop as
select v.key, v.scope, v.low, v.value, v.high, v.source, v.source_date
from (values
    ('e_mem', '', 0.7642::numeric, 0.8389::numeric, 0.9209::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('f_gddr', '', 0.952::numeric, 1.073::numeric, 1.21::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('f_wo', '', 0.5197::numeric, 0.619::numeric, 0.7374::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('e_gemm', '', 0.5991::numeric, 0.6989::numeric, 0.8154::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('f_fp8', '', 0.7116::numeric, 0.8612::numeric, 1.042::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('f_fp4', '', 0.4314::numeric, 0.6126::numeric, 0.8698::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('f_amd', '', 0.3414::numeric, 0.5618::numeric, 0.9244::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('e_attn', '', 0.2919::numeric, 0.4999::numeric, 0.8563::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('e_link', '', 0.394::numeric, 0.4824::numeric, 0.5906::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('l_gemm', '', 0.5021::numeric, 0.6758::numeric, 0.9097::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('l_power', '', 0.1699::numeric, 0.3083::numeric, 0.5594::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('l_score', '', 13.53::numeric, 22.08::numeric, 36.02::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('a_nv', '', 3.055::numeric, 5.478::numeric, 9.823::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('f_fused', '', 0.3602::numeric, 0.6732::numeric, 1.258::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('a_pcie', '', 53.83::numeric, 100.5::numeric, 187.5::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('o_moe', '', 13.03::numeric, 21.9::numeric, 36.79::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('o_shared', '', 4.721::numeric, 11.04::numeric, 25.81::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('o_shared', 'tensorrt_llm_fp8', 31.65::numeric, 64.34::numeric, 130.8::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('o_mla', '', 11.35::numeric, 20.31::numeric, 36.36::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('f_experts', '', 0.2773::numeric, 0.5037::numeric, 0.9151::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('o_quant', '', 5.383::numeric, 9.919::numeric, 18.28::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('b_req', '', 3.062::numeric, 5.38::numeric, 9.453::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('b_sglang', '', 5.569::numeric, 10.49::numeric, 19.77::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('c_route', '', 2.624::numeric, 4.778::numeric, 8.699::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('c_pre', '', 1.186::numeric, 1.959::numeric, 3.238::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('o_engine', 'vllm', 40.42::numeric, 53.11::numeric, 69.77::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('o_engine', 'tensorrt_llm', 34.91::numeric, 45.81::numeric, 60.12::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('o_engine', 'sglang', 41.57::numeric, 58.42::numeric, 82.09::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('o_engine', 'llama_cpp', 69.21::numeric, 96.86::numeric, 135.6::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('o_engine', 'compiled', 35.96::numeric, 49.46::numeric, 68.05::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('o_block', '', 10.23::numeric, 21.17::numeric, 43.82::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('o_widen', '', 11.74::numeric, 25.81::numeric, 56.74::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('o_eager', '', 189.9::numeric, 396.8::numeric, 828.9::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('interval_factor', 'offline_dense', null::numeric, 1.180::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('interval_factor', 'offline_moe', null::numeric, 1.188::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('interval_factor', 'one_stream_llama_cpp_hbm', null::numeric, 1.221::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('interval_factor', 'prefill', null::numeric, 1.220::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('interval_factor', 'prefill_llama_cpp', null::numeric, 1.222::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('interval_factor', 'served_dense', null::numeric, 1.133::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('interval_factor', 'served_dense_sglang', null::numeric, 1.148::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('interval_factor', 'served_dense_tensorrt_llm', null::numeric, 1.154::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('interval_factor', 'served_moe', null::numeric, 1.182::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('interval_factor', 'served_moe_tensorrt_llm_fp4', null::numeric, 1.233::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('interval_factor', 'static', null::numeric, 1.202::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('o_engine', 'unspecified', null::numeric, 49.46::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29')
) as v (key, scope, low, value, high, source, source_date)
    join assumption a on a.key = v.key and a.scope = v.scope
    join seed_row s on s.table_name = 'assumption' and s.content = to_jsonb(a)
        and s.key = jsonb_build_object('key', a.key, 'scope', a.scope);

update assumption a
set low = c.low, value = c.value, high = c.high, source = c.source, source_date = c.source_date,
    date_basis = 'collected'
from calibrated c
where a.key = c.key and a.scope = c.scope;

update assumption a
set applies_to = 'engine sglang, mixtures, per request and step, added to b_req'
from calibrated c
where (a.key, a.scope) = ('b_sglang', '') and (c.key, c.scope) = (a.key, a.scope);

update seed_row s
set content = to_jsonb(a)
from assumption a join calibrated c on a.key = c.key and a.scope = c.scope
where s.table_name = 'assumption' and s.key = jsonb_build_object('key', a.key, 'scope', a.scope);

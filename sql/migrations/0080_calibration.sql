-- 0080_calibration.sql - constants refitted. Written by `make calibrate`, not by hand.
--
-- Least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate, 2026-11-29.
--
-- A row that somebody edited or removed in the database stays as it is, as it does when the seed is
-- applied; where there is no seed yet, it brings the same figures.

create temp table calibrated on commit drop as
select v.key, v.scope, v.low, v.value, v.high, v.source, v.source_date
from (values
    ('e_mem', '', 0.7666::numeric, 0.8417::numeric, 0.9241::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('f_gddr', '', 0.9487::numeric, 1.07::numeric, 1.206::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('f_wo', '', 0.5182::numeric, 0.6174::numeric, 0.7356::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('e_gemm', '', 0.5925::numeric, 0.6898::numeric, 0.8032::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('f_fp8', '', 0.7112::numeric, 0.8586::numeric, 1.037::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('f_fp4', '', 0.4302::numeric, 0.6081::numeric, 0.8594::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('f_amd', '', 0.3438::numeric, 0.5642::numeric, 0.9261::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('e_attn', '', 0.2875::numeric, 0.4908::numeric, 0.838::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('e_link', '', 0.3897::numeric, 0.4761::numeric, 0.5815::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('l_gemm', '', 0.5076::numeric, 0.6826::numeric, 0.918::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('l_power', '', 0.1701::numeric, 0.3087::numeric, 0.56::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('l_score', '', 13.5::numeric, 22.03::numeric, 35.97::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('a_nv', '', 3.053::numeric, 5.475::numeric, 9.82::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('f_fused', '', 0.3607::numeric, 0.6742::numeric, 1.26::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('a_pcie', '', 53.62::numeric, 100.1::numeric, 186.9::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('o_moe', '', 13.15::numeric, 22.07::numeric, 37.05::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('o_shared', '', 4.803::numeric, 11.22::numeric, 26.2::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('o_shared', 'tensorrt_llm_fp8', 31.9::numeric, 64.75::numeric, 131.4::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('o_mla', '', 11.44::numeric, 20.47::numeric, 36.61::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('f_experts', '', 0.278::numeric, 0.5047::numeric, 0.9164::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('o_quant', '', 5.39::numeric, 9.931::numeric, 18.3::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('b_req', '', 2.954::numeric, 5.211::numeric, 9.19::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('b_sglang', '', 5.68::numeric, 10.44::numeric, 19.2::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('c_route', '', 2.686::numeric, 4.881::numeric, 8.869::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('c_pre', '', 1.192::numeric, 1.965::numeric, 3.241::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('o_engine', 'vllm', 40.68::numeric, 53.4::numeric, 70.09::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('o_engine', 'tensorrt_llm', 35.29::numeric, 46.25::numeric, 60.6::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('o_engine', 'sglang', 40.96::numeric, 57.79::numeric, 81.53::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('o_engine', 'compiled', 36.02::numeric, 49.55::numeric, 68.15::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('o_block', '', 10.39::numeric, 21.45::numeric, 44.26::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('o_widen', '', 11.68::numeric, 25.71::numeric, 56.55::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('o_eager', '', 190.4::numeric, 397.4::numeric, 829.8::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('interval_factor', 'offline_dense', null::numeric, 1.180::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('interval_factor', 'offline_moe', null::numeric, 1.187::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('interval_factor', 'one_stream_llama_cpp_hbm', null::numeric, 1.220::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('interval_factor', 'prefill', null::numeric, 1.226::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('interval_factor', 'served_dense', null::numeric, 1.135::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('interval_factor', 'served_dense_tensorrt_llm', null::numeric, 1.155::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('interval_factor', 'served_moe', null::numeric, 1.180::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('interval_factor', 'static', null::numeric, 1.200::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29'),
    ('o_engine', 'unspecified', null::numeric, 49.73::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-29')
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

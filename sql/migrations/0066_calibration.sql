-- 0066_calibration.sql - constants refitted. Written by `make calibrate`, not by hand.
--
-- Least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate, 2026-11-28.
--
-- A row that somebody edited or removed in the database stays as it is, as it does when the seed is
-- applied; where there is no seed yet, it brings the same figures.

create temp table calibrated on commit drop as
select v.key, v.scope, v.low, v.value, v.high, v.source, v.source_date
from (values
    ('e_mem', '', 0.767::numeric, 0.8423::numeric, 0.925::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('f_gddr', '', 0.9483::numeric, 1.069::numeric, 1.206::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('f_wo', '', 0.5179::numeric, 0.6171::numeric, 0.7353::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('e_gemm', '', 0.5922::numeric, 0.6894::numeric, 0.8026::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('f_fp8', '', 0.7082::numeric, 0.855::numeric, 1.032::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('f_fp4', '', 0.4309::numeric, 0.6099::numeric, 0.8633::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('f_amd', '', 0.3446::numeric, 0.5652::numeric, 0.9269::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('e_attn', '', 0.2864::numeric, 0.4847::numeric, 0.8204::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('e_link', '', 0.3874::numeric, 0.4736::numeric, 0.579::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('l_gemm', '', 0.5077::numeric, 0.6828::numeric, 0.9182::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('l_power', '', 0.1702::numeric, 0.3087::numeric, 0.56::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('l_score', '', 13.49::numeric, 22.03::numeric, 35.98::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('a_nv', '', 3.059::numeric, 5.486::numeric, 9.837::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('f_fused', '', 0.3599::numeric, 0.6726::numeric, 1.257::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('a_pcie', '', 53.56::numeric, 100::numeric, 186.8::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('o_moe', '', 13.15::numeric, 22.09::numeric, 37.1::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('o_shared', '', 4.924::numeric, 11.46::numeric, 26.68::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('o_shared', 'tensorrt_llm_fp8', 28.77::numeric, 61.82::numeric, 132.8::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('o_mla', '', 11.51::numeric, 20.57::numeric, 36.76::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('f_experts', '', 0.2765::numeric, 0.5022::numeric, 0.9121::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('o_quant', '', 5.389::numeric, 9.931::numeric, 18.3::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('b_req', '', 2.939::numeric, 5.189::numeric, 9.162::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('b_sglang', '', 5.664::numeric, 10.41::numeric, 19.15::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('c_route', '', 2.69::numeric, 4.856::numeric, 8.766::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('c_pre', '', 1.189::numeric, 1.961::numeric, 3.236::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('o_engine', 'vllm', 40.75::numeric, 53.48::numeric, 70.19::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('o_engine', 'tensorrt_llm', 35.31::numeric, 46.27::numeric, 60.63::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('o_engine', 'sglang', 40.66::numeric, 57.42::numeric, 81.11::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('o_engine', 'llama_cpp', 69.33::numeric, 97.01::numeric, 135.7::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('o_engine', 'compiled', 36.05::numeric, 49.58::numeric, 68.18::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('o_block', '', 10.5::numeric, 21.63::numeric, 44.59::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('o_widen', '', 11.68::numeric, 25.7::numeric, 56.56::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('o_eager', '', 204.8::numeric, 421.8::numeric, 868.8::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('interval_factor', 'offline_dense', null::numeric, 1.177::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('interval_factor', 'offline_moe', null::numeric, 1.202::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('interval_factor', 'one_stream', null::numeric, 1.110::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('interval_factor', 'one_stream_llama_cpp_hbm', null::numeric, 1.220::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('interval_factor', 'prefill', null::numeric, 1.223::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('interval_factor', 'served_dense', null::numeric, 1.134::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('interval_factor', 'served_moe', null::numeric, 1.191::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('interval_factor', 'static', null::numeric, 1.197::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('o_engine', 'unspecified', null::numeric, 49.78::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28')
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

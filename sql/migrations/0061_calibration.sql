-- 0061_calibration.sql - constants refitted. Written by `make calibrate`, not by hand.
--
-- Least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate, 2026-11-27.
--
-- A row that somebody edited or removed in the database stays as it is, as it does when the seed is
-- applied; where there is no seed yet, it brings the same figures.

create temp table calibrated on commit drop as
select v.key, v.scope, v.low, v.value, v.high, v.source, v.source_date
from (values
    ('e_mem', '', 0.7597::numeric, 0.8338::numeric, 0.9152::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-27'),
    ('f_gddr', '', 0.9545::numeric, 1.076::numeric, 1.212::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-27'),
    ('f_wo', '', 0.5215::numeric, 0.6208::numeric, 0.739::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-27'),
    ('e_gemm', '', 0.5923::numeric, 0.6898::numeric, 0.8033::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-27'),
    ('f_fp8', '', 0.7079::numeric, 0.8549::numeric, 1.033::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-27'),
    ('f_fp4', '', 0.4288::numeric, 0.6068::numeric, 0.8588::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-27'),
    ('f_amd', '', 0.3446::numeric, 0.5653::numeric, 0.9273::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-27'),
    ('e_attn', '', 0.285::numeric, 0.4822::numeric, 0.8157::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-27'),
    ('e_link', '', 0.3814::numeric, 0.4687::numeric, 0.5761::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-27'),
    ('l_gemm', '', 0.5085::numeric, 0.6843::numeric, 0.9207::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-27'),
    ('l_power', '', 0.17::numeric, 0.3084::numeric, 0.5597::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-27'),
    ('l_score', '', 13.49::numeric, 22::numeric, 35.9::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-27'),
    ('a_nv', '', 2.831::numeric, 4.577::numeric, 7.4::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-27'),
    ('f_fused', '', 0.3704::numeric, 0.6648::numeric, 1.193::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-27'),
    ('a_pcie', '', 53.35::numeric, 99.67::numeric, 186.2::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-27'),
    ('o_moe', '', 12.03::numeric, 20.58::numeric, 35.21::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-27'),
    ('o_shared', '', 4.603::numeric, 10.78::numeric, 25.24::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-27'),
    ('o_shared', 'tensorrt_llm_fp8', 28.67::numeric, 61.73::numeric, 132.9::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-27'),
    ('o_mla', '', 11.22::numeric, 20.14::numeric, 36.16::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-27'),
    ('f_experts', '', 0.2697::numeric, 0.4935::numeric, 0.903::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-27'),
    ('o_quant', '', 5.385::numeric, 9.938::numeric, 18.34::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-27'),
    ('b_req', '', 2.982::numeric, 5.258::numeric, 9.271::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-27'),
    ('b_sglang', '', 5.69::numeric, 10.46::numeric, 19.22::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-27'),
    ('c_route', '', 2.79::numeric, 5.014::numeric, 9.013::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-27'),
    ('c_pre', '', 1.194::numeric, 1.98::numeric, 3.283::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-27'),
    ('o_engine', 'vllm', 35.22::numeric, 48.3::numeric, 66.25::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-27'),
    ('o_engine', 'tensorrt_llm', 33.18::numeric, 44.84::numeric, 60.59::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-27'),
    ('o_engine', 'sglang', 35.38::numeric, 51.87::numeric, 76.06::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-27'),
    ('o_engine', 'llama_cpp', 68.55::numeric, 96.13::numeric, 134.8::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-27'),
    ('o_engine', 'compiled', 33.5::numeric, 46.72::numeric, 65.17::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-27'),
    ('o_block', '', 10.33::numeric, 21.41::numeric, 44.37::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-27'),
    ('o_widen', '', 11.47::numeric, 25.31::numeric, 55.88::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-27'),
    ('o_eager', '', 199.2::numeric, 412.5::numeric, 854.5::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-27'),
    ('interval_factor', 'offline_dense', null::numeric, 1.178::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-27'),
    ('interval_factor', 'offline_moe', null::numeric, 1.199::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-27'),
    ('interval_factor', 'one_stream', null::numeric, 1.100::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-27'),
    ('interval_factor', 'one_stream_llama_cpp_hbm', null::numeric, 1.223::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-27'),
    ('interval_factor', 'prefill_llama_cpp', null::numeric, 1.224::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-27'),
    ('interval_factor', 'served_dense', null::numeric, 1.145::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-27'),
    ('interval_factor', 'served_moe', null::numeric, 1.207::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-27'),
    ('interval_factor', 'static', null::numeric, 1.207::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-27'),
    ('o_engine', 'unspecified', null::numeric, 46.62::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-27')
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

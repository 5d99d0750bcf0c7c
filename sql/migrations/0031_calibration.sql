-- 0031_calibration.sql - constants refitted. Written by `make calibrate`, not by hand.
--
-- Least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 19350bd56aeb), make calibrate, 2026-11-23.
--
-- A row that somebody edited or removed in the database stays as it is, as it does when the seed is
-- applied; where there is no seed yet, it brings the same figures.

create temp table calibrated on commit drop as
select v.key, v.scope, v.low, v.value, v.high, v.source, v.source_date
from (values
    ('e_mem', '', 0.7568::numeric, 0.831::numeric, 0.9125::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 19350bd56aeb), make calibrate', date '2026-11-23'),
    ('f_gddr', '', 0.9541::numeric, 1.077::numeric, 1.215::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 19350bd56aeb), make calibrate', date '2026-11-23'),
    ('f_wo', '', 0.518::numeric, 0.6165::numeric, 0.7337::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 19350bd56aeb), make calibrate', date '2026-11-23'),
    ('e_gemm', '', 0.5934::numeric, 0.6911::numeric, 0.805::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 19350bd56aeb), make calibrate', date '2026-11-23'),
    ('f_fp8', '', 0.717::numeric, 0.8679::numeric, 1.051::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 19350bd56aeb), make calibrate', date '2026-11-23'),
    ('f_fp4', '', 0.4188::numeric, 0.5938::numeric, 0.8418::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 19350bd56aeb), make calibrate', date '2026-11-23'),
    ('f_amd', '', 0.3418::numeric, 0.5622::numeric, 0.9244::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 19350bd56aeb), make calibrate', date '2026-11-23'),
    ('e_attn', '', 0.2809::numeric, 0.4743::numeric, 0.801::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 19350bd56aeb), make calibrate', date '2026-11-23'),
    ('e_link', '', 0.4074::numeric, 0.4992::numeric, 0.6117::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 19350bd56aeb), make calibrate', date '2026-11-23'),
    ('l_gemm', '', 0.3862::numeric, 0.4912::numeric, 0.6246::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 19350bd56aeb), make calibrate', date '2026-11-23'),
    ('l_attn', '', 0.1072::numeric, 0.1922::numeric, 0.3446::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 19350bd56aeb), make calibrate', date '2026-11-23'),
    ('a_nv', '', 2.758::numeric, 4.483::numeric, 7.287::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 19350bd56aeb), make calibrate', date '2026-11-23'),
    ('f_fused', '', 0.3678::numeric, 0.6629::numeric, 1.195::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 19350bd56aeb), make calibrate', date '2026-11-23'),
    ('a_pcie', '', 54.77::numeric, 102.1::numeric, 190.4::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 19350bd56aeb), make calibrate', date '2026-11-23'),
    ('o_moe', '', 13.6::numeric, 22.86::numeric, 38.45::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 19350bd56aeb), make calibrate', date '2026-11-23'),
    ('o_shared', '', 4.868::numeric, 11.33::numeric, 26.39::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 19350bd56aeb), make calibrate', date '2026-11-23'),
    ('o_mla', '', 11.43::numeric, 20.51::numeric, 36.8::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 19350bd56aeb), make calibrate', date '2026-11-23'),
    ('f_experts', '', 0.2712::numeric, 0.4931::numeric, 0.8968::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 19350bd56aeb), make calibrate', date '2026-11-23'),
    ('o_quant', '', 5.287::numeric, 9.772::numeric, 18.06::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 19350bd56aeb), make calibrate', date '2026-11-23'),
    ('b_req', '', 3.221::numeric, 5.627::numeric, 9.828::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 19350bd56aeb), make calibrate', date '2026-11-23'),
    ('b_sglang', '', 5.62::numeric, 10.35::numeric, 19.05::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 19350bd56aeb), make calibrate', date '2026-11-23'),
    ('c_route', '', 3.002::numeric, 5.36::numeric, 9.571::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 19350bd56aeb), make calibrate', date '2026-11-23'),
    ('c_pre', '', 1.191::numeric, 1.97::numeric, 3.257::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 19350bd56aeb), make calibrate', date '2026-11-23'),
    ('o_engine', 'vllm', 34.41::numeric, 47.39::numeric, 65.27::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 19350bd56aeb), make calibrate', date '2026-11-23'),
    ('o_engine', 'tensorrt_llm', 34.34::numeric, 46.17::numeric, 62.08::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 19350bd56aeb), make calibrate', date '2026-11-23'),
    ('o_engine', 'sglang', 34.19::numeric, 50.53::numeric, 74.68::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 19350bd56aeb), make calibrate', date '2026-11-23'),
    ('o_engine', 'llama_cpp', 65.67::numeric, 92.97::numeric, 131.6::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 19350bd56aeb), make calibrate', date '2026-11-23'),
    ('o_engine', 'compiled', 33.28::numeric, 46.48::numeric, 64.92::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 19350bd56aeb), make calibrate', date '2026-11-23'),
    ('o_block', '', 10.67::numeric, 22.05::numeric, 45.59::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 19350bd56aeb), make calibrate', date '2026-11-23'),
    ('interval_factor', 'offline_dense', null::numeric, 1.202::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 19350bd56aeb), make calibrate', date '2026-11-23'),
    ('interval_factor', 'offline_moe', null::numeric, 1.288::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 19350bd56aeb), make calibrate', date '2026-11-23'),
    ('interval_factor', 'one_stream', null::numeric, 1.099::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 19350bd56aeb), make calibrate', date '2026-11-23'),
    ('interval_factor', 'one_stream_llama_cpp_hbm', null::numeric, 1.229::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 19350bd56aeb), make calibrate', date '2026-11-23'),
    ('interval_factor', 'prefill', null::numeric, 1.219::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 19350bd56aeb), make calibrate', date '2026-11-23'),
    ('interval_factor', 'prefill_llama_cpp', null::numeric, 1.608::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 19350bd56aeb), make calibrate', date '2026-11-23'),
    ('interval_factor', 'served_dense', null::numeric, 1.153::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 19350bd56aeb), make calibrate', date '2026-11-23'),
    ('interval_factor', 'served_moe', null::numeric, 1.232::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 19350bd56aeb), make calibrate', date '2026-11-23'),
    ('interval_factor', 'static', null::numeric, 1.212::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 19350bd56aeb), make calibrate', date '2026-11-23'),
    ('o_engine', 'unspecified', null::numeric, 46.68::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 19350bd56aeb), make calibrate', date '2026-11-23')
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

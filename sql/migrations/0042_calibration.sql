-- 0042_calibration.sql - constants refitted. Written by `make calibrate`, not by hand.
--
-- Least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate, 2026-11-26.
--
-- A row that somebody edited or removed in the database stays as it is, as it does when the seed is
-- applied; where there is no seed yet, it brings the same figures.

create temp table calibrated on commit drop as
select v.key, v.scope, v.low, v.value, v.high, v.source, v.source_date
from (values
    ('e_mem', '', 0.7578::numeric, 0.8316::numeric, 0.9126::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('f_gddr', '', 0.9571::numeric, 1.079::numeric, 1.216::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('f_wo', '', 0.5231::numeric, 0.6227::numeric, 0.7412::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('e_gemm', '', 0.5931::numeric, 0.6907::numeric, 0.8045::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('f_fp8', '', 0.7062::numeric, 0.8529::numeric, 1.03::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('f_fp4', '', 0.4348::numeric, 0.6168::numeric, 0.875::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('f_amd', '', 0.3447::numeric, 0.5654::numeric, 0.9274::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('e_attn', '', 0.2861::numeric, 0.4846::numeric, 0.8207::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('e_link', '', 0.3809::numeric, 0.4682::numeric, 0.5754::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('l_gemm', '', 0.5081::numeric, 0.6838::numeric, 0.9202::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('l_attn', '', 0.2127::numeric, 0.4029::numeric, 0.7631::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('l_power', '', 0.1699::numeric, 0.3083::numeric, 0.5595::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('l_score', '', 13.49::numeric, 22.01::numeric, 35.91::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('a_nv', '', 2.845::numeric, 4.595::numeric, 7.42::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('f_fused', '', 0.3773::numeric, 0.6762::numeric, 1.212::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('a_pcie', '', 53.25::numeric, 99.51::numeric, 185.9::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('o_moe', '', 12.22::numeric, 20.88::numeric, 35.68::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('o_shared', '', 4.874::numeric, 11.35::numeric, 26.41::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('o_mla', '', 11.6::numeric, 20.77::numeric, 37.2::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('f_experts', '', 0.2685::numeric, 0.4912::numeric, 0.8986::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('o_quant', '', 5.377::numeric, 9.925::numeric, 18.32::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('b_req', '', 2.881::numeric, 5.107::numeric, 9.052::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('b_sglang', '', 5.735::numeric, 10.54::numeric, 19.36::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('c_route', '', 2.82::numeric, 5.066::numeric, 9.1::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('c_pre', '', 1.192::numeric, 1.977::numeric, 3.279::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('o_engine', 'vllm', 34.93::numeric, 47.98::numeric, 65.92::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('o_engine', 'tensorrt_llm', 33.16::numeric, 44.88::numeric, 60.73::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('o_engine', 'sglang', 35.05::numeric, 51.5::numeric, 75.69::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('o_engine', 'llama_cpp', 68.58::numeric, 96.16::numeric, 134.8::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('o_engine', 'compiled', 33.44::numeric, 46.65::numeric, 65.08::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('o_block', '', 11.04::numeric, 22.59::numeric, 46.24::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('o_widen', '', 11.34::numeric, 25.08::numeric, 55.46::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('o_eager', '', 319::numeric, 605.3::numeric, 1149::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('interval_factor', 'offline_dense', null::numeric, 1.180::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('interval_factor', 'offline_moe', null::numeric, 1.197::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('interval_factor', 'one_stream', null::numeric, 1.107::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('interval_factor', 'one_stream_llama_cpp_hbm', null::numeric, 1.223::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('interval_factor', 'prefill', null::numeric, 1.220::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('interval_factor', 'prefill_llama_cpp', null::numeric, 1.224::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('interval_factor', 'served_dense', null::numeric, 1.145::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('interval_factor', 'served_moe', null::numeric, 1.215::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('interval_factor', 'static', null::numeric, 1.206::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('o_engine', 'unspecified', null::numeric, 46.5::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26')
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

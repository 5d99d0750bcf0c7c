-- 0026_calibration.sql - constants refitted. Written by `make calibrate`, not by hand.
--
-- Least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate, 2026-11-23.
--
-- A row that somebody edited or removed in the database stays as it is, as it does when the seed is
-- applied; where there is no seed yet, it brings the same figures.

create temp table calibrated on commit drop as
select v.key, v.scope, v.low, v.value, v.high, v.source, v.source_date
from (values
    ('e_mem', '', 0.7525::numeric, 0.8265::numeric, 0.9077::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate', date '2026-11-23'),
    ('f_gddr', '', 0.9595::numeric, 1.083::numeric, 1.222::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate', date '2026-11-23'),
    ('f_wo', '', 0.5208::numeric, 0.6199::numeric, 0.7379::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate', date '2026-11-23'),
    ('e_gemm', '', 0.5985::numeric, 0.6978::numeric, 0.8136::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate', date '2026-11-23'),
    ('f_fp8', '', 0.7022::numeric, 0.851::numeric, 1.031::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate', date '2026-11-23'),
    ('f_fp4', '', 0.4187::numeric, 0.5952::numeric, 0.8461::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate', date '2026-11-23'),
    ('f_amd', '', 0.3438::numeric, 0.5646::numeric, 0.9274::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate', date '2026-11-23'),
    ('e_attn', '', 0.2713::numeric, 0.458::numeric, 0.7731::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate', date '2026-11-23'),
    ('e_link', '', 0.4002::numeric, 0.4906::numeric, 0.6013::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate', date '2026-11-23'),
    ('l_gemm', '', 0.3828::numeric, 0.487::numeric, 0.6197::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate', date '2026-11-23'),
    ('l_attn', '', 0.1072::numeric, 0.1921::numeric, 0.3442::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate', date '2026-11-23'),
    ('a_nv', '', 2.783::numeric, 4.519::numeric, 7.335::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate', date '2026-11-23'),
    ('f_fused', '', 0.3739::numeric, 0.6729::numeric, 1.211::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate', date '2026-11-23'),
    ('a_pcie', '', 54.44::numeric, 101.6::numeric, 189.4::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate', date '2026-11-23'),
    ('o_moe', '', 13.61::numeric, 22.9::numeric, 38.54::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate', date '2026-11-23'),
    ('o_shared', '', 4.842::numeric, 11.3::numeric, 26.36::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate', date '2026-11-23'),
    ('o_mla', '', 11.36::numeric, 20.41::numeric, 36.65::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate', date '2026-11-23'),
    ('f_experts', '', 0.2699::numeric, 0.491::numeric, 0.8935::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate', date '2026-11-23'),
    ('o_quant', '', 5.273::numeric, 9.783::numeric, 18.15::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate', date '2026-11-23'),
    ('b_req', '', 3.305::numeric, 5.758::numeric, 10.03::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate', date '2026-11-23'),
    ('b_sglang', '', 6.199::numeric, 11.35::numeric, 20.78::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate', date '2026-11-23'),
    ('c_route', '', 2.9::numeric, 5.238::numeric, 9.461::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate', date '2026-11-23'),
    ('c_pre', '', 1.184::numeric, 1.959::numeric, 3.243::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate', date '2026-11-23'),
    ('o_engine', 'vllm', 33.68::numeric, 46.6::numeric, 64.48::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate', date '2026-11-23'),
    ('o_engine', 'tensorrt_llm', 34.37::numeric, 46.28::numeric, 62.32::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate', date '2026-11-23'),
    ('o_engine', 'sglang', 35.68::numeric, 52.54::numeric, 77.38::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate', date '2026-11-23'),
    ('o_engine', 'llama_cpp', 65.7::numeric, 93.02::numeric, 131.7::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate', date '2026-11-23'),
    ('o_engine', 'compiled', 33.16::numeric, 46.35::numeric, 64.77::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate', date '2026-11-23'),
    ('o_block', '', 10.45::numeric, 21.73::numeric, 45.18::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate', date '2026-11-23'),
    ('interference_share', 'sglang', 0.3869::numeric, 0.5844::numeric, 0.8826::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate', date '2026-11-23'),
    ('interval_factor', 'offline_moe', null::numeric, 1.283::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate', date '2026-11-23'),
    ('interval_factor', 'one_stream', null::numeric, 1.095::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate', date '2026-11-23'),
    ('interval_factor', 'one_stream_llama_cpp_hbm', null::numeric, 1.230::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate', date '2026-11-23'),
    ('interval_factor', 'prefill', null::numeric, 1.212::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate', date '2026-11-23'),
    ('interval_factor', 'prefill_llama_cpp', null::numeric, 1.611::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate', date '2026-11-23'),
    ('interval_factor', 'served_moe', null::numeric, 1.256::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate', date '2026-11-23'),
    ('interval_factor', 'static', null::numeric, 1.203::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate', date '2026-11-23'),
    ('o_engine', 'unspecified', null::numeric, 46.41::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate', date '2026-11-23')
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

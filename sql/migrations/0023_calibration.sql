-- 0023_calibration.sql - constants refitted. Written by `make calibrate`, not by hand.
--
-- Least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate, 2026-11-23.
--
-- A row that somebody edited or removed in the database stays as it is, as it does when the seed is
-- applied; where there is no seed yet, it brings the same figures.

create temp table calibrated on commit drop as
select v.key, v.scope, v.low, v.value, v.high, v.source, v.source_date
from (values
    ('e_mem', '', 0.7762::numeric, 0.8527::numeric, 0.9368::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate', date '2026-11-23'),
    ('f_gddr', '', 0.9341::numeric, 1.055::numeric, 1.191::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate', date '2026-11-23'),
    ('f_wo', '', 0.511::numeric, 0.6085::numeric, 0.7245::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate', date '2026-11-23'),
    ('e_gemm', '', 0.59::numeric, 0.6866::numeric, 0.7991::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate', date '2026-11-23'),
    ('f_fp8', '', 0.7035::numeric, 0.8507::numeric, 1.029::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate', date '2026-11-23'),
    ('f_fp4', '', 0.4131::numeric, 0.5829::numeric, 0.8225::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate', date '2026-11-23'),
    ('f_amd', '', 0.3462::numeric, 0.5673::numeric, 0.9295::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate', date '2026-11-23'),
    ('e_attn', '', 0.2723::numeric, 0.4599::numeric, 0.7765::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate', date '2026-11-23'),
    ('e_link', '', 0.4014::numeric, 0.4922::numeric, 0.6037::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate', date '2026-11-23'),
    ('l_gemm', '', 0.3885::numeric, 0.4939::numeric, 0.6277::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate', date '2026-11-23'),
    ('l_attn', '', 0.1073::numeric, 0.1924::numeric, 0.3449::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate', date '2026-11-23'),
    ('a_nv', '', 2.798::numeric, 4.538::numeric, 7.361::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate', date '2026-11-23'),
    ('f_fused', '', 0.3743::numeric, 0.6743::numeric, 1.215::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate', date '2026-11-23'),
    ('a_pcie', '', 54.51::numeric, 101.7::numeric, 189.6::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate', date '2026-11-23'),
    ('o_moe', '', 10.64::numeric, 18.09::numeric, 30.74::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate', date '2026-11-23'),
    ('o_shared', '', 4.467::numeric, 10.49::numeric, 24.65::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate', date '2026-11-23'),
    ('o_mla', '', 10.6::numeric, 19.18::numeric, 34.71::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate', date '2026-11-23'),
    ('b_req', '', 3.191::numeric, 5.583::numeric, 9.766::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate', date '2026-11-23'),
    ('b_sglang', '', 6.067::numeric, 11.13::numeric, 20.43::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate', date '2026-11-23'),
    ('c_route', '', 2.587::numeric, 4.725::numeric, 8.63::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate', date '2026-11-23'),
    ('c_pre', '', 1.174::numeric, 1.936::numeric, 3.192::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate', date '2026-11-23'),
    ('o_engine', 'vllm', 34.86::numeric, 47.99::numeric, 66.06::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate', date '2026-11-23'),
    ('o_engine', 'tensorrt_llm', 35.93::numeric, 48.06::numeric, 64.28::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate', date '2026-11-23'),
    ('o_engine', 'sglang', 34.2::numeric, 50.78::numeric, 75.4::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate', date '2026-11-23'),
    ('o_engine', 'llama_cpp', 66.96::numeric, 94.42::numeric, 133.1::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate', date '2026-11-23'),
    ('o_engine', 'compiled', 34.22::numeric, 47.58::numeric, 66.15::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate', date '2026-11-23'),
    ('o_block', '', 10.8::numeric, 22.19::numeric, 45.59::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate', date '2026-11-23'),
    ('interference_share', 'sglang', 0.3832::numeric, 0.5774::numeric, 0.87::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate', date '2026-11-23'),
    ('interval_factor', 'offline_dense', null::numeric, 1.210::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate', date '2026-11-23'),
    ('interval_factor', 'offline_moe', null::numeric, 1.278::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate', date '2026-11-23'),
    ('interval_factor', 'one_stream', null::numeric, 1.102::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate', date '2026-11-23'),
    ('interval_factor', 'one_stream_llama_cpp_hbm', null::numeric, 1.219::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate', date '2026-11-23'),
    ('interval_factor', 'prefill', null::numeric, 1.211::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate', date '2026-11-23'),
    ('interval_factor', 'prefill_llama_cpp', null::numeric, 1.603::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate', date '2026-11-23'),
    ('interval_factor', 'served_dense', null::numeric, 1.192::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate', date '2026-11-23'),
    ('interval_factor', 'served_moe', null::numeric, 1.295::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate', date '2026-11-23'),
    ('interval_factor', 'static', null::numeric, 1.194::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate', date '2026-11-23'),
    ('o_engine', 'unspecified', null::numeric, 47.88::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 6dba98d5baf4), make calibrate', date '2026-11-23')
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

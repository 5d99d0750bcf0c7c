-- 0019_calibration.sql - constants refitted. Written by `make calibrate`, not by hand.
--
-- Least squares on 4024 published runs of 179 sources (tests/accuracy/inference.csv, sha256 ab75852b72f5), make calibrate, 2026-11-23.
--
-- A row that somebody edited or removed in the database stays as it is, as it does when the seed is
-- applied; where there is no seed yet, it brings the same figures.

create temp table calibrated on commit drop as
select v.key, v.scope, v.low, v.value, v.high, v.source, v.source_date
from (values
    ('e_mem', '', 0.7735::numeric, 0.8504::numeric, 0.935::numeric, 'least squares on 4024 published runs of 179 sources (tests/accuracy/inference.csv, sha256 ab75852b72f5), make calibrate', date '2026-11-23'),
    ('f_gddr', '', 0.9351::numeric, 1.056::numeric, 1.194::numeric, 'least squares on 4024 published runs of 179 sources (tests/accuracy/inference.csv, sha256 ab75852b72f5), make calibrate', date '2026-11-23'),
    ('f_wo', '', 0.5155::numeric, 0.614::numeric, 0.7312::numeric, 'least squares on 4024 published runs of 179 sources (tests/accuracy/inference.csv, sha256 ab75852b72f5), make calibrate', date '2026-11-23'),
    ('e_gemm', '', 0.6081::numeric, 0.7081::numeric, 0.8246::numeric, 'least squares on 4024 published runs of 179 sources (tests/accuracy/inference.csv, sha256 ab75852b72f5), make calibrate', date '2026-11-23'),
    ('e_moe', '', 0.345::numeric, 0.4997::numeric, 0.6529::numeric, 'least squares on 4024 published runs of 179 sources (tests/accuracy/inference.csv, sha256 ab75852b72f5), make calibrate', date '2026-11-23'),
    ('f_fp8', '', 0.7015::numeric, 0.8457::numeric, 1.02::numeric, 'least squares on 4024 published runs of 179 sources (tests/accuracy/inference.csv, sha256 ab75852b72f5), make calibrate', date '2026-11-23'),
    ('f_fp4', '', 0.3963::numeric, 0.5459::numeric, 0.7519::numeric, 'least squares on 4024 published runs of 179 sources (tests/accuracy/inference.csv, sha256 ab75852b72f5), make calibrate', date '2026-11-23'),
    ('f_amd', '', 0.3419::numeric, 0.5621::numeric, 0.9241::numeric, 'least squares on 4024 published runs of 179 sources (tests/accuracy/inference.csv, sha256 ab75852b72f5), make calibrate', date '2026-11-23'),
    ('e_attn', '', 0.2662::numeric, 0.4471::numeric, 0.7512::numeric, 'least squares on 4024 published runs of 179 sources (tests/accuracy/inference.csv, sha256 ab75852b72f5), make calibrate', date '2026-11-23'),
    ('e_link', '', 0.4068::numeric, 0.4998::numeric, 0.6142::numeric, 'least squares on 4024 published runs of 179 sources (tests/accuracy/inference.csv, sha256 ab75852b72f5), make calibrate', date '2026-11-23'),
    ('l_gemm', '', 0.3783::numeric, 0.4811::numeric, 0.6118::numeric, 'least squares on 4024 published runs of 179 sources (tests/accuracy/inference.csv, sha256 ab75852b72f5), make calibrate', date '2026-11-23'),
    ('l_attn', '', 0.107::numeric, 0.1918::numeric, 0.3436::numeric, 'least squares on 4024 published runs of 179 sources (tests/accuracy/inference.csv, sha256 ab75852b72f5), make calibrate', date '2026-11-23'),
    ('a_nv', '', 2.795::numeric, 4.433::numeric, 7.03::numeric, 'least squares on 4024 published runs of 179 sources (tests/accuracy/inference.csv, sha256 ab75852b72f5), make calibrate', date '2026-11-23'),
    ('a_pcie', '', 54.9::numeric, 102.4::numeric, 190.8::numeric, 'least squares on 4024 published runs of 179 sources (tests/accuracy/inference.csv, sha256 ab75852b72f5), make calibrate', date '2026-11-23'),
    ('o_moe', '', 10.77::numeric, 18.31::numeric, 31.15::numeric, 'least squares on 4024 published runs of 179 sources (tests/accuracy/inference.csv, sha256 ab75852b72f5), make calibrate', date '2026-11-23'),
    ('o_mla', '', 11.11::numeric, 19.97::numeric, 35.91::numeric, 'least squares on 4024 published runs of 179 sources (tests/accuracy/inference.csv, sha256 ab75852b72f5), make calibrate', date '2026-11-23'),
    ('b_req', '', 3.148::numeric, 5.527::numeric, 9.707::numeric, 'least squares on 4024 published runs of 179 sources (tests/accuracy/inference.csv, sha256 ab75852b72f5), make calibrate', date '2026-11-23'),
    ('b_sglang', '', 6.612::numeric, 12.1::numeric, 22.14::numeric, 'least squares on 4024 published runs of 179 sources (tests/accuracy/inference.csv, sha256 ab75852b72f5), make calibrate', date '2026-11-23'),
    ('c_pre', '', 1.206::numeric, 1.995::numeric, 3.299::numeric, 'least squares on 4024 published runs of 179 sources (tests/accuracy/inference.csv, sha256 ab75852b72f5), make calibrate', date '2026-11-23'),
    ('o_engine', 'vllm', 34.81::numeric, 47.74::numeric, 65.47::numeric, 'least squares on 4024 published runs of 179 sources (tests/accuracy/inference.csv, sha256 ab75852b72f5), make calibrate', date '2026-11-23'),
    ('o_engine', 'tensorrt_llm', 33.32::numeric, 45.12::numeric, 61.1::numeric, 'least squares on 4024 published runs of 179 sources (tests/accuracy/inference.csv, sha256 ab75852b72f5), make calibrate', date '2026-11-23'),
    ('o_engine', 'sglang', 41.6::numeric, 58.77::numeric, 83.04::numeric, 'least squares on 4024 published runs of 179 sources (tests/accuracy/inference.csv, sha256 ab75852b72f5), make calibrate', date '2026-11-23'),
    ('o_engine', 'llama_cpp', 67.03::numeric, 94.52::numeric, 133.3::numeric, 'least squares on 4024 published runs of 179 sources (tests/accuracy/inference.csv, sha256 ab75852b72f5), make calibrate', date '2026-11-23'),
    ('o_engine', 'compiled', 34.35::numeric, 47.73::numeric, 66.33::numeric, 'least squares on 4024 published runs of 179 sources (tests/accuracy/inference.csv, sha256 ab75852b72f5), make calibrate', date '2026-11-23'),
    ('interval_factor', 'offline_dense', null::numeric, 1.201::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (tests/accuracy/inference.csv, sha256 ab75852b72f5), make calibrate', date '2026-11-23'),
    ('interval_factor', 'offline_moe', null::numeric, 1.440::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (tests/accuracy/inference.csv, sha256 ab75852b72f5), make calibrate', date '2026-11-23'),
    ('interval_factor', 'one_stream', null::numeric, 1.099::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (tests/accuracy/inference.csv, sha256 ab75852b72f5), make calibrate', date '2026-11-23'),
    ('interval_factor', 'one_stream_llama_cpp_hbm', null::numeric, 1.215::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (tests/accuracy/inference.csv, sha256 ab75852b72f5), make calibrate', date '2026-11-23'),
    ('interval_factor', 'prefill', null::numeric, 1.235::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (tests/accuracy/inference.csv, sha256 ab75852b72f5), make calibrate', date '2026-11-23'),
    ('interval_factor', 'prefill_llama_cpp', null::numeric, 1.612::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (tests/accuracy/inference.csv, sha256 ab75852b72f5), make calibrate', date '2026-11-23'),
    ('interval_factor', 'served_dense', null::numeric, 1.227::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (tests/accuracy/inference.csv, sha256 ab75852b72f5), make calibrate', date '2026-11-23'),
    ('interval_factor', 'served_moe', null::numeric, 1.293::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (tests/accuracy/inference.csv, sha256 ab75852b72f5), make calibrate', date '2026-11-23'),
    ('interval_factor', 'static', null::numeric, 1.254::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (tests/accuracy/inference.csv, sha256 ab75852b72f5), make calibrate', date '2026-11-23'),
    ('o_engine', 'unspecified', null::numeric, 46.86::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (tests/accuracy/inference.csv, sha256 ab75852b72f5), make calibrate', date '2026-11-23')
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

-- 0006_calibration.sql - constants refitted. Written by `make calibrate`, not by hand.
--
-- Least squares on 3504 published runs of 169 sources (tests/accuracy/inference.csv, sha256 44fc718e639d), make calibrate, 2026-11-21.
--
-- A row that somebody edited or removed in the database stays as it is, as it does when the seed is
-- applied; where there is no seed yet, it brings the same figures.

create temp table calibrated on commit drop as
select v.key, v.scope, v.low, v.value, v.high, v.source, v.source_date
from (values
    ('e_mem', '', 0.7734::numeric, 0.831::numeric, 0.8929::numeric, 'least squares on 3504 published runs of 169 sources (tests/accuracy/inference.csv, sha256 44fc718e639d), make calibrate', date '2026-11-21'),
    ('f_gddr', '', 0.999::numeric, 1.092::numeric, 1.193::numeric, 'least squares on 3504 published runs of 169 sources (tests/accuracy/inference.csv, sha256 44fc718e639d), make calibrate', date '2026-11-21'),
    ('f_wo', '', 0.554::numeric, 0.6358::numeric, 0.7296::numeric, 'least squares on 3504 published runs of 169 sources (tests/accuracy/inference.csv, sha256 44fc718e639d), make calibrate', date '2026-11-21'),
    ('e_gemm', '', 0.6528::numeric, 0.7378::numeric, 0.8339::numeric, 'least squares on 3504 published runs of 169 sources (tests/accuracy/inference.csv, sha256 44fc718e639d), make calibrate', date '2026-11-21'),
    ('e_moe', '', 0.414::numeric, 0.5309::numeric, 0.681::numeric, 'least squares on 3504 published runs of 169 sources (tests/accuracy/inference.csv, sha256 44fc718e639d), make calibrate', date '2026-11-21'),
    ('f_fp8', '', 0.7115::numeric, 0.8202::numeric, 0.9456::numeric, 'least squares on 3504 published runs of 169 sources (tests/accuracy/inference.csv, sha256 44fc718e639d), make calibrate', date '2026-11-21'),
    ('f_fp4', '', 0.3753::numeric, 0.4983::numeric, 0.6617::numeric, 'least squares on 3504 published runs of 169 sources (tests/accuracy/inference.csv, sha256 44fc718e639d), make calibrate', date '2026-11-21'),
    ('f_amd', '', 0.3514::numeric, 0.501::numeric, 0.7143::numeric, 'least squares on 3504 published runs of 169 sources (tests/accuracy/inference.csv, sha256 44fc718e639d), make calibrate', date '2026-11-21'),
    ('e_attn', '', 0.3649::numeric, 0.5259::numeric, 0.7579::numeric, 'least squares on 3504 published runs of 169 sources (tests/accuracy/inference.csv, sha256 44fc718e639d), make calibrate', date '2026-11-21'),
    ('e_link', '', 0.4196::numeric, 0.5047::numeric, 0.6072::numeric, 'least squares on 3504 published runs of 169 sources (tests/accuracy/inference.csv, sha256 44fc718e639d), make calibrate', date '2026-11-21'),
    ('l_gemm', '', 0.3911::numeric, 0.4967::numeric, 0.6309::numeric, 'least squares on 3504 published runs of 169 sources (tests/accuracy/inference.csv, sha256 44fc718e639d), make calibrate', date '2026-11-21'),
    ('l_attn', '', 0.06499::numeric, 0.1136::numeric, 0.1987::numeric, 'least squares on 3504 published runs of 169 sources (tests/accuracy/inference.csv, sha256 44fc718e639d), make calibrate', date '2026-11-21'),
    ('a_nv', '', 2.635::numeric, 4.193::numeric, 6.673::numeric, 'least squares on 3504 published runs of 169 sources (tests/accuracy/inference.csv, sha256 44fc718e639d), make calibrate', date '2026-11-21'),
    ('a_pcie', '', 76.13::numeric, 141.3::numeric, 262.2::numeric, 'least squares on 3504 published runs of 169 sources (tests/accuracy/inference.csv, sha256 44fc718e639d), make calibrate', date '2026-11-21'),
    ('o_moe', '', 7.271::numeric, 14.9::numeric, 30.52::numeric, 'least squares on 3504 published runs of 169 sources (tests/accuracy/inference.csv, sha256 44fc718e639d), make calibrate', date '2026-11-21'),
    ('o_mla', '', 11.16::numeric, 20.29::numeric, 36.9::numeric, 'least squares on 3504 published runs of 169 sources (tests/accuracy/inference.csv, sha256 44fc718e639d), make calibrate', date '2026-11-21'),
    ('b_req', '', 2.954::numeric, 4.804::numeric, 7.812::numeric, 'least squares on 3504 published runs of 169 sources (tests/accuracy/inference.csv, sha256 44fc718e639d), make calibrate', date '2026-11-21'),
    ('b_sglang', '', 14.38::numeric, 22.93::numeric, 36.55::numeric, 'least squares on 3504 published runs of 169 sources (tests/accuracy/inference.csv, sha256 44fc718e639d), make calibrate', date '2026-11-21'),
    ('c_pre', '', 1.404::numeric, 2.006::numeric, 2.866::numeric, 'least squares on 3504 published runs of 169 sources (tests/accuracy/inference.csv, sha256 44fc718e639d), make calibrate', date '2026-11-21'),
    ('o_engine', 'vllm', 38.63::numeric, 49.06::numeric, 62.3::numeric, 'least squares on 3504 published runs of 169 sources (tests/accuracy/inference.csv, sha256 44fc718e639d), make calibrate', date '2026-11-21'),
    ('o_engine', 'tensorrt_llm', 36.07::numeric, 45.63::numeric, 57.72::numeric, 'least squares on 3504 published runs of 169 sources (tests/accuracy/inference.csv, sha256 44fc718e639d), make calibrate', date '2026-11-21'),
    ('o_engine', 'sglang', 50.99::numeric, 67.27::numeric, 88.74::numeric, 'least squares on 3504 published runs of 169 sources (tests/accuracy/inference.csv, sha256 44fc718e639d), make calibrate', date '2026-11-21'),
    ('o_engine', 'llama_cpp', 77.99::numeric, 101::numeric, 130.7::numeric, 'least squares on 3504 published runs of 169 sources (tests/accuracy/inference.csv, sha256 44fc718e639d), make calibrate', date '2026-11-21'),
    ('o_engine', 'compiled', 35.78::numeric, 46.53::numeric, 60.52::numeric, 'least squares on 3504 published runs of 169 sources (tests/accuracy/inference.csv, sha256 44fc718e639d), make calibrate', date '2026-11-21'),
    ('interval_factor', 'offline_dense', null::numeric, 1.170::numeric, null::numeric, 'least squares on 3504 published runs of 169 sources (tests/accuracy/inference.csv, sha256 44fc718e639d), make calibrate', date '2026-11-21'),
    ('interval_factor', 'offline_moe', null::numeric, 1.304::numeric, null::numeric, 'least squares on 3504 published runs of 169 sources (tests/accuracy/inference.csv, sha256 44fc718e639d), make calibrate', date '2026-11-21'),
    ('interval_factor', 'one_stream', null::numeric, 1.092::numeric, null::numeric, 'least squares on 3504 published runs of 169 sources (tests/accuracy/inference.csv, sha256 44fc718e639d), make calibrate', date '2026-11-21'),
    ('interval_factor', 'one_stream_llama_cpp_hbm', null::numeric, 1.217::numeric, null::numeric, 'least squares on 3504 published runs of 169 sources (tests/accuracy/inference.csv, sha256 44fc718e639d), make calibrate', date '2026-11-21'),
    ('interval_factor', 'prefill', null::numeric, 1.233::numeric, null::numeric, 'least squares on 3504 published runs of 169 sources (tests/accuracy/inference.csv, sha256 44fc718e639d), make calibrate', date '2026-11-21'),
    ('interval_factor', 'prefill_llama_cpp', null::numeric, 1.583::numeric, null::numeric, 'least squares on 3504 published runs of 169 sources (tests/accuracy/inference.csv, sha256 44fc718e639d), make calibrate', date '2026-11-21'),
    ('interval_factor', 'served_dense', null::numeric, 1.171::numeric, null::numeric, 'least squares on 3504 published runs of 169 sources (tests/accuracy/inference.csv, sha256 44fc718e639d), make calibrate', date '2026-11-21'),
    ('interval_factor', 'served_moe', null::numeric, 1.292::numeric, null::numeric, 'least squares on 3504 published runs of 169 sources (tests/accuracy/inference.csv, sha256 44fc718e639d), make calibrate', date '2026-11-21'),
    ('interval_factor', 'static', null::numeric, 1.258::numeric, null::numeric, 'least squares on 3504 published runs of 169 sources (tests/accuracy/inference.csv, sha256 44fc718e639d), make calibrate', date '2026-11-21'),
    ('o_engine', 'unspecified', null::numeric, 47.07::numeric, null::numeric, 'least squares on 3504 published runs of 169 sources (tests/accuracy/inference.csv, sha256 44fc718e639d), make calibrate', date '2026-11-21')
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

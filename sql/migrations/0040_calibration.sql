-- 0040_calibration.sql - constants refitted. Written by `make calibrate`, not by hand.
--
-- Least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate, 2026-11-26.
--
-- A row that somebody edited or removed in the database stays as it is, as it does when the seed is
-- applied; where there is no seed yet, it brings the same figures.

create temp table calibrated on commit drop as
select v.key, v.scope, v.low, v.value, v.high, v.source, v.source_date
from (values
    ('e_mem', '', 0.7564::numeric, 0.8299::numeric, 0.9106::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('f_gddr', '', 0.9588::numeric, 1.08::numeric, 1.217::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('f_wo', '', 0.5241::numeric, 0.6239::numeric, 0.7426::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('e_gemm', '', 0.5942::numeric, 0.6922::numeric, 0.8064::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('f_fp8', '', 0.7064::numeric, 0.8535::numeric, 1.031::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('f_fp4', '', 0.4288::numeric, 0.6073::numeric, 0.8602::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('f_amd', '', 0.3443::numeric, 0.565::numeric, 0.9271::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('e_attn', '', 0.2833::numeric, 0.4789::numeric, 0.8096::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('e_link', '', 0.3806::numeric, 0.4678::numeric, 0.5749::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('l_gemm', '', 0.5073::numeric, 0.6829::numeric, 0.9192::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('l_attn', '', 0.2127::numeric, 0.4029::numeric, 0.7631::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('l_power', '', 0.1698::numeric, 0.3082::numeric, 0.5594::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('l_score', '', 13.5::numeric, 22.02::numeric, 35.91::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('a_nv', '', 2.845::numeric, 4.594::numeric, 7.419::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('f_fused', '', 0.3758::numeric, 0.6737::numeric, 1.208::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('a_pcie', '', 53.29::numeric, 99.58::numeric, 186.1::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('o_moe', '', 12.25::numeric, 20.92::numeric, 35.73::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('o_shared', '', 4.882::numeric, 11.36::numeric, 26.44::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('o_mla', '', 11.56::numeric, 20.72::numeric, 37.13::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('f_experts', '', 0.2693::numeric, 0.4925::numeric, 0.9007::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('o_quant', '', 5.366::numeric, 9.906::numeric, 18.29::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('b_req', '', 2.966::numeric, 5.234::numeric, 9.237::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('b_sglang', '', 5.722::numeric, 10.51::numeric, 19.32::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('c_route', '', 2.892::numeric, 5.18::numeric, 9.278::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('c_pre', '', 1.193::numeric, 1.978::numeric, 3.281::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('o_engine', 'vllm', 34.84::numeric, 47.88::numeric, 65.82::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('o_engine', 'tensorrt_llm', 33.15::numeric, 44.86::numeric, 60.7::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('o_engine', 'sglang', 34.9::numeric, 51.34::numeric, 75.51::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('o_engine', 'llama_cpp', 68.52::numeric, 96.08::numeric, 134.7::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('o_engine', 'compiled', 33.38::numeric, 46.58::numeric, 65.01::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('o_block', '', 11.04::numeric, 22.59::numeric, 46.26::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('o_widen', '', 11.34::numeric, 25.08::numeric, 55.46::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('o_eager', '', 199.5::numeric, 413.2::numeric, 855.7::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('calendar_ratio', '', 0.989::numeric, 1.376::numeric, 1.686::numeric, 'median and shortest 80 % interval of 26 published whole runs over their plans (sql/seed/measurement_whole_run.csv, sha256 de1a4744fa81), make calibrate', date '2026-11-26'),
    ('interval_factor', 'offline_dense', null::numeric, 1.180::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('interval_factor', 'offline_moe', null::numeric, 1.206::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('interval_factor', 'one_stream', null::numeric, 1.106::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('interval_factor', 'one_stream_llama_cpp_hbm', null::numeric, 1.223::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('interval_factor', 'prefill', null::numeric, 1.222::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('interval_factor', 'prefill_llama_cpp', null::numeric, 1.225::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('interval_factor', 'served_dense', null::numeric, 1.146::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('interval_factor', 'served_moe', null::numeric, 1.214::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('interval_factor', 'static', null::numeric, 1.206::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26'),
    ('o_engine', 'unspecified', null::numeric, 46.44::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-26')
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

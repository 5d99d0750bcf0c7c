-- 0069_calibration.sql - constants refitted. Written by `make calibrate`, not by hand.
--
-- Least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate, 2026-11-28.
--
-- A row that somebody edited or removed in the database stays as it is, as it does when the seed is
-- applied; where there is no seed yet, it brings the same figures.

create temp table calibrated on commit drop as
select v.key, v.scope, v.low, v.value, v.high, v.source, v.source_date
from (values
    ('e_mem', '', 0.7683::numeric, 0.8438::numeric, 0.9266::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('f_gddr', '', 0.9464::numeric, 1.067::numeric, 1.204::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('f_wo', '', 0.517::numeric, 0.616::numeric, 0.734::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('e_gemm', '', 0.5916::numeric, 0.6886::numeric, 0.8014::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('f_fp8', '', 0.7115::numeric, 0.8587::numeric, 1.036::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('f_fp4', '', 0.4316::numeric, 0.6101::numeric, 0.8625::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('f_amd', '', 0.3441::numeric, 0.5646::numeric, 0.9263::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('e_attn', '', 0.2899::numeric, 0.4919::numeric, 0.8346::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('e_link', '', 0.3916::numeric, 0.4787::numeric, 0.5851::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('l_gemm', '', 0.5082::numeric, 0.6833::numeric, 0.9188::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('l_power', '', 0.1702::numeric, 0.3088::numeric, 0.5602::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('l_score', '', 13.49::numeric, 22.03::numeric, 35.97::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('a_nv', '', 3.049::numeric, 5.47::numeric, 9.812::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('f_fused', '', 0.3602::numeric, 0.6733::numeric, 1.258::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('a_pcie', '', 53.71::numeric, 100.3::numeric, 187.2::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('o_moe', '', 13.09::numeric, 22::numeric, 36.98::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('o_shared', '', 4.92::numeric, 11.45::numeric, 26.67::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('o_shared', 'tensorrt_llm_fp8', 28.42::numeric, 61.17::numeric, 131.7::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('o_mla', '', 11.5::numeric, 20.56::numeric, 36.75::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('f_experts', '', 0.276::numeric, 0.5014::numeric, 0.911::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('o_quant', '', 5.398::numeric, 9.946::numeric, 18.33::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('b_req', '', 2.954::numeric, 5.209::numeric, 9.185::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('b_sglang', '', 5.676::numeric, 10.43::numeric, 19.18::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('c_route', '', 2.687::numeric, 4.847::numeric, 8.742::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('c_pre', '', 1.191::numeric, 1.964::numeric, 3.239::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('o_engine', 'vllm', 40.89::numeric, 53.63::numeric, 70.34::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('o_engine', 'tensorrt_llm', 35.37::numeric, 46.33::numeric, 60.68::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('o_engine', 'sglang', 40.87::numeric, 57.66::numeric, 81.35::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('o_engine', 'llama_cpp', 69.3::numeric, 96.98::numeric, 135.7::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('o_engine', 'compiled', 36.09::numeric, 49.63::numeric, 68.24::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('o_block', '', 10.43::numeric, 21.53::numeric, 44.41::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('o_widen', '', 11.69::numeric, 25.71::numeric, 56.57::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('o_eager', '', 191.4::numeric, 399.1::numeric, 832.2::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('interval_factor', 'offline_dense', null::numeric, 1.178::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('interval_factor', 'offline_moe', null::numeric, 1.187::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('interval_factor', 'prefill', null::numeric, 1.227::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('interval_factor', 'served_moe', null::numeric, 1.184::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('interval_factor', 'static', null::numeric, 1.200::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('o_engine', 'unspecified', null::numeric, 49.86::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28')
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

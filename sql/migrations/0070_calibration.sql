-- 0070_calibration.sql - constants refitted. Written by `make calibrate`, not by hand.
--
-- Least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate, 2026-11-28.
--
-- A row that somebody edited or removed in the database stays as it is, as it does when the seed is
-- applied; where there is no seed yet, it brings the same figures.

create temp table calibrated on commit drop as
select v.key, v.scope, v.low, v.value, v.high, v.source, v.source_date
from (values
    ('e_mem', '', 0.7676::numeric, 0.8428::numeric, 0.9254::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('f_gddr', '', 0.9474::numeric, 1.068::numeric, 1.205::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('f_wo', '', 0.5174::numeric, 0.6164::numeric, 0.7344::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('e_gemm', '', 0.5918::numeric, 0.689::numeric, 0.8021::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('f_fp8', '', 0.7115::numeric, 0.8588::numeric, 1.037::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('f_fp4', '', 0.4301::numeric, 0.6077::numeric, 0.8585::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('f_amd', '', 0.344::numeric, 0.5644::numeric, 0.9263::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('e_attn', '', 0.2873::numeric, 0.4903::numeric, 0.8369::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('e_link', '', 0.3913::numeric, 0.4782::numeric, 0.5845::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('l_gemm', '', 0.508::numeric, 0.6832::numeric, 0.9187::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('l_power', '', 0.1702::numeric, 0.3087::numeric, 0.5601::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('a_nv', '', 3.055::numeric, 5.479::numeric, 9.827::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('f_fused', '', 0.3598::numeric, 0.6725::numeric, 1.257::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('a_pcie', '', 53.69::numeric, 100.2::numeric, 187.1::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('o_moe', '', 12.97::numeric, 21.82::numeric, 36.71::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('o_shared', '', 4.804::numeric, 11.22::numeric, 26.2::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('o_shared', 'tensorrt_llm_fp8', 31.74::numeric, 64.47::numeric, 131::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('o_mla', '', 11.42::numeric, 20.43::numeric, 36.54::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('f_experts', '', 0.2777::numeric, 0.5046::numeric, 0.9167::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('o_quant', '', 5.401::numeric, 9.951::numeric, 18.33::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('b_req', '', 2.957::numeric, 5.214::numeric, 9.194::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('b_sglang', '', 5.685::numeric, 10.45::numeric, 19.21::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('c_route', '', 2.719::numeric, 4.896::numeric, 8.818::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('c_pre', '', 1.193::numeric, 1.968::numeric, 3.247::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('o_engine', 'vllm', 40.84::numeric, 53.57::numeric, 70.28::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('o_engine', 'tensorrt_llm', 35.17::numeric, 46.1::numeric, 60.42::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('o_engine', 'sglang', 41.42::numeric, 58.29::numeric, 82.04::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('o_engine', 'llama_cpp', 69.26::numeric, 96.93::numeric, 135.7::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('o_engine', 'compiled', 36.06::numeric, 49.59::numeric, 68.2::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('o_block', '', 10.03::numeric, 20.87::numeric, 43.42::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('o_widen', '', 11.74::numeric, 25.81::numeric, 56.74::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('o_eager', '', 190.7::numeric, 398::numeric, 830.6::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('interval_factor', 'offline_dense', null::numeric, 1.179::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('interval_factor', 'offline_moe', null::numeric, 1.186::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('interval_factor', 'one_stream_llama_cpp_hbm', null::numeric, 1.221::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('interval_factor', 'prefill', null::numeric, 1.228::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('interval_factor', 'served_moe', null::numeric, 1.182::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('interval_factor', 'static', null::numeric, 1.201::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('o_engine', 'unspecified', null::numeric, 49.75::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28')
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

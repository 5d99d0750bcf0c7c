-- 0070_calibration.sql - constants refitted. Written by `make calibrate`, not by hand.
--
-- Least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate, 2026-11-28.
--
-- A row that somebody edited or removed in the database stays as it is, as it does when the seed is
-- applied; where there is no seed yet, it brings the same figures.

create temp table calibrated on commit drop as
select v.key, v.scope, v.low, v.value, v.high, v.source, v.source_date
from (values
    ('e_mem', '', 0.7674::numeric, 0.8426::numeric, 0.9251::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('f_gddr', '', 0.9477::numeric, 1.069::numeric, 1.205::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('f_wo', '', 0.5176::numeric, 0.6166::numeric, 0.7346::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('e_gemm', '', 0.5919::numeric, 0.6891::numeric, 0.8023::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('f_fp8', '', 0.7114::numeric, 0.8588::numeric, 1.037::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('f_fp4', '', 0.4302::numeric, 0.6078::numeric, 0.8587::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('f_amd', '', 0.3439::numeric, 0.5644::numeric, 0.9262::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('e_attn', '', 0.2871::numeric, 0.4899::numeric, 0.8361::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('e_link', '', 0.3912::numeric, 0.4782::numeric, 0.5845::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('l_gemm', '', 0.508::numeric, 0.6831::numeric, 0.9186::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('l_power', '', 0.1702::numeric, 0.3087::numeric, 0.5601::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('a_nv', '', 3.055::numeric, 5.479::numeric, 9.828::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('f_fused', '', 0.3597::numeric, 0.6723::numeric, 1.257::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('a_pcie', '', 53.69::numeric, 100.2::numeric, 187.1::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('o_moe', '', 12.99::numeric, 21.84::numeric, 36.74::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('o_shared', '', 4.826::numeric, 11.27::numeric, 26.3::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('o_shared', 'tensorrt_llm_fp8', 31.17::numeric, 63.67::numeric, 130::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('o_mla', '', 11.44::numeric, 20.46::numeric, 36.6::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('f_experts', '', 0.2776::numeric, 0.5044::numeric, 0.9164::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('o_quant', '', 5.4::numeric, 9.949::numeric, 18.33::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('b_req', '', 2.956::numeric, 5.213::numeric, 9.192::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('b_sglang', '', 5.685::numeric, 10.45::numeric, 19.21::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('c_route', '', 2.718::numeric, 4.896::numeric, 8.817::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('c_pre', '', 1.193::numeric, 1.968::numeric, 3.246::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('o_engine', 'vllm', 40.82::numeric, 53.55::numeric, 70.26::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('o_engine', 'tensorrt_llm', 35.18::numeric, 46.1::numeric, 60.43::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('o_engine', 'sglang', 41.34::numeric, 58.2::numeric, 81.94::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('o_engine', 'llama_cpp', 69.26::numeric, 96.93::numeric, 135.6::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('o_engine', 'compiled', 36.05::numeric, 49.58::numeric, 68.19::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('o_block', '', 10.07::numeric, 20.93::numeric, 43.51::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('o_widen', '', 11.73::numeric, 25.8::numeric, 56.72::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('o_eager', '', 190.7::numeric, 398::numeric, 830.5::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('interval_factor', 'offline_dense', null::numeric, 1.179::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('interval_factor', 'offline_moe', null::numeric, 1.186::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('interval_factor', 'one_stream_llama_cpp_hbm', null::numeric, 1.221::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('interval_factor', 'prefill', null::numeric, 1.228::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('interval_factor', 'served_dense', null::numeric, 1.135::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('interval_factor', 'served_moe', null::numeric, 1.183::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
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

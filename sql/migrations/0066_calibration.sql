-- 0066_calibration.sql - constants refitted. Written by `make calibrate`, not by hand.
--
-- Least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate, 2026-11-28.
--
-- A row that somebody edited or removed in the database stays as it is, as it does when the seed is
-- applied; where there is no seed yet, it brings the same figures.

create temp table calibrated on commit drop as
select v.key, v.scope, v.low, v.value, v.high, v.source, v.source_date
from (values
    ('e_mem', '', 0.7674::numeric, 0.8428::numeric, 0.9255::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('f_gddr', '', 0.9477::numeric, 1.069::numeric, 1.205::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('f_wo', '', 0.5176::numeric, 0.6168::numeric, 0.7349::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('e_gemm', '', 0.5925::numeric, 0.6898::numeric, 0.8031::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('f_fp8', '', 0.7083::numeric, 0.8553::numeric, 1.033::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('f_fp4', '', 0.4304::numeric, 0.6091::numeric, 0.8619::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('f_amd', '', 0.3444::numeric, 0.565::numeric, 0.9267::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('e_attn', '', 0.2866::numeric, 0.485::numeric, 0.821::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('e_link', '', 0.3897::numeric, 0.4763::numeric, 0.5821::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('l_gemm', '', 0.5075::numeric, 0.6824::numeric, 0.9177::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('l_power', '', 0.1702::numeric, 0.3087::numeric, 0.5601::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('l_score', '', 13.5::numeric, 22.03::numeric, 35.98::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('a_nv', '', 3.055::numeric, 5.479::numeric, 9.828::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('f_fused', '', 0.3591::numeric, 0.6712::numeric, 1.255::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('a_pcie', '', 53.69::numeric, 100.2::numeric, 187.1::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('o_moe', '', 13.15::numeric, 22.09::numeric, 37.09::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('o_shared', '', 4.923::numeric, 11.46::numeric, 26.68::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('o_shared', 'tensorrt_llm_fp8', 28.79::numeric, 61.86::numeric, 132.9::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('o_mla', '', 11.51::numeric, 20.57::numeric, 36.76::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('f_experts', '', 0.2765::numeric, 0.5021::numeric, 0.912::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('o_quant', '', 5.392::numeric, 9.936::numeric, 18.31::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('b_req', '', 2.942::numeric, 5.194::numeric, 9.168::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('b_sglang', '', 5.668::numeric, 10.42::numeric, 19.16::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('c_route', '', 2.69::numeric, 4.857::numeric, 8.768::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('c_pre', '', 1.19::numeric, 1.962::numeric, 3.237::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('o_engine', 'vllm', 40.79::numeric, 53.53::numeric, 70.24::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('o_engine', 'tensorrt_llm', 35.34::numeric, 46.3::numeric, 60.65::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('o_engine', 'sglang', 40.69::numeric, 57.47::numeric, 81.15::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('o_engine', 'llama_cpp', 69.31::numeric, 96.99::numeric, 135.7::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('o_engine', 'compiled', 36.06::numeric, 49.59::numeric, 68.2::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('o_block', '', 10.51::numeric, 21.65::numeric, 44.62::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('o_widen', '', 11.68::numeric, 25.7::numeric, 56.56::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('o_eager', '', 205.3::numeric, 422.6::numeric, 870.2::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('interval_factor', 'offline_dense', null::numeric, 1.183::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('interval_factor', 'offline_moe', null::numeric, 1.202::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('interval_factor', 'one_stream', null::numeric, 1.110::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('interval_factor', 'one_stream_llama_cpp_hbm', null::numeric, 1.220::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('interval_factor', 'prefill', null::numeric, 1.226::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('interval_factor', 'served_dense', null::numeric, 1.134::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('interval_factor', 'served_moe', null::numeric, 1.191::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('interval_factor', 'static', null::numeric, 1.198::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28'),
    ('o_engine', 'unspecified', null::numeric, 49.81::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 e0a5d783738b), make calibrate', date '2026-11-28')
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

-- 0030_first_token.sql - first tokens of closed loops: how alike the answers of a run are, and the
-- constants refitted with it.
--
-- The constants were written by `make calibrate`, not by hand: least squares on 4024 published
-- runs of 179 sources (sql/seed/measurement_inference.csv, sha256 df5bd47963db), make calibrate,
-- 2026-11-23.
--
-- A row that somebody edited or removed in the database stays as it is, as it does when the seed is
-- applied; where there is no seed yet, it brings the same figures.

alter table measurement add column output_tokens_cv numeric;
alter table own_measurement add column output_tokens_cv numeric;
comment on column measurement.output_tokens_cv is
    'Spread of the answers'' lengths, standard deviation over mean; 0: all alike, so that clients of a closed loop stay in step; null: not stated';
comment on column own_measurement.output_tokens_cv is
    'Spread of the answers'' lengths, standard deviation over mean; 0: all alike, so that clients of a closed loop stay in step; null: not stated';

update seed_row set content = content || '{"output_tokens_cv": null}'
where table_name = 'measurement';

create temp table calibrated on commit drop as
select v.key, v.scope, v.low, v.value, v.high, v.source, v.source_date
from (values
    ('e_mem', '', 0.7567::numeric, 0.8311::numeric, 0.9127::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 df5bd47963db), make calibrate', date '2026-11-23'),
    ('f_gddr', '', 0.9547::numeric, 1.078::numeric, 1.216::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 df5bd47963db), make calibrate', date '2026-11-23'),
    ('f_wo', '', 0.518::numeric, 0.6167::numeric, 0.7341::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 df5bd47963db), make calibrate', date '2026-11-23'),
    ('e_gemm', '', 0.5965::numeric, 0.6952::numeric, 0.8102::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 df5bd47963db), make calibrate', date '2026-11-23'),
    ('f_fp8', '', 0.7043::numeric, 0.8533::numeric, 1.034::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 df5bd47963db), make calibrate', date '2026-11-23'),
    ('f_fp4', '', 0.4202::numeric, 0.597::numeric, 0.8483::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 df5bd47963db), make calibrate', date '2026-11-23'),
    ('f_amd', '', 0.3438::numeric, 0.5646::numeric, 0.9272::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 df5bd47963db), make calibrate', date '2026-11-23'),
    ('e_attn', '', 0.2758::numeric, 0.4655::numeric, 0.7856::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 df5bd47963db), make calibrate', date '2026-11-23'),
    ('e_link', '', 0.3999::numeric, 0.4899::numeric, 0.6003::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 df5bd47963db), make calibrate', date '2026-11-23'),
    ('l_gemm', '', 0.3841::numeric, 0.4887::numeric, 0.6217::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 df5bd47963db), make calibrate', date '2026-11-23'),
    ('l_attn', '', 0.1072::numeric, 0.1921::numeric, 0.3444::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 df5bd47963db), make calibrate', date '2026-11-23'),
    ('a_nv', '', 2.764::numeric, 4.491::numeric, 7.296::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 df5bd47963db), make calibrate', date '2026-11-23'),
    ('f_fused', '', 0.3736::numeric, 0.6727::numeric, 1.211::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 df5bd47963db), make calibrate', date '2026-11-23'),
    ('a_pcie', '', 54.42::numeric, 101.5::numeric, 189.4::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 df5bd47963db), make calibrate', date '2026-11-23'),
    ('o_moe', '', 13.59::numeric, 22.86::numeric, 38.46::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 df5bd47963db), make calibrate', date '2026-11-23'),
    ('o_shared', '', 4.735::numeric, 11.06::numeric, 25.82::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 df5bd47963db), make calibrate', date '2026-11-23'),
    ('o_mla', '', 11.32::numeric, 20.32::numeric, 36.49::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 df5bd47963db), make calibrate', date '2026-11-23'),
    ('f_experts', '', 0.2689::numeric, 0.4894::numeric, 0.8907::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 df5bd47963db), make calibrate', date '2026-11-23'),
    ('o_quant', '', 5.267::numeric, 9.774::numeric, 18.14::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 df5bd47963db), make calibrate', date '2026-11-23'),
    ('b_req', '', 3.294::numeric, 5.74::numeric, 10::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 df5bd47963db), make calibrate', date '2026-11-23'),
    ('b_sglang', '', 6.103::numeric, 11.16::numeric, 20.41::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 df5bd47963db), make calibrate', date '2026-11-23'),
    ('c_route', '', 2.93::numeric, 5.245::numeric, 9.388::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 df5bd47963db), make calibrate', date '2026-11-23'),
    ('c_pre', '', 1.183::numeric, 1.957::numeric, 3.238::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 df5bd47963db), make calibrate', date '2026-11-23'),
    ('o_engine', 'vllm', 34.03::numeric, 46.97::numeric, 64.81::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 df5bd47963db), make calibrate', date '2026-11-23'),
    ('o_engine', 'tensorrt_llm', 34.61::numeric, 46.51::numeric, 62.5::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 df5bd47963db), make calibrate', date '2026-11-23'),
    ('o_engine', 'sglang', 34.7::numeric, 51.18::numeric, 75.47::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 df5bd47963db), make calibrate', date '2026-11-23'),
    ('o_engine', 'llama_cpp', 65.79::numeric, 93.12::numeric, 131.8::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 df5bd47963db), make calibrate', date '2026-11-23'),
    ('o_engine', 'compiled', 33.32::numeric, 46.52::numeric, 64.97::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 df5bd47963db), make calibrate', date '2026-11-23'),
    ('o_block', '', 10.5::numeric, 21.79::numeric, 45.2::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 df5bd47963db), make calibrate', date '2026-11-23'),
    ('interval_factor', 'offline_dense', null::numeric, 1.208::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 df5bd47963db), make calibrate', date '2026-11-23'),
    ('interval_factor', 'offline_moe', null::numeric, 1.285::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 df5bd47963db), make calibrate', date '2026-11-23'),
    ('interval_factor', 'one_stream', null::numeric, 1.098::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 df5bd47963db), make calibrate', date '2026-11-23'),
    ('interval_factor', 'one_stream_llama_cpp_hbm', null::numeric, 1.230::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 df5bd47963db), make calibrate', date '2026-11-23'),
    ('interval_factor', 'prefill', null::numeric, 1.213::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 df5bd47963db), make calibrate', date '2026-11-23'),
    ('interval_factor', 'prefill_llama_cpp', null::numeric, 1.610::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 df5bd47963db), make calibrate', date '2026-11-23'),
    ('interval_factor', 'served_dense', null::numeric, 1.171::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 df5bd47963db), make calibrate', date '2026-11-23'),
    ('interval_factor', 'served_moe', null::numeric, 1.238::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 df5bd47963db), make calibrate', date '2026-11-23'),
    ('interval_factor', 'static', null::numeric, 1.202::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 df5bd47963db), make calibrate', date '2026-11-23'),
    ('o_engine', 'unspecified', null::numeric, 46.67::numeric, null::numeric, 'least squares on 4024 published runs of 179 sources (sql/seed/measurement_inference.csv, sha256 df5bd47963db), make calibrate', date '2026-11-23'),
    ('interference_share', 'sglang', null, 0.5, null, 'set: prompts are read one after another before anything is written, so that each waits for half of the others before its first token and for half after it', date '2026-11-23')
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

-- 0039_first_pass.sql - what the launch script of a closed loop says of its engine: tokens of a pass,
-- steps between two looks for new requests, and whether it had served anything before.
--
-- The assumptions that read them, ttft_compile, come with the seed.

alter table measurement
    add column tokens_per_pass numeric,
    add column receive_interval numeric,
    add column warmed_up numeric;
alter table own_measurement
    add column tokens_per_pass numeric,
    add column receive_interval numeric,
    add column warmed_up numeric;

comment on column measurement.tokens_per_pass is
    'Most prompt tokens of a pass (--chunked-prefill-size, --max-num-batched-tokens); null: not stated';
comment on column own_measurement.tokens_per_pass is
    'Most prompt tokens of a pass (--chunked-prefill-size, --max-num-batched-tokens); null: not stated';
comment on column measurement.receive_interval is
    'Steps between two looks for new requests (SGLang --scheduler-recv-interval); null: not stated';
comment on column own_measurement.receive_interval is
    'Steps between two looks for new requests (SGLang --scheduler-recv-interval); null: not stated';
comment on column measurement.warmed_up is
    '0: the measured requests were the first that the engine served; null: not stated';
comment on column own_measurement.warmed_up is
    '0: the measured requests were the first that the engine served; null: not stated';

update seed_row
set content = content || '{"tokens_per_pass": null, "receive_interval": null, "warmed_up": null}'
where table_name = 'measurement';

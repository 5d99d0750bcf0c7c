-- 0051_own_service_memory.sql - weights and KV cache as the engine of a measured run logs them.

alter table measurement
    add column weights_gib numeric,
    add column kv_cache_tokens numeric,
    add constraint measurement_engine_memory_positive check (
        least(weights_gib, kv_cache_tokens) > 0
        and greatest(weights_gib, kv_cache_tokens) < 'Infinity');
alter table own_measurement
    add column weights_gib numeric,
    add column kv_cache_tokens numeric,
    add constraint own_measurement_engine_memory_positive check (
        least(weights_gib, kv_cache_tokens) > 0
        and greatest(weights_gib, kv_cache_tokens) < 'Infinity');
comment on column measurement.weights_gib is
    'Weights on each GPU as the engine logs them; null: not stated, as in all published runs here';
comment on column measurement.kv_cache_tokens is
    'Tokens that the KV cache of one attention group holds, as the engine logs them; null: not stated';
comment on column own_measurement.weights_gib is
    'Weights on each GPU as the engine logs them; null: not measured';
comment on column own_measurement.kv_cache_tokens is
    'Tokens that the KV cache of one attention group holds, as the engine logs them; null: not measured';

update seed_row set content = content || '{"weights_gib": null, "kv_cache_tokens": null}'
where table_name = 'measurement';

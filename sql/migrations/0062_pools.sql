-- 0062_pools.sql - what the recipe of a run with separate pools says: how many requests a replica
-- decodes at once, and how many replicas of which GPUs read prompts for it.
--
-- The assumption that reads them, expert_unevenness, comes with the seed.

alter table measurement
    add column requests_max numeric,
    add column readers_each numeric,
    add column reading_tensor_parallel numeric,
    add column reading_attention_groups numeric;
alter table own_measurement
    add column requests_max numeric,
    add column readers_each numeric,
    add column reading_tensor_parallel numeric,
    add column reading_attention_groups numeric;

comment on column measurement.requests_max is
    'Most requests that a replica decodes at once (max_batch_size times attention groups, --max-running-requests); null: not stated';
comment on column own_measurement.requests_max is
    'Most requests that a replica decodes at once (max_batch_size times attention groups, --max-running-requests); null: not stated';
comment on column measurement.readers_each is
    'Replicas that read prompts for each that writes answers; null: not stated';
comment on column own_measurement.readers_each is
    'Replicas that read prompts for each that writes answers; null: not stated';
comment on column measurement.reading_tensor_parallel is
    'GPUs of a replica that reads prompts; null: not stated';
comment on column own_measurement.reading_tensor_parallel is
    'GPUs of a replica that reads prompts; null: not stated';
comment on column measurement.reading_attention_groups is
    'Groups of its GPUs that attend on their own (data-parallel attention); null: not stated';
comment on column own_measurement.reading_attention_groups is
    'Groups of its GPUs that attend on their own (data-parallel attention); null: not stated';

update seed_row
set content = content || '{"requests_max": null, "readers_each": null, "reading_tensor_parallel": null, "reading_attention_groups": null}'
where table_name = 'measurement';

-- 0075_reading_all_to_all.sql - how replicas that only read prompts send tokens to their experts, as
-- the recipe of a run with separate pools says.

alter table measurement
    add column reading_all_to_all numeric;
alter table own_measurement
    add column reading_all_to_all numeric;

comment on column measurement.reading_all_to_all is
    'Whether replicas that read prompts send tokens to experts by an all-to-all (--moe-a2a-backend) rather than gather all tokens on all GPUs: 0 or 1; null: not stated, or not divided into attention groups';
comment on column own_measurement.reading_all_to_all is
    'Whether replicas that read prompts send tokens to experts by an all-to-all (--moe-a2a-backend) rather than gather all tokens on all GPUs: 0 or 1; null: not stated, or not divided into attention groups';

update seed_row
set content = content || '{"reading_all_to_all": null}'
where table_name = 'measurement';

-- 0044_own_memory.sql - memory of a GPU in a measured run.

alter table measurement
    add column memory_gib numeric,
    add column memory_kind text,
    add constraint measurement_memory_positive check (memory_gib > 0 and memory_gib < 'Infinity'),
    add constraint measurement_memory_kind_known check (memory_kind in
        ('allocated', 'reserved', 'device'));
alter table own_measurement
    add column memory_gib numeric,
    add column memory_kind text,
    add constraint own_measurement_memory_positive check (
        memory_gib > 0 and memory_gib < 'Infinity'),
    add constraint own_measurement_memory_kind_known check (memory_kind in
        ('allocated', 'reserved', 'device'));
comment on column measurement.memory_gib is
    'Peak on the fullest GPU; null: not stated, as in all published runs here';
comment on column measurement.memory_kind is
    'allocated: tensors of the framework; reserved: blocks of its allocator; device: all that is taken';
comment on column own_measurement.memory_gib is 'Peak on the fullest GPU; null: not measured';
comment on column own_measurement.memory_kind is
    'allocated: tensors of the framework; reserved: blocks of its allocator; device: all that is taken';

update seed_row set content = content || '{"memory_gib": null, "memory_kind": null}'
where table_name = 'measurement';

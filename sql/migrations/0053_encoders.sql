-- 0053_encoders.sql - models that read texts and write none: embeddings, rerankers, encoders.

alter table model
    add column encoder boolean not null default false,
    add column reads_only boolean not null default false,
    add constraint model_encoder_reads_only check (reads_only or not encoder);
comment on column model.encoder is 'Each token attends to all others, as in BERT';
comment on column model.reads_only is
    'Writes nothing and has no output layer: embeddings and rerankers';

update seed_row set content = content || '{"encoder": false, "reads_only": false}'
where table_name = 'model';

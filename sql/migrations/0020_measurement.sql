-- 0020_measurement.sql - published runs: what was run, what was measured, and where it is printed.

create table measurement_source (
    source     text  not null,
    url        text  not null,
    published  text,
    licence    text,
    constraint measurement_source_key primary key (source),
    constraint measurement_source_url check (url ~ '^https://'),
    constraint measurement_source_published check (published ~ '^20\d\d(-\d\d(-\d\d)?)?$')
);
comment on table measurement_source is 'Where published runs are printed.';
comment on column measurement_source.source is 'File, table or version, as measurement.source';
comment on column measurement_source.published is 'Day, month or year, as far as it is known; null: not known';
comment on column measurement_source.licence is 'SPDX identifier of the repository; null: none is stated, or not known';

create table measurement (
    id                              text     not null,
    kind                            text     not null default 'training',
    source                          text     not null,
    source_group                    text,
    family                          text,
    weight_group                    text,
    fold                            text,
    year                            integer,
    measured                        numeric  not null,
    time_to_first_token_seconds     numeric,
    completed                       text,
    note                            text,
    model                           text,
    layers                          numeric,
    hidden                          numeric,
    heads                           numeric,
    kv_heads                        numeric,
    head_dim                        numeric,
    ffn_width                       numeric,
    gated                           numeric,
    vocab                           numeric,
    tied                            numeric,
    experts                         numeric,
    top_k                           numeric,
    first_dense_layers              numeric,
    gpu                             text     not null,
    memory_bandwidth_gb_per_second  numeric,
    power_limit_w                   numeric,
    gpu_count                       numeric,
    gpus_per_node                   numeric,
    network_gbit_per_second         numeric,
    stack                           text,
    precision                       text,
    method                          text,
    tokens                          numeric,
    sequence_tokens                 numeric,
    global_batch_sequences          numeric,
    micro_batch_sequences           numeric,
    tensor_parallel                 numeric,
    pipeline_parallel               numeric,
    context_parallel                numeric,
    expert_parallel                 numeric,
    attention_data_parallel         numeric,
    virtual_stages                  numeric,
    zero_stage                      numeric,
    data_parallel_shard             numeric,
    recompute                       text,
    recompute_modules               text,
    sequence_parallel               numeric,
    flash_attention                 numeric,
    communication_overlap           numeric,
    optimizer                       text,
    gradient_dtype                  text,
    master_weights                  numeric,
    optimizer_in_backward           numeric,
    cpu_offload                     text,
    schedule                        text,
    engine                          text,
    engine_version                  text,
    weight_dtype                    text,
    bytes_per_weight                numeric,
    kv_cache_dtype                  text,
    concurrent_requests             numeric,
    input_tokens                    numeric,
    output_tokens                   numeric,
    constraint measurement_key primary key (id),
    constraint measurement_source_known foreign key (source) references measurement_source,
    constraint measurement_kind_known check (kind in
        ('training', 'whole_run', 'served', 'stream', 'static', 'offline', 'prefill', 'pools')),
    constraint measurement_positive check (measured > 0 and measured < 'Infinity')
);
comment on table measurement is
    'Published runs. A column that is null was not stated; columns are the inputs of the API. GPU and model need not be in the catalogue.';
comment on column measurement.kind is
    'training: a step; whole_run: a training; served: requests kept in flight; stream: one request; static: a batch that starts and ends together; offline: all a replica can take; prefill: reading prompts; pools: served, prompts read by other GPUs';
comment on column measurement.measured is
    'Seconds: of a step (training), of an output token (served, stream, offline, pools), of the batch (static, prefill); GPU-hours of a whole_run';
comment on column measurement.source_group is 'Runs of one source, as the fit counts sources';
comment on column measurement.family is 'Runs of one origin, as all releases of a software';
comment on column measurement.weight_group is 'Runs that weigh as one in the fit';
comment on column measurement.fold is 'Runs that are left out of the fit together';
comment on column measurement.completed is
    'What the source does not say and was completed; such runs are compared, never fitted to';

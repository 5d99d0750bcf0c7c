-- 0014_describing_columns.sql - in which format a model is published, what it keeps of a sequence
-- besides a cache, and in which boards and with which network GPUs are sold.

alter table model
    add column native_dtype text
        constraint model_native_dtype_known
            check (native_dtype in ('bf16', 'fp16', 'fp8', 'fp4', 'int4')),
    add column native_attention_bytes numeric
        constraint model_native_attention_bytes_sane check (native_attention_bytes between 0.25 and 4),
    add column native_ffn_bytes numeric
        constraint model_native_ffn_bytes_sane check (native_ffn_bytes between 0.25 and 4),
    add column native_expert_bytes numeric
        constraint model_native_expert_bytes_sane check (native_expert_bytes between 0.25 and 4),
    add column native_embedding_bytes numeric
        constraint model_native_embedding_bytes_sane check (native_embedding_bytes between 0.25 and 4),
    add column scale_block_size integer not null default 0
        constraint model_scale_block_size_sane check (scale_block_size >= 0),
    add column scale_bytes numeric not null default 0
        constraint model_scale_bytes_of_blocks
            check (scale_bytes between 0 and 8 and (scale_bytes > 0) = (scale_block_size > 0)),
    add column n_index_heads integer not null default 0
        constraint model_index_heads_sane check (n_index_heads >= 0),
    add column index_head_dim integer not null default 0,
    add column index_top_k integer not null default 0
        constraint model_indexer_whole check (least(index_head_dim, index_top_k) >= 0
            and (n_index_heads > 0) = (index_head_dim > 0)
            and (n_index_heads > 0) = (index_top_k > 0)),
    add column recurrent_state_dtype text
        constraint model_recurrent_state_of_linear_layers
            check (recurrent_state_dtype is null
                or (recurrent_state_dtype in ('fp32', 'bf16', 'fp16') and n_linear_layers > 0)),
    add column params_frozen bigint not null default 0
        constraint model_params_frozen_sane check (params_frozen >= 0),
    add column moe_latent integer not null default 0
        constraint model_latent_of_experts
            check (moe_latent >= 0 and (n_experts > 0 or moe_latent = 0)),
    add column n_dense_layers integer not null default 0
        constraint model_dense_layers_sane check (n_dense_layers between 0 and n_layers),
    add constraint model_native_format_whole check ((native_dtype is null)
        = (num_nonnulls(native_attention_bytes, native_ffn_bytes, native_expert_bytes,
                        native_embedding_bytes) = 0)),
    -- A layer is attention and FFN together or, in some hybrids, one of them.
    drop constraint model_layers_add_up,
    add constraint model_layers_add_up
        check (n_full_layers + n_sliding_layers + n_linear_layers in
            (n_layers, n_layers - n_dense_layers - n_moe_layers)),
    drop constraint model_has_ffn,
    add constraint model_has_ffn check (intermediate > 0 or n_moe_layers = n_layers
        or (n_moe_layers > 0
            and n_full_layers + n_sliding_layers + n_linear_layers + n_moe_layers = n_layers));
comment on column model.native_dtype is
    'Format of most of the published weights; null: not known. Router and norms are in 16 bits or more whatever it is';
comment on column model.native_attention_bytes is
    'Bytes of a weight of attention (recurrent layers included) as published, scales apart; null: not known or no such part';
comment on column model.native_ffn_bytes is 'The same of dense FFNs and shared experts';
comment on column model.native_expert_bytes is 'The same of the experts a router chooses from';
comment on column model.native_embedding_bytes is 'The same of embeddings and head';
comment on column model.scale_block_size is
    'Weights of the narrow format that share one scale, 128 x 128 being 16384; 0: no scales a block';
comment on column model.scale_bytes is 'Bytes of one such scale';
comment on column model.n_index_heads is
    'Sparse attention (DSA): heads of the indexer that chooses which tokens are attended to; 0: none';
comment on column model.index_head_dim is 'Width of a head of the indexer; each token caches one key of it a layer';
comment on column model.index_top_k is 'Tokens the indexer chooses';
comment on column model.recurrent_state_dtype is
    'Format of the state of linear layers where the config states it; null: it does not';
comment on column model.params_frozen is
    'Weights of a vision tower and its projector: in memory, beside params_total';
comment on column model.moe_latent is 'Width experts read and write where it is not the model''s; 0: it is';
comment on column model.n_dense_layers is
    'Layers that are a dense FFN alone, where layers are attention, state or FFN alone; 0: no such layers';

alter table gpu_figure
    drop constraint gpu_figure_name_known,
    add constraint gpu_figure_name_known check (figure in (
        'memory_capacity', 'memory_reported', 'memory_bandwidth', 'l2_cache',
        'fp32_tflops', 'tf32_tflops', 'fp16_tflops', 'bf16_tflops', 'fp8_tflops', 'int8_tops',
        'fp4_tflops', 'link_bidirectional', 'link_unidirectional', 'link_pair_unidirectional',
        'link_count', 'link_each_unidirectional',
        'scale_up_domain', 'pcie_generation', 'pcie_lanes', 'pcie_unidirectional', 'tdp', 'ecc',
        'ecc_capacity_overhead', 'board_gpu_count', 'network', 'mig_instance_count', 'warranty')),
    drop constraint gpu_figure_unit_fits,
    add constraint gpu_figure_unit_fits check (unit = any (case
        when figure = 'memory_capacity' then array['GB', 'GiB']
        when figure = 'memory_reported' then array['MiB']
        when figure = 'l2_cache' then array['MB']
        when figure like '%\_tflops' then array['TFLOP/s']
        when figure like '%\_tops' then array['TOP/s']
        when figure in ('scale_up_domain', 'board_gpu_count') then array['GPUs']
        when figure = 'link_count' then array['links']
        when figure = 'pcie_generation' then array['generation']
        when figure = 'pcie_lanes' then array['lanes']
        when figure = 'tdp' then array['W']
        when figure = 'ecc' then array['flag']
        when figure = 'ecc_capacity_overhead' then array['ratio']
        when figure = 'network' then array['Gbit/s']
        when figure = 'mig_instance_count' then array['instances']
        when figure = 'warranty' then array['years']
        else array['GB/s'] end)),
    drop constraint gpu_figure_value_positive,
    add constraint gpu_figure_value_positive
        check (value > 0 or (value = 0 and unit in ('ratio', 'flag', 'instances')));

-- What was said of models before, and what the files last said of them, lacks the columns.
alter table row_history disable trigger user;
update row_history set before = before
    || '{"scale_block_size": 0, "scale_bytes": 0, "n_index_heads": 0, "index_head_dim": 0, "index_top_k": 0, "params_frozen": 0, "moe_latent": 0, "n_dense_layers": 0}'
    where table_name = 'model';
alter table row_history enable trigger user;
update seed_row set content = content
    || '{"native_dtype": null, "native_attention_bytes": null, "native_ffn_bytes": null, "native_expert_bytes": null, "native_embedding_bytes": null, "scale_block_size": 0, "scale_bytes": 0, "n_index_heads": 0, "index_head_dim": 0, "index_top_k": 0, "recurrent_state_dtype": null, "params_frozen": 0, "moe_latent": 0, "n_dense_layers": 0}'
    where table_name = 'model';

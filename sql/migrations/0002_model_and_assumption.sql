-- Language models by their shape, and the defaults that every estimate starts from.

create table model (
    slug                    text    primary key,
    name                    text    not null,
    aliases                 text    not null default '',
    hf_id                   text    not null,
    model_type              text    not null,
    attention               text    not null,
    params_total            bigint  not null,
    params_active           bigint  not null,
    n_layers                integer not null,
    hidden                  integer not null,
    n_heads                 integer not null,
    n_kv_heads              integer not null,
    head_dim                integer not null,
    intermediate            integer not null default 0,
    gated                   boolean not null,
    vocab                   integer not null,
    tied                    boolean not null,
    max_position            integer not null,
    n_experts               integer not null default 0,
    top_k                   integer not null default 0,
    n_shared_experts        integer not null default 0,
    moe_intermediate        integer not null default 0,
    first_dense_layers      integer not null default 0,
    n_moe_layers            integer not null default 0,
    q_lora_rank             integer not null default 0,
    kv_lora_rank            integer not null default 0,
    qk_nope_head_dim        integer not null default 0,
    qk_rope_head_dim        integer not null default 0,
    v_head_dim              integer not null default 0,
    sliding_window          integer not null default 0,
    sliding_pattern         text,
    n_full_layers           integer not null,
    n_sliding_layers        integer not null default 0,
    n_linear_layers         integer not null default 0,
    n_all_reduces           integer not null default 2,
    kv_bytes_per_token_bf16 bigint  not null,
    source                  text    not null,
    source_date             date    not null,
    date_basis              text    not null,
    note                    text,
    constraint model_slug_form check (slug ~ '^[a-z0-9]+([.-][a-z0-9]+)*$'),
    constraint model_aliases_form check (aliases ~ '^([a-z0-9.-]+(,[a-z0-9.-]+)*)?$'),
    constraint model_attention_known check (attention in ('MHA', 'GQA', 'MQA', 'MLA')),
    constraint model_params_sane check (params_active > 0 and params_active <= params_total),
    constraint model_sizes_positive check (n_layers > 0 and hidden > 0 and n_heads > 0
        and n_kv_heads > 0 and head_dim > 0 and vocab > 0 and max_position > 0
        and n_all_reduces in (1, 2) and kv_bytes_per_token_bf16 >= 0),
    constraint model_sizes_not_negative check (least(intermediate, n_experts, top_k,
        n_shared_experts, moe_intermediate, first_dense_layers, n_moe_layers, q_lora_rank,
        kv_lora_rank, qk_nope_head_dim, qk_rope_head_dim, v_head_dim, sliding_window, n_full_layers,
        n_sliding_layers, n_linear_layers) >= 0),
    constraint model_heads_divide check (n_heads % n_kv_heads = 0),
    constraint model_layers_add_up
        check (n_full_layers + n_sliding_layers + n_linear_layers = n_layers),
    constraint model_window_given check ((sliding_window > 0) or n_sliding_layers = 0),
    constraint model_has_ffn check (intermediate > 0 or n_moe_layers = n_layers),
    constraint model_experts_consistent check (top_k <= n_experts
        and first_dense_layers + n_moe_layers <= n_layers
        and (n_experts > 0) = (n_moe_layers > 0) and (n_experts > 0) = (moe_intermediate > 0)),
    constraint model_mla_consistent check ((attention = 'MLA') = (kv_lora_rank > 0)),
    constraint model_source_given check (source <> ''),
    constraint model_date_basis_known check (date_basis in ('printed', 'collected'))
);
comment on table model is 'The shape of a language model. Counts are 0 where it has no such part.';
comment on column model.slug is 'Name in lower case, spaces and underscores as hyphens';
comment on column model.aliases is 'Other slugs people use, separated by commas';
comment on column model.params_total is 'Unique weights of the text model (tied embeddings once)';
comment on column model.params_active is 'Weights used per token, embeddings and head included';
comment on column model.intermediate is 'Width of a dense FFN';
comment on column model.gated is 'Three FFN matrices instead of two';
comment on column model.tied is 'Input and output embeddings are one matrix';
comment on column model.max_position is 'Longest sequence in tokens';
comment on column model.first_dense_layers is 'Layers before the first one with experts';
comment on column model.n_moe_layers is 'Layers with experts, interleaved ones included';
comment on column model.sliding_window is 'Tokens a sliding layer sees; 0: none';
comment on column model.n_all_reduces is
    'Per layer under tensor parallelism: 2, or 1 where attention and FFN run in parallel';
comment on column model.kv_bytes_per_token_bf16 is
    'Bytes of KV cache per token with 16-bit elements, as the source table counts it';
comment on column model.date_basis is
    'printed: the source has that date; collected: it has none, this is the day the figure was collected';

create table assumption (
    key          text not null,
    scope        text not null default '',
    group_name   text not null,
    unit         text not null default '',
    low          numeric,
    value        numeric,
    high         numeric,
    applies_to   text not null,
    source       text not null,
    source_date  date not null,
    date_basis   text not null,
    note         text,
    primary key (key, scope),
    constraint assumption_key_form check (key ~ '^[a-z0-9]+(_[a-z0-9]+)*$'),
    constraint assumption_scope_form check (scope ~ '^([a-z0-9]+(_[a-z0-9]+)*)?$'),
    constraint assumption_group_known check (group_name in ('buy_initial', 'buy_recurring',
        'buy_finance', 'rent', 'training_model', 'inference_model', 'general')),
    constraint assumption_not_negative check (least(low, value, high) >= 0),
    constraint assumption_finite check (greatest(low, value, high) < 'Infinity'),
    constraint assumption_ordered check (coalesce(low <= value, true)
        and coalesce(value <= high, true) and coalesce(low <= high, true)),
    constraint assumption_source_given check (source <> ''),
    constraint assumption_date_basis_known check (date_basis in ('printed', 'collected'))
);
comment on table assumption is 'A default anybody can see and change, with the band it plausibly lies in.';
comment on column assumption.scope is 'What the row is for, as vllm, amd or moe; empty: everything';
comment on column assumption.unit is 'Of low, value and high; ratio is 0 to 1 unless its nature says more (PUE)';
comment on column assumption.low is 'Low end of the plausible band, not of what is accepted; null: not known';
comment on column assumption.value is 'The default; null: none, it is derived, asked for or a word';
comment on column assumption.high is 'High end of the plausible band; null: not known';
comment on column assumption.date_basis is
    'printed: the source has that date; collected: it has none, this is the day the figure was collected';

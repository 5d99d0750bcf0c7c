-- GPUs with a row per published figure, and what they cost to rent or to buy.

create extension if not exists btree_gist;

create table gpu (
    slug                 text    primary key,
    name                 text    not null,
    vendor               text    not null,
    architecture         text    not null,
    year                 integer not null,
    form_factor          text    not null,
    memory_type          text    not null,
    link_name            text,
    compute_capability   text,
    datacenter_licensed  boolean not null default true,
    note                 text,
    constraint gpu_slug_form check (slug ~ '^[a-z0-9]+([.-][a-z0-9]+)*$'),
    constraint gpu_name_given check (name <> '' and vendor <> '' and architecture <> ''),
    constraint gpu_year_sane check (year between 2000 and 2100)
);
comment on table gpu is 'An accelerator. Its numbers are in gpu_figure, a row each.';
comment on column gpu.slug is 'How requests name it, as h100-sxm5-80gb';
comment on column gpu.year is 'Calendar year of the launch';
comment on column gpu.link_name is 'Scale-up link between cards; null: PCIe only or unknown';
comment on column gpu.datacenter_licensed is 'False: the driver licence forbids data-centre use';

create table gpu_figure (
    gpu          text    not null,
    figure       text    not null,
    sparsity     text    not null default '',
    accumulate   text    not null default '',
    value        numeric not null,
    unit         text    not null,
    source       text    not null,
    source_date  date    not null,
    date_basis   text    not null,
    trust        text    not null,
    note         text,
    constraint gpu_figure_key primary key (gpu, figure, sparsity, accumulate, source),
    constraint gpu_figure_gpu_known foreign key (gpu) references gpu on delete cascade,
    constraint gpu_figure_name_known check (figure in (
        'memory_capacity', 'memory_reported', 'memory_bandwidth', 'l2_cache',
        'fp32_tflops', 'tf32_tflops', 'fp16_tflops', 'bf16_tflops', 'fp8_tflops', 'int8_tops',
        'fp4_tflops', 'link_bidirectional', 'link_unidirectional', 'link_pair_unidirectional',
        'scale_up_domain', 'pcie_generation', 'pcie_lanes', 'pcie_unidirectional', 'tdp', 'ecc',
        'ecc_capacity_overhead')),
    constraint gpu_figure_unit_fits check (unit = any (case
        when figure = 'memory_capacity' then array['GB', 'GiB']
        when figure = 'memory_reported' then array['MiB']
        when figure = 'l2_cache' then array['MB']
        when figure like '%\_tflops' then array['TFLOP/s']
        when figure like '%\_tops' then array['TOP/s']
        when figure = 'scale_up_domain' then array['GPUs']
        when figure = 'pcie_generation' then array['generation']
        when figure = 'pcie_lanes' then array['lanes']
        when figure = 'tdp' then array['W']
        when figure = 'ecc' then array['flag']
        when figure = 'ecc_capacity_overhead' then array['ratio']
        else array['GB/s'] end)),
    constraint gpu_figure_sparsity_fits check (sparsity in ('', 'dense', 'sparse')
        and (sparsity <> '') = (unit in ('TFLOP/s', 'TOP/s'))),
    constraint gpu_figure_accumulate_fits check (accumulate in ('', 'fp32', 'fp16')
        and (accumulate = '' or unit = 'TFLOP/s')),
    constraint gpu_figure_value_finite check (value < 'Infinity'),
    constraint gpu_figure_value_positive
        check (value > 0 or (value = 0 and unit in ('ratio', 'flag'))),
    constraint gpu_figure_ratio_range check (unit not in ('ratio', 'flag') or value <= 1),
    constraint gpu_figure_source_given check (source <> ''),
    constraint gpu_figure_date_basis_known check (date_basis in ('printed', 'collected')),
    constraint gpu_figure_trust_known check (trust in ('stored', 'derived', 'from_memory',
        'stored+derived', 'stored+from_memory', 'disputed'))
);
comment on table gpu_figure is
    'One published figure of a GPU with where it comes from. A disputed figure is shown and never computed with.';
comment on column gpu_figure.sparsity is
    'Of a compute rate: dense, or sparse for the marketing figure with 2:4 (or as noted) sparsity';
comment on column gpu_figure.accumulate is
    'Of a matrix rate: the precision products are summed in; empty for integer and plain FP32 rates';
comment on column gpu_figure.value is 'In the unit beside it; rates and bandwidths are decimal';
comment on column gpu_figure.unit is
    'GB = 1e9 bytes, GiB = 2^30, MiB = 2^20, TFLOP/s = 1e12 operations a second, ratio = 0 to 1, flag = 0 or 1';
comment on column gpu_figure.source_date is 'Day of the source; the first day where it prints a month';
comment on column gpu_figure.date_basis is
    'printed: the source has that date; collected: it has none, this is the day the figure was collected';
comment on column gpu_figure.trust is
    'stored: read in the source; derived: computed from other figures; from_memory: not traced; disputed: sources disagree and another one is used';

-- Beside disputed values each figure has one that counts.
create unique index gpu_figure_one_counts on gpu_figure (gpu, figure, sparsity, accumulate)
    where trust <> 'disputed';

create table provider (
    slug  text primary key,
    name  text not null,
    kind  text not null,
    note  text,
    constraint provider_slug_form check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'),
    constraint provider_kind_known check (kind in ('cloud', 'marketplace', 'aggregate', 'estimate'))
);
comment on table provider is 'Who rents GPUs out, or what stands for several who do.';
comment on column provider.kind is
    'cloud or marketplace: one can rent there; aggregate: a figure over several; estimate: a planning number';

create table offer (
    offer_id            text    not null generated always as (
        provider || '/' || instance || '/' || region || '/' || gpu || '/' || gpu_count::text || '/'
        || purchase_option) stored,
    provider            text    not null,
    instance            text    not null,
    region              text    not null default '',
    gpu                 text    not null,
    gpu_count           integer not null,
    purchase_option     text    not null,
    price_per_hour      numeric not null,
    price_per_gpu_hour  numeric not null,
    currency            text    not null default 'USD',
    valid_from          date,
    valid_until         date,
    undated             boolean not null generated always as (valid_from is null) stored,
    observed_text       text    not null default '',
    flagged_stale       boolean not null default false,
    usable              boolean not null default true,
    source              text    not null,
    note                text,
    constraint offer_observation_once unique nulls not distinct (offer_id, valid_from, source),
    constraint offer_provider_known foreign key (provider) references provider,
    constraint offer_gpu_known foreign key (gpu) references gpu,
    constraint offer_instance_given check (instance <> ''),
    constraint offer_option_known check (purchase_option in
        ('on_demand', 'spot', 'reserved_1yr', 'reserved_3yr', 'capacity_block')),
    constraint offer_count_sane check (gpu_count between 1 and 100000),
    constraint offer_price_positive check (price_per_hour > 0 and price_per_gpu_hour > 0),
    constraint offer_price_finite
        check (price_per_hour < 'Infinity' and price_per_gpu_hour < 'Infinity'),
    constraint offer_price_consistent check
        (abs(price_per_gpu_hour * gpu_count - price_per_hour) <= 0.001 * abs(price_per_hour)),
    constraint offer_currency_form check (currency ~ '^[A-Z]{3}$'),
    constraint offer_validity_forward check (valid_until > valid_from),
    constraint offer_source_given check (source <> ''),
    constraint offer_validity_apart exclude using gist
        (offer_id with =, daterange(valid_from, valid_until) with &&)
        where (usable and valid_from is not null)
);
comment on table offer is
    'Rental prices as observed, with history: offers are never overwritten by newer ones, see record_offer().';
comment on column offer.offer_id is 'What the observations of one offer have in common';
comment on column offer.region is 'As the provider names it; empty where the source does not say';
comment on column offer.gpu_count is 'Accelerators in the instance';
comment on column offer.price_per_hour is 'Of the whole instance, in currency per hour';
comment on column offer.price_per_gpu_hour is
    'price_per_hour over gpu_count, in currency per GPU-hour; sources round it, so 0.1 % of slack';
comment on column offer.currency is 'ISO 4217';
comment on column offer.valid_from is 'Day of the observation; null where the source gives none';
comment on column offer.valid_until is 'First day it no longer holds; null: still valid';
comment on column offer.undated is 'The source gives no date: history and last resort only';
comment on column offer.observed_text is 'The date as the source prints it';
comment on column offer.flagged_stale is 'The price is known to be old, whatever its date';
comment on column offer.usable is 'False: refuted or somebody''s estimate; listed, never priced with';

create table hardware (
    hardware_id    text    primary key,
    kind           text    not null,
    seller         text    not null,
    gpu            text    not null,
    gpu_count      integer not null,
    price          numeric not null,
    price_per_gpu  numeric not null generated always as (price / gpu_count) stored,
    currency       text    not null default 'USD',
    observed       date,
    observed_text  text    not null default '',
    usable         boolean not null default true,
    source         text    not null,
    note           text,
    constraint hardware_gpu_known foreign key (gpu) references gpu,
    constraint hardware_kind_known check (kind in ('card', 'server')),
    constraint hardware_count_sane
        check (gpu_count between 1 and 1024 and (kind = 'server' or gpu_count = 1)),
    constraint hardware_price_positive check (price > 0),
    constraint hardware_price_finite check (price < 'Infinity'),
    constraint hardware_currency_form check (currency ~ '^[A-Z]{3}$'),
    constraint hardware_source_given check (source <> '')
);
comment on table hardware is 'What a card or a server costs to buy.';
comment on column hardware.price is 'Of the whole thing, in currency, once';
comment on column hardware.price_per_gpu is 'price over gpu_count, in currency per GPU';
comment on column hardware.observed is 'Day of the price; null: undated, used as a default all the same';
comment on column hardware.observed_text is 'The date as the source prints it';

create table exchange_rate (
    currency  text    not null,
    observed  date    not null,
    per_usd   numeric not null,
    source    text    not null,
    primary key (currency, observed),
    constraint exchange_rate_currency_form check (currency ~ '^[A-Z]{3}$' and currency <> 'USD'),
    constraint exchange_rate_positive check (per_usd > 0 and per_usd < 'Infinity'),
    constraint exchange_rate_source_given check (source <> '')
);
comment on table exchange_rate is 'What a US dollar costs in another currency on a day.';
comment on column exchange_rate.per_usd is 'Units of the currency for one US dollar';

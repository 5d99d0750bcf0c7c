-- Views, functions, triggers and rights: code, not data. Applied again on every migration.

create schema if not exists api;
comment on schema api is 'What reports and dashboards read: stable views over the catalogue.';

-- The catalogue's version, and the signal the daemon waits for.

create or replace function catalog_changed() returns trigger
    language plpgsql security definer set search_path = public, pg_temp as $$
declare
    any_row boolean := true;
begin
    if tg_op <> 'TRUNCATE' then
        select exists (select from changed) into any_row;
    end if;
    if any_row then
        insert into catalog_change (day) values ((now() at time zone 'UTC')::date)
            on conflict (day) do update
            set changes = catalog_change.changes + 1, changed_at = now();
        perform pg_notify('gpuplan', '');
    end if;
    return null;
end $$;
comment on function catalog_changed is
    'Counts a statement that changed rows towards the catalogue version and notifies channel gpuplan';

do $$
declare
    watched text;
begin
    foreach watched in array array['gpu', 'gpu_figure', 'provider', 'offer', 'hardware',
                                   'exchange_rate', 'model', 'assumption'] loop
        execute format('create or replace trigger changed_by_insert after insert on %I
            referencing new table as changed
            for each statement execute function catalog_changed()', watched);
        execute format('create or replace trigger changed_by_update after update on %I
            referencing new table as changed
            for each statement execute function catalog_changed()', watched);
        execute format('create or replace trigger changed_by_delete after delete on %I
            referencing old table as changed
            for each statement execute function catalog_changed()', watched);
        execute format('create or replace trigger changed_by_truncate after truncate on %I
            for each statement execute function catalog_changed()', watched);
    end loop;
end $$;

create or replace function catalog_version() returns text language sql stable
    set search_path = public, pg_temp as $$
    select to_char(day, 'YYYYMMDD') || '.' || changes
    from catalog_change order by day desc limit 1;
$$;
comment on function catalog_version is
    'Day of the last change and its count that day; null while the catalogue is untouched';

-- Prices over time.

create or replace function record_offer(
    provider text, instance text, region text, gpu text, gpu_count integer, purchase_option text,
    price_per_hour numeric, source text,
    observed date default (now() at time zone 'UTC')::date,
    currency text default 'USD', note text default null) returns text
    language plpgsql set search_path = public, pg_temp as $$
#variable_conflict use_column
declare
    seen record_offer.observed%type := record_offer.observed;
    id text := concat_ws('/', record_offer.provider, record_offer.instance,
        coalesce(record_offer.region, ''), record_offer.gpu, record_offer.gpu_count,
        record_offer.purchase_option);
    next_from date;
begin
    perform pg_advisory_xact_lock(hashtext(id));
    delete from offer where offer_id = id and usable and valid_from = seen;
    select min(valid_from) into next_from from offer
        where offer_id = id and usable and valid_from > seen;
    update offer set valid_until = seen
        where offer_id = id and usable and coalesce(valid_from < seen, true)
            and coalesce(valid_until > seen, true);
    insert into offer (provider, instance, region, gpu, gpu_count, purchase_option,
            price_per_hour, price_per_gpu_hour, currency, valid_from, valid_until, observed_text,
            source, note)
        values (record_offer.provider, record_offer.instance, coalesce(record_offer.region, ''),
            record_offer.gpu, record_offer.gpu_count, record_offer.purchase_option,
            record_offer.price_per_hour,
            trim_scale(round(record_offer.price_per_hour / record_offer.gpu_count, 6)),
            record_offer.currency, seen, next_from, seen::text,
            record_offer.source, record_offer.note);
    return id;
end $$;
comment on function record_offer is
    'Records what an offer (price in currency per instance-hour) costs from a day on: the observation before it ends that day, later ones stay, one of the same day is replaced. Returns the offer_id.';

-- What reports read.

create or replace view api.offers as
    select offer_id, provider, instance, region, gpu, gpu_count, purchase_option, price_per_hour,
           price_per_gpu_hour, currency, valid_from, valid_until, undated,
           flagged_stale or coalesce(current_date - valid_from > 90, true) as stale, usable,
           source, observed_text, note
    from public.offer
    where coalesce(valid_from <= current_date, true) and coalesce(valid_until > current_date, true);
comment on view api.offers is
    'Rental offers in force today. price_per_hour is of the instance, price_per_gpu_hour of one GPU, in currency; stale: observed over 90 days ago, undated or known to be old.';

create or replace view api.gpus as
    select g.slug, g.name, g.vendor, g.architecture, g.year, g.form_factor, g.memory_type,
           max(f.value) filter (where f.figure = 'memory_capacity') as memory_capacity,
           max(f.unit) filter (where f.figure = 'memory_capacity') as memory_unit,
           max(f.value) filter (where f.figure = 'memory_bandwidth') as memory_bandwidth_gb_s,
           max(f.value) filter (where f.figure = 'fp32_tflops') as fp32_tflops,
           max(f.value) filter (where f.figure = 'tf32_tflops') as tf32_tflops,
           max(f.value) filter (where f.figure = 'fp16_tflops') as fp16_tflops,
           max(f.value) filter (where f.figure = 'bf16_tflops') as bf16_tflops,
           max(f.value) filter (where f.figure = 'fp8_tflops') as fp8_tflops,
           max(f.value) filter (where f.figure = 'int8_tops') as int8_tops,
           max(f.value) filter (where f.figure = 'fp4_tflops') as fp4_tflops,
           max(f.value) filter (where f.figure = 'link_unidirectional') as link_unidirectional_gb_s,
           max(f.value) filter (where f.figure = 'scale_up_domain') as scale_up_domain_gpus,
           max(f.value) filter (where f.figure = 'tdp') as tdp_w,
           g.datacenter_licensed, g.note
    from public.gpu g
    left join public.gpu_figure f
        on f.gpu = g.slug and f.trust <> 'disputed' and f.sparsity <> 'sparse'
        and f.accumulate <> 'fp16'
    group by g.slug;
comment on view api.gpus is
    'One row per GPU with the figures that count. TFLOP/s and TOP/s are dense with FP32 accumulate; bandwidths are decimal and one way; null is unknown or unsupported. Sources: public.gpu_figure.';

create or replace view api.hardware as
    select hardware_id, kind, seller, gpu, gpu_count, price, price_per_gpu, currency, observed,
           observed is null as undated, usable, source, observed_text, note
    from public.hardware;
comment on view api.hardware is 'Purchase prices of cards and servers, in currency, once.';

create or replace view api.models as
    select slug, name, hf_id, attention, params_total, params_active, n_layers, hidden, n_heads,
           n_kv_heads, head_dim, intermediate, vocab, max_position, n_experts, top_k,
           kv_bytes_per_token_bf16, source, source_date, note
    from public.model;
comment on view api.models is
    'Language models by shape: parameters are counts, max_position is tokens, the KV cache is bytes per token with 16-bit elements.';

create or replace view api.assumptions as
    select key, scope, group_name, unit, low, value, high, applies_to, source, source_date,
           date_basis, note
    from public.assumption;
comment on view api.assumptions is
    'The default of every estimate with its plausible band, in unit. value null: derived, asked for or a word.';

-- As the daemon prices: each provider's cheapest current usable offer, then over the providers;
-- undated offers only where there is nothing dated.
create or replace view api.price_summary as
    with usable as (
        select gpu, purchase_option, currency, provider, undated, stale, price_per_gpu_hour,
               bool_and(undated) over (partition by gpu, purchase_option, currency) as none_dated
        from api.offers where usable
    ), cheapest as (
        select gpu, purchase_option, currency, provider, min(price_per_gpu_hour) as price,
               bool_or(stale) as stale
        from usable where not undated or none_dated
        group by gpu, purchase_option, currency, provider
    )
    select gpu, purchase_option, currency, count(*) as providers, min(price) as price_min,
           (percentile_cont(0.5) within group (order by price))::numeric as price_median,
           max(price) as price_max, bool_or(stale) as some_stale
    from cheapest group by gpu, purchase_option, currency;
comment on view api.price_summary is
    'Rent per GPU and purchase option today, in currency per GPU-hour, over each provider''s cheapest offer.';

-- The daemon reads and nothing else. Where this role may not be created, the daemon simply
-- connects as whoever DATABASE_URL names.
do $$
begin
    if not exists (select from pg_roles where rolname = 'gpuplan_reader') then
        create role gpuplan_reader nologin;
    end if;
exception
    when insufficient_privilege or duplicate_object or unique_violation then null;
end $$;

do $$
begin
    if exists (select from pg_roles where rolname = 'gpuplan_reader') then
        grant usage on schema public, api to gpuplan_reader;
        grant select on all tables in schema public, api to gpuplan_reader;
        if not pg_has_role(current_user, 'gpuplan_reader', 'member') then
            grant gpuplan_reader to current_user;
        end if;
    else
        raise warning 'no role gpuplan_reader: % may not create roles, so no read-only role is set up',
            current_user;
    end if;
exception
    when insufficient_privilege then
        raise warning 'role gpuplan_reader exists, but % may not grant it all it needs', current_user;
end $$;

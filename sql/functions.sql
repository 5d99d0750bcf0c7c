-- Views, functions, triggers and rights: code, not data. Applied again on every migration.

create schema if not exists api;
comment on schema api is 'What reports and dashboards read: stable views over the catalogue.';

-- The catalogue's version, and the signal the daemon waits for.

create or replace function catalog_count() returns void
    language plpgsql security definer set search_path = public, pg_temp as $$
begin
    -- Monotonic even if the clock of a promoted replica is behind: versions only increase.
    insert into catalog_change (day)
        select greatest((now() at time zone 'UTC')::date, max(day)) from catalog_change
        on conflict (day) do update
        set changes = catalog_change.changes + 1, changed_at = now();
    perform pg_notify('gpuplan', '');
end $$;
comment on function catalog_count is 'One more change of the catalogue, which the daemon hears of';
revoke all on function catalog_count from public;

create or replace function catalog_changed() returns trigger
    language plpgsql security definer set search_path = public, pg_temp as $$
declare
    any_row boolean := true;
begin
    if tg_op <> 'TRUNCATE' then
        select exists (select from changed) into any_row;
    end if;
    if any_row then
        perform catalog_count();
    end if;
    return null;
end $$;
comment on function catalog_changed is
    'Counts a statement that changed rows towards the catalogue version and notifies channel gpuplan';

do $$
declare
    watched text;
begin
    foreach watched in array array['gpu', 'gpu_figure', 'provider', 'instance', 'billing', 'region', 'offer',
                                   'hardware', 'exchange_rate', 'model', 'assumption',
                                   'measurement', 'measurement_source', 'own_measurement',
                                   'quote', 'hosted_price', 'gpu_name',
                                   'hosted_model_name', 'hosted_provider_name'] loop
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

-- Answers name the lists that can be fetched, but not when each was last fetched.
create or replace function feed_source_changed() returns trigger
    language plpgsql security definer set search_path = public, pg_temp as $$
begin
    if tg_op <> 'UPDATE' or (new.name, new.url, new.format, new.provider, new.attribution, new.enabled)
        is distinct from (old.name, old.url, old.format, old.provider, old.attribution, old.enabled) then
        perform catalog_count();
    end if;
    return null;
end $$;
comment on function feed_source_changed is
    'Counts a list that comes, goes or is switched on or off towards the catalogue version';
create or replace trigger changed after insert or update or delete on feed_source
    for each row execute function feed_source_changed();

create or replace function catalog_version() returns text language sql stable
    set search_path = public, pg_temp as $$
    select to_char(day, 'YYYYMMDD') || '.' || changes
    from catalog_change order by day desc limit 1;
$$;
comment on function catalog_version is
    'Day of the last change and its count that day; null while the catalogue is untouched';

-- Records the GPUs whose offers changed; the daemon does not reread the others.

create or replace function offer_stamped() returns trigger
    language plpgsql security definer set search_path = public, pg_temp as $$
begin
    if tg_op = 'TRUNCATE' then
        update offer_stamp set stamp = default;
    elsif tg_op = 'UPDATE' then
        insert into offer_stamp (gpu) select gpu from changed union select gpu from former order by 1
            on conflict (gpu) do update set stamp = default;
    else
        insert into offer_stamp (gpu) select distinct gpu from changed order by gpu
            on conflict (gpu) do update set stamp = default;
    end if;
    return null;
end $$;
comment on function offer_stamped is 'Gives the GPUs whose offers a statement changed a new stamp';

create or replace trigger stamped_by_insert after insert on offer
    referencing new table as changed for each statement execute function offer_stamped();
create or replace trigger stamped_by_update after update on offer
    referencing new table as changed old table as former
    for each statement execute function offer_stamped();
create or replace trigger stamped_by_delete after delete on offer
    referencing old table as changed for each statement execute function offer_stamped();
create or replace trigger stamped_by_truncate after truncate on offer
    for each statement execute function offer_stamped();

-- The foreign keys of offer, checked once per statement: one query per row and key took two thirds of
-- an import's time. The rows referred to are locked as a foreign key locks them.

create or replace function offer_refers() returns trigger
    language plpgsql security definer set search_path = public, pg_temp as $$
declare
    missing record;
begin
    with said as materialized (select distinct provider, gpu, run_id from changed),
        known_provider as materialized (
            select slug from provider where slug in (select provider from said) for key share),
        known_gpu as materialized (
            select slug from gpu where slug in (select gpu from said) for key share),
        known_run as materialized (
            select run_id from feed_run where run_id in (select run_id from said) for key share)
    select (select provider from said where provider not in (select slug from known_provider)
            limit 1) as provider,
           (select gpu from said where gpu not in (select slug from known_gpu) limit 1) as gpu,
           (select run_id from said where run_id not in (select run_id from known_run) limit 1)
               as run
    into missing;
    if missing.provider is not null then
        raise exception 'offer_provider_known: there is no provider "%"', missing.provider
            using errcode = 'foreign_key_violation', constraint = 'offer_provider_known';
    elsif missing.gpu is not null then
        raise exception 'offer_gpu_known: there is no gpu "%"', missing.gpu
            using errcode = 'foreign_key_violation', constraint = 'offer_gpu_known';
    elsif missing.run is not null then
        raise exception 'offer_run_known: there is no feed_run %', missing.run
            using errcode = 'foreign_key_violation', constraint = 'offer_run_known';
    end if;
    return null;
end $$;
comment on function offer_refers is
    'Refuses offers of a provider, GPU or run that is not there';

create or replace function offer_referred() returns trigger
    language plpgsql security definer set search_path = public, pg_temp as $$
declare
    was text := to_jsonb(old) ->> tg_argv[1];
    referred boolean;
begin
    if tg_op = 'UPDATE' and was = to_jsonb(new) ->> tg_argv[1] then
        return null;
    end if;
    execute format('select exists (select from offer where %I = %L)', tg_argv[0], was) into referred;
    if referred then
        raise exception '%: offers refer to % "%"', tg_argv[2], tg_table_name, was
            using errcode = 'foreign_key_violation', constraint = tg_argv[2];
    end if;
    return null;
end $$;
comment on function offer_referred is
    'Keeps a row that offers refer to; its arguments are the column of offer, the key and what offer_refers() calls the rule';

create or replace trigger refers_by_insert after insert on offer
    referencing new table as changed for each statement execute function offer_refers();
create or replace trigger refers_by_update after update on offer
    referencing new table as changed for each statement execute function offer_refers();
create or replace trigger referred after delete or update of slug on provider
    for each row execute function offer_referred('provider', 'slug', 'offer_provider_known');
create or replace trigger referred after delete or update of slug on gpu
    for each row execute function offer_referred('gpu', 'slug', 'offer_gpu_known');
create or replace trigger referred after delete or update of run_id on feed_run
    for each row execute function offer_referred('run_id', 'run_id', 'offer_run_known');

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
    id text;
begin
    delete from offer using (select concat_ws('/', record_offer.provider, record_offer.instance,
            coalesce(record_offer.region, ''), record_offer.gpu, record_offer.gpu_count,
            record_offer.purchase_option) as id) as said
        where hashtext(gpu) = hashtext(record_offer.gpu)
            and hashtextextended(offer_id, 0) = hashtextextended(said.id, 0)
            and offer_id = said.id and usable and valid_from = seen and run_id is null;
    insert into offer (provider, instance, region, gpu, gpu_count, purchase_option,
            price_per_hour, price_per_gpu_hour, currency, valid_from, observed_text, source, note)
        values (record_offer.provider, record_offer.instance, coalesce(record_offer.region, ''),
            record_offer.gpu, record_offer.gpu_count, record_offer.purchase_option,
            record_offer.price_per_hour,
            trim_scale(round(record_offer.price_per_hour / record_offer.gpu_count, 6)),
            record_offer.currency, seen, seen::text, record_offer.source, record_offer.note)
        returning offer_id into id;
    return id;
end $$;
comment on function record_offer is
    'Records what an offer (price in currency per instance-hour) costs from a day on: one that was written by hand for the same day is replaced. Returns the offer_id.';

create or replace function prune_offers(
    days integer default nullif(current_setting('gpuplan.keep_days', true), '')::integer)
    returns bigint language plpgsql set search_path = public, pg_temp as $$
declare
    cutoff date := (now() at time zone 'UTC')::date - days;
    removed bigint;
begin
    if days is null or days < 1 then
        raise exception 'prune_offers(days) takes how many days back prices are kept, 1 or more, or the setting gpuplan.keep_days'
            using errcode = 'invalid_parameter_value';
    end if;
    delete from offer using (
        select ctid as row, lead(valid_from) over (partition by offer_id, usable
            order by valid_from nulls first, run_id nulls first, source) as next_from
        from offer) o
    where offer.ctid = o.row and o.next_from <= cutoff;
    get diagnostics removed = row_count;
    return removed;
end $$;
comment on function prune_offers is
    'Removes observations that another one of the same offer had replaced before the last so many days; how many. What counted on those days stays, also what no longer changes. There is no way back but a backup.';
-- History of changes, and who signs them.

create or replace function change_writer() returns text language sql stable
    set search_path = public, pg_temp as $$
    select coalesce(nullif(current_setting('gpuplan.writer', true), ''), session_user);
$$;
comment on function change_writer is 'Who signs a change: the setting gpuplan.writer, or else the login';

create or replace function history_keep() returns trigger
    language plpgsql set search_path = public, pg_temp as $$
begin
    raise exception '% of % is refused: %', lower(tg_op), tg_table_name, tg_argv[0]
        using errcode = 'restrict_violation';
end $$;
comment on function history_keep is 'Refuses to lose history, for the reason it is given';

-- Rows without dates of their own: days before a change keep the former row. Nothing is kept until a
-- table is first seeded: its first rows count as always known.

create or replace function row_record() returns trigger
    language plpgsql security definer set search_path = public, pg_temp as $$
declare
    was jsonb := case when tg_op <> 'INSERT' then to_jsonb(old) end;
    becomes jsonb := case when tg_op <> 'DELETE' then to_jsonb(new) end;
begin
    if was is not distinct from becomes
            or not exists (select from seed_row where table_name = tg_table_name) then
        return null;
    end if;
    insert into row_history (table_name, key, action, changed_at, changed_by, db_user, before, after)
    select tg_table_name, key,
           case when b.content is null then 'create' when a.content is null then 'remove'
                else 'change' end,
           clock_timestamp(), change_writer(), session_user, b.content,
           (select jsonb_object_agg(f.key, f.value) from jsonb_each(a.content) f
            where b.content -> f.key is distinct from f.value)
    from (select jsonb_object_agg(k, was -> k) as key, was as content
          from unnest(tg_argv) k having was is not null) b
    full join (select jsonb_object_agg(k, becomes -> k) as key, becomes as content
          from unnest(tg_argv) k having becomes is not null) a using (key);
    return null;
end $$;
comment on function row_record is
    'Keeps a change of a row in row_history, a change of its key as one row gone and another come; its arguments are the columns of the key';

do $$
declare
    recorded text;
    keys text;
begin
    foreach recorded in array array['gpu', 'gpu_figure', 'provider', 'hardware', 'model',
                                    'assumption'] loop
        select string_agg(quote_literal(attname), ', ' order by attnum) into keys
            from pg_index i join pg_attribute a on attrelid = indrelid and attnum = any (indkey)
            where indrelid = recorded::regclass and indisprimary;
        execute format('create or replace trigger recorded after insert or update or delete on %I
            for each row execute function row_record(%s)', recorded, keys);
        execute format('create or replace trigger kept before truncate on %I
            for each statement execute function history_keep(%L)', recorded,
            'delete its rows, so that their history is kept');
    end loop;
end $$;
create or replace trigger kept before update or delete or truncate on row_history
    for each statement execute function history_keep('history is kept as it was written');

-- If a row changes several times on one day (UTC), that day has the last version, and the days before
-- have the first `before`.
create or replace view row_past as
    select distinct on (table_name, key, until) table_name, key, until, before
    from (select *, (changed_at at time zone 'UTC')::date as until from row_history) h
    order by table_name, key, until, history_id;
comment on view row_past is
    'What a row said on the days before `until`, back to its former change; before null: it was not there.';

-- Dated rows that arrive late count from their date, as late offers do.
create or replace view hardware_version as
    with said as (
        select key ->> 'hardware_id' as id, until, before as content from row_past
        where table_name = 'hardware'
        union all
        select hardware_id, null, to_jsonb(h) from hardware h
    ), version as (
        select until, content, lag(until) over of_row as since,
               row_number() over of_row = 2 and lag(content) over of_row is null as created
        from said window of_row as (partition by id order by until)
    )
    select h.*, case when v.created and h.observed is not null then null else v.since end
               as known_from, v.until as known_until
    from version v cross join lateral jsonb_populate_record(null::hardware, v.content) h
    where v.content is not null;
comment on view hardware_version is
    'Every version of every purchase price with the days it was the last word: from known_from (null: always) until before known_until (null: it still is).';

create or replace view row_change as
    select h.history_id, h.table_name, named.key, h.action, h.changed_at, h.changed_by,
           (h.changed_at at time zone 'UTC')::date as recorded, d.field, d.before, d.after
    from row_history h
    cross join lateral (select string_agg(value, '/') as key
        from jsonb_each_text(h.key) where value <> '') named
    left join lateral (select f.key as field, h.before ->> f.key as before, f.value as after
        from jsonb_each_text(h.after) f) d on h.action = 'change';
comment on view row_change is
    'What was changed in rows without days of their own: a line per field, or one for a row that came or went.';

-- Imports: a run's rows are in the temporary table "incoming", each with its line of the file.

create or replace function feed_contradictions(keys text, content text)
    returns table (line integer, other integer) language plpgsql
    set search_path = public, pg_temp as $$
#variable_conflict use_column
declare
    any_twice boolean;
begin
    execute format('select exists (select from incoming
            group by hash_record_extended(row(%s), 0) having count(*) > 1)', keys)
        into any_twice;
    if not any_twice then
        return;
    end if;
    execute format('create temp table contradiction on commit drop as
        select i.line, case i.line when i.first then i.last else i.first end as other
        from (select line, min(line) over same as first, max(line) over same as last,
                     min(row(%2$s)::text) over same <> max(row(%2$s)::text) over same as differs
              from incoming window same as (partition by %1$s)) i where differs', keys, content);
    delete from incoming i using contradiction c where i.line = c.line;
    execute format('delete from incoming i using (select ctid as place,
            row_number() over (partition by %s order by line) as number from incoming) d
        where i.ctid = d.place and d.number > 1', keys);
    return query select c.line, min(c.other) from contradiction c group by c.line order by c.line;
    drop table contradiction;
end $$;
comment on function feed_contradictions is
    'Takes rows out of "incoming" that give one key two contents, and says which lines; of equal ones it keeps the first.';

create or replace function feed_take_offers(run bigint) returns bigint language plpgsql
    set search_path = public, pg_temp as $$
declare
    lines bigint;
begin
    with named as (
        select *, provider || '/' || instance || '/' || region
               || case when zone = '' then '' else ':' || zone end
               || '/' || gpu || '/' || gpu_count::text || '/' || purchase_option as offer_id
        from incoming
    ), taken as (
        insert into offer (provider, instance, region, zone, gpu, gpu_count, purchase_option,
                price_per_hour, price_per_gpu_hour, currency, valid_from, valid_until,
                observed_text, flagged_stale, usable, source, note, run_id, source_line)
        select provider, instance, region, zone, gpu, gpu_count, purchase_option,
               trim_scale(price_per_hour), trim_scale(round(price_per_hour / gpu_count, 9)),
               currency, valid_from, valid_until, observed_text, flagged_stale, usable, source,
               note, run, line
        from named n where not exists (
            select from offer o
            where hashtext(o.gpu) = hashtext(n.gpu)
                and hashtextextended(o.offer_id, 0) = hashtextextended(n.offer_id, 0)
                and (o.offer_id, o.valid_from, o.usable, o.price_per_hour, o.currency)
                    = (n.offer_id, n.valid_from, n.usable, n.price_per_hour, n.currency)
                and o.valid_until is not distinct from n.valid_until
                and not exists (
                    select from offer later
                    where hashtext(later.gpu) = hashtext(o.gpu)
                        and hashtextextended(later.offer_id, 0) = hashtextextended(o.offer_id, 0)
                        and (later.offer_id, later.valid_from, later.usable)
                            = (o.offer_id, o.valid_from, o.usable)
                        and (coalesce(later.run_id, 0), later.source)
                            > (coalesce(o.run_id, 0), o.source)))
        returning source_line)
    select count(*) into lines from (select distinct source_line from taken) line;
    return lines;
end $$;
comment on function feed_take_offers is
    'Adds the offers in "incoming" that say something else than what is known of their day; gives the number of lines they came from.';

create or replace function feed_take_quotes(run bigint) returns bigint language plpgsql
    set search_path = public, pg_temp as $$
declare
    lines bigint;
begin
    with fresh as (
        select * from incoming i where not exists (
            select from quote q where not hidden
                and row(q.kind, q.provider, q.gpu, q.gpu_count, q.purchase_option, q.region,
                        q.price, q.discount_ratio, q.price_unit, q.currency, q.valid_from,
                        q.valid_until)
                    is not distinct from
                    row(i.kind, i.provider, i.gpu, i.gpu_count, i.purchase_option, i.region,
                        i.price, i.discount_ratio, i.price_unit, i.currency, i.valid_from,
                        i.valid_until))
    ), taken as (
        insert into quote (kind, provider, gpu, gpu_count, purchase_option, region, price,
                discount_ratio, price_unit, currency, valid_from, valid_until, attachment, note)
        select kind, provider, gpu, gpu_count, purchase_option, region, price, discount_ratio,
               price_unit, currency, valid_from, valid_until, attachment, note
        from fresh order by line
        returning *
    ), kept as (
        insert into feed_before (run_id, table_name, key, after)
        select run, 'quote', jsonb_build_object('quote_id', quote_id), to_jsonb(taken)
        from taken)
    select count(*) into lines from fresh;
    return lines;
end $$;
comment on function feed_take_quotes is
    'Adds the quotes in "incoming" that do not stand already; gives their number.';

create or replace function feed_take_rows(
    run bigint, target regclass, keys text[], content text[], counts text default 'true')
    returns setof integer language plpgsql set search_path = public, pg_temp as $$
declare
    columns text := (select string_agg(quote_ident(attname), ', ' order by attnum)
        from pg_attribute where attrelid = 'pg_temp.incoming'::regclass and attnum > 0
            and attname <> 'line');
    of_incoming text := regexp_replace(columns, '([^, ]+)', 'i.\1', 'g');
    same_key text := (select string_agg(format('t.%1$I = i.%1$I', k), ' and ') from unnest(keys) k);
begin
    execute format('create temp table change on commit drop as
        select i.line,
               (select to_jsonb(k) from (select %1$s) k) as key,
               (select to_jsonb(c) from (select %2$s from %3$s t where %4$s and %5$s) c) as before,
               (select to_jsonb(c) from (select %6$s) c) as after
        from incoming i',
        (select string_agg(format('i.%I', k), ', ') from unnest(keys) k),
        regexp_replace(columns, '([^, ]+)', 't.\1', 'g'), target, same_key, counts, of_incoming);
    delete from change where not exists (
        select from unnest(content) c where before -> c is distinct from after -> c);
    insert into feed_before (run_id, table_name, key, before, after)
        select run, target::text, key, before, after from change;
    execute format('update %1$s t set (%2$s) = row(%3$s)
        from change, jsonb_populate_record(null::%1$s, change.after) i
        where change.before is not null and %4$s and %5$s',
        target, columns, of_incoming, same_key, counts);
    execute format('insert into %1$s (%2$s) select %3$s
        from change, jsonb_populate_record(null::%1$s, change.after) i
        where change.before is null', target, columns, of_incoming);
    return query select line from change;
    drop table change;
end $$;
comment on function feed_take_rows is
    'Brings the rows of "incoming" into a table without history, keeping in feed_before what was there; counts: which of several rows of a key. Gives the lines that changed something.';

create or replace function feed_take_gpus(run bigint) returns bigint language plpgsql
    set search_path = public, pg_temp as $$
declare
    lines integer[];
begin
    alter table pg_temp.incoming rename to wide;
    create temp table incoming on commit drop as
        select line, gpu as slug, name, vendor, architecture, launch_year::integer as year,
               form_factor, memory_type, link_name, compute_capability,
               coalesce(datacenter_licensed::integer, 1) = 1 as datacenter_licensed
        from pg_temp.wide;
    lines := array(select feed_take_rows(run, 'gpu', '{slug}', '{name,vendor,architecture,year,form_factor,memory_type,link_name,compute_capability,datacenter_licensed}'));
    drop table incoming;
    create temp table incoming on commit drop as
        select line, gpu, f.figure, f.sparsity, f.accumulate, f.value::numeric as value, f.unit,
               source_url as source, source_date::date as source_date, 'printed' as date_basis,
               'stored' as trust
        from pg_temp.wide cross join lateral (values
            ('memory_capacity', '', '', memory_gib, 'GiB'),
            ('memory_bandwidth', '', '', memory_bandwidth_gb_per_second, 'GB/s'),
            ('fp32_tflops', 'dense', 'fp32', peak_fp32_tflops, 'TFLOP/s'),
            ('tf32_tflops', 'dense', 'fp32', peak_tf32_dense_tflops, 'TFLOP/s'),
            ('fp16_tflops', 'dense', 'fp32', peak_fp16_dense_tflops, 'TFLOP/s'),
            ('bf16_tflops', 'dense', 'fp32', peak_bf16_dense_tflops, 'TFLOP/s'),
            ('fp8_tflops', 'dense', 'fp32', peak_fp8_dense_tflops, 'TFLOP/s'),
            ('int8_tops', 'dense', '', peak_int8_dense_tops, 'TOP/s'),
            ('fp4_tflops', 'dense', 'fp32', peak_fp4_dense_tflops, 'TFLOP/s'),
            ('link_unidirectional', '', '', link_unidirectional_gb_per_second, 'GB/s'),
            ('scale_up_domain', '', '', scale_up_domain, 'GPUs'),
            ('pcie_unidirectional', '', '', pcie_unidirectional_gb_per_second, 'GB/s'),
            ('tdp', '', '', tdp_w, 'W')) f (figure, sparsity, accumulate, value, unit)
        where f.value is not null;
    lines := lines || array(select feed_take_rows(run, 'gpu_figure',
        '{gpu,figure,sparsity,accumulate}', '{value,unit}', 't.trust <> ''disputed'''));
    drop table incoming;
    drop table pg_temp.wide;
    return (select count(distinct line) from unnest(lines) line);
end $$;
comment on function feed_take_gpus is
    'Makes GPUs and their figures of the wide rows in "incoming"; gives the number of lines that changed something.';

create or replace function feed_take_providers(run bigint) returns void language plpgsql
    set search_path = public, pg_temp as $$
begin
    with fresh as (
        insert into provider (slug, name, kind, note)
        select distinct provider, provider, 'cloud', 'named by an imported price list, not looked at'
        from incoming on conflict do nothing
        returning *)
    insert into feed_before (run_id, table_name, key, after)
        select run, 'provider', jsonb_build_object('slug', slug), to_jsonb(fresh) from fresh;
end $$;
comment on function feed_take_providers is
    'Adds the providers of the offers in "incoming" that are not known yet.';

create or replace function feed_undo(run bigint) returns bigint language plpgsql
    set search_path = public, pg_temp as $$
declare
    change feed_before;
    columns text;
    same_key text;
    current jsonb;
    undone bigint;
begin
    delete from offer where run_id = run;
    get diagnostics undone = row_count;
    for change in select * from feed_before where run_id = run
                  order by table_name = 'gpu', table_name, key loop
        undone := undone + 1;
        if change.table_name = 'quote' then
            update quote set hidden = true
                where quote_id = (change.key ->> 'quote_id')::bigint and not hidden;
            continue;
        end if;
        continue when change.table_name = 'provider'
            and exists (select from offer where provider = change.key ->> 'slug');
        columns := (select string_agg(quote_ident(k), ', ') from jsonb_object_keys(change.after) k);
        same_key := (select string_agg(format('t.%I::text = %L', k, v), ' and ')
                     from jsonb_each_text(change.key) e(k, v))
            || case change.table_name when 'gpu_figure' then ' and t.trust <> ''disputed''' else '' end;
        execute format('select to_jsonb(c) from (select %s from %I t where %s) c', columns,
                       change.table_name, same_key) into current;
        if current is distinct from change.after then
            raise exception 'run % cannot be undone: % % was changed since', run,
                change.table_name, change.key using errcode = 'object_not_in_prerequisite_state';
        end if;
        if change.before is null then
            execute format('delete from %I t where %s', change.table_name, same_key);
        else
            execute format('update %1$I t set (%2$s) = (select %2$s
                from jsonb_populate_record(null::%1$I, %3$L)) where %4$s', change.table_name,
                columns, change.before, same_key);
        end if;
    end loop;
    update feed_run set undone_at = now(), undone_by = session_user where run_id = run;
    update feed_source set etag = null
        where name = (select r.feed_source from feed_run r where r.run_id = run);
    return undone;
end $$;
comment on function feed_undo is
    'Takes back what a run changed, a quote by hiding it; refuses where a row was changed since. Gives the number of rows.';

-- Quotes: each change is numbered, signed and kept.

create or replace function quote_content(quote) returns jsonb language sql stable
    set search_path = public, pg_temp as $$
    select to_jsonb($1) - array['quote_id', 'version', 'changed_at', 'changed_by'];
$$;
comment on function quote_content is 'What a quote says, without who said it when';

create or replace function quote_number() returns trigger
    language plpgsql set search_path = public, pg_temp as $$
begin
    if tg_op = 'INSERT' then
        new.version := 1;
    else
        new.quote_id := old.quote_id;
        new.version := old.version;
        new.changed_at := old.changed_at;
        new.changed_by := old.changed_by;
        if quote_content(new) = quote_content(old) then
            return new;
        end if;
        new.version := old.version + 1;
    end if;
    new.changed_at := clock_timestamp();
    new.changed_by := change_writer();
    return new;
end $$;
comment on function quote_number is
    'Numbers a change of a quote, and signs it with the setting gpuplan.writer or else the login';

create or replace function quote_record() returns trigger
    language plpgsql security definer set search_path = public, pg_temp as $$
begin
    insert into quote_history (quote_id, version, action, changed_at, changed_by, db_user, content)
    values (new.quote_id, new.version,
            case when tg_op = 'INSERT' then 'create'
                 when new.hidden and not old.hidden then 'hide'
                 when old.hidden and not new.hidden then 'restore'
                 else 'replace' end,
            new.changed_at, new.changed_by, session_user, quote_content(new));
    return null;
end $$;
comment on function quote_record is 'Keeps a new version of a quote in quote_history';

create or replace function quote_key_sign() returns trigger
    language plpgsql set search_path = public, pg_temp as $$
begin
    new.writer := coalesce(nullif(current_setting('gpuplan.writer', true), ''), session_user);
    select changed_at, valid_from into new.made_at, new.valid_from from quote
        where quote_id = new.quote_id;
    return new;
end $$;
comment on function quote_key_sign is
    'Writes down whose key it is, the setting gpuplan.writer or else the login, and what its quote said first';

-- A set of own runs belongs to its first writer and holds no run twice. Its size is limited, as every
-- run is estimated again when the catalogue changes.

create or replace function own_measurement_sign() returns trigger
    language plpgsql set search_path = public, pg_temp as $$
declare
    signature constant text[] := array['id', 'created_at', 'created_by'];
    twin text;
begin
    perform pg_advisory_xact_lock(hashtext('own_measurement'));
    new.created_by := change_writer();
    if exists (select from own_measurement o where o.measurement_set = new.measurement_set
               and o.created_by <> new.created_by) then
        raise exception 'the measurement_set % is somebody else''s: choose another name',
            new.measurement_set using errcode = 'insufficient_privilege';
    end if;
    select o.id into twin from own_measurement o where o.measurement_set = new.measurement_set
        and to_jsonb(o) - signature = to_jsonb(new) - signature;
    if found then
        raise exception 'this very run is there as %', twin
            using errcode = 'unique_violation', hint = twin;
    end if;
    if (select count(*) from own_measurement o where o.measurement_set = new.measurement_set) >= 1000
       or (select count(*) from own_measurement) >= 10000 then
        raise exception 'a measurement_set holds 1000 runs, all of them together 10000: delete some'
            using errcode = 'check_violation';
    end if;
    return new;
end $$;
comment on function own_measurement_sign is
    'Signs an own run with the setting gpuplan.writer or else the login, and refuses one of another''s set, one that is there, and one too many';

create or replace trigger signed before insert on own_measurement
    for each row execute function own_measurement_sign();

create or replace trigger signed before insert on quote_key
    for each row execute function quote_key_sign();
create or replace trigger numbered before insert or update on quote
    for each row execute function quote_number();
create or replace trigger recorded_new after insert on quote
    for each row execute function quote_record();
create or replace trigger recorded_change after update on quote
    for each row when (old.version <> new.version) execute function quote_record();
do $$
declare
    kept text;
begin
    foreach kept in array array['delete or truncate on quote',
                                'update or delete or truncate on quote_history',
                                'update or delete or truncate on quote_key'] loop
        execute format('create or replace trigger kept before %s
            for each statement execute function history_keep(%L)', kept,
            'quotes are hidden (update quote set hidden = true) and their history is kept');
    end loop;
end $$;
drop function if exists quote_keep();

-- Each version with the days (UTC) from its recording until that of the next one: answers for those
-- days use it, now and later. gpu is null for discounts, which an older daemon would otherwise take
-- for hardware; quoted_gpu has it.
create or replace view quote_version as
    select h.quote_id, h.version, (h.changed_at at time zone 'UTC')::date as recorded,
           (lead(h.changed_at) over of_quote at time zone 'UTC')::date as superseded,
           first_value(h.changed_at) over of_quote as created_at,
           first_value(h.changed_by) over of_quote as created_by, h.changed_at, h.changed_by,
           q.kind, q.provider, case when q.kind <> 'discount' then q.gpu end as gpu,
           q.gpu_count, q.purchase_option, q.region, q.price,
           q.price_unit, q.currency, q.valid_from, q.valid_until, q.valid_until + 1 as valid_before,
           q.attachment, q.note, q.hidden, q.discount_ratio,
           q.gpu as quoted_gpu
    from quote_history h cross join lateral jsonb_populate_record(null::quote, h.content) q
    window of_quote as (partition by h.quote_id order by h.version);
comment on view quote_version is
    'Every version of every quote with the days (UTC) it was the last of; superseded null: still is.';

create or replace view quote_change as
    select h.quote_id, h.version, h.action, h.changed_at, h.changed_by,
           (h.changed_at at time zone 'UTC')::date as recorded,
           coalesce(was.key, becomes.key) as field, was.value as before, becomes.value as after
    from (select *, lag(content, 1, '{}') over (partition by quote_id order by version) as former
          from quote_history) h
    cross join (jsonb_each_text(h.former) was
        full join jsonb_each_text(h.content) becomes on becomes.key = was.key)
    where was.value is distinct from becomes.value;
comment on view quote_change is
    'What each version of a quote changed, a row per field: before null where it was not given.';

-- Views for reports.

create or replace view api.quotes as
    select quote_id, version, kind, provider, gpu, gpu_count, purchase_option, region, price,
           price_unit, currency, valid_from, valid_until,
           current_date >= valid_from and coalesce(current_date <= valid_until, true) as valid,
           attachment, note, changed_at, changed_by, discount_ratio
    from public.quote where not hidden;
comment on view api.quotes is
    'The team''s own quotes but for deleted ones, in currency per price_unit; valid: today.';

-- The newest usable observation up to a day is the one that counts on it; between two of one day,
-- the one imported last.
create or replace view offer_observation as
    select o.*, least(valid_until, next_from) as holds_until
    from (select *, lead(valid_from) over (partition by offer_id, usable
              order by valid_from nulls first, run_id nulls first, source) as next_from
          from offer) o;
comment on view offer_observation is
    'Every observation with the first day it no longer counts; null: it still does. Undated ones count until the first dated one.';

-- A price counts from the list that first has it until that provider's next list with a different
-- price or none. A row of hosted_model_name decides which of several models a name means.
create or replace view hosted_price_span as
    with list as (
        select feed, provider, observed,
               row_number() over (partition by feed, provider order by observed) as number,
               lead(observed) over (partition by feed, provider order by observed) as next
        from (select distinct feed, provider, observed from hosted_price) l),
    run as (
        select h.*, list.next, list.number - row_number() over (partition by feed, provider, h.model,
                   input_price, cached_input_price, output_price, currency, context_tokens
                   order by observed) as run
        from hosted_price h join list using (feed, provider, observed)),
    span as (
        select feed, provider as listed_provider, model as listed, max(hf_id) as hf_id,
               lower(regexp_replace(model, '^.*/', '')) as name,
               input_price, cached_input_price, output_price, currency, context_tokens,
               (array_agg(source order by observed desc))[1] as source,
               min(observed) as first_observed, max(observed) as last_observed,
               (array_agg(next order by observed desc))[1] as holds_until
        from run group by feed, provider, model, input_price, cached_input_price, output_price,
            currency, context_tokens, run),
    model_name as (
        select distinct on (name) name, slug from (
            select lower(split_part(hf_id, '/', 2)) as name, slug, 2 as rank from model
            union all select slug, slug, 1 from model
            union all select unnest(string_to_array(aliases, ',')), slug, 3 from model) n
        where name <> '' order by name, rank, slug)
    select s.feed, coalesce(p.provider, s.listed_provider) as provider, s.listed, s.hf_id,
           coalesce(case when own.name is not null then own.model
                         when everybody.name is not null then everybody.model
                         else coalesce(repository.slug, same.slug) end, '') as model,
           coalesce(own.evidence, everybody.evidence,
               case when repository.slug is not null
                    then 'the list names https://huggingface.co/' || s.hf_id
                    when same.slug is not null then 'the name is the model''s' end, '') as evidence,
           s.input_price, s.cached_input_price, s.output_price, s.currency, s.context_tokens,
           s.source, s.first_observed, s.last_observed, s.holds_until,
           coalesce(ceil(f.interval_hours / 12.0) + 1, 90) as stale_days
    from span s
    left join hosted_provider_name p on p.name = s.listed_provider
    left join hosted_model_name own on own.name = s.name and own.provider <> ''
        and own.provider = coalesce(p.provider, s.listed_provider)
    left join hosted_model_name everybody on everybody.name = s.name and everybody.provider = ''
    left join (select distinct on (lower(hf_id)) lower(hf_id) as name, slug from model
               where hf_id <> '' order by lower(hf_id), slug) repository
        on repository.name = lower(s.hf_id)
    left join model_name same on same.name = s.name
    left join feed_source f on f.url = s.source;
comment on view hosted_price_span is
    'Hosted prices with the model of ours they are of (empty: none) and the days on which each counts: from first_observed until before holds_until; null: it still does.';

-- Stale as the daemon defines it: after twice the feed's interval, plus a day because days are whole.
create or replace view api.offers as
    select offer_id, o.provider, instance, region, zone, gpu, gpu_count, purchase_option,
           price_per_hour, price_per_gpu_hour, currency, valid_from, holds_until as valid_until,
           undated, flagged_stale or coalesce(
               current_date - valid_from > coalesce(ceil(s.interval_hours / 12.0) + 1, stale_days), true) as stale,
           usable, source, observed_text, o.note, run_id, source_line, r.file as source_file
    from public.offer_observation o join public.provider p on p.slug = o.provider
    left join public.feed_run r using (run_id)
    left join public.feed_source s on s.name = r.feed_source
    where coalesce(valid_from <= current_date, true) and coalesce(holds_until > current_date, true);
comment on view api.offers is
    'Rental offers in force today. price_per_hour is of the instance, price_per_gpu_hour of one GPU, in currency; stale: older than twice the rhythm of its feed and a day, without a feed than the provider''s prices stay good (90 days if nothing else is said), undated or known to be old.';

create or replace view api.offer_history as
    select offer_id, o.provider, instance, region, zone, gpu, gpu_count, purchase_option,
           price_per_hour, price_per_gpu_hour, currency, valid_from, holds_until as valid_until,
           undated, flagged_stale, usable, source, observed_text, note, run_id, source_line,
           r.file as source_file
    from public.offer_observation o left join public.feed_run r using (run_id);
comment on view api.offer_history is
    'Every observation of a rental offer with the days on which it counts: from valid_from until before valid_until.';

create or replace view api.feed_runs as
    select run_id, format, provider, file, sha256, observed, imported_at, imported_by, rows_read,
           rows_taken, rows_unchanged, rows_passed, rows_refused, undone_at, undone_by
    from public.feed_run;
comment on view api.feed_runs is 'Imported files: who, when, how many rows, and whether it was undone.';

create or replace view api.gpu_names as
    select format, provider, name, memory_gib, instance, gpu, evidence from public.gpu_name;
comment on view api.gpu_names is 'What imported files call which GPU, and why we think so.';

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

-- Prices as the daemon computes them: each provider's cheapest current usable offer, then the median
-- over providers; undated offers only where no dated one exists.
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
           max(price) as price_max, bool_or(stale) as some_stale,
           (percentile_cont(0.25) within group (order by price))::numeric as price_lower_quartile,
           (percentile_cont(0.75) within group (order by price))::numeric as price_upper_quartile
    from cheapest group by gpu, purchase_option, currency;
comment on view api.price_summary is
    'Rent per GPU and purchase option today, in currency per GPU-hour, over each provider''s cheapest offer.';

\ir api_columns.sql

-- The daemon reads and, on a separate connection, writes quotes and archives replies; imports write
-- the catalogue. Where these roles cannot be created, both connect as the user in DATABASE_URL.
do $$
declare
    wanted text;
begin
    foreach wanted in array array['gpuplan_reader', 'gpuplan_writer', 'gpuplan_importer'] loop
        if not exists (select from pg_roles where rolname = wanted) then
            execute format('create role %I nologin', wanted);
        end if;
    end loop;
exception
    when insufficient_privilege or duplicate_object or unique_violation then null;
end $$;

-- Only triggers set a quote's number, version and signature.
do $$
declare
    wanted text;
begin
    if exists (select from pg_roles where rolname = 'gpuplan_reader') then
        grant usage on schema public, api to gpuplan_reader;
        grant select on all tables in schema public, api to gpuplan_reader;
    end if;
    if exists (select from pg_roles where rolname = 'gpuplan_writer') then
        grant usage on schema public to gpuplan_writer;
        grant select on quote, quote_key to gpuplan_writer;
        grant insert (key, sent, quote_id) on quote_key to gpuplan_writer;
        grant select on archived_reply to gpuplan_writer;
        grant insert (key, question, format, model_version, catalog_version, body)
            on archived_reply to gpuplan_writer;
        grant select, insert, delete on own_measurement to gpuplan_writer;
        grant insert (kind, provider, gpu, gpu_count, purchase_option, region, price,
                      discount_ratio, price_unit, currency, valid_from, valid_until, attachment,
                      note) on quote
            to gpuplan_writer;
        grant update (kind, provider, gpu, gpu_count, purchase_option, region, price,
                      discount_ratio, price_unit, currency, valid_from, valid_until, attachment,
                      note, hidden) on quote
            to gpuplan_writer;
    end if;
    if exists (select from pg_roles where rolname = 'gpuplan_importer') then
        grant usage on schema public to gpuplan_importer;
        grant select on all tables in schema public to gpuplan_importer;
        grant insert, update, delete on offer, hardware, exchange_rate, gpu, gpu_figure, model,
            hosted_price to gpuplan_importer;
        grant insert, delete on provider to gpuplan_importer;
        grant update (etag, last_success_at, last_error) on feed_source to gpuplan_importer;
        grant insert on feed_before to gpuplan_importer;
        grant insert (format, provider, file, sha256, observed, feed_source) on feed_run to gpuplan_importer;
        grant update (rows_read, rows_taken, rows_unchanged, rows_passed, rows_refused, undone_at,
                      undone_by) on feed_run to gpuplan_importer;
        grant insert (kind, provider, gpu, gpu_count, purchase_option, region, price,
                      discount_ratio, price_unit, currency, valid_from, valid_until, attachment,
                      note) on quote
            to gpuplan_importer;
        grant update (hidden) on quote to gpuplan_importer;
    end if;
    foreach wanted in array array['gpuplan_reader', 'gpuplan_writer', 'gpuplan_importer'] loop
        if not exists (select from pg_roles where rolname = wanted) then
            raise warning 'no role %: % may not create roles, so it is not set up', wanted,
                current_user;
        elsif not pg_has_role(current_user, wanted, 'member') then
            execute format('grant %I to current_user', wanted);
        end if;
    end loop;
exception
    when insufficient_privilege then
        raise warning 'roles gpuplan_reader, gpuplan_writer and gpuplan_importer exist, but % may not grant them all they need',
            current_user;
end $$;

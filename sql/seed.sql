-- seed.sql - bring the tables to what the CSV files in seed/ say, leaving alone what was changed here.
--
-- A row that is new in a file is added, one that changed there is changed and one that is gone
-- there is removed; rows that somebody edited or removed in the database stay as they are.

begin;
select pg_advisory_xact_lock(hashtext('gpuplan migrate')) \g /dev/null
set local gpuplan.writer = 'seed';

-- Merge the temporary table "incoming", which has the columns of the file, into `target`.
create function pg_temp.seed_merge(target regclass, key_columns text[]) returns void
    language plpgsql as $$
declare
    columns text := (select string_agg(quote_ident(attname), ', ' order by attnum)
        from pg_attribute where attrelid = 'pg_temp.incoming'::regclass and attnum > 0);
    keys text := (select string_agg(quote_ident(k), ', ') from unnest(key_columns) k);
    -- Equality can be hashed where a column is never null; the other comparison cannot.
    same_key text := (select string_agg(format('t.%1$I %2$s f.%1$I', attname,
            case when attnotnull then '=' else 'is not distinct from' end), ' and ')
        from pg_attribute where attrelid = target and attname = any (key_columns));
    now_in_table text := format('(select to_jsonb(c) from (select %s) c)',
        regexp_replace(columns, '([^, ]+)', 't.\1', 'g'));
begin
    execute format('create temp table fresh on commit drop as
        select i.*, (select to_jsonb(k) from (select %s) k) as seed_key, to_jsonb(i) as content
        from incoming i', regexp_replace(keys, '([^, ]+)', 'i.\1', 'g'));
    -- The file is as it was merged last, as at most upgrades: nothing follows from it.
    if not exists (select from fresh f
            full join (select key, content from seed_row where table_name = target::text) s on s.key = f.seed_key
            where f.content is distinct from s.content) then
        drop table incoming, fresh;
        return;
    end if;
    execute format('create temp table former on commit drop as
        select f.*, s.key as seed_key, s.content from seed_row s,
            jsonb_populate_record(null::pg_temp.incoming, s.content) f
        where s.table_name = %L', target);
    execute format('delete from %s t using former f where %s and %s = f.content
        and f.seed_key not in (select seed_key from fresh)', target, same_key, now_in_table);
    create temp table changed on commit drop as
        select f.*, o.content as content_before from fresh f join former o using (seed_key)
        where f.content <> o.content;
    execute format('update %s t set (%s) = row(%s) from changed f where %s and %s = f.content_before',
        target, columns, regexp_replace(columns, '([^, ]+)', 'f.\1', 'g'), same_key, now_in_table);
    execute format('insert into %s (%s) select %s from fresh f
        where seed_key not in (select seed_key from former) on conflict do nothing',
        target, columns, columns);
    delete from seed_row s where table_name = target::text
        and key not in (select seed_key from fresh);
    insert into seed_row select target::text, seed_key, content from fresh
        on conflict (table_name, key) do update set content = excluded.content
        where seed_row.content <> excluded.content;
    drop table incoming, fresh, former, changed;
end $$;

\set columns `head -n 1 seed/gpu.csv`
create temp table incoming on commit drop as select :columns from gpu with no data;
\copy incoming from 'seed/gpu.csv' with (format csv, header match)
select pg_temp.seed_merge('gpu', '{slug}') \g /dev/null

\set columns `head -n 1 seed/gpu_figure.csv`
create temp table incoming on commit drop as select :columns from gpu_figure with no data;
\copy incoming from 'seed/gpu_figure.csv' with (format csv, header match, force_not_null (sparsity, accumulate))
select pg_temp.seed_merge('gpu_figure', '{gpu,figure,sparsity,accumulate,source}') \g /dev/null

\set columns `head -n 1 seed/provider.csv`
create temp table incoming on commit drop as select :columns from provider with no data;
\copy incoming from 'seed/provider.csv' with (format csv, header match)
select pg_temp.seed_merge('provider', '{slug}') \g /dev/null

\set columns `head -n 1 seed/provider_alias.csv`
create temp table incoming on commit drop as select :columns from provider_alias with no data;
\copy incoming from 'seed/provider_alias.csv' with (format csv, header match)
select pg_temp.seed_merge('provider_alias', '{alias}') \g /dev/null

\set columns `head -n 1 seed/feed_source.csv`
create temp table incoming on commit drop as select :columns from feed_source with no data;
\copy incoming from 'seed/feed_source.csv' with (format csv, header match)
select pg_temp.seed_merge('feed_source', '{name}') \g /dev/null
\set columns `head -n 1 seed/instance.csv`
create temp table incoming on commit drop as select :columns from instance with no data;
\copy incoming from 'seed/instance.csv' with (format csv, header match, force_not_null (name))
select pg_temp.seed_merge('instance', '{provider,gpu,name}') \g /dev/null

\set columns `head -n 1 seed/region.csv`
create temp table incoming on commit drop as select :columns from region with no data;
\copy incoming from 'seed/region.csv' with (format csv, header match)
select pg_temp.seed_merge('region', '{provider,region}') \g /dev/null

\set columns `head -n 1 seed/billing.csv`
create temp table incoming on commit drop as select :columns from billing with no data;
\copy incoming from 'seed/billing.csv' with (format csv, header match, force_not_null (instance_prefix))
select pg_temp.seed_merge('billing', '{provider,instance_prefix}') \g /dev/null

\set columns `head -n 1 seed/gpu_name.csv`
create temp table incoming on commit drop as select :columns from gpu_name with no data;
\copy incoming from 'seed/gpu_name.csv' with (format csv, header match, force_not_null (provider))
select pg_temp.seed_merge('gpu_name', '{format,provider,name,memory_gib,instance}') \g /dev/null

\set columns `head -n 1 seed/offer.csv`
create temp table incoming on commit drop as select :columns from offer with no data;
\copy incoming from 'seed/offer.csv' with (format csv, header match, force_not_null (region, observed_text))
select pg_temp.seed_merge('offer', '{provider,instance,region,gpu,gpu_count,purchase_option,valid_from,source}') \g /dev/null

\set columns `head -n 1 seed/hardware.csv`
create temp table incoming on commit drop as select :columns from hardware with no data;
\copy incoming from 'seed/hardware.csv' with (format csv, header match, force_not_null (observed_text))
select pg_temp.seed_merge('hardware', '{hardware_id}') \g /dev/null

\set columns `head -n 1 seed/exchange_rate.csv`
create temp table incoming on commit drop as select :columns from exchange_rate with no data;
\copy incoming from 'seed/exchange_rate.csv' with (format csv, header match)
select pg_temp.seed_merge('exchange_rate', '{currency,observed}') \g /dev/null

\set columns `head -n 1 seed/model.csv`
create temp table incoming on commit drop as select :columns from model with no data;
\copy incoming from 'seed/model.csv' with (format csv, header match, force_not_null (aliases))
select pg_temp.seed_merge('model', '{slug}') \g /dev/null

\set columns `head -n 1 seed/hosted_provider_name.csv`
create temp table incoming on commit drop as select :columns from hosted_provider_name with no data;
\copy incoming from 'seed/hosted_provider_name.csv' with (format csv, header match)
select pg_temp.seed_merge('hosted_provider_name', '{name}') \g /dev/null

\set columns `head -n 1 seed/hosted_model_name.csv`
create temp table incoming on commit drop as select :columns from hosted_model_name with no data;
\copy incoming from 'seed/hosted_model_name.csv' with (format csv, header match, force_not_null (provider))
select pg_temp.seed_merge('hosted_model_name', '{provider,name}') \g /dev/null

\set columns `head -n 1 seed/hosted_price.csv`
create temp table incoming on commit drop as select :columns from hosted_price with no data;
\copy incoming from 'seed/hosted_price.csv' with (format csv, header match)
select pg_temp.seed_merge('hosted_price', '{feed,provider,model,observed}') \g /dev/null

\set columns `head -n 1 seed/assumption.csv`
create temp table incoming on commit drop as select :columns from assumption with no data;
\copy incoming from 'seed/assumption.csv' with (format csv, header match, force_not_null (scope, unit))
select pg_temp.seed_merge('assumption', '{key,scope}') \g /dev/null

\set columns `head -n 1 seed/measurement_source.csv`
create temp table incoming on commit drop as select :columns from measurement_source with no data;
\copy incoming from 'seed/measurement_source.csv' with (format csv, header match)
select pg_temp.seed_merge('measurement_source', '{source}') \g /dev/null

-- A file for each sort of run; what a file has no column for, its runs do not state.
create temp table incoming on commit drop as select * from measurement with no data;
alter table incoming alter column kind set default 'training';
\set columns `head -n 1 seed/measurement_training.csv`
create temp table part on commit drop as select :columns from measurement with no data;
\copy part from 'seed/measurement_training.csv' with (format csv, header match)
insert into incoming (:columns) table part;
drop table part;
\set columns `head -n 1 seed/measurement_completed.csv`
create temp table part on commit drop as select :columns from measurement with no data;
\copy part from 'seed/measurement_completed.csv' with (format csv, header match)
insert into incoming (:columns) table part;
drop table part;
\set columns `head -n 1 seed/measurement_inference.csv`
create temp table part on commit drop as select :columns from measurement with no data;
\copy part from 'seed/measurement_inference.csv' with (format csv, header match)
insert into incoming (:columns) table part;
drop table part;
\set columns `head -n 1 seed/measurement_pools.csv`
create temp table part on commit drop as select :columns from measurement with no data;
\copy part from 'seed/measurement_pools.csv' with (format csv, header match)
insert into incoming (:columns) table part;
drop table part;
alter table incoming alter column kind set default 'whole_run';
\set columns `head -n 1 seed/measurement_whole_run.csv`
create temp table part on commit drop as select :columns from measurement with no data;
\copy part from 'seed/measurement_whole_run.csv' with (format csv, header match)
insert into incoming (:columns) table part;
drop table part;
select pg_temp.seed_merge('measurement', '{id}') \g /dev/null

commit;

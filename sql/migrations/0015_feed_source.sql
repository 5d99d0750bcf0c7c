-- 0015_feed_source.sql - feeds that `gpuplan fetch` brings in; providers by other names; hosted prices.

create table feed_source (
    name            text        primary key,
    url             text        not null,
    format          text        not null,
    provider        text,
    interval_hours  integer     not null,
    licence         text        not null,
    attribution     text        not null,
    enabled         boolean     not null default false,
    etag            text,
    last_success_at timestamptz,
    last_error      text,
    constraint feed_source_name_form check (name ~ '^[a-z0-9]+(-[a-z0-9]+)*$'),
    constraint feed_source_url_form check (url ~ '^https://[a-z0-9.-]+/[^[:space:][:cntrl:]]*$'),
    constraint feed_source_provider_known foreign key (provider) references provider,
    constraint feed_source_interval_sane check (interval_hours between 1 and 8784),
    constraint feed_source_licence_given check (licence <> '' and attribution <> '')
);
comment on table feed_source is
    'Public price lists that gpuplan fetch can bring in. To switch one on: update feed_source set enabled = true where name = ''ecb''';
comment on column feed_source.url is
    'Where it is read; {version} stands for what the file "version" in the folder before it says';
comment on column feed_source.format is 'One of those gpuplan import --help lists';
comment on column feed_source.provider is 'Whose prices all of it holds; null: the rows say';
comment on column feed_source.interval_hours is 'How often it changes: gpuplan fetch asks no sooner';
comment on column feed_source.licence is 'What its publisher allows, as the publisher says it';
comment on column feed_source.attribution is 'Whom to name beside its figures';
comment on column feed_source.enabled is 'Whether gpuplan fetch without names brings it in';
comment on column feed_source.etag is
    'The ETag, or the version, of what was imported last; null: ask for all of it';
comment on column feed_source.last_success_at is 'When it was last imported or found unchanged';
comment on column feed_source.last_error is 'What went wrong last time; null: nothing';

create table provider_alias (
    alias     text primary key,
    provider  text not null,
    evidence  text not null,
    constraint provider_alias_form check (alias ~ '^[a-z0-9]+([-.][a-z0-9]+)*$'),
    constraint provider_alias_provider_known foreign key (provider) references provider,
    constraint provider_alias_evidence_given check (evidence <> '')
);
comment on table provider_alias is 'Other names of providers, as feeds and folders use them.';
comment on column provider_alias.evidence is 'What says that they are the same';

create table hosted_price (
    feed             text    not null,
    provider         text    not null,
    model            text    not null,
    observed         date    not null,
    hf_id            text,
    input_price      numeric not null,
    cached_input_price numeric,
    output_price     numeric,
    currency         text    not null,
    source           text    not null,
    primary key (feed, provider, model, observed),
    constraint hosted_price_sane check (input_price >= 0 and input_price < 1e6
        and cached_input_price >= 0 and output_price >= 0 and output_price < 1e6),
    constraint hosted_price_currency_form check (currency ~ '^[A-Z]{3}$'),
    constraint hosted_price_source_given check (source <> '')
);
comment on table hosted_price is
    'What providers of hosted models ask for a million tokens, as price lists had it on a day.';
comment on column hosted_price.feed is 'The format of the list it was read in';
comment on column hosted_price.provider is 'Who serves the model, as the list names it';
comment on column hosted_price.model is 'The model, as the list names it';
comment on column hosted_price.hf_id is 'The model on Hugging Face, where the list says so';
comment on column hosted_price.input_price is 'For a million tokens read';
comment on column hosted_price.cached_input_price is
    'For a million tokens read that are cached; null: not offered apart';
comment on column hosted_price.output_price is
    'For a million tokens written; null: none are, as by an embedding model';

alter table feed_run
    add column feed_source text,
    add constraint feed_run_source_known foreign key (feed_source) references feed_source
        on delete set null,
    drop constraint feed_run_format_known,
    add constraint feed_run_format_known check (format ~ '^[a-z][a-z0-9-]*$');
comment on column feed_run.feed_source is 'The source it was fetched from; null: a file given by hand';
comment on column hosted_price.observed is 'Day the list was read';

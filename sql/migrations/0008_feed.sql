-- 0008_feed.sql - imported files: each a run that can be traced and undone; what feeds call our GPUs.

create table feed_run (
    run_id          bigint      primary key generated always as identity,
    format          text        not null,
    provider        text,
    file            text        not null,
    sha256          text        not null,
    observed        date,
    imported_at     timestamptz not null default now(),
    imported_by     text        not null default session_user,
    rows_read       integer     not null default 0,
    rows_taken      integer     not null default 0,
    rows_unchanged  integer     not null default 0,
    rows_passed     integer     not null default 0,
    rows_refused    integer     not null default 0,
    undone_at       timestamptz,
    undone_by       text,
    constraint feed_run_format_known check (format in ('skypilot', 'gpuhunt', 'offers', 'hardware',
        'quotes', 'exchange-rates', 'gpus', 'models')),
    constraint feed_run_provider_known foreign key (provider) references provider,
    constraint feed_run_file_given check (file <> ''),
    constraint feed_run_sha256_form check (sha256 ~ '^[0-9a-f]{64}$'),
    constraint feed_run_rows_add_up check (
        rows_read = rows_taken + rows_unchanged + rows_passed + rows_refused
        and least(rows_taken, rows_unchanged, rows_passed, rows_refused) >= 0),
    constraint feed_run_undone_by_somebody check ((undone_at is null) = (undone_by is null))
);
comment on table feed_run is
    'A file as it was imported: one transaction, which can be undone as a whole; the row stays.';
comment on column feed_run.provider is 'Whose prices the file holds where all are of one; null: several or none';
comment on column feed_run.file is 'Folder and name, as the file was given';
comment on column feed_run.observed is 'Day of the rows that do not give one; null: all of them do';
comment on column feed_run.rows_taken is 'Rows that changed something';
comment on column feed_run.rows_unchanged is 'Rows that said what is known of that day already';
comment on column feed_run.rows_passed is 'Rows about something else, as instances without a GPU';
comment on column feed_run.rows_refused is 'Rows that could not be read or trusted; the report says why';

-- A file that is in the catalogue is not taken again.
create unique index feed_run_once on feed_run (sha256, format, observed)
    nulls not distinct where undone_at is null;

create table gpu_name (
    format      text    not null,
    provider    text    not null default '',
    name        text    not null,
    memory_gib  numeric not null default 0,
    instance    text    not null default '%',
    gpu         text    not null,
    gpu_count   integer not null default 0,
    evidence    text    not null,
    primary key (format, provider, name, memory_gib, instance),
    constraint gpu_name_gpu_known foreign key (gpu) references gpu,
    constraint gpu_name_name_given check (name <> ''),
    constraint gpu_name_memory_sane check (memory_gib >= 0 and memory_gib < 10000),
    constraint gpu_name_count_sane check (gpu_count between 0 and 100000),
    constraint gpu_name_evidence_given check (evidence <> '')
);
comment on table gpu_name is
    'What a feed calls which of our GPUs, and why we think so. A name that is not here is reported, never guessed.';
comment on column gpu_name.format is 'The kind of feed, as in feed_run';
comment on column gpu_name.provider is 'Where the name means this; empty: wherever no row names the provider';
comment on column gpu_name.name is 'As the feed spells it, in lower case, without blanks, hyphens and underscores';
comment on column gpu_name.memory_gib is
    'Memory of the card that goes with the name, in GiB; 0: that of the GPU. A feed that gives another one, by over 7 % (decimal gigabytes are 6.9 % off), is refused';
comment on column gpu_name.instance is 'Pattern (SQL LIKE) of the instance types it is true of';
comment on column gpu_name.gpu_count is
    'GPUs in such an instance, where that is known: a row that counts others is refused; 0: as the feed says';
comment on column gpu_name.evidence is 'What says that it is this GPU: memory size, form factor, the provider''s own page';

-- What an import changed in tables whose rows have no history of their own.
create table feed_before (
    run_id      bigint  not null,
    table_name  text    not null,
    key         jsonb   not null,
    before      jsonb,
    after       jsonb   not null,
    primary key (run_id, table_name, key),
    constraint feed_before_run_known foreign key (run_id) references feed_run
);
comment on table feed_before is
    'What rows were before an import changed them, so that it can be undone; offers carry their run_id instead.';
comment on column feed_before.before is 'The row as it was; null: there was none';
comment on column feed_before.after is 'The row as the import left it: undoing stops where it is another one by then';

-- An offer may be of one zone of a region, and comes from a line of a file. What holds on a day is
-- the newest observation up to it, so that no row has to change when the next one comes.
drop view if exists api.price_summary;
drop view if exists api.offers;
alter table offer
    drop constraint offer_validity_apart,
    drop constraint offer_observation_once,
    drop column offer_id,
    add column zone text not null default '',
    add column run_id bigint,
    add column source_line integer;
alter table offer
    add column offer_id text not null generated always as (
        provider || '/' || instance || '/' || region
        || case when zone = '' then '' else ':' || zone end
        || '/' || gpu || '/' || gpu_count::text || '/' || purchase_option) stored,
    add constraint offer_observation_once
        unique nulls not distinct (offer_id, valid_from, source, run_id),
    add constraint offer_run_known foreign key (run_id) references feed_run,
    add constraint offer_line_of_a_run check ((run_id is null) = (source_line is null)
        and source_line > 0);
create index offer_run on offer (run_id) where run_id is not null;
comment on column offer.offer_id is 'What the observations of one offer have in common';
comment on column offer.zone is 'Availability zone where the price is for one; empty: for the region';
comment on column offer.run_id is 'The import it came with; null: the seed, or written by hand';
comment on column offer.source_line is 'Line of the file it was read from';
comment on column offer.valid_until is
    'First day it no longer holds, where the source says so; null: until the next observation';

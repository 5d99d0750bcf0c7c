-- When the catalogue last changed, and what the seed files last said.

create table catalog_change (
    day         date        primary key,
    changes     integer     not null default 1,
    changed_at  timestamptz not null default now(),
    constraint catalog_change_counted check (changes > 0)
);
comment on table catalog_change is
    'Changes of the catalogue by day (UTC); its version is the last day and its count, as 20261120.3.';
comment on column catalog_change.changes is 'Statements that changed the catalogue on that day';

create table seed_row (
    table_name  text  not null,
    key         jsonb not null,
    content     jsonb not null,
    primary key (table_name, key)
);
comment on table seed_row is
    'Each row as the seed files last gave it, so that seeding again leaves alone what was changed here.';

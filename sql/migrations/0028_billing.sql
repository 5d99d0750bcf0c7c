-- 0028_billing.sql - how providers bill time: in steps of how long, and for how long at least.

create table billing (
    provider             text     not null,
    instance_prefix      text     not null default '',
    granularity_seconds  numeric,
    minimum_seconds      numeric,
    source               text     not null,
    source_date          date     not null,
    date_basis           text     not null,
    note                 text,
    constraint billing_key primary key (provider, instance_prefix),
    constraint billing_provider_known foreign key (provider) references provider,
    constraint billing_granularity_positive
        check (granularity_seconds > 0 and granularity_seconds < 'Infinity'),
    constraint billing_minimum_sensible
        check (minimum_seconds >= 0 and minimum_seconds < 'Infinity'),
    constraint billing_says_something
        check (granularity_seconds is not null or minimum_seconds is not null),
    constraint billing_source_given check (source <> ''),
    constraint billing_date_basis_known check (date_basis in ('printed', 'collected'))
);
comment on table billing is
    'How a provider bills the time that an instance runs. A provider that is not here: not known.';
comment on column billing.instance_prefix is
    'What the names of the instances begin with; the longest that fits counts; empty: all of them';
comment on column billing.granularity_seconds is
    'Started steps of this length are billed whole; null: not known';
comment on column billing.minimum_seconds is
    'The least that is billed each time an instance is started; 0: no minimum; null: not known';
comment on column billing.source_date is 'Day of the figure';
comment on column billing.date_basis is
    'printed: the source has that date; collected: it has none, this is the day it was read';

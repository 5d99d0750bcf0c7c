-- 0007_quote.sql - a team's own vendor quotes, and who changed what in them when.

create table quote (
    quote_id         bigint      primary key generated always as identity,
    version          integer     not null default 1,
    kind             text        not null,
    provider         text        not null,
    gpu              text        not null,
    gpu_count        integer     not null default 1,
    purchase_option  text,
    region           text,
    price            numeric     not null,
    price_unit       text        not null,
    currency         text        not null default 'USD',
    valid_from       date        not null default (now() at time zone 'UTC')::date,
    valid_until      date,
    attachment       text,
    note             text,
    hidden           boolean     not null default false,
    changed_at       timestamptz not null default now(),
    changed_by       text        not null default session_user,
    constraint quote_gpu_known foreign key (gpu) references gpu,
    constraint quote_kind_known check (kind in ('rental', 'hardware')),
    constraint quote_provider_form
        check (provider ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and length(provider) <= 63),
    constraint quote_count_sane check (gpu_count between 1 and 100000),
    constraint quote_option_fits check (case kind
        when 'rental' then purchase_option is not null and purchase_option in
            ('on_demand', 'spot', 'reserved_1yr', 'reserved_3yr', 'capacity_block')
        else purchase_option is null end),
    constraint quote_region_fits check (kind = 'rental' or region is null),
    constraint quote_unit_fits check (price_unit = any (case kind
        when 'rental' then array['per_gpu_hour', 'per_node_hour']
        else array['per_card', 'per_server'] end)),
    constraint quote_card_is_one check (price_unit <> 'per_card' or gpu_count = 1),
    constraint quote_price_positive check (price > 0 and price < 'Infinity'),
    constraint quote_currency_form check (currency ~ '^[A-Z]{3}$'),
    constraint quote_validity_forward check (valid_until >= valid_from),
    constraint quote_days_sane
        check (valid_from >= '2000-01-01' and coalesce(valid_until, valid_from) < '2200-01-01')
);
comment on table quote is
    'What a vendor quoted the team, as it stands now. Rows are hidden, never deleted; what they said before is in quote_history.';
comment on column quote.version is 'Counts the changes from 1; set by a trigger';
comment on column quote.provider is
    'Who quoted it; the slug of a provider of the catalogue where it is one, whose list prices the quote replaces';
comment on column quote.gpu_count is 'GPUs in the node or server that is quoted; 1 for a card';
comment on column quote.region is 'Null: for every region of the provider';
comment on column quote.price is 'In currency per price_unit, before tax';
comment on column quote.price_unit is 'What the price is for: a GPU or a node for an hour, a card or a server';
comment on column quote.currency is 'ISO 4217';
comment on column quote.valid_from is 'First day it holds; answers know of it from the day it was written on';
comment on column quote.valid_until is 'Last day it holds, as vendors print it; null: until it is hidden or replaced';
comment on column quote.attachment is 'Where the document is: a reference or an address';
comment on column quote.hidden is 'Deleted for everybody who does not ask for hidden ones';
comment on column quote.changed_by is
    'Name of the token that wrote it, or the database user who did without the service';

create table quote_history (
    quote_id    bigint      not null,
    version     integer     not null,
    action      text        not null,
    changed_at  timestamptz not null,
    changed_by  text        not null,
    db_user     text        not null,
    content     jsonb       not null,
    primary key (quote_id, version),
    constraint quote_history_of_a_quote foreign key (quote_id) references quote,
    constraint quote_history_action_known check (action in ('create', 'replace', 'hide', 'restore'))
);
comment on table quote_history is
    'Every version of every quote with who made it when: written by a trigger, never changed.';
comment on column quote_history.db_user is 'The login of the connection that wrote it';
comment on column quote_history.content is 'The columns of quote as they were from then on';

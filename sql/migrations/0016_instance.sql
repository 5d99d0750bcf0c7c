-- 0016_instance.sql - what providers rent their GPUs in: markets, networks between instances, clusters.

alter table provider
    add column market text,
    add constraint provider_market_known
        check (market in ('hyperscaler', 'neocloud', 'marketplace', 'community'));
comment on column provider.market is
    'hyperscaler, neocloud, marketplace (resells the hosts of others) or community (hosts of private persons too); null: not known';

create table instance (
    provider                  text    not null,
    gpu                       text    not null,
    name                      text    not null,
    network_gbit_per_second   numeric,
    cluster_gpu_count_max     integer,
    source                    text    not null,
    source_date               date    not null,
    trust                     text    not null,
    note                      text,
    constraint instance_key primary key (provider, gpu, name),
    constraint instance_provider_known foreign key (provider) references provider,
    constraint instance_gpu_known foreign key (gpu) references gpu on delete cascade,
    constraint instance_network_positive
        check (network_gbit_per_second > 0 and network_gbit_per_second < 'Infinity'),
    constraint instance_cluster_positive check (cluster_gpu_count_max > 0),
    constraint instance_says_something
        check (network_gbit_per_second is not null or cluster_gpu_count_max is not null),
    constraint instance_source_given check (source <> ''),
    constraint instance_trust_known check (trust in ('stored', 'from_memory'))
);
comment on table instance is
    'What a provider''s instances with a GPU can be joined to: the network between them and the largest cluster known.';
comment on column instance.name is
    'The provider''s name of the machine, as in offer.instance; empty: all that are not named';
comment on column instance.network_gbit_per_second is
    'Per GPU and direction, between instances; null: not known';
comment on column instance.cluster_gpu_count_max is
    'The most GPUs anyone is known to rent as one cluster; null: not known';
comment on column instance.source_date is 'Day of the figure';
comment on column instance.trust is 'stored: read in the source; from_memory: known to be printed there, not read again';

alter table row_history disable trigger user;
update row_history set before = before || '{"market": null}' where table_name = 'provider';
alter table row_history enable trigger user;
update seed_row set content = content || '{"market": null}' where table_name = 'provider';

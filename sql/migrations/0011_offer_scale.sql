-- 0011_offer_scale.sql - a million observations: which GPU's offers changed, how old prices may get.

create table offer_stamp (
    gpu    text primary key,
    stamp  uuid not null default gen_random_uuid(),
    constraint offer_stamp_gpu_known foreign key (gpu) references gpu on delete cascade
);
comment on table offer_stamp is
    'Differs after every change of a GPU''s offers, so that the daemon reads only those again; kept by a trigger.';
comment on column offer_stamp.stamp is
    'Never the same twice, as a counter set back by a restored backup might be';
insert into offer_stamp (gpu) select distinct gpu from offer;

create index offer_gpu on offer (gpu);

alter table provider
    add column stale_days integer not null default 90,
    add constraint provider_stale_days_sane check (stale_days between 1 and 36500);
comment on column provider.stale_days is
    'Its prices are flagged stale when they were observed more days ago than this';

alter table row_history disable trigger user;
update row_history set before = before || '{"stale_days": 90}' where table_name = 'provider';
alter table row_history enable trigger user;

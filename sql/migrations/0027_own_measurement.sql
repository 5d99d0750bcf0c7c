-- 0027_own_measurement.sql - runs that the team measured itself, in sets of its own.

create table own_measurement (
    like measurement including comments,
    measurement_set  text         not null,
    created_at       timestamptz  not null default now(),
    created_by       text         not null default session_user,
    constraint own_measurement_key primary key (id),
    constraint own_measurement_kind_known check (kind in ('training', 'served')),
    constraint own_measurement_positive check (measured > 0 and measured < 'Infinity'),
    constraint own_measurement_set_form check (
        measurement_set ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and length(measurement_set) <= 63)
);
alter table own_measurement
    alter column id set default 'own-' || replace(gen_random_uuid()::text, '-', ''),
    alter column source set default 'own run';
create index own_measurement_of_set on own_measurement (measurement_set);
comment on table own_measurement is
    'Runs that the team measured itself. Columns as in measurement; they correct the estimates of those who name their set.';
comment on column own_measurement.id is 'Cannot be guessed; set by default';
comment on column own_measurement.measurement_set is
    'Who names it has estimates corrected by its runs; only who wrote its first run may add to it or delete from it';
comment on column own_measurement.created_by is
    'Name of the token that wrote it, or the database user who did without the service; set by a trigger';

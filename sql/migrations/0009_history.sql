-- 0009_history.sql - what rows without dates of their own said before they were changed.

create table row_history (
    history_id  bigint      primary key generated always as identity,
    table_name  text        not null,
    key         jsonb       not null,
    action      text        not null,
    changed_at  timestamptz not null,
    changed_by  text        not null,
    db_user     text        not null,
    before      jsonb,
    after       jsonb,
    constraint row_history_action_known check (action in ('create', 'change', 'remove')),
    constraint row_history_action_fits
        check ((before is null) = (action = 'create') and (after is null) = (action = 'remove'))
);
comment on table row_history is
    'Every change of a row that answers rest on and that has no days of its own: written by a trigger, never changed. What is not here has been so since before there was a history, or since the first seed.';
comment on column row_history.key is 'The columns of the primary key';
comment on column row_history.changed_by is 'The setting gpuplan.writer, or else the login';
comment on column row_history.db_user is 'The login of the connection that wrote it';
comment on column row_history.before is 'The columns as they were until then; null: there was no such row';
comment on column row_history.after is
    'What changed, as it is from then on: all columns of a new row; null: there is no such row any more';

-- 0012_archived_reply.sql - replies to pinned links, to give again when their formulas are gone.

create table archived_reply (
    key              text        primary key,
    question         text        not null,
    format           text        not null,
    model_version    text        not null,
    catalog_version  text        not null,
    body             bytea       not null,
    archived_at      timestamptz not null default now(),
    constraint archived_reply_key_form check (key ~ '^[0-9a-f]{64}$'),
    constraint archived_reply_format_form check (format ~ '^[a-z]{1,8}$')
);
comment on table archived_reply is
    'Answers to links that name their day and their version of the formulas, as they were sent first.';
comment on column archived_reply.key is
    'SHA-256 of path, sorted parameters and format; each part but the last ends with a NUL';
comment on column archived_reply.question is 'The link: path and sorted parameters, format apart';
comment on column archived_reply.body is 'The reply, uncompressed; PostgreSQL compresses it';
comment on column archived_reply.catalog_version is 'Version of the catalogue it was answered from';

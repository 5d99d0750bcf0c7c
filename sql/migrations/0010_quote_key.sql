-- 0010_quote_key.sql - the Idempotency-Key a quote was posted with, so that sending it again makes no second.

create table quote_key (
    writer      text        not null,
    key         text        not null,
    sent        text        not null,
    quote_id    bigint      not null,
    made_at     timestamptz not null,
    valid_from  date        not null,
    primary key (writer, key),
    constraint quote_key_of_a_quote foreign key (quote_id) references quote,
    constraint quote_key_form check (key ~ '^[!-~]{1,255}$'),
    constraint quote_key_sent_form check (sent ~ '^[0-9a-f]{64}$')
);
comment on table quote_key is
    'Keys that quotes were posted with: the same from the same writer is answered with the quote it made first.';
comment on column quote_key.writer is 'Name of the token that sent it; set by a trigger';
comment on column quote_key.sent is
    'SHA-256 of what was sent, to tell a repetition from another quote under the same key';
comment on column quote_key.made_at is 'changed_at of the quote as it was made; set by a trigger';
comment on column quote_key.valid_from is 'The quote''s, as it was made: it may have been left open; set by a trigger';

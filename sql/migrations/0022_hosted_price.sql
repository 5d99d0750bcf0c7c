-- 0022_hosted_price.sql - which model of ours a listed price is of, and who serves it.

alter table hosted_price
    add column context_tokens integer,
    add constraint hosted_price_context_sane check (context_tokens > 0);
comment on column hosted_price.context_tokens is
    'The most tokens of a request, prompt and answer together; null: the list does not say';

create table hosted_model_name (
    provider  text not null default '',
    name      text not null,
    model     text,
    evidence  text not null,
    constraint hosted_model_name_key primary key (provider, name),
    constraint hosted_model_name_form check (name = lower(name) and name <> '' and name !~ '/'),
    constraint hosted_model_name_model_known foreign key (model) references model
        on update cascade on delete cascade,
    constraint hosted_model_name_evidence_given check (evidence <> '')
);
create index hosted_model_name_model on hosted_model_name (model);
comment on table hosted_model_name is
    'What lists of hosted prices call which of our models. Names that are those of the model here or of its repository need no row.';
comment on column hosted_model_name.provider is 'Who calls it so, as hosted_provider_name has it; empty: everybody';
comment on column hosted_model_name.name is
    'The listed name after its last slash, in small letters';
comment on column hosted_model_name.model is 'Null: none of ours, although it is called so';
comment on column hosted_model_name.evidence is 'What says that it is that model';

create table hosted_provider_name (
    name      text not null,
    provider  text not null,
    evidence  text not null,
    constraint hosted_provider_name_key primary key (name),
    constraint hosted_provider_name_evidence_given check (evidence <> '')
);
comment on table hosted_provider_name is
    'Providers of hosted models that lists call differently. One that has no row keeps the name of the list.';
comment on column hosted_provider_name.evidence is 'What says that they are the same';

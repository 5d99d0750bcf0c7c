-- 0056_quoted_discounts.sql - quotes of two more kinds: a discount on a provider's list prices, and
-- capacity that is already paid for, a rental at a price of 0.

alter table quote
    add column discount_ratio numeric,
    alter column gpu drop not null,
    alter column price drop not null,
    alter column price_unit drop not null,
    drop constraint quote_kind_known,
    drop constraint quote_option_fits,
    drop constraint quote_unit_fits,
    drop constraint quote_price_positive,
    add constraint quote_kind_known check (kind in ('rental', 'hardware', 'discount')),
    add constraint quote_gpu_given check (kind = 'discount' or gpu is not null),
    add constraint quote_option_fits check (case kind
        when 'hardware' then purchase_option is null
        else coalesce(purchase_option, case kind when 'discount' then 'spot' else '' end) in
            ('on_demand', 'spot', 'reserved_1yr', 'reserved_3yr', 'capacity_block') end),
    add constraint quote_unit_fits check (case kind
        when 'rental' then coalesce(price_unit, '') in ('per_gpu_hour', 'per_node_hour')
        when 'hardware' then coalesce(price_unit, '') in ('per_card', 'per_server')
        else price_unit is null end),
    add constraint quote_price_fits check (case
        when kind = 'discount' then price is null
        when price is null or not price < 'Infinity' then false
        when kind = 'rental' and purchase_option = 'on_demand' then price >= 0
        else price > 0 end),
    add constraint quote_discount_fits check (case kind
        when 'discount' then coalesce(discount_ratio, 0) > 0 and discount_ratio <= 1
        else discount_ratio is null end);

comment on column quote.gpu is 'Null: a discount on the prices of every GPU of the provider';
comment on column quote.gpu_count is
    'GPUs in the node or server that is quoted; 1 for a card; all GPUs that are paid for where the price is 0';
comment on column quote.purchase_option is 'Null for hardware, and for a discount on every option';
comment on column quote.price is
    'In currency per price_unit, before tax; 0: capacity that is already paid for; null: a discount';
comment on column quote.price_unit is
    'What the price is for: a GPU or a node for an hour, a card or a server; null: a discount';
comment on column quote.discount_ratio is 'Share of the list price that is taken off; null: not a discount';

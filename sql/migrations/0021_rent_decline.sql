-- Rent may rise: the observed change of rent per year has an interval on both sides of zero. Every
-- other assumption stays at or above it.

alter table assumption
    drop constraint assumption_not_negative,
    add constraint assumption_not_negative
        check (least(low, value, high) >= 0 or key = 'rent_price_decline_ratio');

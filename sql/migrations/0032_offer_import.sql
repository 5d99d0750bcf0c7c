-- 0032_offer_import.sql - a million observations imported in half the time: less is checked and
-- indexed for every row of offer.

-- Each of these ran a query per row; triggers of functions.sql check the same once per statement.
alter table offer
    drop constraint offer_provider_known,
    drop constraint offer_gpu_known,
    drop constraint offer_run_known;

-- Indexes hashes of 8 and 4 bytes instead of a hundred bytes of text, and finds the offers of a GPU.
alter table offer drop constraint offer_observation_once;
create unique index offer_observation_once on offer
    (gpu, hashtextextended(offer_id, 0), valid_from, run_id, hashtext(source)) nulls not distinct;
drop index offer_gpu;

-- The rows of a run are stored next to one another, so a block range index finds them.
drop index offer_run;
create index offer_run on offer using brin (run_id) with (autosummarize = on);

-- 0038_offer_index.sql - offers are found by hashes alone: comparing the text of a GPU's name on the
-- way down the index took a third of an import's time.

drop index offer_observation_once;
create unique index offer_observation_once on offer
    (hashtext(gpu), hashtextextended(offer_id, 0), valid_from, hashtext(source), run_id)
    nulls not distinct;

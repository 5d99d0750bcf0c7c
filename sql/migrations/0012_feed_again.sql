-- A file of which rows were refused, or which rested on rows of a run that was undone since, may be
-- taken again. Imports wait for one another, so that who looks for an earlier run finds it.
drop index feed_run_once;
create index feed_run_file on feed_run (sha256, format, observed) where undone_at is null;

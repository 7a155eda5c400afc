-- Processes of the release before: must stop, which do not know the new key of the table
-- The words of an item over 900,000 bytes are in the parts from 1 on, those of any other item in part 0.
alter table content_search add column part integer not null default 0;
alter table content_search drop constraint content_search_pkey;
alter table content_search add primary key (item, part);
create index content_search_long on content_search (item) where part = 1;

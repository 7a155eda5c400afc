-- Processes of the release before: must stop, as the words that they write lie in a table that is dropped.
-- The table of `migrations/sqlite` at the same number, whose comments tell what it holds; `migrate` fills it.
drop table content_search;
create table content_word (
  item bigint not null,
  word text collate "C" not null,
  collection bigint not null,
  visibility integer not null,
  primary key (item, word)
);
create index content_word_by_word on content_word (collection, visibility, word);

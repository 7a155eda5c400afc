-- Processes of the release before: must stop, because they store Japanese, Chinese and Thai texts without their words

-- A text without spaces is found by each letter and the next one, not by its whole run. The ranges are those of `toWords`.
create temp table unspaced on commit drop as select
  '[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]'
  as letter;

-- The runs; such a letter takes three bytes or more, and most words have none.
create temp table run on commit drop as
select item, word, collection, visibility from content_word cross join unspaced
where octet_length(word) > length(word) + 1 and word ~ letter;

-- Each run is read letter by letter: `rest` begins with the letter, `spaced` are the letters of other scripts before it.
create temp table run_word on commit drop as
with recursive reading (item, collection, visibility, rest, spaced) as (
  select item, collection, visibility, word, '' collate "C" from run
  union all
  select item, collection, visibility, substr(rest, 2),
    case when rest ~ ('^' || letter) then '' else spaced || substr(rest, 1, 1) end
  from reading cross join unspaced where length(rest) > 1
)
select distinct item, collection, visibility, case
  when rest ~ ('^' || letter || letter) then substr(rest, 1, 2)
  when rest ~ ('^' || letter) then substr(rest, 1, 1)
  else spaced || substr(rest, 1, 1)
end as word
from reading cross join unspaced
where rest ~ ('^' || letter) or length(rest) = 1 or substr(rest, 2) ~ ('^' || letter);

delete from content_word using run where content_word.item = run.item and content_word.word = run.word;
insert into content_word (item, word, collection, visibility)
  select item, word, collection, visibility from run_word on conflict do nothing;

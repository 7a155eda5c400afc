-- Processes of the release before: must stop, as the words that they write lie in a table that is dropped.
-- The words of titles, descriptions and fields, folded as `toWords` does it: those of an item next to each other, so
-- that a word can be looked for in one item, and by the index those of a partition.
DROP TABLE content_search;
DROP TABLE content_word;
CREATE TABLE content_word (
  item INTEGER NOT NULL,
  word TEXT NOT NULL,
  collection INTEGER NOT NULL,
  visibility INTEGER NOT NULL,
  PRIMARY KEY (item, word)
) STRICT, WITHOUT ROWID;

INSERT INTO content_word (item, word, collection, visibility)
SELECT item, value, collection, visibility FROM content, json_each(list_words(doc)) ORDER BY item;

CREATE INDEX content_word_by_word ON content_word (collection, visibility, word);

-- Processes of the release before: must stop, because they store Japanese, Chinese and Thai texts without their words

-- A text without spaces is found by each letter and the next one, not by its whole run. The ranges are those of `toWords`.
CREATE TEMP TABLE unspaced AS SELECT '['
  || char(0x0e00) || '-' || char(0x0eff) || char(0x1000) || '-' || char(0x109f)
  || char(0x1780) || '-' || char(0x17ff) || char(0x3005) || '-' || char(0x3007)
  || char(0x3040) || '-' || char(0x30ff) || char(0x31f0) || '-' || char(0x31ff)
  || char(0x3400) || '-' || char(0x9fff) || char(0xf900) || '-' || char(0xfaff)
  || char(0x20000) || '-' || char(0x3ffff) || ']' AS letter;

-- The runs; such a letter takes three bytes or more, and most words have none.
CREATE TEMP TABLE run AS
SELECT item, word, collection, visibility FROM content_word CROSS JOIN unspaced
WHERE octet_length(word) > length(word) + 1 AND word GLOB '*' || letter || '*';

-- Each run is read letter by letter: `rest` begins with the letter, `spaced` are the letters of other scripts before it.
CREATE TEMP TABLE run_word AS
WITH RECURSIVE reading (item, collection, visibility, rest, spaced) AS (
  SELECT item, collection, visibility, word, '' FROM run
  UNION ALL
  SELECT item, collection, visibility, substr(rest, 2),
    iif(rest GLOB letter || '*', '', spaced || substr(rest, 1, 1))
  FROM reading CROSS JOIN unspaced WHERE length(rest) > 1
)
SELECT DISTINCT item, collection, visibility, CASE
  WHEN rest GLOB letter || letter || '*' THEN substr(rest, 1, 2)
  WHEN rest GLOB letter || '*' THEN substr(rest, 1, 1)
  ELSE spaced || substr(rest, 1, 1)
END AS word
FROM reading CROSS JOIN unspaced
WHERE rest GLOB letter || '*' OR length(rest) = 1 OR substr(rest, 2) GLOB letter || '*';

DELETE FROM content_word WHERE (item, word) IN (SELECT item, word FROM run);
INSERT OR IGNORE INTO content_word (item, word, collection, visibility)
  SELECT item, word, collection, visibility FROM run_word;
DROP TABLE run_word;
DROP TABLE run;
DROP TABLE unspaced;

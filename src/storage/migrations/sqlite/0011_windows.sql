-- Processes of the release before: must stop, because they store content without the columns of its window

-- The window of an item, which its posting list entries repeat, as keys of its leaves. An item without a start has '', one
-- without an end has '~', which is greater than the key of any time.
ALTER TABLE content ADD COLUMN open_from TEXT NOT NULL DEFAULT '';
ALTER TABLE content ADD COLUMN open_until TEXT NOT NULL DEFAULT '~';
ALTER TABLE content_value ADD COLUMN open_from TEXT NOT NULL DEFAULT '';
ALTER TABLE content_value ADD COLUMN open_until TEXT NOT NULL DEFAULT '~';

UPDATE content SET open_from = entry.value
FROM content_path AS path JOIN content_value AS entry ON entry.path = path.path
WHERE path.name = 'availability.start_time' AND entry.item = content.item;
UPDATE content SET open_until = entry.value
FROM content_path AS path JOIN content_value AS entry ON entry.path = path.path
WHERE path.name = 'availability.end_time' AND entry.item = content.item;
UPDATE content_value SET open_from = own.open_from, open_until = own.open_until
FROM (
  SELECT path, visibility, substr(key, 1, 256) AS value, sort_time, id, open_from, open_until
  FROM content JOIN content_leaf AS leaf ON leaf.item = content.item
  WHERE open_from <> '' OR open_until <> '~'
) AS own
WHERE content_value.path = own.path AND content_value.visibility = own.visibility AND content_value.value = own.value
  AND content_value.sort_time = own.sort_time AND content_value.id = own.id;

-- A scan of an index tests windows without the rows of the items.
DROP INDEX content_by_id;
DROP INDEX content_by_time;
DROP INDEX content_by_time_desc;
DROP INDEX content_by_create_time;
DROP INDEX content_by_create_time_desc;
DROP INDEX content_by_update_time;
DROP INDEX content_by_update_time_desc;
CREATE INDEX content_by_id ON content (collection, visibility, id, open_from, open_until);
CREATE INDEX content_by_time ON content (collection, visibility, sort_time, id, open_from, open_until);
CREATE INDEX content_by_time_desc ON content (collection, visibility, sort_time DESC, id, open_from, open_until);
CREATE INDEX content_by_create_time ON content (collection, visibility, create_time, id, open_from, open_until);
CREATE INDEX content_by_create_time_desc ON content (collection, visibility, create_time DESC, id, open_from, open_until);
CREATE INDEX content_by_update_time ON content (collection, visibility, update_time, id, open_from, open_until);
CREATE INDEX content_by_update_time_desc ON content (collection, visibility, update_time DESC, id, open_from, open_until);

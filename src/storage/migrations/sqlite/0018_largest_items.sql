-- Processes of the release before: must stop, as statements are sized by what they do not count.
-- The most values and characters that an item of the collection has or had: lists size their statements by them.
ALTER TABLE content_collection ADD COLUMN most_values INTEGER NOT NULL DEFAULT 0;
ALTER TABLE content_collection ADD COLUMN most_characters INTEGER NOT NULL DEFAULT 0;
UPDATE content_collection SET
  most_values = coalesce((
    SELECT max(count) FROM (
      SELECT count(*) AS count FROM content JOIN content_leaf USING (item)
      WHERE content.collection = content_collection.collection GROUP BY item
    )
  ), 0),
  most_characters = coalesce((
    SELECT max(length(doc)) FROM content WHERE content.collection = content_collection.collection
  ), 0);

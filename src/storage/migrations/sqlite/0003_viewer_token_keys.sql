-- The key pairs of viewer tokens. The one that signs has its private key; a retired one keeps only
-- what its tokens are checked with.

CREATE TABLE viewer_token_key (
  id TEXT PRIMARY KEY, -- the `kid` of its tokens
  public_key BLOB NOT NULL,
  private_key BLOB, -- null: retired
  create_time INTEGER NOT NULL,
  retire_time INTEGER, -- null: it signs
  CHECK ((private_key IS NULL) = (retire_time IS NOT NULL))
) STRICT;

-- At most one signs.
CREATE UNIQUE INDEX viewer_token_key_signing ON viewer_token_key ((retire_time IS NULL))
  WHERE retire_time IS NULL;

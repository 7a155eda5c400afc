import Database from "better-sqlite3";

/** Runs something on a database file by a connection of its own, which is closed behind it. */
export function inFile<T>(
  path: string,
  run: (database: Database.Database) => T,
  options?: Database.Options,
): T {
  const database = new Database(path, options);
  try {
    return run(database);
  } finally {
    database.close();
  }
}

/** Runs a statement on one connection. */
export type RunStatement = (
  text: string,
  parameters?: readonly unknown[],
) => Promise<{ readonly rows: readonly unknown[] }>;

/** What is dropped, and the statement that creates it. */
interface Dropped {
  readonly drop: string;
  readonly create: string;
}

const INDEXES = `
  select
    format('drop index %s', indexrelid::regclass) as drop,
    pg_get_indexdef(indexrelid) as create
  from pg_index join pg_class on pg_class.oid = indrelid
  where relnamespace = current_schema()::regnamespace and relname = any($1)
    and not exists (select from pg_constraint where conindid = indexrelid)
`;

const CONSTRAINTS = `
  select
    format('alter table %I drop constraint %I', relname, conname) as drop,
    format('alter table %I add constraint %I %s', relname, conname, pg_get_constraintdef(pg_constraint.oid)) as create
  from pg_constraint join pg_class on pg_class.oid = conrelid
  where relnamespace = current_schema()::regnamespace and relname = any($1) and contype = $2
`;

/** Drops the indexes of tables that hold no constraint; the returned function creates them. */
export async function suspendIndexes(
  run: RunStatement,
  tables: readonly string[],
): Promise<() => Promise<void>> {
  return drop(run, (await run(INDEXES, [tables])).rows as readonly Dropped[]);
}

/** Drops the primary keys or the foreign keys of tables; the returned function creates them. */
export async function suspendKeys(
  run: RunStatement,
  tables: readonly string[],
  which: "primary" | "foreign",
): Promise<() => Promise<void>> {
  const { rows } = await run(CONSTRAINTS, [tables, which === "primary" ? "p" : "f"]);
  return drop(run, rows as readonly Dropped[]);
}

async function drop(run: RunStatement, all: readonly Dropped[]): Promise<() => Promise<void>> {
  for (const { drop } of all) await run(drop);
  return async () => {
    for (const { create } of all) await run(create);
  };
}

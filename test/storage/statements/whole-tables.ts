/** Statements that read a whole table, as it is small, or as they stop at the first rows. */
export const READS_ALL: readonly RegExp[] = [
  /\bin \(\)/,
  /^select "(id|item)" from "(organization|content)" limit/,
  /from "(viewer_token_key|access_token|role)" .*order by/,
  /"viewer_token_key" (set .*)?where "retire_time"/,
  // An operator of the command line names an account, of any organization.
  /^select "organization_id" from "account" where "id" = /,
  // A role of the program may be bound in every organization.
  /^select "id" from "binding" where "role_id" =/,
  /^select "collection" from "content_collection" where "kind" =/,
  // The runs that wait are counted in an index of them.
  /^\s*select \(select count\(\*\) from action_run where due_time < /,
  /^delete from "secret"$/,
  /from sqlite_schema/i,
];

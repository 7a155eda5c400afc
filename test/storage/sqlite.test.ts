import { openFreshSqlite } from "./fresh-sqlite.ts";
import { storeContract } from "./store.contract.ts";

storeContract("SQLite", openFreshSqlite);

import type { DatabaseAddress } from "../storage/open.ts";
import { DATABASE_SETTING, toDatabase } from "./database.ts";
import { ConfigError, parseSettings, readerOf, type Setting } from "./setting.ts";

/** The settings of `marquee init`. */
export interface InitConfig {
  readonly database: DatabaseAddress;
  /** The name of the first organization; empty with `organizationId`. */
  readonly organization: string;
  /** The organization that a file made, which is adopted. */
  readonly organizationId?: string;
  /** The name of its first account. */
  readonly account: string;
}

/** Every setting of `marquee init`. */
export const INIT_SETTINGS: readonly Setting[] = [
  DATABASE_SETTING,
  {
    ...{ flag: "organization", kind: "string", form: "NAME" },
    help: "what to call the first organization of an empty database",
  },
  {
    ...{ flag: "organization-id", kind: "string", form: "ID" },
    help: "instead of making one: the organization that an import made and that has no owner yet",
  },
  {
    ...{ flag: "account", kind: "string", form: "NAME", fallback: "Operator" },
    help: "what to call its first account",
  },
];

/** Reads the settings of `init`. Throws a ConfigError. */
export function readInitConfig(args: readonly string[], env: NodeJS.ProcessEnv): InitConfig {
  const { values, positionals } = parseSettings(args, INIT_SETTINGS);
  const read = readerOf(values, env, INIT_SETTINGS);
  const [argument] = positionals;
  if (argument !== undefined) throw new ConfigError(`unexpected argument '${argument}'`);
  const organization = read.text("organization");
  const organizationId = read.text("organization-id").trim();
  if ((organization.trim() === "") === (organizationId === "")) {
    throw new ConfigError("init needs either --organization NAME or --organization-id ID");
  }
  const account = read.text("account");
  if (account.trim() === "") throw new ConfigError("--account takes a name");
  return {
    database: toDatabase(read.text("database")),
    organization,
    ...(organizationId !== "" && { organizationId }),
    account,
  };
}

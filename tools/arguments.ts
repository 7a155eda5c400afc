import { type ParseArgsConfig, parseArgs } from "node:util";

/** Reads the arguments of a tool. Wrong ones end it: see {@link rejectArguments}. */
export function readArguments<const Config extends ParseArgsConfig>(
  config: Config,
): ReturnType<typeof parseArgs<Config>> {
  try {
    return parseArgs(config);
  } catch (error) {
    return rejectArguments((error as Error).message);
  }
}

/** Ends a tool whose arguments are wrong, with one line. */
export function rejectArguments(message: string): never {
  console.error(message);
  process.exit(2);
}

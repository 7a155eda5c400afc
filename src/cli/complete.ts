import tab from "@bomb.sh/tab/commander";
import { createProgram } from "./program.ts";

/** Runs `marquee complete SHELL`, which prints a script for a shell, and what that script calls at every Tab. */
export function complete(args: readonly string[]): void {
  const program = createProgram(() => {});
  tab(program);
  program.parse(args, { from: "user" });
}

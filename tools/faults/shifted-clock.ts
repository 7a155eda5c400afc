// Loaded with `--import` before the service: shifts its clock by the milliseconds in the file FAULT_CLOCK.
import { readFileSync } from "node:fs";

const INTERVAL = 20;

const file = process.env.FAULT_CLOCK ?? "";
const SystemDate = Date;
let shift = 0;

const read = () => {
  shift = Number(readFileSync(file, "utf8"));
};
read();
setInterval(read, INTERVAL).unref();

globalThis.Date = class extends SystemDate {
  constructor(...args: readonly unknown[]) {
    if (args.length === 0) super(SystemDate.now() + shift);
    else super(...(args as [number]));
  }

  static override now(): number {
    return SystemDate.now() + shift;
  }
} as DateConstructor;

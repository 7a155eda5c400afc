import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { printDuration } from "../drawing/text.ts";
import { setAt } from "../resource.ts";
import { type ControlProps, type InputProps, inputOf } from "./control.ts";
import { TypedText } from "./typed-text.tsx";

/** A moment: entered in the time zone of the browser, stored and shown in UTC too. */
export function Time(props: ControlProps) {
  const { value, onChange } = props;
  return <Moment {...inputOf(props)} {...{ value, onChange }} none="Not set" />;
}

/** The last time of an input: it ends a year after four digits, or the digits of the hour would belong to the year. */
export const LAST_TIME = "9999-12-31T23:59";

function Moment({
  value,
  onChange,
  none,
  ...input
}: InputProps & {
  value: JsonValue | undefined;
  onChange: (value: string | undefined) => void;
  /** Says what the absence means. */
  none: string;
}) {
  const time = typeof value === "string" ? new Date(value) : undefined;
  return (
    <div class="moment">
      <input
        {...input}
        type="datetime-local"
        max={LAST_TIME}
        step={1}
        value={time === undefined ? "" : toLocal(time)}
        onChange={({ currentTarget: { value: local } }) =>
          onChange(local === "" ? undefined : new Date(local).toISOString().replace(".000Z", "Z"))
        }
      />
      <span class="note">
        {time === undefined
          ? none
          : `${printZone(time)} · ${time.toISOString().slice(0, 19).replace("T", " ")} UTC`}
      </span>
    </div>
  );
}

/** Returns the value of the browser's input for a time. */
export function toLocal(time: Date): string {
  const local = new Date(time.getTime() - time.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 19);
}

function printZone(time: Date): string {
  const parts = new Intl.DateTimeFormat(undefined, { timeZoneName: "short" }).formatToParts(time);
  return parts.find(({ type }) => type === "timeZoneName")?.value ?? "";
}

/** A period: two moments, and a bar that shows where now is. */
export function Window({ id, value, onChange, isDisabled }: WindowProps) {
  const window = (value ?? {}) as JsonObject;
  const change = (name: string, time: string | undefined) => {
    const changed = setAt(window, [name], time);
    onChange(Object.keys(changed).length === 0 ? undefined : changed);
  };
  return (
    <div class="period">
      {WINDOW_ENDS.map(([name, label, none]) => (
        <div key={name}>
          <span class="note">{label}</span>
          <Moment
            id={`${id}.${name}`}
            aria-label={label}
            value={window[name]}
            disabled={isDisabled}
            none={none}
            onChange={(time) => change(name, time)}
          />
        </div>
      ))}
      {value !== undefined && (
        <PeriodBar start={toMillis(window.start_time)} end={toMillis(window.end_time)} />
      )}
    </div>
  );
}

type WindowProps = Pick<ControlProps, "id" | "value" | "onChange" | "isDisabled">;

const WINDOW_ENDS = [
  ["start_time", "From", "From the beginning"],
  ["end_time", "Until", "For ever"],
] as const;

function toMillis(time: JsonValue | undefined): number | undefined {
  return time === undefined ? undefined : Date.parse(String(time));
}

/** Draws a period against now; an open end reaches the edge. */
function PeriodBar({ start, end }: { start: number | undefined; end: number | undefined }) {
  const now = Date.now();
  const times = [start ?? now, end ?? now, now];
  const [first, last] = [Math.min(...times), Math.max(...times)];
  const margin = (last - first) / 5 || 1;
  const [left, width] = [first - margin, last - first + 2 * margin];
  const x = (time: number) => Math.min(100, Math.max(0, ((time - left) / width) * 100));
  const [from, to] = [start === undefined ? 0 : x(start), end === undefined ? 100 : x(end)];
  return (
    <div class="bar-of-time">
      <svg viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
        <rect class="all" width="100" height="4" rx="1" />
        <rect class="open" x={from} width={Math.max(0, to - from)} height="4" />
        <rect class="now" x={x(now) - 0.3} width="0.6" height="4" />
      </svg>
      <span class="note">{stateOf(now, start, end)}</span>
    </div>
  );
}

function stateOf(now: number, start: number | undefined, end: number | undefined): string {
  if (start !== undefined && end !== undefined && end <= start) return "Ends before it starts";
  if (start !== undefined && now < start) return "Not open yet";
  if (end !== undefined && now >= end) return "Over";
  if (start === undefined && end === undefined) return "Always open";
  return "Open now";
}

/** A duration, as seconds, as `1:30:00` or as `1h 30m`. */
export function Duration(props: ControlProps) {
  const { value, onChange } = props;
  return (
    <div class="moment">
      <TypedText
        {...inputOf(props)}
        {...{ value, onChange }}
        placeholder="1:30:00"
        explain={() => "A duration, such as 1:30:00, 90m or 75.5s"}
        read={readDuration}
        print={(it) => printDuration(String(it))}
      />
      {typeof value === "string" && <span class="note">{value.replace("s", " s")}</span>}
    </div>
  );
}

const CLOCK = /^(?:(\d+):)?(\d+):(\d+(?:\.\d{1,9})?)$/;

const WORDS = /^(?:(\d+) *h)? *(?:(\d+) *m(?:in)?)? *(?:(\d+(?:\.\d{1,9})?) *s?)?$/;

/** Reads a duration into its form in JSON, such as `5400s`; undefined: it is none. The digits of a fraction stay. */
export function readDuration(text: string): string | undefined {
  const read = CLOCK.exec(text) ?? WORDS.exec(text);
  if (read === null) return undefined;
  const [, hours = "0", minutes = "0", seconds = "0"] = read;
  const [units, ...fraction] = seconds.split(".");
  const whole = Number(hours) * 3_600 + Number(minutes) * 60 + Number(units);
  return `${[whole, ...fraction].join(".")}s`;
}

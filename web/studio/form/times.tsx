import type { ControlProps } from "./form.tsx";

/** A moment: entered in the time zone of the browser, stored and shown in UTC too. */
export function Time({ id, value, onChange, isDisabled }: ControlProps) {
  const time = typeof value === "string" ? new Date(value) : undefined;
  return (
    <div class="time">
      <input
        id={id}
        type="datetime-local"
        step={1}
        value={time === undefined ? "" : toLocal(time)}
        disabled={isDisabled}
        onChange={({ currentTarget: { value: local } }) =>
          onChange(local === "" ? undefined : new Date(local).toISOString().replace(".000Z", "Z"))
        }
      />
      <span class="note">
        {time === undefined
          ? "Not set"
          : `${printZone(time)} · ${time.toISOString().slice(0, 19)} UTC`}
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

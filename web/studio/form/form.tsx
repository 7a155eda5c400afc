import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Schema } from "../../openapi.ts";
import { drawProse } from "../../reference/prose.ts";
import type { Acts } from "../acts.tsx";
import { useApp } from "../app.ts";
import { printTime } from "../drawing/text.ts";
import type { Edits } from "../edits.ts";
import { setAt } from "../resource.ts";
import { arrangeEntries, type Entry, type Field, listEntries, listFields } from "../schema.ts";
import { printNames } from "./choices.tsx";
import type { ControlProps } from "./control.ts";
import { CONTROLS, GROUPS } from "./controls.ts";
import { isAmount, printMoney } from "./numbers.tsx";
import { isTypeOf, OneofField } from "./oneof.tsx";
import { Unread } from "./typed-text.tsx";

/** The properties of a form. */
export interface FormProps extends Omit<ControlProps, "field" | "id" | "value" | "onChange"> {
  readonly schema: Schema;
  readonly value: JsonObject;
  onChange(value: JsonObject): void;
}

interface EditableProps extends Pick<FormProps, "schema" | "path"> {
  readonly edits: Edits;
  readonly acts: Acts;
  /** The permission that changes the values; empty: none does. */
  readonly permission: string;
}

const NO_VIOLATIONS: ReadonlyMap<string, string> = new Map();

/** The fields of a resource that its view has set. */
const GIVEN = new Set(["id", "project_id", "organization_id", "page_id"]);

/**
 * Shows the fields of a resource, each with its control, and below them those that only the server sets. Says that changes
 * are from before the form was opened or cannot be kept, and which permission a disabled form needs.
 */
export function Form({ edits, acts, permission, ...props }: EditableProps) {
  const { document, permissions } = useApp();
  const { edited: value, edit: onChange, unread, changeUnread, discards, keptTime } = edits;
  const { error } = acts;
  const isDisabled = !permissions.has(permission);
  const violations = error?.violations ?? NO_VIOLATIONS;
  const fields = listFields(props.schema, document).filter(({ name }) => !GIVEN.has(name));
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (error !== undefined) showInvalid(place.current?.closest("form"));
  }, [error]);
  useEffect(acts.forget, [discards]);
  return (
    <div ref={place} class="form" onInvalidCapture={revealInvalid}>
      {!edits.isKept && (
        <p class="warning" role="status">
          This tab has no room for more unsaved texts: save these before you leave the form.
        </p>
      )}
      {keptTime !== undefined && edits.isTyped && (
        <p class="warning kept" role="status">
          You have unsaved changes from {new Date(keptTime).toLocaleString()}.{" "}
          <button type="button" onClick={edits.discard}>
            Discard them
          </button>
        </p>
      )}
      {isDisabled && (
        <p class="note">
          Only to be read{permission !== "" && ": a change needs the permission "}
          <code>{permission}</code>.
        </p>
      )}
      <Unread.Provider key={discards} value={[unread, changeUnread]}>
        <Entries {...props} {...{ value, onChange, fields, violations, isDisabled }} />
      </Unread.Provider>
      <Facts {...{ fields, value }} />
    </div>
  );
}

/** Shows the fields of an object in a form. */
export function Fields(props: FormProps) {
  const { document } = useApp();
  return <Entries {...props} fields={listFields(props.schema, document)} />;
}

/** A control without a value of its own is cleared by undefined. */
function Entries(props: FormProps & { fields: readonly Field[] }) {
  const { fields, value, onChange } = props;
  const shown = fields.filter((it) => !it.isReadOnly && (!it.isDeprecated || it.name in value));
  const [first] = useState(value);
  // The choice of a oneof sets the field that names its member.
  const isTyped = listEntries(shown).some((it) => isTypeOf(it, value.type));
  const [main, more] = arrangeEntries(
    listEntries(shown.filter(({ name }) => !(isTyped && name === "type"))),
    (name) => name in first || name === first.type,
    isTyped,
  );
  const draw = (entry: Entry) => {
    if (entry.oneof !== "") return <OneofField key={entry.oneof} {...props} {...{ entry }} />;
    return entry.fields.map((field) => (
      <FormField
        key={field.name}
        {...props}
        {...addressOf(props, field)}
        onChange={(changed) => onChange(setAt(value, [field.name], changed))}
      />
    ));
  };
  return (
    <div class="fields">
      {main.map(draw)}
      {more.length > 0 && (
        <details class="more">
          <summary>More settings ({more.length})</summary>
          <div class="fields">{more.map(draw)}</div>
        </details>
      )}
    </div>
  );
}

/** Returns where a field of a form is, and its value. */
export function addressOf({ path, value }: Pick<FormProps, "path" | "value">, field: Field) {
  const below = `${path}.${field.name}`;
  return { field, id: below, path: below, value: value[field.name] };
}

/** Opens what hides a control whose text is not valid, so that the browser can point at it. */
function revealInvalid({ target }: Event): void {
  if (target instanceof Element) openAround(target);
}

/** Leads to the first field that the server rejected; to the error itself if it names none. */
function showInvalid(form: Element | null | undefined): void {
  const field = form?.querySelector("[data-invalid]");
  if (field == null) {
    form?.querySelector("[role=alert]")?.scrollIntoView({ block: "center" });
    return;
  }
  openAround(field);
  field.querySelector<HTMLElement>("input, select, textarea, button")?.focus();
}

function openAround(target: Element): void {
  let element = target.closest("details");
  while (element !== null) {
    element.open = true;
    element = element.parentElement?.closest("details") ?? null;
  }
}

/** Shows a field: its label with the comment of the schema, its control, and the error of the server about it. */
export function FormField(props: ControlProps) {
  const { field, id } = props;
  const Control = CONTROLS[field.control];
  const isGroup = GROUPS.has(field.control);
  const violation = findViolation(props);
  return (
    <div class={`field field-${field.control}`} data-invalid={violation !== undefined || undefined}>
      <div class="label">
        {isGroup ? (
          <span class="name" id={`${id}-label`} title={field.name}>
            {field.label}
          </span>
        ) : (
          <label class="name" for={id} title={field.name}>
            {field.label}
          </label>
        )}
        {field.isRequired && <small>required</small>}
        <details class="help">
          <summary aria-label={`About ${field.label}`}>?</summary>
          <Prose text={field.description} />
        </details>
      </div>
      {isGroup ? (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be a grid item with a label that has a button
        <div role="group" aria-labelledby={`${id}-label`}>
          <Control {...props} />
        </div>
      ) : (
        <Control {...props} />
      )}
      {violation !== undefined && (
        <p class="violation" id={`${id}-violation`} role="alert">
          {violation}
        </p>
      )}
    </div>
  );
}

/** Finds the error about a field; of a value without forms of its own, also one about a part, such as its currency. */
function findViolation({ field, path, violations }: ControlProps): string | undefined {
  const own = violations.get(path);
  if (own !== undefined || field.control === "object" || field.control === "rows") return own;
  return [...violations].find(([it]) => it.startsWith(`${path}.`))?.[1];
}

/** Shows the values that only the server sets. */
function Facts({ fields, value }: { fields: readonly Field[]; value: JsonObject }) {
  const shown = fields.filter(({ isReadOnly, name }) => isReadOnly && name in value);
  if (shown.length === 0) return null;
  return (
    <dl class="facts">
      {shown.map((field) => (
        <div key={field.name}>
          <dt title={field.name}>{field.label}</dt>
          <dd>{printFact(field, value[field.name])}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Writes the value of a field for a person. */
export function printFact(field: Field | undefined, value: JsonValue | undefined): string {
  if (value === undefined || value === null) return "";
  const names = (field?.schema.enum ?? []).map(String);
  if (field?.control === "choice") return printNames(names).get(String(value)) ?? String(value);
  if (field?.control === "time") return printTime(String(value));
  if (isAmount(value)) return printMoney(value);
  if (typeof value === "boolean") return value ? "Yes" : "No";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** A comment of the schema. */
function Prose({ text }: { text: string }) {
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => place.current?.replaceChildren(drawProse(text)), [text]);
  return <div ref={place} />;
}

import { useRef, useState } from "preact/hooks";
import { resolve } from "../../openapi.ts";
import { ActButton } from "../acts.tsx";
import { useApp } from "../app.ts";
import { COMPONENT, permissionOf } from "../kinds.ts";
import { schemaOf, useAccess } from "../resource.ts";
import { changeChoices } from "../router.ts";
import { Select } from "../select.tsx";
import { printType, type Row } from "./page.ts";

/** Asks which component to add, and where. */
export function AddButton({ rows }: { rows: readonly Row[] }) {
  const { document, route } = useApp();
  const dialog = useRef<HTMLDialogElement>(null);
  const [position, setPosition] = useState(0);
  const { methods, release } = useAccess(COMPONENT);
  const { properties = {} } = resolve(schemaOf(methods), document);
  const types = Object.entries(properties)
    .map(([type, declared]) => ({ type, schema: resolve(declared, document) }))
    .filter(({ schema }) => schema["x-oneof"] === "data" && !schema.deprecated);
  const open = (type: string) =>
    changeChoices({ form: "new", type, position: String(position), component: "" });
  return (
    <>
      <ActButton
        permission={permissionOf(methods.create, release)}
        class="main end"
        onClick={() => {
          // After the component with the form.
          const at = rows.findIndex(({ id }) => id === route.query.component);
          setPosition(at < 0 ? rows.length : at + 1);
          dialog.current?.showModal();
        }}
      >
        Add a component
      </ActButton>
      <dialog ref={dialog} class="types" aria-labelledby="add-title">
        <form method="dialog">
          <h2 id="add-title">Add a component</h2>
          <div class="field">
            <label for="add-position">Place</label>
            <Select
              id="add-position"
              value={String(position)}
              options={[
                ["0", "At the top"],
                ...rows.map(({ title }, index) => [String(index + 1), `After ${title}`] as const),
              ]}
              onChoose={(chosen) => setPosition(Number(chosen))}
            />
          </div>
          <ul>
            {types.map(({ type, schema }) => (
              <li key={type}>
                <button type="submit" title={type} onClick={() => open(type)}>
                  <b>{printType(type)}</b>
                  <span>{firstSentence(schema.description)}</span>
                </button>
              </li>
            ))}
          </ul>
          <div class="acts">
            <button type="submit">Cancel</button>
          </div>
        </form>
      </dialog>
    </>
  );
}

/** Returns the first sentence of a description, without its remark about the format. */
function firstSentence(text = ""): string {
  const [sentence = ""] = text.split(/(?<=\.) |: any JSON/);
  return sentence.endsWith(".") ? sentence : `${sentence}.`;
}

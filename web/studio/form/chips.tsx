import { useMemo } from "preact/hooks";
import { listCountries } from "../countries.ts";
import { printInSentence } from "../schema.ts";
import { Select, Suggestions } from "../select.tsx";
import { AddText } from "./adding.tsx";
import { printNames } from "./choices.tsx";
import { type ControlProps, inputOf } from "./control.ts";
import { MovableRows } from "./movable.tsx";

/** A list of short texts, or of the names of an enum. */
export function Chips(props: ControlProps) {
  const { field, id, value, onChange, isDisabled } = props;
  const isOfCountries = field.name === "country_codes";
  const countries = useMemo(() => (isOfCountries ? listCountries() : []), [isOfCountries]);
  const rows = (value ?? []) as string[];
  const add = (name: string) => onChange([...rows, name]);
  const names = field.schema.enum?.map(String).filter((it) => !it.endsWith("_UNSPECIFIED"));
  const words = names && printNames(names);
  return (
    <>
      <MovableRows
        {...{ rows, isDisabled }}
        isInline
        nameOf={(it) => words?.get(it) ?? it}
        onChange={onChange}
      >
        {(it) => <span title={words && it}>{words?.get(it) ?? it}</span>}
      </MovableRows>
      {words === undefined ? (
        <>
          <AddText
            {...inputOf(props)}
            aria-label={`Add to ${printInSentence(field.label)}`}
            placeholder="Add, then press Enter"
            list={isOfCountries ? `${id}-countries` : undefined}
            onAdd={add}
          />
          {isOfCountries && <Suggestions id={`${id}-countries`} options={countries} />}
        </>
      ) : (
        <Select
          {...inputOf(props)}
          aria-label={`Add to ${printInSentence(field.label)}`}
          value=""
          options={[["", "Add …"], ...[...words].filter(([name]) => !rows.includes(name))]}
          onChoose={add}
        />
      )}
    </>
  );
}

import { parseKql, printKql } from "../../../packages/client/src/kql.ts";
import { useLoad } from "../load.tsx";
import { useDrawing } from "./drawing.ts";
import { Note, Table } from "./parts.tsx";
import { CONTENT_LISTS } from "./reads.ts";
import { dataOf, type Resolved } from "./resolved.ts";

/** The most conditions that are counted. */
const MOST_CONDITIONS = 10;

/**
 * Explains why a component has no items: the warnings about its filter, and the number of items that its search and
 * each condition of its filter match alone.
 */
export function Unmatched({ resolved }: { resolved: Resolved }) {
  const { filter = "", search = "" } = resolved;
  const { read } = useDrawing();
  const list = CONTENT_LISTS.get(String(dataOf(resolved).type).replace("BASE_TYPE_", ""));
  const loaded = useLoad(async () => {
    if (list === undefined || filter + search === "") return undefined;
    const count = (condition: { readonly filter?: string; readonly search?: string }) =>
      read(list, { ...condition, pageSize: 1, includeTotal: true });
    const conditions = listConditions(filter);
    const [whole, ...alone] = await Promise.all([
      count({ filter }),
      ...conditions.map((condition) => count({ filter: condition })),
      ...(search === "" ? [] : [count({ search })]),
    ]);
    const rows = alone.map(({ message: { total = 0, totalIsLowerBound } }, index) => [
      conditions[index] ?? `the search ${search}`,
      totalIsLowerBound ? `${total} or more` : String(total),
    ]);
    return { warnings: whole.warnings, rows };
  }, [filter, search, list, read]);
  return (
    <div>
      <Note>No item matches.</Note>
      {loaded.error !== undefined && <Note>{loaded.error.message}</Note>}
      {loaded.value?.warnings.map(({ message }) => (
        <Note key={message}>{message}</Note>
      ))}
      {loaded.value !== undefined && (
        <Table
          caption="Items that each condition matches alone"
          headings={["Condition", "Items"]}
          rows={loaded.value.rows}
        />
      )}
    </div>
  );
}

/** Lists the conditions that a filter joins by AND. */
function listConditions(filter: string): readonly string[] {
  if (filter === "") return [];
  const node = parseKql(filter);
  const items = node.type === "and" ? node.items : [node];
  return items.slice(0, MOST_CONDITIONS).map(printKql);
}

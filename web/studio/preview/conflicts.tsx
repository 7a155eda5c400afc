import { useApp } from "../app.ts";
import { parseChoices } from "../composer/choices.tsx";
import { Sides } from "../drawing/differences.tsx";
import { readPage } from "../list-items.ts";
import { usePathWords } from "../paths.ts";
import { nameRecord, parseKey, resourceOf } from "../record.tsx";
import { type Item, type ItemConflict, WHOLE } from "../releases/items.tsx";
import { nameOfRelease } from "./releases.tsx";

/** A conflict of a draft with the current version. */
export interface DraftConflict extends ItemConflict {
  readonly releaseId: string;
  /** Such as `page_component:banner-home`. */
  readonly key: string;
  /** The resource in words. */
  readonly name: string;
}

/** Lists the conflicts of releases. */
export async function listConflicts(
  releaseIds: readonly string[],
  signal: AbortSignal,
): Promise<readonly DraftConflict[]> {
  const all: DraftConflict[] = [];
  for (const releaseId of releaseIds) {
    const path = `/cms/releases/v1/${encodeURIComponent(releaseId)}/items`;
    let token = "";
    do {
      const page = await readPage<Item>(path, { page_size: 100, page_token: token }, signal);
      for (const { key, conflicts, merged, current } of page.items) {
        const name = nameRecord(key, resourceOf(merged) ?? resourceOf(current));
        all.push(...conflicts.map((it) => ({ ...it, releaseId, key, name })));
      }
      token = page.nextPageToken;
    } while (token !== "");
  }
  return all;
}

/** Shows conflicts, each with its path and both values. */
export function ConflictList({ conflicts }: { conflicts: readonly DraftConflict[] }) {
  if (conflicts.length === 0) return null;
  return (
    <section class="conflicts" aria-labelledby="conflicts">
      <h2 id="conflicts" tabIndex={-1}>
        {conflicts.length === 1 ? "1 conflict" : `${conflicts.length} conflicts`}
      </h2>
      <p class="note">
        The current version has changed since the draft. The page below shows the draft.
      </p>
      <ul>
        {conflicts.map((it) => (
          <ConflictRow key={`${it.releaseId}/${it.key}/${it.path}`} conflict={it} />
        ))}
      </ul>
    </section>
  );
}

function ConflictRow({
  conflict: { releaseId, key, name, kind, path, current, draft },
}: {
  conflict: DraftConflict;
}) {
  const { route, releases } = useApp();
  const { language } = parseChoices(route);
  const printPath = usePathWords(parseKey(key).kind);
  return (
    <li>
      <p>
        <span title={key}>{name}</span>
        {path !== "" && ": "}
        {path !== "" && <b title={path}>{printPath(path)}</b>}
      </p>
      {path === "" ? (
        <p>{WHOLE[kind] ?? kind}</p>
      ) : (
        <Sides
          language={language}
          of={[
            ["Current", current],
            [nameOfRelease(releases, releaseId), draft],
          ]}
        />
      )}
    </li>
  );
}

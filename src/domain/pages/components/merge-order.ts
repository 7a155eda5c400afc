/**
 * Orders the components of a page as `listed` does and inserts new ones. Listed components that are on the
 * page exchange the positions that they had; a new one follows its predecessor in the list, leading new
 * ones precede the first known one, and all are appended if none is known. Components that are not listed
 * keep their positions.
 */
export function mergeOrder(page: readonly string[], listed: readonly string[]): string[] {
  const present = new Set(page);
  const among = new Set(listed);
  const known = listed.filter((id) => present.has(id));
  let next = 0;
  const kept = page.map((id) => (among.has(id) ? (known[next++] ?? id) : id));
  if (known.length === 0) return [...kept, ...listed];

  const behind = new Map<string, string[]>();
  const first: string[] = [];
  let group = first;
  for (const id of listed) {
    if (present.has(id)) {
      group = [];
      behind.set(id, group);
    } else {
      group.push(id);
    }
  }
  return kept.flatMap((id) => [...(id === known[0] ? first : []), id, ...(behind.get(id) ?? [])]);
}

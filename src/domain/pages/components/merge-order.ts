/**
 * Gives the components of a page the order in which `listed` names them. Those of them that lie on the page
 * share the places that they had; one that is new comes behind the one before it in the list, the first
 * before the one after it, and at the end where none of them lies on the page. What is not listed keeps
 * its place among the rest. A list that names all of the page is the order.
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

/**
 * Lists the content codings that an Accept-Encoding header allows, in lower case, best first; those
 * with `q=0` are left out (RFC 9110 12.5.3).
 */
export function acceptedEncodings(header: string | undefined): string[] {
  if (header === undefined) return [];
  return header
    .split(",")
    .map((item) => {
      const [name = "", ...parameters] = item.split(";").map((part) => part.trim().toLowerCase());
      const q = parameters.find((it) => it.startsWith("q="));
      return { name, q: q === undefined ? 1 : Number(q.slice(2)) };
    })
    .filter(({ name, q }) => name !== "" && q > 0)
    .sort((a, b) => b.q - a.q)
    .map(({ name }) => name);
}

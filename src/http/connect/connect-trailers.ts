/** Converts the trailers of a unary answer to headers, as Connect sends them. */
export function toConnectTrailers(
  trailers: Readonly<Record<string, string>>,
): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(trailers)) headers[`trailer-${name}`] = value;
  return headers;
}

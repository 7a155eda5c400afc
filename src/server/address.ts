/** A host and a port; port 0 takes any free port. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Returns the URL of a listener. */
export function toUrl({ host, port }: Address): string {
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

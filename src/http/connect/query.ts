/** The parameters of a Connect GET, decoded; of a repeated one the first counts. */
export interface Parameters {
  readonly encoding?: string;
  readonly message?: string;
  readonly base64?: string;
  readonly compression?: string;
}

/** Reads the parameters of a Connect GET from its query as sent. */
export function readParameters(query: string): Parameters {
  const parameters = new URLSearchParams(query);
  const found: Record<string, string> = {};
  for (const name of NAMES) {
    const value = parameters.get(name);
    if (value !== null) found[name] = value;
  }
  return found;
}

const NAMES = ["encoding", "message", "base64", "compression"] as const;

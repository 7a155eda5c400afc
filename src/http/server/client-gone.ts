import { Code, DomainError } from "../../domain/errors.ts";

/** Creates the error of a call whose client has closed the connection. Nobody gets to see it. */
export function clientGone(): DomainError {
  return new DomainError(Code.CANCELLED, "CLIENT_GONE", "the client has closed the connection");
}

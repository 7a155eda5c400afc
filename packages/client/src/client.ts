import type { DescMethodUnary, DescService, MessageShape } from "@bufbuild/protobuf";
import {
  type CallOptions,
  createClient as createConnectClient,
  type Transport,
} from "@connectrpc/connect";
import type { Input } from "./input.ts";

/** The methods of a service. A request takes plain values, see {@link Input}. */
export type Client<Service extends DescService> = {
  [Name in keyof Service["method"]]: Service["method"][Name] extends DescMethodUnary<
    infer Request,
    infer Response
  >
    ? (
        request: Input<MessageShape<Request>>,
        options?: CallOptions,
      ) => Promise<MessageShape<Response>>
    : never;
};

/** Creates the client of a service over a transport of this package, which takes plain values. */
export function createClient<Service extends DescService>(
  service: Service,
  transport: Transport,
): Client<Service> {
  // The same methods; only their requests have a wider type.
  const client: object = createConnectClient(service, transport);
  return client as Client<Service>;
}

import { type Client, createClient, type Transport } from "@connectrpc/connect";

/** Services by the names that their clients have. */
type Services = Readonly<Record<string, Parameters<typeof createClient>[0]>>;

/** A client for each of some services, under its name. */
export type Clients<Table extends Services> = {
  readonly [Name in keyof Table]: Client<Table[Name]>;
} & {
  /** Carries the calls; for libraries that take one. */
  readonly transport: Transport;
};

/** Creates the clients of services over a transport. */
export function createClients<Table extends Services>(
  services: Table,
  transport: Transport,
): Clients<Table> {
  const clients = Object.entries(services).map(([name, it]) => [name, createClient(it, transport)]);
  return { ...Object.fromEntries(clients), transport };
}

import { createSocket } from "node:dgram";

/** What a name server does with questions about a name. */
export type Reply =
  | "swallow"
  | {
      /** The addresses of both families; none: the name does not exist. */
      readonly addresses: readonly string[];
      /** The wait before each response, in milliseconds. */
      readonly delay?: number;
      /** True to leave questions about IPv6 without a response. */
      readonly swallowsIpv6?: boolean;
    };

/** A DNS server on this machine. */
export interface NameServer {
  /** `127.0.0.1:PORT`. */
  readonly address: string;
  /** The names that were asked for, each question of a name and family once. */
  readonly asked: Set<string>;
  close(): void;
}

const IPV6 = 28;

/** Starts a DNS server that replies by name over UDP. */
export async function startNameServer(replyTo: (name: string) => Reply): Promise<NameServer> {
  const socket = createSocket("udp4");
  const asked = new Set<string>();
  socket.on("message", (query, { port, address }) => {
    const { name, type, end } = readQuestion(query);
    asked.add(name);
    const reply = replyTo(name);
    if (reply === "swallow" || (type === IPV6 && reply.swallowsIpv6)) return;
    const isIpv6 = type === IPV6;
    const addresses = reply.addresses.filter((it) => it.includes(":") === isIpv6);
    const exists = reply.addresses.length > 0;
    const response = Buffer.concat([
      query.subarray(0, 2),
      // A response, recursion available, NXDOMAIN where there is no such name; one question.
      Buffer.from([0x81, exists ? 0x80 : 0x83, 0, 1, 0, addresses.length, 0, 0, 0, 0]),
      query.subarray(12, end),
      ...addresses.map((it) => toRecord(it, type)),
    ]);
    setTimeout(() => socket.send(response, port, address, () => {}), reply.delay ?? 0);
  });
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    close: () => socket.close(),
  };
}

/** Reads the question of a query: labels with their lengths, the type and the class. */
function readQuestion(query: Buffer) {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join(".").toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

/** Writes a response that refers to the name of the question. */
function toRecord(address: string, type: number): Buffer {
  const data =
    type === IPV6
      ? Buffer.from(expand(address), "hex")
      : Buffer.from(address.split(".").map(Number));
  return Buffer.concat([Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, data.length]), data]);
}

/** Writes an IPv6 address as 32 digits. */
function expand(address: string): string {
  const [head = [], tail = []] = address.split("::").map((half) => half.split(":").filter(Boolean));
  const zeros = new Array<string>(8 - head.length - tail.length).fill("0");
  return [...head, ...zeros, ...tail].map((group) => group.padStart(4, "0")).join("");
}

import pg from "pg";

/** The most times that a connection is used: what it has prepared takes memory of the server. */
const MOST_USES = 500;

/** An open connection that outlives its clients. */
interface Kept {
  readonly client: pg.Client;
  uses: number;
  isBroken: boolean;
}

/** The connections that no client uses, by their settings. */
const idle = new Map<string, Kept[]>();

/**
 * A client that takes over the connection of an ended client of the same settings, with the statements that it has
 * prepared: to open one takes the server more time than most tests do.
 */
export class KeptClient extends pg.Client {
  readonly #config: pg.ClientConfig;
  readonly #key: string;
  readonly #running = new Set<Promise<unknown>>();
  #kept: Kept | undefined;
  #isBroken = false;

  constructor(config?: string | pg.ClientConfig) {
    super(config);
    this.#config = Object(config);
    const { connectionString, options, pipeline } = this.#config;
    this.#key = JSON.stringify([connectionString, options, pipeline]);
  }

  override connect(): Promise<pg.Client>;
  override connect(callback: (error: never, client: pg.Client) => void): void;
  override connect(callback?: (error: never, client: pg.Client) => void): unknown {
    const connected = this.#connect();
    if (callback === undefined) return connected;
    connected.then(
      () => callback(null as never, this),
      (error) => callback(error as never, this),
    );
    return undefined;
  }

  override query(...args: never[]): never {
    const client = this.#kept?.client;
    if (client === undefined) return Promise.reject(new Error("the client has ended")) as never;
    const running: unknown = Reflect.apply(client.query, client, args);
    // Whoever copies waits for the stream.
    if (!(running instanceof Promise)) return running as never;
    this.#running.add(running);
    running.then(
      () => this.#running.delete(running),
      (error) => {
        this.#running.delete(running);
        if (!(error instanceof pg.DatabaseError)) this.#isBroken = true;
      },
    );
    return running as never;
  }

  override end(): Promise<void>;
  override end(callback: (error: Error) => void): void;
  override end(callback?: (error: Error) => void): unknown {
    const ended = this.#end();
    if (callback === undefined) return ended;
    ended.then(() => callback(undefined as never), callback);
    return undefined;
  }

  async #connect(): Promise<pg.Client> {
    const unused = (idle.get(this.#key) ?? []).filter(({ isBroken }) => !isBroken);
    const kept = unused.pop();
    idle.set(this.#key, unused);
    return this.#attach(kept ?? (await open(this.#config)));
  }

  #attach(kept: Kept): pg.Client {
    kept.uses += 1;
    kept.client.on("error", this.#onError);
    kept.client.on("end", this.#onEnd);
    this.#kept = kept;
    const { client } = kept;
    Object.defineProperties(this, {
      connection: { get: () => client.connection },
      pipeline: {
        get: () => client.pipeline,
        set: (value) => Object.assign(client, { pipeline: value }),
      },
    });
    return this;
  }

  async #end(): Promise<void> {
    const kept = this.#kept;
    this.#kept = undefined;
    await Promise.allSettled(this.#running);
    if (kept === undefined) return;
    const { client, uses } = kept;
    client.off("error", this.#onError);
    client.off("end", this.#onEnd);
    const isClean = client.getTransactionStatus() === "I";
    if (this.#isBroken || kept.isBroken || !isClean || uses >= MOST_USES) await client.end();
    else idle.set(this.#key, [...(idle.get(this.#key) ?? []), kept]);
  }

  readonly #onError = (error: Error) => {
    this.#isBroken = true;
    this.emit("error", error);
  };

  readonly #onEnd = () => {
    this.#isBroken = true;
    this.emit("end");
  };
}

async function open(config: pg.ClientConfig): Promise<Kept> {
  const client = new pg.Client(config);
  const kept = { client, uses: 0, isBroken: false };
  const note = () => {
    kept.isBroken = true;
  };
  client.on("error", note);
  client.on("end", note);
  await client.connect();
  return kept;
}

/** Ends the connections that no client uses, of a database that is to be deleted. */
export async function endKept(url: string): Promise<void> {
  for (const [key, list] of idle) {
    if (JSON.parse(key)[0] !== url) continue;
    idle.delete(key);
    for (const { client } of list) await client.end();
  }
}

import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { TLSSocket } from "node:tls";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import { DatabaseError } from "pg";
import { expect, onTestFinished, test } from "vitest";
import { describeFailure } from "../../src/cli/failure.ts";
import { Code } from "../../src/domain/base/errors.ts";
import { translateError } from "../../src/storage/postgres/errors.ts";
import { openPostgresStore } from "../../src/storage/postgres/open.ts";
import { toDomainError } from "../../src/storage/sqlite/errors.ts";
import { CERTIFICATE, KEY } from "../outbox/receiver.ts";

const UNAVAILABLE = { code: Code.UNAVAILABLE, reason: "DATABASE_UNAVAILABLE" };

test.each([
  ["SQLITE_FULL", 1],
  ["SQLITE_IOERR_WRITE", 1],
  ["SQLITE_READONLY", 1],
  ["SQLITE_BUSY", 1],
  ["SQLITE_CORRUPT", undefined],
  ["SQLITE_CORRUPT_VTAB", undefined],
  ["SQLITE_NOTADB", undefined],
])("SQLite's %s is unavailable, and tried again after %s", (code, retryAfter) => {
  const error = toDomainError(new Database.SqliteError("text", code));
  expect(error).toMatchObject({ ...UNAVAILABLE, retryAfter });
});

test.each([
  ["53100", 1],
  ["25006", 1],
  ["25P03", 1],
  ["25P04", 1],
  ["58030", 1],
  ["XX001", undefined],
  ["XX002", undefined],
])("PostgreSQL's %s is unavailable, and tried again after %s", (code, retryAfter) => {
  const cause = Object.assign(new DatabaseError("text", 4, "error"), { code });
  expect(translateError(cause)).toMatchObject({ ...UNAVAILABLE, retryAfter });
});

/** Starts a server that responds to PostgreSQL's request for TLS, and has a certificate for 127.0.0.1. */
async function startTlsServer(response: "N" | "S"): Promise<number> {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => {
      socket.write(response);
      if (response === "N") return;
      new TLSSocket(socket, { isServer: true, cert: CERTIFICATE, key: KEY })
        .on("error", () => {})
        .once("data", () => socket.destroy());
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => {
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const TRUSTED = fileURLToPath(
  new URL("../fixtures/webhooks/hooks-example.cert.pem", import.meta.url),
);
const CHECK_CERTIFICATE = "the server's certificate must be valid for the host";

test.each([
  ["S", "127.0.0.1", "", `self-signed certificate.*; ${CHECK_CERTIFICATE}`],
  ["S", "localhost", `&sslrootcert=${TRUSTED}`, `altnames.*; ${CHECK_CERTIFICATE}`],
  ["S", "127.0.0.1", `&sslrootcert=${TRUSTED}`, "Connection terminated unexpectedly$"],
  ["N", "127.0.0.1", "", "does not support SSL.*; turn on TLS in the server"],
] as const)(
  "a PostgreSQL server that answers %s to TLS at %s%s says in one line: %s",
  async (response, host, parameters, message) => {
    const port = await startTlsServer(response);
    const url = `postgres://u@${host}:${port}/n?sslmode=verify-full${parameters}`;
    const error = await openPostgresStore({ engine: "postgres", url }).catch((it) => it);
    expect(error).toMatchObject(UNAVAILABLE);
    expect(describeFailure(error)).toMatch(new RegExp(`^[^\n]*${message}`));
    expect(describeFailure(error)).not.toContain("\n");
  },
);

test.each([
  [
    "28000",
    "ClientAuthentication",
    "kein pg_hba.conf-Eintrag für Host »10.0.0.1«, Benutzer »u«, Datenbank »n«, keine Verschlüsselung",
    "if the server requires TLS, add sslmode=verify-full",
  ],
  [
    "0A000",
    "call_bool_check_hook",
    "kann den Read/Write-Modus einer Transaktion nicht während der Wiederherstellung setzen",
    "the server is read-only",
  ],
  [
    "42501",
    "aclcheck_error",
    "keine Berechtigung für Tabelle secret",
    "grant select, insert, update, delete on all tables",
  ],
  ["54000", "_bt_check_third_page", "Größe der Indexzeile 4816", "the id is too long"],
])(
  "PostgreSQL's %s of %s is known by these, in any language of the server",
  (code, routine, text, message) => {
    const cause = Object.assign(new DatabaseError(text, 4, "error"), { code, routine });
    expect(describeFailure(translateError(cause))).toContain(message);
  },
);

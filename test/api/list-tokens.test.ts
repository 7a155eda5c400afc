import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isManagement } from "../../src/domain/messages/interfaces.ts";
import { connectHeaders } from "../harness/calls.ts";
import { reasonOf, send } from "../harness/http.ts";
import { type Marquee, startMarquee } from "../harness/marquee.ts";
import { methodSamples } from "./method-samples.ts";
import { findMethods, type JsonMessage, procedureOf } from "./methods.ts";

let marquee: Marquee;
beforeAll(async () => {
  marquee = await startMarquee();
});
afterAll(() => marquee.close());

const lists = (await findMethods()).filter(
  ({ parent, input }) =>
    isManagement(parent) && input.field.pageToken !== undefined && input.field.filter !== undefined,
);

/** The lists of which the demo holds two things or more. */
let walked = 0;

describe("a page token of a management list holds for the same question only", () => {
  for (const method of lists) {
    const procedure = procedureOf(method);
    test(procedure, async () => {
      const { message } = methodSamples[procedure] ?? {};
      const sample = typeof message === "function" ? await message(marquee) : message;
      const list = (more: JsonMessage, token = marquee.tokens.owner) =>
        send("POST", `${marquee.url}/${procedure}`, {
          headers: connectHeaders(token),
          body: { ...sample, pageSize: 1, ...more },
        });
      const first = await list({});
      expect(first.status, first.text).toBe(200);
      const pageToken = first.json.nextPageToken;
      if (!pageToken) return;
      walked += 1;
      expect((await list({ pageToken })).status).toBe(200);
      expect((await list({ pageToken, pageSize: 2 })).status).toBe(200);
      const others: JsonMessage[] = [
        { filter: isTransactions(procedure) ? 'billing_transaction_id: "x"' : "not id: nothing" },
        ...(method.input.field.order === undefined ? [] : [{ order: "id desc" }]),
      ];
      for (const other of others) {
        expect((await list(other)).status).toBe(200);
        const got = await list({ pageToken, ...other });
        expect([got.status, reasonOf(got)], JSON.stringify(other)).toEqual([
          400,
          "PAGE_TOKEN_INVALID",
        ]);
      }
    });
  }

  test("enough of them have a second page", () => {
    expect(lists.length).toBeGreaterThan(15);
    expect(walked).toBeGreaterThan(10);
  });
});

function isTransactions(procedure: string): boolean {
  return procedure.endsWith("/ListTransactions");
}

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type PagePosition, PageTokens, resolvePageSize } from "../../../src/domain/base/paging.ts";
import { rejection } from "../../harness/rejection.ts";

describe("the size of a page", () => {
  const limits = { standard: 20, maximum: 100 };

  test.each<[number, number]>([
    [0, 20],
    [-0, 20],
    [1, 1],
    [20, 20],
    [99, 99],
    [100, 100],
    [101, 100],
    [2_147_483_647, 100],
  ])("%s asked is %s", (asked, want) => {
    expect(resolvePageSize(asked, limits)).toBe(want);
  });

  test.each([-1, -2_147_483_648])("%s asked is rejected", (asked) => {
    expect(() => resolvePageSize(asked, limits)).toThrow(
      rejection("PAGE_SIZE_INVALID", undefined, {
        fields: [{ field: "page_size", description: "must not be negative" }],
      }),
    );
  });
});

const KEY = new Uint8Array(32).fill(7);
const tokens = new PageTokens(KEY);
const BINDING = ["ListTransactions", "ann", "p", 'a: "b"', true];
const POSITION: PagePosition = [1_700_000_000_000_000, "tr-\ufffd-ü-1"];
const TOKEN = tokens.seal(POSITION, BINDING);

const INVALID = rejection("PAGE_TOKEN_INVALID", "page_token");

describe("a page token", () => {
  test("gives its position back to the same request", () => {
    expect(tokens.unseal(TOKEN, BINDING)).toEqual(POSITION);
    expect(new PageTokens(KEY).unseal(TOKEN, [...BINDING])).toEqual(POSITION);
  });

  test("is the same for the same position, and safe in an address", () => {
    expect(tokens.seal(POSITION, BINDING)).toBe(TOKEN);
    expect(TOKEN).toMatch(/^[A-Za-z0-9_-]+$/);
  });

  test("shows nothing of its position but the length", () => {
    for (const key of [KEY, new Uint8Array(32)]) {
      const token = new PageTokens(key).seal(["secret-film", "A secret title"], BINDING);
      const bytes = Buffer.from(token, "base64url");
      expect(bytes.length).toBe(16 + '["secret-film","A secret title"]'.length);
      expect(bytes.toString("latin1")).not.toMatch(/secret|film|title/);
    }
    // Positions that begin alike do not encrypt alike.
    const [one, other] = [1, 2].map((last) =>
      Buffer.from(tokens.seal(["a-long-id-that-is-the-same", last], BINDING), "base64url"),
    );
    expect(one?.subarray(16, 32)).not.toEqual(other?.subarray(16, 32));
  });

  test("is rejected when any of its bytes is another one", () => {
    const bytes = Buffer.from(TOKEN, "base64url");
    for (let at = 0; at < bytes.length; at += 1) {
      for (const mask of [0x01, 0x80, 0xff]) {
        const changed = Buffer.from(bytes);
        changed[at] = (changed[at] ?? 0) ^ mask;
        const token = changed.toString("base64url");
        expect(() => tokens.unseal(token, BINDING), `byte ${at}`).toThrow(INVALID);
      }
    }
  });

  test("is rejected when it is cut anywhere, or longer", () => {
    for (let length = 0; length < TOKEN.length; length += 1) {
      expect(() => tokens.unseal(TOKEN.slice(0, length), BINDING)).toThrow(INVALID);
      if (length > 0) expect(() => tokens.unseal(TOKEN.slice(length), BINDING)).toThrow(INVALID);
    }
    for (const extra of ["A", "AA", "AAAA", "=", " ", "\n"]) {
      expect(() => tokens.unseal(TOKEN + extra, BINDING)).toThrow(INVALID);
      expect(() => tokens.unseal(extra + TOKEN, BINDING)).toThrow(INVALID);
    }
  });

  test("is rejected in another spelling of the same bytes", () => {
    const bytes = Buffer.from(TOKEN, "base64url");
    const standard = bytes.toString("base64");
    if (standard !== TOKEN) expect(() => tokens.unseal(standard, BINDING)).toThrow(INVALID);
    expect(() => tokens.unseal(TOKEN.replace(/^(.)/, "$1 "), BINDING)).toThrow(INVALID);
  });

  const bindings: readonly (readonly unknown[])[] = [
    [],
    BINDING.slice(0, -1),
    [...BINDING, null],
    ["ListEvents", ...BINDING.slice(1)],
    ["ListTransactions", "bob", ...BINDING.slice(2)],
    ["ListTransactions", "ann", "q", ...BINDING.slice(3)],
    ["ListTransactions", "ann", "p", 'a: "c"', true],
    ["ListTransactions", "ann", "p", 'a: "b"', false],
    ["ListTransactions", "annp", "", 'a: "b"', true],
    ["ListTransactions", "ann", "p", 'a: "b"', "true"],
    [BINDING],
  ];
  test.each(bindings.map((binding) => [binding]))(
    "is rejected with the arguments %j",
    (binding) => {
      expect(() => tokens.unseal(TOKEN, binding)).toThrow(INVALID);
    },
  );

  test("is rejected under another key", () => {
    const others = [new Uint8Array(32), new Uint8Array(31).fill(7), new Uint8Array(33).fill(7)];
    for (const key of others) {
      expect(() => new PageTokens(key).unseal(TOKEN, BINDING)).toThrow(INVALID);
    }
  });

  test.each(["", "a", "null", "[]", "AAAAAAAAAAAAAAAAAAAAAA", "ü", "x".repeat(20_000)])(
    "is not %s",
    (text) => {
      expect(() => tokens.unseal(text, BINDING)).toThrow(INVALID);
    },
  );
});

const position = fc.array(
  fc.oneof(fc.string({ unit: "binary" }), fc.integer(), fc.constant(null)),
  {
    maxLength: 4,
  },
);
const binding = fc.array(fc.oneof(fc.string(), fc.boolean(), fc.integer(), fc.constant(null)));

describe("for any position and arguments", () => {
  test("a sealed token opens only with the same arguments", () => {
    fc.assert(
      fc.property(position, binding, binding, (at, own, other) => {
        const token = tokens.seal(at, own);
        expect(tokens.unseal(token, own)).toEqual(at);
        if (JSON.stringify(own) === JSON.stringify(other)) return;
        expect(() => tokens.unseal(token, other)).toThrow(INVALID);
      }),
      { numRuns: 300 },
    );
  });

  test("no other text opens", () => {
    fc.assert(
      fc.property(position, fc.nat(), fc.nat(), (at, place, letter) => {
        const token = tokens.seal(at, BINDING);
        const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
        const index = place % token.length;
        const changed = `${token.slice(0, index)}${letters[letter % 64]}${token.slice(index + 1)}`;
        if (changed !== token) expect(() => tokens.unseal(changed, BINDING)).toThrow(INVALID);
      }),
      { numRuns: 500 },
    );
  });
});

import { describe, expect, test, vi } from "vitest";
import { Progress } from "../../src/cli/progress.ts";

describe("the progress of an import", () => {
  const show = (isTTY: boolean, size: number | undefined) => {
    let [text, now] = ["", 0];
    const output = { isTTY, write: (it: string) => (text += it) };
    const progress = new Progress(output, { size, now: () => now });
    for (let step = 1; step <= 12; step += 1) {
      now = step * 1_000;
      progress.update({ items: step * 100, bytes: step * 50 });
    }
    progress.report("1200 read, writing the indexes");
    progress.end();
    return text;
  };

  test("is a line now and then in a log", () => {
    expect(show(false, 600)).toBe(
      "41 %, 500, 100/s, 7 s left\n83 %, 1000, 100/s, 2 s left\n1200 read, writing the indexes\n",
    );
  });

  test("has no end in sight where the size is unknown", () => {
    expect(show(false, undefined)).toBe(
      "500, 100/s\n1000, 100/s\n1200 read, writing the indexes\n",
    );
  });

  test("is a bar on a terminal, which leaves a clean line", () => {
    const lines = show(true, 600).split("\r\x1b[K");
    expect(lines).toHaveLength(15);
    expect(lines[6]).toBe("[############............] 50 %, 600, 100/s, 6 s left");
    expect(lines.at(-2)).toBe("1200 read, writing the indexes");
    expect(lines.at(-1)).toBe("");
  });
});

describe("the progress of a copy", () => {
  const show = (isTTY: boolean) => {
    let text = "";
    vi.useFakeTimers({ toFake: ["performance"] });
    const output = { isTTY, write: (it: string) => (text += it) };
    const progress = new Progress(output, { unit: " MiB", isForTerminals: true });
    progress.end();
    for (const mib of [0, 10, 20]) {
      progress.update({ items: mib, bytes: mib * 1_048_576 }, 40 * 1_048_576);
      vi.advanceTimersByTime(1_000);
    }
    progress.report("copied, checking");
    progress.end();
    vi.useRealTimers();
    return text;
  };

  test("is a bar on a terminal, then reports the check", () => {
    expect(show(true).split("\r\x1b[K")).toEqual([
      "",
      "[######..................] 25 %, 10 MiB, 10 MiB/s, 3 s left",
      "[############............] 50 %, 20 MiB, 10 MiB/s, 2 s left",
      "copied, checking",
      "",
    ]);
  });

  test("is nothing elsewhere", () => {
    expect(show(false)).toBe("");
  });
});

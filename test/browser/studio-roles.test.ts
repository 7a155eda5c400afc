import type { Page, Request } from "playwright-core";
import { expect, test } from "vitest";
import { KINDS } from "../../web/studio/kinds.ts";
import { callIam, iamMaker, ok } from "../api/iam/iam.ts";
import { useMarquee } from "../harness/use-marquee.ts";
import { exportText } from "../transfer/transfer.ts";
import { describeStudio } from "./describe-in-chromium.ts";
import { openStudio, openView } from "./studio.ts";

const marquee = await useMarquee({ studio: true });
const call = callIam(marquee);
const make = iamMaker(call);

const RELEASE = "of-others";
const release = { project_id: "worldcup", name: "Of others" };
ok(await call("POST /cms/releases/v1", { body: release, query: { release_id: RELEASE } }));

// A draft that is in conflict.
for (const query of [{ release_id: RELEASE }, {}]) {
  const entity = { title: { en: `Title ${query.release_id ?? "of today"}` } };
  const body = { entity, update_mask: "title" };
  ok(await call("PATCH /cms/entities/v1/team-ger", { body, query }));
}

/** The screens of the menu, and one of each kind with an item. */
const SCREENS = [
  ...["", "releases", `releases/${RELEASE}`, "history", "keys", "billing", "people", "sign-in"],
  ...KINDS.flatMap(({ section }) => [section, `${section}/*`]),
];

/** Buttons that are disabled for another reason: there is nothing to turn to, to move to or to add yet. */
const IDLE = /^(← Previous|Next →|Move .*|Add|\+ Language)$/;

/** What the server alone knows: an author deletes releases of its own only. */
const REJECTED = `: Delete the release: DELETE /cms/releases/v1/${RELEASE} 403`;

/** What only owners do to people. */
const PEOPLE = [
  "Add a role: iam.bindings.create",
  "Remove Emil Editor: iam.accounts.delete",
  "Take away the role Editor from Emil Editor: iam.bindings.delete",
];

/** A button of a screen. */
interface Button {
  readonly name: string;
  /** What it does: its words without the row that it is for, and the control that it belongs to. */
  readonly act: string;
  readonly title: string;
  readonly isDisabled: boolean;
}

describeStudio("case 7: each button works, or names the permission that is missing", (browser) => {
  test.each([
    ["viewer", ""],
    ["author", `?release=${RELEASE}`],
  ])("for a person with the role %s, who changes nothing that is public", async (role, version) => {
    const account = await make.account();
    await make.binding(account, role);
    const before = await exportText(marquee.store, "worldcup");
    const page = await openStudio(browser(), marquee.url, await make.token(account), "#/worldcup");
    const walk = new Walk(page);
    for (const screen of SCREENS) await walk.through(screen, version);
    expect(walk.faults.filter((it) => !it.endsWith(REJECTED))).toEqual([]);
    expect([...walk.denied]).toEqual(expect.arrayContaining(PEOPLE));
    expect(await exportText(marquee.store, "worldcup")).toBe(before);
    await page.close();
  });
});

/** A walk over the buttons of screens. */
class Walk {
  readonly faults: string[] = [];
  readonly clicked = new Set<string>();
  readonly denied = new Set<string>();
  readonly #page: Page;
  #step = "";
  /** The view of the first item of the list that was opened last. */
  #item = "";
  readonly #pending = new Set<Request>();

  constructor(page: Page) {
    this.#page = page;
    page.setDefaultTimeout(10_000);
    page.on("dialog", (dialog) => void dialog.accept());
    page.on("pageerror", (error) => this.faults.push(`${this.#step}: ${error}`));
    page.on("request", (request) => this.#pending.add(request));
    page.on("requestfailed", (request) => this.#pending.delete(request));
    page.on("requestfinished", async (request) => {
      this.#pending.delete(request);
      const status = (await request.response())?.status() ?? 0;
      if (status !== 403 && status !== 404) return;
      this.faults.push(
        `${this.#step}: ${request.method()} ${new URL(request.url()).pathname} ${status}`,
      );
    });
  }

  /** Clicks a button for each act of a screen that was not clicked before, and checks those that are disabled. */
  async through(screen: string, version: string): Promise<void> {
    const [section = "", id] = screen.split("/");
    let view = `#/worldcup/${screen}${version}`;
    if (id === "*") {
      if (this.#item === "") return;
      view = this.#item;
    }
    await this.#open(view);
    const link = this.#page.locator("main tbody a").first();
    this.#item = (await link.count()) === 0 ? "" : ((await link.getAttribute("href")) ?? "");
    const place = id === undefined ? section : `${section}/`;
    for (const { name, act, title, isDisabled } of await this.#list()) {
      const [, permission] = /needs the permission ([\w.]+)\.?$/i.exec(title) ?? [];
      if (permission !== undefined) this.denied.add(`${name}: ${permission}`);
      else if (isDisabled && title === "" && !IDLE.test(name))
        this.faults.push(`${place}: ${name} is disabled without a reason`);
      if (isDisabled || this.clicked.has(`${place}: ${act}`)) continue;
      this.clicked.add(`${place}: ${act}`);
      if ((await this.#find(view, act)) < 0) await this.#open(view);
      const at = await this.#find(view, act);
      // Another button has taken it away, such as the one that deletes a draft.
      if (at < 0) continue;
      this.#step = `${place}: ${name}`;
      await this.#page.locator("main button:visible").nth(at).click();
      await this.#settle();
      if (await this.#page.evaluate("document.activeElement === document.body"))
        this.faults.push(`${this.#step}: loses the focus`);
      const confirmation = this.#page.locator("dialog[open] form .danger");
      if ((await confirmation.count()) === 0) continue;
      await confirmation.click();
      await this.#settle();
    }
  }

  /** Returns the place of the first enabled button for an act of a view; -1 once another click has taken it away. */
  async #find(view: string, act: string): Promise<number> {
    const isCovered = (await this.#page.locator("dialog[open]").count()) > 0;
    if (isCovered || !this.#page.url().endsWith(view)) return -1;
    return (await this.#list()).findIndex((it) => it.act === act && !it.isDisabled);
  }

  async #open(view: string): Promise<void> {
    this.#step = view;
    await this.#page.evaluate(`for (const key of Object.keys(sessionStorage)) {
      if (!key.endsWith(":token")) sessionStorage.removeItem(key);
    }`);
    await openView(this.#page, "#/worldcup/nothing");
    const nothing = this.#page.getByRole("heading", { name: "There is no such view" });
    await nothing.waitFor();
    await openView(this.#page, view);
    await nothing.waitFor({ state: "detached" });
    await this.#settle();
  }

  /** Waits until no request is under way, and nothing says that it is being loaded. */
  async #settle(): Promise<void> {
    for (let quiet = 0; quiet < 3; ) {
      await this.#page.waitForTimeout(20);
      const isLoading = (await this.#page.locator("[aria-busy]").count()) > 0;
      quiet = this.#pending.size === 0 && !isLoading ? quiet + 1 : 0;
    }
  }

  #list(): Promise<readonly Button[]> {
    return this.#page.evaluate(`[...document.querySelectorAll("main button")].filter((it) => it.checkVisibility()).map((it) => ({
      name: it.ariaLabel || it.textContent.trim(),
      act: [it.textContent.trim(), it.closest(".field")?.className].join(" "),
      title: it.title || it.closest(".form")?.querySelector(":scope > .note")?.textContent || "", isDisabled: it.disabled || it.ariaDisabled === 'true',
    }))`);
  }
}

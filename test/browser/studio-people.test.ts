import type { Locator, Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { callIam, iamMaker, ok } from "../api/iam/iam.ts";
import { useMarquee } from "../harness/use-marquee.ts";
import { describeStudio } from "./describe-in-chromium.ts";
import { confirm, expectAccessible, openStudio, openView } from "./studio.ts";

const marquee = await useMarquee({ studio: true });
const call = callIam(marquee);
const make = iamMaker(call);

const VIEW = "#/worldcup/people";

describeStudio("people in the studio", (browser) => {
  let page: Page;
  beforeAll(async () => {
    page = await openStudio(browser(), marquee.url, marquee.tokens.owner, VIEW);
  });

  const cardOf = (name: string, on = page) =>
    on.locator("li.card").filter({ has: on.getByRole("heading", { name }) });
  const button = (on: Locator, name: string) => on.getByRole("button", { name, exact: true });
  const notice = (text: string) => page.getByRole("status").filter({ hasText: text }).waitFor();
  const question = (text: string) => page.getByRole("dialog").filter({ hasText: text }).waitFor();

  test("a role is taken away once that is confirmed, and given back next to a second one", async () => {
    const card = cardOf("Emil Editor");
    await button(card, "Take away the role Editor from Emil Editor").click();
    await question("Take away the role Editor from Emil Editor?");
    await expectAccessible(page);
    await confirm(page, "Cancel");
    await card.getByText("Editor on the project worldcup").waitFor();
    await button(card, "Take away the role Editor from Emil Editor").click();
    await confirm(page, "Take away");
    await card.getByText("No role yet").waitFor();
    await button(card, "Add a role").click();
    await card.getByText("Editor on the project worldcup").waitFor();
    await card.getByLabel("Role", { exact: true }).selectOption("viewer");
    await card.getByLabel("Where").selectOption("on the whole organization");
    await button(card, "Add a role").click();
    await card.getByText("Viewer on the whole organization").waitFor();
    await card.getByText("Editor on the project worldcup").waitFor();
  });

  test("a person is removed with roles and access tokens once that is confirmed", async () => {
    const id = await make.account();
    await make.binding(id, "editor");
    const token = await make.token(id);
    const { name } = ok(await call(`GET /iam/accounts/v1/${id}`)).account;
    await page.reload();
    await button(cardOf(name), `Remove ${name}`).click();
    await question("Nothing can bring them back");
    await page.keyboard.press("Enter");
    ok(await call("GET /iam/auth/v1/me", { token }));
    await button(cardOf(name), `Remove ${name}`).click();
    await confirm(page, "Remove");
    await notice(`Removed ${name}`);
    await cardOf(name).waitFor({ state: "detached" });
    expect((await call("GET /iam/auth/v1/me", { token })).status).toBe(401);
  });

  test("valid access tokens are listed with their times, and revoked once that is confirmed", async () => {
    const id = await make.account();
    const { name } = ok(await call(`GET /iam/accounts/v1/${id}`)).account;
    const create = async (token: object) =>
      ok(await call("POST /iam/access_tokens/v1", { body: { account_id: id, ...token } }));
    const made = await create({ name: "deploy", expire_time: "2099-06-15T12:00:00Z" });
    const former = await create({ name: "former" });
    const path = `/iam/access_tokens/v1/${former.access_token.id}:revoke`;
    ok(await call(`POST ${path}`, { body: {} }));
    await page.reload();
    const card = cardOf(name);
    await card.locator("summary").click();
    const token = card.getByRole("listitem").filter({ hasText: "deploy" });
    await token.getByText(/created .* · expires Jun 15, 2099/).waitFor();
    expect(await card.getByText("former").count()).toBe(0);
    await expectAccessible(page);
    await button(card, "New access token").click();
    await card.getByRole("listitem").filter({ hasText: "studio" }).waitFor();
    await button(card, `Revoke the access token deploy of ${name}`).click();
    await question("get 401 at once");
    await confirm(page, "Revoke");
    await notice("The access token is revoked");
    await token.waitFor({ state: "detached" });
    expect((await call("GET /iam/auth/v1/me", { token: made.token })).status).toBe(401);
  });

  test("who would lock themselves out reads so first, and the last owner stays", async () => {
    const card = cardOf("Olivia Owner");
    await card.getByText("you", { exact: true }).waitFor();
    await button(card, "Take away the role Owner from Olivia Owner").click();
    await question("you may lock yourself out");
    await confirm(page, "Cancel");
    await card.locator("summary").click();
    await card
      .getByRole("button", { name: /^Revoke/ })
      .first()
      .click();
    await question("you are signed out at once");
    await confirm(page, "Cancel");
    await button(card, "Remove Olivia Owner").click();
    await question("only another person can add you again");
    await confirm(page, "Remove");
    await card.getByRole("alert").getByText("LAST_OWNER").waitFor();
  });

  test("an e-mail that is taken is said in words, and a person whose role is not given is on the list", async () => {
    const permissions = ["accounts.list", "accounts.create", "bindings.list", "bindings.create"];
    const held = ["iam.roles.list", "iam.projects.get", ...permissions.map((it) => `iam.${it}`)];
    const { token } = await make.caller(held);
    const other = await openStudio(browser(), marquee.url, token, VIEW);
    const form = other.getByRole("form", { name: "Add a person" });
    const add = async (name: string) => {
      await form.getByLabel("Name of a new person").fill(name);
      await form.getByLabel("E-mail").fill("nora@example.com");
      await button(form, "Add").click();
    };
    await add("Nora New");
    await cardOf("Nora New", other).getByText("No role yet").waitFor();
    await other.getByText("PERMISSION_NOT_HELD").waitFor();
    await add("Nora Twice");
    await other.getByText("another account of the organization has this e-mail").waitFor();
    await other.getByText("EMAIL_TAKEN").waitFor();
    expect(await cardOf("Nora Twice", other).count()).toBe(0);
    await other.close();
  });

  test("what is typed survives a reload and another view, and is forgotten once it is sent", async () => {
    const form = page.getByRole("form", { name: "Add a person" });
    const entered = async () => [
      await form.getByLabel("Name of a new person").inputValue(),
      await form.getByLabel("E-mail").inputValue(),
      await form.getByLabel("Role").inputValue(),
      await form.getByLabel("Where").inputValue(),
    ];
    await form.getByLabel("Name of a new person").fill("Half a na");
    await form.getByLabel("E-mail").fill("half@");
    await form.getByLabel("Role").selectOption("viewer");
    await form.getByLabel("Where").selectOption("on the whole organization");
    const typed = await entered();
    await page.reload();
    await form.waitFor();
    expect(await entered()).toEqual(typed);
    await openView(page, "#/worldcup/keys");
    await page.getByLabel("Purpose of a new key").fill("kio");
    await openView(page, VIEW);
    await form.waitFor();
    expect(await entered()).toEqual(typed);
    await form.getByLabel("Name of a new person").fill("Hanna Half");
    await form.getByLabel("E-mail").fill("half@example.com");
    await button(form, "Add").click();
    await cardOf("Hanna Half").getByText("Viewer on the whole organization").waitFor();
    await page.reload();
    await form.waitFor();
    expect((await entered()).slice(0, 2)).toEqual(["", ""]);
    await openView(page, "#/worldcup/keys");
    expect(await page.getByLabel("Purpose of a new key").inputValue()).toBe("kio");
    await openView(page, VIEW);
  });

  test("a copied secret is said at the button, for a moment", async () => {
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await button(cardOf("Vera Viewer"), "New access token").click();
    const secret = page.getByRole("status").filter({ hasText: "Access token of Vera Viewer" });
    const text = await secret.getByRole("textbox").inputValue();
    await button(secret, "Copy").click();
    await button(secret, "Copied").waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(text);
    await button(secret, "Copy").waitFor();
  });

  test("a viewer sees which permission revokes a token", async () => {
    const id = await make.account();
    await make.binding(id, "viewer");
    const other = await openStudio(browser(), marquee.url, await make.token(id), VIEW);
    await cardOf("Emil Editor", other).locator("summary").click();
    const revoke = cardOf("Emil Editor", other)
      .getByRole("button", { name: /^Revoke/ })
      .first();
    expect(await revoke.isDisabled()).toBe(true);
    expect(await revoke.getAttribute("title")).toBe(
      "Needs the permission iam.access_tokens.revoke",
    );
    await other.close();
  });
});

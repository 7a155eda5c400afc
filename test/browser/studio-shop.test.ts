import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { useMarquee } from "../harness/use-marquee.ts";
import { describeStudio } from "./describe-in-chromium.ts";
import { callStudio, expectAccessible, openStudio, openView } from "./studio.ts";

const marquee = await useMarquee({ studio: true });

const studio = callStudio(marquee);

await studio("POST", "/monetization/transactions/v1?transaction_id=bought", {
  ...{ project_id: "worldcup", user_id: "viewer-1", offer_id: "offer-month" },
  offer_price_id: "offer-month-eur",
});
await studio("POST", "/monetization/transactions/v1/bought:capture", {});

describeStudio("the shop in the studio", (browser) => {
  let page: Page;
  beforeAll(async () => {
    page = await openStudio(browser(), marquee.url, marquee.tokens.owner, "#/worldcup/offers");
    page.setDefaultTimeout(15_000);
  });

  const open = async (link: string) => {
    const menu = page.getByRole("navigation", { name: "Sections" });
    await menu.getByRole("link", { name: link, exact: true }).click();
    await page.getByRole("heading", { level: 1, name: link }).waitFor();
  };
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  const link = (name: string) => page.getByRole("link", { name, exact: true });
  const cells = () => page.getByRole("row").nth(1).getByRole("cell").allInnerTexts();

  test("transactions are listed with their amounts, and are only read", async () => {
    await open("Transactions");
    await link("bought").waitFor();
    await page.getByRole("columnheader", { name: "ID", exact: true }).waitFor();
    expect((await cells()).slice(1, 5)).toEqual([
      "viewer-1",
      "Month Pass",
      "14.99 EUR",
      "Captured",
    ]);
    expect(await link("New transaction").count()).toBe(0);
    await expectAccessible(page);
    await link("bought").click();
    await page.getByText("Only to be read.").waitFor();
    await link("Month Pass").waitFor();
    expect(await page.getByLabel("Offer price ID", { exact: true }).isDisabled()).toBe(true);
    expect(await page.locator(".heading").getByRole("button").count()).toBe(0);
    await expectAccessible(page);
  });

  test("offers are found by a filter, which the Delivery API does not have for them", async () => {
    await openView(page, "#/worldcup/offers?filter=name%3A%20year-pass");
    await link("Year Pass").waitFor();
    expect(await page.getByRole("row").count()).toBe(2);
  });

  test("an amount is read with a decimal comma, and not one that may separate thousands", async () => {
    await openView(page, "#/worldcup/offers/offer-month");
    await page.locator("summary", { hasText: "14.99 EUR" }).click();
    const amount = page.getByRole("textbox", { name: "Amount", exact: true }).first();
    expect(await amount.inputValue()).toBe("14.99");
    await amount.fill("1,000");
    await page.getByText("An amount, such as 9.99").waitFor();
    await button("Save").click();
    expect(await page.evaluate("document.activeElement.value"), "is not sent").toBe("1,000");
    await amount.fill("12,5");
    await button("Save").click();
    await page.getByRole("status").filter({ hasText: "Saved." }).waitFor();
    const { offer } = await studio("GET", "/monetization/offers/v1/offer-month");
    const money = { currency_code: "EUR", units: "12", nanos: 500_000_000 };
    expect(offer.prices[0].amount).toEqual(money);
  });

  test("an entitlement is granted, found by its user, and deleted; a bought one ends by a refund", async () => {
    await open("Entitlements");
    await link("New entitlement").click();
    await page.getByLabel("ID", { exact: true }).fill("press");
    await page.getByLabel("User ID", { exact: true }).fill("journalist");
    await page.getByRole("combobox", { name: "Search offer" }).fill("offer-day");
    await page.getByRole("option", { name: "offer-day", exact: false }).first().click();
    await button("Create").click();
    await page.getByRole("heading", { level: 1, name: "press" }).waitFor();
    await open("Entitlements");
    await page.getByLabel("Filter").fill("user_id: (journalist or viewer-1)");
    await page.getByLabel("Filter").press("Enter");
    await page.waitForURL("**filter=**");
    await expect.poll(() => page.getByRole("row").count()).toBe(3);
    await expectAccessible(page);
    await link("press").click();
    await button("Delete …").click();
    await button("Delete").click();
    await page.getByRole("status").filter({ hasText: "Deleted press" }).waitFor();
    await openView(page, "#/worldcup/entitlements/bought");
    await button("Delete …").click();
    await page.getByRole("dialog").getByText("refund").waitFor();
    expect(await button("Delete").isDisabled()).toBe(true);
    await button("Keep it").click();
  });

  test("the billing provider gets a secret, and the former one stays for a day", async () => {
    await open("Billing provider");
    await page.getByText("no signing secret yet").waitFor();
    await page.getByText(`${marquee.url}/monetization/billing_events/v1/worldcup`).waitFor();
    const secret = page.getByLabel("Signing secret of the billing provider");
    await button("New signing secret").click();
    await secret.waitFor();
    const first = await secret.inputValue();
    expect(first).toMatch(/^whsec_/);
    await button("New signing secret").click();
    await page.getByText("The previous one is accepted until").waitFor();
    expect(await secret.inputValue()).not.toBe(first);
    await expectAccessible(page);
  });
});

import { expect, test } from "vitest";
import { parseNetwork } from "../../src/network/ip-address.ts";
import { captureLog } from "../harness/captured-log.ts";
import { openFresh } from "../harness/fresh-store.ts";
import { startOver } from "../harness/marquee.ts";

const FORGED = expect.stringMatching(/^--country-header or --vpn-header without --trusted-proxies/);
const SHARED = expect.stringMatching(/^--rate-per-address without --trusted-proxies/);

test.each([
  [{ location: { countryHeader: "x-country" } }, [FORGED]],
  [{ location: { vpnHeader: "x-vpn" } }, [FORGED]],
  [{ limits: { rateQuotas: { perAddress: 1, perCredential: 0 } } }, [SHARED]],
  [{ limits: { rateQuotas: { perAddress: 0, perCredential: 1 } } }, []],
  [{}, []],
])("a start with %j and no trusted proxy warns of what follows", async (options, warnings) => {
  const { store, close } = await openFresh();
  const { log, lines } = captureLog("warn");
  const start = async (own: object) => (await startOver(store, { log, ...own })).close(0);
  await start(options);
  expect(lines.map(({ msg }) => msg)).toEqual(warnings);
  const [proxy] = [parseNetwork("10.0.0.1/32")];
  const { location } = { location: {}, ...options };
  await start({ ...options, location: { ...location, trustedProxies: [proxy] } });
  expect(lines).toHaveLength(warnings.length);
  await close();
});

import type { IdentityProvider } from "../../demo/identity-provider.ts";
import { connectHeaders, PROCEDURES } from "../../test/harness/calls.ts";
import { send } from "../../test/harness/http.ts";
import type { Tenant } from "./tenants.ts";

/** Signs a viewer of each tenant in, as their websites do, and returns the viewer tokens. */
export async function signIn(
  url: string,
  provider: IdentityProvider,
  tenants: Readonly<Record<"red" | "blue", Tenant>>,
): Promise<Readonly<Record<"red" | "blue", string>>> {
  return { red: await exchange(tenants.red), blue: await exchange(tenants.blue) };

  async function exchange({ publicKey, accessToken, projectId }: Tenant): Promise<string> {
    const audience = "fuzz";
    await send("PATCH", `${url}/iam/users/v1/sso/${projectId}`, {
      token: accessToken,
      body: { project_id: projectId, audiences: [audience] },
    });
    const vendorIdToken = await provider.sign({
      subject: "viewer",
      audience,
      issueTime: new Date(),
      expireTime: new Date(Date.now() + 6 * 3_600_000),
    });
    const response = await send("POST", url + PROCEDURES.exchangeToken, {
      headers: connectHeaders(publicKey),
      body: { vendorIdToken },
    });
    if (response.status !== 200) throw new Error(`no viewer token: ${response.text}`);
    return response.json.token;
  }
}

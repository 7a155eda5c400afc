import type { HandlerContext } from "@connectrpc/connect";
import { getAccount, getStore } from "../../call/context.ts";
import { checkMaySetQuotas } from "../../domain/quotas.ts";

/** Checks that the calling account may set quotas. PERMISSION_DENIED `QUOTAS_RESERVED`. */
export async function checkQuotaSetter({ values }: HandlerContext): Promise<void> {
  checkMaySetQuotas(await getStore(values).access.listBindings(getAccount(values)));
}

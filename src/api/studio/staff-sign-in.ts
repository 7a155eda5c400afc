import { clone, create } from "@bufbuild/protobuf";
import {
  type StaffSignIn,
  StaffSignInSchema,
  StaffSignInService,
} from "../../../gen/svc/studio/iam/staff_sign_in/v1/staff_sign_in_service_pb.ts";
import { checkImpersonation } from "../../domain/access/roles.ts";
import { checkStaffSignIn, sessionDurationOf } from "../../domain/access/staff-sign-in.ts";
import { applyMask, checkMask, listUpdatable } from "../../domain/validation/field-mask.ts";
import type { StaffSignInSettings } from "../../storage/contract/sign-in.ts";
import { implement, type StudioService } from "../steps/service.ts";
import { UNSET } from "../steps/studio-call.ts";
import type { StudioDependencies } from "./resource.ts";

/** Creates the Studio API service of the sign-in of staff. */
export function createStaffSignInService({
  checkTarget,
  signIns,
}: StudioDependencies): StudioService {
  return implement(StaffSignInService, {
    async getStaffSignIn({ organizationId }, call) {
      const stored = await call.store.staffSignIns.find(organizationId);
      call.setETag(stored ?? UNSET);
      return { staffSignIn: toShown(organizationId, stored?.value) };
    },

    async updateStaffSignIn({ organizationId, staffSignIn, updateMask }, call) {
      const checkIfMatch = call.readIfMatch();
      const mask = checkMask(updateMask?.paths ?? [], listUpdatable(StaffSignInSchema));
      const update = staffSignIn ?? create(StaffSignInSchema);
      const { access, staffSignIns } = call.store;
      for (const binding of await access.listInvitedBindings(organizationId)) {
        await call.budget.nextStep();
        call.budget.count(() => checkImpersonation(call.held, [binding]));
      }
      const stored = await staffSignIns.put(organizationId, (current) => {
        checkIfMatch(current ?? UNSET);
        const { signIn: before, secret: kept } = current?.value ?? defaultsOf(organizationId);
        const signIn = applyMask(StaffSignInSchema, before, update, mask);
        signIn.clientSecret = "";
        checkStaffSignIn(signIn, "staff_sign_in", { checkTarget });
        return { signIn, secret: mask.includes("client_secret") ? update.clientSecret : kept };
      });
      call.changed = [{ kind: "staff_sign_in", id: organizationId }];
      call.setETag(stored);
      return { staffSignIn: toShown(organizationId, stored.value) };
    },

    async testStaffSignIn({ organizationId }, call) {
      call.setHeader("cache-control", "private, no-store");
      return signIns.test(organizationId, call.incoming.headers);
    },
  });
}

function defaultsOf(organizationId: string): StaffSignInSettings {
  return { signIn: create(StaffSignInSchema, { organizationId }), secret: "" };
}

/** Returns a sign-in as responses show it. */
function toShown(
  organizationId: string,
  { signIn, secret } = defaultsOf(organizationId),
): StaffSignIn {
  const shown = clone(StaffSignInSchema, signIn);
  shown.hasClientSecret = secret !== "";
  shown.sessionDuration = sessionDurationOf(signIn);
  return shown;
}

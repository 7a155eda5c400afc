import { ENGINE, openFresh } from "../harness/fresh-store.ts";
import { testPlans } from "./sqlite/statement-plans.ts";
import { testRowTypes } from "./statements/row-types.ts";
import { storeContract } from "./store.contract.ts";

storeContract(ENGINE, openFresh);
if (ENGINE === "sqlite") testPlans();
testRowTypes();

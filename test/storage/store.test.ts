import { ENGINE, openFresh } from "../harness/fresh-store.ts";
import { testPostgresPlans } from "./postgres/statement-plans.ts";
import { testPlans } from "./sqlite/statement-plans.ts";
import { recordStatements } from "./statements/recorded-statements.ts";
import { testRowTypes } from "./statements/row-types.ts";
import { storeContract } from "./store.contract.ts";

const statements = recordStatements();
storeContract(ENGINE, openFresh);
if (ENGINE === "sqlite") testPlans();
else testPostgresPlans(statements);
testRowTypes(statements);

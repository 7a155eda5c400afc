import { ENGINE, openFresh } from "../harness/fresh-store.ts";
import { storeContract } from "./store.contract.ts";

storeContract(ENGINE, openFresh);

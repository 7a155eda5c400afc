import { afterAll } from "vitest";
import { endProcesses } from "./process.ts";

// Runs after every test file: one that fails may leave processes behind.
afterAll(endProcesses);

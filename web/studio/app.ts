import type { JsonObject } from "@bufbuild/protobuf";
import { createContext, type VNode } from "preact";
import { useContext } from "preact/hooks";
import type { Document, Operation } from "../openapi.ts";
import type { Route } from "./router.ts";

/** The schema of the API, and what the account sees of it. */
export interface Start {
  readonly document: Document;
  /** The account of the person; empty for a preview key. */
  readonly account: JsonObject;
  /** The organizations where the person has a role. */
  readonly organizations: readonly Organization[];
  /** The projects that the person may open. */
  readonly projects: readonly Project[];
}

/** The facts that every view knows. */
export interface App extends Start {
  /** Every method with its path. */
  readonly operations: readonly Operation[];
  readonly route: Route;
  /** True for a preview key: it opens pages as viewers see them, and nothing else. */
  readonly isPreviewKey: boolean;
  readonly project: Project;
  /** The permissions that the person has on the project, and for people on its organization. */
  readonly permissions: ReadonlySet<string>;
  /** The releases of the project that can still be changed. */
  readonly releases: readonly JsonObject[];
  /** Says why the releases could not be read again; undefined: these are the newest ones. */
  readonly releasesState: VNode | undefined;
  /** Reads the account and its permissions again, after a sign-in. */
  reloadAccount(): void;
  /** Reads the releases again, after one has changed. */
  reloadReleases(): void;
  /** Shows a sentence about an act that has succeeded, for some seconds. An act that begins clears it with "". */
  notify(text: string): void;
  /** Shows a secret that the server returns once, until the person closes it or opens another section. */
  reveal(title: string, text: string): void;
}

/** An organization. */
export interface Organization {
  readonly id: string;
  readonly name: string;
}

/** A project with its organization. */
export interface Project {
  readonly id: string;
  readonly name: string;
  readonly organizationId: string;
  /** The size of its contents when the app was opened. */
  readonly usage: { readonly keys: number; readonly items: number };
}

/** The context of all views. */
export const AppContext = createContext<App | undefined>(undefined);

/** Returns the facts that every view knows. */
export function useApp(): App {
  const app = useContext(AppContext);
  if (app === undefined) throw new Error("a view is outside of the app");
  return app;
}

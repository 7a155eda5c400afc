import { decideAccess } from "../../domain/access/permissions.ts";
import { notFound } from "../../domain/base/errors.ts";
import { checkField, checkOneOf } from "../../domain/base/field-errors.ts";
import { clip } from "../../domain/base/text.ts";
import { isReleasable, KIND_NAMES, kindOf, PERMISSIONS } from "../../domain/kinds.ts";
import {
  EXPORTED_KINDS,
  isPartOfProject,
  RECORD_KINDS,
  type RecordKind,
} from "../../domain/records/record.ts";
import type { Store } from "../../storage/contract/store.ts";
import type { CredentialHeaders } from "../steps/authenticate.ts";
import { checkGranted, ORGANIZATION_HEADER } from "../steps/authorize.ts";
import { type Caller, type RequestHeaders, readHeader } from "../steps/incoming-call.ts";
import { checkReadable } from "../steps/read-access.ts";

/** The records to read: of a project, and of some kinds. */
interface RecordQuery {
  readonly organizationId: string;
  readonly projectId: string;
  readonly kinds: readonly RecordKind[];
}

/** Decides which records an account may read. */
export class RecordReader {
  readonly #store: Pick<Store, "access">;
  readonly #authenticate: (headers: CredentialHeaders, now: Date) => Promise<Caller>;

  /** `authenticate` identifies the caller of the Studio API. */
  constructor(
    store: Pick<Store, "access">,
    authenticate: (headers: CredentialHeaders, now: Date) => Promise<Caller>,
  ) {
    this.#store = store;
    this.#authenticate = authenticate;
  }

  /**
   * Authorizes a request to read records, by its headers and its query with `project_id` and optional `kinds`, separated
   * by commas. The account needs the permission to list, or else to get, resources of each kind, and for releases to get
   * resources of all kinds of drafts. UNAUTHENTICATED as in
   * calls; INVALID_ARGUMENT `QUERY_UNKNOWN`, `FIELD_REQUIRED`, `FIELD_DUPLICATE`, `RECORD_KIND_INVALID`; NOT_FOUND for
   * a project where the account has no role; PERMISSION_DENIED.
   */
  async authorize(headers: RequestHeaders, query: string, now: Date): Promise<RecordQuery> {
    const caller = await this.#authenticate(headers as CredentialHeaders, now);
    if (caller.kind !== "account") throw new Error("records are read by accounts");
    const { projectId, kinds } = readQuery(query);
    const { access } = this.#store;
    const held = await access.listBindings(caller.account);
    const organizationId =
      readHeader(headers, ORGANIZATION_HEADER) || caller.account.organizationId;
    const [project] = await access.locate("project", [projectId], organizationId);
    const isHidden = project === undefined || decideAccess(held, project, "") === "hidden";
    if (isHidden) throw notFound("project", projectId);
    for (const kind of kinds) {
      const { organizationId: id } = project;
      const isOrganization = kind === "organization";
      const resource = isOrganization ? { kind, id, organizationId: id } : project;
      checkGranted(held, resource, listPermissionOf(kind));
    }
    // The records of a release contain drafts of these kinds.
    const drafted = kinds.includes("release") ? KIND_NAMES.filter(isReleasable) : [];
    for (const kind of drafted) checkReadable(held, { ...project, kind });
    return { organizationId: project.organizationId, projectId, kinds };
  }
}

const PARAMETERS = ["project_id", "kinds"];

function readQuery(query: string): Omit<RecordQuery, "organizationId"> {
  const parameters = new URLSearchParams(query);
  for (const name of parameters.keys()) {
    const known = `known: ${PARAMETERS.join(", ")}`;
    checkField(PARAMETERS.includes(name), clip(name), "QUERY_UNKNOWN", `is unknown; ${known}`);
    const isOne = parameters.getAll(name).length === 1;
    checkField(isOne, name, "FIELD_DUPLICATE", "is in the query more than once");
  }
  const projectId = parameters.get("project_id") ?? "";
  checkField(projectId !== "", "project_id", "FIELD_REQUIRED", "is required");
  const names = (parameters.get("kinds") ?? "").split(",").filter((name) => name.trim() !== "");
  const kinds = names.map((name) => readKind(name.trim()));
  return { projectId, kinds: kinds.length === 0 ? EXPORTED_KINDS : kinds };
}

const PROJECT_KINDS = RECORD_KINDS.filter(isPartOfProject);

function readKind(name: string): RecordKind {
  checkOneOf(name, PROJECT_KINDS, "kinds", "RECORD_KIND_INVALID");
  return name;
}

function listPermissionOf(kind: RecordKind): string {
  const { permissions } = kindOf(kind);
  const isListed = PERMISSIONS.has(`${permissions}.list`) && kind !== "release";
  return isListed ? `${permissions}.list` : `${permissions}.get`;
}

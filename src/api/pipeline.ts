import type { DescMethod, Message } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import type { Logger } from "pino";
import { DomainError, isAlreadyExists } from "../domain/base/errors.ts";
import { renameFields } from "../domain/base/field-errors.ts";
import { checkFieldBehavior } from "../domain/validation/field-behavior.ts";
import { checkInput } from "../domain/validation/input-checks.ts";
import type { MessageJson } from "../protojson/message-json.ts";
import type { Account } from "../storage/contract/access.ts";
import type { ProjectReads } from "./reads/project-reads.ts";
import { type Creation, findCreation, isMissing } from "./steps/allow-missing.ts";
import {
  authenticate,
  type CredentialHeaders,
  type CredentialSources,
  PROJECT_HEADER,
  ProjectKeys,
} from "./steps/authenticate.ts";
import { authorize } from "./steps/authorize.ts";
import { NOBODY, STUDIO_CACHE_HEADERS, toDeliveryCacheHeaders } from "./steps/cache-control.ts";
import { CONSISTENCY_HEADER, Consistency } from "./steps/consistency-token.ts";
import { DeliveryCall } from "./steps/delivery-call.ts";
import { isUnforeseen, toConnectError } from "./steps/errors.ts";
import type { AccountCaller, Caller, IncomingCall, ProjectCaller } from "./steps/incoming-call.ts";
import type { Previews } from "./steps/preview.ts";
import { checkReleaseHeader, findWriteFields } from "./steps/request-fields.ts";
import type { DeliveryService, Handler, Preparation, StudioService } from "./steps/service.ts";
import { readSession } from "./steps/session-cookie.ts";
import { StudioCall } from "./steps/studio-call.ts";
import { UnitOfWork, type UnitOfWorkParts } from "./steps/unit-of-work.ts";
import { CheckSlots, isCheckOfMany, WorkLimits, WorkTurns } from "./steps/work-limits.ts";

/** The response of a call. */
export interface CallResponse {
  readonly message: Message | MessageJson;
  /** Its headers by their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The time until which it is true, in milliseconds since 1970; absent: until its project changes. */
  readonly until?: number | undefined;
}

/** The services whose methods are called, by interface. */
export interface Services {
  readonly studio: readonly StudioService[];
  readonly delivery: readonly DeliveryService[];
}

interface PipelineDependencies extends UnitOfWorkParts {
  readonly log: Logger;
  readonly services: Services;
  /** The reads of the current version. */
  readonly reads: ProjectReads;
  readonly previews: Previews;
  readonly viewerTokens: CredentialSources["viewerTokens"];
}

/** Calls methods: the steps of every call, one after the other. Errors are found in this order (contract: errors 3). */
export class Pipeline {
  readonly #dependencies: PipelineDependencies;
  readonly #studio: ReadonlyMap<DescMethod, Handler<StudioCall>>;
  readonly #delivery: ReadonlyMap<DescMethod, Handler<DeliveryCall>>;
  readonly #preparations: ReadonlyMap<DescMethod, Preparation<StudioCall>>;
  readonly #credentials: CredentialSources;
  readonly #consistency: Consistency;
  readonly #turns = new WorkTurns();
  readonly #limits = new WorkLimits({
    clock: () => performance.now(),
    turns: this.#turns,
    writeTurns: new WorkTurns(),
  });
  readonly #checks = new CheckSlots();
  readonly #unitOfWork: UnitOfWork;

  constructor(dependencies: PipelineDependencies) {
    const { store, services, viewerTokens } = dependencies;
    this.#dependencies = dependencies;
    this.#studio = new Map(services.studio.flatMap(({ handlers }) => [...handlers]));
    this.#delivery = new Map(services.delivery.flatMap(({ handlers }) => [...handlers]));
    this.#preparations = new Map(
      services.studio.flatMap(({ preparations = [] }) => [...preparations]),
    );
    this.#credentials = { access: store.access, projectKeys: new ProjectKeys(store), viewerTokens };
    this.#consistency = new Consistency(store);
    this.#unitOfWork = new UnitOfWork(dependencies);
  }

  /**
   * Authenticates the caller of a method by the credentials of its API, before the message is read. A consistency
   * token in the headers makes the call see the token's revision.
   */
  async authenticate(method: DescMethod, headers: CredentialHeaders, now: Date): Promise<Caller> {
    const {
      authorization = null,
      [CONSISTENCY_HEADER]: token,
      [PROJECT_HEADER]: project,
    } = headers;
    const expected = this.#delivery.has(method) ? "project" : "account";
    const projectId = isRead(method) ? project?.toString() : undefined;
    const takesSession =
      authorization === null && (expected === "account" || projectId !== undefined);
    const session = takesSession ? readSession(headers) : undefined;
    const findCaller = () =>
      authenticate(this.#credentials, expected, { authorization, projectId, session }, now);
    const { store } = this.#dependencies;
    const version = store.accessVersion();
    let caller = await findCaller();
    if (token !== undefined) {
      const hasLooked = await this.#consistency.await(String(token), caller, store.access);
      // The revision may have become known, and the credential invalid, while the caller was found.
      if (hasLooked || version !== store.accessVersion()) caller = await findCaller();
    }
    if (expected === "account") checkReleaseHeader(headers);
    return caller;
  }

  /** Begins a call whose whole message has arrived, before it is read. Returns a promise if it has to wait for its turn. */
  begin(caller: Caller): Promise<void> | undefined {
    return this.#turns.begin(caller);
  }

  /** Calls a method whose caller is authenticated. Throws a ConnectError; the causes of unforeseen ones are logged. */
  async call(incoming: IncomingCall, caller: Caller, message: Message): Promise<CallResponse> {
    try {
      return caller.kind === "account"
        ? await this.#callStudio(incoming, caller, message)
        : await this.#callDelivery(incoming, caller, message);
    } catch (cause) {
      if (isUnforeseen(cause)) {
        const { method, request } = incoming;
        const fields = { err: cause, request_id: request.requestId, method: method.name };
        this.#dependencies.log.error(fields, "handler failed unexpectedly");
      }
      throw toConnectError(cause);
    }
  }

  /**
   * Calls a method of the Studio API for an account without an access token, with the permissions that it has now.
   * Throws the error of the call.
   */
  callFor(
    account: Account,
    { method, headers, now }: Pick<IncomingCall, "headers" | "method"> & { readonly now: Date },
    message: Message,
  ): Promise<Message> {
    const incoming: IncomingCall = {
      ...{ method, headers, responseHeaders: {}, responseTrailers: {} },
      request: { requestId: this.#dependencies.createId(), now, address: "", trustsHeaders: false },
      signal: new AbortController().signal,
    };
    const caller = { kind: "account", account, responseKey: new Uint8Array() } as const;
    return this.#runStudio(incoming, caller, message);
  }

  async #callStudio(
    incoming: IncomingCall,
    caller: AccountCaller,
    message: Message,
  ): Promise<CallResponse> {
    const creation = findCreation(incoming.method, message);
    const response =
      creation === undefined
        ? await this.#runStudio(incoming, caller, message)
        : await this.#upsert(creation, incoming, caller, message);
    const headers = { ...STUDIO_CACHE_HEADERS, ...incoming.responseHeaders };
    return { message: response, headers: caller.isSession ? { ...headers, ...NOBODY } : headers };
  }

  /** Updates a resource, or creates it; if another call creates it in between, updates that. */
  async #upsert(
    creation: Creation,
    incoming: IncomingCall,
    caller: AccountCaller,
    message: Message,
  ): Promise<Message> {
    const { method } = incoming;
    const update = () => this.#runStudio(incoming, caller, message);
    try {
      return await update();
    } catch (error) {
      if (!isMissing(method, message, error)) throw error;
    }
    const { toUpdatePaths } = creation;
    try {
      const call = { ...incoming, method: creation.method };
      const created = await this.#runStudio(call, caller, creation.message);
      const { responseHeaders: headers } = incoming;
      const { "marquee-warnings": warnings } = headers;
      if (warnings) headers["marquee-warnings"] = toUpdatePaths(String(warnings));
      return creation.toUpdateResponse(created);
    } catch (taken) {
      if (!isAlreadyExists(taken))
        throw taken instanceof DomainError ? renameFields(taken, toUpdatePaths) : taken;
      return update().catch((error) => {
        throw isMissing(method, message, error) ? taken : error;
      });
    }
  }

  async #runStudio(
    incoming: IncomingCall,
    caller: AccountCaller,
    message: Message,
  ): Promise<Message> {
    const { store } = this.#dependencies;
    const { method, signal } = incoming;
    const handle = handlerOf(this.#studio, method);
    // Values that are invalid in any message are parse errors.
    checkInput(method.input, message);
    // Before the fields: their errors must not reveal a resource to a caller who may not see it.
    const granted = await authorize(store, incoming, caller.account, message);
    checkFieldBehavior(method.input, message);
    const run = (call: StudioCall) => handle(message, call);
    const fields = findWriteFields(method)?.read(message);
    const isCheck = isCheckOfMany(method, message);
    if (fields === undefined && !isCheck) {
      return this.#limits.run(caller, signal, (budget) =>
        run(new StudioCall({ ...granted, incoming, caller, budget }, store)),
      );
    }
    const write = () =>
      this.#limits.runWrite(caller, signal, async (budget) => {
        const authorized = { ...granted, incoming, caller, budget };
        if (fields === undefined) return run(new StudioCall(authorized, store));
        const prepare = fields.validateOnly ? undefined : this.#preparations.get(method);
        await prepare?.(message, new StudioCall(authorized, store));
        return this.#unitOfWork.run(authorized, fields, message, run);
      });
    return isCheck ? this.#checks.run(granted.resource?.organizationId ?? "", write) : write();
  }

  async #callDelivery(
    incoming: IncomingCall,
    caller: ProjectCaller,
    message: Message,
  ): Promise<CallResponse> {
    const { previews, reads } = this.#dependencies;
    const { method, signal, responseHeaders } = incoming;
    const { key } = caller;
    checkInput(method.input, message);
    checkFieldBehavior(method.input, message);
    return this.#limits.run(caller, signal, async (budget) => {
      const isPreviewed = isRead(method) && key.kind === "preview";
      const view = isPreviewed ? await previews.open(incoming, key, budget) : undefined;
      const call = new DeliveryCall(incoming, caller, { reads, budget }, view);
      const response = await handlerOf(this.#delivery, method)(message, call);
      const { freshness } = call;
      if (budget.isOutOfTime) freshness.endEarly(call.now);
      const caching = toDeliveryCacheHeaders(key, isRead(method), freshness, incoming.request.now);
      const { until } = freshness;
      return { message: response, headers: { ...responseHeaders, ...caching }, until };
    });
  }
}

function isRead({ idempotency }: DescMethod): boolean {
  return idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;
}

function handlerOf<Call>(
  handlers: ReadonlyMap<DescMethod, Handler<Call>>,
  method: DescMethod,
): Handler<Call> {
  const handler = handlers.get(method);
  if (handler === undefined) throw new Error(`${method.name} has no handler`);
  return handler;
}

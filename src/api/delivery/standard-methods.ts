import type { DescMethod, Message } from "@bufbuild/protobuf";
import { notFound } from "../../domain/base/errors.ts";
import { DELIVERY_PAGE_SIZE, type PageFields, type PageTokens } from "../../domain/base/paging.ts";
import { type DeliveredKind, KINDS } from "../../domain/kinds.ts";
import { surrogateKeyOf } from "../../domain/surrogate-keys.ts";
import type { DeliveryCall } from "../steps/delivery-call.ts";
import { bindMethods, type DeliveryService, type Handler, respondWith } from "../steps/service.ts";

/** Creates the delivery service of a kind that has only standard methods: Get and List, made from their descriptors. */
export function createDeliveredService(
  kind: DeliveredKind,
  pageTokens: PageTokens,
): DeliveryService {
  return bindMethods(KINDS[kind].delivered.service, (method) =>
    findStandard(method, kind, pageTokens),
  );
}

function findStandard(
  { name, output }: DescMethod,
  kind: DeliveredKind,
  pageTokens: PageTokens,
): Handler<DeliveryCall> | undefined {
  const result = output.fields.find(({ message }) => message === KINDS[kind].schema);
  if (result === undefined) return undefined;
  const respond = (value: unknown) => respondWith(output, result, value);
  if (name.startsWith("Get")) {
    return async (request, call) => {
      const { id } = request as Message & { readonly id: string };
      const { projectId } = call.key;
      const only = { ...call.readable, ids: [id] };
      const [found] = await call.reads.stores.visibleDocuments.getMany(kind, only);
      if (found === undefined) throw notFound(kind, id);
      call.freshness.addResources([surrogateKeyOf(kind, projectId, id)]);
      return respond(found);
    };
  }
  if (!name.startsWith("List")) return undefined;
  return async (request, call) => {
    const { projectId } = call.key;
    const { ids = [] } = request as Message & { readonly ids?: readonly string[] };
    const binding = [name, projectId, call.key.kind, ...ids];
    const page = pageTokens.open(request as Message & PageFields, DELIVERY_PAGE_SIZE, binding);
    const { values, next } = await call.reads.stores.visibleDocuments.list(kind, {
      ...(ids.length === 0 ? call.listed : { ...call.readable, ids }),
      limit: page.limit,
      budget: call.budget,
      ...page.readPlace(),
    });
    call.freshness.addList(kind, projectId, values);
    return Object.assign(respond([...values]), page.endAt(next));
  };
}

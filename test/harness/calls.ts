/** Procedures that tests call, by short name. */
export const PROCEDURES = {
  listEvents: "/svc.cda.cms.event.v1.EventService/ListEvents",
  exchangeToken: "/svc.cda.iam.auth.v1.AuthService/ExchangeToken",
  updateAnnotation: "/svc.studio.annotations.annotation.v1.AnnotationService/UpdateAnnotation",
  updateComponent: "/svc.studio.ott.page_component.v2.PageComponentService/UpdatePageComponent",
  listTransactions: "/svc.studio.monetization.transaction.v1.TransactionService/ListTransactions",
  checkHealth: "/grpc.health.v1.Health/Check",
} as const;

/** Makes the headers of a Connect POST. */
export function connectHeaders(token: string, type = "application/json"): Record<string, string> {
  return {
    authorization: `Bearer ${token}`,
    "content-type": type,
    "connect-protocol-version": "1",
  };
}

/** Makes the address of a Connect GET. */
export function getUrl(procedure: string, message: unknown, extra = ""): string {
  return `${procedure}?encoding=json&message=${encodeURIComponent(JSON.stringify(message))}${extra}`;
}

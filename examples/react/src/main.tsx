import { TransportProvider } from "@connectrpc/connect-query";
import { createDeliveryTransport } from "@marquee/client/delivery";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createRoot } from "react-dom/client";
import { LiveScore } from "./live-score.tsx";
import { Matches } from "./matches.tsx";

const transport = createDeliveryTransport({
  url: import.meta.env.VITE_MARQUEE_URL,
  key: import.meta.env.VITE_PUBLIC_KEY,
});

createRoot(document.body).render(
  <TransportProvider transport={transport}>
    <QueryClientProvider client={new QueryClient()}>
      <LiveScore id="match-2022-64" />
      <Matches />
    </QueryClientProvider>
  </TransportProvider>,
);

# The service on the official image of Node; the pinned Node is a package for development.
FROM node:24-bookworm-slim AS packages
WORKDIR /marquee
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --no-audit --no-fund

FROM node:24-bookworm-slim
WORKDIR /marquee
COPY --from=packages /marquee/node_modules node_modules
COPY package.json ./
COPY gen gen
COPY src src
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
ENV NODE_ENV=production MALLOC_ARENA_MAX=2 MARQUEE_LISTEN=0.0.0.0:8080 MARQUEE_DATABASE=sqlite:/data/marquee.db
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=180s --start-interval=1s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8080/healthz').then((it) => process.exit(it.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "--min-semi-space-size=4", "src/main.ts"]
CMD ["serve"]

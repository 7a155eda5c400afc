# The service, compiled, on the official image of Node. It runs as a user that owns nothing but /data.

# The packages that the compiled service loads.
FROM node:24-bookworm-slim AS packages
WORKDIR /marquee
COPY package.json package-lock.json ./
# Drops better-sqlite3's sources, and the binaries for other systems.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund \
  && rm -r node_modules/better-sqlite3/deps node_modules/better-sqlite3/src \
  && find node_modules/better-sqlite3/prebuilds -type f ! -name 'linux-*' -delete

# Compiles it, with the packages for development.
FROM node:24-bookworm-slim AS build
WORKDIR /marquee
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY tools/build.ts tools/
COPY web/reference/dist web/reference/dist
COPY web/studio/dist web/studio/dist
COPY gen gen
COPY demo demo
COPY src src
RUN node tools/build.ts

FROM node:24-bookworm-slim
WORKDIR /marquee
COPY --from=packages /marquee/node_modules node_modules
COPY --from=build /marquee/dist dist
COPY package.json ./
COPY bin bin
RUN ln -s /marquee/bin/marquee /usr/local/bin/marquee && mkdir /data && chown node:node /data
USER node
VOLUME /data
# SQLite sorts in files, which it cannot create anywhere else if the root file system is read-only.
ENV NODE_ENV=production MARQUEE_LISTEN=0.0.0.0:8080 MARQUEE_DATABASE=sqlite:/data/marquee.db SQLITE_TMPDIR=/data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=180s --start-interval=1s --retries=3 \
  CMD ["node", "-e", "fetch('http://'+(process.env.MARQUEE_STUDIO_LISTEN||process.env.MARQUEE_LISTEN)+'/healthz').then((it) => process.exit(it.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["marquee"]
CMD ["serve"]

# One image for every process: the API (the default), a projection worker (`node src/projections.ts`), the commands under src/cli.

FROM node:26.10.0-alpine AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
# Nothing is compiled: no package needs its install script. What only readers of the packages need stays behind.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund \
 && find node_modules -type f \( -name '*.md' -o -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete

FROM node:26.10.0-alpine
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=8080 \
    WORKER_PORT=8081 \
    NODE_COMPILE_CACHE=/app/compiled \
    EVENT_STORE_URL=sqlite:/data/rostra.db \
    DOCUMENT_STORE_URL=sqlite:/data/rostra.db
WORKDIR /app
# npm and yarn are of no use here, and are most of what could be attacked.
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /opt/yarn* /usr/local/bin/yarn* \
 && mkdir /data compiled && chown node:node /data compiled
COPY --from=dependencies /app/node_modules node_modules
COPY package.json LICENSE ./
COPY src src
COPY projections projections
# What /docs shows.
COPY docs/*.md docs/
COPY docs/guide docs/guide
COPY docs/adapters docs/adapters
USER node
# Started once, with the flags of every start: what Node makes of the sources is kept where later starts, whose disk may be read-only, find it.
RUN EVENT_STORE_URL=sqlite:/tmp/once/rostra.db DOCUMENT_STORE_URL=sqlite:/tmp/once/rostra.db \
    timeout -s TERM 20 node --max-semi-space-size=8 --no-allocation-site-pretenuring src/main.ts; rm -r /tmp/once
VOLUME /data
EXPOSE 8080 8081
# Whatever this process is, it answers on the port it was given; a worker's compose file asks on the other.
HEALTHCHECK --interval=5s --timeout=3s --start-period=30s --retries=6 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/live`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
STOPSIGNAL SIGTERM
CMD ["node", "--max-semi-space-size=8", "--no-allocation-site-pretenuring", "src/main.ts"]

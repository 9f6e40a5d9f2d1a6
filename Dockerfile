# One image for every process: `bin/rostra start` (the default), `bin/rostra worker`, and the other commands.

FROM node:26.10.0-alpine AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
# Nothing is compiled: no package needs its install script. What only readers of the packages need stays behind.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund \
 && find node_modules -type f \( -name '*.md' -o -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete

FROM node:26.10.0-alpine
LABEL org.opencontainers.image.title="Rostra" \
      org.opencontainers.image.description="Links and discussion whose only truth is an append-only log of events" \
      org.opencontainers.image.licenses="MIT"
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=8080 \
    PUBLIC_URL=http://localhost:8080 \
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
COPY bin bin
COPY src src
COPY projections projections
# What /docs shows.
COPY docs/*.md docs/
COPY docs/guide docs/guide
COPY docs/adapters docs/adapters
# The image’s own user node, by its number, which a host can check without the image’s list of users.
USER 1000:1000
# Started once, with the flags of every start: what Node makes of the sources is kept where later starts, whose disk may be read-only, find it.
RUN EVENT_STORE_URL=sqlite:/tmp/once/rostra.db DOCUMENT_STORE_URL=sqlite:/tmp/once/rostra.db \
    timeout -s TERM 20 bin/rostra start; rm -r /tmp/once
VOLUME /data
EXPOSE 8080 8081
# Both the service and, in the compose file, a worker answer on the port that they were given. The wget of Alpine starts no Node.
HEALTHCHECK --interval=30s --start-interval=2s --timeout=3s --start-period=60s --retries=3 \
  CMD ["sh", "-c", "wget -q -O /dev/null http://127.0.0.1:$PORT/health/live"]
STOPSIGNAL SIGTERM
CMD ["bin/rostra", "start"]

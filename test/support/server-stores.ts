import type { DocumentServer } from './document-server.ts'

/** Returns the configuration of a site on a simulated event store and a database of its own. */
export const serverStores = ({ port }: { readonly port: number }, documents: Pick<DocumentServer, 'freshUrl'>) => ({
  eventStoreUrl: `esdb://127.0.0.1:${port}?tls=false`,
  documentStoreUrl: documents.freshUrl(),
  sessionSecret: 'a secret of at least 32 characters',
})

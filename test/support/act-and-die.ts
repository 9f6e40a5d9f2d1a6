import pino from 'pino'
import { openSqlite } from '../../src/adapters/sqlite/stores.ts'
import { connectStores } from '../../src/stores.ts'
import { actUnfollowed } from './unfollowed-acts.ts'

// Records acts on the stores that its environment names, and is killed before anything follows from them.

const { EVENT_STORE_URL: eventStoreUrl = '', DOCUMENT_STORE_URL: documentStoreUrl = '' } = process.env
const stores = eventStoreUrl.startsWith('sqlite:')
  ? await openSqlite({ file: eventStoreUrl.slice('sqlite:'.length) })
  : await connectStores({ eventStoreUrl, documentStoreUrl }, pino({ level: 'silent' }))
const [, , subsite = '', moderator = '', participant = ''] = process.argv
await actUnfollowed(stores, { subsite, moderator, participant })
process.kill(process.pid, 'SIGKILL')

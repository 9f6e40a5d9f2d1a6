import type { EventName } from '../../../src/domain/events.ts'
import { accountRows } from './account-rows.ts'
import { contentRows } from './content-rows.ts'
import { flairRows } from './flair-rows.ts'
import { messageRows } from './message-rows.ts'
import { moderationRows } from './moderation-rows.ts'
import { multiRows } from './multi-rows.ts'
import { relationRows } from './relation-rows.ts'
import type { Row, Rows } from './row.ts'
import { subsiteRows } from './subsite-rows.ts'

/** Endpoints that only read, by `POST` or by nature. */
const readingRows: Rows = {
  'POST /api/search_site_names': { by: [], form: () => ({ query: 'te' }) },
  'POST [/s/{sub}]/api/flairselector': { by: [] },
  'POST /api/new_captcha': { by: [] },
  // for admins, and nothing is queued
  'POST /api/v1/site/retry_reactions': { by: [] },
}

/** The rows of each endpoint that may change something: by whom, and on what, it is called. */
const table: Rows = {
  ...contentRows,
  ...messageRows,
  ...moderationRows,
  ...relationRows,
  ...subsiteRows,
  ...flairRows,
  ...multiRows,
  ...accountRows,
  ...readingRows,
}

/** Returns the rows of an endpoint by its name, such as `POST /api/vote`. */
export const rowsOf = (name: string): readonly Row[] => [table[name] ?? []].flat()

/** The endpoints that require something else than an account of the caller, and the tests that show who may. */
export const elsewhere: Readonly<Record<string, string>> = {
  'POST /api/register': 'for every caller it is recorded in the name of the new account: test/http/auth.test.ts',
  'POST /post/reg': 'the same, as the form of a page: test/http/auth.test.ts',
  'POST /api/login': 'the name and the password that are sent decide, not who sends them: test/http/auth.test.ts',
  'POST /post/login': 'the same, as the form of a page: test/http/auth.test.ts',
  'POST /api/v1/access_token': 'the credentials of an app and a grant decide: test/http/oauth.test.ts',
  'POST /api/block_user': 'it is /api/block for an account that is named instead of its message: test/http/avoiding.test.ts',
  'POST /api/v1/revoke_token': 'the credentials of an app decide about its own tokens: test/http/oauth.test.ts',
}

/** The events that no row records, since no request asks for them. */
export const unasked: ReadonlySet<EventName> = new Set<EventName>([
  // a registration, in the name of the new account
  'UsernameClaimed',
  'AccountRegistered',
  // recorded by reactions to another event
  'SubsiteCreated',
  'AccountTextsErased',
  'AudienceApplied',
  'GoldExtended',
  // the configuration
  'AdminGranted',
  'AdminRevoked',
  // time that has passed
  'AccountSuspensionExpired',
  'BanExpired',
  'WikiBanExpired',
  'MuteExpired',
  'GoldExpired',
])

/** Returns the events that some row records. */
export const recordedByRows = (): ReadonlySet<EventName> => {
  const rows = Object.values(table).flat()
  return new Set(rows.flatMap(({ records = [], by }) => (typeof records === 'function' ? by.flatMap(records) : records)))
}

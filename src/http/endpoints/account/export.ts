// Decision 110.

import type { Scope } from '../../../auth/scopes.ts'
import { readWithinQuota } from '../../../limits/account-quota.ts'
import { type Need, section } from '../../contract/endpoint.ts'
import { exportOf } from './export-contents.ts'
import { exportLines } from './export-schema.ts'

/** The scopes of everything that an export has, all of which a token needs. */
const needed: readonly Scope[] = ['identity', 'account', 'mysubsites', 'read', 'history', 'privatemessages', 'wikiread']

const countExport: Need<true> = (context) => readWithinQuota(context, 'export')

export const ownExport = section('Account').get('/api/v1/me/export', {
  scope: () => needed,
  login: 'user',
  errors: 'coded',
  answers: { 200: exportLines },
  summary: 'Everything that you wrote and chose, to take with you.',
  notes:
    'Lines of JSON, each with a `kind` and its `data`: your account and preferences, links, comments, messages sent, revisions of wiki pages, votes, saved and hidden things, reports, friends, blocks, subscriptions, muted subsites, multis and flair; at last `end` with the number of lines, without which the export was broken off. It is made while it is sent: what is written meanwhile may be in it or not. Six in an hour. A token needs the scopes of all that it has.',
  uses: ['readEvent'],
  needs: { allowed: countExport },
  handle: (context) => ({
    kind: 'parts',
    type: 'application/x-ndjson; charset=UTF-8',
    parts: exportOf(context),
    headers: { 'Cache-Control': 'no-store', 'Content-Disposition': 'attachment; filename="export.ndjson"' },
  }),
})

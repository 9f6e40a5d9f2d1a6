import { AudienceApplied } from '../../../src/domain/audience.ts'
import { bob, carol, dave, pot, tea } from '../example-history.ts'
import { by, type Told } from '../logged-events.ts'
import { comment, late, link } from './terms.ts'

/** A link and a comment from while the subsite was private, which everybody may view again. */
export const onAudiences: readonly Told[] = [
  link('t5_shut', carol, { text: 'For members.', audience: tea }),
  comment('t1_shut', dave, { audience: tea, notified: [{ account: bob, reason: 'mention' }] }),
  by(null)(AudienceApplied({ subsite: tea, audience: 'everybody', change: 6, things: [], entries: [] })),
  by(null)(
    AudienceApplied({
      subsite: tea,
      audience: 'everybody',
      change: 6,
      things: ['t5_shut', pot, 't1_shut', late],
      entries: [`${bob}.t1_shut`],
    }),
  ),
]

import { AudienceApplied } from '../../../src/domain/audience.ts'
import { CommentDistinguished, CommentEdited } from '../../../src/domain/comment.ts'
import { SubsiteSettingChanged } from '../../../src/domain/subsite.ts'
import { ann, bob, carol, dave, pot, tea } from '../example-history.ts'
import { consequence, inNameOf, type LoggedEvent } from '../logged-events.ts'
import { comment, late, link, mod, words } from './terms.ts'

/** Revisions of the subsite's stream. */
const [CLOSED, OPENED] = [9, 10]
const onesOf = (
  change: number,
  audience: string,
  named: { readonly things?: readonly string[]; readonly entries?: readonly string[] } = {},
) => consequence(1, inNameOf(null)(AudienceApplied({ subsite: tea, audience, change, things: [], entries: [], ...named })))

/** The subsite turns private and public again; a link and a comment from between are for everybody again. */
export const onAudiences: readonly LoggedEvent[] = [
  mod(SubsiteSettingChanged({ subsite: tea, setting: 'type', before: 'restricted', after: 'private' })),
  onesOf(CLOSED, `${tea}-aside`),
  link('t5_shut', carol, { text: 'For members.', audience: `${tea}-aside` }),
  comment('t1_shut', dave, { audience: `${tea}-aside`, notified: [{ account: bob, reason: 'mention' }] }),
  inNameOf(dave)(
    CommentEdited({
      ...{ comment: 't1_shut', link: pot, subsite: tea, author: dave, body: 'Between us, /u/Carol.' },
      ...{ notified: [{ account: carol, reason: 'mention' }], withdrawn: [bob], audience: `${tea}-aside` },
    }),
  ),
  inNameOf(
    dave,
    'admin',
  )(
    CommentDistinguished({
      ...{ subsite: tea, target: words('t1_shut', dave), before: null, after: 'admin', removed: false },
      ...{ notified: [{ account: ann, reason: 'post_reply' }], audience: `${tea}-aside` },
    }),
  ),
  mod(SubsiteSettingChanged({ subsite: tea, setting: 'type', before: 'private', after: 'public' })),
  onesOf(OPENED, 'everybody-aside'),
  onesOf(OPENED, 'everybody-aside', {
    things: ['t5_shut', pot, 't1_shut', late],
    entries: [bob, carol, ann].map((account) => `${account}.t1_shut`),
  }),
]

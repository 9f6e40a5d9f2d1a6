import {
  ContributorAdded,
  ContributorRemoved,
  MuteExpired,
  MuteNoteChanged,
  UserMuted,
  UserUnmuted,
  UserWikiBanned,
  UserWikiUnbanned,
  WikiBanChanged,
  WikiBanExpired,
  WikiBanNoteChanged,
  WikiContributorAdded,
  WikiContributorRemoved,
} from '../../../src/domain/relation.ts'
import { bob, carol } from '../example-history.ts'
import { DAWN, inNameOf } from '../logged-events.ts'
import { aboutBob, mod, type Row, user } from './terms.ts'

export const ofRestrictions: readonly Row[] = [
  [
    'ban from the wiki',
    mod(UserWikiBanned({ ...aboutBob, until: null, days: null, note: 'spam' })),
    user('wikibanned', 'permanent', 'spam'),
  ],
  ['ban from the wiki for days', mod(UserWikiBanned({ ...aboutBob, until: DAWN, days: 3 })), user('wikibanned', '3 days')],
  [
    'change a wiki ban',
    mod(WikiBanChanged({ ...aboutBob, until: null, days: null, previousUntil: DAWN })),
    user('wikibanned', 'changed to permanent'),
  ],
  ['change the note of a wiki ban', mod(WikiBanNoteChanged({ ...aboutBob, note: 'other' })), user('wikibanned', 'changed note', 'other')],
  ['lift a wiki ban', mod(UserWikiUnbanned(aboutBob)), user('wikiunbanned')],
  [
    'let a wiki ban expire',
    inNameOf(null)(WikiBanExpired({ ...aboutBob, bannedBy: carol })),
    { ...user('wikiunbanned', undefined, 'was temporary'), mod: null },
  ],
  ['mute', mod(UserMuted({ ...aboutBob, until: DAWN, note: 'rude' })), user('muteuser', undefined, 'rude')],
  ['change the note of a mute', mod(MuteNoteChanged(aboutBob)), user('muteuser', 'changed note')],
  ['unmute', mod(UserUnmuted(aboutBob)), user('unmuteuser')],
  ['let a mute expire', inNameOf(null)(MuteExpired(aboutBob)), { ...user('unmuteuser', undefined, 'was temporary'), mod: null }],
  ['add a wiki contributor', mod(WikiContributorAdded(aboutBob)), user('wikicontributor')],
  ['remove a wiki contributor', mod(WikiContributorRemoved(aboutBob)), user('removewikicontributor')],
  ['add a contributor', mod(ContributorAdded({ ...aboutBob, founder: false })), user('addcontributor')],
  ['found as contributor', inNameOf(bob)(ContributorAdded({ ...aboutBob, founder: true })), 'none'],
  ['leave as contributor', inNameOf(bob)(ContributorRemoved({ ...aboutBob, left: true })), 'none'],
  ['remove a contributor', mod(ContributorRemoved({ ...aboutBob, left: false })), user('removecontributor')],
]

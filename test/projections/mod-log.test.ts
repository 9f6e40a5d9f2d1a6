import test from 'ava'
import { type ModLogDocument, modLogProjection } from '../../projections/mod-log.ts'
import {
  CommentApproved,
  CommentDeleted,
  CommentDistinguished,
  CommentRemoved,
  CommentReportsIgnored,
  CommentReportsUnignored,
} from '../../src/domain/comment.ts'
import { eventDefinitions } from '../../src/domain/events.ts'
import {
  LinkApproved,
  LinkDistinguished,
  LinkLocked,
  LinkRemoved,
  LinkReportsIgnored,
  LinkReportsUnignored,
  LinkUnlocked,
} from '../../src/domain/link.ts'
import { modActionNames, modActions, notYet } from '../../src/domain/mod-actions.ts'
import {
  ModeratorAdded,
  ModeratorInvitationAccepted,
  ModeratorInvitationWithdrawn,
  ModeratorInvited,
  ModeratorPermissionsChanged,
  ModeratorRemoved,
} from '../../src/domain/moderators.ts'
import {
  BanChanged,
  BanExpired,
  BanNoteChanged,
  ContributorAdded,
  ContributorRemoved,
  UserBanned,
  UserUnbanned,
} from '../../src/domain/relation.ts'
import { LinkStickied, LinkUnstickied } from '../../src/domain/stickies.ts'
import { SubsiteSettingChanged } from '../../src/domain/subsite.ts'
import { project } from '../support/project.ts'
import { ann, bob, carol, pot, praise, story, tea } from '../support/story.ts'
import { by, DAWN, loggedFrom, type Told } from '../support/tell.ts'

const subsite = tea
const target = { id: pot, author: ann, title: 'A good pot', excerpt: 'with a lid' }
const comment = { id: praise, author: bob, excerpt: 'What a pot!', link: pot }
const aboutBob = { subsite, account: bob }
const verdict = { subsite, target: comment, link: pot, notified: [] }
const ban = { ...aboutBob, until: DAWN + 1, days: 3, note: 'spam: ads' }
const changed = { ...ban, previousUntil: null }
const sticky = { subsite, target, slot: 1 }

const thing = { id: pot, author: ann, title: 'A good pot', excerpt: 'with a lid', link: null }
const reply = { id: praise, author: bob, title: null, excerpt: 'What a pot!', link: pot }
const person = { id: bob, author: bob, title: null, excerpt: null, link: null }

const mod = by(carol, 'moderator')
const setting = (name: 'title' | 'type' | 'description' | 'public_description' | 'submit_text') =>
  mod(SubsiteSettingChanged({ subsite, setting: name, before: '', after: 'x' }))

type Entry = Pick<ModLogDocument, 'action' | 'target'> & {
  readonly details?: string
  readonly description?: string
  readonly mod?: string | null
}
const user = (action: ModLogDocument['action'], details?: string, description?: string): Entry => ({
  action,
  target: person,
  ...(details !== undefined && { details }),
  ...(description !== undefined && { description }),
})

/** The table of the log: an act, and the one entry that it yields. */
const table: readonly (readonly [string, Told, Entry | 'none'])[] = [
  [
    'remove a link',
    mod(LinkRemoved({ subsite, target, spam: false, before: false })),
    { action: 'removelink', target: thing, details: 'remove' },
  ],
  [
    'remove it as spam',
    mod(LinkRemoved({ subsite, target, spam: true, before: false })),
    { action: 'removelink', target: thing, details: 'spam' },
  ],
  [
    'confirm a link as spam',
    mod(LinkRemoved({ subsite, target, spam: true, before: true })),
    { action: 'removelink', target: thing, details: 'confirm_spam' },
  ],
  [
    'turn a filtered link into a removed one',
    mod(LinkRemoved({ subsite, target, spam: false, before: true })),
    { action: 'removelink', target: thing, details: 'remove' },
  ],
  [
    'approve a removed link',
    mod(LinkApproved({ subsite, target, before: true })),
    { action: 'approvelink', target: thing, details: 'unspam' },
  ],
  [
    'approve a link',
    mod(LinkApproved({ subsite, target, before: false })),
    { action: 'approvelink', target: thing, details: 'confirm_ham' },
  ],
  ['lock a link', mod(LinkLocked({ subsite, target })), { action: 'lock', target: thing }],
  ['unlock a link', mod(LinkUnlocked({ subsite, target })), { action: 'unlock', target: thing }],
  ...(
    [
      [null, 'moderator', {}],
      ['moderator', null, { details: 'remove' }],
      [null, 'admin', 'none'],
      ['admin', null, 'none'],
      ['admin', 'moderator', 'none'],
      ['moderator', 'special', 'none'],
    ] as const
  ).flatMap(([before, after, said]): readonly (typeof table)[number][] => {
    const change = { subsite, before, after }
    const saidOf = (about: typeof thing | typeof reply) =>
      said === 'none' ? said : { action: 'distinguish' as const, target: about, ...said }
    return [
      [`distinguish a link: ${before} to ${after}`, mod(LinkDistinguished({ ...change, target })), saidOf(thing)],
      [
        `distinguish a comment: ${before} to ${after}`,
        mod(CommentDistinguished({ ...change, target: comment, notified: [], removed: false })),
        saidOf(reply),
      ],
    ]
  }),
  ['ignore reports on a link', mod(LinkReportsIgnored({ subsite, target })), { action: 'ignorereports', target: thing }],
  ['heed reports on a link', mod(LinkReportsUnignored({ subsite, target })), { action: 'unignorereports', target: thing }],
  ['ignore reports on a comment', mod(CommentReportsIgnored({ subsite, target: comment })), { action: 'ignorereports', target: reply }],
  ['heed reports on a comment', mod(CommentReportsUnignored({ subsite, target: comment })), { action: 'unignorereports', target: reply }],
  [
    'remove a comment',
    mod(CommentRemoved({ ...verdict, spam: false, before: false })),
    { action: 'removecomment', target: reply, details: 'remove' },
  ],
  [
    'remove a comment as spam again',
    mod(CommentRemoved({ ...verdict, spam: true, before: true })),
    { action: 'removecomment', target: reply, details: 'confirm_spam' },
  ],
  [
    'approve a removed comment',
    mod(CommentApproved({ ...verdict, before: true })),
    { action: 'approvecomment', target: reply, details: 'unspam' },
  ],
  ['sticky a link', mod(LinkStickied(sticky)), { action: 'sticky', target: thing }],
  ['unsticky a link', mod(LinkUnstickied({ ...sticky, reason: 'asked' })), { action: 'unsticky', target: thing }],
  ['displace a sticky', mod(LinkUnstickied({ ...sticky, reason: 'replaced' })), { action: 'unsticky', target: thing, details: 'replaced' }],
  ['remove a sticky', mod(LinkUnstickied({ ...sticky, reason: 'removed' })), { action: 'unsticky', target: thing }],
  ['delete an own sticky', by(null)(LinkUnstickied({ ...sticky, reason: 'deleted' })), 'none'],
  ['change the title', setting('title'), { action: 'editsettings', target: null, details: 'title' }],
  ['change the type', setting('type'), { action: 'editsettings', target: null, details: 'type' }],
  ['change the sidebar', setting('description'), { action: 'wikirevise', target: null, details: 'Updated subsite sidebar' }],
  ['change the description', setting('public_description'), { action: 'wikirevise', target: null, details: 'Updated subsite description' }],
  ['change the submission text', setting('submit_text'), { action: 'wikirevise', target: null, details: 'Updated submission text' }],
  ['found a subsite', by(bob)(ModeratorAdded({ ...aboutBob, permissions: '+all', founder: true })), 'none'],
  ['add a moderator', mod(ModeratorAdded({ ...aboutBob, permissions: '+all', founder: false })), user('addmoderator')],
  ['invite a moderator', mod(ModeratorInvited({ ...aboutBob, permissions: '+all' })), user('invitemoderator')],
  ['withdraw an invitation', mod(ModeratorInvitationWithdrawn(aboutBob)), user('uninvitemoderator')],
  [
    'accept an invitation',
    by(bob)(ModeratorInvitationAccepted({ ...aboutBob, permissions: '+all' })),
    { action: 'acceptmoderatorinvite', target: null, mod: bob },
  ],
  [
    'change permissions',
    mod(ModeratorPermissionsChanged({ ...aboutBob, invitation: false, before: '+all', after: '+posts' })),
    user('setpermissions', 'permission_moderator', '+posts'),
  ],
  [
    'change an invitation’s permissions to none',
    mod(ModeratorPermissionsChanged({ ...aboutBob, invitation: true, before: '+all', after: '' })),
    user('setpermissions', 'permission_moderator_invite'),
  ],
  ['remove a moderator', mod(ModeratorRemoved({ ...aboutBob, left: false })), user('removemoderator')],
  ['leave', by(bob)(ModeratorRemoved({ ...aboutBob, left: true })), { ...user('removemoderator', 'remove_self'), mod: bob }],
  ['ban for good', mod(UserBanned({ ...ban, until: null, days: null })), user('banuser', 'permanent', 'spam: ads')],
  ['ban for days', mod(UserBanned({ ...aboutBob, until: DAWN, days: 3 })), user('banuser', '3 days')],
  ['change a ban to other days', mod(BanChanged(changed)), user('banuser', 'changed to 3 days', 'spam: ads')],
  [
    'change a ban to one for good',
    mod(BanChanged({ ...changed, until: null, days: null })),
    user('banuser', 'changed to permanent', 'spam: ads'),
  ],
  ['change the note of a ban', mod(BanNoteChanged({ ...aboutBob, note: 'other' })), user('banuser', 'changed note', 'other')],
  ['take the note of a ban away', mod(BanNoteChanged(aboutBob)), user('banuser', 'changed note')],
  ['unban', mod(UserUnbanned(aboutBob)), user('unbanuser')],
  [
    'let a ban expire',
    by(null)(BanExpired({ ...aboutBob, bannedBy: carol })),
    { ...user('unbanuser', undefined, 'was temporary'), mod: null },
  ],
  ['add a contributor', mod(ContributorAdded({ ...aboutBob, founder: false })), user('addcontributor')],
  ['found as contributor', by(bob)(ContributorAdded({ ...aboutBob, founder: true })), 'none'],
  ['remove a contributor', mod(ContributorRemoved({ ...aboutBob, left: false })), user('removecontributor')],
  ['leave as contributor', by(bob)(ContributorRemoved({ ...aboutBob, left: true })), 'none'],
]

for (const [name, act, expected] of table) {
  test(`${name}: ${expected === 'none' ? 'no entry' : expected.action}`, (t) => {
    const entries = project(modLogProjection, loggedFrom([act]))
    if (expected === 'none') return t.deepEqual(entries, [])
    const [event] = loggedFrom([act])
    return t.deepEqual(entries, [
      {
        id: event?.id ?? '',
        subsite,
        mod: carol,
        details: null,
        description: null,
        at: DAWN,
        isAdmin: false,
        targetId: expected.target?.id ?? null,
        ...expected,
      },
    ])
  })
}

test('every event that the log reads stands in the table', (t) => {
  const told = new Set(table.map(([, { event }]) => event.type))
  t.deepEqual(
    Object.keys(modLogProjection.on).filter((type) => !told.has(type as never)),
    [],
  )
})

test('every act of the log’s table is made by each of its events, and the others are not made yet', (t) => {
  const made = table.flatMap(([, { event }, entry]) => (entry === 'none' ? [] : [`${entry.action} of ${event.type}`]))
  const listed = Object.entries(modActions).flatMap(([action, events]) => events.map((event) => `${action} of ${event}`))
  t.deepEqual(
    listed.filter((act) => !made.includes(act)),
    [],
  )
  t.deepEqual(
    made.filter((act) => !listed.includes(act)),
    [],
  )
  t.deepEqual([...Object.keys(modActions), ...notYet].toSorted(), [...modActionNames].toSorted())
})

test('what carries a target or is an act on a subsite’s own affairs is read by the log', (t) => {
  const silent = new Set(['SubsiteCreated', 'SubsiteNameClaimed', 'MessageRemoved', 'MessageApproved'])
  const ofModerators = [...eventDefinitions.keys()].filter((type) =>
    /^(Moderator|Ban|User(Un)?banned|Contributor|SubsiteSetting)|Locked|Unlocked|Removed|Approved|stickied/i.test(type),
  )
  t.deepEqual(
    ofModerators.filter((type) => !(type in modLogProjection.on) && !silent.has(type)),
    [],
  )
})

test('an admin’s act says so', (t) => {
  const [entry] = project(modLogProjection, loggedFrom([by('t2_root', 'admin')(LinkLocked({ subsite, target }))]))
  t.like(entry, { mod: 't2_root', isAdmin: true })
})

test('what an author does to an own thing is no entry', (t) => {
  const deletion = by(bob)(CommentDeleted({ comment: praise, link: pot, subsite, author: bob, notified: [] }))
  t.deepEqual(project(modLogProjection, loggedFrom([deletion])), [])
})

test('in the story every act with a moderator’s authority is exactly one entry', (t) => {
  const acts = story.filter(({ by: { as } }) => as === 'moderator' || as === 'admin')
  const entries = project(modLogProjection, story)
  const accepted = story.filter(({ type }) => type === 'ModeratorInvitationAccepted')
  t.deepEqual(
    entries.map(({ id }) => id),
    [...acts, ...accepted].map(({ id }) => id).toSorted(),
  )
})

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
import { ERASED } from '../../src/domain/event.ts'
import { eventDefinitions } from '../../src/domain/events.ts'
import { LinkFlairChanged, UserFlairChanged } from '../../src/domain/flair.ts'
import { ImageDeleted, ImageUploaded } from '../../src/domain/images.ts'
import {
  LinkApproved,
  LinkDistinguished,
  LinkLocked,
  LinkRemoved,
  LinkReportsIgnored,
  LinkReportsUnignored,
  LinkUnlocked,
} from '../../src/domain/link.ts'
import {
  LinkContestModeSet,
  LinkContestModeUnset,
  LinkMarkedNsfw,
  LinkSortSuggested,
  LinkUnmarkedNsfw,
} from '../../src/domain/link-options.ts'
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
  MuteExpired,
  MuteNoteChanged,
  UserBanned,
  UserMuted,
  UserUnbanned,
  UserUnmuted,
  UserWikiBanned,
  UserWikiUnbanned,
  WikiBanChanged,
  WikiBanExpired,
  WikiBanNoteChanged,
  WikiContributorAdded,
  WikiContributorRemoved,
} from '../../src/domain/relation.ts'
import { RuleCreated, RuleDeleted, RuleEdited } from '../../src/domain/rules.ts'
import { LinkStickied, LinkUnstickied } from '../../src/domain/stickies.ts'
import { CommentStickied, CommentUnstickied } from '../../src/domain/sticky-comment.ts'
import { StylesheetSaved } from '../../src/domain/stylesheet.ts'
import { SubsiteSettingChanged } from '../../src/domain/subsite.ts'
import {
  FlairSettingChanged,
  FlairTemplateAdded,
  FlairTemplateChanged,
  FlairTemplateDeleted,
  FlairTemplatesCleared,
} from '../../src/domain/subsite-flair.ts'
import {
  WikiEditorAdded,
  WikiEditorRemoved,
  WikiPageListingChanged,
  WikiPagePermlevelChanged,
  WikiPageRevised,
} from '../../src/domain/wiki-page.ts'
import { WikiRevisionHidden, WikiRevisionUnhidden } from '../../src/domain/wiki-revision.ts'
import { everyEvent } from '../support/every-event/every-event.ts'
import { ann, bob, carol, pot, praise, story, tea } from '../support/example-history.ts'
import { by, DAWN, loggedFrom, type Told } from '../support/logged-events.ts'
import { project } from '../support/project.ts'

const subsite = tea
const target = { id: pot, author: ann, title: 'A good pot', excerpt: 'with a lid' }
const comment = { id: praise, author: bob, excerpt: 'What a pot!', link: pot }
const aboutBob = { subsite, account: bob }
const verdict = { subsite, target: comment, link: pot, notified: [] }
const picture = { hash: 'a'.repeat(64), format: 'png', width: 1, height: 1, bytes: 9 } as const
const rule = { name: 'Be kind', description: 'To everybody.', kind: 'all' } as const
const ban = { ...aboutBob, until: DAWN + 1, days: 3, note: 'spam: ads' }
const changed = { ...ban, previousUntil: null }
const sticky = { subsite, target, slot: 1 }
const leading = { subsite, link: pot, target: comment }
const wiki = { subsite, page: 'leaves' }
const revised = { ...wiki, author: carol, content: 'Green.', previous: null }

const thing = { id: pot, author: ann, title: 'A good pot', excerpt: 'with a lid', link: null }
const reply = { id: praise, author: bob, title: null, excerpt: 'What a pot!', link: pot }
const person = { id: bob, author: bob, title: null, excerpt: null, link: null }

const mod = by(carol, 'moderator')
const setting = (name: 'title' | 'type' | 'description' | 'public_description' | 'submit_text') =>
  mod(SubsiteSettingChanged({ subsite, setting: name, before: '', after: 'x' }))

type Entry = Pick<ModLogDocument, 'action' | 'target'> & {
  readonly details?: string
  readonly description?: string
  readonly page?: string
  readonly mod?: string | null
}
const user = (action: ModLogDocument['action'], details?: string, description?: string): Entry => ({
  action,
  target: person,
  ...(details !== undefined && { details }),
  ...(description !== undefined && { description }),
})

/** The table of the log: an act, and the one entry that it yields. */
const worn = { ...aboutBob, text: '', css: '', shown: true, csv: false }
const flaired = { subsite, target, author: target.author, text: '', css: '' }
const template = { subsite, kind: 'user' as const, template: 'a', text: 'Brewer', css: '', editable: false }
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
      ['admin', 'moderator', {}],
      ['special', null, 'none'],
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
  ['mark a link as nsfw', mod(LinkMarkedNsfw({ subsite, target })), { action: 'marknsfw', target: thing }],
  ['unmark it', mod(LinkUnmarkedNsfw({ subsite, target })), { action: 'marknsfw', target: thing, details: 'remove' }],
  ['mark an own link as nsfw', by(ann)(LinkMarkedNsfw({ subsite, target })), 'none'],
  ['unmark an own link', by(ann)(LinkUnmarkedNsfw({ subsite, target })), 'none'],
  ['set the contest mode', mod(LinkContestModeSet({ subsite, target })), { action: 'setcontestmode', target: thing }],
  ['unset the contest mode', mod(LinkContestModeUnset({ subsite, target })), { action: 'unsetcontestmode', target: thing }],
  ['suggest an order', mod(LinkSortSuggested({ subsite, target, before: '', after: 'qa' })), { action: 'setsuggestedsort', target: thing }],
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
  ['sticky a comment', mod(CommentStickied(leading)), { action: 'sticky', target: reply }],
  ['unsticky a comment', mod(CommentUnstickied({ ...leading, reason: 'asked' })), { action: 'unsticky', target: reply }],
  [
    'displace a stickied comment',
    mod(CommentUnstickied({ ...leading, reason: 'replaced' })),
    { action: 'unsticky', target: reply, details: 'replaced' },
  ],
  ['delete an own stickied comment', by(null)(CommentUnstickied({ ...leading, reason: 'deleted' })), 'none'],
  ['delete an own sticky', by(null)(LinkUnstickied({ ...sticky, reason: 'deleted' })), 'none'],
  ['change the title', setting('title'), { action: 'editsettings', target: null, details: 'title' }],
  ['change the type', setting('type'), { action: 'editsettings', target: null, details: 'type' }],
  ['change the sidebar', setting('description'), { action: 'wikirevise', target: null, details: 'Updated subsite sidebar' }],
  ['change the description', setting('public_description'), { action: 'wikirevise', target: null, details: 'Updated subsite description' }],
  ['change the submission text', setting('submit_text'), { action: 'wikirevise', target: null, details: 'Updated submission text' }],
  [
    'upload an image',
    mod(ImageUploaded({ subsite, use: 'img', name: 'pot', ...picture })),
    { action: 'editsettings', target: null, details: 'upload_image', description: 'pot' },
  ],
  ...(['header', 'icon', 'banner'] as const).flatMap((use): readonly (typeof table)[number][] => [
    [
      `upload a ${use}`,
      mod(ImageUploaded({ subsite, use, name: '', ...picture })),
      { action: 'editsettings', target: null, details: `upload_image_${use}` },
    ],
    [
      `delete a ${use}`,
      mod(ImageDeleted({ subsite, use, name: '', hash: picture.hash })),
      { action: 'editsettings', target: null, details: `del_${use}` },
    ],
  ]),
  [
    'delete an image',
    mod(ImageDeleted({ subsite, use: 'img', name: 'pot', hash: picture.hash })),
    { action: 'editsettings', target: null, details: 'del_image', description: 'pot' },
  ],
  [
    'save a stylesheet',
    mod(StylesheetSaved({ subsite, author: carol, source: '', reason: 'plain', css: null, images: [] })),
    { action: 'wikirevise', target: null, details: 'Updated subsite stylesheet', description: 'plain' },
  ],
  ['create a rule', mod(RuleCreated({ subsite, ...rule })), { action: 'createrule', target: null, details: 'Be kind' }],
  ['rename a rule', mod(RuleEdited({ subsite, before: 'Be', ...rule })), { action: 'editrule', target: null, details: 'Be kind' }],
  ['delete a rule', mod(RuleDeleted({ subsite, name: 'Be kind' })), { action: 'deleterule', target: null, details: 'Be kind' }],
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
  ['set the flair of a user', mod(UserFlairChanged({ ...worn, text: 'Brewer' })), user('editflair', 'flair_edit')],
  ['set the flair of many', mod(UserFlairChanged({ ...worn, css: 'brown', csv: true })), user('editflair', 'flair_csv')],
  ['clear the flair of many', mod(UserFlairChanged({ ...worn, csv: true })), user('editflair', 'flair_delete')],
  ['clear the flair of a user', mod(UserFlairChanged(worn)), user('editflair', 'flair_delete')],
  [
    'clear the flair of a user whose texts are erased since',
    mod(UserFlairChanged({ ...worn, text: ERASED, cleared: true })),
    user('editflair', 'flair_delete'),
  ],
  ['choose an own flair', by(bob)(UserFlairChanged({ ...worn, text: 'Brewer' })), 'none'],
  ['flair a link', mod(LinkFlairChanged({ ...flaired, text: 'Q' })), { action: 'editflair', target: thing, details: 'flair_edit' }],
  ['clear the flair of a link', mod(LinkFlairChanged(flaired)), { action: 'editflair', target: thing, details: 'flair_edit' }],
  ['flair an own link', by(bob)(LinkFlairChanged(flaired)), 'none'],
  [
    'configure flair',
    mod(FlairSettingChanged({ subsite, setting: 'flair_self_enabled', before: false, after: true })),
    { action: 'editflair', target: null, details: 'flair_self_enabled' },
  ],
  ['add a template', mod(FlairTemplateAdded(template)), { action: 'editflair', target: null, details: 'flair_template' }],
  ['change a template', mod(FlairTemplateChanged(template)), { action: 'editflair', target: null, details: 'flair_template' }],
  [
    'delete a template',
    mod(FlairTemplateDeleted({ subsite, kind: 'user', template: 'a' })),
    { action: 'editflair', target: null, details: 'flair_delete_template' },
  ],
  [
    'clear the templates',
    mod(FlairTemplatesCleared({ subsite, kind: 'user' })),
    { action: 'editflair', target: null, details: 'flair_clear_template' },
  ],
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
    by(null)(WikiBanExpired({ ...aboutBob, bannedBy: carol })),
    { ...user('wikiunbanned', undefined, 'was temporary'), mod: null },
  ],
  ['mute', mod(UserMuted({ ...aboutBob, until: DAWN, note: 'rude' })), user('muteuser', undefined, 'rude')],
  ['change the note of a mute', mod(MuteNoteChanged(aboutBob)), user('muteuser', 'changed note')],
  ['unmute', mod(UserUnmuted(aboutBob)), user('unmuteuser')],
  ['let a mute expire', by(null)(MuteExpired(aboutBob)), { ...user('unmuteuser', undefined, 'was temporary'), mod: null }],
  ['add a wiki contributor', mod(WikiContributorAdded(aboutBob)), user('wikicontributor')],
  ['remove a wiki contributor', mod(WikiContributorRemoved(aboutBob)), user('removewikicontributor')],
  ['add a contributor', mod(ContributorAdded({ ...aboutBob, founder: false })), user('addcontributor')],
  ['found as contributor', by(bob)(ContributorAdded({ ...aboutBob, founder: true })), 'none'],
  ['remove a contributor', mod(ContributorRemoved({ ...aboutBob, left: false })), user('removecontributor')],
  ['edit a page as a user', by(bob)(WikiPageRevised({ ...revised, author: bob })), 'none'],
  [
    'edit a page as a moderator',
    mod(WikiPageRevised({ ...revised, reason: 'more' })),
    { action: 'wikirevise', target: null, details: 'Page leaves edited', description: 'more', page: 'leaves' },
  ],
  [
    'edit a special page as its editor',
    by(bob)(WikiPageRevised({ ...revised, author: bob, page: 'config/automoderator' })),
    { action: 'wikirevise', target: null, details: 'Page config/automoderator edited', mod: bob, page: 'config/automoderator' },
  ],
  [
    'revert a page',
    mod(WikiPageRevised({ ...revised, reason: 'reverted back 1 day', reverts: 'first' })),
    { action: 'wikirevise', target: null, details: 'revert', description: 'Page leaves, reverted back 1 day', page: 'leaves' },
  ],
  [
    'change the sidebar as a page',
    mod(SubsiteSettingChanged({ subsite, setting: 'description', before: '', after: 'new', reason: 'more' })),
    { action: 'wikirevise', target: null, details: 'Updated subsite sidebar', description: 'more' },
  ],
  [
    'hide a revision',
    mod(WikiRevisionHidden({ ...wiki, revision: 'first' })),
    { action: 'wikirevise', target: null, details: 'hide', description: 'Page leaves, revision first', page: 'leaves' },
  ],
  [
    'show a hidden revision',
    mod(WikiRevisionUnhidden({ ...wiki, revision: 'first' })),
    { action: 'wikirevise', target: null, details: 'unhide', description: 'Page leaves, revision first', page: 'leaves' },
  ],
  [
    'delist a page',
    mod(WikiPageListingChanged({ ...wiki, listed: false })),
    { action: 'wikipagelisted', target: null, description: 'Delisted page leaves', page: 'leaves' },
  ],
  [
    'relist a page',
    mod(WikiPageListingChanged({ ...wiki, listed: true })),
    { action: 'wikipagelisted', target: null, description: 'Relisted page leaves', page: 'leaves' },
  ],
  [
    'change the level of a page',
    mod(WikiPagePermlevelChanged({ ...wiki, before: 0, after: 2 })),
    { action: 'wikipermlevel', target: null, description: 'Page leaves: level 0 to 2', page: 'leaves' },
  ],
  [
    'add an editor',
    mod(WikiEditorAdded({ ...wiki, account: bob })),
    { ...user('wikipermlevel', 'alloweditor_add', 'Page leaves'), page: 'leaves' },
  ],
  [
    'remove an editor',
    mod(WikiEditorRemoved({ ...wiki, account: bob })),
    { ...user('wikipermlevel', 'alloweditor_del', 'Page leaves'), page: 'leaves' },
  ],
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
        page: null,
        at: DAWN,
        isAdmin: false,
        targetId: expected.target?.id ?? null,
        ...expected,
      },
    ])
  })
}

test('every event that the mod log projects is tested in the table', (t) => {
  const told = new Set(table.map(([, { event }]) => event.type))
  t.deepEqual(
    Object.keys(modLogProjection.on).filter((type) => type !== 'AccountTextsErased' && !told.has(type as never)),
    [],
  )
})

test('every action of the mod log is made by each of its events', (t) => {
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

test('every event with a target or about a subsite itself is projected by the mod log', (t) => {
  const silent = new Set([
    'SubsiteCreated',
    'SubsiteNameClaimed',
    'MessageRemoved',
    'MessageApproved',
    'AccountBlocked',
    'AccountUnblocked',
    'SubsiteBlocked',
    'SubsiteUnblocked',
  ])
  const ofModerators = [...eventDefinitions.keys()].filter((type) =>
    /^(Moderator|Ban|User(Un)?banned|Contributor|SubsiteSetting)|Locked|Unlocked|Removed|Approved|stickied/i.test(type),
  )
  t.deepEqual(
    ofModerators.filter((type) => !(type in modLogProjection.on) && !silent.has(type)),
    [],
  )
})

test('an entry of an admin’s act is marked as by an admin', (t) => {
  const [entry] = project(modLogProjection, loggedFrom([by('t2_root', 'admin')(LinkLocked({ subsite, target }))]))
  t.like(entry, { mod: 't2_root', isAdmin: true })
})

test('an act of an author on their own thing makes no entry', (t) => {
  const deletion = by(bob)(CommentDeleted({ comment: praise, link: pot, subsite, author: bob, notified: [] }))
  t.deepEqual(project(modLogProjection, loggedFrom([deletion])), [])
})

test('in the example history every act of a moderator makes exactly one entry', (t) => {
  const acts = story.filter(({ by: { as } }) => as === 'moderator' || as === 'admin')
  const entries = project(modLogProjection, story)
  t.deepEqual(
    entries.map(({ id }) => id),
    acts.map(({ id }) => id).toSorted(),
  )
})

test('an event makes no entry but its own, and changes no earlier one unless it erases texts', (t) => {
  let before: readonly ModLogDocument[] = []
  everyEvent.forEach(({ id, type }, n) => {
    const after = project(modLogProjection, everyEvent.slice(0, n + 1))
    const earlier = after.filter((entry) => entry.id !== id)
    if (type !== 'AccountTextsErased') t.deepEqual(earlier, before, type)
    t.deepEqual(
      earlier.map((entry) => entry.id),
      before.map((entry) => entry.id),
      type,
    )
    before = after
  })
  t.true(before.length > 50)
})

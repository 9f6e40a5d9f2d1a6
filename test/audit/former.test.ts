import test from 'ava'
import { modEntries } from '../../projections/mod-log-entries.ts'
import { formerRules } from '../../src/audit/rules/former.ts'
import { formerRowRules } from '../../src/audit/rules/former-rows.ts'
import { AccountRegistered, AccountSuspended, AccountSuspensionExpired, AccountUnsuspended } from '../../src/domain/account.ts'
import { LinkFlairChanged, UserFlairChanged, UserFlairSwitched } from '../../src/domain/flair.ts'
import { ImageUploaded } from '../../src/domain/images.ts'
import { LinkApproved, LinkDistinguished, LinkRemoved, LinkSubmitted } from '../../src/domain/link.ts'
import { LinkSortSuggested } from '../../src/domain/link-options.ts'
import { ModeratorAdded, ModeratorInvitationWithdrawn, ModeratorInvited, ModeratorRemoved } from '../../src/domain/moderators.ts'
import {
  BanChanged,
  BanExpired,
  BanNoteChanged,
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
} from '../../src/domain/relation.ts'
import { RuleCreated, RuleDeleted, RuleEdited, RulesReordered } from '../../src/domain/rules.ts'
import { StylesheetSaved } from '../../src/domain/stylesheet.ts'
import { SubsiteCreated } from '../../src/domain/subsite.ts'
import {
  FlairSettingChanged,
  FlairTemplateAdded,
  FlairTemplateChanged,
  FlairTemplateDeleted,
  FlairTemplatesCleared,
} from '../../src/domain/subsite-flair.ts'
import { defaultSettings } from '../../src/domain/subsite-settings.ts'
import { WikiPagePermlevelChanged, WikiPageRevised } from '../../src/domain/wiki-page.ts'
import { findingsInLog } from '../support/auditing.ts'
import { FULL, sample } from '../support/full.ts'
import { DAWN, idOf, inNameOf, type LoggedEvent, loggedFrom } from '../support/logged-events.ts'

const tea = 't4_tea'
const [ann, bob, max] = ['t2_ann', 't2_bob', 't2_max'] as const
const byAnn = inNameOf(ann, 'moderator')
const byMax = inNameOf(max, 'moderator')
const byAdmin = inNameOf(max, 'admin')
const system = inNameOf(null)

const WRONG = 'what it records as the former state differs from what earlier events made'

const problemsOf = async (t: Parameters<typeof findingsInLog>[0], told: readonly LoggedEvent[]) => {
  const findings = await findingsInLog(t, loggedFrom(told))
  // the stories do not contain the reactions to their events, nor how those who act got their rights
  return findings.flatMap((finding) =>
    finding.kind === 'event' && !/consequence|^without authority/.test(finding.problem) ? [finding.problem] : [],
  )
}

const pair = { subsite: tea, account: bob }
const until = DAWN + 3 * 86_400_000
const term = { until, days: 3 }
const forEver = { until: null, days: null }
const note = 'rude '.repeat(20)
type Former = { readonly until: number; readonly by: string; readonly note: string; readonly noteBy: string }
const former: Former = { until, by: ann, note, noteBy: ann }
const banned = byAnn(UserBanned({ ...pair, ...term, note }))
const wikiBanned = byAnn(UserWikiBanned({ ...pair, ...term, note }))
const muted = byAnn(UserMuted({ ...pair, until, note }))
const suspended = [
  inNameOf(bob)(AccountRegistered({ account: bob, name: 'Bob' })),
  inNameOf(ann, 'admin')(AccountSuspended({ account: bob, ...term, note })),
]
/** written by max after ann */
const renoted = byMax(BanNoteChanged({ ...pair, note: `very ${note}`, before: former }))

/** The last event of each story tells of something before it. */
const stories: Readonly<Record<string, (before: Former) => readonly LoggedEvent[]>> = {
  BanChanged: (before) => [banned, byMax(BanChanged({ ...pair, ...forEver, previousUntil: until, before }))],
  BanNoteChanged: (before) => [banned, byMax(BanNoteChanged({ ...pair, before }))],
  UserUnbanned: (before) => [banned, byMax(UserUnbanned({ ...pair, before }))],
  BanExpired: (before) => [banned, system(BanExpired({ ...pair, bannedBy: ann, before }))],
  'UserUnbanned after another note': (before) => [
    banned,
    renoted,
    byMax(
      UserUnbanned({ ...pair, before: { ...before, note: `very ${before.note}`, noteBy: before.noteBy === ann ? max : before.noteBy } }),
    ),
  ],
  'UserUnbanned after another end': (before) => [
    byMax(UserBanned({ ...pair, ...forEver })),
    byAnn(BanChanged({ ...pair, ...term, note, previousUntil: null })),
    byMax(UserUnbanned({ ...pair, before })),
  ],
  WikiBanChanged: (before) => [wikiBanned, byMax(WikiBanChanged({ ...pair, ...forEver, previousUntil: until, before }))],
  WikiBanNoteChanged: (before) => [wikiBanned, byMax(WikiBanNoteChanged({ ...pair, before }))],
  UserWikiUnbanned: (before) => [wikiBanned, byMax(UserWikiUnbanned({ ...pair, before }))],
  WikiBanExpired: (before) => [wikiBanned, system(WikiBanExpired({ ...pair, bannedBy: ann, before }))],
  AccountSuspended: (before) => [...suspended, byAdmin(AccountSuspended({ account: bob, ...forEver, before }))],
  AccountUnsuspended: (before) => [...suspended, byAdmin(AccountUnsuspended({ account: bob, before }))],
  AccountSuspensionExpired: (before) => [...suspended, system(AccountSuspensionExpired({ account: bob, before }))],
  MuteNoteChanged: (before) => [muted, byMax(MuteNoteChanged({ ...pair, before }))],
  UserUnmuted: (before) => [muted, byMax(UserUnmuted({ ...pair, before }))],
  MuteExpired: (before) => [muted, system(MuteExpired({ ...pair, before }))],
}

/** Each story has its turn with one of these, and all of them in a full run. */
const wrongly = [{ until: until + 1 }, { by: max }, { note: 'kind' }, { noteBy: bob }]

for (const [at, [title, story]] of Object.entries(stories).entries())
  test(`the audit finds a former restriction that was another one: ${title}`, async (t) => {
    t.deepEqual(await problemsOf(t, story(former)), [])
    for (const wrong of wrongly.filter((_, n) => FULL || n === at % wrongly.length))
      t.deepEqual(await problemsOf(t, story({ ...former, ...wrong })), [WRONG], JSON.stringify(wrong))
  })

test('the audit accepts events of earlier versions, which do not record the former state', async (t) => {
  t.deepEqual(await problemsOf(t, [banned, byMax(BanNoteChanged(pair)), byMax(UserUnbanned(pair))]), [])
})

test('the audit finds a former state where there was none', async (t) => {
  const twice = [banned, byMax(UserUnbanned({ ...pair, before: former })), system(BanExpired({ ...pair, bannedBy: ann, before: former }))]
  t.true((await problemsOf(t, twice)).includes(WRONG))
})

const brewer = { account: bob, text: 'Brewer', css: 'brown' }
const link = { link: 't5_pot', subsite: tea, author: bob, title: 'About pots', over18: false, sendReplies: false, filtered: false }
const onLink = { subsite: tea, target: { id: 't5_pot', author: bob }, author: bob, css: '' }
const template = { subsite: tea, kind: 'user', template: 'a' } as const
const content = { text: 'Brewer', css: 'brown', editable: false }
const added = [byAnn(FlairTemplateAdded({ ...template, ...content }))]

const subsite = inNameOf(ann)(SubsiteCreated({ subsite: tea, name: 'tea', creator: ann, settings: defaultSettings }))
const rule = { subsite: tea, name: 'Be kind', description: 'kind '.repeat(40), kind: 'all' } as const
const picture = (digit: string) => ({ hash: digit.repeat(64), format: 'png', width: 256, height: 256, bytes: 9 }) as const
const sheet = { subsite: tea, author: ann, reason: '', images: [] }
const page = { subsite: tea, page: 'leaves' }
const submitted = inNameOf(bob)(LinkSubmitted({ ...link, text: 'words' }))
const act = { subsite: tea, target: { id: 't5_pot', author: bob } }
const removed = byAnn(LinkRemoved({ ...act, spam: false, before: false }))

/** The last event of each story tells of something before it: rightly, then wrongly. */
const told: Readonly<Record<string, readonly [past: readonly LoggedEvent[], right: LoggedEvent, ...wrong: readonly LoggedEvent[]]>> =
  (() => {
    const worn = (before: object) =>
      byAnn(UserFlairChanged({ ...pair, text: '', css: '', shown: true, csv: false, cleared: true, before: { ...brewer, ...before } }))
    const linked = (before: object) => byAnn(LinkFlairChanged({ ...onLink, text: 'Answer', before: { ...brewer, css: '', ...before } }))
    const changed = (before: object) =>
      byAnn(FlairTemplateChanged({ ...template, ...content, editable: true, before: { ...content, ...before } }))
    const deleted = (before: object) => byAnn(FlairTemplateDeleted({ ...template, before: { ...content, ...before } }))
    const cleared = (templates: readonly string[]) => byAnn(FlairTemplatesCleared({ subsite: tea, kind: 'user', templates }))
    const flair = byAnn(UserFlairChanged({ ...pair, text: 'Brewer', css: 'brown', shown: true, csv: false }))
    const hidden = inNameOf(bob)(UserFlairSwitched({ ...pair, text: 'Brewer', css: 'brown', shown: false }))
    const wrongFlair = [{ text: 'Potter' }, { css: 'blue' }]
    const wrongTemplate = [{ text: 'Potter' }, { css: '' }, { editable: true }]
    const setting = (before: 'left' | 'right') =>
      byAnn(FlairSettingChanged({ subsite: tea, setting: 'flair_position', before, after: before === 'left' ? 'right' : 'left' }))
    return {
      'flair of an account': [[flair, hidden], worn({}), ...wrongFlair.map(worn)],
      'flair of an account that had none': [[], worn({ text: '', css: '' }), worn({})],
      'flair of a link': [
        [inNameOf(bob)(LinkSubmitted({ ...link, text: 'words' })), byAnn(LinkFlairChanged({ ...onLink, text: 'Brewer' }))],
        linked({}),
        ...wrongFlair.map(linked),
        linked({ template: 'a' }),
      ],
      'flair of a link that was made from a template': [
        [inNameOf(bob)(LinkSubmitted({ ...link, text: 'words' })), byAnn(LinkFlairChanged({ ...onLink, text: 'Brewer', template: 'a' }))],
        linked({ template: 'a' }),
        linked({ template: 'b' }),
        linked({ template: null }),
      ],
      'flair of a link, as earlier versions recorded it': [
        [inNameOf(bob)(LinkSubmitted({ ...link, text: 'words' })), byAnn(LinkFlairChanged({ ...onLink, text: 'Brewer', template: 'a' }))],
        linked({}),
        linked({ text: 'Potter' }),
      ],
      'setting of flair': [[], setting('right'), setting('left')],
      'changed template': [added, changed({}), ...wrongTemplate.map(changed)],
      'deleted template': [added, deleted({}), ...wrongTemplate.map(deleted)],
      'template that was changed before': [[...added, changed({})], deleted({ editable: true }), deleted({})],
      'list of cleared templates': [
        [...added, byAnn(FlairTemplateAdded({ ...template, ...content, template: 'b' })), deleted({})],
        cleared(['b']),
        cleared(['a', 'b']),
        cleared([]),
      ],
    }
  })()

const edited = (previousDescription: string, previousKind: 'link' | 'all') =>
  byAnn(RuleEdited({ ...rule, before: rule.name, name: 'Be nice', previousDescription, previousKind }))
const deleted = (description: string, kind: 'link' | 'all') =>
  byAnn(RuleDeleted({ subsite: tea, name: rule.name, before: { description, kind } }))
const rules = [subsite, byAnn(RuleCreated(rule))]
const reordered = (...before: readonly string[]) => byAnn(RulesReordered({ subsite: tea, before, after: ['Be late', rule.name] }))
const uploaded = (use: 'img' | 'header', digit: string, before: string | null) =>
  byAnn(ImageUploaded({ subsite: tea, use, name: use === 'img' ? 'pot' : '', ...picture(digit), before: before?.repeat(64) ?? null }))
const saved = (css: string, previous: string | null, before: string | null) =>
  byAnn(StylesheetSaved({ ...sheet, source: css, css, previous, before }))
const levelled = (before: 0 | 1) => byAnn(WikiPagePermlevelChanged({ ...page, before, after: 2 }))
const revised = (previous: string | null) => byAnn(WikiPageRevised({ ...page, author: ann, content: 'Leaves.', previous }))
const judged = (before: boolean) => byAnn(LinkApproved({ ...act, before }))
const seat = byAnn(ModeratorAdded({ ...pair, permissions: '+mail', founder: false }))
const invited = byAnn(ModeratorInvited({ ...pair, permissions: '+mail' }))
const unseated = (permissions: string) => byAnn(ModeratorRemoved({ ...pair, left: false, permissions }))
const withdrawn = (permissions: string) => byAnn(ModeratorInvitationWithdrawn({ ...pair, permissions }))
const seated = (invitation: string) => byAnn(ModeratorAdded({ ...pair, permissions: '+all', founder: false, invitation }))
const suggested = (before: '' | 'qa') => byAnn(LinkSortSuggested({ ...act, before, after: 'top' }))
const distinguished = (before: 'admin' | null) => inNameOf(bob, 'moderator')(LinkDistinguished({ ...act, before, after: 'moderator' }))
const changedBan = (previousUntil: number) => byAnn(BanChanged({ ...pair, ...forEver, previousUntil }))

const toldOfRows: typeof told = {
  'text of an edited rule': [rules, edited(rule.description, 'all'), edited('', 'all'), edited(rule.description, 'link')],
  'text of a deleted rule': [rules, deleted(rule.description, 'all'), deleted('', 'all'), deleted(rule.description, 'link')],
  'order of rules': [
    [...rules, byAnn(RuleCreated({ ...rule, name: 'Be late' }))],
    reordered(rule.name, 'Be late'),
    reordered('Be late', rule.name),
  ],
  'named image': [[uploaded('img', 'a', null)], uploaded('img', 'b', 'a'), uploaded('img', 'b', 'c'), uploaded('img', 'b', null)],
  'header image': [[subsite, uploaded('header', 'a', null)], uploaded('header', 'b', 'a'), uploaded('header', 'b', null)],
  stylesheet: [[saved('a', null, null)], saved('b', idOf(1), 'a'), saved('b', null, 'a'), saved('b', idOf(1), null)],
  'level of a page': [[], levelled(0), levelled(1)],
  'revision of a page': [[revised(null)], revised(idOf(1)), revised(idOf(2)), revised(null)],
  'verdict on a link': [[submitted, removed], judged(true), judged(false)],
  'suggested order': [[submitted], suggested(''), suggested('qa')],
  distinction: [[submitted], distinguished(null), distinguished('admin')],
  'seat of a moderator': [[seat], unseated('+mail'), unseated('+all')],
  'withdrawn invitation': [[invited], withdrawn('+mail'), withdrawn('')],
  'invitation that was used up': [[invited], seated('+mail'), seated('+all')],
  'end of a ban': [[banned], changedBan(until), changedBan(until + 1)],
}

for (const [title, [past, right, ...wrong]] of Object.entries({ ...told, ...toldOfRows }))
  test(`the audit finds a former ${title} that was another one`, async (t) => {
    t.deepEqual(await problemsOf(t, [...past, right]), [])
    for (const last of sample(wrong, 3)) t.deepEqual(await problemsOf(t, [...past, last]), [WRONG], JSON.stringify(last.event.data))
  })

/** Acts of moderation that record no former state of their own, by decision 92, and why. */
const withoutFormer: Readonly<Record<string, readonly string[]>> = {
  'a switch, recorded only when it changes': [
    ...['LinkLocked', 'LinkUnlocked', 'LinkMarkedNsfw', 'LinkUnmarkedNsfw', 'LinkContestModeSet', 'LinkContestModeUnset'],
    ...['LinkReportsIgnored', 'LinkReportsUnignored', 'CommentReportsIgnored', 'CommentReportsUnignored'],
    ...['LinkStickied', 'CommentStickied', 'LinkUnstickied', 'CommentUnstickied'],
    ...['WikiRevisionHidden', 'WikiRevisionUnhidden', 'WikiPageListingChanged', 'WikiEditorAdded', 'WikiEditorRemoved'],
    ...['WikiContributorAdded', 'ContributorAdded'],
  ],
  'it begins something': ['RuleCreated', 'ModeratorInvited'],
  'it names what it ends, or makes of an invitation what that offered': ['ImageErased', 'ModeratorInvitationAccepted'],
  'an erasure leaves nothing of what was there': ['LinkErased', 'CommentErased', 'WikiRevisionErased'],
}

test('every act of moderation records the former state, which the audit compares, or the reason why not is listed', (t) => {
  const compared = new Set([...Object.keys(formerRules), ...Object.keys(formerRowRules)])
  t.deepEqual(
    Object.keys(modEntries)
      .filter((type) => !compared.has(type))
      .toSorted(),
    Object.values(withoutFormer).flat().toSorted(),
    'add its rule to src/audit/rules/former.ts or former-rows.ts, or the reason to `withoutFormer` here',
  )
})

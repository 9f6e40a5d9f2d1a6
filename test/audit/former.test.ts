import test from 'ava'
import { LinkFlairChanged, UserFlairChanged, UserFlairSwitched } from '../../src/domain/flair.ts'
import { LinkSubmitted } from '../../src/domain/link.ts'
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
import { FlairTemplateAdded, FlairTemplateChanged, FlairTemplateDeleted, FlairTemplatesCleared } from '../../src/domain/subsite-flair.ts'
import { findingsInLog } from '../support/auditing.ts'
import { by, DAWN, loggedFrom, type Told } from '../support/logged-events.ts'

const tea = 't4_tea'
const [ann, bob, max] = ['t2_ann', 't2_bob', 't2_max'] as const
const byAnn = by(ann, 'moderator')
const byMax = by(max, 'moderator')
const system = by(null)

const WRONG = 'what it records as the former state differs from what earlier events made'

const problemsOf = async (t: Parameters<typeof findingsInLog>[0], told: readonly Told[]) => {
  const findings = await findingsInLog(t, loggedFrom(told))
  // the stories tell nothing of what follows from their events
  return findings.flatMap((finding) => (finding.kind === 'event' && !finding.problem.includes('consequence') ? [finding.problem] : []))
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
/** By max after ann. */
const renoted = byMax(BanNoteChanged({ ...pair, note: `very ${note}`, before: former }))

/** The last event of each story tells of something before it. */
const stories: Readonly<Record<string, (before: Former) => readonly Told[]>> = {
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
  MuteNoteChanged: (before) => [muted, byMax(MuteNoteChanged({ ...pair, before }))],
  UserUnmuted: (before) => [muted, byMax(UserUnmuted({ ...pair, before }))],
  MuteExpired: (before) => [muted, system(MuteExpired({ ...pair, before }))],
}

for (const [title, story] of Object.entries(stories))
  test(`the audit finds a former restriction that was another one: ${title}`, async (t) => {
    t.deepEqual(await problemsOf(t, story(former)), [])
    for (const wrong of [{ until: until + 1 }, { by: max }, { note: 'kind' }, { noteBy: bob }])
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

/** The last event of each story tells of something before it: rightly, then wrongly. */
const told: Readonly<Record<string, readonly [past: readonly Told[], right: Told, ...wrong: readonly Told[]]>> = (() => {
  const worn = (before: object) =>
    byAnn(UserFlairChanged({ ...pair, text: '', css: '', shown: true, csv: false, cleared: true, before: { ...brewer, ...before } }))
  const linked = (before: object) => byAnn(LinkFlairChanged({ ...onLink, text: 'Answer', before: { ...brewer, css: '', ...before } }))
  const changed = (before: object) =>
    byAnn(FlairTemplateChanged({ ...template, ...content, editable: true, before: { ...content, ...before } }))
  const deleted = (before: object) => byAnn(FlairTemplateDeleted({ ...template, before: { ...content, ...before } }))
  const cleared = (templates: readonly string[]) => byAnn(FlairTemplatesCleared({ subsite: tea, kind: 'user', templates }))
  const flair = byAnn(UserFlairChanged({ ...pair, text: 'Brewer', css: 'brown', shown: true, csv: false }))
  const hidden = by(bob)(UserFlairSwitched({ ...pair, text: 'Brewer', css: 'brown', shown: false }))
  const wrongFlair = [{ text: 'Potter' }, { css: 'blue' }]
  const wrongTemplate = [{ text: 'Potter' }, { css: '' }, { editable: true }]
  return {
    'flair of an account': [[flair, hidden], worn({}), ...wrongFlair.map(worn)],
    'flair of an account that had none': [[], worn({ text: '', css: '' }), worn({})],
    'flair of a link': [
      [by(bob)(LinkSubmitted({ ...link, text: 'words' })), byAnn(LinkFlairChanged({ ...onLink, text: 'Brewer' }))],
      linked({}),
      ...wrongFlair.map(linked),
    ],
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

for (const [title, [past, right, ...wrong]] of Object.entries(told))
  test(`the audit finds a former ${title} that was another one`, async (t) => {
    t.deepEqual(await problemsOf(t, [...past, right]), [])
    for (const last of wrong) t.deepEqual(await problemsOf(t, [...past, last]), [WRONG], JSON.stringify(last.event.data))
  })

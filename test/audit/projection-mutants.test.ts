import test, { type ExecutionContext } from 'ava'
import type { Projection } from '../../projections/engine/projection.ts'
import { openReadModels } from '../../projections/engine/sets.ts'
import { describe } from '../../src/audit/finding.ts'
import { auditInputOf } from '../../src/cli/audit-input.ts'
import { beginReactions, destroyErased, findingsIn } from '../support/auditing.ts'
import { everyEvent } from '../support/every-event/every-event.ts'
import { shownBlobs } from '../support/every-event/subsites.ts'
import { FULL } from '../support/full.ts'
import { expectFindings, type Mutation, mutant, slipsIn } from '../support/mutants.ts'
import { catchUp, openFile } from '../support/read-models.ts'

// Read models that a wrong projection filled, from a log that is right: the audit finds each, since it builds them with the right ones.

const mutations: readonly Mutation[] = [
  ['projections/links.ts', 'comments: link.comments + 1', 'comments: link.comments + 2'],
  ['projections/links.ts', 'comments: link.comments - 1', 'comments: link.comments'],
  ['projections/links.ts', 'urlKey: data.url === undefined ? null : canonicalUrl(data.url)', 'urlKey: data.url ?? null'],
  ['projections/links.ts', 'LinkUnlocked: ({ data }) => [change(data.target.id, (link) => ({ ...link, locked: false }))],', ''],
  ['projections/engine/ranked.ts', 'downs: Number(after.funny) - Number(before.funny)', 'downs: Number(after.funny)'],
  ['projections/engine/ranked.ts', 'ranksOf({ ups: 1, downs: 0 }', 'ranksOf({ ups: 0, downs: 0 }'],
  ['projections/engine/ranked.ts', 'const score = scoreOf(tally)', 'const score = tally.ups + tally.downs'],
  [
    'projections/comments.ts',
    '...markRemoved(comment, event, event.data.spam), isRemoved: true',
    '...markRemoved(comment, event, event.data.spam)',
  ],
  ['projections/engine/verdicts.ts', 'listed: !document.deleted', 'listed: true'],
  ['projections/engine/verdicts.ts', 'approved: null,\n  listed: false', 'listed: false'],
  [
    'projections/karma.ts',
    'isLinkId(vote.thing) ? { link: worth, comment: 0 } : { link: 0, comment: worth }',
    '({ link: worth, comment: 0 })',
  ],
  ['projections/karma.ts', 'if (!data.karma) return []', ''],
  ['projections/karma.ts', '(earned?.comment ?? 0) + comment', '(earned?.comment ?? 0) - comment'],
  ['projections/karma.ts', '[data.subsite, EVERYWHERE]', '[data.subsite]'],
  ['projections/engine/partitions.ts', ') / RUN)', ') / 1)'],
  ['projections/mutes-and-blocks.ts', 'mutedAt: at }', 'mutedAt: 0 }'],
  ['projections/preferences.ts', 'putDocument({ id: account, preferences })', 'putDocument({ id: account, preferences: [] })'],
  ['projections/votes.ts', 'first: vote ? vote.first : at', 'first: at'],
  ['projections/subsites.ts', 'addSubscribers(-1)', 'addSubscribers(1)'],
  ['projections/traffic.ts', "CommentRemoved: countOn('removals')", "CommentRemoved: countOn('posts')"],
  ['projections/traffic.ts', 'dateOf(at)', 'dateOf(0)'],
  ['projections/thing-events.ts', "putEvent('report')", "putEvent('gilding')"],
  ['projections/subscriptions.ts', 'remove(subscriptionId(data.account, data.subsite))', ''],
  ['projections/stickies.ts', '...links.slice(0, slot - 1), target.id, ...links.slice(slot - 1)', '...links, target.id'],
  ['projections/snapshots.ts', '(before?.revision ?? -1) + 1', 'before?.revision ?? 0'],
  ['projections/snapshots.ts', 'includes(event.type) ? revision :', 'includes(event.type) ? 0 :'],
  ['projections/stickies.ts', 'link !== target.id', 'link === target.id'],
  ['projections/inbox.ts', 'new: unread && entry.account !== entry.from', 'new: unread'],
  ['projections/inbox.ts', 'data.notified.map(withdraw(true, data.target.id))', 'data.notified.map(withdraw(false, data.target.id))'],
  ['projections/messages.ts', 'ModmailRead: ({ data }) => [change(data.message, (message) => ({ ...message, unread: false }))],', ''],
  ['projections/messages.ts', "side === 'recipient' ?", "side === 'author' ?"],
  ['projections/inbox.ts', 'MessageDeleted: ({ data: { account, message } }) => [take(message)(account)],', ''],
  ['projections/mod-log-entries.ts', "data.before ? 'unspam' : 'confirm_ham'", "'confirm_ham'"],
  ['projections/mod-log.ts', 'if (!isModLogEntry(event)) return []', ''],
  ['projections/links.ts', '({ stickyComment: _, ...link }) => link', '(link) => link'],
  ['projections/mod-log-entries.ts', 'UserUnbanned: ofAccount,', ''],
  ['projections/mod-log.ts', "isAdmin: event.by.as === 'admin'", 'isAdmin: false'],
  ['projections/mod-queues.ts', 'marked: marked || !ignoresReports', 'marked: true'],
  [
    'projections/inbox.ts',
    'notice({ ...place, comment: target.id, author: target.author }, at, removed)',
    'notice({ ...place, comment: target.id, author: target.author }, at, false)',
  ],
  ['projections/mod-queues.ts', "kind === 'link' && (decided", '(decided'],
  ['projections/mod-queues.ts', 'editedAt: at, ignoresReports: false', 'editedAt: at'],
  ['projections/mod-queues.ts', '({ deleted: true, ...settled })', '({ deleted: true })'],
  ['projections/engine/reports.ts', 'reason: ERASED_PLACEHOLDER', "reason: ''"],
  ['projections/messages.ts', 'isReported: true', 'isReported: false'],
  ['projections/inbox.ts', 'MessageReported: ({ data: { account, message } }) => [take(message)(account)],', ''],
  ['projections/relations.ts', "ModeratorRemoved: ({ data }) => [remove(relationId(data, 'moderator'))],", ''],
  ['projections/relations.ts', '{ until: event.data.until, ...', '{ ...'],
  ['projections/relations.ts', "MuteExpired: endRelation('muted'),", ''],
  ['projections/relations.ts', "UserWikiBanned: imposeRestriction('wikibanned')", "UserWikiBanned: imposeRestriction('banned')"],
  ['projections/mod-log-entries.ts', "details: 'changed note'", 'details: null'],
  ['projections/timers.ts', 'isSet ?', 'event ?'],
  ['projections/friends-and-blocks.ts', 'blocked: true, blockedAt: at', 'blocked: true'],
  ['projections/participation.ts', 'modmail && !fromSubsite', 'modmail'],
  ['projections/shelves.ts', 'readCategory(data) ?? shelf.category', "readCategory(data) ?? ''"],
  ['projections/friends-and-blocks.ts', "friend: false, since: 0, note: '' })),", "friend: false, note: '' })),"],
  ['projections/flairs.ts', 'listed: !isEmpty({ text, css })', 'listed: true'],
  ['projections/links.ts', 'flairText: text,', ''],
  ['projections/multis.ts', 'quotedName?.author === account', 'false'],
  ['projections/multis.ts', 'quotedDescription?.author === account', 'false'],
  ['projections/text-places.ts', 'MultiEdited: quotePlaces,', ''],
  ['projections/messages.ts', "placesOf(data, 'body')", '[]'],
  ['projections/wiki-revisions.ts', 'erased: true', ''],
  ['projections/mod-log-changes.ts', 'noteBy ?? null, after: by.account', 'noteBy ?? null, after: null'],
  ['projections/mod-log-changes.ts', "change('until', toEnd(before.until), null)", "change('until', null, null)"],
  ['projections/mod-log-changes.ts', "difference('kind', previousKind, kind)", "difference('kind', kind, kind)"],
  ['projections/mod-log-changes.ts', 'author === account', 'false'],
  ['projections/mod-log.ts', "placesOf(data, 'change')", '[]'],
  ['projections/text-places.ts', "placeAt(before?.noteBy ?? null, 'change', id)", '[]'],
  ['projections/text-places.ts', "placeAt(event.data.account, 'change', event.id)", '[]'],
  ['projections/multis.ts', 'MultiDeleted: ({ data }) => [remove(multiId(data))],', ''],
]

/** A closed data file in which every event has happened, without read models. */
const written = async (t: ExecutionContext): Promise<string> => {
  const { file, append, connection, stores } = openFile(t)
  await append(everyEvent)
  for (const bytes of shownBlobs) await stores.blobs.put(bytes)
  connection.close()
  return file
}

/** `isOwn`: the audit itself builds the read models with the wrong projection, as if it had been wrong from its first day. */
const findingsOf = async (t: ExecutionContext, file: string, mutation: Mutation, isOwn = false): Promise<readonly string[]> => {
  const { load } = mutant(t, mutation)
  const { projections } = await load<{ readonly projections: readonly Projection[] }>('projections/all.ts')
  const { stores, ports } = openFile(t, file)
  await catchUp(await openReadModels(ports, projections), 1_000)
  await destroyErased(stores.vault, everyEvent)
  await beginReactions(stores)
  const audited = auditInputOf(stores, { isFile: true, admins: [] })
  return (await findingsIn(t, isOwn ? { ...audited, projections } : audited)).map(describe)
}

test('the audit finds selected mutations of the projections', async (t) => {
  t.timeout(300_000)
  const file = await written(t)
  await expectFindings(t, mutations, (mutation) => findingsOf(t, file, mutation))
})

/** Mutations of arithmetic. */
const figures: readonly RegExp[] = [
  /link\.comments|earned\?\.comment|worth|data\.karma|addSubscribers\(|subscriptionId/,
  /downs: Number|ups: 1, downs: 0|tally\)|first: vote/,
  /countOn\(|dateOf|links\.slice|link !== target|entry\.account !== entry\.from|ModmailRead|stickyComment/,
]

test('the audit finds a wrong figure even if the projection that it builds the read models with is wrong itself', async (t) => {
  t.timeout(300_000)
  const file = await written(t)
  const arithmetic = mutations.filter(([, from]) => figures.some((pattern) => pattern.test(from)))
  t.true(arithmetic.length >= 18)
  await expectFindings(t, arithmetic, (mutation) => findingsOf(t, file, mutation, true))
})

/** Slips that change no document: what they concern is as it is without them. */
const harmless: readonly RegExp[] = [
  /typeof state === 'object'/, // a store leaves undefined fields out anyhow
  /inLogOrder/, // the time that responses wait
]

const full = FULL ? test : test.skip
full('the audit finds every generated mutation of a projection', async (t) => {
  t.timeout(900_000)
  const log = await written(t)
  const files = [
    'accounts',
    'comments',
    'friends-and-blocks',
    'inbox',
    'karma',
    'links',
    'messages',
    'mod-log',
    'mod-log-changes',
    'mod-log-entries',
    'mod-queues',
    'participation',
  ]
  const others = [
    'recent-subscriptions',
    'relations',
    'shelves',
    'snapshots',
    'stickies',
    'subscriptions',
    'subsites',
    'text-places',
    'timers',
    'votes',
  ]
  const shared = ['engine/ranked', 'engine/verdicts']
  const survivors: string[] = []
  for (const name of [...files, ...others, ...shared]) {
    for (const mutation of slipsIn(
      `projections/${name}.ts`,
      /^(export )?const \w+(: Projection<\w+>)? =(>|\s*$| \(| \{\n {2}collection)/m,
    )) {
      const [file, from, to] = mutation
      const at = [...from].findIndex((character, i) => character !== to[i])
      const line = from.slice(from.lastIndexOf('\n', at) + 1, from.indexOf('\n', at)).trim()
      const findings = await findingsOf(t, log, mutation).catch(() => ['it does not even run'])
      if (findings.length === 0 && !harmless.some((one) => one.test(line))) survivors.push(`${file}: ${line} (character ${at})`)
    }
  }
  t.deepEqual(survivors, [])
})

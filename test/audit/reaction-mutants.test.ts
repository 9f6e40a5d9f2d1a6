import test, { type ExecutionContext } from 'ava'
import { projections } from '../../projections/all.ts'
import { openReadModels } from '../../projections/engine/sets.ts'
import { describe } from '../../src/audit/finding.ts'
import { auditInputOf } from '../../src/cli/audit-input.ts'
import { NO_ERASED_TEXTS } from '../../src/domain/account.ts'
import { codec } from '../../src/log/codec.ts'
import { openKeyring } from '../../src/log/keys.ts'
import { LOG_START, type RecordedEvent } from '../../src/ports/event-store.ts'
import { hadParticipated } from '../../src/queries/participation.ts'
import { seatsOf } from '../../src/queries/relations.ts'
import { dueTimers } from '../../src/queries/timers.ts'
import type { recordExpiry } from '../../src/reactions/expiry.ts'
import { type carryOut, REACTIONS_CHECKPOINT } from '../../src/reactions/process.ts'
import { forgetAnswers } from '../../src/runtime/idempotency.ts'
import { runner } from '../../src/runtime/run.ts'
import { findingsIn } from '../support/auditing.ts'
import { expectFindings, type Mutation, mutant } from '../support/mutants.ts'
import { causes } from '../support/reaction-causes.ts'
import { openFile } from '../support/read-models.ts'

// A log in which wrong reactions said what follows, projected as it should be: the audit finds each.

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: source text
const mutations: readonly Mutation[] = [
  ['src/reactions/claims.ts', 'command(Subscription, `${creator}.${subsite}`, decideFirst(subscribe(creator, subsite)), by),', ''],
  ['src/reactions/claims.ts', 'registerAccount(account, name)', 'registerAccount(account, name.toLowerCase())'],
  ['src/reactions/claims.ts', '...(withoutContributors.has(settings.type) ? [] :', '...(!withoutContributors.has(settings.type) ? [] :'],
  ['src/reactions/stickies.ts', "reason === 'removed' ? cause.by : SERVICE", 'cause.by'],
  ['src/reactions/sticky-comments.ts', "CommentRemoved: 'removed'", "CommentRemoved: 'asked'"],
  ['src/reactions/sticky-comments.ts', 'madeBy(event)', '() => false'],
  ['src/reactions/stickies.ts', "target: toLinkTarget(link), reason: 'deleted' }", "target: toLinkTarget(link), reason: 'removed' }"],
  ['src/reactions/stickies.ts', "last.type === 'LinkApproved'", "last.type !== 'LinkApproved'"],
  ['src/reactions/stickies.ts', "leaving, which, 'unsticky')", "leaving, () => false, 'unsticky')"],
  ['src/reactions/stickies.ts', "leaving, which, 'unsticky')", "leaving, () => true, 'unsticky')"],
  ['src/reactions/process.ts', ': position < positionAtMost(cause)', ': position !== positionAtMost(cause)'],
  ['src/reactions/inboxes.ts', '.slice(n, n + ENTRIES_AT_ONCE)', '.slice(n + 1, n + ENTRIES_AT_ONCE)'],
  ['src/reactions/inboxes.ts', 'markRead(account, thing, positionAtMost(event))', 'markRead(account, thing)'],
  [
    'src/reactions/bans.ts',
    "followUp(event, 'withdraw invitation', event.by)",
    "followUp(event, 'withdraw invitation', { account: null, as: 'system' })",
  ],
  ['src/reactions/bans.ts', 'followUp(ban, `unseat', 'followUp(seat, `unseat'],
  ['src/reactions/bans.ts', 'ban && unseat(ports, seat, ban)', 'undefined'],
  ['src/reactions/bans.ts', 'seat && unseat(ports, seat, ban)', 'undefined'],
  ['src/reactions/account-life.ts', 'await ports.seatsOf(event.data.account, positionAtMost(event))', '[] as SubsiteId[]'],
  ['src/reactions/moderation-messages.ts', '!(await ports.hadParticipated', '(await ports.hadParticipated'],
  [
    'src/reactions/moderation-messages.ts',
    'hadParticipated(account, subsite, positionAtMost(cause))',
    "hadParticipated(account, subsite, '9')",
  ],
  ['src/reactions/moderation-messages.ts', "as === 'admin' ? 'admin' : 'moderator'", "as === 'admin' ? 'moderator' : 'admin'"],
  ['src/reactions/moderation-messages.ts', 'author: by.account,\n  to: data.account', 'author: data.account,\n  to: by.account'],
  [
    'src/reactions/moderation-messages.ts',
    "notice(event, 'invitation notice', toModerators(event, null)",
    "notice(event, 'invitation notice', toModerators(event, event.by.account)",
  ],
  [
    'src/reactions/moderation-messages.ts',
    'ModeratorRemoved: (event) =>\n    event.data.left',
    'ModeratorRemoved: (event) =>\n    !event.data.left',
  ],
  ['src/reactions/moderation-messages.ts', 'BanChanged: (event) => [banNotice(event)],', ''],
  ['src/reactions/moderation-messages.ts', 'changedBanMessage)(subsite, cause.data.days', 'changedBanMessage)(subsite, null'],
  ['src/reactions/moderation-messages.ts', "cause.data.message ?? ''", "''"],
  ['src/reactions/moderation-messages.ts', 'UserMuted: (event) => [muteNotice(event)],', ''],
  ['src/reactions/moderation-messages.ts', 'muteMessage(subsite), cause.data.over)', 'muteMessage(subsite))'],
  ['src/reactions/multis.ts', 'name: renamed.from }', 'name: event.data.name }'],
  ['src/reactions/multis.ts', 'renamed.revision)', 'renamed.revision + 1)'],
  ['src/reactions/expiry.ts', 'at: due,', 'at: due + 1,'],
  ['src/reactions/expiry.ts', "'expire', SERVICE", "'expire', { account: id, as: 'user' }"],
]
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: source text

/** A data file with causes in it and nothing that follows. */
const begun = async (t: ExecutionContext): Promise<string> => {
  const { file, connection, stores } = openFile(t)
  await causes({ events: stores.events, log: codec(openKeyring(stores.vault)) })
  connection.close()
  return file
}

type Reactions = { readonly carryOut: typeof carryOut; readonly recordExpiry: typeof recordExpiry }

/** Performs some reactions to each event, and to each event that follows from these; then audits. */
const findingsOf = async (t: ExecutionContext, causes: string, reactions: Reactions): Promise<readonly string[]> => {
  const { events, documents, vault, blobs } = openFile(t, causes).stores
  const log = codec(openKeyring(vault))
  const { run, load, loadReached } = runner({ events, codec: log })
  const readModels = await openReadModels({ events, documents, open: log.open }, projections)
  const project = async () => {
    while ((await readModels.next(1_000)).events > 0);
  }
  const follow = reactions.carryOut({
    events,
    open: log.open,
    run,
    load,
    loadReached,
    admins: [],
    forgetAnswers: forgetAnswers(vault),
    endAccess: async () => undefined,
    destroyTexts: async () => undefined,
    deleteBlob: async () => undefined,
    misplacedIn: async () => ({ things: [], entries: [] }),
    subsitesShowing: async () => [],
    seatsOf: async (account) => {
      await project()
      return seatsOf(documents, account)
    },
    textsOf: async () => ({ ...NO_ERASED_TEXTS, next: null }),
    hadParticipated: async (account, subsite, before) => {
      await project()
      return hadParticipated(documents, account, subsite, before)
    },
  })
  for (
    let page: readonly RecordedEvent[] = await events.readAll(LOG_START, 100), at = LOG_START;
    page.length > 0;
    page = await events.readAll(at, 100)
  ) {
    for (const event of page) await follow([event])
    at = page.at(-1)?.position ?? at
  }
  await project()
  await reactions.recordExpiry({
    run,
    dueTimers: dueTimers(documents, 10),
    clock: Date.now,
    report: (fault) => t.fail(String(fault)),
  })()
  await project()
  await documents.write([], { name: REACTIONS_CHECKPOINT, from: undefined, to: await events.head() })
  const findings = await findingsIn(t, auditInputOf({ events, documents, vault, blobs }, { isFile: true, admins: [] }))
  // the causes are acts of accounts that were never given the right to them
  return findings.map(describe).filter((finding) => !finding.includes('without authority'))
}

const reactionsOf = async ({ load }: ReturnType<typeof mutant>): Promise<Reactions> => ({
  ...(await load<Pick<Reactions, 'carryOut'>>('src/reactions/process.ts')),
  ...(await load<Pick<Reactions, 'recordExpiry'>>('src/reactions/expiry.ts')),
})

const unchanged: Mutation = ['src/reactions/expiry.ts', 'at: due,', 'at: due,']

test('the audit finds mutations of the reactions, and no difference with the right ones', async (t) => {
  t.timeout(300_000)
  const file = await begun(t)
  t.deepEqual(await findingsOf(t, file, await reactionsOf(mutant(t, unchanged))), [])
  await expectFindings(t, mutations, async (mutation) => findingsOf(t, file, await reactionsOf(mutant(t, mutation))))
})

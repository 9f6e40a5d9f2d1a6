import { fullname, ID_EPOCH_MS } from '../src/domain/ids.ts'
import { defaultSettings } from '../src/domain/subsite-settings.ts'
import type { Stamped } from './log-shape.ts'

const SUBSITE = 'threads'
const WRITERS = 50
/** Milliseconds from one comment to the next. */
const COMMENT_INTERVAL_MS = 200
/** An offset, so that no id is already in the log. */
const ID_OFFSET = 2_048

export const threadTitle = (size: number): string => `A thread of ${size} comments`
export const threadListing = `/s/${SUBSITE}/new`

/**
 * Makes a subsite with a self-post for each size, that many comments below it: half of them top-level, the others below any earlier one.
 */
export function* syntheticThreads(sizes: readonly number[], from: number): Generator<Stamped> {
  let at = from
  let serial = 0
  const mint = () => (at - ID_EPOCH_MS) * 4096 + ID_OFFSET
  const stamp = (type: Stamped['type'], stream: string, account: string, data: object): Stamped => {
    serial += 1
    at += COMMENT_INTERVAL_MS
    const id = `00000000-0000-5000-8001-${serial.toString(16).padStart(12, '0')}`
    const meta = { commandId: id, correlationId: id, causationId: id, schema: 1, seen: {} }
    return { id, type, stream, revision: 0, at, by: { account, as: 'user' }, data, meta } as unknown as Stamped
  }

  const writers: string[] = []
  for (let n = 0; n < WRITERS; n += 1) {
    const account = fullname('account', mint())
    const name = `writer${n}`
    writers.push(account)
    yield stamp('UsernameClaimed', `username-${name}`, account, { account, name })
    yield stamp('AccountRegistered', `account-${account}`, account, { account, name })
  }
  const writer = (n: number): string => writers[n % WRITERS] ?? ''

  const subsite = fullname('subsite', mint())
  const creator = writer(0)
  const settings = { ...defaultSettings, title: SUBSITE }
  yield stamp('SubsiteNameClaimed', `subsitename-${SUBSITE}`, creator, { subsite, name: SUBSITE, creator, settings })
  yield stamp('SubsiteCreated', `subsite-${subsite}`, creator, { subsite, name: SUBSITE, creator, settings })
  yield stamp('ModeratorAdded', `moderators-${subsite}`, creator, { subsite, account: creator, permissions: '+all', founder: true })
  yield stamp('ContributorAdded', `relation-${subsite}.${creator}`, creator, { subsite, account: creator, founder: true })
  yield stamp('Subscribed', `subscription-${creator}.${subsite}`, creator, { account: creator, subsite })

  for (const size of sizes) {
    const link = fullname('link', mint())
    const post = { link, subsite, author: creator, title: threadTitle(size), text: '', over18: false, sendReplies: false, filtered: false }
    yield stamp('LinkSubmitted', `link-${link}`, creator, post)
    const comments: string[] = []
    for (let n = 0; n < size; n += 1) {
      const comment = fullname('comment', mint())
      const parent = n % 2 === 0 ? null : (comments[Math.floor(comments.length * ((n * 0.618) % 1))] ?? null)
      comments.push(comment)
      const body = `Comment ${n}, which says *something* at some length, as comments do.`
      const about = { comment, link, subsite, author: writer(n), linkAuthor: creator, parent, body, filtered: false, notified: [] }
      yield stamp('CommentPosted', `comment-${comment}`, writer(n), about)
    }
  }
}

import { v5 } from 'uuid'
import type { Envelope, Meta } from '../src/domain/event.ts'
import type { EventName, EventNamed } from '../src/domain/events.ts'
import { fullname, ID_EPOCH_MS } from '../src/domain/ids.ts'
import { defaultSettings } from '../src/domain/subsite-settings.ts'
import type { Target } from '../src/domain/target.ts'
import type { Marks } from '../src/domain/vote.ts'
import type { Shape, Stamped } from './log-shape.ts'
import { thingTable } from './thing-table.ts'

const DAY = 86_400_000

const randomFrom = (seed: number) => {
  let state = seed >>> 0
  return (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}

const WORDS =
  'tea kettle leaf steep garden river stone paper letter signal engine harbour window winter summer market music number history garden theory proof lamp copper silver forest island bridge mirror thread needle'.split(
    ' ',
  )

/**
 * A history in which people register, found subsites, post, vote, comment, save, write and moderate: valid events in the
 * order of a log, the same for the same shape, made one at a time. Seven in ten are votes.
 */
export function* syntheticLog(shape: Shape): Generator<Stamped> {
  const {
    seed,
    links: wanted,
    subsites: places,
    accounts: people,
    from = ID_EPOCH_MS + DAY,
    pace = 1_000,
    votes: most = 9,
    silent = false,
  } = shape
  const random = randomFrom(seed)
  const below = (n: number): number => Math.floor(random() * n)
  /** The newer and the more popular come up more often. */
  const recent = (n: number): number => n - 1 - Math.floor(n * random() ** 3)
  const popular = (n: number): number => Math.floor(n * random() ** 2)
  const text = (least: number, most: number): string =>
    Array.from({ length: least + below(most - least + 1) }, () => WORDS[below(WORDS.length)] ?? '').join(' ')

  let at = from
  let serial = 0
  let lastMint = 0
  const mint = (): number => {
    lastMint = Math.max(lastMint + 1, (at - ID_EPOCH_MS) * 4096)
    return lastMint
  }

  const revisions = new Map<string, number>()
  const stamp = <Name extends EventName>(
    type: Name,
    stream: string,
    by: string | null,
    as: Envelope['by']['as'],
    data: EventNamed<Name>['data'],
    fresh = false,
  ): Stamped => {
    serial += 1
    at += 1 + below(2 * pace)
    const commandId = `00000000-0000-5000-8000-${serial.toString(16).padStart(12, '0')}`
    const revision = fresh ? 0 : (revisions.get(stream) ?? -1) + 1
    if (!fresh) revisions.set(stream, revision)
    const id = v5(`${stream}@${revision}`, commandId)
    const meta: Meta = { commandId, correlationId: commandId, causationId: commandId, schema: 1, seen: {} }
    return { id, type, stream, revision, at, by: { account: by, as }, data, meta } as unknown as Stamped
  }

  const accountIds = Array.from({ length: people }, () => '')
  const account = (n: number): string => accountIds[n] ?? ''
  const subsiteIds = Array.from({ length: places }, () => '')
  const founders = new Int32Array(places)
  const subsite = (n: number): string => subsiteIds[n] ?? ''
  const links = thingTable('link', wanted)
  const comments = thingTable('comment', wanted * 2)

  for (let n = 0; n < people; n++) {
    const id = fullname('account', mint())
    accountIds[n] = id
    const name = `person${n}`
    yield stamp('UsernameClaimed', `username-${name}`, id, 'user', { account: id, name }, true)
    yield stamp('AccountRegistered', `account-${id}`, id, 'user', { account: id, name }, true)
  }
  for (let n = 0; n < places; n++) {
    const id = fullname('subsite', mint())
    subsiteIds[n] = id
    founders[n] = n % people
    const creator = account(n % people)
    const name = `place${n}`
    const settings = { ...defaultSettings, title: `Place ${n}`, public_description: text(3, 10) }
    yield stamp('SubsiteNameClaimed', `subsitename-${name}`, creator, 'user', { subsite: id, name, creator, settings }, true)
    yield stamp('SubsiteCreated', `subsite-${id}`, creator, 'user', { subsite: id, name, creator, settings })
    yield stamp('ModeratorAdded', `moderators-${id}`, creator, 'user', {
      subsite: id,
      account: creator,
      permissions: '+all',
      founder: true,
    })
    yield stamp('ContributorAdded', `relation-${id}.${creator}`, creator, 'user', { subsite: id, account: creator, founder: true })
    yield stamp('Subscribed', `subscription-${creator}.${id}`, creator, 'user', { account: creator, subsite: id })
  }

  const submit = (): Stamped => {
    const author = below(people)
    const place = popular(places)
    const number = mint()
    links.add(number, author, place, links.count())
    const id = fullname('link', number)
    const body = random() < 0.3 ? { text: text(10, 80) } : { url: `https://www.example${below(500)}.org/${number.toString(36)}` }
    const data = { link: id, subsite: subsite(place), author: account(author), title: text(4, 12), ...body }
    return stamp('LinkSubmitted', `link-${id}`, account(author), 'user', { ...data, over18: false, sendReplies: true, filtered: false })
  }

  const locked = new Set<number>()
  const removed = new Set<number>()

  const comment = (): Stamped => {
    const link = recent(links.count())
    const author = locked.has(link) ? (founders[links.subsite(link)] ?? 0) : below(people)
    const number = mint()
    const before = comments.count()
    const sibling = before > 0 ? recent(before) : -1
    const parent = sibling >= 0 && comments.link(sibling) === link ? sibling : -1
    comments.add(number, author, links.subsite(link), link)
    const id = fullname('comment', number)
    const to = parent >= 0 ? comments.author(parent) : links.author(link)
    const notified =
      to === author ? [] : [{ account: account(to), reason: parent >= 0 ? ('comment_reply' as const) : ('post_reply' as const) }]
    return stamp('CommentPosted', `comment-${id}`, account(author), 'user', {
      comment: id,
      link: links.id(link),
      subsite: subsite(links.subsite(link)),
      author: account(author),
      linkAuthor: account(links.author(link)),
      parent: parent >= 0 ? comments.id(parent) : null,
      body: text(5, 50),
      filtered: false,
      notified,
    })
  }

  const none: Marks = { insightful: false, funny: false }
  type Vote = { readonly stream: string; readonly about: Omit<EventNamed<'VoteCast'>['data'], 'before' | 'after'>; marks: Marks }
  const ring: Vote[] = []

  const cast = (vote: Vote, after: Marks, fresh: boolean): Stamped => {
    const before = vote.marks
    vote.marks = after
    return stamp('VoteCast', vote.stream, vote.about.voter, 'user', { ...vote.about, before, after }, fresh)
  }

  const recast = (vote: Vote): Stamped => {
    revisions.set(vote.stream, revisions.get(vote.stream) ?? 0)
    const { insightful, funny } = vote.marks
    return cast(vote, random() < 0.5 ? { insightful, funny: !funny } : { insightful: !insightful, funny }, false)
  }

  const vote = (): Stamped => {
    const known = random() < 0.05 ? ring[below(ring.length)] : undefined
    if (known) return recast(known)
    const table = comments.count() === 0 || random() < 0.75 ? links : comments
    const n = recent(table.count())
    // A walk through all accounts from the author on, so that nobody votes twice on a thing for the first time.
    const step = table.nextVoter(n)
    if (step >= people - 1) return vote()
    const voter = account((table.author(n) + 1 + step) % people)
    const thing = table.id(n)
    const about = {
      thing,
      link: links.id(table.link(n)),
      subsite: subsite(table.subsite(n)),
      author: account(table.author(n)),
      voter,
      karma: true,
    }
    const first = { stream: `vote-${voter}.${thing}`, about, marks: none }
    ring[serial % 500] = first
    return cast(first, random() < 0.8 ? { insightful: true, funny: false } : { insightful: false, funny: true }, true)
  }

  const moderate = (): Stamped => {
    const n = recent(links.count())
    const place = links.subsite(n)
    const mod = account(founders[place] ?? 0)
    const target: Target = { id: links.id(n), author: account(links.author(n)), title: 'as it was', excerpt: '' }
    const stream = `link-${target.id}`
    revisions.set(stream, revisions.get(stream) ?? 0)
    const about = { subsite: subsite(place), target }
    if (random() < 0.4) {
      if (locked.delete(n)) return stamp('LinkUnlocked', stream, mod, 'moderator', about)
      locked.add(n)
      return stamp('LinkLocked', stream, mod, 'moderator', about)
    }
    const before = removed.has(n)
    if (before || random() < 0.5) {
      removed.delete(n)
      return stamp('LinkApproved', stream, mod, 'moderator', { ...about, before })
    }
    removed.add(n)
    return stamp('LinkRemoved', stream, mod, 'moderator', { ...about, spam: random() < 0.5, before })
  }

  const other = (): Stamped => {
    const who = account(below(people))
    const n = recent(links.count())
    const shelved = { account: who, thing: links.id(n), subsite: subsite(links.subsite(n)) }
    const act = random()
    if (act < 0.3) return moderate()
    if (act < 0.6) return stamp('ThingSaved', `shelf-${who}.${shelved.thing}`, who, 'user', { ...shelved, category: null })
    if (act < 0.8) return stamp('ThingHidden', `shelf-${who}.${shelved.thing}`, who, 'user', shelved)
    const id = fullname('message', mint())
    const to = account(below(people))
    return stamp('MessageSent', `message-${id}`, who, 'user', {
      message: id,
      author: who,
      to,
      subsite: null,
      fromSubsite: false,
      parent: null,
      root: id,
      subject: text(1, 5),
      body: text(5, 40),
      inboxes: [to],
      modmail: false,
      distinguished: null,
    })
  }

  for (let n = 0; n < people; n++) {
    const place = popular(places)
    if (founders[place] === n) continue
    yield stamp('Subscribed', `subscription-${account(n)}.${subsite(place)}`, account(n), 'user', {
      account: account(n),
      subsite: subsite(place),
    })
  }
  while (links.count() < wanted) {
    yield submit()
    for (let votes = most - below(2); votes > 0; votes--) yield vote()
    if (silent) continue
    yield comment()
    if (random() < 0.5) yield comment()
    if (random() < 0.5) yield other()
  }
}

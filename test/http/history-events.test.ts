import test from 'ava'
import { thingOf } from '../../src/disclosure/redactions.ts'
import { eventDefinitions } from '../../src/domain/events.ts'
import { MAX_PAGE_BYTES } from '../../src/ports/event-store.ts'
import { five, joinSite, startCast } from '../support/cast.ts'
import { appoint, logEntries, postForm } from '../support/community.ts'
import { putTemplate } from '../support/flair.ts'
import { allNumbered, type EventLine, everyLine, linesOf, type Message, nextWhere, streamOf } from '../support/following.ts'
import { foundSubsite, say, settle, submit } from '../support/posting.ts'
import { randomFrom } from '../support/random.ts'
import { type Caller, callerAt } from '../support/site.ts'
import { edit, revisionsOf } from '../support/wiki.ts'

const { site, ann, bob, carol, dave, root } = await startCast(five)
let isStopped = false
test.after.always(() => (isStopped ? undefined : site.stop()))

/** Select from events. */
const typesOf = (lines: readonly EventLine[]): readonly string[] => lines.map(({ type }) => type)
const about = (lines: readonly EventLine[], thing: string) =>
  lines.filter(({ data }) => data?.comment === thing || data?.link === thing || (data?.target as { id?: string } | undefined)?.id === thing)

test.serial('a stranger reads what is public, and of the rest only how many there are', async (t) => {
  await foundSubsite(ann, 'tea')
  const link = await submit(bob, 'tea', { title: 'On water', text: 'Soft or hard?' })
  const comment = await say(bob, link, 'Soft.')
  await postForm(carol, '/api/vote', { id: comment, dir: 1 })
  await postForm(carol, '/api/save', { id: link })
  await postForm(carol, '/api/report', { thing_id: comment, reason: 'too short' })
  await postForm(carol, '/api/subscribe', { action: 'sub', sr_name: 'tea' })
  await postForm(carol, '/api/compose', { to: 'dave', subject: 'psst', text: 'between us' })
  await postForm(root, '/api/v1/gold/give/dave', { months: 1 }).catch(() => undefined)
  const lines = await everyLine(site, site)
  // each number is an event or in a gap
  let next = 0
  for (const { kind, n, from, to } of lines) {
    t.is(kind === 'event' ? n : from, next)
    next = (kind === 'event' ? n : to) + 1
  }
  t.is(next, await allNumbered(site))
  const events = lines.filter(({ kind }) => kind === 'event')
  for (const { type, meta, revision } of events) {
    t.true(eventDefinitions.get(type)?.by === 'public' || ['ThingGilded', 'AccountErased'].includes(type), type)
    t.deepEqual([meta, revision], [undefined, undefined])
  }
  const registrations = new Set(['AccountRegistered', 'UsernameClaimed'])
  const others = JSON.stringify(lines.filter(({ type }) => !registrations.has(type)))
  for (const hidden of [carol.id, 'between us', 'psst', 'too short']) t.false(others.includes(hidden), hidden)
  const posted = about(events, comment).find(({ type }) => type === 'CommentPosted')
  t.like(posted, { by: { account: bob.id, as: 'user' }, stream: `comment-${comment}`, data: { body: 'Soft.', link, author: bob.id } })
  t.true(posted?.withheld.includes('notified'))

  const own = await everyLine(site, carol)
  for (const type of ['VoteCast', 'ThingSaved', 'ThingReported', 'Subscribed']) t.true(typesOf(own).includes(type), type)
  t.true(own.some(({ type, by }) => type === 'VoteCast' && by?.account === carol.id))
  t.false(JSON.stringify(own).includes('between us'))
  const inSession = await everyLine(site, await carol.session())
  t.deepEqual(typesOf(inSession), typesOf(own))
  t.deepEqual(typesOf(await everyLine(site, await carol.withScopes('read'))), typesOf(lines))
  const limited = typesOf(await everyLine(site, await carol.withScopes('read', 'history')))
  t.deepEqual([limited.includes('VoteCast'), limited.includes('Subscribed'), limited.includes('ThingReported')], [true, false, false])
  t.is((await (await carol.withScopes('vote')).get('/history/events')).status, 403)

  const moderator = await everyLine(site, ann)
  const report = moderator.find(({ type }) => type === 'ThingReported')
  t.like(report, { data: { thing: comment, reason: 'too short' }, by: undefined, id: undefined, stream: undefined })
  t.false(JSON.stringify(moderator.filter(({ type }) => !registrations.has(type))).includes(carol.id))
  const all = await everyLine(site, root)
  t.true(all.every(({ kind }) => kind === 'event'))
  t.true(all.some(({ type, by }) => type === 'VoteCast' && by?.account === carol.id))
  t.false(JSON.stringify(all).includes('between us'))
})

test.serial('filters find what a reader may read, and name no gaps', async (t) => {
  await foundSubsite(ann, 'filtered')
  const link = await submit(bob, 'filtered')
  const comment = await say(dave, link)
  await postForm(carol, '/api/vote', { id: comment, dir: 1 })
  await postForm(ann, '/api/lock', { id: link })
  t.deepEqual(typesOf(await everyLine(site, site, `thing=${comment}`)), ['CommentPosted'])
  t.deepEqual(typesOf(await everyLine(site, site, `thing=${link}`)), ['LinkSubmitted', 'LinkLocked'])
  t.deepEqual(typesOf(await everyLine(site, site, 'subsite=filtered&type=LinkLocked,CommentPosted')), ['CommentPosted', 'LinkLocked'])
  t.deepEqual(typesOf(await everyLine(site, site, 'type=VoteCast')), [])
  const byCarol = await everyLine(site, site, 'actor=carol')
  t.deepEqual(
    byCarol.filter(({ type }) => !/^(AccountRegistered|UsernameClaimed)$/.test(type)),
    [],
  )
  t.deepEqual(typesOf(await everyLine(site, site, `actor=${ann.id}&subsite=filtered&type=LinkLocked`)), ['LinkLocked'])
  t.true(typesOf(await everyLine(site, carol, 'type=VoteCast')).length > 1)
  for (const [query, status] of [
    ['type=Nothing', 400],
    ['subsite=nowhere', 404],
    ['actor=nobody', 404],
    ['thing=tea', 400],
    ['since=yesterday', 400],
    ['limit=0', 400],
    ['subsite=t4_zzzzz', 404],
    ['raw_json=1', 200],
    ['min_position=1', 200],
  ] as const)
    t.is((await site.get(`/history/events?${query}`)).status, status, query)
  for (const name of ['after', 'Since', 'constructor']) {
    const refused = await site.get(`/history/events?${name}=1`)
    t.deepEqual([refused.status, refused.at('fields')], [400, [name]], name)
  }
})

test.serial('each filter finds the lines that pass it, for every reader, and few others are opened', async (t) => {
  const subsite = await foundSubsite(ann, 'sieved')
  const link = await submit(bob, 'sieved')
  const comment = await say(dave, link)
  await postForm(carol, '/api/vote', { id: comment, dir: 1 })
  await postForm(carol, '/api/report', { thing_id: link, reason: 'stale' })
  await postForm(ann, '/api/remove', { id: comment, spam: true })
  await allNumbered(site)
  for (const reader of [site, ann, bob, carol, root]) {
    const all = (await everyLine(site, reader)).filter(({ kind }) => kind === 'event')
    const passing: Readonly<Record<string, (line: EventLine) => boolean>> = {
      ...Object.fromEntries([...new Set(typesOf(all))].map((type) => [`type=${type}`, (line: EventLine) => line.type === type])),
      'subsite=sieved': ({ data }) => data.subsite === subsite,
      'actor=ann': ({ by }) => by?.account === ann.id,
      [`thing=${link}`]: ({ data }) => thingOf(data) === link,
      [`thing=${comment}&actor=dave`]: ({ data, by }) => thingOf(data) === comment && by?.account === dave.id,
      'type=LinkErased': () => false,
    }
    for (const [query, passes] of Object.entries(passing))
      t.deepEqual(
        (await everyLine(site, reader, query)).map(({ n }) => n),
        all.filter(passes).map(({ n }) => n),
        query,
      )
  }
  const { app } = site.running
  const { openEvents } = app
  let opened = 0
  t.teardown(() => Object.assign(app, { openEvents }))
  Object.assign(app, {
    openEvents: (some: Parameters<typeof openEvents>[0]) => {
      opened += some.length
      return openEvents(some)
    },
  })
  for (const [query, most] of [
    ['type=LinkErased', 0],
    [`thing=${comment}`, 5],
    [`type=CommentRemoved&subsite=sieved`, 1],
  ] as const) {
    opened = 0
    await linesOf(site, query)
    t.true(opened <= most, `${query}: ${opened}`)
  }
})

test.serial('the events of one subsite are for those who may view it', async (t) => {
  const subsite = await foundSubsite(ann, 'secluded', { type: 'private' })
  for (const named of ['secluded', subsite]) {
    for (const reader of [site, bob]) t.is((await reader.get(`/history/events?subsite=${named}`)).status, 403, named)
    t.true((await everyLine(site, ann, `subsite=${named}`)).length > 0)
  }
})

test.serial('who follows after a number that no event has yet is told so', async (t) => {
  const last = (await allNumbered(site)) - 1
  t.deepEqual(await linesOf(site, `since=${last}`), [{ kind: 'end', next: last, more: false } as never])
  const ahead = await site.get(`/history/events?since=${last + 1_000}`)
  t.deepEqual([ahead.status, ahead.at('reason'), ahead.at('fields')], [400, 'AHEAD_OF_LOG', ['since']])
  const headers = { Accept: 'text/event-stream', 'Last-Event-ID': String(last + 1_000) }
  const resumed = await callerAt(site.url, headers).get('/history/events')
  t.deepEqual([resumed.status, resumed.at('reason')], [400, 'AHEAD_OF_LOG'])
})

test.serial('places are numbers and times, and pages follow one another without gap or repetition', async (t) => {
  const all = await everyLine(site, site)
  const walked: EventLine[] = []
  let since = -1
  for (let more = true; more; ) {
    const lines = await linesOf(site, `since=${since}&limit=3`)
    t.true(lines.length <= 4)
    const end = lines.at(-1)
    walked.push(...lines.slice(0, -1))
    more = end?.more ?? false
    since = end?.next ?? 0
  }
  const numbers = (lines: readonly EventLine[]) => lines.filter(({ kind }) => kind === 'event').map(({ n }) => n)
  t.deepEqual(numbers(walked), numbers(all))
  const some = all.filter(({ kind }) => kind === 'event')
  const middle = some[Math.floor(some.length / 2)]
  const until = await linesOf(site, `since=-1&limit=1000&until=${middle?.n}`)
  t.deepEqual([until.at(-2)?.n, until.at(-1)], [middle?.n, { kind: 'end', next: middle?.n, more: false } as never])
  const time = new Date(middle?.at ?? 0).toISOString()
  const [before, after] = [await linesOf(site, `limit=1000&until=${time}`), await linesOf(site, `limit=1000&since=${time}`)]
  t.deepEqual([...numbers(before), ...numbers(after)], numbers(all))
  t.true(numbers(after)[0] !== undefined && (some.find(({ n }) => n === numbers(after)[0])?.at ?? 0) >= (middle?.at ?? 0))
  t.deepEqual(numbers(await linesOf(site, `limit=1000&since=${middle?.at}`)), numbers(after))
  t.deepEqual(numbers(await linesOf(site, `since=${Date.now() + 60_000}`)), [])
  // nobody finds out by times when something happened that is withheld
  const votes = (await everyLine(site, root)).filter(({ type }) => type === 'VoteCast')
  t.true(votes.length > 0)
  for (const { n, at } of votes) {
    t.false(numbers(all).includes(n))
    for (const place of ['since', 'until'])
      t.deepEqual(await linesOf(site, `limit=1000&${place}=${at}`), await linesOf(site, `limit=1000&${place}=${at + 1}`), place)
  }
})

test.serial('a text that was edited, deleted or removed since, and its author, are in no event any more', async (t) => {
  await foundSubsite(ann, 'texts')
  const link = await submit(bob, 'texts', { title: 'Kept', text: 'first wording' })
  const edited = await say(bob, link, 'former words')
  const deleted = await say(bob, link, 'deleted words')
  const removed = await say(dave, link, 'removed words')
  const read = async (thing: string, reader = site as Parameters<typeof everyLine>[1]) => about(await everyLine(site, reader), thing)
  t.true(JSON.stringify(await read(edited)).includes('former words'))
  await postForm(bob, '/api/editusertext', { thing_id: edited, text: 'present words' })
  await postForm(bob, '/api/editusertext', { thing_id: link, text: 'second wording' })
  await postForm(bob, '/api/del', { id: deleted })
  await postForm(ann, '/api/remove', { id: removed })
  const [posted, change] = await read(edited)
  t.deepEqual([posted?.data.body, change?.data.body], [undefined, 'present words'])
  t.true(posted?.withheld.includes('body'))
  t.like(posted, { by: { account: bob.id } })
  t.deepEqual(typesOf(await read(deleted)), ['CommentPosted', 'CommentDeleted'])
  for (const hidden of [await read(deleted), await read(removed)]) {
    const [first] = hidden
    t.deepEqual(
      [first?.by, first?.id, first?.stream, first?.data.author, first?.data.body],
      [undefined, undefined, undefined, undefined, undefined],
    )
    t.false(/"(deleted|removed) words/.test(JSON.stringify(hidden)))
  }
  t.false(JSON.stringify(await read(removed)).includes(dave.id))
  t.like((await read(removed, ann))[0], { by: { account: dave.id }, data: { body: 'removed words' } })
  t.like((await read(removed, dave))[0], { data: { body: 'removed words' } })
  for (const reader of [site, ann, bob, root]) {
    const text = JSON.stringify(await everyLine(site, reader))
    for (const former of ['former words', 'first wording', 'deleted words']) t.false(text.includes(former), former)
  }
  await postForm(ann, '/api/approve', { id: removed })
  t.like((await read(removed))[0], { by: { account: dave.id }, data: { body: 'removed words' } })
})

test.serial('an erasure is an event, and blanks what was written for later readers', async (t) => {
  await foundSubsite(ann, 'erased')
  const eve = await site.register('eve')
  const link = await submit(eve, 'erased', { title: 'Gone soon', text: 'all of this' })
  const answered = await say(bob, link, 'an answer')
  t.true(JSON.stringify(await everyLine(site, site)).includes('all of this'))
  await postForm(await eve.session(), '/api/erase_user', { user: eve.name, passwd: eve.password, confirm: 'true' })
  const lines = await everyLine(site, site)
  const ends = lines.filter(({ data }) => data?.account === eve.id)
  t.true(typesOf(ends).some((type) => type === 'AccountErased'))
  const rest = JSON.stringify(lines.filter(({ type }) => type !== 'AccountErased' && type !== 'AccountDeleted'))
  for (const gone of [eve.id, '"eve"', 'all of this', 'Gone soon']) t.false(rest.includes(gone), gone)
  t.like(about(lines, answered)[0], { data: { body: 'an answer', link } })
})

test.serial('what stands in a private subsite is for those who may view it, from then on', async (t) => {
  const closing = await foundSubsite(ann, 'closing')
  const link = await submit(ann, 'closing', { title: 'quokka' })
  t.is(about(await everyLine(site, site), link).length, 1)
  const stream = await streamOf(site.url, '/history/events')
  t.like(stream, { status: 200 })
  t.deepEqual(
    ['content-type', 'cache-control', 'x-accel-buffering'].map((name) => stream.headers.get(name)),
    ['text/event-stream; charset=utf-8', 'no-store', 'no'],
  )
  await settle(ann, closing, { type: 'private', description: 'quokkas only', show_media: 'false' })
  await say(ann, link, 'quokka inside')
  const open = await submit(bob, 'tea', { title: 'outside' })
  let seen = ''
  const told: unknown[] = []
  await nextWhere(stream, ({ data }) => {
    seen += JSON.stringify(data)
    if (JSON.stringify(data ?? null).includes(closing)) told.push(data)
    return (data?.data as { link?: string } | undefined)?.link === open
  })
  stream.close()
  t.false(seen.includes('quokka'))
  // one event says that it closed, and nothing else: neither who closed it, nor what else was changed with that
  const closed = { type: 'SubsiteSettingChanged', data: { subsite: closing, setting: 'type', after: 'private' } }
  t.is(told.length, 1)
  const { n, at, ...rest } = told[0] as EventLine
  t.deepEqual(rest as object, { kind: 'event', ...closed, withheld: ['by', 'before', 'reason'] })
  t.false(JSON.stringify(await everyLine(site, site)).includes('quokka'))
  for (const reader of [site, bob])
    t.deepEqual(
      (await everyLine(site, reader, `type=SubsiteSettingChanged`))
        .filter(({ data }) => data.subsite === closing)
        .map(({ data }) => data.after),
      ['private'],
    )
  t.true(JSON.stringify(await everyLine(site, ann)).includes('quokka inside'))
  t.false(JSON.stringify(await everyLine(site, bob)).includes('quokka'))
  await settle(ann, closing, { type: 'employees_only' }).catch(() => undefined)
  await settle(ann, closing, { type: 'public' })
  t.is(about(await everyLine(site, site), link).length, 2)
  const turns = (await everyLine(site, site)).filter(({ data }) => data?.subsite === closing && data.setting === 'type')
  t.deepEqual(
    turns.map(({ data }) => data.after),
    ['private', 'public'],
  )
  t.true(turns.every(({ by }) => by?.account === ann.id))
  t.false(JSON.stringify(await everyLine(site, site)).includes('"before":"'), 'other values are for moderators')
})

test.serial('texts of closed pages are for moderators of the wiki, and those of hidden revisions for nobody', async (t) => {
  const readers = await joinSite(site, 'wikier', 'poster', 'accessor')
  const { wikier, poster, accessor } = readers
  const subsite = await foundSubsite(ann, 'leaves', { wikimode: 'anyone', description: 'first sidebar' })
  await appoint(ann, 'leaves', wikier, '+wiki')
  await appoint(ann, 'leaves', poster, '+posts')
  await appoint(ann, 'leaves', accessor, '+access')
  for (const [who, page] of [
    [ann, 'plan'],
    [bob, 'draft'],
    [ann, 'config/automoderator'],
  ] as const)
    t.is((await edit(who, 'leaves', page, `text of ${page}`)).status, 200)
  for (const page of ['plan', 'draft']) await postForm(ann, `/s/leaves/wiki/settings/${page}`, { permlevel: 2 })
  const sheet = (color: string) =>
    postForm(ann, '/s/leaves/api/subsite_stylesheet', { op: 'save', stylesheet_contents: `a { color: ${color} }` })
  await sheet('red')
  await sheet('blue')
  await settle(ann, subsite, { description: 'second sidebar' })
  for (const page of ['config/stylesheet', 'config/sidebar'])
    await postForm(ann, '/s/leaves/api/wiki/hide', { page, revision: (await revisionsOf(ann, 'leaves', page)).at(-1)?.id ?? '' })
  const texts = ['text of plan', 'text of draft', 'text of config/automoderator', 'color: blue', 'color: red', 'first sidebar']
  const read = async (reader: Caller) => {
    const told = JSON.stringify(await everyLine(site, reader, 'subsite=leaves'))
    return texts.filter((text) => told.includes(text))
  }
  for (const reader of [site, bob]) t.deepEqual(await read(reader), ['color: blue'])
  // the moderation log shows its moderators what a setting was before
  for (const reader of [poster, accessor]) t.deepEqual(await read(reader), ['color: blue', 'first sidebar'])
  for (const reader of [wikier, ann, root])
    t.deepEqual(
      await read(reader),
      texts.filter((text) => text !== 'color: red'),
    )
})

test.serial('why a page of the wiki was changed is told as its revisions tell it: not of an author who is gone', async (t) => {
  const { patient } = await joinSite(site, 'patient')
  await foundSubsite(ann, 'brews', { wikimode: 'anyone' })
  for (const [who, reason] of [
    [patient, 'as my doctor told me'],
    [bob, 'a wrong word'],
  ] as const)
    t.is((await edit(who, 'brews', 'herbs', `by ${reason}`, { reason })).status, 200)
  const told = async () => {
    const lines = await everyLine(site, site, 'subsite=brews&type=WikiPageRevised')
    return lines.map(({ data }) => data.reason ?? null)
  }
  t.deepEqual(await told(), ['as my doctor told me', 'a wrong word'])
  await postForm(await patient.session(), '/api/delete_user', { user: 'patient', passwd: patient.password, confirm: true })
  t.deepEqual(await told(), [null, 'a wrong word'])
  t.deepEqual((await revisionsOf(site, 'brews', 'herbs')).map(({ reason }) => reason).toReversed(), await told())
})

test.serial('flair is told as the log tells it: not what somebody chose, nor that of what is gone since', async (t) => {
  await foundSubsite(ann, 'cups')
  const { guest } = await joinSite(site, 'guest')
  const link = await submit(bob, 'cups')
  const config = { flair_enabled: true, flair_position: 'right', flair_self_assign_enabled: true }
  await postForm(ann, '/s/cups/api/flairconfig', config)
  const template = await putTemplate(ann, 'cups', { text: 'Brewer' })
  await postForm(ann, '/s/cups/api/flair', { link, text: 'flair of the link' })
  await postForm(ann, '/s/cups/api/flair', { name: guest.name, text: 'flair of the guest' })
  await postForm(bob, '/s/cups/api/selectflair', { name: bob.name, flair_template_id: template })
  const texts = ['flair of the link', 'flair of the guest', bob.id]
  const read = async (reader: Caller) => {
    const told = JSON.stringify(await everyLine(site, reader, 'subsite=cups&type=UserFlairChanged,LinkFlairChanged'))
    return texts.filter((text) => told.includes(text))
  }
  t.deepEqual(await read(carol), texts)
  await postForm(bob, '/api/del', { id: link })
  await postForm(await guest.session(), '/api/delete_user', { passwd: guest.password })
  t.deepEqual(await read(carol), [])
  t.deepEqual(await read(bob), [bob.id])
  t.deepEqual(await read(ann), texts)
})

test.serial('a consumer that is killed again and again has each event once by keeping its number', async (t) => {
  const expected = (await everyLine(site, site)).filter(({ kind }) => kind === 'event').map(({ n }) => n)
  const last = expected.at(-1) ?? 0
  const random = randomFrom(27)
  const had: number[] = []
  let kept: string | undefined
  let kills = 0
  for (; kills < 100 || Number(kept ?? -1) < last; kills++) {
    const stream = await streamOf(site.url, '/history/events?since=-1', { lastEventId: kept })
    const lives = 1 + Math.floor(random() * (2 * expected.length) * 0.02)
    for (let taken = 0; taken < lives && Number(kept ?? -1) < last; taken++) {
      const message = await stream.next()
      if (message === undefined) break
      if (message.data?.kind === 'event') had.push(Number(message.data.n))
      kept = message.id
    }
    stream.close()
    if (kills === 50) await submit(bob, 'tea', { title: 'meanwhile' })
  }
  t.deepEqual(
    had.filter((n) => n <= last),
    expected,
  )
})

test.serial('a stream goes on as things happen, and ends with its token, at its end, and where there is nothing more', async (t) => {
  const token = await site.tokenOf(bob.id)
  const stream = await streamOf(site.url, '/history/events?type=CommentPosted,VoteCast', { token })
  const link = await submit(bob, 'tea')
  await postForm(carol, '/api/vote', { id: link, dir: 1 })
  const comment = await say(carol, link, 'live')
  await postForm(bob, '/api/vote', { id: comment, dir: 1 })
  const first = await nextWhere(stream, ({ data }) => data !== undefined)
  t.like(first.data, { type: 'CommentPosted', data: { comment, body: 'live' }, by: { account: carol.id } })
  t.is(first.id, String(first.data?.n))
  t.like((await nextWhere(stream, ({ data }) => data !== undefined)).data, { type: 'VoteCast', data: { voter: bob.id } })
  await site.running.app.tokens.revoke(token)
  await say(carol, link, 'after')
  for (let message = await stream.next(); message; message = await stream.next()) t.is(message.data, undefined)

  const until = String(first.data?.n)
  const ending = await streamOf(site.url, `/history/events?since=${Number(until) - 2}&until=${until}`)
  const messages: Message[] = []
  for (let message = await ending.next(); message; message = await ending.next()) messages.push(message)
  t.deepEqual(messages.at(-1), { id: until, data: { kind: 'end', next: Number(until), more: false } })
  t.is((await streamOf(site.url, `/history/events?until=${until}`, { lastEventId: until })).status, 204)
  t.is((await streamOf(site.url, '/history/events', { lastEventId: 'x' })).status, 400)
})

test.serial('the moderation log of a subsite is followed each entry once, and only by those who may read it', async (t) => {
  const logged = await foundSubsite(ann, 'logged')
  await appoint(ann, 'logged', dave, '+posts')
  const link = await submit(bob, 'logged')
  const token = await site.tokenOf(dave.id)
  const path = '/s/logged/about/log'
  const stream = await streamOf(site.url, path, { token })
  await postForm(dave, '/api/lock', { id: link })
  const first = await stream.next()
  t.like(first?.data, { kind: 'modaction', data: { action: 'lock', target_fullname: link, mod: 'dave' } })
  await postForm(dave, '/api/unlock', { id: link })
  const second = await stream.next()
  stream.close()
  for (let n = 0; n < 3; n++) for (const act of ['/api/lock', '/api/unlock']) await postForm(ann, act, { id: link })
  const ids: unknown[] = [first?.id, second?.id]
  for (let kept = second?.id; ids.length < 8; ) {
    const again = await streamOf(site.url, `${path}?type=lock,unlock`, { token, lastEventId: kept })
    const message = await again.next()
    ids.push(message?.id)
    kept = message?.id
    again.close()
  }
  const listed = (await dave.get(`${path}?limit=500&type=lock,unlock`)).at('data.children') as readonly {
    data: { id: string; k: number }
  }[]
  t.deepEqual(ids, listed.map(({ data }) => data.id).toReversed())
  t.deepEqual(first?.data, JSON.parse(JSON.stringify(listed.at(-1))))
  t.is((await streamOf(site.url, `${path}?since=1`, { token })).status, 400)
  t.is((await streamOf(site.url, path, { lastEventId: 'ModAction_none' })).status, 404)

  const member = await streamOf(site.url, path, { token })
  const stranger = await streamOf(site.url, path)
  await settle(ann, logged, { type: 'private' })
  await nextWhere(member, ({ data }) => (data?.data as { action?: string } | undefined)?.action === 'editsettings')
  t.is(await stranger.next(), undefined)
  await postForm(ann, '/s/logged/api/unfriend', { type: 'moderator', name: 'dave' })
  for (let message = await member.next(); message; message = await member.next()) t.fail(JSON.stringify(message))
  t.is((await streamOf(site.url, path)).status, 403)
})

test.serial('a page that nothing passes is looked for in parts of a MiB, between which other requests have their turn', async (t) => {
  await foundSubsite(ann, 'pages', { wikimode: 'anyone' })
  const before = await allNumbered(site)
  for (let n = 0; n < 12; n++) await postForm(ann, '/s/pages/api/wiki/edit', { page: 'long', content: `${n} ${'leaf '.repeat(50_000)}` })
  await allNumbered(site)
  const log = site.running.app.numberedEvents
  if (!log) throw new Error('no history is kept')
  const { page } = log
  let [turn, counting] = [0, true]
  const bytes: number[] = []
  const count = () => {
    turn += 1
    if (counting) setImmediate(count)
  }
  t.teardown(() => Object.assign(log, { page }))
  Object.assign(log, {
    page: async (n: number) => {
      const found = await page(n)
      bytes[turn] = found.reduce((sum, { data }) => sum + data.length, bytes[turn] ?? 0)
      return found
    },
  })
  count()
  const lines = await linesOf(site, `type=AccountErased&since=${before}`)
  counting = false
  t.is(lines.length, 1)
  const read = bytes.filter((some) => some > 0)
  t.true(read.reduce((sum, some) => sum + some, 0) > 12 * 250_000, `${read}`)
  t.true(Math.max(...read) < 1.5 * MAX_PAGE_BYTES, `${read}`)
})

test.serial('a suspended moderator reads of a moderation log what everybody reads, at each door to it', async (t) => {
  const { halted } = await joinSite(site, 'halted')
  await foundSubsite(ann, 'openroom')
  await foundSubsite(ann, 'closedroom', { type: 'private' })
  const links = new Map<string, string>()
  for (const name of ['openroom', 'closedroom']) {
    await appoint(ann, name, halted, '+all')
    const link = await submit(ann, name)
    links.set(name, link)
    await postForm(ann, '/api/lock', { id: link })
  }
  await everyLine(site, ann)
  const locks = async (reader: Caller, name: string) =>
    about(await everyLine(site, reader), links.get(name) ?? '').filter(({ type }) => type === 'LinkLocked').length
  const entry = async (name: string) => String((await logEntries(ann, name)).find(({ action }) => action === 'lock')?.id)
  const ids = { openroom: await entry('openroom'), closedroom: await entry('closedroom') }
  const doors = async (name: 'openroom' | 'closedroom') => [
    (await halted.get(`/s/${name}/about/log`)).status,
    (await halted.get(`/history/proof/${ids[name]}`)).status,
    (await halted.get(`/history/s/${name}/entries`)).status,
  ]
  t.deepEqual(await doors('closedroom'), [200, 200, 200])
  t.is(await locks(halted, 'closedroom'), 1)
  await postForm(root, '/api/suspend_user', { name: 'halted', reason: 'enough' })
  t.deepEqual(await doors('closedroom'), [403, 403, 403])
  // the log refuses whoever is suspended; without login it is open
  t.deepEqual(await doors('openroom'), [403, 200, 200])
  t.deepEqual([await locks(halted, 'openroom'), await locks(halted, 'closedroom')], [1, 0])
  t.is(await locks(ann, 'closedroom'), 1)
})

test.serial('one caller has so many streams, and those of a stopping site end at once', async (t) => {
  const streams = await Promise.all(Array.from({ length: 20 }, () => streamOf(site.url, '/history/events')))
  const [first] = streams
  t.true(streams.every(({ status }) => status === 200))
  const refused = await streamOf(site.url, '/history/events')
  t.deepEqual([refused.status, refused.headers.has('retry-after')], [429, true])
  t.is((await callerAt(site.url).get('/history/events')).status, 200)
  first?.close()
  const began = performance.now()
  isStopped = true
  const stopped = site.stop()
  for (const stream of streams.slice(1)) {
    const rest: Message[] = []
    for (let message = await stream.next(); message; message = await stream.next()) rest.push(message)
    t.true(rest.every(({ id }) => /^\d+$/.test(id)))
  }
  // they would be open until the grace of requests in flight is over
  t.true(performance.now() - began < 10_000)
  await stopped
})

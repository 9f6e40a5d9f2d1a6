import type { ExecutionContext } from 'ava'
import { dataOf, waitUntilSettled } from './community.ts'
import { slots } from './looks-oracle.ts'
import { names } from './posting.ts'
import { plainSettings, texts } from './settings-oracle.ts'
import type { Answer, TestSite } from './site.ts'
import { actors } from './staff-oracle.ts'
import { lineOf, type Person, people } from './standing-oracle.ts'
import type { openSubsite } from './subsite-oracle.ts'
import { addresses, type Scene } from './subsite-requests.ts'
import { ordinary, pages, REVERTED } from './wiki-oracle.ts'

/*
 * Compares what the service shows of a subsite with what the oracle predicts.
 */

type Look = {
  readonly t: ExecutionContext
  readonly site: TestSite
  readonly scene: Scene
  readonly oracle: ReturnType<typeof openSubsite>
}

const roleOf = (name: unknown) => String(name ?? '').replace(/\d+$/, '')
const fieldsOf = (answer: Answer) => Object(answer.at('data')) as Readonly<Record<string, unknown>>

/** Returns the moderation log as a viewer reads it, in the form of the oracle. */
const logOf = async ({ scene }: Look, reader: Person): Promise<readonly string[]> =>
  dataOf(await scene.cast[reader].get(`/s/${scene.subsite}/about/log?limit=500`)).map((entry) => {
    const { mod, action, target_fullname, target_author, details, description } = entry
    const target = String(target_fullname ?? '').startsWith('t2_') ? roleOf(target_author) : String(target_fullname ?? '')
    return lineOf({
      by: roleOf(mod) as Person,
      action: String(action),
      target,
      details: String(details ?? ''),
      description: String(description ?? '').replace(/reverted back .*/, REVERTED),
    })
  })

/** Compares the lines of the log; those of one group in one order. */
const compareLog = async (look: Look) => {
  const served = await logOf(look, 'root')
  const expected = look.oracle.log()
  let from = 0
  const inGroups = expected.flatMap(({ length }) => {
    from += length
    return served.slice(from - length, from).toSorted()
  })
  look.t.deepEqual(
    [...inGroups, ...served.slice(from)],
    expected.flatMap((group) => group.toSorted()),
  )
  // every account that may view the subsite reads the same entries, without the names of closed pages
  const outsider = actors.find((actor) => look.oracle.standing.views(actor) && !look.oracle.standing.moderates(actor))
  if (outsider === undefined) return
  const read = await logOf(look, outsider)
  const acts = (lines: readonly string[]) => lines.map((line) => line.split(' | ').slice(0, 2).join(' '))
  look.t.deepEqual(acts(read), acts(served))
  const closed = look.oracle.wiki.closed()
  if (closed.length === 0) look.t.deepEqual(read, served)
  for (const page of closed)
    look.t.false(
      read.some((line) => line.includes(page)),
      page,
    )
}

const compareSettings = async ({ t, site, scene, oracle }: Look) => {
  const { root } = scene.cast
  const { subsite } = scene
  const values = oracle.settings.values()
  const edit = fieldsOf(await root.get(`/s/${subsite}/about/edit`))
  for (const name of [...Object.keys(plainSettings), ...Object.keys(texts)]) t.is(edit[name], values[name], name)
  const { rules } = (await root.get(`/s/${subsite}/about/rules`)).body as { readonly rules: readonly Record<string, unknown>[] }
  t.deepEqual(
    rules.map(({ short_name, description, kind, priority }) => [short_name, description, kind, priority]),
    oracle.settings.rules().map(({ name, description, kind }, n) => [name, description, kind, n]),
  )
  const about = fieldsOf(await root.get(`/s/${subsite}/about`))
  t.like(about, { subsite_type: values.type, submission_type: values.link_type, over18: values.over_18, description: values.description })
  for (const slot of slots) {
    const address = addresses.get(`${slot} ${oracle.looks.inSlot(slot)}`) ?? ''
    t.is(String(about[`${slot}_img`] ?? '').replace(/^.*\/images\//, ''), address, slot)
  }
  const { css, pot } = oracle.looks.published()
  const sheet = await root.get(`/s/${subsite}/stylesheet`)
  t.is(sheet.status, css === '' ? 404 : 302)
  if (css !== '') {
    const served = await root.get(String(sheet.headers.get('location')))
    t.is(served.text, css.replace('@', `/s/${subsite}/images/${addresses.get(`img ${pot}`)}`))
  }
  t.is((await root.get(`/s/${subsite}/sidebar`)).at('description'), values.description)
  for (const who of people) t.is((await scene.cast[who].get(`/s/${subsite}/about`)).status, oracle.standing.views(who) ? 200 : 403, who)
  if (values.type !== 'public') return
  t.is((await site.get(`/s/${subsite}/api/submit_text`)).at('submit_text'), values.over_18 ? null : values.submit_text)
}

const compareThings = async ({ t, site, scene, oracle }: Look) => {
  const { root } = scene.cast
  const values = oracle.settings.values()
  const [links, comments] = [oracle.links(), oracle.comments()]
  const shown = dataOf(await root.get(`/api/info?id=${[...links, ...comments].map(({ name }) => name).join(',')}`))
  const spam = names(await root.get(`/s/${scene.subsite}/about/spam?limit=100`))
  const filtered = [...links, ...comments].filter((thing) => thing.held).map(({ name }) => name)
  t.deepEqual(spam.toSorted(), filtered.toSorted())
  for (const [n, link] of links.entries()) {
    const record = shown.find(({ name }) => name === link.name)
    const { text, css } = oracle.flair.ofLink(n)
    t.is(record?.link_flair_text ?? '', text)
    t.is(record?.link_flair_css_class ?? '', css)
    t.is(record?.suggested_sort, oracle.suggested(link))
    t.is(record?.over_18, values.over_18)
    if (record?.is_self === true) t.is(record.thumbnail, values.show_media ? 'self' : '')
  }
  const readable = values.type === 'public' ? dataOf(await site.get(`/api/info?id=${comments.map(({ name }) => name).join(',')}`)) : []
  for (const one of readable) t.is(one.score_hidden, Number(values.comment_score_hide_mins) > 0)
  for (const { name, author, held } of [...links, ...comments]) {
    if (held) continue
    const record = shown.find((one) => one.name === name)
    const { text, css } = oracle.worn(author)
    t.is(record?.author_flair_text ?? '', text, `${author} ${name}`)
    t.is(record?.author_flair_css_class ?? '', css)
  }
}

type Choice = { readonly [Field in 'flair_template_id' | 'flair_text' | 'flair_css_class']: string | null } & {
  readonly flair_text_editable: boolean
}

const compareFlair = async ({ t, scene, oracle }: Look) => {
  const { root } = scene.cast
  const { subsite, templates } = scene
  const rows = (await root.get(`/s/${subsite}/api/flairlist`)).at('users') as readonly Readonly<Record<string, string | null>>[]
  t.deepEqual(
    rows.map(({ user, flair_text, flair_css_class }) => [roleOf(user), flair_text ?? '', flair_css_class ?? '']).toSorted(),
    oracle.flair
      .list()
      .map(({ whom, text, css }) => [whom as string, text, css])
      .toSorted(),
  )
  for (const who of actors) {
    const answer = await scene.cast[who].post(`/s/${subsite}/api/flairselector`)
    const expected = oracle.flair.selector(who)
    t.is(answer.status, expected ? 200 : 403, who)
    if (!expected) continue
    const { current, offered } = expected
    t.deepEqual([answer.at('current.flair_text') ?? '', answer.at('current.flair_css_class') ?? ''], [current.text, current.css], who)
    const choices = answer.at('choices') as readonly Choice[]
    const chosen = answer.at('current.flair_template_id')
    t.deepEqual(
      choices.map((one) => [one.flair_template_id, one.flair_css_class ?? '', one.flair_text_editable]),
      offered.map(({ number, css, editable }) => [templates[number] ?? '', css.replace(/\S+/g, 'flair-$&'), editable]),
      who,
    )
    for (const [n, { number, text }] of offered.entries()) if (templates[number] !== chosen) t.is(choices[n]?.flair_text ?? '', text, who)
  }
}

const compareWiki = async ({ t, scene, oracle }: Look, readers: readonly Person[]) => {
  const { subsite, cast } = scene
  const { root } = cast
  const address = `/s/${subsite}/wiki`
  for (const who of readers) {
    const listed = oracle.wiki.listed(who)
    const list = await cast[who].get(`${address}/pages`)
    if (typeof listed === 'string') t.is(list.status, 403, who)
    else t.deepEqual(list.at('data'), listed, who)
    for (const page of pages) {
      // a page that only some may make may be missing or refused
      if (!oracle.wiki.exists(page) && !(ordinary as readonly string[]).includes(page)) continue
      const expected = oracle.wiki.read(who, page)
      const shown = await cast[who].get(`${address}/${page}?raw_json=1`)
      const label = `${who} ${page}`
      if (typeof expected === 'string') {
        t.true(`${shown.status} ${shown.at('reason')}`.startsWith(expected), `${label}: ${shown.text} for ${expected}`)
        continue
      }
      t.deepEqual([shown.at('data.content_md'), shown.at('data.may_revise')], [expected.text, expected.revised], label)
      const revisions = (await cast[who].get(`${address}/revisions/${page}?limit=100`)).at('data.children') as readonly {
        readonly reason: string | null
        readonly author: { readonly data: { readonly name: string } }
      }[]
      t.deepEqual(
        revisions.map(({ author, reason }) => [roleOf(author.data.name), (reason ?? '').replace(/^reverted back .*/, REVERTED)]),
        oracle.wiki.history(who, page).map(({ by, reason }) => [by as string, reason]),
        label,
      )
    }
  }
  for (const page of pages) {
    const settings = oracle.wiki.settings(page)
    const answer = await root.get(`${address}/settings/${page}`)
    t.is(answer.status, settings ? 200 : 404, page)
    if (!settings) continue
    t.like(answer.at('data'), { permlevel: settings.permlevel, listed: settings.listed }, page)
    const editors = (answer.at('data.editors') as readonly { readonly data: { readonly name: string } }[]).map(({ data }) =>
      roleOf(data.name),
    )
    t.deepEqual(editors.toSorted(), [...settings.editors].toSorted(), page)
  }
}

/** Compares the log, the settings, things, flair, seats, and the wiki as some accounts read it. */
export const compare = async (look: Look, readers: readonly Person[]): Promise<void> => {
  const { root } = look.scene.cast
  await waitUntilSettled(look.site)
  await compareLog(look)
  await compareSettings(look)
  await compareThings(look)
  await compareFlair(look)
  await compareWiki(look, readers)
  const seats = (await root.get(`/s/${look.scene.subsite}/about/moderators`)).at('data.children') as readonly {
    readonly name: string
    readonly mod_permissions: readonly string[]
  }[]
  look.t.deepEqual(
    seats.map(({ name, mod_permissions }) => [roleOf(name), mod_permissions.map((one) => `+${one}`).join(',')]),
    look.oracle.standing.seats().map(({ who, permissions }) => [who as string, permissions]),
  )
}

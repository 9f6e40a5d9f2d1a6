import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { accounts } from '../../../projections/accounts.ts'
import { projections } from '../../../projections/all.ts'
import { comments } from '../../../projections/comments.ts'
import { openReadModels } from '../../../projections/engine/sets.ts'
import { contacts } from '../../../projections/friends-and-blocks.ts'
import { links } from '../../../projections/links.ts'
import { messages } from '../../../projections/messages.ts'
import { modLog } from '../../../projections/mod-log.ts'
import { multis } from '../../../projections/multis.ts'
import { relations } from '../../../projections/relations.ts'
import { subsites } from '../../../projections/subsites.ts'
import type { Context, Uses } from '../../../src/http/contract/endpoint.ts'
import { anonymous, type Viewer } from '../../../src/http/contract/request.ts'
import * as shape from '../../../src/http/contract/schemas/schema.ts'
import { accountShape } from '../../../src/http/present/account.ts'
import { commentThingShape } from '../../../src/http/present/comment.ts'
import { linkThingShape } from '../../../src/http/present/link.ts'
import { messageThingShape } from '../../../src/http/present/message.ts'
import { multiShape, multiThing } from '../../../src/http/present/multi.ts'
import {
  bannedRow,
  bannedRowShape,
  friendRow,
  friendRowShape,
  moderatorRow,
  moderatorRowShape,
} from '../../../src/http/present/relationship.ts'
import { ruleRecord, ruleRecordShape, subsiteSettings, subsiteSettingsShape, subsiteShape } from '../../../src/http/present/subsite.ts'
import { recordsOf } from '../../../src/http/things/kinds/all.ts'
import { modActionShape, modLogRecords } from '../../../src/http/things/log-entries.ts'
import { stringify } from '../../../src/http/wire/json-writing.ts'
import type { Document, DocumentStore } from '../../../src/ports/documents.ts'
import { preferencesOf } from '../../../src/queries/accounts.ts'
import { everyEvent } from '../../support/every-event/every-event.ts'
import { root } from '../../support/pages.ts'
import { allOf, catchUp, openFile } from '../../support/read-models.ts'

type Fields = Readonly<Record<string, shape.Schema>>

const fieldsOf = (part: shape.SchemaOrComponent): Fields => {
  const schema = part instanceof shape.Component ? part.schema() : part
  const { data } = (schema.properties ?? {}) as { readonly data?: shape.SchemaOrComponent }
  return data === undefined ? (schema.properties as Fields) : fieldsOf(data)
}

const records: Readonly<Record<string, Fields>> = {
  t1: fieldsOf(commentThingShape),
  t2: fieldsOf(accountShape),
  t4: fieldsOf(subsiteShape),
  t5: fieldsOf(linkThingShape),
  t6: fieldsOf(messageThingShape),
  Friend: fieldsOf(friendRowShape),
  Moderator: fieldsOf(moderatorRowShape),
  BannedAccount: fieldsOf(bannedRowShape),
  Rule: fieldsOf(ruleRecordShape),
  SubsiteSettings: fieldsOf(subsiteSettingsShape),
  Multi: fieldsOf(multiShape),
  ModAction: fieldsOf(modActionShape),
}

const restrictions: ReadonlySet<string> = new Set(['banned', 'wikibanned', 'muted'])

/** Returns the records of documents that are no things, as those see them who see most. */
const otherRecords = async (
  context: Context,
  documents: DocumentStore,
  now: number,
): Promise<readonly (readonly [kind: string, data: object])[]> => {
  const names = (account: string | null) => account ?? ''
  const related = await allOf(documents, relations)
  const places = await allOf(documents, subsites)
  const entries = await modLogRecords(context as Context & Uses<'history'>, await allOf(documents, modLog))
  return [
    ...(await allOf(documents, contacts)).map((contact) => ['Friend', friendRow(contact, names)] as const),
    ...related.map((relation) => ['Moderator', moderatorRow(relation, names)] as const),
    ...related.filter(({ type }) => restrictions.has(type)).map((relation) => ['BannedAccount', bannedRow(relation, names, now)] as const),
    ...places.flatMap(({ rules }) => rules.map((rule, priority) => ['Rule', ruleRecord(rule, priority)] as const)),
    ...places.map((place) => ['SubsiteSettings', subsiteSettings(place).data] as const),
    ...(await allOf(documents, multis)).map(
      (multi) =>
        [
          'Multi',
          multiThing({ multi, owner: 'ann', canEdit: true, source: 'bob', subsites: multi.subsites.map(() => ({})) }).data,
        ] as const,
    ),
    ...entries.map(({ data }) => ['ModAction', data] as const),
  ]
}

/** Tells whether a value is the one that a field has before anything happens. */
const isEmpty = (value: unknown): boolean =>
  value === undefined || [null, false, 0, ''].some((empty) => empty === value) || ['[]', '{}'].includes(JSON.stringify(value))

/** Fields that nothing ever fills: clients of the interface expect them. */
const reserved: Readonly<Record<string, string>> = {
  t1: 'removal_reason report_reasons quarantine',
  t2: 'has_verified_email verified',
  t4: 'accounts_active active_user_count quarantine',
  t5: 'is_video quarantine spoiler pinned clicked media secure_media media_embed secure_media_embed removal_reason report_reasons',
  t6: 'was_comment context',
  SubsiteSettings: 'domain',
  Multi: 'icon_url',
}

/** Fields that depend on more than the history, such as the time or a parameter: each with the test that sees a value of it. */
const seenElsewhere: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  t1: {
    stickied: 'sticky-comments',
    score_hidden: 'comments',
    archived: 'listings',
    controversiality: 'comments',
    collapsed: 'reports',
    category: 'user-pages',
    depth: 'threads',
    link_title: 'user-pages',
    link_author: 'user-pages',
    link_url: 'user-pages',
    over_18: 'links',
    replies: 'comments',
  },
  t2: { hide_from_robots: 'preference-effects', is_suspended: 'suspension' },
  t4: {
    comment_score_hide_mins: 'subsite-settings',
    header_title: 'subsite-settings',
    submit_link_label: 'subsite-settings',
    submit_text_label: 'one-line-fields',
    collapse_deleted_comments: '../support/settings-oracle',
    hide_ads: 'subsite-settings',
    suggested_comment_sort: 'subsite-settings',
    wiki_enabled: 'subsite-settings',
  },
  t5: {
    suggested_sort: 'link-options',
    link_flair_template_id: 'flair-templates',
    visited: 'visits',
    archived: 'listings',
    removed: 'moderation',
    category: 'user-pages',
    sr_detail: 'listings',
  },
  t6: { replies: 'messages', num_reports: 'reports', user_reports: 'reports' },
  SubsiteSettings: {
    collapse_deleted_comments: '../support/settings-oracle',
    comment_score_hide_mins: 'subsite-settings',
    exclude_banned_modqueue: 'mod-queues',
    'header-title': 'subsite-settings',
    header_hover_text: 'subsite-settings',
    hide_ads: 'subsite-settings',
    submit_link_label: 'subsite-settings',
    submit_text_label: 'one-line-fields',
    suggested_comment_sort: 'subsite-settings',
    wiki_edit_age: 'wiki-rights',
    wiki_edit_karma: 'wiki-rights',
  },
  Multi: { created: 'multis', created_utc: 'multis', description_html: 'multis', description_md: 'multis', icon_name: 'multis' },
  ModAction: { k: 'history', n: 'history' },
}

/** All records are made after each of so many parts of the history, for everybody. */
const STAGES = 24

test('every field of a record that is no constant has a value at some time of the history in which every event happens', async (t) => {
  const { append, ports, stores } = openFile(t)
  const { documents, vault } = stores
  const filled = new Set<string>()
  const note = (kind: string, data: Readonly<Record<string, unknown>>) => {
    for (const [name, value] of Object.entries(data)) if (!isEmpty(value)) filled.add(`${kind} ${name}`)
  }
  const size = Math.ceil(everyEvent.length / STAGES)
  for (let from = 0; from < everyEvent.length; from += size) {
    const part = everyEvent.slice(from, from + size)
    await append(part)
    await catchUp(await openReadModels(ports, projections))
    const people = await allOf(documents, accounts)
    const things: Document[] = [...people]
    for (const collection of [links, comments, messages, subsites]) things.push(...(await allOf<Document>(documents, collection)))
    const viewers: Viewer[] = [anonymous.viewer]
    for (const { id, name } of people) {
      const viewer: Viewer = { ...anonymous.viewer, account: id, name, via: 'session' }
      viewers.push(viewer, { ...viewer, admin: true })
    }
    const clock = () => (part.at(-1)?.at ?? 0) + 1
    const config = { publicUrl: 'http://tea.example' }
    for (const viewer of viewers) {
      const preferences = () => preferencesOf(documents, viewer.account ?? '')
      const context = { documents, vault, config, clock, viewer, preferences } as unknown as Context
      for (const record of (await recordsOf(context, things)).values()) {
        const { kind, data } = JSON.parse(stringify(record, 'unicode'))
        note(kind, data)
      }
      if (viewer.admin)
        for (const [kind, data] of await otherRecords(context, documents, clock())) note(kind, JSON.parse(stringify(data, 'unicode')))
    }
  }
  const missing = Object.entries(records).flatMap(([kind, fields]) =>
    Object.keys(fields)
      .filter((name) => !filled.has(`${kind} ${name}`))
      .map((name) => `${kind} ${name}`),
  )
  const expected = Object.keys(records).flatMap((kind) =>
    [...(reserved[kind]?.split(' ') ?? []), ...Object.keys(seenElsewhere[kind] ?? {})].map((name) => `${kind} ${name}`),
  )
  t.deepEqual(missing.toSorted(), expected.toSorted(), 'let it happen in test/support/every-event/, or name the test that sees it here')
})

test('the tests named for the other fields name these', async (t) => {
  for (const fields of Object.values(seenElsewhere))
    for (const [name, file] of Object.entries(fields)) {
      const path = join(root, 'test/http', `${file}${file.startsWith('../') ? '' : '.test'}.ts`)
      t.regex(await readFile(path, 'utf8'), new RegExp(`\\b${name}\\b`), `${name} in ${path}`)
    }
})

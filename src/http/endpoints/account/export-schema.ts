import { JsonLines } from '../../contract/schemas/answers.ts'
import { cast } from '../../contract/schemas/names.ts'
import { preferencesShape } from '../../contract/schemas/preferences.ts'
import {
  choice,
  component,
  constant,
  epoch,
  type Fields,
  flag,
  integer,
  listOf,
  orNull,
  recordSchema,
  text,
  union,
} from '../../contract/schemas/schema.ts'

const account = text(cast.account, 'Fullname of an account.')
const subsite = text(cast.subsite, 'Fullname of a subsite.')
const thing = text(cast.comment, 'Fullname of a link or a comment.')
const link = text(cast.link)
const message = text(cast.message)

/** The data of each kind of line. */
const kinds = {
  account: { name: account, username: text('ann'), created: epoch },
  preferences: { values: preferencesShape },
  link: {
    name: link,
    subsite,
    created: epoch,
    title: text(),
    url: orNull(text('https://example.com/')),
    text: orNull(text()),
    deleted: flag,
  },
  comment: { name: thing, link, parent: orNull(thing), subsite, created: epoch, text: text(), deleted: flag },
  message: {
    name: message,
    to: orNull(account),
    subsite: orNull(subsite),
    parent: orNull(message),
    created: epoch,
    subject: text(),
    text: text(),
  },
  wiki_revision: { id: text(), subsite, page: text('index'), created: epoch, reason: orNull(text()), text: text() },
  vote: { thing, insightful: flag, funny: flag, created: epoch },
  saved: { thing, category: text('tea'), created: epoch },
  hidden: { thing, created: epoch },
  report: { thing: text(cast.comment, 'Fullname of a link, a comment or a message.'), reason: text('spam'), created: epoch },
  friend: { account, note: text(), created: epoch },
  blocked: { account, created: epoch },
  subscription: { subsite, created: epoch },
  muted_subsite: { subsite, created: epoch },
  multi: {
    path: text('/user/ann/m/drinks'),
    display_name: text('Drinks'),
    description: text(),
    subsites: listOf(subsite),
    visibility: choice('public', 'private', 'hidden'),
    created: epoch,
  },
  flair: { subsite, text: text('brewer'), css_class: text('brewer'), shown: flag },
} as const satisfies Readonly<Record<string, Fields>>

export type ExportKind = keyof typeof kinds

const lineOf = (kind: string, fields: Fields) =>
  component(`ExportLine${kind.replace(/(?:^|_)(\w)/g, (_, first: string) => first.toUpperCase())}`, () =>
    recordSchema({ kind: constant(kind), data: recordSchema(fields) }),
  )

const lineShape = component('ExportLine', () =>
  // the last line of a whole export tells it from one that was broken off
  union(
    ...Object.entries(kinds).map(([kind, fields]) => lineOf(kind, fields)),
    lineOf('end', { lines: integer(12, 'All lines before this one.') }),
  ),
)

export const exportLines = new JsonLines(lineShape)

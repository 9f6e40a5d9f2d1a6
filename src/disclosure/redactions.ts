// Decision 128.

import { ERASED_PLACEHOLDER, type EventDefinition } from '../domain/event.ts'
import { AccountId, ThingId } from '../domain/ids.ts'
import { isRecord, type Json } from '../domain/json.ts'
import { provableTexts } from '../domain/provable-texts.ts'
import { excerptOf } from '../domain/target.ts'
import { mirroredSettings } from '../domain/wiki-page-name.ts'
import type { Facts } from './facts.ts'

type Path = readonly string[]
type Judged = { readonly id: string; readonly type: string; readonly stream: string; readonly at: number; readonly data: Json }

const valueAt = (data: Json, path: Path): unknown =>
  path.reduce<unknown>((holder, name) => (isRecord(holder) ? holder[name] : undefined), data)

const omitPath = (data: Json, [name = '', ...rest]: Path): Json => {
  const { [name]: member, ...others } = data
  return rest.length > 0 && isRecord(member) ? { ...others, [name]: omitPath(member, rest) } : others
}

/** Returns the thing that an event is about; its author stands beside it. */
export const thingOf = (data: Json): string | undefined =>
  [data.comment, data.thing, valueAt(data, ['target', 'id']), data.link].find(ThingId.is)

/** The fields that name the author of a thing. Deleted and removed things do not show it. */
const authorship: readonly (readonly [Path, (data: Json) => unknown])[] = [
  [['author'], thingOf],
  [['linkAuthor'], ({ link }) => link],
  [['target', 'author'], (data) => valueAt(data, ['target', 'id'])],
]

/** Ends of accounts. Followers must learn of these. */
const endings: ReadonlySet<string> = new Set(['AccountDeleted', 'AccountErased'])

/** Returns the paths of accounts whose names the interface does not show to the reader. */
const hiddenAccounts = ({ type, data }: Judged, facts: Facts): readonly Path[] => {
  const hidden: Path[] = []
  for (const [path, thing] of authorship) {
    const id = thing(data)
    if (valueAt(data, path) !== undefined && typeof id === 'string' && facts.authorOf(id)?.isShown !== true) hidden.push(path)
  }
  const look = (value: unknown, path: Path): void => {
    if (Array.isArray(value) ? value.some((one) => AccountId.is(one) && facts.isGone(one)) : AccountId.is(value) && facts.isGone(value))
      hidden.push(path)
    else if (isRecord(value)) for (const [name, inner] of Object.entries(value)) look(inner, [...path, name])
  }
  for (const [name, value] of Object.entries(data)) if (!(endings.has(type) && name === 'account')) look(value, [name])
  return hidden
}

/** Tells whether a text in an event is the one that its link or comment shows now, and has shown ever since. */
const isShownNow = ({ type, at }: Judged, name: string, text: string, shown: ReturnType<Facts['textsOf']>): boolean => {
  if (shown === undefined) return false
  const { edited } = shown
  if (name === 'excerpt') {
    const fullText = shown.body ?? shown.text
    return fullText !== undefined && text === excerptOf(fullText) && (edited === null || edited <= at)
  }
  if (shown[name as 'title'] !== text) return false
  return name === 'title' || name === 'url' || edited === (type === 'LinkEdited' || type === 'CommentEdited' ? at : null)
}

/**
 * Returns the paths of texts that the interface does not show, or shows otherwise by now. An erased text stays as the interface shows it.
 */
const hiddenTexts = (event: Judged, { sealedPaths }: Pick<EventDefinition, 'sealedPaths'>, facts: Facts): readonly Path[] =>
  sealedPaths.flatMap(({ path, thing }) => {
    const text = valueAt(event.data, path)
    const name = path.at(-1) ?? ''
    if (typeof text !== 'string') return []
    // mail is read in inboxes
    if (event.stream.startsWith('message-')) return [path]
    if (text === ERASED_PLACEHOLDER) return []
    if (event.type === 'WikiPageRevised')
      return facts.isRevisionShown(event.id) && !(name === 'reason' && facts.isGone(String(event.data.author))) ? [] : [path]
    if (thing === undefined) return []
    const isOfThing = path[0] === 'target' || (provableTexts.get(event.type)?.includes(name) ?? false)
    if (!isOfThing) return []
    const id = valueAt(event.data, [...path.slice(0, -1), ...thing]) ?? valueAt(event.data, thing)
    return typeof id === 'string' && isShownNow(event, name, text, facts.textsOf(id)) ? [] : [path]
  })

/** Returns the paths of settings' texts in revisions of pages that a moderator hid. */
const hiddenSettings = ({ id, type }: Judged, facts: Facts): readonly Path[] => {
  if (type === 'StylesheetSaved') return facts.isRevisionShown(id) ? [] : [['source']]
  if (type !== 'SubsiteCreated') return []
  return mirroredSettings.flatMap(([page, setting]) => (facts.isRevisionShown(id, page) ? [] : [['settings', setting]]))
}

/** Returns the data without content that today's interface does not show, and the names of the fields that were left out. */
export const redactData = (
  event: Judged,
  definition: EventDefinition,
  facts: Facts,
): { readonly data: Json; readonly withheld: readonly string[] } => {
  const hidden = [...hiddenAccounts(event, facts), ...hiddenTexts(event, definition, facts), ...hiddenSettings(event, facts)]
  return { data: hidden.reduce(omitPath, event.data), withheld: [...new Set(hidden.map((path) => path.join('.')))] }
}

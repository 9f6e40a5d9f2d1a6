import { type Entry, short, shortened } from '../ledger.ts'
import { amend, amendKnown, entry, type Note, put, type Rules, serialOf } from './rule.ts'

// Subsites, their subscribers, their sticky slots, and the accounts that took part in them.

type Settings = Readonly<Record<string, unknown>>
type RuleRow = { readonly name: string; readonly description: string; readonly kind: string; readonly created: number }
type SubsiteRow = { readonly settings: Settings; readonly subscribers: number; readonly rules: readonly RuleRow[] }
type Taste = { readonly id: string; readonly subsites: readonly string[] }
type Subscription = { readonly since: number }
type Slots = { readonly id: string; readonly links: readonly string[] }

const closed: ReadonlySet<unknown> = new Set(['private', 'employees_only', 'gold_only'])

/** The settings that a subsite is found and listed by are stored a second time beside them. */
const listedBy = ({ title, public_description, description, header_title, type, allow_top, over_18 }: Settings) => ({
  title,
  public_description,
  sidebar: closed.has(type) ? '' : description,
  headerTitle: closed.has(type) ? '' : header_title,
  type,
  allowTop: allow_top,
  over18: over_18,
})

const tookPart = (account: string, subsite: string, position: string): readonly Entry[] => [
  put('participation', { id: `${account}.${subsite}` }),
  entry<{ readonly position: string }>('audit_participation', `${account}.${subsite}`, (first) => first ?? { position }),
]

type Appearance = {
  readonly id: string
  readonly named: readonly { readonly name: string; readonly hash: string }[]
  readonly erased: readonly string[]
}
/** Of an image with this hash, in its two formats. */
const filesOf = (hash: string): readonly string[] => [`${hash}.png`, `${hash}.jpg`]
const undressed = (id: string) => ({ id, named: [], header: null, icon: null, banner: null, css: null, shown: [], erased: [] })
const dress = (subsite: string, change: object): Entry =>
  entry<Appearance>('appearances', subsite, (row = undressed(subsite)) => ({ ...row, ...change }))

const amendRules = (subsite: string, note: Note, change: (rules: readonly RuleRow[]) => readonly RuleRow[]): Entry =>
  amendKnown<SubsiteRow>('subsites', subsite, note, (row) => ({ ...row, rules: change(row.rules) }))

const subscribers = (subsite: string, note: Note, by: () => number): Entry =>
  amendKnown<SubsiteRow>('subsites', subsite, note, (row) => ({ ...row, subscribers: row.subscribers + by() }))

export const subsiteRules: Rules = {
  SubsiteCreated: ({ data: { subsite: id, name, creator, settings }, at }) => {
    const kept = shortened(settings) as Settings
    return [
      put('subsites', {
        id,
        seq: serialOf(id),
        name,
        lower: name.toLowerCase(),
        creator,
        created: at,
        settings: kept,
        subscribers: 0,
        header: null,
        icon: null,
        banner: null,
        rules: [],
        ...listedBy(kept),
      }),
    ]
  },
  SubsiteSettingChanged: ({ data: { subsite, setting, before, after } }, note) => [
    amendKnown<SubsiteRow>('subsites', subsite, note, (row) => {
      if (row.settings[setting] !== shortened(before)) note(`its previous value of ${setting} differs from what earlier events set`)
      const settings = { ...row.settings, [setting]: shortened(after) }
      return { ...row, settings, ...listedBy(settings) }
    }),
  ],
  ImageUploaded: ({ data: { subsite, use, name, hash, format, width, height } }, note) => {
    const image = { hash, format, width, height }
    if (use !== 'img') return [amendKnown('subsites', subsite, note, (row) => ({ ...row, [use]: image })), dress(subsite, { [use]: image })]
    return [
      entry<Appearance>('appearances', subsite, (row = undressed(subsite)) => {
        const shown = { name: short(name), ...image }
        const at = row.named.findIndex((one) => one.name === shown.name)
        return { ...row, named: at < 0 ? [...row.named, shown] : row.named.toSpliced(at, 1, shown) }
      }),
    ]
  },
  ImageDeleted: ({ data: { subsite, use, name, hash } }, note) => {
    if (use !== 'img') return [amendKnown('subsites', subsite, note, (row) => ({ ...row, [use]: null })), dress(subsite, { [use]: null })]
    return [
      amendKnown<Appearance>('appearances', subsite, note, (row) => {
        const known = short(name)
        if (row.named.find((one) => one.name === known)?.hash !== hash) note(`it deletes ${name}, which shows another image`)
        return { ...row, named: row.named.filter((one) => one.name !== known) }
      }),
    ]
  },
  ImageErased: ({ data: { subsite, hash, images } }, note) => {
    const slots = Object.fromEntries(images.flatMap(({ use }) => (use === 'img' ? [] : [[use, null]])))
    return [
      amendKnown('subsites', subsite, note, (row) => ({ ...row, ...slots })),
      amendKnown<Appearance & { readonly shown: readonly string[] }>('appearances', subsite, note, (row) => ({
        ...row,
        ...slots,
        named: row.named.filter((one) => one.hash !== hash),
        shown: row.shown.filter((file) => !filesOf(hash).map(short).includes(file)),
        erased: [...row.erased, hash],
      })),
    ]
  },
  StylesheetSaved: ({ data: { subsite, css, images } }) => [
    entry<Appearance>('appearances', subsite, (row = undressed(subsite)) => {
      const erased = row.erased.flatMap(filesOf)
      return { ...row, css, shown: images.filter((file) => !erased.includes(file)).map(short) }
    }),
  ],
  RuleCreated: ({ data: { subsite, name, description, kind }, at }, note) => [
    amendRules(subsite, note, (rules) => {
      if (rules.length >= 10 || rules.some((rule) => rule.name === name)) note(`it cannot have a further rule ${name}`)
      return [...rules, { name, description: short(description), kind, created: at }]
    }),
  ],
  RuleEdited: ({ data: { subsite, before, name, description, kind } }, note) => [
    amendRules(subsite, note, (rules) => {
      if (!rules.some((rule) => rule.name === before)) note(`it has no rule ${before}`)
      const words = { name, description: short(description), kind }
      return rules.map((rule) => (rule.name === before ? { ...rule, ...words } : rule))
    }),
  ],
  RuleDeleted: ({ data: { subsite, name } }, note) => [
    amendRules(subsite, note, (rules) => {
      if (!rules.some((rule) => rule.name === name)) note(`it has no rule ${name}`)
      return rules.filter((rule) => rule.name !== name)
    }),
  ],
  RulesReordered: ({ data: { subsite, after } }, note) => [
    amendRules(subsite, note, (rules) => {
      const place = new Map(after.map((name, index) => [name, index]))
      if (place.size !== rules.length || rules.some(({ name }) => !place.has(name))) note('it names other rules than there are')
      return rules.toSorted((a, b) => (place.get(a.name) ?? 0) - (place.get(b.name) ?? 0))
    }),
  ],
  Subscribed: ({ data: { account, subsite }, at, position }, note) => {
    let isNew = false
    const id = `${account}.${subsite}`
    return [
      entry<Subscription>('subscriptions', id, (there) => {
        isNew = there === undefined
        if (!isNew) note(`${account} was already subscribed to ${subsite}`)
        return { id, account, subsite, since: at }
      }),
      subscribers(subsite, note, () => (isNew ? 1 : 0)),
      entry<Taste>('tastes', account, (row) => ({ id: account, subsites: [subsite, ...(row?.subsites ?? [])].slice(0, 50) })),
      ...tookPart(account, subsite, position),
    ]
  },
  Unsubscribed: ({ data: { account, subsite } }, note) => {
    let was = false
    return [
      entry<Subscription>('subscriptions', `${account}.${subsite}`, (there) => {
        was = there !== undefined
        if (!was) note(`${account} was not subscribed to ${subsite}`)
        return undefined
      }),
      subscribers(subsite, note, () => (was ? -1 : 0)),
      amend<Taste>('tastes', account, (row) => ({ ...row, subsites: row.subsites.filter((one) => one !== subsite) })),
    ]
  },
  LinkSubmitted: ({ data: { author, subsite }, position }) => tookPart(author, subsite, position),
  CommentPosted: ({ data: { author, subsite }, position }) => tookPart(author, subsite, position),
  MessageSent: ({ data: { author, subsite, modmail, fromSubsite }, position }) =>
    author === null || subsite === null || !modmail || fromSubsite ? [] : tookPart(author, subsite, position),
  LinkStickied: ({ data: { subsite, target, slot } }, note) => [
    entry<Slots>('stickies', subsite, (row) => {
      const links = [...(row?.links ?? [])]
      if (links.includes(target.id) || slot < 1 || slot > links.length + 1)
        note(`${target.id} cannot go into slot ${slot} beside ${links.length} others`)
      links.splice(slot - 1, 0, target.id)
      return { id: subsite, links }
    }),
    amendKnown('links', target.id, note, (link) => ({ ...link, slot })),
  ],
  LinkUnstickied: ({ data: { subsite, target, slot } }, note) => [
    amend<Slots>('stickies', subsite, (row) => {
      if (row.links[slot - 1] !== target.id) note(`${target.id} is not in slot ${slot}`)
      return { id: subsite, links: row.links.filter((link) => link !== target.id) }
    }),
    amendKnown('links', target.id, note, (link) => ({ ...link, slot: null })),
  ],
}

/*
 * Multis and filters of some accounts, from the interface alone: who may make, see and change them, and what they contain. It shares
 * nothing with the service.
 */

export const viewers = ['alice', 'bob', 'root', 'nobody'] as const
/** root is an admin, nobody is not logged in. */
export type ViewerName = (typeof viewers)[number]
export type Owner = 'alice' | 'bob'

/** The place of a multi (`m`) or a filter (`f`). */
export type MultiPlace = { readonly owner: Owner; readonly kind: 'm' | 'f'; readonly name: string }

/** Subsites by how they are spelled; alice founded `cellar`, which is private. */
export const subsites = ['Tea', 'coffee', 'cellar'] as const
export type Subsite = (typeof subsites)[number]

export type Fields = {
  readonly display_name?: string
  readonly description_md?: string
  readonly visibility?: string
  readonly key_color?: string
  readonly icon_name?: string
  readonly weighting_scheme?: string
  readonly subreddits?: readonly string[]
}

export type MultiAct =
  | { readonly act: 'create' | 'put'; readonly place: MultiPlace; readonly fields: Fields }
  | { readonly act: 'destroy'; readonly place: MultiPlace }
  | { readonly act: 'add' | 'drop'; readonly place: MultiPlace; readonly subsite: string }
  | { readonly act: 'describe'; readonly place: MultiPlace; readonly text: string }
  | {
      readonly act: 'copy' | 'rename'
      readonly from: MultiPlace
      readonly to: MultiPlace | undefined
      readonly display: string | undefined
    }

export type Multi = {
  readonly place: MultiPlace
  readonly display_name: string
  readonly description_md: string
  readonly visibility: string
  readonly key_color: string
  readonly icon_name: string
  readonly weighting_scheme: string
  readonly subsites: readonly Subsite[]
  readonly copiedFrom: MultiPlace | undefined
}

/** A status, and for a refusal its code and the parameter that is to blame. */
export type Outcome = string

const keyOf = ({ owner, kind, name }: MultiPlace): string => `${owner}/${kind}/${name}`
const subsiteNamed = (name: string): Subsite | undefined => subsites.find((one) => one.toLowerCase() === name.toLowerCase())

/** Returns the refusal of a name or a model, before anything else about it is checked. */
const wrongSubsite = (name: string): string | undefined => {
  if (name === 'all') return '400 MULTI_SPECIAL_SUBSITE'
  return subsiteNamed(name) === undefined ? '400 SUBSITE_NOEXIST' : undefined
}
const wrongField = (fields: Fields): Outcome | undefined => {
  if (fields.display_name === '') return '400 NO_TEXT display_name'
  if (fields.key_color === 'red') return '400 BAD_COLOR key_color'
  if (fields.visibility === 'secret') return '400 INVALID_OPTION visibility'
  const wrong = fields.subreddits?.map(wrongSubsite).find((one) => one !== undefined)
  return wrong === undefined ? undefined : `${wrong} subreddits`
}

/** `pathOf` writes a place as the service does. */
export const openMultis = (pathOf: (place: MultiPlace) => string) => {
  const all = new Map<string, Multi>()

  const sees = (who: ViewerName, { place, visibility }: Multi): boolean => place.owner === who || who === 'root' || visibility === 'public'
  const visible = (who: ViewerName, place: MultiPlace): Multi | undefined => {
    const multi = all.get(keyOf(place))
    return multi && sees(who, multi) ? multi : undefined
  }

  const empty = (place: MultiPlace): Multi => ({
    place,
    display_name: place.name,
    description_md: '',
    visibility: 'private',
    key_color: '#cee3f8',
    icon_name: '',
    weighting_scheme: 'classic',
    subsites: [],
    copiedFrom: undefined,
  })
  const keep = (multi: Multi) => void all.set(keyOf(multi.place), multi)

  const changed = (multi: Multi, { subreddits, ...fields }: Fields): Multi => {
    const listed = subreddits?.map(subsiteNamed).filter((name) => name !== undefined)
    return { ...multi, ...fields, ...(listed && { subsites: [...new Set(listed)] }) }
  }

  const write = (who: ViewerName, { act, place, fields }: Extract<MultiAct, { act: 'create' | 'put' }>): Outcome => {
    if (place.owner !== who) return '403 MULTI_CANNOT_EDIT multipath'
    const wrong = wrongField(fields)
    if (wrong !== undefined) return wrong
    const old = all.get(keyOf(place))
    if (old && act === 'create') return '409 MULTI_EXISTS multipath'
    keep(changed(old ?? empty(place), fields))
    return old ? '200' : '201'
  }

  /** A multi that somebody may change; otherwise the refusal, which blames a parameter. */
  const editable = (who: ViewerName, place: MultiPlace, field: string): Multi | Outcome => {
    const multi = visible(who, place)
    if (!multi) return `404 MULTI_NOT_FOUND ${field}`
    return place.owner === who ? multi : `403 MULTI_CANNOT_EDIT ${field}`
  }

  const list = (who: ViewerName, { act, place, subsite }: Extract<MultiAct, { act: 'add' | 'drop' }>): Outcome => {
    const found = editable(who, place, 'multipath')
    if (typeof found === 'string' && place.owner !== who) return found
    const wrong = wrongSubsite(subsite)
    const name = subsiteNamed(subsite)
    if (wrong !== undefined || name === undefined) return `${wrong} srname`
    // a filter is made by what is first added to it
    const multi = typeof found === 'string' && act === 'add' && place.kind === 'f' ? empty(place) : found
    if (typeof multi === 'string') return multi
    const without = multi.subsites.filter((one) => one !== name)
    const had = without.length < multi.subsites.length
    if (act === 'drop') keep({ ...multi, subsites: without })
    else if (!had) keep({ ...multi, subsites: [...multi.subsites, name] })
    return act === 'add' && !had ? '201' : '200'
  }

  /** Returns the place of a multi by its display name: the first free of `hot_tea`, `hot_tea1`, … */
  const placeFor = (owner: Owner, display: string): MultiPlace => {
    const base = display.toLowerCase().replace(/\W+/g, '_')
    const at = (n: number): MultiPlace => ({ owner, kind: 'm', name: `${base}${n === 0 ? '' : n}` })
    let n = 0
    while (all.has(keyOf(at(n)))) n += 1
    return at(n)
  }

  const carry = (who: ViewerName, { act, from, to, display }: Extract<MultiAct, { act: 'copy' | 'rename' }>): Outcome => {
    if (from.kind === 'f') return '404 MULTI_NOT_FOUND from'
    const source = act === 'copy' ? (visible(who, from) ?? '404 MULTI_NOT_FOUND from') : editable(who, from, 'from')
    if (typeof source === 'string') return source
    if (!to && display === undefined) return '400 BAD_MULTI_PATH to'
    const place = to ?? placeFor(from.owner, display ?? '')
    if (place.owner !== who) return act === 'copy' ? '403 MULTI_CANNOT_EDIT to' : '400 MULTI_CANNOT_EDIT to'
    if (place.kind === 'f') return '400 BAD_MULTI_PATH to'
    if (all.has(keyOf(place))) return '409 MULTI_EXISTS multipath'
    const moved = { ...source, place, display_name: display ?? source.display_name }
    if (act === 'rename') {
      all.delete(keyOf(from))
      keep(moved)
      return '200'
    }
    const line = `copied from [${pathOf(from)}](${pathOf(from)})`
    const description_md = source.description_md === '' ? line : `${source.description_md}\n\n${line}`
    keep({ ...moved, description_md, visibility: 'private', copiedFrom: from })
    return '200'
  }

  const perform = (who: ViewerName, act: MultiAct): Outcome => {
    if (who === 'nobody') return '403 USER_REQUIRED'
    switch (act.act) {
      case 'create':
      case 'put':
        return write(who, act)
      case 'destroy': {
        const multi = editable(who, act.place, 'multipath')
        if (typeof multi === 'string') return multi
        all.delete(keyOf(act.place))
        return '200'
      }
      case 'add':
      case 'drop':
        return list(who, act)
      case 'describe': {
        const multi = editable(who, act.place, 'multipath')
        if (typeof multi === 'string') return multi
        keep({ ...multi, description_md: act.text })
        return '200'
      }
      case 'copy':
      case 'rename':
        return carry(who, act)
    }
  }

  return {
    perform,
    /** Returns the multi that somebody is shown at a place; undefined if it does not exist for them. */
    at: visible,
    /** Returns the multis of an account that somebody finds in the list of them. */
    of: (owner: Owner, who: ViewerName): readonly Multi[] =>
      [...all.values()].filter((multi) => multi.place.kind === 'm' && multi.place.owner === owner && sees(who, multi)),
    /** Returns the subsites that the filter of an account leaves out of /s/all. */
    filtered: (owner: Owner): readonly Subsite[] => all.get(keyOf({ owner, kind: 'f', name: 'all' }))?.subsites ?? [],
  }
}

/** Tells whether somebody may view a subsite. */
export const views = (who: ViewerName, subsite: Subsite): boolean => subsite !== 'cellar' || who === 'alice' || who === 'root'

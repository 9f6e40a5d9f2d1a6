import type { Actor } from './staff-oracle.ts'
import { DONE, type Entry, type Log, type Outcome, type Person, type Standing } from './standing-oracle.ts'

/*
 * The flair of a subsite, from the interface alone: of accounts and links, its templates and its switches. It shares nothing with the
 * service.
 */

export type Flair = { readonly text: string; readonly css: string }
export type Kind = 'user' | 'link'

/** The target of an act: an account, a link by its number, one of another subsite, or nothing that exists. */
export type FlairTarget = { readonly name: Actor } | { readonly link: number } | 'far' | 'nobody'

export type Line = { readonly whom: Actor | 'nobody'; readonly text: string; readonly css: string; readonly columns: number }

export type FlairAct =
  | ({ readonly act: 'flair'; readonly target: FlairTarget } & Flair)
  | { readonly act: 'deleteflair'; readonly whom: Actor | 'nobody' }
  | { readonly act: 'flaircsv'; readonly lines: readonly Line[] }
  | ({ readonly act: 'flairtemplate'; readonly template: number; readonly kind: Kind; readonly editable: boolean } & Flair)
  | { readonly act: 'deleteflairtemplate'; readonly template: number }
  | { readonly act: 'clearflairtemplates'; readonly kind: Kind }
  | ({ readonly act: 'flairconfig' } & FlairConfig)
  | { readonly act: 'selectflair'; readonly target: FlairTarget; readonly template: number; readonly text: string }
  | { readonly act: 'setflairenabled'; readonly enabled: boolean }

export type FlairConfig = {
  readonly enabled: boolean
  readonly position: string
  readonly linkPosition: string
  readonly ofSelf: boolean
  readonly ofOwnLinks: boolean
}

/** Numbered in the order of their creation, so that acts can name those that are gone, too. */
export type Template = Flair & { readonly number: number; readonly kind: Kind; readonly editable: boolean }

/** The result of each line of a CSV. */
export type LineResult = { readonly ok: boolean; readonly errors: readonly string[]; readonly warnings: readonly string[] }

const NONE: Flair = { text: '', css: '' }
const isNone = ({ text, css }: Flair): boolean => text === '' && css === ''
const isSame = (one: Flair, other: Flair): boolean => one.text === other.text && one.css === other.css
const tidy = ({ text, css }: Flair): Flair => ({ text: text.trim().replace(/\s+/g, ' '), css: css.split(' ').filter(Boolean).join(' ') })

const wrongCss = (css: string): Outcome => {
  const names = css.split(' ').filter(Boolean)
  if (names.length > 10) return 'TOO_MUCH_FLAIR_CSS css_class'
  return names.every((name) => /^[A-Za-z0-9-]{1,100}$/.test(name)) ? DONE : 'BAD_CSS_NAME css_class'
}

/** `links`: who wrote each link, and its fullname, in the order in which they were written. */
export const openFlair = (standing: Standing, log: Log, links: readonly { readonly author: Actor; readonly name: string }[]) => {
  const ofUsers = new Map<Actor, Flair>()
  const ofLinks = new Map<number, Flair>()
  const hidden = new Set<Person>()
  let templates: Template[] = []
  let created = 0
  let config: FlairConfig = { enabled: true, position: 'right', linkPosition: '', ofSelf: false, ofOwnLinks: false }

  const entry = (by: Person, details: string, target = '') => log({ by, action: 'editflair', target, details })

  /** Gives flair to an account; the entries, if it changes and is an act of moderation, under `details`. */
  const wear = (who: Person, whom: Actor, flair: Flair, details: string | undefined): readonly Entry[] => {
    if (isSame(ofUsers.get(whom) ?? NONE, flair)) return []
    ofUsers.set(whom, flair)
    const entryDetails = isNone(flair) ? 'flair_delete' : details
    return details === undefined || entryDetails === undefined
      ? []
      : [{ by: who, action: 'editflair', target: whom, details: entryDetails }]
  }
  const label = (who: Person, link: number, flair: Flair, isLogged: boolean): void => {
    if (isSame(ofLinks.get(link) ?? NONE, flair)) return
    ofLinks.set(link, flair)
    if (isLogged) entry(who, 'flair_edit', links[link]?.name)
  }
  const authorOf = (link: number): Actor | undefined => links[link]?.author
  const labelsOwn = (who: Person, link: number) => config.ofOwnLinks && authorOf(link) === who

  const give = (who: Person, { target, ...given }: Extract<FlairAct, { act: 'flair' }>): Outcome => {
    const moderates = standing.may(who, 'flair')
    const wrong = wrongCss(given.css) || ([...given.text.trim()].length > 64 ? 'TOO_LONG text' : DONE)
    if (!moderates) return '403'
    if (wrong !== DONE) return wrong
    if (target === 'nobody') return 'BAD_FLAIR_TARGET name'
    // an admin may flair links of any subsite
    if (target === 'far') return who === 'root' ? DONE : '403'
    if ('link' in target) label(who, target.link, tidy(given), true)
    else log(...wear(who, target.name, tidy(given), 'flair_edit'))
    return DONE
  }

  /** Lines of one file about several accounts may be applied in any order. */
  const csv = (who: Person, lines: readonly Line[]): readonly LineResult[] => {
    const entries: Entry[] = []
    const results = lines.map(({ whom, text, css, columns }) => {
      if (columns !== 3) return { ok: false, errors: ['row'], warnings: [] }
      const errors = [...(whom === 'nobody' ? ['user'] : []), ...(wrongCss(css) === DONE ? [] : ['css'])]
      if (errors.length > 0 || whom === 'nobody') return { ok: false, errors, warnings: [] }
      const { text: whole, css: classes } = tidy({ text, css })
      entries.push(...wear(who, whom, { text: whole.slice(0, 64), css: classes }, 'flair_csv'))
      return { ok: true, errors: [], warnings: whole.length > 64 ? ['text'] : [] }
    })
    log(...entries)
    return results
  }

  const template = (who: Person, act: Extract<FlairAct, { act: 'flairtemplate' }>): Outcome => {
    const wrong = wrongCss(act.css) || ([...act.text.trim()].length > 64 ? 'TOO_LONG text' : DONE)
    if (wrong !== DONE) return wrong
    const old = templates.find(({ number }) => number === act.template)
    const flair = { ...tidy(act), editable: act.editable }
    if (old && isSame(old, flair) && old.editable === flair.editable) return DONE
    if (old) templates = templates.map((one) => (one === old ? { ...old, ...flair } : one))
    else templates.push({ ...flair, kind: act.kind, number: created++ })
    entry(who, 'flair_template')
    return DONE
  }

  const configure = (who: Person, next: FlairConfig): Outcome => {
    if (!['left', 'right'].includes(next.position)) return 'INVALID_OPTION flair_position'
    if (!['', 'left', 'right'].includes(next.linkPosition)) return 'INVALID_OPTION link_flair_position'
    const names = {
      enabled: 'flair_enabled',
      position: 'flair_position',
      linkPosition: 'link_flair_position',
      ofSelf: 'flair_self_enabled',
      ofOwnLinks: 'link_flair_self_enabled',
    } as const
    const changed = (Object.keys(names) as (keyof FlairConfig)[]).filter((key) => config[key] !== next[key])
    config = next
    log(...changed.map((key) => ({ by: who, action: 'editflair', details: names[key] })))
    return DONE
  }

  const select = (who: Person, { target, template: number, text }: Extract<FlairAct, { act: 'selectflair' }>): Outcome => {
    const moderates = standing.may(who, 'flair')
    if (target === 'nobody') return '404'
    if (target === 'far' && who !== 'root') return '403'
    // templates of this subsite do not fit there
    if (target === 'far') return number < 0 ? DONE : '404'
    const kind: Kind = 'link' in target ? 'link' : 'user'
    const chooses = 'link' in target ? labelsOwn(who, target.link) : target.name === who && config.ofSelf
    if (!moderates && !chooses) return '403'
    const chosen = templates.find((one) => one.number === number && one.kind === kind)
    if (number >= 0 && !chosen) return '404'
    const flair = chosen ? tidy({ css: chosen.css, text: (moderates || chosen.editable) && text.trim() !== '' ? text : chosen.text }) : NONE
    if ('link' in target) label(who, target.link, flair, moderates)
    else log(...wear(who, target.name, flair, moderates ? 'flair_edit' : undefined))
    return DONE
  }

  const perform = (who: Person, act: FlairAct): Outcome | readonly LineResult[] => {
    if (!standing.views(who)) return '403'
    if (act.act === 'selectflair') return select(who, act)
    if (act.act === 'setflairenabled') {
      if (act.enabled) hidden.delete(who)
      else hidden.add(who)
      return DONE
    }
    if (!standing.may(who, 'flair')) return '403'
    switch (act.act) {
      case 'flair':
        return give(who, act)
      case 'deleteflair':
        if (act.whom === 'nobody') return 'BAD_FLAIR_TARGET name'
        log(...wear(who, act.whom, NONE, 'flair_edit'))
        return DONE
      case 'flaircsv':
        return csv(who, act.lines)
      case 'flairtemplate':
        return template(who, act)
      case 'deleteflairtemplate': {
        const remaining = templates.filter(({ number }) => number !== act.template)
        if (remaining.length === templates.length) return '404'
        templates = remaining
        entry(who, 'flair_delete_template')
        return DONE
      }
      case 'clearflairtemplates': {
        const ofOtherKinds = templates.filter(({ kind }) => kind !== act.kind)
        if (ofOtherKinds.length < templates.length) entry(who, 'flair_clear_template')
        templates = ofOtherKinds
        return DONE
      }
      case 'flairconfig': {
        const { act: _, ...next } = act
        return configure(who, next)
      }
    }
  }

  const worn = (whom: Actor): Flair => ofUsers.get(whom) ?? NONE

  /** Returns the offers of the selector to somebody for the own flair; undefined if it refuses. */
  const selector = (who: Actor) => {
    if (!standing.views(who)) return undefined
    const current = worn(who)
    const moderates = standing.may(who, 'flair')
    const offered = moderates || config.ofSelf ? templates.filter(({ kind }) => kind === 'user') : []
    return { current, offered: offered.map(({ number, text, css, editable }) => ({ number, text, css, editable: editable || moderates })) }
  }

  return {
    perform,
    /** Returns the rows in the list of flair. */
    list: (): readonly (Flair & { readonly whom: Actor })[] =>
      [...ofUsers].filter(([, flair]) => !isNone(flair)).map(([whom, flair]) => ({ whom, ...flair })),
    /** Returns the flair that things of an account show. */
    shown: (whom: Actor): Flair => (hidden.has(whom) ? NONE : worn(whom)),
    ofLink: (link: number): Flair => ofLinks.get(link) ?? NONE,
    selector,
  }
}

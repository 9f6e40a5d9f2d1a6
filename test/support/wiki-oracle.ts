import type { TextSetting } from './settings-oracle.ts'
import type { Actor } from './staff-oracle.ts'
import { DONE, type Log, type Outcome, type Person, type Standing } from './standing-oracle.ts'

/*
 * The wiki of a subsite, from the interface alone: who may read and edit its pages, their revisions, levels and editors, and the pages
 * that show settings. It shares nothing with the service.
 */

export const STYLESHEET = 'config/stylesheet'
const AUTOMODERATOR = 'config/automoderator'
const mirrors = {
  'config/sidebar': 'description',
  'config/description': 'public_description',
  'config/submit_text': 'submit_text',
} as const
const settingOf = (page: string): TextSetting | undefined => (mirrors as Readonly<Record<string, TextSetting>>)[page]
export const ordinary = ['leaves', 'roots', 'buds/green'] as const
export const pages: readonly string[] = [...ordinary, ...Object.keys(mirrors), STYLESHEET, AUTOMODERATOR]
const isSpecial = (page: string) => page.startsWith('config/')

export type WikiAct =
  | {
      readonly act: 'wikiedit'
      readonly page: string
      readonly text: string
      readonly reason: string
      /** The edited revision, as the number of revisions since then; -1 names none. */
      readonly previous: number
    }
  | { readonly act: 'wikihide' | 'wikirevert'; readonly page: string; readonly revision: number }
  | { readonly act: 'wikisettings'; readonly page: string; readonly permlevel: number; readonly listed: boolean }
  | { readonly act: 'alloweditor'; readonly page: string; readonly whom: Actor | 'nobody'; readonly allow: boolean }

type Revision = { readonly text: string; readonly by: Person; readonly reason: string; hidden: boolean }
type Page = { permlevel: number; listed: boolean; readonly editors: Set<Person>; readonly revisions: Revision[] }

/** The oracles of the settings and the stylesheet that pages show. */
type WikiView = {
  readonly wiki: () => { readonly mode: string; readonly karma: number; readonly age: number }
  readonly writeText: (name: TextSetting, text: string, by: Person, reason: string) => void
  readonly saveSheet: (text: string, by: Person, reason: string) => boolean
}

/** The reason of a revert, without the age of the revision that it went back to. */
export const REVERTED = 'reverted back'

export const openWiki = (standing: Standing, log: Log, shown: WikiView) => {
  const all = new Map<string, Page>()
  const pageOf = (name: string): Page => {
    const page = all.get(name) ?? { permlevel: 0, listed: true, editors: new Set<Person>(), revisions: [] }
    all.set(name, page)
    return page
  }
  const write = (name: string, text: string, by: Person, reason: string) =>
    void pageOf(name).revisions.push({ text, by, reason, hidden: false })
  for (const name of Object.keys(mirrors)) write(name, '', 'ann', '')

  const moderates = (who: Person) => standing.may(who, 'wiki')
  const textOf = (name: string): string => all.get(name)?.revisions.at(-1)?.text ?? ''

  const views = (who: Person, name: string): boolean => {
    if (moderates(who)) return true
    return name !== AUTOMODERATOR && (isSpecial(name) || (all.get(name)?.permlevel ?? 0) < 2)
  }
  const isBarred = (who: Person) => standing.is(who, 'wikibanned') || standing.is(who, 'banned')
  /** Tells whether the mode of the wiki lets somebody write. Nobody here has karma or is a day old. */
  const isOpenTo = (who: Person): boolean => {
    if (standing.is(who, 'wikicontributor')) return true
    const { mode, karma, age } = shown.wiki()
    return mode === 'anyone' && standing.submits(who) && karma === 0 && age === 0
  }
  const creates = (who: Person): boolean => moderates(who) || (!isBarred(who) && isOpenTo(who))
  const edits = (who: Person, name: string): boolean => {
    if (who === 'root' || (moderates(who) && !isSpecial(name))) return true
    if (isBarred(who) || !views(who, name)) return false
    if (isSpecial(name)) return standing.may(who, 'config')
    return all.get(name)?.editors.has(who) || ((all.get(name)?.permlevel ?? 0) === 0 && isOpenTo(who))
  }

  /** Returns the refusal that comes before that of any page: that of the subsite, or of a wiki that is switched off. */
  const gate = (who: Person): Outcome => {
    if (!standing.views(who)) return '403'
    return shown.wiki().mode === 'disabled' && !moderates(who) ? '403 WIKI_DISABLED' : DONE
  }
  /** Moderators of the wiki; those of special pages need `config` as well. */
  const keeper = (who: Person, name: string): Outcome => {
    const closed = gate(who)
    if (closed !== DONE) return closed
    return moderates(who) && (!isSpecial(name) || standing.may(who, 'config')) ? DONE : '403 MOD_REQUIRED'
  }

  const entry = (by: Person, action: string, details: string, description: string, target = '') =>
    log({ by, action, target, details, description })

  /** Stores a text where the page has it: false if it is a stylesheet that cannot be published. */
  const store = (who: Person, name: string, text: string, reason: string, details: string): boolean => {
    const setting = settingOf(name)
    if (setting !== undefined) shown.writeText(setting, text, who, reason)
    else if (name === STYLESHEET) return shown.saveSheet(text, who, reason)
    else {
      write(name, text, who, reason)
      const told = details === 'revert' ? `Page ${name}, ${reason}` : reason
      if (moderates(who) || isSpecial(name)) entry(who, 'wikirevise', details, told)
    }
    return true
  }

  const edit = (who: Person, { page: name, text, reason, previous }: Extract<WikiAct, { act: 'wikiedit' }>): Outcome => {
    const page = all.get(name)
    // an account that may keep this page may make it
    if (!page && name === AUTOMODERATOR && !edits(who, name)) return '403 RESTRICTED_PAGE'
    if (!page && name !== AUTOMODERATOR && !creates(who)) return '404 PAGE_NOT_FOUND'
    if (!page && name === STYLESHEET) return '403 PAGE_CREATED_ELSEWHERE'
    if (page && !views(who, name)) return '403 MAY_NOT_VIEW'
    if (page && !edits(who, name)) return '403 MAY_NOT_REVISE'
    const current = textOf(name)
    let saved = text
    if (page && previous >= 0) {
      const base = page.revisions.at(-1 - previous)
      if (!base) return '404 INVALID_REVISION'
      // the text of the current one is served, hidden or not
      if (base.hidden && previous > 0 && !moderates(who)) return '403 HIDDEN_REVISION'
      // each text is one line: two changes of it are a conflict
      if (base.text === text) saved = current
      else if (base.text !== current && text !== current) return '409 EDIT_CONFLICT'
    } else if (previous >= 0) return '404 INVALID_REVISION'
    if (page && saved === current) return DONE
    return store(who, name, saved, reason, `Page ${name} edited`) ? DONE : '415 SPECIAL_ERRORS'
  }

  const perform = (who: Person, act: WikiAct, idOf: (revision: number) => string): Outcome => {
    const closed = gate(who)
    if (closed !== DONE) return closed
    if (act.act === 'wikiedit') return edit(who, act)
    const page = all.get(act.page)
    const outcome = keeper(who, act.page)
    if (outcome !== DONE) return outcome
    if (!page) return '404 PAGE_NOT_FOUND'
    if (act.act === 'wikisettings') {
      if (act.permlevel > 2) return '403 INVALID_PERMLEVEL'
      const { permlevel, listed } = page
      Object.assign(page, { permlevel: act.permlevel, listed: act.listed })
      const levels = `Page ${act.page}: level ${permlevel} to ${act.permlevel}`
      log(
        ...(permlevel === act.permlevel ? [] : [{ by: who, action: 'wikipermlevel', description: levels }]),
        ...(listed === act.listed
          ? []
          : [{ by: who, action: 'wikipagelisted', description: `${act.listed ? 'Relisted' : 'Delisted'} page ${act.page}` }]),
      )
      return DONE
    }
    if (act.act === 'alloweditor') {
      if (act.whom === 'nobody') return '404 UNKNOWN_USER'
      if (act.allow && (act.page in mirrors || act.page === STYLESHEET)) return '403 PAGE_CREATED_ELSEWHERE'
      if (page.editors.has(act.whom) === act.allow) return DONE
      if (act.allow) page.editors.add(act.whom)
      else page.editors.delete(act.whom)
      entry(who, 'wikipermlevel', act.allow ? 'alloweditor_add' : 'alloweditor_del', `Page ${act.page}`, act.whom)
      return DONE
    }
    const revision = page.revisions.at(-1 - act.revision)
    if (!revision) return '404 INVALID_REVISION'
    if (act.act === 'wikihide') {
      revision.hidden = !revision.hidden
      entry(who, 'wikirevise', revision.hidden ? 'hide' : 'unhide', `Page ${act.page}, revision ${idOf(act.revision)}`)
      return revision.hidden ? 'hidden' : 'unhidden'
    }
    if (revision.text === textOf(act.page)) return DONE
    return store(who, act.page, revision.text, REVERTED, 'revert') ? DONE : '403 INVALID_CSS'
  }

  /** Returns the answer at the address of a page: a refusal, or its text and whether it may be revised. */
  const read = (who: Person, name: string): Outcome | { readonly text: string; readonly revised: boolean } => {
    const closed = gate(who)
    if (closed !== DONE) return closed
    if (!all.has(name)) return creates(who) ? '404 PAGE_NOT_CREATED' : '404 PAGE_NOT_FOUND'
    return views(who, name) ? { text: textOf(name), revised: edits(who, name) } : '403 MAY_NOT_VIEW'
  }

  return {
    perform,
    write,
    read,
    /** Returns the names of the pages that somebody finds in the list. */
    listed: (who: Person): Outcome | readonly string[] =>
      gate(who) || [...all.keys()].filter((name) => all.get(name)?.listed && views(who, name)).toSorted(),
    /** Returns the authors and reasons of the revisions of a page that somebody finds, newest first. */
    history: (who: Person, name: string): readonly { readonly by: Person; readonly reason: string }[] =>
      (all.get(name)?.revisions ?? [])
        .filter(({ hidden }) => !hidden || moderates(who))
        .map(({ by, reason }) => ({ by, reason }))
        .toReversed(),
    /** Pages that only moderators of the wiki may read now. */
    closed: (): readonly string[] =>
      [...all].filter(([name, { permlevel }]) => name === AUTOMODERATOR || (!isSpecial(name) && permlevel === 2)).map(([name]) => name),
    settings: (name: string) => all.get(name),
    exists: (name: string): boolean => all.has(name),
  }
}

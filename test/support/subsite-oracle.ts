import { type Flair, type FlairAct, type LineResult, openFlair } from './flair-oracle.ts'
import { type LooksAct, openLooks } from './looks-oracle.ts'
import { openSettings, type SettingsAct, texts } from './settings-oracle.ts'
import type { Actor } from './staff-oracle.ts'
import {
  DONE,
  type Entry,
  type Log,
  lineOf,
  type Outcome,
  openStanding,
  type Person,
  type SeatAct,
  type SubsiteType,
} from './standing-oracle.ts'
import { openWiki, STYLESHEET, type WikiAct } from './wiki-oracle.ts'

/*
 * The state of a subsite whose settings, flair, looks, rules, wiki and staff change, defined a second time and as simply as possible,
 * from the interface alone. It shares nothing with the service.
 */

export type PostAct =
  | { readonly act: 'submit'; readonly kind: 'link' | 'self' }
  | { readonly act: 'say'; readonly on: number }
  | { readonly act: 'suggest'; readonly on: number; readonly sort: string }

export type SubsiteAct = SeatAct | PostAct | FlairAct | SettingsAct | LooksAct | WikiAct

export type Thing = {
  readonly name: string
  readonly author: Actor
  /** True if the settings of the time removed it when it was created. */
  readonly held: boolean
  /** The suggestion of its moderators; empty means that of the subsite. */
  sort: string
}

export const isFlair = (act: SubsiteAct): act is FlairAct => act.act.includes('flair')
export const isWiki = (act: SubsiteAct): act is WikiAct => act.act.startsWith('wiki') || act.act === 'alloweditor'
export const isSettings = (act: SubsiteAct): act is SettingsAct => act.act === 'settle' || act.act.endsWith('rule')
export const isLooks = (act: SubsiteAct): act is LooksAct => /^upload|^del(image|slot)|^stylesheet/.test(act.act)
export const isPost = (act: SubsiteAct): act is PostAct => ['submit', 'say', 'suggest'].includes(act.act)

const commentSorts = ['confidence', 'top', 'new', 'insightful', 'fun', 'old', 'random', 'qa', 'blank', '']

/** ann founded the subsite, and it has no links. */
export const openSubsite = () => {
  /** Newest first; the entries of a group may be in any order. */
  const groups: (readonly string[])[] = []
  const log: Log = (...entries: readonly Entry[]) => {
    if (entries.length > 0) groups.unshift(entries.map(lineOf))
  }
  const standing = openStanding(log, (): SubsiteType => settings.type())
  const settings = openSettings(standing, log, (name, by, reason) =>
    wiki.write(`config/${texts[name]}`, String(settings.values()[name]), by, reason),
  )
  const looks = openLooks(standing, log, (source, by, reason) => wiki.write(STYLESHEET, source, by, reason))
  const wiki = openWiki(standing, log, {
    wiki: () => {
      const { wikimode, wiki_edit_karma, wiki_edit_age } = settings.values()
      return { mode: String(wikimode), karma: Number(wiki_edit_karma), age: Number(wiki_edit_age) }
    },
    writeText: settings.writeText,
    saveSheet: looks.save,
  })
  const links: Thing[] = []
  const comments: Omit<Thing, 'sort'>[] = []
  const flair = openFlair(standing, log, links)

  /** Tells whether a text of somebody is removed at once. */
  const isHeld = (who: Person, setting: string) => settings.values()[setting] === 'all' && !standing.isMember(who)

  const post = (who: Person, act: PostAct, made: string): Outcome => {
    switch (act.act) {
      case 'submit': {
        if (who === 'root' || !standing.submits(who)) return 'SUBSITE_NOTALLOWED sr'
        const only = settings.values().link_type
        if (only !== 'any' && only !== act.kind && !standing.may(who, 'posts')) return act.kind === 'self' ? 'NO_SELFS sr' : 'NO_LINKS sr'
        links.push({ name: made, author: who, held: isHeld(who, act.kind === 'self' ? 'spam_selfposts' : 'spam_links'), sort: '' })
        return DONE
      }
      case 'say': {
        if (who === 'root' || !standing.comments(who)) return '403'
        comments.push({ name: made, author: who, held: isHeld(who, 'spam_comments') })
        return DONE
      }
      case 'suggest': {
        const link = links[act.on]
        if (!link || !standing.may(who, 'posts')) return '403'
        if (!commentSorts.includes(act.sort)) return 'INVALID_OPTION sort'
        if (link.sort === act.sort) return DONE
        link.sort = act.sort
        log({ by: who, action: 'setsuggestedsort', target: link.name })
        return DONE
      }
    }
  }

  /** Returns the right answer of the service. `made` is the fullname of the new thing; `idOf` names a revision. */
  const perform = (who: Person, act: SubsiteAct, made: string, idOf: (revision: number) => string): Outcome | readonly LineResult[] => {
    if (isFlair(act)) return flair.perform(who, act)
    if (isWiki(act)) return wiki.perform(who, act, idOf)
    if (isLooks(act)) return looks.perform(who, act)
    if (isSettings(act)) return settings.perform(who, act)
    if (isPost(act)) return post(who, act, made)
    standing.perform(who, act as SeatAct)
    return DONE
  }

  return {
    perform,
    log: (): readonly (readonly string[])[] => groups,
    standing,
    settings,
    looks,
    wiki,
    flair,
    links: (): readonly Readonly<Thing>[] => links,
    comments: (): readonly Readonly<Omit<Thing, 'sort'>>[] => comments,
    /** Returns the sort of comments that a link suggests, if any. */
    suggested: ({ sort }: Thing): string | null => {
      const effective = sort === '' ? settings.values().suggested_comment_sort : sort
      return effective === '' || effective === 'blank' ? null : String(effective)
    },
    worn: (author: Actor): Flair => flair.shown(author),
  }
}

import { DONE, type Log, type Outcome, type Person, type Standing, type SubsiteType } from './standing-oracle.ts'

/*
 * The settings and the rules of a subsite, from the interface alone. It shares nothing with the service.
 */

export type Value = string | number | boolean
export type Settings = Readonly<Record<string, Value>>

type Plain = {
  readonly first: Value
  readonly others: readonly Value[]
  /** Its name in entries of the log, if another than its parameter. */
  readonly entry?: string
  /** Its names in the record of the settings, if others than its parameter. */
  readonly names?: readonly string[]
  /** Its name in the record of the subsite, which shows it. */
  readonly about?: string
}

/** Settings whose changes are entries under their own names, by parameter; each with its first value, and others it may take. */
export const plainSettings: Readonly<Record<string, Plain>> = {
  title: { first: 'A subsite', others: ['Of tea', 'All about tea'], about: 'title' },
  type: {
    first: 'public',
    others: ['restricted', 'private', 'public', 'archived', 'gold_restricted', 'gold_only', 'employees_only'],
    names: ['type', 'subsite_type'],
    about: 'subsite_type',
  },
  link_type: { first: 'any', others: ['link', 'self'], names: ['link_type', 'content_options'], about: 'submission_type' },
  wikimode: { first: 'disabled', others: ['modonly', 'anyone', 'anyone'] },
  wiki_edit_karma: { first: 0, others: [0, 1] },
  wiki_edit_age: { first: 0, others: [0, 1] },
  comment_score_hide_mins: { first: 0, others: [60, 1440], about: 'comment_score_hide_mins' },
  'header-title': {
    first: '',
    others: ['hover', 'over me'],
    entry: 'header_title',
    names: ['header-title', 'header_hover_text'],
    about: 'header_title',
  },
  submit_link_label: { first: '', others: ['Link it'], about: 'submit_link_label' },
  submit_text_label: { first: '', others: ['Say it'], about: 'submit_text_label' },
  lang: { first: 'en', others: ['de', 'fr'], names: ['lang', 'language'], about: 'lang' },
  over_18: { first: false, others: [true], about: 'over18' },
  allow_top: { first: true, others: [false], names: ['allow_top', 'default_set'] },
  show_media: { first: true, others: [false], names: ['show_media', 'show_media_preview'], about: 'show_media' },
  public_traffic: { first: true, others: [false], about: 'public_traffic' },
  collapse_deleted_comments: { first: false, others: [true], about: 'collapse_deleted_comments' },
  exclude_banned_modqueue: { first: false, others: [true] },
  spam_links: { first: 'high', others: ['low', 'all', 'all'] },
  spam_selfposts: { first: 'high', others: ['low', 'all'] },
  spam_comments: { first: 'low', others: ['high', 'all'] },
  suggested_comment_sort: { first: '', others: ['new', 'qa', 'blank'], about: 'suggested_comment_sort' },
}
/** A value that is not the first. */
export const otherValue = ({ first, others }: Plain): Value => others.find((other) => other !== first) ?? first

/** Texts that are wiki pages, too. */
export const texts = { description: 'sidebar', public_description: 'description', submit_text: 'submit_text' } as const
export type TextSetting = keyof typeof texts
/** Returns the words of the log for a change. */
export const labelOf = (name: TextSetting): string =>
  name === 'submit_text' ? 'Updated submission text' : `Updated subsite ${texts[name]}`
const isText = (name: string): name is TextSetting => Object.hasOwn(texts, name)

/** Settings that are refused for their values, with the refusals. */
export const wrongSettings = [
  ['title', 'x'.repeat(101), 'TOO_LONG title'],
  ['type', 'secret', 'INVALID_OPTION type'],
  ['link_type', 'video', 'INVALID_OPTION link_type'],
  ['wikimode', 'on', 'INVALID_OPTION wikimode'],
  ['spam_links', 'some', 'INVALID_OPTION spam_links'],
  ['suggested_comment_sort', 'hottest', 'INVALID_OPTION suggested_comment_sort'],
  ['description', 'x'.repeat(5121), 'TOO_LONG description'],
  ['public_description', 'x'.repeat(501), 'TOO_LONG public_description'],
  ['submit_text', 'x'.repeat(1025), 'TOO_LONG submit_text'],
  ['header-title', 'x'.repeat(501), 'TOO_LONG header-title'],
  ['submit_link_label', 'x'.repeat(61), 'TOO_LONG submit_link_label'],
  ['wiki_edit_karma', '-1', 'BAD_NUMBER wiki_edit_karma'],
  ['wiki_edit_age', 'old', 'BAD_NUMBER wiki_edit_age'],
  ['comment_score_hide_mins', '1441', 'BAD_NUMBER comment_score_hide_mins'],
] as const

export type Rule = { readonly name: string; readonly description: string; readonly kind: string }
export type SettingsAct =
  | { readonly act: 'settle'; readonly changes: Settings; readonly wrong: number }
  | ({ readonly act: 'addrule' } & Rule)
  | ({ readonly act: 'updaterule'; readonly old: string } & Rule)
  | { readonly act: 'removerule'; readonly name: string }

/** `revise` is called with each text that changed, who changed it and why. */
export const openSettings = (standing: Standing, log: Log, revise: (name: TextSetting, by: Person, reason: string) => void) => {
  const values: Record<string, Value> = { description: '', public_description: '', submit_text: '' }
  for (const [name, { first }] of Object.entries(plainSettings)) values[name] = first
  let rules: Rule[] = []

  /** Returns the refusal of a type that is only for admins or for accounts with gold. */
  const refusedType = (who: Person, next: Value | undefined): Outcome => {
    if (who === 'root' || next === undefined || next === values.type) return DONE
    const forAdmins = ['archived', 'gold_restricted', 'employees_only']
    if (forAdmins.includes(String(next)) || values.type === 'employees_only') return 'ADMIN_REQUIRED type'
    return next === 'gold_only' ? 'CANT_CONVERT_TO_GOLD_ONLY type' : DONE
  }

  const settle = (who: Person, { changes, wrong }: Extract<SettingsAct, { act: 'settle' }>): Outcome => {
    const broken = wrongSettings[wrong]
    const next = { ...changes, ...(broken && { [broken[0]]: broken[1] }) }
    const type = broken?.[0] === 'type' ? undefined : next.type
    const refused = refusedType(who, type)
    if (refused !== DONE) return refused
    if (broken) return broken[2]
    const changed = Object.keys(next).filter((name) => values[name] !== next[name])
    for (const name of changed) values[name] = next[name] ?? ''
    log(
      ...changed.flatMap((name) =>
        isText(name) ? [] : [{ by: who, action: 'editsettings', details: plainSettings[name]?.entry ?? name }],
      ),
      ...changed.flatMap((name) => (isText(name) ? [reviseText(name, who, '')] : [])),
    )
    return DONE
  }

  const reviseText = (name: TextSetting, by: Person, reason: string) => {
    revise(name, by, reason)
    return { by, action: 'wikirevise', details: labelOf(name), description: reason }
  }

  const perform = (who: Person, act: SettingsAct): Outcome => {
    if (act.act === 'settle') return standing.may(who, 'config') ? settle(who, act) : '403'
    if (!standing.views(who) || !standing.may(who, 'config')) return '403'
    const at = (name: string) => rules.findIndex((one) => one.name === name)
    switch (act.act) {
      case 'addrule': {
        const { act: _, ...rule } = act
        if (at(rule.name) >= 0) return 'SR_RULE_EXISTS short_name'
        rules.push(rule)
        log({ by: who, action: 'createrule', details: rule.name })
        return DONE
      }
      case 'updaterule': {
        const { act: _, old, ...rule } = act
        if (at(old) < 0) return 'SR_RULE_DOESNT_EXIST old_short_name'
        if (old !== rule.name && at(rule.name) >= 0) return 'SR_RULE_EXISTS short_name'
        const { description, kind } = rules[at(old)] ?? rule
        if (old === rule.name && description === rule.description && kind === rule.kind) return DONE
        rules[at(old)] = rule
        log({ by: who, action: 'editrule', details: rule.name })
        return DONE
      }
      case 'removerule':
        if (at(act.name) < 0) return 'SR_RULE_DOESNT_EXIST short_name'
        rules = rules.filter(({ name }) => name !== act.name)
        log({ by: who, action: 'deleterule', details: act.name })
        return DONE
    }
  }

  return {
    perform,
    values: (): Settings => values,
    type: (): SubsiteType => values.type as SubsiteType,
    rules: (): readonly Rule[] => rules,
    /** An edit of the wiki page of a text. */
    writeText: (name: TextSetting, text: string, by: Person, reason: string): void => {
      if (values[name] === text) return
      values[name] = text
      log(reviseText(name, by, reason))
    },
  }
}

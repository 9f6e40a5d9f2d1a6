import { either as E } from 'fp-ts'
import type { Either } from 'fp-ts/lib/Either.js'
import type { App } from '../../app.ts'
import { actingAs, type Command } from '../../commands/command.ts'
import { foundSubsite } from '../../commands/create-subsite.ts'
import { hasChosen, takeDefaults } from '../../commands/default-subscriptions.ts'
import { refuse } from '../../domain/decision.ts'
import type { AccountId } from '../../domain/ids.ts'
import type { Refusal } from '../../domain/refusal.ts'
import { changeSettings, Subsite } from '../../domain/subsite.ts'
import { checkSettings, commentSorts, defaultSettings, type SubsiteSettings, subsiteTypes } from '../../domain/subsite-settings.ts'
import { capacityIn } from '../access.ts'
import { deferred, settle } from '../deferred.ts'
import { type Decoded, endpoint, type Reply, type Viewer } from '../endpoint.ts'
import { aliased, described, emptiable, flag, fullname, oneOf, optional, raw, refusing, strictInteger, text } from '../params.ts'
import { beginWait, waitOf } from '../posting-limits.ts'

const emptiableText = (max: number) => emptiable(text({ max, empty: true }))
const spamLevel = () => deferred(optional(oneOf('low', 'high', 'all')))

/** Clients put together the settings from their record, so the record's own names are taken too. */
const params = {
  sr: described(deferred(optional(refusing(fullname('subsite'), 'SUBSITE_NOEXIST', 'sr'))), 'the subsite to change; absent: create one'),
  name: described(raw(), 'of a new subsite'),
  title: deferred(optional(text({ max: 100, line: true }))),
  type: deferred(optional(aliased(oneOf(...subsiteTypes), 'subsite_type'))),
  link_type: deferred(optional(aliased(oneOf('any', 'link', 'self'), 'content_options'))),
  wikimode: deferred(optional(oneOf('disabled', 'modonly', 'anyone'))),
  spam_links: spamLevel(),
  spam_selfposts: spamLevel(),
  spam_comments: spamLevel(),
  suggested_comment_sort: deferred(emptiable(oneOf(...commentSorts, 'blank'))),
  description: described(deferred(emptiableText(5120)), 'the sidebar, markdown'),
  public_description: described(deferred(emptiableText(500)), 'markdown'),
  submit_text: described(deferred(emptiableText(1024)), 'markdown'),
  'header-title': deferred(aliased(emptiableText(500), 'header_title', 'header_hover_text')),
  submit_link_label: deferred(emptiableText(60)),
  submit_text_label: deferred(emptiableText(60)),
  wiki_edit_karma: deferred(optional(strictInteger({ min: 0 }))),
  wiki_edit_age: deferred(optional(strictInteger({ min: 0 }))),
  comment_score_hide_mins: deferred(optional(strictInteger({ min: 0, max: 1440 }))),
  lang: described(optional(aliased(raw(), 'language')), 'language tag; an unknown one is `en`'),
  over_18: optional(flag()),
  allow_top: optional(aliased(flag(), 'default_set')),
  show_media: optional(flag()),
  public_traffic: optional(flag()),
  collapse_deleted_comments: optional(flag()),
  exclude_banned_modqueue: optional(flag()),
  hide_ads: optional(flag()),
}

type Asked = Decoded<typeof params>

const languages = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' })

/** Underscore separated; what is no language is the site's. */
const languageOf = (tag: string): string => {
  const normal = tag.trim().replace('-', '_')
  const [, language] = /^([A-Za-z]{2,3})(?:_[A-Za-z]{2,4})?$/.exec(normal) ?? []
  return language !== undefined && languages.of(language) !== undefined ? normal : defaultSettings.lang
}

/** Without those that are absent. */
const present = <T extends object>(fields: T): Partial<SubsiteSettings> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

/** The settings asked for, or the first that is wrong, in the order in which errors are reported. */
const settingsOf = (asked: Asked): Either<Refusal, Partial<SubsiteSettings>> => {
  const { title, type, link_type, wikimode, spam_links, spam_selfposts, spam_comments, suggested_comment_sort } = asked
  const { description, public_description, submit_text, submit_link_label, submit_text_label } = asked
  const settled = settle({
    title,
    type,
    link_type,
    wikimode,
    spam_links,
    spam_selfposts,
    spam_comments,
    suggested_comment_sort,
    description,
    public_description,
    submit_text,
    header_title: asked['header-title'],
    submit_link_label,
    submit_text_label,
    wiki_edit_karma: asked.wiki_edit_karma,
    wiki_edit_age: asked.wiki_edit_age,
    comment_score_hide_mins: asked.comment_score_hide_mins,
  })
  if (E.isLeft(settled)) return settled
  return E.right(
    present({
      ...settled.right,
      lang: asked.lang === undefined ? undefined : languageOf(asked.lang),
      over_18: asked.over_18,
      allow_top: asked.allow_top,
      show_media: asked.show_media,
      public_traffic: asked.public_traffic,
      collapse_deleted_comments: asked.collapse_deleted_comments,
      exclude_banned_modqueue: asked.exclude_banned_modqueue,
      hide_ads: asked.hide_ads,
    }),
  )
}

/** Who may give a subsite its type is asked before anything is read as wrong; whether a value is one at all, after. */
const typeOf = ({ type }: Asked): Partial<SubsiteSettings> => (E.isRight(type) && type.right !== undefined ? { type: type.right } : {})

const titled = (title: string | undefined): Either<Refusal, string> => (title === undefined ? refuse('NO_TEXT', 'title') : E.right(title))

const done: Reply = { kind: 'form' }
type Caller = { readonly account: AccountId; readonly admin: boolean; readonly gold: boolean }
type Founder = { readonly viewer: Viewer; readonly ip: string; readonly caller: Caller }

const create = async (app: App, founder: Founder, asked: Asked, command: Command): Promise<Either<Refusal, Reply>> => {
  const { caller } = founder
  const limited = app.config.rateLimits && !caller.admin
  const wait = limited && !command.retried ? await waitOf(app, founder, 'found') : undefined
  if (wait) return E.left(wait)
  const settings = () => settingsOf({ ...asked, title: E.chain(titled)(asked.title) })
  const founding = { name: asked.name, type: typeOf(asked).type, settings, creator: caller }
  // founders are subscribed to what they found, and must not lose by it what people without subscriptions see
  const chosen = await hasChosen(app, caller.account)
  const founded = await foundSubsite(app, founding, command)
  if (E.isLeft(founded)) return founded
  if (limited) await beginWait(app, founder, 'found')
  if (!chosen) await takeDefaults(app, caller.account, command)
  return E.right(done)
}

const change = async (
  app: App,
  viewer: Viewer,
  caller: Caller,
  asked: Asked,
  id: string,
  command: Command,
): Promise<Either<Refusal, Reply>> => {
  const subsite = await app.load(Subsite, id, command)
  if (!subsite) return refuse('SUBSITE_NOEXIST', 'sr')
  const capacity = await capacityIn(app, viewer, id, 'config', command)
  if (!capacity) return refuse('FORBIDDEN')
  const unfit = checkSettings(caller, typeOf(asked), subsite.settings)
  if (unfit) return E.left(unfit)
  const settings = settingsOf(asked)
  if (E.isLeft(settings)) return settings
  return E.map(() => done)(await app.run(Subsite, id, changeSettings(caller, settings.right), actingAs(command, capacity)))
}

export const siteAdmin = endpoint({
  method: 'POST',
  path: '/api/site_admin',
  scope: 'modconfig',
  login: 'user',
  errors: 'form',
  json: true,
  section: 'Subsites',
  summary: 'Create a subsite, or change the settings of one.',
  notes:
    'With `sr` the subsite is changed, by its moderators with `config`: what is absent stays, each changed setting is one entry in the moderation log. Without it one is created; only `name` and `title` are needed.',
  params,
  handle: async ({ params: asked, viewer, ip, command }, app) => {
    const { account, admin } = viewer
    if (account === undefined) return refuse('USER_REQUIRED')
    if (E.isLeft(asked.sr)) return asked.sr
    const caller = { account, admin, gold: false }
    const { right: sr } = asked.sr
    return sr === undefined ? create(app, { viewer, ip, caller }, asked, command) : change(app, viewer, caller, asked, sr, command)
  },
})

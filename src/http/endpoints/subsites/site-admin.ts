import * as E from 'fp-ts/lib/Either.js'
import { foundSubsite } from '../../../commands/create-subsite.ts'
import { hasChosen, takeDefaults } from '../../../commands/default-subscriptions.ts'
import { hasGoldNow } from '../../../commands/standings.ts'
import { audienceOf } from '../../../domain/audience.ts'
import { changeSettings, Subsite } from '../../../domain/subsite.ts'
import { checkSettings } from '../../../domain/subsite-settings.ts'
import { withinQuota } from '../../../limits/account-quota.ts'
import { foundInTime } from '../../../limits/posting-wait.ts'
import { type AnyEndpoint, type Context, type HandlerOutcome, section } from '../../contract/endpoint.ts'
import { fullname } from '../../contract/name-params.ts'
import { describeParam, optional, rawText, replaceRefusal } from '../../contract/params.ts'
import { refuseRule } from '../../contract/refusals.ts'
import type { SignedIn } from '../../contract/request.ts'
import { foundsFreely, guardByCaptcha } from '../../needs/captcha.ts'
import { actIn } from '../../needs/facts.ts'
import { type SettingsReader, settingsSent, withoutSeen } from './settings-params.ts'

type SettingsContext = Context<unknown, SignedIn> & { readonly settings: SettingsReader }

const authorOf = async (asking: SettingsContext) => {
  const { account, admin } = asking.viewer
  return { account, admin, gold: await hasGoldNow(asking, account) }
}

const create = (context: SettingsContext, name: string): Promise<HandlerOutcome> =>
  foundInTime(context, async (waiting) => {
    const { command, settings, viewer } = context
    const wait = command.retried ? undefined : await waiting()
    if (wait) return E.left(wait)
    // founders are subscribed to their subsite, and must keep the subsites that viewers without subscriptions see
    const chosen = await hasChosen(context, viewer.account)
    const founding = { name, type: settings.type().type, settings: () => settings.all('title'), creator: await authorOf(context) }
    const founded = await foundSubsite(context, founding, command)
    if (E.isRight(founded) && !chosen) await takeDefaults(context, viewer.account, command)
    return founded
  })

const change = async (context: SettingsContext, id: string): Promise<HandlerOutcome> => {
  const { load, run, settings } = context
  const author = await authorOf(context)
  const subsite = await load(Subsite, id)
  if (!subsite) return refuseRule('SUBSITE_NOEXIST', 'sr')
  const act = await actIn(context, id, 'config')
  if (E.isLeft(act)) return act
  const expected = settings.expected()
  if (E.isLeft(expected)) return expected
  const seen = expected.right
  const unfit = checkSettings(author, withoutSeen(settings.type(), seen), subsite.settings)
  if (unfit) return E.left(unfit)
  const all = settings.all()
  if (E.isLeft(all)) return all
  const changes = withoutSeen(all.right, seen)
  const record = () => withinQuota(context, 'settings', () => run(Subsite, id, changeSettings(author, changes, { seen })))
  const isSame = audienceOf(id, { ...subsite.settings, ...changes }) === audienceOf(id, subsite.settings)
  return isSame ? record() : withinQuota(context, 'audience', record)
}

const subsiteToChange = replaceRefusal(fullname('subsite'), 'SUBSITE_NOEXIST')

const createOrChange = section('Subsites').post('/api/site_admin', {
  scope: 'modconfig',
  login: 'user',
  errors: 'form',
  summary: 'Create a subsite, or change the settings of one.',
  notes:
    'With `sr`, changes that subsite; for moderators with `config`. Absent settings are not changed, and each changed setting is an entry in the moderation log. Without `sr`, creates a subsite; only `name` and `title` are required.',
  params: {
    sr: describeParam(optional(subsiteToChange), 'fullname of the subsite to change; absent: create one'),
    name: describeParam(rawText(), 'of a new subsite'),
  },
  needs: { settings: settingsSent },
  handle: (context) => (context.params.sr === undefined ? create(context, context.params.name) : change(context, context.params.sr)),
})

/** Only creating a subsite requires a captcha, and not from an admin. */
const siteAdmin = guardByCaptcha(createOrChange, {
  unless: ({ sr }: { readonly sr: string | undefined }, viewer) => sr !== undefined || foundsFreely(viewer),
})

const updateSettings = section('Subsites').patch('/api/v1/subsite/update_settings', {
  aliases: ['/api/v1/subreddit/update_settings'],
  scope: 'modconfig',
  login: 'user',
  errors: 'form',
  summary: 'Change the settings of a subsite.',
  notes:
    'As `/api/site_admin` with `sr`, for clients that send the settings as a JSON object; for moderators with `config`. Absent settings, and those that are null, are not changed.',
  params: { sr: describeParam(subsiteToChange, 'fullname of the subsite to change') },
  needs: { settings: settingsSent },
  handle: (context) => change(context, context.params.sr),
})

export const settingsEndpoints: readonly AnyEndpoint[] = [siteAdmin, updateSettings]

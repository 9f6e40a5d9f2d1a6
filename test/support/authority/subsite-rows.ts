import { postForm } from '../community.ts'
import { multipart, picture } from '../pictures.ts'
import { foundSubsite } from '../posting.ts'
import { accountsOf, anyUser, holders, users } from './roles.ts'
import { id, type Row, type Rows } from './row.ts'
import { nextNumber, type Stage } from './stage.ts'
import type { Make } from './things.ts'

const config = holders('config')
const wiki = holders('wiki')
const asConfig = { by: config, as: 'staff' } as const satisfies Row
const asWiki = { by: wiki, as: 'staff' } as const satisfies Row

let rules = 0
const ruleOf: Make = async ({ founder }) => {
  const short_name = `rule ${rules++ % 10}`
  await founder.post('/s/tea/api/remove_subsite_rule', { short_name })
  return short_name
}
const makeRule: Make = async (stage, self) => {
  const short_name = await ruleOf(stage, self)
  await postForm(stage.founder, '/s/tea/api/add_subsite_rule', { short_name, kind: 'all' })
  return short_name
}

/** Adds rules until there are two, and returns the names of all, the last first. */
const makeReversedRules: Make = async (stage, self) => {
  for (let n = 0; n < 2; n++) await makeRule(stage, self)
  const shown = (await stage.founder.get('/s/tea/about/rules')).at('rules') as readonly { readonly short_name: string }[]
  return shown
    .map(({ short_name }) => short_name)
    .toReversed()
    .join(',')
}

let images = 0
const newImage = () => `img${images++ % 20}`
const sizes: Readonly<Record<string, { readonly width: number; readonly height: number }>> = {
  icon: { width: 256, height: 256 },
  banner: { width: 640, height: 192 },
}
const imageOf = async (upload_type: string, name: string) => multipart({ upload_type, name }, await picture(sizes[upload_type]))
const makePicture = (use: string) => async (stage: Stage) => {
  const name = newImage()
  const answer = await stage.founder.request('POST', '/s/tea/api/upload_sr_img', await imageOf(use, name))
  if (answer.at('img_src') === '') throw new Error(answer.text)
  return name
}

let widths = 10
/** The file of an image that was never there before. */
const newPicture: Make = async ({ founder }) => {
  const form = await multipart({ upload_type: 'img', name: 'fresh' }, await picture({ width: widths++, height: 10 }))
  return String((await founder.request('POST', '/s/tea/api/upload_sr_img', form)).at('img_src')).replace(/^.*\//, '')
}

const makeWikiPage: Make = async ({ founder }) => {
  const page = `page${nextNumber()}`
  await postForm(founder, '/s/tea/api/wiki/edit', { page, content: 'words' })
  return page
}
/** A revision that another has taken the place of. */
const makeRevision: Make = async ({ founder }) => {
  for (const words of ['old', 'new'])
    await postForm(founder, '/s/tea/api/wiki/edit', { page: 'history', content: `${words} ${nextNumber()}` })
  return String((await founder.get('/s/tea/wiki/revisions/history?limit=2')).at('data.children.1.id'))
}
const makeHidden: Make = async (stage, self) => {
  const revision = await makeRevision(stage, self)
  await postForm(stage.founder, '/s/tea/api/wiki/hide', { page: 'history', revision })
  return revision
}
const makeEditable: Make = async (stage, self) => {
  const page = await makeWikiPage(stage, self)
  await postForm(stage.founder, '/s/tea/api/wiki/alloweditor/add', { page, username: 'stranger' })
  return page
}
/** The page of rules that moderators of the wiki may view; the one who has only that permission was allowed to edit it. */
const makeModeratorsPage: Make = async ({ founder }) => {
  const page = 'config/automoderator'
  await postForm(founder, '/s/tea/api/wiki/edit', { page, content: `type: link # ${nextNumber()}` })
  await postForm(founder, '/s/tea/api/wiki/alloweditor/add', { page, username: 'wiki' })
  return page
}

/** Makes a scene in which somebody has done something that they may undo. */
const makeAfterDoing =
  (path: string, form: (stage: Stage) => Readonly<Record<string, string>>): Make =>
  async (stage, self) => {
    await self.post(path, form(stage))
    return stage.tea
  }
/** Founds a new private subsite of the host. */
const secret: Make = async ({ host }) => {
  const name = `secret${nextNumber()}`
  await foundSubsite(host, name, { type: 'private' })
  return name
}
/** Nobody mutes what they moderate. */
const outsiders = accountsOf('stranger', 'banned', 'muted', 'contributor', 'author', 'root', 'suspended', 'suspendedAdmin')

/** Subsites: settings, appearance, wiki, rules and subscribers. */
export const subsiteRows: Rows = {
  'POST /api/site_admin': [
    {
      what: 'settings of tea',
      ...asConfig,
      records: 'SubsiteSettingChanged',
      on: async ({ tea }) => tea,
      form: (sr) => ({ sr, title: `Tea ${rules++}`, type: 'public', link_type: 'any' }),
    },
    {
      what: 'a new subsite',
      by: users,
      records: 'SubsiteNameClaimed',
      form: (_, self) => ({ name: `of_${self.name}${nextNumber()}`, title: 'Mine', type: 'public', link_type: 'any' }),
    },
  ],
  'PATCH /api/v1/subsite/update_settings': {
    ...asConfig,
    records: 'SubsiteSettingChanged',
    on: async ({ tea }) => tea,
    form: (sr) => ({ sr, title: `Tea ${rules++}` }),
  },
  'POST /api/subscribe': [
    {
      by: anyUser,
      records: 'Subscribed',
      on: makeAfterDoing('/api/subscribe', () => ({ action: 'unsub', sr: 'tea' })),
      form: () => ({ action: 'sub', sr: 'tea' }),
    },
    {
      what: 'to a private subsite',
      by: accountsOf('root'),
      records: 'Subscribed',
      on: secret,
      form: (sr) => ({ action: 'sub', sr }),
    },
    {
      what: 'no longer',
      by: anyUser,
      records: 'Unsubscribed',
      on: makeAfterDoing('/api/subscribe', () => ({ action: 'sub', sr: 'tea' })),
      form: () => ({ action: 'unsub', sr: 'tea' }),
    },
  ],
  'POST /api/mute_subsite': {
    by: outsiders,
    records: 'SubsiteMuted',
    on: makeAfterDoing('/api/unmute_subsite', ({ tea }) => ({ id: tea })),
    form: id,
  },
  'POST /api/unmute_subsite': {
    by: outsiders,
    records: 'SubsiteUnmuted',
    on: makeAfterDoing('/api/mute_subsite', ({ tea }) => ({ id: tea })),
    form: id,
  },
  'POST [/s/{sub}]/api/add_subsite_rule': {
    ...asConfig,
    records: 'RuleCreated',
    on: ruleOf,
    form: (short_name) => ({ short_name, description: '', kind: 'all' }),
  },
  'POST [/s/{sub}]/api/update_subsite_rule': {
    ...asConfig,
    records: 'RuleEdited',
    on: makeRule,
    form: (old_short_name) => ({ old_short_name, short_name: old_short_name, description: 'clearer', kind: 'all' }),
  },
  'POST [/s/{sub}]/api/remove_subsite_rule': { ...asConfig, records: 'RuleDeleted', on: makeRule, form: (short_name) => ({ short_name }) },
  'POST [/s/{sub}]/api/reorder_subsite_rules': {
    ...asConfig,
    records: 'RulesReordered',
    on: makeReversedRules,
    form: (new_rule_order) => ({ new_rule_order }),
  },
  'POST [/s/{sub}]/api/upload_sr_img': { ...asConfig, records: 'ImageUploaded', upload: () => imageOf('img', newImage()) },
  'POST [/s/{sub}]/api/subsite_stylesheet': {
    ...asConfig,
    records: 'StylesheetSaved',
    form: () => ({ op: 'save', stylesheet_contents: `a { top: ${images++}px }` }),
  },
  'POST [/s/{sub}]/api/delete_sr_img': {
    ...asConfig,
    records: 'ImageDeleted',
    on: makePicture('img'),
    form: (img_name) => ({ img_name }),
  },
  'POST [/s/{sub}]/api/erase_sr_img': {
    by: accountsOf('root'),
    as: 'staff',
    records: 'ImageErased',
    on: newPicture,
    form: (file) => ({ file, reason: 'ordered by a court' }),
  },
  'POST [/s/{sub}]/api/delete_sr_header': { ...asConfig, records: 'ImageDeleted', on: makePicture('header') },
  'POST [/s/{sub}]/api/delete_sr_icon': { ...asConfig, records: 'ImageDeleted', on: makePicture('icon') },
  'POST [/s/{sub}]/api/delete_sr_banner': { ...asConfig, records: 'ImageDeleted', on: makePicture('banner') },
  'POST [/s/{sub}]/api/wiki/erase': {
    by: accountsOf('root'),
    as: 'staff',
    records: 'WikiRevisionErased',
    on: makeRevision,
    form: (revision) => ({ page: 'history', revision, reason: 'ordered by a court' }),
  },
  'POST [/s/{sub}]/api/wiki/edit': [
    {
      what: 'an ordinary page',
      ...asWiki,
      records: 'WikiPageRevised',
      form: (_, self) => ({ page: 'index', content: `by ${self.name} ${nextNumber()}` }),
    },
    {
      what: 'the sidebar',
      ...asConfig,
      records: 'SubsiteSettingChanged',
      form: (_, self) => ({ page: 'config/sidebar', content: `by ${self.name}` }),
    },
    {
      what: 'a page that somebody was allowed to edit',
      by: [...wiki, ...accountsOf('stranger')],
      as: 'staff',
      records: 'WikiPageRevised',
      on: makeEditable,
      form: (page) => ({ page, content: `words ${nextNumber()}` }),
    },
    {
      what: 'the rules of the subsite for programs',
      ...asWiki,
      records: 'WikiPageRevised',
      on: makeModeratorsPage,
      form: (page) => ({ page, content: `type: link # ${nextNumber()}` }),
    },
  ],
  'POST [/s/{sub}]/api/wiki/hide': [
    { ...asWiki, records: 'WikiRevisionHidden', on: makeRevision, form: (revision) => ({ page: 'history', revision }) },
    { what: 'no longer', ...asWiki, records: 'WikiRevisionUnhidden', on: makeHidden, form: (revision) => ({ page: 'history', revision }) },
  ],
  'POST [/s/{sub}]/api/wiki/revert': {
    ...asWiki,
    records: 'WikiPageRevised',
    on: makeRevision,
    form: (revision) => ({ page: 'history', revision }),
  },
  'POST [/s/{sub}]/wiki/settings/{page}': [
    {
      ...asWiki,
      records: 'WikiPagePermlevelChanged',
      on: makeWikiPage,
      path: (page) => ({ page }),
      form: () => ({ permlevel: 1, listed: true }),
    },
    {
      what: 'unlisted',
      ...asWiki,
      records: 'WikiPageListingChanged',
      on: makeWikiPage,
      path: (page) => ({ page }),
      form: () => ({ permlevel: 0, listed: false }),
    },
  ],
  'POST [/s/{sub}]/api/wiki/alloweditor/{act}': [
    {
      ...asWiki,
      records: 'WikiEditorAdded',
      on: makeWikiPage,
      path: () => ({ act: 'add' }),
      form: (page) => ({ page, username: 'stranger' }),
    },
    {
      what: 'no longer',
      ...asWiki,
      records: 'WikiEditorRemoved',
      on: makeEditable,
      path: () => ({ act: 'del' }),
      form: (page) => ({ page, username: 'stranger' }),
    },
  ],
}

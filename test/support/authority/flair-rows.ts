import { postForm } from '../community.ts'
import { putTemplate } from '../flair.ts'
import { accountsOf, anyUser, authorityBy, holders, users } from './roles.ts'
import type { Fields, Row, Rows } from './row.ts'
import { nextNumber, registerSomebody, type Stage } from './stage.ts'
import { link, type Make, newName } from './things.ts'

const asFlair = { by: holders('flair'), as: 'staff' } as const satisfies Row

const makeFlair: Make = async (stage) => {
  const { name } = await registerSomebody(stage)
  await postForm(stage.founder, '/s/tea/api/flair', { name, text: 'Brewer' })
  return name
}
const template =
  (flair_type: string): Make =>
  ({ founder }) =>
    putTemplate(founder, 'tea', { text: `flair ${nextNumber()}`, flair_type })
/** Sets whether the users of tea choose their own flair and that of their links. */
const chosenByUsers = ({ founder }: Stage, chosen: boolean) =>
  postForm(founder, '/s/tea/api/flairconfig', {
    flair_enabled: true,
    flair_position: 'left',
    flair_self_assign_enabled: chosen,
    link_flair_self_assign_enabled: chosen,
  })
const onTheLeft: Make = async (stage) => {
  await chosenByUsers(stage, false)
  return 'tea'
}
/** Something and a flair for it, where users may choose theirs and where not. */
const withFlair =
  (make: Make, type: string, chosen: boolean): Make =>
  async (stage, self) => {
    await chosenByUsers(stage, chosen)
    return `${await make(stage, self)} ${await template(type)(stage, self)}`
  }
const part = (target: string, n: number): string => target.split(' ')[n] ?? ''
const ofName = (target: string): Fields => ({ name: part(target, 0), flair_template_id: part(target, 1) })
const ofLink = (target: string): Fields => ({ link: part(target, 0), flair_template_id: part(target, 1) })
const ownName: Make = async (_, self) => self.name

/** The flair of users and links. */
export const flairRows: Rows = {
  'POST [/s/{sub}]/api/flair': [
    { ...asFlair, records: 'UserFlairChanged', on: newName, form: (name) => ({ name, text: 'Brewer' }) },
    { what: 'of a link', ...asFlair, records: 'LinkFlairChanged', on: link, form: (target) => ({ link: target, text: 'Brewing' }) },
    {
      what: 'of oneself',
      ...asFlair,
      records: 'UserFlairChanged',
      on: withFlair(ownName, 'USER_FLAIR', true),
      form: (_, self) => ({ name: self.name, text: `Brewer ${nextNumber()}` }),
    },
  ],
  'POST [/s/{sub}]/api/deleteflair': { ...asFlair, records: 'UserFlairChanged', on: makeFlair, form: (name) => ({ name }) },
  'POST [/s/{sub}]/api/flairconfig': {
    ...asFlair,
    records: 'FlairSettingChanged',
    on: onTheLeft,
    form: () => ({ flair_enabled: true, flair_position: 'right' }),
  },
  'POST [/s/{sub}]/api/flaircsv': {
    ...asFlair,
    records: 'UserFlairChanged',
    on: newName,
    form: (name) => ({ flair_csv: `${name},Brewer,` }),
  },
  'POST [/s/{sub}]/api/flairtemplate': [
    { ...asFlair, records: 'FlairTemplateAdded', form: () => ({ text: `flair ${nextNumber()}`, flair_type: 'USER_FLAIR' }) },
    {
      what: 'another text',
      ...asFlair,
      records: 'FlairTemplateChanged',
      on: template('USER_FLAIR'),
      form: (flair_template_id) => ({ flair_template_id, text: `flair ${nextNumber()}`, flair_type: 'USER_FLAIR' }),
    },
  ],
  'POST [/s/{sub}]/api/deleteflairtemplate': {
    ...asFlair,
    records: 'FlairTemplateDeleted',
    on: template('USER_FLAIR'),
    form: (flair_template_id) => ({ flair_template_id }),
  },
  'POST [/s/{sub}]/api/clearflairtemplates': {
    ...asFlair,
    records: 'FlairTemplatesCleared',
    on: template('USER_FLAIR'),
    form: () => ({ flair_type: 'USER_FLAIR' }),
  },
  'POST [/s/{sub}]/api/selectflair': [
    { what: 'for somebody else', ...asFlair, records: 'UserFlairChanged', on: withFlair(newName, 'USER_FLAIR', true), form: ofName },
    {
      what: 'for oneself where users choose',
      by: users,
      as: authorityBy(asFlair.by),
      records: 'UserFlairChanged',
      isOwn: true,
      on: withFlair(ownName, 'USER_FLAIR', true),
      form: ofName,
    },
    {
      what: 'for oneself where they do not',
      ...asFlair,
      records: 'UserFlairChanged',
      isOwn: true,
      on: withFlair(ownName, 'USER_FLAIR', false),
      form: ofName,
    },
    {
      what: 'of a link where authors choose',
      by: [...asFlair.by, ...accountsOf('author')],
      as: 'staff',
      records: 'LinkFlairChanged',
      on: withFlair(link, 'LINK_FLAIR', true),
      form: ofLink,
    },
    {
      what: 'of a link where they do not',
      ...asFlair,
      records: 'LinkFlairChanged',
      on: withFlair(link, 'LINK_FLAIR', false),
      form: ofLink,
    },
  ],
  'POST [/s/{sub}]/api/setflairenabled': {
    by: anyUser,
    records: 'UserFlairSwitched',
    on: async ({ tea }, self) => {
      await self.post('/s/tea/api/setflairenabled', { flair_enabled: true })
      return tea
    },
    form: () => ({ flair_enabled: false }),
  },
}

import sharp from 'sharp'
import { act, elementAt, type Scene } from './acting.ts'
import type { Answer } from './client.ts'
import type { SubsitePlan } from './community.ts'
import type { SubsiteLife } from './lives.ts'

type Offered = { choices?: readonly { flair_template_id: string }[] } | undefined

/** The ids of the templates that are offered, in the order in which they were added. */
const templateIdsOf = (answer: Answer | undefined): readonly string[] =>
  (answer?.body as Offered)?.choices?.map(({ flair_template_id }) => flair_template_id) ?? []

const picture = (background: string): Promise<Buffer> =>
  sharp({ create: { width: 64, height: 64, channels: 3, background } })
    .png()
    .toBuffer()

const setFlair = async ({ person, posted, community }: Scene, plan: SubsitePlan, life: SubsiteLife) => {
  const founder = person(plan.founder)
  const place = `/s/${plan.name}/api`
  const settings = { flair_enabled: 'true', flair_position: 'right', flair_self_assign_enabled: 'true' }
  const linkSettings = { link_flair_position: 'left', link_flair_self_assign_enabled: 'true' }
  await act('flair settings', founder.post(`${place}/flairconfig`, { ...settings, ...linkSettings }))
  // an earlier run may have left its templates
  for (const type of ['USER_FLAIR', 'LINK_FLAIR']) await founder.post(`${place}/clearflairtemplates`, { flair_type: type })
  for (const { type, text, css, editable } of life.templates) {
    const form = { flair_type: type, text, css_class: css, text_editable: String(editable) }
    await act('flair templates', founder.post(`${place}/flairtemplate`, form))
  }
  const offered = (form: Readonly<Record<string, string>>) => founder.post(`${place}/flairselector`, form)
  const ofUsers = templateIdsOf(await offered({}))
  for (const { person: wearer, template } of life.wearers) {
    const { name, post } = person(wearer)
    const id = ofUsers[template]
    if (id !== undefined) await act('own flair', post(`${place}/selectflair`, { name, flair_template_id: id }))
  }
  const here = posted.filter(({ subsite }) => community.subsites[subsite] === plan)
  const [first] = here
  const ofLinks = first ? templateIdsOf(await offered({ link: first.link })) : []
  for (const [index, { thing, template }] of life.labels.entries()) {
    const [label, id] = [elementAt(here, thing), ofLinks[template]]
    if (label === undefined || id === undefined) continue
    const by = index % 2 === 0 ? founder : person(label.author)
    await act('link flair', by.post(`${place}/selectflair`, { link: label.link, flair_template_id: id }))
  }
}

const revisionsOf = (answer: Answer): readonly string[] =>
  (answer.body as { data?: { children?: readonly { id: string }[] } }).data?.children?.map(({ id }) => id) ?? []

const writeWiki = async ({ person }: Scene, plan: SubsitePlan, life: SubsiteLife) => {
  const founder = person(plan.founder)
  const place = `/s/${plan.name}`
  for (const [index, { name, revisions }] of life.pages.entries()) {
    let position: string | undefined
    for (const { author, text, reason } of revisions) {
      const form = { page: name, content: text, reason }
      // others cannot write the pages of a restricted subsite
      const writer = plan.type === 'restricted' ? founder : person(author)
      position = (await act('wiki revisions', writer.post(`${place}/api/wiki/edit`, form)))?.position ?? position
    }
    const editor = person(plan.founder + 1).name
    if (index === 0) {
      await act('wiki editors', founder.post(`${place}/api/wiki/alloweditor/add`, { page: name, username: editor }))
      await act('wiki settings', founder.post(`${place}/wiki/settings/${name}`, { permlevel: '1', listed: 'true' }))
    }
    const written = revisionsOf(await founder.get(`${place}/wiki/revisions/${name}`, position ? { min_position: position } : {}))
    const [, older] = written
    if (older === undefined) continue
    if (index === 0) await act('wiki reverts', founder.post(`${place}/api/wiki/revert`, { page: name, revision: older }))
    if (index === 1) await act('wiki hidings', founder.post(`${place}/api/wiki/hide`, { page: name, revision: older }))
  }
}

/** Rules, a sidebar, an image and the stylesheet that shows it: what a founder does before anybody posts. */
export const furnish = async ({ person, community }: Scene, plan: SubsitePlan, life: SubsiteLife): Promise<void> => {
  const founder = person(plan.founder)
  const api = `/s/${plan.name}/api`
  const about = await founder.get(`/s/${plan.name}/about`, {})
  const { name: sr = '' } = (about.body as { data?: { name?: string } }).data ?? {}
  const [first] = life.rules
  const sidebar = `# ${plan.title}\n\n${plan.description}\n\n* ${life.rules.map(({ name }) => name).join('\n* ')}`
  const neighbour = community.subsites[(community.subsites.indexOf(plan) + 1) % community.subsites.length]
  const description = `${sidebar}\n\nSee also /s/${neighbour?.name}.`
  const settings = { title: plan.title, description, submit_text: first ? `${first.name}, please.` : '', wikimode: 'anyone' }
  await act('sidebars', founder.post('/api/site_admin', { sr, ...settings }))
  for (const { name, kind, description } of life.rules)
    await act('rules', founder.post(`${api}/add_subsite_rule`, { short_name: name, kind, description }))
  if (first) {
    const changed = { old_short_name: first.name, short_name: first.name, kind: 'all', description: `${first.description} Always.` }
    await act('changed rules', founder.post(`${api}/update_subsite_rule`, changed))
  }
  const image = await picture(life.color)
  await act('images', founder.upload(`${api}/upload_sr_img`, { upload_type: 'img', name: 'tile', img_type: 'png' }, image))
  await act('icons', founder.upload(`${api}/upload_sr_img`, { upload_type: 'icon', img_type: 'png' }, image))
  const css = `.header { background: ${life.color} url(%%tile%%) repeat-x }\n.flair { border: 1px solid ${life.color} }`
  await act('stylesheets', founder.post(`${api}/subsite_stylesheet`, { op: 'save', reason: 'colours', stylesheet_contents: css }))
}

/** Flair and the wiki, once there are links. */
export const inhabit = async (scene: Scene, plan: SubsitePlan, life: SubsiteLife): Promise<void> => {
  await setFlair(scene, plan, life)
  await writeWiki(scene, plan, life)
}

import anyTest, { type TestFn } from 'ava'
import { startCast } from '../support/cast.ts'
import { foundSubsite, readThing, refusalOf, say, submit } from '../support/posting.ts'
import { accountsIn } from '../support/scenes.ts'
import type { Answer } from '../support/site.ts'

const test = anyTest as TestFn<Awaited<ReturnType<typeof startScene>>>

const startScene = async () => {
  const cast = await startCast(['ann', 'bob', 'root'])
  const { ann, bob } = cast
  const tea = await foundSubsite(ann, 'tea')
  const link = await submit(bob, 'tea')
  return { ...cast, tea, link, comment: await say(bob, link) }
}
test.before(async (t) => {
  t.context = await startScene()
})
test.after.always((t) => t.context.site.stop())

type Scene = Awaited<ReturnType<typeof startScene>>

/** The fields of one line: each with a request that sends it. */
const fields: Readonly<Record<string, (scene: Scene, line: string) => Promise<Answer>>> = {
  'title of a link': ({ bob }, title) => bob.post('/api/submit', { sr: 'tea', kind: 'self', title }),
  'subject of a message': ({ bob }, subject) => bob.post('/api/compose', { to: 'ann', subject, text: 'words' }),
  'name of an app': ({ bob }, name) => bob.post('/api/v1/apps', { name, app_type: 'script', redirect_uri: 'http://localhost:9/' }),
  'title of a subsite': ({ ann, tea }, title) => ann.post('/api/site_admin', { sr: tea, title }),
  'words on a header': ({ ann, tea }, line) => ann.post('/api/site_admin', { sr: tea, 'header-title': line }),
  'label for new links': ({ ann, tea }, line) => ann.post('/api/site_admin', { sr: tea, submit_link_label: line }),
  'label for new self-posts': ({ ann, tea }, line) => ann.post('/api/site_admin', { sr: tea, submit_text_label: line }),
  'name of a rule': ({ ann }, short_name) => ann.post('/s/tea/api/add_subsite_rule', { short_name, kind: 'all' }),
  'text of a flair': ({ ann }, text) => ann.post('/s/tea/api/flair', { name: 'bob', text }),
  'text of a flair template': ({ ann }, text) => ann.post('/s/tea/api/flairtemplate', { text, flair_type: 'USER_FLAIR' }),
  'reason of a stylesheet': ({ ann }, reason) => ann.post('/s/tea/api/subsite_stylesheet', { op: 'save', stylesheet_contents: '', reason }),
  'note on a ban': ({ ann }, note) => ann.post('/s/tea/api/friend', { type: 'banned', name: 'root', note }),
  'reason of a ban': ({ ann }, ban_reason) => ann.post('/s/tea/api/friend', { type: 'banned', name: 'root', ban_reason }),
  'note on a mute': ({ ann }, note) => ann.post('/s/tea/api/friend', { type: 'muted', name: 'root', note }),
  'note on a suspension': ({ root }, note) => root.post('/api/suspend_user', { name: 'bob', duration: 1, note }),
  'reason of a report': ({ ann, link }, reason) => ann.post('/api/report', { thing_id: link, reason }),
  'other reason of a report': ({ ann, link }, other_reason) => ann.post('/api/report', { thing_id: link, reason: 'other', other_reason }),
  'reason of an erasure': ({ root, comment }, reason) => root.post('/api/erase_thing', { id: comment, reason }),
}

const CONTROLS = ['\0', '\u0007', '\u001b', '\u007f', '\u0085', '\u009b']

for (const [what, send] of Object.entries(fields))
  test.serial(`a control character is refused in the ${what}`, async (t) => {
    for (const control of CONTROLS) {
      for (const line of [`a${control}b`, control, `${control}\u200b`, ` ${control}`]) {
        const answer = await send(t.context, line)
        const reason = answer.status === 200 ? refusalOf(answer) : String(answer.at('reason'))
        t.regex(reason, /^BAD_STRING/, JSON.stringify(line))
      }
    }
  })

test.serial('line breaks in a field of one line become a space', async (t) => {
  const { ann, link } = t.context
  for (const name of ['title of a subsite', 'label for new links', 'note on a ban', 'reason of a report'])
    t.is(refusalOf((await fields[name]?.(t.context, ' two\r\n\u2028lines ')) as Answer), '', name)
  t.like((await ann.get('/s/tea/about')).at('data'), { title: 'two lines', submit_link_label: 'two lines' })
  const [ban] = await accountsIn(ann, '/s/tea/about/banned')
  t.is(ban?.note, 'two lines')
  t.deepEqual((await readThing(ann, link)).mod_reports, [['two lines', 'ann']])
})

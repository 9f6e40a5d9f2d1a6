import test from 'ava'
import { postForm } from '../support/community.ts'
import { register, speakingTo } from '../support/distributed-load.ts'
import { documentServer } from '../support/document-server.ts'
import { logServer } from '../support/log-server.ts'
import { environmentOn, type Process, startApi, startWorker } from '../support/processes.ts'
import type { Answer } from '../support/site.ts'

const server = await documentServer()

const ROUNDS = 12

if (typeof server === 'string') test.skip(`caches of two processes are not tried: ${server}`, (t) => t.pass())
else
  test('a vote, a comment and an edit show at the next request of each process, also while others vote elsewhere', async (t) => {
    t.timeout(240_000)
    const log = await logServer()
    const stores = environmentOn(log.url, server.freshUrl())
    const processes: Process[] = []
    t.teardown(async () => {
      await Promise.all(processes.map(({ kill }) => kill()))
      await log.stop()
      await server.stop()
    })
    const [one, other, ...workers] = await Promise.all([startApi(stores), startApi(stores), startWorker(stores), startWorker(stores)])
    processes.push(one, other, ...workers)
    const [ann, bob] = [await register(one.url, log.named('ann')), await register(one.url, log.named('bob'))]
    const [atOne, atOther] = [speakingTo(one.url, ann), speakingTo(other.url, bob)]
    const tea = log.named('tea')
    await postForm(atOne, '/api/site_admin', { name: tea, title: 'Tea', type: 'public', link_type: 'any' })
    const submit = async (title: string) =>
      String((await postForm(atOne, '/api/submit', { sr: tea, kind: 'self', title })).at('json.data.name'))
    const [shown, elsewhere] = [await submit('shown'), await submit('elsewhere')]
    const comment = async (text: string) =>
      String((await postForm(atOne, '/api/comment', { thing_id: shown, text })).at('json.data.things.0.data.name'))
    const said = await comment('said')

    /** Asks once more while the process says that its read models are behind. */
    const pageAt = async (url: string, path: string): Promise<Answer> => {
      const answer = await speakingTo(url, bob).get(path)
      return answer.status === 503 ? pageAt(url, path) : answer
    }
    const scoresAt = async (url: string) => {
      const listing = await pageAt(url, `/s/${tea}/new`)
      const thread = await pageAt(url, `/comments/${shown.slice(3)}`)
      const links = listing.at('data.children') as readonly { readonly data: { readonly name: string; readonly ups: number } }[]
      const comments = thread.at('1.data.children') as readonly { readonly data: { readonly name: string; readonly body: string } }[]
      return {
        ups: links.find(({ data }) => data.name === shown)?.data.ups,
        inThread: thread.at('0.data.children.0.data.ups'),
        texts: comments.map(({ data }) => data.body).toSorted(),
      }
    }
    let isOver = false
    const voting = (async () => {
      for (let n = 0; !isOver; n++) await atOther.post('/api/vote', { id: elsewhere, dir: ['1', '-1', '11', '-11'][n % 4] ?? '1' })
    })()
    let comments = ['said']
    try {
      for (let n = 0; n < ROUNDS; n++) {
        const up = n % 2 === 0
        await postForm(atOther, '/api/vote', { id: shown, dir: up ? '1' : '11' })
        const ups = up ? 2 : 1
        if (n % 3 === 1) {
          await comment(`more ${n}`)
          comments = [...comments, `more ${n}`]
        }
        if (n % 3 === 2) {
          await postForm(atOne, '/api/editusertext', { thing_id: said, text: `edited ${n}` })
          comments = [`edited ${n}`, ...comments.slice(1)]
        }
        for (const { url } of [one, other, one])
          t.deepEqual(await scoresAt(url), { ups, inThread: ups, texts: comments.toSorted() }, `round ${n}`)
      }
    } finally {
      isOver = true
      await voting
    }
  })

import { isDeepStrictEqual } from 'node:util'
import test from 'ava'
import { MongoClient } from 'mongodb'
import { runCommandWith } from '../support/command.ts'
import { eventually, postForm } from '../support/community.ts'
import { register, speakingTo } from '../support/distributed-load.ts'
import { primaryOf } from '../support/document-address.ts'
import { documentServer } from '../support/document-server.ts'
import { logServer } from '../support/log-server.ts'
import { environmentOn, type Process, startApi, startWorker } from '../support/processes.ts'
import { openRelay } from '../support/relay.ts'

const server = await documentServer()

const ROUNDS = process.env.FULL_DISTRIBUTED === '1' ? 6 : 2
/** The beginning of the command that moves checkpoints: a string of this length under the name `update`. */
const MOVE = '\u0002update\0\u000c\0\0\0checkpoints\0'

type Row = {
  readonly names: readonly string[]
  readonly from: readonly string[]
  readonly to: string
  readonly ids: Readonly<Record<string, readonly string[]>>
}

/** Returns the records of batches whose checkpoints have not moved. */
const unfinishedIn = async (url: string): Promise<readonly Row[]> => {
  const client = await new MongoClient(url).connect()
  try {
    const rows = await client.db().collection<Row>('changes').find().toArray()
    const checkpoints = await client.db().collection<{ readonly _id: string; readonly position: string }>('checkpoints').find().toArray()
    const positions = new Map(checkpoints.map(({ _id, position }) => [_id, position]))
    return rows.filter(({ names, to }) => names.every((name) => (positions.get(name) ?? '') < to))
  } finally {
    await client.close()
  }
}

if (typeof server === 'string') test.skip(`a worker is not killed in the middle of a batch: ${server}`, (t) => t.pass())
else
  test('a worker that is killed between the record of its batch and its checkpoints loses and doubles nothing', async (t) => {
    t.timeout(240_000)
    const log = await logServer()
    const url = server.freshUrl()
    const stores = environmentOn(log.url, url)
    const { host, port, by } = await primaryOf(url)
    const processes: Process[] = []
    t.teardown(async () => {
      await Promise.all(processes.map(({ child }) => child.exitCode === null && child.signalCode === null && child.kill('SIGKILL')))
      await log.stop()
      await server.stop()
    })
    const startBehindRelay = async () => {
      const relay = await openRelay({ host, port })
      t.teardown(relay.down)
      const worker = await startWorker({ ...stores, DOCUMENT_STORE_URL: by(relay.port) })
      processes.push(worker)
      return { relay, worker }
    }
    // given two API processes with a cached thread, and one worker
    const apis = await Promise.all([startApi(stores), startApi(stores)])
    processes.push(...apis)
    let { relay, worker } = await startBehindRelay()
    const [api] = apis
    const [ann, bob] = [await register(api.url, log.named('ann')), await register(api.url, log.named('bob'))]
    const [asAnn, asBob] = [speakingTo(api.url, ann), speakingTo(api.url, bob)]
    const tea = log.named('tea')
    await postForm(asAnn, '/api/site_admin', { name: tea, title: 'Tea', type: 'public', link_type: 'any' })
    const thing_id = String((await postForm(asAnn, '/api/submit', { sr: tea, kind: 'self', title: 'Tea' })).at('json.data.name'))
    /** Returns the thread as a process shows it; undefined before the read models have it. */
    const threadAt = async ({ url: at }: Process) => {
      const thread = await speakingTo(at, bob).get(`/comments/${thing_id.slice(3)}`)
      if (thread.status !== 200) return undefined
      const comments = thread.at('1.data.children') as readonly { readonly data: { readonly body: string } }[]
      const link = thread.at('0.data.children.0.data') as { readonly ups: number; readonly num_comments: number }
      return { ups: link.ups, count: link.num_comments, texts: comments.map(({ data }) => data.body).toSorted() }
    }
    /** Asks both processes until they show these votes and comments. */
    const areShown = async (expected: { readonly ups: number; readonly texts: readonly string[] }) => {
      const whole = { ups: expected.ups, count: expected.texts.length, texts: expected.texts.toSorted() }
      for (const one of apis) {
        await eventually(async () => isDeepStrictEqual(await threadAt(one), whole), 1_000)
        t.deepEqual(await threadAt(one), whole)
      }
    }
    const karmaOf = async () => (await asBob.get(`/user/${ann.name}/about`)).at('data.link_karma')
    const texts: string[] = []

    for (let round = 0; round < ROUNDS; round++) {
      const isInsightful = round % 2 === 0
      await areShown({ ups: isInsightful ? 1 : 2, texts })

      // when a worker is killed while a vote and a comment are recorded, but not its checkpoints
      const withheld = relay.withhold(MOVE)
      const text = `words ${round}`
      const writing = [
        postForm(asBob, '/api/vote', { id: thing_id, dir: isInsightful ? '1' : '11' }),
        postForm(asAnn, '/api/comment', { thing_id, text }),
      ]
      await withheld
      await worker.kill()
      await Promise.all(writing)
      const unfinished = await unfinishedIn(url)
      t.true(
        unfinished.some(({ ids }) => Object.values(ids).flat().length > 0),
        JSON.stringify(unfinished),
      )

      // then another goes on, and every process shows both, once
      ;({ relay, worker } = await startBehindRelay())
      texts.push(text)
      await areShown({ ups: isInsightful ? 2 : 1, texts })
      t.is(await karmaOf(), isInsightful ? 2 : 1, 'link karma is shown as 1 at least')
    }
    const audited = await runCommandWith(stores, 'audit')
    t.is(audited.code, 0, audited.stdout + audited.stderr)
  })

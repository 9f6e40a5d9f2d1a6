import { once } from 'node:events'
import { createServer } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { openEventStoreDb } from '../../src/adapters/eventstoredb/event-store.ts'
import { numberedEvent } from '../support/event-load.ts'
import { authority, files, serverTls } from '../support/event-store-server/certificates.ts'
import { type EventStoreServer, type ServerOptions, startEventStoreServer } from '../support/event-store-server/server.ts'
import { streamOf } from '../support/stream-of.ts'

const PASSWORD = 'ch:ng/it'
const encoded = encodeURIComponent(PASSWORD)
const users = { ann: PASSWORD }

const serve = async (t: ExecutionContext, options: ServerOptions = {}): Promise<EventStoreServer> => {
  const server = await startEventStoreServer(options)
  t.teardown(server.stop)
  return server
}

const works = async (t: ExecutionContext, url: string, stream = 'works-1'): Promise<void> => {
  const store = await openEventStoreDb({ url })
  t.teardown(store.close)
  const result = await store.append(stream, 'none', [numberedEvent(1)])
  t.is(result.outcome, 'appended')
  t.is((await streamOf(store, stream, 0)).length, 1)
  for await (const { events } of store.subscribe('0'.repeat(20), new AbortController().signal)) {
    if (events.length > 0) break
  }
}

/** The one line of a start that fails. */
const refusal = async (t: ExecutionContext, url: string): Promise<string> => {
  const { message } = await t.throwsAsync(openEventStoreDb({ url }))
  t.false(message.includes('\n'))
  t.false(message.includes(PASSWORD) || message.includes(encoded), 'the password is printed')
  return message
}

/** The first matching line of a start that waits; an earlier line may say that the server was slow to answer. */
const complaint = async (t: ExecutionContext, url: string, wanted = /^EVENT_STORE_URL/): Promise<string> => {
  const lines: string[] = []
  const stop = new AbortController()
  const opening = openEventStoreDb({
    url,
    signal: stop.signal,
    timings: { silence: 400 },
    journal: { info: () => undefined, warn: (_, line) => void lines.push(line) },
  })
  const said = () => lines.find((line) => wanted.test(line))
  for (let waited = 0; !said() && waited < 10_000; waited += 20) await pause(20)
  stop.abort()
  await t.throwsAsync(opening, { message: /^EVENT_STORE_URL: / })
  return said() ?? ''
}

test('a user with the right password can connect over TLS with a private certificate authority', async (t) => {
  const { port } = await serve(t, { users, tls: serverTls() })
  await works(t, `esdb://ann:${encoded}@127.0.0.1:${port}?tlsCAFile=${files.authority}`)
  await works(t, `esdb+discover://ann:${encoded}@localhost:${port}?tls_ca_file=${encodeURIComponent(files.authority)}`, 'works-2')
})

test('a user certificate is presented to a server that asks for one', async (t) => {
  const { port } = await serve(t, { tls: { ...serverTls(), clientAuthority: authority() } })
  const url = `esdb://127.0.0.1:${port}?tlsCAFile=${files.authority}`
  await works(t, `${url}&userCertFile=${files.userCertificate}&userKeyFile=${files.userKey}`)
})

test('a wrong password is refused at once, with a line that does not contain it', async (t) => {
  const { port } = await serve(t, { users: { ann: 'another' }, tls: serverTls() })
  t.is(
    await refusal(t, `esdb://ann:${encoded}@127.0.0.1:${port}?tlsCAFile=${files.authority}`),
    `EVENT_STORE_URL: the server refuses the user ann: wrong name or password, or no permission to read $all (127.0.0.1:${port})`,
  )
  t.regex(await refusal(t, `esdb://127.0.0.1:${port}?tlsCAFile=${files.authority}`), /refuses a connection without user/)
})

for (const scheme of ['esdb', 'esdb+discover']) {
  test(`over ${scheme}, a certificate of an unknown authority is refused at once and named`, async (t) => {
    const { port } = await serve(t, { tls: serverTls() })
    t.regex(
      await refusal(t, `${scheme}://127.0.0.1:${port}`),
      /the server's certificate is not trusted: .+; name its authority's file with tlsCAFile/,
    )
    t.regex(await refusal(t, `${scheme}://127.0.0.1:${port}?tlsCAFile=${files.otherAuthority}`), /not trusted/)
  })

  test(`over ${scheme}, TLS to a server that has none is refused at once`, async (t) => {
    const { port } = await serve(t)
    t.regex(await refusal(t, `${scheme}://127.0.0.1:${port}`), /the server does not speak TLS; a plaintext connection needs tls=false/)
  })

  test(`over ${scheme}, the start waits for an absent server, an unknown host and a silent one`, async (t) => {
    const server = await serve(t)
    const url = `${scheme}://127.0.0.1:${server.port}?tls=false&maxDiscoverAttempts=2`
    server.freeze()
    t.regex(await complaint(t, url), /the server does not answer|no node of the cluster names a leader/)
    server.thaw()
    await server.kill()
    t.regex(await complaint(t, url), /the connection was refused: no server listens at this address/)
    t.regex(await complaint(t, `${scheme}://no-such-host.invalid?tls=false&maxDiscoverAttempts=2`), /the host name cannot be resolved/)
  })
}

test('the start waits for a server with TLS on a plaintext connection, with a hint', async (t) => {
  const { port } = await serve(t, { tls: serverTls() })
  t.regex(await complaint(t, `esdb://127.0.0.1:${port}?tls=false`), /the server is not ready: .+; does it require TLS\?|does not answer/)
})

test('a follower redirects the start to its leader, or an error names the unreachable leader', async (t) => {
  const leader = await serve(t)
  const follower = await serve(t, { log: leader.log })
  follower.faults.leader = { host: '127.0.0.1', port: leader.port }
  await works(t, `esdb://127.0.0.1:${follower.port}?tls=false`)
  t.true(leader.log.stream('works-1')?.length === 1)
  await leader.kill()
  t.regex(
    await complaint(t, `esdb://127.0.0.1:${follower.port}?tls=false`),
    /follower, and its leader .* cannot be used|the connection was refused: no server listens at this address/,
  )
})

test('a server that is no event store is reported as such', async (t) => {
  const web = createServer((_, response) => response.end('hello'))
  web.listen(0, '127.0.0.1')
  await once(web, 'listening')
  t.teardown(() => web.close())
  const address = web.address()
  const port = typeof address === 'object' ? address?.port : 0
  t.not(await complaint(t, `esdb://127.0.0.1:${port}?tls=false`, /^EVENT_STORE_URL: the server is not ready/), '')
})

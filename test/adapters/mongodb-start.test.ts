import test, { type ExecutionContext } from 'ava'
import { BSON, MongoServerError } from 'mongodb'
import { openMongo } from '../../src/adapters/mongodb/open.ts'
import { startFailure } from '../../src/adapters/mongodb/start-failure.ts'
import { StoreFault } from '../../src/ports/faults.ts'
import { files, serverTls } from '../support/event-store-server/certificates.ts'
import { type Fate, type Hello, PRIMARY, STANDALONE, scriptedMongo, UNINITIATED } from '../support/scripted-mongodb.ts'

const URL = 'mongodb://ann:secret@db1:27017,db2:27017/rostra?replicaSet=rs0'

const failing = (cause: Error) => startFailure(new StoreFault('unavailable', `MongoDB: ${cause.message}`, { cause }), URL)

test('a refused user and an untrusted certificate end the start with a line that names them', (t) => {
  t.deepEqual(failing(new MongoServerError({ code: 18, errmsg: 'Authentication failed.' })), {
    line: 'DOCUMENT_STORE_URL: the server rejects this user or password: Authentication failed.; a user defined in another database needs authSource=… (db1:27017,db2:27017)',
    waits: false,
  })
  const untrusted = failing(new Error('self-signed certificate'))
  t.false(untrusted.waits)
  t.regex(untrusted.line, /not trusted: self-signed certificate; name its authority's file with tlsCAFile \(db1:27017,db2:27017\)$/)
})

test('the start waits for a server that is absent, not ready or not the primary', (t) => {
  for (const [message, said] of [
    ['connect ECONNREFUSED 127.0.0.1:27017', 'the connection was refused: no server listens at this address'],
    ['getaddrinfo ENOTFOUND db1', 'the host name cannot be resolved'],
    ['Server selection timed out after 2000 ms', 'no server of the replica set is the primary'],
    ['something else\nat length', 'the server is not ready: something else'],
  ] as const)
    t.deepEqual(failing(new Error(message)), { line: `DOCUMENT_STORE_URL: ${said} (db1:27017,db2:27017)`, waits: true })
})

const indexed = (): ((command: Readonly<Record<string, unknown>>, name: string) => Fate) => {
  const indexes = new Map<string, unknown[]>()
  return (command, name) => {
    const where = `${command.$db}.${command[name]}`
    const known = indexes.get(where) ?? []
    if (name === 'createIndexes') indexes.set(where, [...known, ...(command.indexes as readonly unknown[])])
    return { cursor: { id: BSON.Long.ZERO, ns: where, firstBatch: known } }
  }
}

const refusing =
  (code: number, errmsg: string): (() => Fate) =>
  () => ({ ok: 0, code, errmsg })

const serve = async (t: ExecutionContext, ...script: Parameters<typeof scriptedMongo>) => {
  const server = await scriptedMongo(...script)
  t.teardown(server.close)
  return server
}

/** The last line of a start that fails, or the first line of a start that waits, followed by `waiting for it`. */
const said = async (t: ExecutionContext, url: string): Promise<string> => {
  const giveUp = new AbortController()
  const lines: string[] = []
  const warn = (_: object, line: string) => {
    lines.push(line)
    giveUp.abort()
  }
  const fault = await t.throwsAsync(openMongo({ url, journal: { warn }, signal: giveUp.signal }), { instanceOf: StoreFault })
  const line = lines[0] ?? fault?.message ?? ''
  t.notRegex(line, /secret|\n/)
  return line
}

const starts: Readonly<Record<string, readonly [code: number, message: string, line: RegExp]>> = {
  'a wrong password': [18, 'Authentication failed.', /rejects this user or password: Authentication failed\.; .*authSource=… \([^)]+\)$/],
  'a user who may only read': [13, 'not authorized on rostra to execute command', /lacks the role readWrite: not authorized/],
  'a member that is not the primary': [10_107, 'not primary', /is not the primary; .*replicaSet=….*; waiting for it$/],
  'what nobody has heard of': [8, 'something is wrong', /^DOCUMENT_STORE_URL: the server cannot be used: something is wrong \([^)]+\)$/],
  'a replica set that nobody has initiated': [
    94,
    'no replset config has been received',
    /never initiated \(rs\.initiate\).*; waiting for it$/,
  ],
}

for (const [title, [code, message, line]] of Object.entries(starts))
  test(`${title} is reported in one line`, async (t) => {
    const { address } = await serve(t, refusing(code, message), () => (code === 94 ? UNINITIATED : PRIMARY))
    t.regex(await said(t, `mongodb://${code === 18 ? 'ann:secret@' : ''}${address}/rostra?directConnection=true`), line)
  })

test('a server outside of a replica set is used, with a line that names what it lacks', async (t) => {
  const lines: string[] = []
  const { url, address } = await serve(t, indexed(), () => STANDALONE)
  const { close } = await openMongo({ url, journal: { warn: (_, line) => void lines.push(line) } })
  await close()
  t.is(lines.length, 1)
  t.regex(lines[0] ?? '', new RegExp(`not a member of a replica set.*make it a replica set of one \\(${address}\\)$`))
})

test('indexes are built by a majority of a replica set, so that a member that is down does not delay the start', async (t) => {
  for (const [hello, quorum] of [
    [PRIMARY, 'majority'],
    [STANDALONE, undefined],
  ] as const) {
    const quorums = new Set<unknown>()
    const answer = indexed()
    const { url } = await serve(
      t,
      (command, name) => {
        if (name === 'createIndexes') quorums.add(command.commitQuorum)
        return answer(command, name)
      },
      () => hello,
    )
    await (await openMongo({ url })).close()
    t.deepEqual([...quorums], [quorum])
  }
})

test('a conflicting index ends the start with a line that names it', async (t) => {
  const answer = indexed()
  const { url } = await serve(t, (command, name) =>
    name === 'createIndexes' ? { ok: 0, code: 85, errmsg: 'Index already exists with a different name: mine' } : answer(command, name),
  )
  t.regex(await said(t, url), /^MongoDB: another index of vault_\w+ conflicts with "owner" and must be dropped: .*name: mine$/)
})

test('a server that is too old ends the start', async (t) => {
  const old: Hello = (me) => ({ ...PRIMARY(me), maxWireVersion: 5 })
  const { url } = await serve(t, indexed(), () => old)
  t.regex(await said(t, url), /the server version is not supported: .*wire version 5/)
})

test('a TLS mismatch is reported in one line, and a trusted authority is enough', async (t) => {
  const secured = await serve(t, indexed(), undefined, serverTls())
  const plain = await serve(t, indexed())
  t.regex(await said(t, `${secured.url}&tls=true`), /certificate is not trusted: .*; name its authority's file with tlsCAFile/)
  t.regex(await said(t, `${plain.url}&tls=true`), /does not speak TLS/)
  t.regex(await said(t, secured.url), /; waiting for it$/)
  const { close } = await openMongo({ url: `${secured.url}&tls=true&tlsCAFile=${encodeURIComponent(files.authority)}` })
  await close()
})

test('the database is the one in the address, or else `rostra`; an invalid name is refused', async (t) => {
  const names = new Set<unknown>()
  const answer = indexed()
  const { address } = await serve(t, (command, name) => {
    if (name === 'createIndexes') names.add(command.$db)
    return answer(command, name)
  })
  for (const rest of ['', '/', '/?directConnection=true', '/forum', '/a%2Db?directConnection=true'])
    await (await openMongo({ url: `mongodb://${address}${rest}` })).close()
  t.deepEqual([...names], ['rostra', 'forum', 'a-b'])
  t.regex(await said(t, `mongodb://ann:secret@${address}/a.b`), /^DOCUMENT_STORE_URL is not a MongoDB address/)
})

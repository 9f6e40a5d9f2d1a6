import { generateKeyPairSync } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import * as fc from 'fast-check'
import { serveWitness } from '../../src/cli/witness.ts'
import { cosign, linesOfWitness, readCosignTime, type Witness, witnessKeyIn, witnessKeyText } from '../../src/history/cosignature.ts'
import { openHistoryReads } from '../../src/history/history-reads.ts'
import { historyKeyIn } from '../../src/history/key.ts'
import { consistencyPlan, type HashAt, leafHash, nodeHash, proofBy, rootOf } from '../../src/history/merkle.ts'
import { checkpointText, openNote, publicHalf, signNote, textOfNote, verifierKey } from '../../src/history/note.ts'
import { keysIn, lastNote, lastOrigin, originLine } from '../../src/history/origins.ts'
import { createWitness, openWitness } from '../../src/history/witness.ts'
import { lastCosigned, MAX_SIZE, witnessHeads } from '../../src/history/witnesses.ts'
import { append, numberAll, recordedEvents } from '../support/numbered-log.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { openDataFile, openedWith } from './opened-stores.ts'

const newKey = () => generateKeyPairSync('ed25519').privateKey
const LINE = 'tea.example/history/0123456789abcdef/log'

/** Heads of a tree of some leaves, which may differ from one on, and proofs that one continues another. */
const logOf = (key = newKey(), forkedAt = Number.POSITIVE_INFINITY) => {
  const over: HashAt = ({ height, index }) =>
    height === 0
      ? leafHash(`${index}${index < forkedAt ? '' : ' forked'}`)
      : nodeHash(over({ height: height - 1, index: 2 * index }), over({ height: height - 1, index: 2 * index + 1 }))
  const note = (size: number, by = key) => signNote(checkpointText({ origin: LINE, size, root: rootOf(size, over) }), LINE, by)
  const proof = (old: number, size: number) => proofBy(consistencyPlan(old, size), over).map((node) => Buffer.from(node).toString('base64'))
  const request = (old: number, size: number) => `${[`old ${old}`, ...proof(old, size)].join('\n')}\n\n${note(size)}`
  return { key, note, request, verifier: verifierKey(LINE, publicHalf(key)) }
}

const newWitness = async (t: ExecutionContext) => {
  const file = join(temporaryDirectory(t), 'witness.json')
  await createWitness(file, 'bob.example/witness')
  const open = async () => {
    const witness = await openWitness(file, () => 1_772_000_000_123)
    if (!witness) throw new Error('no witness')
    return witness
  }
  return { file, open, witness: await open() }
}

test('the key of a witness is read as it is written, and no other text is', (t) => {
  const witness = { name: 'bob.example/w', key: publicHalf(newKey()) }
  const text = witnessKeyText(witness)
  t.deepEqual({ ...witnessKeyIn(text), key: Buffer.from(witnessKeyIn(text)?.key ?? []) }, witness)
  for (const other of ['', text.slice(1), `${text}=`, text.replace('bob', 'eve'), verifierKey('bob.example/w', witness.key), `a b${text}`])
    t.is(witnessKeyIn(other), undefined, other)
})

test('a cosignature says when a checkpoint was seen, and holds for that text, that time and that key alone', (t) => {
  const key = newKey()
  const witness = { name: 'bob.example/w', key: publicHalf(key) }
  const text = textOfNote(logOf().note(5))
  const line = cosign(text, { name: witness.name, key }, 1_772_000_000)
  t.is(readCosignTime(text, line, witness), 1_772_000_000)
  t.is(readCosignTime(text, `junk\n${line}\u2014 eve xx\n`, witness), 1_772_000_000)
  t.is(readCosignTime(textOfNote(logOf().note(6)), line, witness), undefined)
  t.is(readCosignTime(text, line, { ...witness, key: publicHalf(newKey()) }), undefined)
  t.is(readCosignTime(text, line, { ...witness, name: 'bob.example/v' }), undefined)
  const bytes = Buffer.from(line.split(' ')[2] ?? '', 'base64')
  fc.assert(
    fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, by) => {
      const changed = Buffer.from(bytes)
      changed[at] = (changed[at] ?? 0) ^ by
      return readCosignTime(text, `\u2014 ${witness.name} ${changed.toString('base64')}\n`, witness) === undefined
    }),
    { numRuns: 200 },
  )
})

test('a witness cosigns a checkpoint that continues the last one that it saw, and no other', async (t) => {
  const { open, witness } = await newWitness(t)
  const log = logOf()
  const status = async (body: string) => (await witness.addCheckpoint(body)).status
  t.is(await status(log.request(0, 5)), 404, 'it knows no log yet')
  await witness.add(log.verifier)
  for (const body of ['', 'old 0', 'old -1\n\n', `old 00\n\n${log.note(5)}`, `new 0\n\n${log.note(5)}`, `old 0\nxx\n\n${log.note(5)}`])
    t.is(await status(body), 400, body)
  t.is(await status(`old 0\n${`${Buffer.alloc(32).toString('base64')}\n`.repeat(64)}\n${log.note(5)}`), 400)
  t.is(await status(`old 0\n\n${log.note(5, newKey())}`), 403)
  t.is(await status(log.request(0, 5)), 200)
  const { body } = await witness.addCheckpoint(log.request(5, 9))
  const own = witnessKeyIn(witness.key())
  t.is(own && readCosignTime(textOfNote(log.note(9)), body, own), 1_772_000_000)
  t.deepEqual(await witness.addCheckpoint(log.request(5, 9)), { status: 409, body: '9\n', type: 'text/x.tlog.size' })
  t.is(await status(log.request(9, 9)), 200, 'the same again')
  const forked = logOf(log.key, 7)
  t.is(await status(forked.request(9, 9)), 409, 'another log of that size')
  t.is(await status(forked.request(9, 12)), 422)
  t.is(await status(`old 9\n\n${log.note(12)}`), 422, 'without proof')
  t.is(await status(`old 12\n\n${log.note(9)}`), 400)
  t.deepEqual(witness.logs(), [[LINE, 9]])

  const again = await open()
  t.is((await again.addCheckpoint(forked.request(0, 12))).status, 409, 'it remembers what it saw')
  const next = newKey()
  t.is((await again.addCheckpoint(`${log.request(9, 12).split('\n\n')[0]}\n\n${log.note(12, next)}`)).status, 403)
  await again.add(verifierKey(LINE, publicHalf(next)))
  t.is((await again.addCheckpoint(`${log.request(9, 12).split('\n\n')[0]}\n\n${log.note(12, next)}`)).status, 200, 'by a key that follows')
  await t.throwsAsync(again.add('x'), { message: /is no verifier key/ })
})

test('of two forks that are sent at once a witness cosigns one', async (t) => {
  const { witness } = await newWitness(t)
  const log = logOf()
  await witness.add(log.verifier)
  await witness.addCheckpoint(log.request(0, 5))
  const answers = await Promise.all([log.request(5, 9), logOf(log.key, 7).request(5, 9)].map(witness.addCheckpoint))
  t.deepEqual(
    answers.map(({ status }) => status),
    [200, 409],
  )
})

test('a file that is none of a witness is refused', async (t) => {
  const { file } = await newWitness(t)
  const text = await readFile(file, 'utf8')
  for (const other of ['', '{}', text.replace(/MC4C/, 'MC4D')]) {
    await writeFile(file, other)
    await t.throwsAsync(openWitness(file, Date.now), { message: /is not the file of a witness/ })
  }
})

/** A numbered log, and what is needed to send its heads. */
const sending = async (t: ExecutionContext) => {
  const opened = await openedWith(t, openDataFile, recordedEvents)
  await numberAll(opened.events, opened.history, opened.keyFile, recordedEvents.length)
  const key = await historyKeyIn(opened.keyFile)
  const origin = await lastOrigin(opened.history)
  const note = await lastNote(opened.history, '1/log')
  if (!key || !origin || !note) throw new Error('nothing is signed')
  const verifiers = (await keysIn(opened.history, 1)).map((one) => verifierKey(originLine(origin, '1/log'), Buffer.from(one.key, 'base64')))
  const faults: unknown[] = []
  const unseen: string[] = []
  /** Sends until so many rows are stored, or so many witnesses did not cosign. */
  const send = async (witnesses: readonly Witness[], until: () => Promise<boolean>) => {
    const stopping = new AbortController()
    const ports = {
      history: opened.history,
      witnesses,
      key: async () => key,
      clock: () => 1_772_000_000_000,
      onUnseen: ({ name }: Witness, reason: string) => unseen.push(`${name}: ${reason}`),
      onSeen: () => undefined,
    }
    const working = witnessHeads(ports, stopping.signal, (fault) => faults.push(fault))
    while (!(await until()) && faults.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    stopping.abort()
    await working
    t.deepEqual(faults, [])
  }
  const cosigned = () => lastCosigned(opened.history, '1/log', MAX_SIZE)
  return { ...opened, note, verifier: verifiers[0] ?? '', send, unseen, cosigned, origin, key }
}

const served = async (t: ExecutionContext, listener: RequestListener): Promise<string> => {
  const server = createServer(listener)
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const asConfigured = (address: string): Witness => {
  const [url = '', key = ''] = address.split('#')
  const witness = witnessKeyIn(key)
  if (!witness) throw new Error(address)
  return { ...witness, url }
}

test('each head is sent to the witnesses, whose cosignatures are served with it', async (t) => {
  const site = await sending(t)
  const { witness } = await newWitness(t)
  await witness.add(site.verifier)
  const { address, close } = await serveWitness(witness, { host: '127.0.0.1', port: 0 }, (fault) => t.fail(String(fault)))
  t.teardown(close)
  const asked = asConfigured(address)
  await site.send([asked], async () => (await site.cosigned()) !== undefined)
  t.deepEqual(site.unseen, [])
  const reads = openHistoryReads({ ...site, secret: site.key.secret, texts: async () => new Map() })
  const served = (await reads.checkpoint(undefined)) ?? ''
  t.is(await reads.readCosigned(), served)
  t.true(served.startsWith(site.note))
  t.is(readCosignTime(textOfNote(served), served, asked), 1_772_000_000)
  const line = originLine(site.origin, '1/log')
  t.is(readCosignTime(textOfNote(served), served, { name: line, key: publicHalf(site.key.key) }), 1_772_000_000, 'its own, with the time')
  t.is(openNote(served, line, publicHalf(site.key.key)), textOfNote(site.note), 'the signature of the head stands as before')
  t.deepEqual(witness.logs(), [[line, recordedEvents.length]])
})

test('a witness that knows an earlier head is sent the proof from there', async (t) => {
  const site = await sending(t)
  const { witness } = await newWitness(t)
  await witness.add(site.verifier)
  const { address, close } = await serveWitness(witness, { host: '127.0.0.1', port: 0 }, (fault) => t.fail(String(fault)))
  t.teardown(close)
  await site.send([asConfigured(address)], async () => (await site.cosigned()) !== undefined)
  const again = recordedEvents.slice(0, 40).map((event) => ({
    ...event,
    stream: `${event.stream}-again`,
    id: event.id.replace(/^./, (digit) => (digit === 'f' ? '0' : 'f')),
  }))
  await append(site.events, again)
  await numberAll(site.events, site.history, site.keyFile, recordedEvents.length + 40)
  await site.send([asConfigured(address)], async () => (await site.cosigned())?.size === recordedEvents.length + 40)
  t.deepEqual(site.unseen, [])
  t.is(witness.logs()[0]?.[1], recordedEvents.length + 40)
})

test('whatever a witness answers, a head is signed, its reason is told, and only its own signature counts', async (t) => {
  const site = await sending(t)
  const key = publicHalf(newKey())
  const foreign = cosign(textOfNote(site.note), { name: 'w', key: newKey() }, 1)
  let redirected = 0
  const elsewhere = await served(t, (_, answer) => {
    redirected += 1
    answer.end()
  })
  const hostile: readonly (readonly [RequestListener, RegExp])[] = [
    [(_, answer) => answer.end(foreign), /no signature by its key/],
    [(_, answer) => answer.writeHead(409).end('999999\n'), /has seen 999999 events, more than/],
    [(_, answer) => answer.writeHead(409).end('x'), /status 409: x/],
    [(_, answer) => answer.writeHead(500).end('a\u0007b\nc'), /status 500: a\?b$/],
    [(_, answer) => answer.writeHead(302, { Location: elsewhere }).end(), /redirect/],
    [(_, answer) => answer.end('x'.repeat(100_000)), /more than 16384 bytes/],
    [(request) => request.socket.destroy(), /./],
  ]
  for (const [at, [listener, reason]] of hostile.entries()) {
    const url = await served(t, listener)
    const before = site.unseen.length
    await site.send([{ name: 'w', key, url }], async () => site.unseen.length > before)
    t.regex(site.unseen.at(-1) ?? '', reason, String(at))
  }
  t.is(redirected, 0)
  const cosigned = await site.cosigned()
  t.is(linesOfWitness(textOfNote(site.note), cosigned?.lines ?? '', { name: 'w', key }), '')
})

test('of stored cosignatures nothing but lines of signatures is given out, so that no other text makes a head one that nobody signed', async (t) => {
  const { history } = await openedWith(t, openDataFile, [])
  const good = cosign(textOfNote(logOf().note(5)), { name: 'bob.example/w', key: newKey() }, 1)
  for (const [size, other] of [
    '\n\nforged\n',
    '\n',
    '\u2014 no b@se64\n',
    '\u2014 short AAAA\n',
    '\u2014 a+b AAAAAAAA\n',
    '\u2014 a b c\n',
    `x${good}`,
    '\u2014 a b\r\n',
  ].entries()) {
    await history.add([{ tree: '1/log', kind: 'cosignature', number: 8 * (size + 1), value: Buffer.from(`${other}${good}`) }])
    t.is((await lastCosigned(history, '1/log', size + 1))?.lines, good, JSON.stringify(other))
  }
})

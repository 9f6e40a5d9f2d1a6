import test from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import { type ConnectionSettings, readConnectionString } from '../../src/adapters/eventstoredb/connection-string.ts'
import { files } from '../support/event-store-server/certificates.ts'

const read = (url: string): ConnectionSettings => {
  const connection = readConnectionString(url)
  if (E.isLeft(connection)) throw new Error(connection.left)
  return connection.right
}

test('a connection string gives hosts, credentials and settings, whatever the case of its keys', (t) => {
  const connection = read(
    'esdb://a:1,b.example.org,[::1]:3/?TLS=false&keep_alive-interval=20000&maxDiscoverAttempts=3&connectionName=my%20site',
  )
  t.deepEqual(connection, {
    hosts: [
      { address: 'a', port: 1 },
      { address: 'b.example.org', port: 2113 },
      { address: '[::1]', port: 3 },
    ],
    discover: false,
    credentials: undefined,
    tls: undefined,
    connectionName: 'my site',
    settings: { keepAliveInterval: 20_000, maxDiscoverAttempts: 3 },
  })
})

test('the schemes of KurrentDB mean the same as those of EventStoreDB', (t) => {
  const rest = 'ann:secret@a:1?connectionName=site'
  for (const name of ['kurrentdb', 'kurrent', 'kdb']) {
    t.deepEqual(read(`${name}://${rest}`), read(`esdb://${rest}`))
    t.deepEqual(read(`${name}+discover://${rest}`), read(`esdb+discover://${rest}`))
  }
})

test('a password can contain any percent-encoded character', (t) => {
  t.deepEqual(read('esdb+discover://ann:a%3Ab%40c%2Fd%25:e@host').credentials, { username: 'ann', password: 'a:b@c/d%:e' })
})

test('TLS is on by default, with the files that the connection string names', (t) => {
  t.deepEqual(read('esdb://host').tls, {})
  const { tls } = read(`esdb://host?tlsCAFile=${files.authority}&userCertFile=${files.userCertificate}&userKeyFile=${files.userKey}`)
  t.regex(tls?.authority?.toString() ?? '', /BEGIN CERTIFICATE/)
  t.regex(tls?.userKey?.toString() ?? '', /BEGIN PRIVATE KEY/)
})

const wrong: Readonly<Record<string, RegExp>> = {
  'sqlite:data/rostra.db': /expected esdb:\/\//,
  'esdb://': /is not a host|host is missing/,
  'esdb://a,,b': /is not a host|host is missing/,
  'esdb://a:0': /port "0" of a is not a number from 1 to 65535/,
  'esdb://a:70000': /port "70000"/,
  'esdb://a:port': /port "port"/,
  'esdb://a b': /is not a host|host is missing/,
  'esdb://secret@a': /user:password/,
  'esdb://ann:@a': /user:password/,
  'esdb://ann:secret%zz@a': /user:password/,
  'esdb://ann:se@cret@a': /expected esdb/,
  'esdb://ann:secret@a?tls=false': /silently not be sent/,
  'kurrentdb://ann:secret@a?tls=no': /tls=no is not supported/,
  'kurrentdb+other://a': /expected esdb:\/\//,
  'esdb+discover://a,b': /takes one DNS name/,
  'esdb://a?tsl=false': /unknown option "tsl"; accepted options are tls, /,
  'esdb://a?tls': /unknown option "tls"|no value/,
  'esdb://a?tls=no': /tls=no is not supported \(accepted: true or false\)/,
  'esdb://a?tls=true&TLS=false': /given twice/,
  'esdb://a?tlsVerifyCert=false': /always verified; name the authority with tlsCAFile/,
  'esdb://a?tls=false&tlsCAFile=/x': /has no effect with tls=false/,
  'esdb://a?tlsCAFile=/no/such/file': /tlsCAFile cannot be read: ENOENT/,
  'esdb://a?userCertFile=/x': /must be given together/,
  'esdb://a?throwOnAppendFailure=false': /throwOnAppendFailure=false is not supported/,
  'esdb://a?nodePreference=follower': /never stale/,
  'esdb://a?keepAliveInterval=-1': /keepAliveInterval=-1 is not an integer of at least 10000/,
  'esdb://a?keepAliveInterval=500': /at least 10000/,
  'esdb://a?maxDiscoverAttempts=0': /at least 1/,
  'esdb://a?gossipTimeout=5s': /gossipTimeout=5s is not an integer/,
}

for (const [url, line] of Object.entries(wrong)) {
  test(`${url} is refused in one line without secrets`, (t) => {
    const refused = readConnectionString(url)
    t.true(E.isLeft(refused))
    const message = E.isLeft(refused) ? refused.left : ''
    t.regex(message, line)
    t.true(message.startsWith('EVENT_STORE_URL: '))
    t.false(message.includes('secret') || message.includes('\n'))
  })
}

import test from 'ava'
import { MongoServerError } from 'mongodb'
import { startFailure } from '../../src/adapters/mongodb/start-failure.ts'
import { StoreFault } from '../../src/ports/faults.ts'

const URL = 'mongodb://ann:secret@db1:27017,db2:27017/rostra?replicaSet=rs0'

const failing = (cause: Error) => startFailure(new StoreFault('unavailable', `MongoDB: ${cause.message}`, { cause }), URL)

test('a refused user and an untrusted certificate are named, and not waited for', (t) => {
  t.deepEqual(failing(new MongoServerError({ code: 18, errmsg: 'Authentication failed.' })), {
    line: 'DOCUMENT_STORE_URL: the server refuses this user or password: Authentication failed. (db1:27017,db2:27017)',
    waits: false,
  })
  const untrusted = failing(new Error('self-signed certificate'))
  t.false(untrusted.waits)
  t.regex(untrusted.line, /not trusted: self-signed certificate; name its authority's file with tlsCAFile \(db1:27017,db2:27017\)$/)
})

test('a server that is not there, not ready or not the primary is waited for', (t) => {
  for (const [message, said] of [
    ['connect ECONNREFUSED 127.0.0.1:27017', 'nobody listens there'],
    ['getaddrinfo ENOTFOUND db1', 'the host name is not known'],
    ['Server selection timed out after 2000 ms', 'no server there is a primary'],
    ['something else\nat length', 'the server is not ready: something else'],
  ] as const)
    t.deepEqual(failing(new Error(message)), { line: `DOCUMENT_STORE_URL: ${said} (db1:27017,db2:27017)`, waits: true })
})

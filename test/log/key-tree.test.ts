import { hash } from 'node:crypto'
import test from 'ava'
import { keysAt, labelBytes, labelFrom, labelOf, withoutKey } from '../../src/log/key-tree.ts'
import { treeFrom } from '../../src/log/keys.ts'
import fc from '../support/properties.ts'

const tree = treeFrom(Buffer.alloc(6), hash('sha256', 'root', 'buffer'))
const keyOf = (keys: ReturnType<typeof keysAt>) => keys?.secret.toString('hex')
const label = fc.nat({ max: 2 ** 48 - 1 }).map((n) => n.toString(8).padStart(16, '0'))

test('after any erasures the keys of the erased labels are gone, and all others are as before', (t) => {
  fc.assert(
    fc.property(fc.uniqueArray(label, { minLength: 1, maxLength: 20 }), fc.array(label, { maxLength: 20 }), (erased, others) => {
      const punctured = erased.reduce(withoutKey, tree)
      t.true(erased.every((one) => keysAt(punctured, one) === undefined && punctured.erased.has(one)))
      // also the labels that lie nearest to an erased one
      const near = erased.flatMap((one) => [...'01234567'].map((digit) => one.slice(0, -1) + digit))
      for (const other of [...others, ...near])
        if (!erased.includes(other)) t.is(keyOf(keysAt(punctured, other)), keyOf(keysAt(tree, other)))
    }),
    { numRuns: 30 },
  )
})

test('no node that is left lies on the way to an erased label', (t) => {
  const labels = Array.from({ length: 50 }, (_, n) => labelOf(`t1_${n}`))
  const digits = Object.keys(labels.reduce(withoutKey, tree).nodes)
  t.false(digits.some((prefix) => labels.some((one) => one.startsWith(prefix))))
  t.true(digits.every((prefix) => !digits.some((other) => other !== prefix && other.startsWith(prefix))))
})

test('each erased label adds at most 112 nodes, and erasing it again adds none', (t) => {
  const once = withoutKey(tree, labelOf('t1_1'))
  t.is(Object.keys(once.nodes).length, 112)
  t.deepEqual(withoutKey(once, labelOf('t1_1')), once)
  t.true(Object.keys(withoutKey(once, labelOf('t1_2')).nodes).length < 224)
})

test('a label and its bytes can be converted into each other', (t) => {
  fc.assert(fc.property(label, (one) => labelFrom(labelBytes(one)) === one))
  t.is(new Set(Array.from({ length: 10_000 }, (_, n) => labelOf(`t1_${n}`))).size, 10_000)
})

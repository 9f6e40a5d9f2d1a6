import { hash } from 'node:crypto'
import test from 'ava'
import fc from 'fast-check'
import {
  consistencyPlan,
  frontier,
  type HashAt,
  inclusionPlan,
  leafHash,
  nodeHash,
  proofBy,
  rootOf,
  rootsFromGrowth,
} from '../../src/history/merkle.ts'
import { rootFromPath } from '../support/root-from-path.ts'

const hex = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString('hex')

/** The inputs and roots that implementations of RFC 6962 are tested with. */
const inputs = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f']
const roots = [
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
]

const leaves = inputs.map((input) => leafHash(Buffer.from(input, 'hex').toString('latin1')))

/** The definition, word for word. */
const definition = (of: readonly Uint8Array[]): Uint8Array => {
  const [only] = of
  if (only === undefined) return hash('sha256', '', 'buffer')
  if (of.length === 1) return only
  const split = 2 ** Math.floor(Math.log2(of.length - 1))
  return nodeHash(definition(of.slice(0, split)), definition(of.slice(split)))
}

const over =
  (of: readonly Uint8Array[]): HashAt =>
  ({ height, index }) =>
    definition(of.slice(index * 2 ** height, (index + 1) * 2 ** height))

test('roots are those of the published vectors', (t) => {
  const growing = frontier()
  t.is(hex(growing.root()), 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
  for (const [index, leaf] of leaves.entries()) {
    growing.push(leaf)
    t.is(hex(growing.root()), roots[index])
    t.is(hex(rootOf(index + 1, over(leaves))), roots[index])
  }
})

test('paths and proofs of consistency are those of the published vectors', (t) => {
  const path = (index: number, size: number) => proofBy(inclusionPlan(index, size), over(leaves.slice(0, size))).map(hex)
  t.deepEqual(path(0, 1), [])
  t.deepEqual(path(0, 8), [
    '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
    '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
    '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
  ])
  t.deepEqual(path(5, 8), [
    'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
    'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
    'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  ])
  t.deepEqual(path(1, 5), [
    '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
    '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
    'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
  ])
  const growth = (size: number, larger: number) => proofBy(consistencyPlan(size, larger), over(leaves.slice(0, larger))).map(hex)
  t.deepEqual(growth(1, 1), [])
  t.deepEqual(growth(6, 8), [
    '0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a',
    'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
    'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  ])
  t.deepEqual(growth(2, 5), [
    '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
    'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
  ])
})

const sized = fc
  .integer({ min: 1, max: 300 })
  .chain((size) => fc.record({ size: fc.constant(size), index: fc.nat(size - 1), at: fc.nat() }))
const numbered = Array.from({ length: 300 }, (_, n) => leafHash(String(n)))

const changed = (hashes: readonly Uint8Array[], at: number): readonly Uint8Array[] =>
  hashes.map((bytes, index) =>
    index === at % hashes.length ? Buffer.from(bytes.map((byte, i) => (i === at % 32 ? byte ^ 1 : byte))) : bytes,
  )

test('a path leads to the root, and no other path, leaf or place does', (t) => {
  fc.assert(
    fc.property(sized, ({ size, index, at }) => {
      const of = numbered.slice(0, size)
      const leaf = of[index] as Buffer
      const path = proofBy(inclusionPlan(index, size), over(of))
      const root = hex(definition(of))
      t.is(hex(rootFromPath(leaf, { index, size }, path)), root)
      t.not(hex(rootFromPath(leafHash('another'), { index, size }, path)), root)
      if (path.length > 0) {
        t.not(hex(rootFromPath(leaf, { index, size }, changed(path, at))), root)
        t.not(hex(rootFromPath(leaf, { index, size }, path.slice(1))), root)
        t.not(hex(rootFromPath(leaf, { index: index === 0 ? size - 1 : index - 1, size }, path)), root)
      }
      t.not(hex(rootFromPath(leaf, { index, size }, [...path, leaf])), root)
      t.is(rootFromPath(leaf, { index: size, size }, path), undefined)
    }),
  )
})

test('a proof of consistency gives both roots, and a changed one does not', (t) => {
  fc.assert(
    fc.property(sized, ({ size: larger, index, at }) => {
      const size = index + 1
      const of = numbered.slice(0, larger)
      const proof = proofBy(consistencyPlan(size, larger), over(of))
      const [small, large] = [definition(of.slice(0, size)), definition(of)]
      t.deepEqual(rootsFromGrowth(size, larger, small, proof)?.map(hex), [hex(small), hex(large)])
      if (proof.length > 0) t.notDeepEqual(rootsFromGrowth(size, larger, small, changed(proof, at))?.map(hex), [hex(small), hex(large)])
      t.notDeepEqual(rootsFromGrowth(size, larger, small, [...proof, small])?.map(hex), [hex(small), hex(large)])
    }),
  )
})

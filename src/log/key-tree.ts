// Decision 108.

import { hash } from 'node:crypto'

/**
 * The keys of one account's texts, as the leaves of a tree. A node gives each of its eight children, and no node gives its parent or a
 * sibling. A key is destroyed by replacing the nodes on the way to it by their other children. All other keys can still be derived.
 */
export type KeyTree = {
  /** Distinguishes the tree from a later tree of the same account and reveals nothing. */
  readonly id: Buffer
  /** Secrets in base64, by the digits that lead to them; no node lies below another. */
  readonly nodes: Readonly<Record<string, string>>
  /** The labels whose keys are destroyed. */
  readonly erased: ReadonlySet<string>
}

export const SECRET_BYTES = 32
/** With a million things of one account and 256 of them erased, one in a million accounts loses a text of another thing. */
export const LABEL_BYTES = 6
const LABEL_DIGITS = 16
const BRANCHES = 8
const DIGITS = '01234567'
/** The last step from a leaf to the key of a text: it is beyond the digits of nodes. */
const TEXT = String(BRANCHES)
const NONCES = String(BRANCHES + 1)

const HALF_BYTES = LABEL_BYTES / 2
const half = (bytes: Buffer, from: number): string =>
  bytes
    .readUIntBE(from, HALF_BYTES)
    .toString(BRANCHES)
    .padStart(LABEL_DIGITS / 2, '0')

/** Writes a label in two halves, since numbers of more than 32 bits are slow to write. */
export const labelFrom = (bytes: Buffer): string => half(bytes, 0) + half(bytes, HALF_BYTES)

/** Returns the path to the key of a thing. It is as good as unique among the things of an account. */
export const labelOf = (thing: string): string => labelFrom(hash('sha256', thing, 'buffer'))

export const labelBytes = (label: string): Buffer => {
  const bytes = Buffer.alloc(LABEL_BYTES)
  bytes.writeUIntBE(Number.parseInt(label, BRANCHES), 0, LABEL_BYTES)
  return bytes
}

export const isLabel = (text: unknown): text is string => typeof text === 'string' && /^[0-7]{16}$/.test(text)

/** A secret and a digit; reused, since a key is derived for every text that is read. */
const input = Buffer.alloc(SECRET_BYTES + 1)

/**
 * Derives a value from a node and digits: a node below it, or the key of a text. All inputs have one length, so the plain hash is a
 * pseudorandom function of the secret. Node hashes a short text in a third of the time that it takes to make a buffer.
 */
const deriveBelow = (secret: Buffer, digits: string): Buffer => {
  input.set(secret)
  for (const digit of digits) {
    input[SECRET_BYTES] = Number(digit)
    input.write(hash('sha256', input, 'latin1'), 'latin1')
  }
  return Buffer.from(input.subarray(0, SECRET_BYTES))
}

/** Returns the node on the way to a label from which the label can be derived; undefined once its key is destroyed. */
const nodeAbove = (nodes: KeyTree['nodes'], label: string): string | undefined => {
  for (let length = 0; length <= LABEL_DIGITS; length++) if (Object.hasOwn(nodes, label.slice(0, length))) return label.slice(0, length)
  return undefined
}

/** The keys of the texts of one thing. */
export type ThingKeys = { readonly secret: Buffer; readonly nonces: () => Buffer }

const thingKeys = (leaf: Buffer): ThingKeys => ({ secret: deriveBelow(leaf, TEXT), nonces: () => deriveBelow(leaf, NONCES) })

const leafAt = ({ nodes }: KeyTree, label: string): Buffer | undefined => {
  const from = nodeAbove(nodes, label)
  return from === undefined ? undefined : deriveBelow(Buffer.from(nodes[from] ?? '', 'base64'), label.slice(from.length))
}

/** Returns the keys of a label; undefined if they are destroyed. */
export const keysAt = (tree: KeyTree, label: string): ThingKeys | undefined => {
  const leaf = leafAt(tree, label)
  return leaf && thingKeys(leaf)
}

/** Returns the tree with the keys of these labels alone. Nothing that is left in it gives another key. */
export const withOnly = (tree: KeyTree, labels: Iterable<string>): KeyTree => ({
  ...tree,
  nodes: Object.fromEntries(
    [...labels].flatMap((label) => {
      const leaf = leafAt(tree, label)
      return leaf ? [[label, leaf.toString('base64')]] : []
    }),
  ),
})

/** Returns keys in place of destroyed ones. They are not secret, since only `[erased]` is sealed under them. */
export const standInKeys = (label: string): ThingKeys => thingKeys(hash('sha256', `erased ${label}`, 'buffer'))

/** Returns the tree without the key of a label. Nothing that is left in it gives that key. */
export const withoutKey = (tree: KeyTree, label: string): KeyTree => {
  const erased = new Set([...tree.erased, label])
  const from = nodeAbove(tree.nodes, label)
  if (from === undefined) return { ...tree, erased }
  const { [from]: above = '', ...others } = tree.nodes
  const nodes: Record<string, string> = others
  let secret: Buffer = Buffer.from(above, 'base64')
  for (let at = from.length; at < LABEL_DIGITS; at++) {
    const next = label.charAt(at)
    for (const digit of DIGITS) if (digit !== next) nodes[label.slice(0, at) + digit] = deriveBelow(secret, digit).toString('base64')
    secret = deriveBelow(secret, next)
  }
  return { ...tree, nodes, erased }
}

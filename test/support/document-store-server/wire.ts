import { BSON } from 'mongodb'

/** Between the bytes of a connection and the commands in them; documents stay bytes until somebody needs their content. */

export type Json = Readonly<Record<string, unknown>>

/** A command: its fields, and the documents that travel beside it by their names. */
export type Command = {
  readonly id: number
  readonly fields: Json
  readonly beside: ReadonlyMap<string, readonly Buffer[]>
  /** The first command of a connection comes in the form of older servers, and is answered in it. */
  readonly older: boolean
}

const OP_REPLY = 1
const OP_QUERY = 2004
const OP_MSG = 2013
const HEADER_BYTES = 16
/** After the header: the flags. */
const FLAGS_BYTES = 4
/** The head of an answer in the older form: flags, a cursor, and which documents of how many. */
const OLDER_HEAD_BYTES = 20

/** The top of a document; what is nested is bytes. */
export const decodeShallow = (bytes: Buffer): Json => BSON.deserialize(bytes, { raw: true })

export const decodeDeep = (value: unknown): Json => (value instanceof Uint8Array ? BSON.deserialize(value) : ((value ?? {}) as Json))

const documentsIn = (section: Buffer, from: number): readonly Buffer[] => {
  const found: Buffer[] = []
  for (let at = from; at < section.length; ) {
    const size = section.readInt32LE(at)
    found.push(section.subarray(at, at + size))
    at += size
  }
  return found
}

const commandIn = (message: Buffer): Command => {
  const id = message.readInt32LE(4)
  const opcode = message.readInt32LE(12)
  if (opcode === OP_QUERY) {
    const name = message.indexOf(0, HEADER_BYTES + FLAGS_BYTES)
    return { id, fields: decodeShallow(message.subarray(name + 9)), beside: new Map(), older: true }
  }
  if (opcode !== OP_MSG) throw new Error(`operation ${opcode} of the protocol is not spoken here`)
  let fields: Json = {}
  const beside = new Map<string, readonly Buffer[]>()
  for (let at = HEADER_BYTES + FLAGS_BYTES; at < message.length; ) {
    const kind = message.readUInt8(at)
    const size = message.readInt32LE(at + 1)
    const section = message.subarray(at + 1, at + 1 + size)
    if (kind === 0) fields = decodeShallow(section)
    else {
      const end = section.indexOf(0, 4)
      beside.set(section.toString('utf8', 4, end), documentsIn(section, end + 1))
    }
    at += 1 + size
  }
  return { id, fields, beside, older: false }
}

/** The complete commands at the beginning of what was received, and the rest. */
export const commandsIn = (received: Buffer): { readonly commands: readonly Command[]; readonly rest: Buffer } => {
  const commands: Command[] = []
  let at = 0
  while (received.length - at >= HEADER_BYTES && received.length - at >= received.readInt32LE(at)) {
    const message = received.subarray(at, at + received.readInt32LE(at))
    commands.push(commandIn(Buffer.from(message))) // a copy: stored documents must not hold the rest of what came with them
    at += message.length
  }
  return { commands, rest: received.subarray(at) }
}

/** The documents of a command that may be beside it or in it. */
export const documentsOf = ({ fields, beside }: Command, name: string): readonly Buffer[] =>
  beside.get(name) ??
  ((fields[name] as readonly Json[] | undefined) ?? []).map((one) => Buffer.from(one instanceof Uint8Array ? one : BSON.serialize(one)))

const STRING = 0x02
const OBJECT = 0x03
const ARRAY = 0x04

const element = (type: number, name: string, value: Uint8Array): Uint8Array[] => [Buffer.from([type]), Buffer.from(`${name}\0`), value]

const documentOf = (elements: readonly Uint8Array[]): Buffer => {
  const size = Buffer.alloc(4)
  const whole = Buffer.concat([size, ...elements, Buffer.alloc(1)])
  whole.writeInt32LE(whole.length, 0)
  return whole
}

/** Returns a document with an id before its other fields. */
export const withId = (id: unknown, bytes: Buffer): Buffer => {
  if (typeof id !== 'string') return Buffer.from(BSON.serialize({ _id: id, ...BSON.deserialize(bytes) }))
  const length = Buffer.alloc(4)
  length.writeInt32LE(Buffer.byteLength(id) + 1, 0)
  return documentOf([...element(STRING, '_id', Buffer.concat([length, Buffer.from(`${id}\0`)])), bytes.subarray(4, -1)])
}

/** Returns the answer of a cursor that has found everything. */
export const cursorAnswer = (namespace: string, documents: readonly Uint8Array[]): Buffer => {
  const batch = documentOf(documents.flatMap((one, at) => element(OBJECT, String(at), one)))
  const rest = BSON.serialize({ id: BSON.Long.ZERO, ns: namespace })
  const cursor = documentOf([...element(ARRAY, 'firstBatch', batch), rest.subarray(4, -1)])
  return documentOf([...element(OBJECT, 'cursor', cursor), BSON.serialize({ ok: 1 }).subarray(4, -1)])
}

let answers = 0

export const toFrame = ({ id, older }: Command, document: Uint8Array): Buffer => {
  const head = Buffer.alloc(HEADER_BYTES + (older ? OLDER_HEAD_BYTES : FLAGS_BYTES + 1))
  answers = (answers + 1) & 0x7fffffff
  head.writeInt32LE(head.length + document.length, 0)
  head.writeInt32LE(answers, 4)
  head.writeInt32LE(id, 8)
  head.writeInt32LE(older ? OP_REPLY : OP_MSG, 12)
  if (older) head.writeInt32LE(1, HEADER_BYTES + OLDER_HEAD_BYTES - 4)
  return Buffer.concat([head, document])
}

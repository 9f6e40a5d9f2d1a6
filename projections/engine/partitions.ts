// Decision 132.

/**
 * Things are divided by the ends of their ids, which the log can filter streams of votes by. A read model that votes change has all that
 * one thing changes in the shard of its partition: there are as many partitions as shards.
 */
export const PARTITION_COUNT = 16

const DIGITS = '0123456789abcdefghijklmnopqrstuvwxyz'
/** Consecutive ends of ids that are in one partition. Ids count in steps of 4,096, so their ends have one remainder by this number. */
const RUN = 16
const PART_SIGN = '#'

const digitAt = (id: string, place: number): number => {
  const code = id.charCodeAt(place)
  if (code >= 48 && code <= 57) return code - 48
  return code >= 97 && code <= 122 ? code - 87 : 0
}

/** Returns the partition of a thing by the last two digits of its fullname, or of any name that ends in it. A shorter id counts as if led by 0. */
export const partitionOf = (name: string): number =>
  Math.floor((digitAt(name, name.length - 2) * DIGITS.length + digitAt(name, name.length - 1)) / RUN) % PARTITION_COUNT

/** Returns the last two characters of the fullnames of all things in these partitions. */
export const endingsOf = (partitions: ReadonlySet<number>): readonly string[] =>
  [...DIGITS, '_'].flatMap((first) => [...DIGITS].map((last) => `${first}${last}`)).filter((ending) => partitions.has(partitionOf(ending)))

/** Returns the id of one part of a document that is divided by partitions. */
export const partId = (id: string, partition: number): string => `${id}${PART_SIGN}${partition}`

/** Returns the ids of all parts of a document, in the order of the partitions. */
export const partIds = (id: string): readonly string[] => Array.from({ length: PARTITION_COUNT }, (_, partition) => partId(id, partition))

/** Returns the partition of a part's id; undefined for any other id. */
export const partitionOfPart = (id: string): number | undefined => {
  const at = id.lastIndexOf(PART_SIGN, id.length - 2)
  if (at < 1 || at < id.length - 3) return undefined
  const partition = Number(id.slice(at + 1))
  return partition < PARTITION_COUNT ? partition : undefined
}

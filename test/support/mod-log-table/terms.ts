import type { ModLogDocument } from '../../../projections/mod-log.ts'
import { ann, bob, carol, pot, tea } from '../example-history.ts'
import { inNameOf, type LoggedEvent } from '../logged-events.ts'

export const subsite = tea
export const target = { id: pot, author: ann, title: 'A good pot', excerpt: 'with a lid' }

export const aboutBob = { subsite, account: bob }

export const thing = { id: pot, author: ann, title: 'A good pot', excerpt: 'with a lid', link: null }

const person = { id: bob, author: bob, title: null, excerpt: null, link: null }

export const mod = inNameOf(carol, 'moderator')

/** The own part of an entry. The rest is the same in all entries of the tables. */
export type Entry = Pick<ModLogDocument, 'action' | 'target'> & {
  readonly details?: string
  readonly description?: string
  readonly page?: string
  readonly mod?: string | null
}
export const user = (action: ModLogDocument['action'], details?: string, description?: string): Entry => ({
  action,
  target: person,
  ...(details !== undefined && { details }),
  ...(description !== undefined && { description }),
})

/** An act, and the one entry that it makes. */
export type Row = readonly [string, LoggedEvent, Entry | 'none']

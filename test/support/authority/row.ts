import type { EventName } from '../../../src/domain/events.ts'
import type { AnyEndpoint } from '../../../src/http/contract/endpoint.ts'
import { endpoints } from '../../../src/http/endpoints/all.ts'
import type { VaultKind } from '../../../src/ports/vault.ts'
import type { Sending, User } from '../site.ts'
import type { Account, Capacity } from './roles.ts'
import type { Stage } from './stage.ts'

export type Fields = Readonly<Record<string, string | number | boolean>>

type Recorded = EventName | readonly EventName[]

/** Something that an endpoint does, and for whom. */
export type Row = {
  /** Names the act that the row tries, where the endpoint has several. */
  readonly what?: string
  /** The accounts that can do it. */
  readonly by: readonly Account[]
  /** The events recorded in their name. If absent, none are, and `changesVault` names the change. */
  readonly records?: Recorded | ((role: Account) => Recorded)
  /** The events recorded in the name of roles that are refused. */
  readonly recordsThoughRefused?: { readonly [Role in Account]?: EventName }
  /** The capacity of the callers: by default users; with `staff`, whatever authority they have in tea. */
  readonly as?: 'staff' | 'moderator' | ((role: Account) => Capacity)
  /** The kind of records of the account in the vault that the act changes. */
  readonly changesVault?: VaultKind
  /** True for an act of sessions only: a token of every scope must be refused. */
  readonly session?: true
  /** True if a token of any scope may do it. */
  readonly isOpenToAnyToken?: true
  /** True if a caller cannot repeat it, or can do nothing afterwards: each call is by another account in the same role. */
  readonly needsFreshCaller?: true
  /**
   * True if the target belongs to the caller, even if the caller may not do it. Otherwise the caller gets a target that another account may
   * do it with.
   */
  readonly isOwn?: true
  /** Makes the target of a call and returns its name. */
  readonly on?: (stage: Stage, self: User) => Promise<string>
  readonly form?: (target: string, self: User) => Fields
  readonly json?: () => Fields
  readonly upload?: () => Promise<Sending>
  /** The variables of the path. */
  readonly path?: (target: string, self: User) => Fields
}

/** Rows by the endpoint's name, such as `POST /api/vote`. */
export type Rows = Readonly<Record<string, Row | readonly Row[]>>

export const id = (target: string): Fields => ({ id: target })

/** The endpoints that may change something. */
export const writes = endpoints.filter(({ method }) => method !== 'GET')

/** Returns the address of an endpoint, in tea unless a variable says where. */
export const addressOf = ({ path }: AnyEndpoint, variables: Fields): string =>
  path
    .replace('[/s/{sub}]', '/s/{sub}')
    .replace(/\{(\w+)\}/g, (_, name: string) => String(variables[name] ?? (name === 'sub' ? 'tea' : 'x')))

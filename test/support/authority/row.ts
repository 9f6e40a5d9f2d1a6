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
  /** The one of several acts of the endpoint that is tried. */
  readonly what?: string
  /** The accounts that can do it. */
  readonly by: readonly Account[]
  /** The events recorded in their name. If absent, none are, and `keeps` names the change. */
  readonly records?: Recorded | ((role: Account) => Recorded)
  /** The events recorded in the name of some who are refused. */
  readonly despite?: { readonly [Role in Account]?: EventName }
  /** The capacity of the callers: by default users; with `staff`, whatever authority they have in tea. */
  readonly as?: 'staff' | 'moderator' | ((role: Account) => Capacity)
  /** The kind of the account's records in the vault that change. */
  readonly keeps?: VaultKind
  /** True for an act of sessions only: a token of every scope must be refused. */
  readonly session?: true
  /** A token of any scope may do it. */
  readonly anyToken?: true
  /** Its caller cannot repeat it, or can do nothing afterwards: for each call an account in the same role is made. */
  readonly anew?: true
  /**
   * True if the target belongs to the caller, even if the caller may not do it. Otherwise the caller gets a target that another account may
   * do it with.
   */
  readonly theirs?: true
  /** Makes the target, for each who may act. */
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

/** The address of an endpoint, in tea unless a variable says where. */
export const addressOf = ({ path }: AnyEndpoint, variables: Fields): string =>
  path
    .replace('[/s/{sub}]', '/s/{sub}')
    .replace(/\{(\w+)\}/g, (_, name: string) => String(variables[name] ?? (name === 'sub' ? 'tea' : 'x')))

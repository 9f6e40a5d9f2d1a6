import type { ErasedTexts } from '../domain/account.ts'
import type { Audience, MisplacedThings } from '../domain/audience.ts'
import type { Aggregate, Decide } from '../domain/decision.ts'
import type { AnyEvent } from '../domain/event.ts'
import type { EventName, Logged } from '../domain/events.ts'
import type { SubsiteId } from '../domain/ids.ts'
import { madeBy, type Origin, type OriginTest } from '../domain/origin.ts'
import type { Position } from '../ports/event-store.ts'
import type { Command } from '../runtime/command.ts'
import type { Load, Run } from '../runtime/run.ts'

/** Of an account, everything or one thing: a link, comment or message, or a revision of a wiki page by the id of its event. */
export type TextsToErase = { readonly account: string; readonly thing: string | undefined }

/** A subsite that shows an image; `inStylesheet`: its published stylesheet does. */
export type SubsiteImage = { readonly subsite: SubsiteId; readonly inStylesheet: boolean }

export type Ports = {
  readonly run: Run
  readonly load: Load
  /** Lower-cased names of the accounts that may act as admins. */
  readonly admins: readonly string[]
  /** Delete the stored responses of repeated requests that contain the text of a thing, also in the address of a comment on it. */
  readonly forgetAnswers: (thing: string) => Promise<void>
  /** Destroy the key under which these texts are sealed, and delete them from memory; those of an account also from stored responses. */
  readonly destroyTexts: (texts: TextsToErase) => Promise<void>
  /** A page of those texts that read models still show at a position, from a place on. */
  readonly textsOf: (texts: TextsToErase, from: string | null, at: Position) => Promise<ErasedTexts>
  /** Things of a subsite, and entries of inboxes, that have another audience, by read models that have reached a position. */
  readonly misplacedIn: (subsite: SubsiteId, audience: Audience, at: Position) => Promise<MisplacedThings>
  /** The subsites that an account moderates or is invited to moderate, by read models that have reached a position. */
  readonly seatsOf: (account: string, at: Position) => Promise<readonly SubsiteId[]>
  /** Delete the bytes of an image unless something shows it. */
  readonly deleteBlob: (hash: string, isShown: () => Promise<boolean>) => Promise<void>
  /** The subsites that show an image somewhere, by read models that have reached a position. */
  readonly subsitesShowing: (hash: string, at: Position) => Promise<readonly SubsiteImage[]>
  /** End every access to an account: sessions, tokens, apps, the password. */
  readonly endAccess: (account: string) => Promise<void>
  /** The events of a stream from a revision on and before a position of the log. */
  readonly history: (stream: string, from: number, before: Position) => Promise<readonly Logged[]>
  /** The position of an event of a stream; undefined if there is none. */
  readonly positionOf: (stream: string, revision: number) => Promise<Position | undefined>
  /** Whether an account had taken part in a subsite before a position: only those accounts are notified of their bans. */
  readonly hadParticipated: (account: string, subsite: string, before: Position) => Promise<boolean>
}

/** A further command that an event causes. */
export type Consequence = (ports: Ports) => Promise<unknown>

/**
 * The consequences of an event on other streams. They are carried out at least once, perhaps by several processes at a time, at any later time, and from
 * the first event on after an import. So each consequence must be bound to its cause: it depends on what was in the log
 * before the event and concerns nothing that came after it. Commands are `followUp`s of the event. Then repeating it changes nothing.
 */
export type Reactions = { readonly [Name in EventName]?: (event: Logged<Name>) => readonly Consequence[] }

/** The consequence of one command. If the domain refuses it, or it is done already, nothing is recorded. */
export const command =
  <State, Event extends AnyEvent>(aggregate: Aggregate<State, Event>, id: string, decide: Decide<State, Event>, by: Command): Consequence =>
  ({ run }) =>
    run(aggregate, id, decide, by)

/**
 * Events on another stream after a decision had read it and before the decision's own event: the decision would have considered them
 * if they had been earlier. None if the decision did not read the stream.
 */
export const unseenBy = async ({ history }: Pick<Ports, 'history'>, event: Logged, stream: string): Promise<readonly Logged[]> => {
  const seen = event.meta.seen[stream]
  return seen === undefined ? [] : history(stream, seen === 'none' ? 0 : seen + 1, event.position)
}

/**
 * Returns a part of a stream's state only if it existed when an event was recorded: consequences of that event concern nothing
 * else, however late they are carried out. Parts that are added from now on are later anyway.
 */
export const ifThereBefore = async (
  { positionOf }: Pick<Ports, 'positionOf'>,
  event: Pick<Logged, 'position'>,
  stream: string,
  origin: Origin | undefined,
): Promise<OriginTest> => {
  const position = origin && (await positionOf(stream, origin.revision))
  return origin && position !== undefined && position < event.position ? madeBy(origin) : () => false
}

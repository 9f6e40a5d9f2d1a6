// Decisions 47 and 103.

import type { ErasedTexts } from '../domain/account.ts'
import type { Audience, MisplacedThings } from '../domain/audience.ts'
import type { Aggregate, Decide } from '../domain/decision.ts'
import type { AnyEvent } from '../domain/event.ts'
import type { EventName, Stored } from '../domain/events.ts'
import type { SubsiteId } from '../domain/ids.ts'
import { madeBy, type Origin, type OriginTest } from '../domain/origin.ts'
import type { Position } from '../ports/event-store.ts'
import type { Command } from '../runtime/command.ts'
import type { Load } from '../runtime/load.ts'
import type { Run } from '../runtime/run.ts'

/**
 * The texts of an account to erase: all of them, or those of one thing. A thing is a link, comment or message, or a revision of a wiki page
 * by the id of its event.
 */
export type TextsToErase = { readonly account: string; readonly thing: string | undefined }

/** A subsite that shows an image. `inStylesheet` means that its published stylesheet does. */
export type SubsiteImage = { readonly subsite: SubsiteId; readonly inStylesheet: boolean }

export type Ports = {
  readonly run: Run
  readonly load: Load
  /** Loads a state that contains everything before a cause, mostly without a read. */
  readonly loadSince: (cause: Stored) => Load
  /** Lower-cased names of the accounts that may act as admins. */
  readonly admins: readonly string[]
  /** Deletes the stored responses of repeated requests that contain the text of a thing, also in the address of a comment on it. */
  readonly forgetAnswers: (thing: string) => Promise<void>
  /** Destroys the key under which these texts are sealed, and deletes them from memory; those of an account also from stored responses. */
  readonly destroyTexts: (texts: TextsToErase) => Promise<void>
  /** Returns a page of those texts that read models still show at a position, from a place on. */
  readonly textsOf: (texts: TextsToErase, from: string | null, at: Position) => Promise<ErasedTexts>
  /** Returns things of a subsite, and entries of inboxes, that have another audience, by read models that have reached a position. */
  readonly misplacedIn: (subsite: SubsiteId, audience: Audience, at: Position) => Promise<MisplacedThings>
  /** Returns the subsites that an account moderates or is invited to moderate, by read models that have reached a position. */
  readonly seatsOf: (account: string, at: Position) => Promise<readonly SubsiteId[]>
  /** Deletes the bytes of an image unless something shows it. */
  readonly deleteBlob: (hash: string, isShown: () => Promise<boolean>) => Promise<void>
  /** Returns the subsites that show an image somewhere, by read models that have reached a position. */
  readonly subsitesShowing: (hash: string, at: Position) => Promise<readonly SubsiteImage[]>
  /** Ends every access to an account: sessions, tokens, apps, the password. */
  readonly endAccess: (account: string) => Promise<void>
  /** Returns the events of a stream from a revision on that came before a cause. */
  readonly historyBefore: (cause: Stored, stream: string, from?: number) => Promise<readonly Stored[]>
  /** Tells whether the event at a revision of a stream came before a cause. */
  readonly isBefore: (cause: Stored, stream: string, revision: number) => Promise<boolean>
  /** Tells whether an account had taken part in a subsite before a position: only those accounts are notified of their bans. */
  readonly hadParticipated: (account: string, subsite: string, before: Position) => Promise<boolean>
}

/** A further command that an event causes. */
export type Consequence = (ports: Ports) => Promise<unknown>

/**
 * The consequences of an event on other streams. They are carried out at least once, perhaps by several processes at a time, at any later
 * time, and from the first event on after an import. So each consequence must be bound to its cause. It depends on the log before the event
 * and concerns nothing that came after it. Commands are `followUp`s of the event. Then repeating it changes nothing.
 */
export type Reactions = { readonly [Name in EventName]?: (event: Stored<Name>) => readonly Consequence[] }

/** Returns the consequence of one command. If the domain refuses it, or it is done already, nothing is recorded. */
export const command =
  <State, Event extends AnyEvent>(aggregate: Aggregate<State, Event>, id: string, decide: Decide<State, Event>, by: Command): Consequence =>
  ({ run }) =>
    run(aggregate, id, decide, by)

/**
 * Returns events on another stream after a decision had read it and before the decision's own event. The decision would have considered
 * them if they had been earlier. Returns none if the decision did not read the stream.
 */
export const unseenBy = async (
  { historyBefore }: Pick<Ports, 'historyBefore'>,
  event: Stored,
  stream: string,
): Promise<readonly Stored[]> => {
  const seenRevision = event.meta.seen[stream]
  return seenRevision === undefined ? [] : historyBefore(event, stream, seenRevision === 'none' ? 0 : seenRevision + 1)
}

/**
 * Returns a part of a stream's state only if it existed when an event was recorded: consequences of that event concern nothing
 * else, however late they are carried out. Parts that are added from now on are later anyway.
 */
export const ifThereBefore = async (
  { isBefore }: Pick<Ports, 'isBefore'>,
  event: Stored,
  stream: string,
  origin: Origin | undefined,
): Promise<OriginTest> => (origin && (await isBefore(event, stream, origin.revision)) ? madeBy(origin) : () => false)

// Decisions 79 and 109.

import { Account, eraseTexts } from '../domain/account.ts'
import { positionAtMost, SERVICE } from '../domain/event.ts'
import type { Stored } from '../domain/events.ts'
import { followUp } from '../runtime/command.ts'
import type { Consequence, Reactions, TextsToErase } from './reaction.ts'

type OfThing = Stored<'LinkErased' | 'CommentErased' | 'MessageErased' | 'WikiRevisionErased'>
type Erasure = OfThing | Stored<'AccountErased'>

const textsIn = (event: Erasure | Stored<'AccountTextsErased'>): TextsToErase => {
  if (event.type === 'AccountErased') return { account: event.data.account, thing: undefined }
  if (event.type === 'AccountTextsErased') return { account: event.data.account, thing: event.data.thing }
  if (event.type === 'MessageErased') return { account: event.data.author, thing: event.data.message }
  if (event.type === 'WikiRevisionErased') return { account: event.data.author, thing: event.data.revision }
  return { account: event.data.target.author, thing: event.data.target.id }
}

/** A second pass finds texts that were recorded while the key was destroyed. A rebuild erases any that are recorded even later. */
const MAX_PASSES = 3

/** Removes the texts from read models, some at a time; each event causes the next. */
const eraseSome =
  (event: Erasure | Stored<'AccountTextsErased'>): Consequence =>
  async ({ run, textsOf, forgetAnswers }) => {
    const { account, thing } = textsIn(event)
    const last = event.type === 'AccountTextsErased' ? event.data : { next: null, pass: 0 }
    const beginsPass = last.next === null
    const pass = beginsPass ? last.pass + 1 : last.pass
    if (pass > MAX_PASSES) return
    const texts = await textsOf({ account, thing }, last.next, positionAtMost(event))
    const { next, ...named } = texts
    const isWholePass = beginsPass && next === null
    const isEmpty = Object.values(named).every((texts) => texts.length === 0)
    // the first event is always recorded, so that every process drops the key; a later pass that finds nothing records nothing
    if (pass === 1 || !isWholePass || !isEmpty)
      await run(Account, account, eraseTexts(texts, pass, thing), followUp(event, 'erase texts', SERVICE))
    await Promise.all([thing ?? account, ...texts.things].map(forgetAnswers))
  }

/** Destroys the key first: texts that are recorded afterwards are unreadable at once. */
const erase =
  (event: Erasure): Consequence =>
  async (ports) => {
    await ports.destroyTexts(textsIn(event))
    return eraseSome(event)(ports)
  }

/** Reactions to the erasure of an account or of one thing. */
export const erasures: Reactions = {
  AccountErased: (event) => [erase(event)],
  LinkErased: (event) => [erase(event)],
  CommentErased: (event) => [erase(event)],
  MessageErased: (event) => [erase(event)],
  WikiRevisionErased: (event) => [erase(event)],
  AccountTextsErased: (event) => [eraseSome(event)],
}

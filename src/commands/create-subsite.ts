import * as E from 'fp-ts/lib/Either.js'
import { refuse } from '../domain/decision.ts'
import { type AccountId, fullname, type SubsiteId } from '../domain/ids.ts'
import { checkSubsiteName, claimOf } from '../domain/names.ts'
import type { Refusal } from '../domain/refusal.ts'
import { claimSubsiteName, SubsiteName } from '../domain/subsite.ts'
import { checkSettings, defaultSettings, type SettingsAuthor, type SubsiteSettings, settingTable } from '../domain/subsite-settings.ts'
import { checkText } from '../domain/text-limits.ts'
import type { Command } from '../runtime/command.ts'
import type { Load } from '../runtime/load.ts'
import type { Run } from '../runtime/run.ts'

/** `Unfit` is the type of refusals of settings before any rule. */
export type NewSubsite<Unfit> = {
  readonly name: string
  readonly type: SubsiteSettings['type'] | undefined
  /** Reads the settings, once type and name are valid. Missing ones get their defaults; the title is required. */
  readonly settings: () => E.Either<Unfit, Partial<SubsiteSettings>>
  readonly creator: SettingsAuthor & { readonly account: AccountId }
}

type Ports = { readonly run: Run; readonly load: Load }

/** Creates a subsite. Claiming the name is the decision, and its event has all data; a reaction does the rest (reactions/claims.ts). */
export const foundSubsite = async <Unfit>(
  { run, load }: Ports,
  { name, type, settings, creator }: NewSubsite<Unfit>,
  command: Command,
): Promise<E.Either<Refusal | Unfit, { readonly id: SubsiteId; readonly name: string }>> => {
  const id = fullname('subsite', command.mint)
  const unfit = checkSettings(creator, type === undefined ? {} : { type }, undefined) ?? checkSubsiteName(name)
  if (unfit) return E.left(unfit)
  const claim = await load(SubsiteName, claimOf(name), command)
  if (claim && claim.subsite !== id) return refuse('SUBSITE_EXISTS', 'name')
  const checked = settings()
  if (E.isLeft(checked)) return checked
  const wrong =
    checkText(checked.right.title ?? '', settingTable.title.longest, 'title') ?? checkSettings(creator, checked.right, undefined)
  if (wrong) return E.left(wrong)
  const creation = { subsite: id, name, creator: creator.account, settings: { ...defaultSettings, ...checked.right } }
  return E.map(() => ({ id, name }))(await run(SubsiteName, claimOf(name), claimSubsiteName(creation), command))
}

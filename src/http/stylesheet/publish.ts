// Decision 82.

import * as E from 'fp-ts/lib/Either.js'
import { Images } from '../../domain/images.ts'
import { Stylesheet, saveStylesheet } from '../../domain/stylesheet.ts'
import type { CommandResult } from '../../runtime/run.ts'
import type { Context, Uses } from '../contract/endpoint.ts'
import type { Overload } from '../contract/overload.ts'
import type { Refusal } from '../contract/refusals.ts'
import type { SignedIn } from '../contract/request.ts'
import { imageFile } from '../present/image.ts'
import { openLane } from '../workers/worker-process.ts'
import type { CompileInput, CompileOutput, Problem } from './compile.ts'

/** Compiles a stylesheet in another process, in its turn. `too-slow`: it takes more than two seconds; `busy`: too many wait already. */
const compileElsewhere = openLane<CompileInput, CompileOutput>(new URL('./compile-worker.ts', import.meta.url), {
  limit: 2_000,
  mostWaiting: 20,
  mostWaitingOfOne: 4,
  heapMegabytes: 256,
})

type NamedSubsite = { readonly id: string; readonly name: string }

/** A stylesheet ready to publish, with its source. */
export type CompiledStylesheet = Extract<CompileOutput, { css: string }> & { readonly source: string }
/** Such a stylesheet; or why it is refused: its errors, or that compiling took too long. */
type Compilation = CompiledStylesheet | { readonly problems: readonly Problem[] } | 'too-slow' | Overload

/** Compiles a text with the current images of the subsite. */
export const compileFor = async ({ load }: Pick<Context, 'load'>, { id, name }: NamedSubsite, source: string): Promise<Compilation> => {
  const images = await load(Images, id)
  const files = Object.fromEntries((images?.named ?? []).map((image) => [image.name, imageFile(image)]))
  const compiled = await compileElsewhere({ source, files, folder: `/s/${name}/images` })
  if (typeof compiled === 'string') return compiled
  return 'css' in compiled.result ? { ...compiled.result, source } : compiled.result
}

type Publication = {
  readonly subsite: string
  readonly compiled: CompiledStylesheet
  readonly reason: string
  /** Tells whether it was edited from the present stylesheet; `CONFLICT` if not, unless both are the same. Absent: overwrites any. */
  readonly replaces?: (saved: Stylesheet | undefined) => boolean
}

/** Saves a stylesheet. Its output is stored before the event that names it. */
export const publish = async (
  { viewer, blobs, run }: Pick<Context<unknown, SignedIn>, 'viewer' | 'run'> & Uses<'blobs'>,
  { subsite, compiled, reason, replaces }: Publication,
): Promise<E.Either<Refusal, CommandResult>> => {
  const { css, shown, source } = compiled
  const published = css === '' ? null : await blobs.put(Buffer.from(css))
  const decide = saveStylesheet({ subsite, author: viewer.account, source, reason, css: published, images: shown })
  return run(Stylesheet, subsite, (saved) => {
    const decided = decide(saved)
    const isSame = E.isRight(decided) && decided.right.length === 0
    return isSame || replaces === undefined || replaces(saved) ? decided : E.left({ code: 'CONFLICT', field: null })
  })
}

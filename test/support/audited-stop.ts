import type { RunningSite } from '../../src/compose.ts'
import { findingsOf } from './auditing.ts'

const MAX_SHOWN_FINDINGS = 20

/** Audits a site that a test is about to stop; returns an error with what the audit finds. A site that is only read is left out. */
export const findingBeforeStop = async (running: RunningSite): Promise<Error | undefined> => {
  if (running.app.config.readOnlyAs !== undefined) return undefined
  const endings: (() => unknown)[] = []
  try {
    const findings = await findingsOf({ teardown: (end) => void endings.push(end) }, running)
    if (findings.length === 0) return undefined
    return new Error(`the audit finds ${findings.length}:\n${findings.slice(0, MAX_SHOWN_FINDINGS).join('\n')}`)
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  } finally {
    for (const end of endings) await end()
  }
}

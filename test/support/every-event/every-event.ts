import { type LoggedEvent, loggedFrom } from '../logged-events.ts'
import { onChosenFlair } from './flair.ts'
import { beforeFormerTexts, onFormerTexts } from './former-texts.ts'

/**
 * Every event there is, in one consistent history: the example history is continued until each has happened, and things are
 * in every state they can be in. Add events at its end: the events before are in golden files, and a log only grows.
 */
export const everyTold: readonly LoggedEvent[] = [...beforeFormerTexts, ...onFormerTexts, ...onChosenFlair]
export const everyEvent = loggedFrom(everyTold)

import { answerEach } from '../workers/worker-entry.ts'
import { type Flavour, renderAs } from './markdown-renderer.ts'

export type Rendering = { readonly flavour: Flavour; readonly text: string }

// The process that renders long texts, one after the other.
answerEach(({ flavour, text }: Rendering) => renderAs(flavour, text))

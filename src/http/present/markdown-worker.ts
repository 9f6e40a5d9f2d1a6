import { parentPort } from 'node:worker_threads'
import { type Flavour, renderAs } from './markdown-renderer.ts'

export type Rendering = { readonly flavour: Flavour; readonly text: string }

// The thread that renders long texts, one after the other.
parentPort?.on('message', ({ flavour, text }: Rendering) => parentPort?.postMessage(renderAs(flavour, text)))
parentPort?.postMessage('ready')

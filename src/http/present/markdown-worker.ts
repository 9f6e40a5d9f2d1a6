import { parentPort } from 'node:worker_threads'
import { render } from './markdown-renderer.ts'

// The thread that renders long texts, one after the other.
parentPort?.on('message', (text: string) => parentPort?.postMessage(render(text)))
parentPort?.postMessage('ready')

import { parentPort } from 'node:worker_threads'
import { type Compiling, compile } from './compile.ts'

// The thread that compiles stylesheets, one after the other.
parentPort?.on('message', (work: Compiling) => parentPort?.postMessage(compile(work)))
parentPort?.postMessage('ready')

import { parentPort } from 'node:worker_threads'
import { type CompileInput, compile } from './compile.ts'

// The thread that compiles stylesheets, one after the other.
parentPort?.on('message', (work: CompileInput) => parentPort?.postMessage(compile(work)))
parentPort?.postMessage('ready')

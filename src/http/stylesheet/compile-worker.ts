import { answerEach } from '../workers/worker-entry.ts'
import { compile } from './compile.ts'

// The process that compiles stylesheets, one after the other.
answerEach(compile)

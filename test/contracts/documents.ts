import type { TestFn } from 'ava'
import { type Exceptions, type Open, runContract } from './contract.ts'
import type { OpenedDocuments } from './document-cases.ts'
import { checkpoints } from './document-checkpoints.ts'
import { inspection } from './document-inspection.ts'
import { pages } from './document-pages.ts'
import { reads } from './document-reads.ts'
import { searches } from './document-searches.ts'
import { writes } from './document-writes.ts'

/** The definition of the document store port. */
export const documentsContract = (test: TestFn, name: string, open: Open<OpenedDocuments>, exceptions: Exceptions = {}): void =>
  runContract(test, name, { ...pages, ...reads, ...writes, ...checkpoints, ...inspection, ...searches }, open, exceptions)

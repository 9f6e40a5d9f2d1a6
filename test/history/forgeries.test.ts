import test from 'ava'
import { forgeryCases } from './forgeries.ts'
import { openDataFile } from './opened-stores.ts'

forgeryCases(test, 'one data file', openDataFile)

import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { SERVICE_VERSION } from './version.ts'

/** The stores that a process uses: one data file, or servers. */
export type StoresLabel = 'sqlite' | 'servers'

/**
 * Opens a registry with the metrics of every process of the service: the process itself (CPU, memory, event loop, collections) and its
 * build.
 */
export const openRegistry = (role: 'api' | 'projections', stores: StoresLabel): Registry => {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  new Gauge({
    name: 'rostra_build_info',
    help: 'Always 1; the labels say what runs.',
    labelNames: ['version', 'node', 'role', 'stores'],
    registers: [registry],
  }).set({ version: SERVICE_VERSION, node: process.version, role, stores }, 1)
  return registry
}

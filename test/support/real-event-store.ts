import { containerRuntimeAnswers, containers } from './containers.ts'

/** KurrentDB of the LTS line; the versions this adapter is meant for are named in docs/operations.md. */
const IMAGE = 'kurrentplatform/kurrentdb:26.0.3'
const PORT = 2113

export type RealEventStore = { readonly url: string; readonly stop: () => Promise<void> } | { readonly missing: string }

/** A real server: the one at TEST_EVENT_STORE_URL, else one in a container of its own, else the reason why there is none. */
export const realEventStore = async (): Promise<RealEventStore> => {
  const url = process.env.TEST_EVENT_STORE_URL
  if (url) return { url, stop: async () => undefined }
  if (!(await containerRuntimeAnswers())) return { missing: 'TEST_EVENT_STORE_URL names no server and no container engine answers' }
  const { GenericContainer, Wait } = await containers()
  const container = await new GenericContainer(IMAGE)
    .withEnvironment({
      KURRENTDB_CLUSTER_SIZE: '1',
      KURRENTDB_INSECURE: 'true',
      KURRENTDB_NODE_PORT: String(PORT),
      KURRENTDB_RUN_PROJECTIONS: 'None',
      KURRENTDB_TELEMETRY_OPTOUT: 'true',
      KURRENTDB__SECONDARYINDEXING__ENABLED: 'false',
    })
    .withTmpFs({ '/var/lib/kurrentdb': 'rw,mode=1777' })
    .withExposedPorts(PORT)
    .withWaitStrategy(Wait.forHttp('/health/live', PORT).forStatusCode(204))
    .start()
  return {
    url: `esdb://${container.getHost()}:${container.getMappedPort(PORT)}?tls=false`,
    stop: async () => void (await container.stop()),
  }
}

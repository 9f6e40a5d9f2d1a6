/** Loads the library where it is needed, because most threads of tests need no container. */
export const containers = () => import('testcontainers')

/** Returns whether a container engine answers: the library asks DOCKER_HOST, the contexts of Docker, and Podman. */
export const containerRuntimeAnswers = async (): Promise<boolean> => {
  try {
    const { getContainerRuntimeClient } = await containers()
    await getContainerRuntimeClient()
    return true
  } catch {
    return false
  }
}

/**
 * Returns an error that names the configuration variables to correct; its cause has the reason. Its `syscall` marks it as an error of the
 * system, which is shown without a stack.
 */
export const cannotListen = (host: string, variable: 'PORT' | 'WORKER_PORT', port: number, cause: Error): Error =>
  Object.assign(
    new Error(
      `cannot listen on HOST ${host} and ${variable} ${port}, which must be an address of this machine and a free port: ${cause.message}`,
      { cause },
    ),
    { syscall: 'listen' },
  )

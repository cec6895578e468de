import type { OutputPipes } from '#node/sidecar/output_pipes'
import { Sidecar } from '#node/sidecar/sidecar'
import { ANALYSIS_PORT, GATEWAY_PORT } from './container_driver.js'
import type { ResolvedSpec } from './resolve_spec.js'

/** Starts the sidecar of a container by a command that runs it in the container's network. */
export const startSidecar = (
  command: readonly string[],
  { gatewaySocket, inboundSocket, onLine, onRefusal }: ResolvedSpec,
  outputs: OutputPipes
): Promise<Sidecar> =>
  Sidecar.start(command, {
    gatewaySocket,
    gatewayPort: GATEWAY_PORT,
    inboundSocket,
    analysisPort: ANALYSIS_PORT,
    outputs,
    onLine,
    onRefusal,
  })

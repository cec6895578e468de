import type {
  Container,
  ContainerDriver,
  ContainerExit,
  ContainerSpec,
} from '#node/containers/container_driver'
import { StandInAnalysis } from './stand_in_analysis.js'

/** Starts no program: each container is a server in this process, which a test asks about its analysis. */
export class StandInContainers implements ContainerDriver {
  readonly name = 'stand-in'
  /** The specification and the analysis of each running container, by the id of the analysis. */
  readonly running = new Map<string, { spec: ContainerSpec; analysis: StandInAnalysis }>()
  /** Changes an analysis before its node sees it. */
  onStart: (analysis: StandInAnalysis, analysisId: string) => void = () => {}

  async available(): Promise<undefined> {
    return undefined
  }

  async recover(): Promise<void> {}

  async start(spec: ContainerSpec): Promise<Container> {
    const analysisId = spec.variables.ANALYSIS_ID!
    const analysis = await StandInAnalysis.listen(spec.inboundSocket)
    this.onStart(analysis, analysisId)
    this.running.set(analysisId, { spec, analysis })
    const { promise: exited, resolve } = Promise.withResolvers<ContainerExit>()
    const stop = async () => {
      await analysis.close()
      this.running.delete(analysisId)
      resolve({ code: null, signal: 'SIGTERM', reason: 'stopped', message: 'It was stopped' })
      return exited
    }
    return { exited, stop }
  }
}

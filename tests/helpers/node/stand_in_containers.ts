import type {
  Container,
  ContainerDriver,
  ContainerExit,
  ContainerSpec,
} from '#node/containers/container_driver'
import { StandInAnalysis } from './stand_in_analysis.js'

interface RunningContainer {
  readonly spec: ContainerSpec
  readonly analysis: StandInAnalysis
  /** Ends its program by itself. */
  end(code?: number): Promise<void>
}

/** Starts no program: each container is a server in this process, which a test asks about its analysis. */
export class StandInContainers implements ContainerDriver {
  readonly name = 'stand-in'
  readonly unbounded = []
  /** By the id of the analysis. */
  readonly running = new Map<string, RunningContainer>()
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
    const { promise: exited, resolve } = Promise.withResolvers<ContainerExit>()
    const exit = async (how: ContainerExit) => {
      await analysis.close()
      this.running.delete(analysisId)
      resolve(how)
    }
    const end = (code = 0) => exit({ code, signal: null })
    this.running.set(analysisId, { spec, analysis, end })
    const stop = async () => {
      await exit({ code: null, signal: 'SIGTERM', reason: 'stopped', message: 'It was stopped' })
      return exited
    }
    return { exited, stop }
  }
}

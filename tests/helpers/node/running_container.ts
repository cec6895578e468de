import type {
  Container,
  ContainerDriver,
  ContainerExit,
  ContainerSpec,
} from '#node/containers/container_driver'
import { eventually } from '#tests/helpers/eventually'

/** What a container is started with, without its listeners. */
export type PlainSpec = Omit<ContainerSpec, 'onLine' | 'onRefusal'>

/** A container whose output a test reads. */
export class RunningContainer {
  readonly lines: string[]
  readonly #container: Container

  static async start(driver: ContainerDriver, spec: PlainSpec): Promise<RunningContainer> {
    const lines: string[] = []
    const onLine = (line: string, stream: string) => void lines.push(`${stream}: ${line}`)
    const onRefusal = (sentence: string) => void lines.push(`refused: ${sentence}`)
    return new RunningContainer(await driver.start({ ...spec, onLine, onRefusal }), lines)
  }

  private constructor(container: Container, lines: string[]) {
    this.#container = container
    this.lines = lines
  }

  get output(): string {
    return this.lines.join('\n')
  }

  get exited(): Promise<ContainerExit> {
    return this.#container.exited
  }

  stop(graceMs = 5_000): Promise<ContainerExit> {
    return this.#container.stop(graceMs)
  }

  /** Resolves when a line contains the text; fails if the container ends before. */
  async says(text: string): Promise<void> {
    let exit: ContainerExit | undefined
    void this.exited.then((value) => (exit = value))
    const isFound = await eventually(
      () => (this.output.includes(text) ? 'found' : exit && 'ended'),
      60_000
    )
    if (isFound === 'ended' && !this.output.includes(text)) {
      throw new Error(`It ended with ${JSON.stringify(exit)} without ${text}:\n${this.output}`)
    }
  }
}

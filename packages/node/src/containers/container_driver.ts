/** The account of an analysis within its container. */
export const CONTAINER_ACCOUNT = 65_534

/** The port of the gateway, as the analysis sees it, and the one on which the analysis listens. */
export const GATEWAY_PORT = 80
export const ANALYSIS_PORT = 8_000

export interface ContainerLimits {
  readonly memoryBytes: number
  /** Processes and threads. */
  readonly processes: number
  readonly cpus: number
  /** The size of `/tmp` and of `/dev/shm`; the working folder is smaller. Everything else is read-only. */
  readonly tmpBytes: number
}

export const DEFAULT_LIMITS: ContainerLimits = {
  memoryBytes: 1024 ** 3,
  processes: 256,
  cpus: 1,
  tmpBytes: 512 * 1024 ** 2,
}

export type OutputStream = 'stdout' | 'stderr'

/** Receives each line of output without its line break. Long lines come in several parts. */
export type LineListener = (line: string, stream: OutputStream) => void

export interface ContainerSpec {
  /** Host name within the container, and in messages. */
  readonly name: string
  /** An unpacked image. The container cannot change it. */
  readonly rootPath: string
  readonly command: readonly string[]
  /** All environment variables. They may contain secrets, so drivers never pass them as arguments. */
  readonly variables: Readonly<Record<string, string>>
  readonly workingFolder: string
  readonly limits: ContainerLimits
  /** The host name whose port 80 is the gateway. */
  readonly gatewayHost: string
  /**
   * The unix socket of the node that serves the container's requests. It exists before the start. The container may
   * know the path of its folder, which is the node's to remove.
   */
  readonly gatewaySocket: string
  /** The unix socket that leads to port 8000 of the container. Created at the start, removed at the end. */
  readonly inboundSocket: string
  readonly onLine: LineListener
  /** Receives a sentence about requests of the container that do not reach the gateway. */
  readonly onRefusal: (sentence: string) => void
}

/**
 * Why the node ended a container: it was stopped, exceeded a limit, or lost its gateway. Undefined if its program ended
 * by itself.
 */
export type EndReason = 'stopped' | 'memory' | 'processes' | 'files' | 'gateway'

/** The reason, and a sentence for logs. */
export interface EndReport {
  readonly reason: EndReason
  readonly message: string
}

export interface ContainerExit extends Partial<EndReport> {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export interface Container {
  /** Resolves when no process of the container is left and its output was read to the end. */
  readonly exited: Promise<ContainerExit>

  /** Sends SIGTERM to the program, and after the grace period SIGKILL to everything. Resolves like `exited`. */
  stop(graceMs: number): Promise<ContainerExit>
}

/** A resource that the limits of a driver do not cover on this machine, with advice for the operator. */
export const UNBOUNDED = {
  sharedMemory:
    'Without control groups, memory that the processes of an analysis share is not bounded: delegate one to the node, or use runc as root (docs/nodes.md)',
} as const

export type Unbounded = keyof typeof UNBOUNDED

/** Runs containers. All drivers pass the same test suite. */
export interface ContainerDriver {
  readonly name: string
  /** The resources that the limits of its containers do not cover here. */
  readonly unbounded: readonly Unbounded[]

  /** Starts a container as a test. Returns the reason of a failure, with advice. */
  available(): Promise<string | undefined>

  /** Removes leftovers of a crashed process with the same folder. Call it once, before the first start. */
  recover(): Promise<void>

  /** Resolves when the program was started. */
  start(spec: ContainerSpec): Promise<Container>
}

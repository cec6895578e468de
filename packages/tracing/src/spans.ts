import type { HttpContext } from '@adonisjs/core/http'

export interface TracingSettings {
  /** The collector; undefined if there is none. */
  readonly endpoint: string | undefined
  /** The share of traces that are recorded, of those that begin here. */
  readonly share: number
  /** The role of this process. */
  readonly serviceName: string
}

type StepAttributes = Readonly<Record<string, string | number>>

/** A named part of a trace. Names and attributes never contain secrets. */
export interface Step<T = unknown> {
  readonly name: string
  /** What it does with another process: ask it, or exchange messages with it. */
  readonly kind?: 'client' | 'producer' | 'consumer'
  readonly attributes?: StepAttributes
  /** Attributes that the result of its work adds. */
  readonly attributesOf?: (result: T) => StepAttributes
}

export interface RequestSpan {
  /** Runs the rest of the request inside the span. */
  run<T>(work: () => T): T
  end(ctx: HttpContext): void
}

/** The fields by which a log line is found from its trace. */
export interface TraceFields {
  readonly trace_id?: string
  readonly span_id?: string
}

export interface Tracing {
  /**
   * Absent in a process that serves no requests of the interface. Answers undefined for a request that is not recorded,
   * which costs nothing further.
   */
  startRequest?(ctx: HttpContext): RequestSpan | undefined
  /** Runs a step of the active trace. Without one, or if it is not recorded, only the work runs. */
  measure<T>(step: Step<T>, work: () => Promise<T>): Promise<T>
  /** Runs a step of a trace that began in another process, given as a W3C `traceparent`. */
  resume<T>(traceparent: string, step: Step<T>, work: () => Promise<T>): Promise<T>
  /** Runs work that belongs to no trace, although it begins within one. */
  suspend<T>(work: () => T): T
  /** The W3C `traceparent` of the active step if it is recorded. */
  readonly traceparent: string | undefined
  readonly logFields: TraceFields
  shutdown(): Promise<void>
}

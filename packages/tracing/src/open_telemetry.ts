import type { IncomingHttpHeaders } from 'node:http'

import type { HttpContext } from '@adonisjs/core/http'
import {
  context,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Context,
  type Span,
  type SpanContext,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  AlwaysOnSampler,
  BatchSpanProcessor,
  NodeTracerProvider,
  ParentBasedSampler,
} from '@opentelemetry/sdk-trace-node'

import { newId } from '#kernel/new_id'
import { VERSION } from '#kernel/version'
import type { RequestSpan, Step, TraceFields, Tracing, TracingSettings } from './spans.js'

const KINDS = {
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
}

/** Sends traces to an OpenTelemetry collector. A request continues the trace of its caller if there is one. */
export class OpenTelemetry implements Tracing {
  readonly #share: number
  readonly #provider: NodeTracerProvider
  readonly #tracer

  constructor({ endpoint, share, serviceName }: TracingSettings & { endpoint: string }) {
    this.#share = share
    const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/$/, '')}/v1/traces` })
    this.#provider = new NodeTracerProvider({
      resource: resourceFromAttributes({
        'service.name': serviceName,
        'service.version': VERSION,
        'service.instance.id': newId(),
      }),
      sampler: new ParentBasedSampler({ root: new AlwaysOnSampler() }),
      spanProcessors: [new BatchSpanProcessor(exporter)],
    })
    this.#provider.register()
    this.#tracer = this.#provider.getTracer('analysis-hub')
  }

  startRequest({ request, response }: HttpContext): RequestSpan | undefined {
    const caller = contextOf(request.headers())
    if (!this.#records(trace.getSpanContext(caller))) {
      return undefined
    }
    const options = {
      kind: SpanKind.SERVER,
      attributes: {
        'http.request.method': request.method(),
        'url.path': request.url(),
        'hub.request_id': request.id(),
      },
    }
    const span = this.#tracer.startSpan(request.method(), options, caller)
    response.header('traceresponse', traceparentOf(span.spanContext()))
    const inside = trace.setSpan(caller, span)
    return { run: (work) => context.with(inside, work), end: (ctx) => endRequest(span, ctx) }
  }

  measure<T>(step: Step<T>, work: () => Promise<T>): Promise<T> {
    return this.#activeSpan ? this.#run(step, context.active(), work) : work()
  }

  resume<T>(traceparent: string, step: Step<T>, work: () => Promise<T>): Promise<T> {
    const sender = propagation.extract(ROOT_CONTEXT, { traceparent })
    return trace.getSpanContext(sender) ? this.#run(step, sender, work) : work()
  }

  suspend<T>(work: () => T): T {
    return context.with(ROOT_CONTEXT, work)
  }

  get traceparent(): string | undefined {
    const span = this.#activeSpan
    return span && traceparentOf(span)
  }

  get logFields(): TraceFields {
    const span = this.#activeSpan
    return span ? { trace_id: span.traceId, span_id: span.spanId } : {}
  }

  shutdown(): Promise<void> {
    return this.#provider.shutdown()
  }

  /** Undefined outside of any trace, and if it is not recorded. */
  get #activeSpan(): SpanContext | undefined {
    const span = trace.getSpanContext(context.active())
    return span && isSampled(span) ? span : undefined
  }

  #records(caller: SpanContext | undefined): boolean {
    return caller ? isSampled(caller) : Math.random() < this.#share
  }

  #run<T>(step: Step<T>, parent: Context, work: () => Promise<T>): Promise<T> {
    const { name, kind, attributes = {}, attributesOf } = step
    const options = { attributes, kind: kind ? KINDS[kind] : SpanKind.INTERNAL }
    return this.#tracer.startActiveSpan(name, options, parent, async (span) => {
      try {
        const result = await work()
        span.setAttributes(attributesOf?.(result) ?? {})
        return result
      } catch (error) {
        fail(span, error)
        throw error
      } finally {
        span.end()
      }
    })
  }
}

/** Most requests belong to no trace, and cost no search for its headers. */
const contextOf = (headers: IncomingHttpHeaders): Context =>
  headers.traceparent === undefined ? ROOT_CONTEXT : propagation.extract(ROOT_CONTEXT, headers)

const isSampled = ({ traceFlags }: SpanContext): boolean => (traceFlags & TraceFlags.SAMPLED) !== 0

const traceparentOf = ({ traceId, spanId, traceFlags }: SpanContext): string =>
  `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`

/** The text of an error may hold what a caller sent, so only its class is recorded. */
function fail(span: Span, error: unknown): void {
  span.setStatus({ code: SpanStatusCode.ERROR })
  span.setAttribute('error.type', error instanceof Error ? error.constructor.name : typeof error)
}

function endRequest(span: Span, { request, response, route }: HttpContext): void {
  const status = response.response.statusCode
  if (route) {
    span.updateName(`${request.method()} ${route.pattern}`)
    span.setAttribute('http.route', route.pattern)
  }
  span.setAttribute('http.response.status_code', status)
  if (status >= 500) {
    span.setStatus({ code: SpanStatusCode.ERROR })
    span.setAttribute('error.type', String(status))
  }
  span.end()
}

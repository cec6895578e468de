import type { HttpContext, HttpRequest } from '@adonisjs/core/http'
import {
  context,
  propagation,
  SpanKind,
  SpanStatusCode,
  trace,
  type Span,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node'

import type { RequestSpan, Tracing } from './spans.js'
import { VERSION } from '#kernel/version'

/**
 * Sends traces to an OpenTelemetry collector: a span per request, which continues the caller's trace if there is one,
 * and spans below it for what the request does.
 */
export class OpenTelemetry implements Tracing {
  readonly #provider: NodeTracerProvider
  readonly #tracer

  constructor(endpoint: string) {
    const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/$/, '')}/v1/traces` })
    this.#provider = new NodeTracerProvider({
      resource: resourceFromAttributes({
        'service.name': 'analysis-hub',
        'service.version': VERSION,
      }),
      spanProcessors: [new BatchSpanProcessor(exporter)],
    })
    this.#provider.register()
    this.#tracer = trace.getTracer('analysis-hub')
  }

  startRequest(request: HttpRequest): RequestSpan {
    const caller = propagation.extract(context.active(), request.headers())
    const options = {
      kind: SpanKind.SERVER,
      attributes: { 'http.request.method': request.method(), 'url.path': request.url() },
    }
    const span = this.#tracer.startSpan(request.method(), options, caller)
    const inside = trace.setSpan(caller, span)
    return { run: (work) => context.with(inside, work), end: (ctx) => endRequest(span, ctx) }
  }

  async measure<T>(name: string, attributes: Record<string, string>, work: () => Promise<T>) {
    return this.#tracer.startActiveSpan(name, { attributes }, async (span) => {
      try {
        return await work()
      } catch (error) {
        span.setStatus({ code: SpanStatusCode.ERROR })
        throw error
      } finally {
        span.end()
      }
    })
  }

  shutdown(): Promise<void> {
    return this.#provider.shutdown()
  }
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
  }
  span.end()
}

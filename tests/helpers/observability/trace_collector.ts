import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

interface Attribute {
  readonly key: string
  readonly value: { readonly stringValue?: string; readonly intValue?: number }
}

interface SentSpan {
  readonly name: string
  readonly kind: number
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly attributes: readonly Attribute[]
  readonly status: { readonly code?: number }
}

interface Export {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] }
    readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[]
  }[]
}

/** A span with what its process said of itself. */
export interface CollectedSpan extends Omit<SentSpan, 'attributes'> {
  readonly attributes: Readonly<Record<string, unknown>>
  readonly service: string
  readonly instance: string
}

/** An OpenTelemetry collector that keeps what it receives. */
export class TraceCollector {
  readonly paths = new Set<string>()
  readonly spans: CollectedSpan[] = []
  readonly #server: Server

  static async start(): Promise<TraceCollector> {
    const collector = new TraceCollector()
    collector.#server.listen(0, '127.0.0.1')
    await once(collector.#server, 'listening')
    return collector
  }

  private constructor() {
    this.#server = createServer(async (request, response) => {
      const body = Buffer.concat(await request.toArray()).toString()
      this.paths.add(request.url!)
      this.#add(JSON.parse(body) as Export)
      response.setHeader('content-type', 'application/json').end('{}')
    })
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  of(traceId: string): CollectedSpan[] {
    return this.spans.filter((span) => span.traceId === traceId)
  }

  named(name: string): CollectedSpan | undefined {
    return this.spans.find((span) => span.name === name)
  }

  close(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }

  #add({ resourceSpans }: Export): void {
    for (const { resource, scopeSpans } of resourceSpans) {
      const own = valuesOf(resource.attributes)
      const spans = scopeSpans.flatMap((scope) => scope.spans)
      this.spans.push(
        ...spans.map((span) => ({
          ...span,
          attributes: valuesOf(span.attributes),
          service: String(own['service.name']),
          instance: String(own['service.instance.id']),
        }))
      )
    }
  }
}

const valuesOf = (attributes: readonly Attribute[]): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]))

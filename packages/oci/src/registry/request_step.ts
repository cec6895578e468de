import type { IncomingMessage } from 'node:http'

interface SentRequest {
  readonly method: string
  readonly url: URL
}

/** A request as a trace shows it, by the conventions of OpenTelemetry. */
export interface RequestStep {
  readonly name: string
  readonly kind: 'client'
  readonly attributes: Readonly<Record<string, string | number>>
  readonly attributesOf: (response: IncomingMessage) => Readonly<Record<string, number>>
}

/** How requests belong to the trace of whoever sends them. */
export interface RequestTracing {
  /** Runs a request as a step of the trace. */
  readonly measure: (
    step: RequestStep,
    work: () => Promise<IncomingMessage>
  ) => Promise<IncomingMessage>
  /** The headers by which the server continues the active step. */
  readonly headers: () => Readonly<Record<string, string>>
}

/** The paths of the distribution API. Names and digests stay out, so that the same request has the same name. */
const TEMPLATES: readonly (readonly [RegExp, string])[] = [
  [/^\/v2\/.+\/manifests\/[^/]+$/, '/v2/{name}/manifests/{reference}'],
  [/^\/v2\/.+\/blobs\/uploads\/?$/, '/v2/{name}/blobs/uploads/'],
  [/^\/v2\/.+\/blobs\/uploads\/.+$/, '/v2/{name}/blobs/uploads/{session}'],
  [/^\/v2\/.+\/blobs\/[^/]+$/, '/v2/{name}/blobs/{digest}'],
  [/^\/v2\/.+\/referrers\/[^/]+$/, '/v2/{name}/referrers/{digest}'],
  [/^\/v2\/.+\/tags\/list$/, '/v2/{name}/tags/list'],
  [/^\/v2\/$/, '/v2/'],
]

/** Paths and queries may hold secrets, such as the session of an upload, so the step shows neither. */
export function requestStep({ method, url }: SentRequest): RequestStep {
  const template = TEMPLATES.find(([pattern]) => pattern.test(url.pathname))?.[1]
  return {
    name: template === undefined ? method : `${method} ${template}`,
    kind: 'client',
    attributes: {
      'http.request.method': method,
      'server.address': url.hostname,
      'server.port': Number(url.port) || (url.protocol === 'https:' ? 443 : 80),
      'url.scheme': url.protocol.slice(0, -1),
      ...(template !== undefined && { 'url.template': template }),
    },
    attributesOf: ({ statusCode = 0 }) => ({ 'http.response.status_code': statusCode }),
  }
}
